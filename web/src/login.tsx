import { useState } from "preact/hooks";
import { Refused } from "./api";
import { linkTo } from "./route";

const UNKNOWN = "Unknown token. Did you copy all of it?";
const SENDABLE = /^[!-~]+$/; /* what a header can carry; tokens have no other characters */

export function Login({ said, enter }: {
  said: string | null; enter: (token: string) => Promise<void>;
}) {
  const [token, setToken] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (e: Event) => {
    e.preventDefault();
    setWrong(null);
    if (!SENDABLE.test(token.trim())) {
      setWrong(UNKNOWN);
      return;
    }
    setBusy(true);
    try {
      await enter(token.trim());
    } catch (e) {
      if (!(e instanceof Refused)) throw e;
      setWrong(e.status === 429 ? `Too many wrong tokens. Wait ${e.wait ?? 60} seconds.`
        : e.locked ? UNKNOWN : e.message);
    } finally {
      setBusy(false);
    }
  };

  return (
    <section class="login">
      <h1>Ask questions, keep people private</h1>
      <p>
        custos answers SQL questions about people’s data so that no single person has much effect on
        what you see. Every answer says how accurate it is and what it costs.
      </p>
      {said && <p class="news" role="status">{said}</p>}
      <form onSubmit={submit}>
        <label for="token">Your token</label>
        <div class="row">
          <input id="token" type="password" autocomplete="current-password" spellcheck={false}
            required value={token} aria-describedby={wrong ? "wrong" : "where"}
            aria-invalid={wrong ? "true" : undefined}
            onInput={(e) => setToken(e.currentTarget.value)} />
          <button type="submit" disabled={busy || !token.trim()}>Log in</button>
        </div>
        {wrong
          ? <p id="wrong" class="bad" role="alert">{wrong}</p>
          : <p id="where" class="soft">You get it from the owner of the data: <code>custos analyst add NAME</code> prints it once.</p>}
      </form>
      <p><a href={linkTo("learn")}>What does a privacy budget mean? Try it without a token.</a></p>
    </section>
  );
}
