/* One row of the ledger: a summary line, and all its details when opened. */
import { useState } from "preact/hooks";
import type { LedgerRow } from "../api";
import { costShort } from "../parts/amount";
import { momentWords } from "../parts/time";
import { linkTo } from "../route";
import { theoremsOf } from "./rows";

/* Kinds of rows, in words for people. */
const WORDS: Record<string, string> = {
  open: "ledger created", terms: "budgets set", budget: "budget set", import: "data imported",
  add: "access granted", rotate: "new credentials", revoke: "access revoked", token: "owner's token",
  reload: "policy reloaded", drain: "server drained", charge: "charge", cut: "sessions ended",
  "given again": "stored answer",
};
export const kindWords = (what: string) => WORDS[what] ?? what;

/* Explains the counts of cached answers, which are written as ROW:TIMES ROW:TIMES ... */
function givenAgain(words: string): string {
  return words.trim().split(/\s+/).map((pair) => {
    const [row, times] = pair.split(":");
    return `the answer of row ${row}` + (times === "1" ? "" : `, ${times} times`);
  }).join("; ");
}

function lineOf(row: LedgerRow): string {
  if (row.query) return row.query.replace(/\s+/g, " ");
  if (row.what === "given again" && row.words) return givenAgain(row.words);
  return row.words?.split("\n")[0] ?? "";
}

function Member({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return <><dt>{name}</dt><dd>{children}</dd></>;
}

/* Without `pick`, leaves out plan and theorems. */
export function RowDetails({ row, pick }: { row: LedgerRow; pick?: (theorem: string) => void }) {
  const theorems = pick ? theoremsOf(row) : [];
  return (
    <dl class="row-details">
      {row.query && (
        <Member name="query">
          <pre>{row.query}</pre>
          <a href={linkTo("ask", { sql: row.query })}>Ask this again</a>
        </Member>
      )}
      {row.words && (
        <Member name="details"><pre>{row.what === "given again" ? givenAgain(row.words) : row.words.trimEnd()}</pre></Member>
      )}
      {row.epsilon !== null && (
        <Member name="cost">
          <span class="mono">ε {row.epsilon}</span> · <span class="mono">ρ {row.rho}</span> · <span class="mono">δ {row.delta}</span>
        </Member>
      )}
      {pick && row.plan && <Member name="plan"><pre>{row.plan.trimEnd()}</pre></Member>}
      {theorems.length > 0 && (
        <Member name="rests on">
          <ul class="chips">
            {theorems.map((t) => (
              <li>
                <button type="button" class="quiet small" title="Show the rows that rest on it"
                  onClick={() => pick?.(t)}>{t}</button>
              </li>
            ))}
          </ul>
        </Member>
      )}
      <Member name="time">{row.time}</Member>
      <Member name="written by">custos {row.version}{row.data_version > 0 && `, on data version ${row.data_version}`}</Member>
      <Member name="receipt"><code class="receipt">{row.receipt}</code></Member>
    </dl>
  );
}

export function Row({ row, pick }: { row: LedgerRow; pick: (theorem: string) => void }) {
  const [open, setOpen] = useState(false);
  const line = lineOf(row);
  return (
    <li>
      <details onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>
          <span class="number soft">{row.row}</span>
          <time dateTime={row.time}>{momentWords(row.time)}</time>
          <span class={`kind kind-${row.what === "charge" ? "charge" : "act"}`}>{kindWords(row.what)}</span>
          <span class="whose">{row.who ?? ""}</span>
          <span class="line">{row.query ? <code>{line}</code> : line}</span>
          <span class="cost">{row.epsilon !== null && row.rho !== null && costShort({ epsilon: row.epsilon, rho: row.rho })}</span>
        </summary>
        {open && <RowDetails row={row} pick={pick} />}
      </details>
    </li>
  );
}
