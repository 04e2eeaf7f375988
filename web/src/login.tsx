import { useState } from "preact/hooks";
import { Refused } from "./api";
import { linkTo } from "./route";

const UNKNOWN = "This token is not known here. Is it whole?";
const SENDABLE = /^[!-~]+$/; /* in a header; no token has other letters */

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
        custos answers SQL over data of people so that no one person has much effect on what you
        see. Every answer says how exact it is and what it costs.
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
          : <p id="where" class="soft">The owner of the data gives it to you: <code>custos analyst add NAME</code> prints it once.</p>}
      </form>
      <p><a href={linkTo("learn")}>What does a privacy budget mean? Try it without a token.</a></p>
    </section>
  );
}
