/*
 * Who has access: grants it, issues new credentials, revokes it. The policy says which
 * analysts there are and what budgets they have; here they get their credentials.
 */
import { useState } from "preact/hooks";
import type { AnalystBudget, NewSecrets, Analyst, OwnerAnalysts } from "../api";
import { leftShort, spentShort } from "../parts/amount";
import { Confirm } from "../parts/confirm";
import { Notice } from "../parts/notice";
import { momentWords } from "../parts/time";
import { linkTo } from "../route";
import { useSession } from "../session";
import { useAct } from "./act";
import { Secrets } from "./secrets";

type Act = "add" | "rotate" | "revoke";
interface Wish { act: "rotate" | "revoke"; name: string }

const WARNING: Record<Wish["act"], { title: (n: string) => string; act: string; words: string }> = {
  rotate: {
    title: (n) => `New password and token for ${n}?`, act: "Replace both",
    words: "The current password and token stop working at once. What was spent stays spent.",
  },
  revoke: {
    title: (n) => `Revoke access of ${n}?`, act: "Revoke access",
    words: "Their sessions end, and their password and token stop working. Their past questions stay in the ledger.",
  },
};

function Left({ of: b }: { of: AnalystBudget | null }) {
  if (!b) return <span class="soft">no longer in the policy</span>;
  const own = b.own;
  return (
    <>
      ε {leftShort(b.remaining.epsilon)} left
      <div class="soft">
        {own ? `${own.currency === "epsilon" ? "ε" : "ρ"} ${spentShort(own.spent)} of ${spentShort(own.limit)} spent`
          : "from the common budget"}
        {b.window && b.window_days !== null &&
          `; the window of ${b.window_days} days has ε ${leftShort(b.window.left_epsilon)} left, the budget ε ${leftShort(b.left_epsilon)}`}
      </div>
    </>
  );
}

function Credentials({ of: a }: { of: Analyst }) {
  if (!a.password && !a.token) return <span class="soft">no credentials</span>;
  return (
    <>
      {[a.password && "password", a.token && "token"].filter(Boolean).join(" and ")}
      {a.since && <div class="soft">since {momentWords(a.since)}</div>}
    </>
  );
}

function Line({ of: a, acts, busy, add, wish }: {
  of: Analyst; acts: boolean; busy: boolean;
  add: (name: string) => void; wish: (w: Wish) => void;
}) {
  const inside = a.password || a.token;
  const whose = (word: string) => <span class="unseen"> {word} {a.name}</span>;
  return (
    <tr>
      <th scope="row">{a.name}</th>
      <td><Credentials of={a} /></td>
      <td><Left of={a.budget} /></td>
      <td>{a.budget && <a href={linkTo("ledger", { who: a.name })}>{a.budget.charges} charge{a.budget.charges === 1 ? "" : "s"}</a>}</td>
      {acts && (
        <td>
          <div class="row acts">
            {!inside && <button type="button" class="small" disabled={busy} onClick={() => add(a.name)}>Grant access{whose("to")}</button>}
            {inside && a.budget && <button type="button" class="quiet small" disabled={busy} onClick={() => wish({ act: "rotate", name: a.name })}>New credentials{whose("for")}</button>}
            {inside && <button type="button" class="danger small" disabled={busy} onClick={() => wish({ act: "revoke", name: a.name })}>Revoke access{whose("of")}</button>}
          </div>
        </td>
      )}
    </tr>
  );
}

export function Analysts({ of, again }: { of: OwnerAnalysts; again: () => void }) {
  const { api } = useSession();
  const [wish, setWish] = useState<Wish | null>(null);
  const [secrets, setSecrets] = useState<NewSecrets | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const { busy, refused, run } = useAct();

  const act = async (what: Act, name: string) => {
    setSaid(null);
    await run(async () => {
      const made = await api.ownerAct(what, name);
      setSecrets(what === "revoke" ? null : made);
      if (what === "revoke") setSaid(`${name} no longer has access.`);
      again();
    }).finally(() => setWish(null));
  };

  return (
    <section class="card" aria-labelledby="analysts-title">
      <h2 id="analysts-title">Analysts</h2>
      {!of.acts && of.why_not && <p class="news">{of.why_not}</p>}
      {refused && <Notice of={refused} />}
      <p class="soft" role="status">{said}</p>
      {secrets && <Secrets of={secrets} close={() => setSecrets(null)} />}
      <div class="scroll" tabIndex={0} role="region" aria-label="Analysts">
        <table class="stacked">
          <thead>
            <tr>
              <th scope="col">Name</th><th scope="col">Credentials</th><th scope="col">Budget</th>
              <th scope="col">Questions</th>{of.acts && <th scope="col">Access</th>}
            </tr>
          </thead>
          <tbody>
            {of.analysts.map((a) => (
              <Line key={a.name} of={a} acts={of.acts} busy={busy}
                add={(name) => void act("add", name)} wish={setWish} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft">
        Names, tables and budgets come from the policy: edit its file, import it
        with <code>custos init</code>, then reload.
      </p>
      {wish && (
        <Confirm title={WARNING[wish.act].title(wish.name)} act={WARNING[wish.act].act} busy={busy}
          onYes={() => void act(wish.act, wish.name)} onNo={() => setWish(null)}>
          <p>{WARNING[wish.act].words}</p>
        </Confirm>
      )}
    </section>
  );
}
