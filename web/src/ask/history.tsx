/*
 * The user's own questions, newest first: those in the ledger, and the free ones of
 * this tab. A click puts the text back and shows the answer if this tab still has
 * it. Otherwise the question can be asked again, for free while the answer is cached.
 */
import type { Api, LedgerRow, Me } from "../api";
import { useLoaded } from "../load";
import { spentShort } from "../parts/amount";
import { Notice } from "../parts/notice";
import { momentWords } from "../parts/time";
import { useSession } from "../session";
import type { Asked } from "./desk";
import type { Draft } from "./draft";

const SHOWN = 20;

/* The ledger can only be read forward; the spending history says at which row to begin. */
async function newestRows(api: Api, me: Me): Promise<LedgerRow[]> {
  const { lines } = await api.history();
  const own = lines.find((line) => line.who === (me.owner ? null : me.name));
  let from: number | null = own?.points.at(-SHOWN)?.row ?? 0;
  const rows: LedgerRow[] = [];
  while (from !== null) {
    const page = await api.ledger({ from });
    rows.push(...page.rows.filter((r) => r.what === "charge" && r.who === me.name && r.query));
    from = page.next;
  }
  return rows.reverse().slice(0, SHOWN);
}

export function History({ answers, turn, take }: {
  answers: Asked[];
  turn: number; /* changes after each question */
  take(draft: Partial<Draft>, receipt: string | null): void;
}) {
  const { api, me } = useSession();
  const { value: rows, refused } = useLoaded(() => newestRows(api, me), [api, turn]);
  if (refused) return <Notice of={refused} />;
  if (!rows) return null;
  const here = new Set(answers.map((a) => a.answer.receipt));
  const free = answers.filter((a) => a.answer.receipt === null);
  if (!rows.length && !free.length) return null;
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">Your questions</h2>
      <ol>
        {free.map((a) => (
          <li>
            <button type="button" class="past" onClick={() => take({ sql: a.question.sql }, null)}>
              <code>{a.question.sql}</code>
              <span class="soft">{a.answer.kind === "plan" ? "plan, free" : `${a.answer.kind}, free`}</span>
            </button>
          </li>
        ))}
        {rows.map((r) => (
          <li>
            <button type="button" class="past"
              onClick={() => take({ sql: r.query!, by: "epsilon", epsilon: r.epsilon ?? "" }, r.receipt)}>
              <code>{r.query}</code>
              <span class="soft">
                <time dateTime={r.time}>{momentWords(r.time)}</time>
                {r.epsilon !== null && <> · ε {spentShort(r.epsilon)}</>}
                {here.has(r.receipt) && <> · answer in this tab</>}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
