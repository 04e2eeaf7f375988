/*
 * If a proof turns out to be wrong: lists the answers that rest on it and who
 * received them, and saves them as a file.
 */
import { useState } from "preact/hooks";
import type { LedgerRow } from "../api";
import { Row } from "../ledger/row";
import { tableOf } from "../ledger/rows";
import { saveText } from "../parts/chart/save";
import { csvText } from "../parts/csv";
import { Notice, Waiting } from "../parts/notice";
import { useSession } from "../session";
import { useAct } from "./act";

const PAGE = 500;

interface Found { theorem: string; rows: LedgerRow[] }

function Affected({ of, pick }: { of: Found; pick: (theorem: string) => void }) {
  const people = [...new Set(of.rows.map((r) => r.who ?? "the owner"))];
  if (!of.rows.length) return <p role="status">No answer rests on <code>{of.theorem}</code>.</p>;
  return (
    <>
      <div class="row between">
        <p role="status">
          <strong>{of.rows.length} answer{of.rows.length === 1 ? "" : "s"}</strong> rest{of.rows.length === 1 ? "s" : ""} on <code>{of.theorem}</code>,
          given to {people.join(", ")}.
        </p>
        <div class="row">
          <button type="button" class="quiet small" aria-label="Save the affected answers as CSV"
            onClick={() => saveText(csvText(tableOf(of.rows)), "text/csv", `recall-${of.theorem}.csv`)}>CSV</button>
          <button type="button" class="quiet small" aria-label="Save the affected answers as JSON"
            onClick={() => saveText(JSON.stringify(of, null, 1) + "\n", "application/json", `recall-${of.theorem}.json`)}>JSON</button>
        </div>
      </div>
      <ol class="rows">{of.rows.map((row) => <Row key={row.row} row={row} pick={pick} />)}</ol>
    </>
  );
}

export function Recall() {
  const { api } = useSession();
  const [wanted, setWanted] = useState("");
  const [found, setFound] = useState<Found | null>(null);
  const { busy, refused, run } = useAct();

  const recall = (theorem: string) => run(async () => {
    setFound(null);
    const rows: LedgerRow[] = [];
    for (let from: number | null = 1; from !== null;) {
      const page = await api.ledger({ from, limit: PAGE, theorem });
      rows.push(...page.rows.filter((r) => r.what === "charge"));
      from = page.next;
    }
    setFound({ theorem, rows });
  });

  return (
    <section class="card ledger" aria-labelledby="recall-title">
      <h2 id="recall-title">Recall</h2>
      <p class="soft">
        Every answer names the theorems that its privacy rests on. If one turns out to be wrong, find
        the affected answers here.
      </p>
      <form class="row" onSubmit={(e) => { e.preventDefault(); void recall(wanted.trim()); }}>
        <label for="theorem">Theorem</label>
        <input id="theorem" class="mono" value={wanted} placeholder="laplace-discrete" required spellcheck={false}
          autocapitalize="off" onInput={(e) => setWanted(e.currentTarget.value)} />
        <button type="submit" disabled={busy || !wanted.trim()}>Find the answers</button>
      </form>
      {refused && <Notice of={refused} />}
      {busy && <Waiting />}
      {found && <Affected of={found} pick={(t) => { setWanted(t); void recall(t); }} />}
    </section>
  );
}
