/* Every charge and every act of the owner, as the ledger has it. */
import { useMemo, useState } from "preact/hooks";
import { ReceiptSearch } from "../ledger/receipt";
import { kindWords, Row } from "../ledger/row";
import { choices, matches, tableOf, theoremsOf, useRows, type Filter } from "../ledger/rows";
import { Verify } from "../ledger/verify";
import { saveText } from "../parts/chart/save";
import { csvText } from "../parts/csv";
import { Notice, Waiting } from "../parts/notice";
import { usePlace } from "../route";
import { useSession } from "../session";
import "./ledger.css";

const SHOWN = 50; /* rows shown at first, and added by each click on "more" */
const EMPTY: Filter = { what: "", who: "", theorem: "", text: "" };

function Choice({ label, value, values, words = (v) => v, set }: {
  label: string; value: string; values: string[]; words?: (v: string) => string; set: (v: string) => void;
}) {
  const all = value && !values.includes(value) ? [value, ...values] : values;
  return (
    <label class="plain">{label}{" "}
      <select value={value} onChange={(e) => set(e.currentTarget.value)}>
        <option value="">all</option>
        {all.map((v) => <option value={v}>{words(v)}</option>)}
      </select>
    </label>
  );
}

export function LedgerPage() {
  const { me } = useSession();
  const { args } = usePlace();
  const { rows, reading, more, refused, readOn } = useRows();
  const [filter, setFilter] = useState<Filter>(() => ({
    what: args.get("what") ?? "", who: args.get("who") ?? "",
    theorem: args.get("theorem") ?? "", text: args.get("text") ?? "",
  }));
  const [shown, setShown] = useState(SHOWN);
  const found = useMemo(() => rows.filter((r) => matches(r, filter)).reverse(), [rows, filter]);
  const set = (part: Partial<Filter>) => { setFilter({ ...filter, ...part }); setShown(SHOWN); };
  const kinds = useMemo(() => choices(rows, (r) => [r.what]), [rows]);
  const people = useMemo(() => choices(rows, (r) => [r.who]), [rows]);
  const theorems = useMemo(() => choices(rows, theoremsOf), [rows]);
  const filtered = Object.values(filter).some(Boolean);

  return (
    <div class="ledger">
      <h1>Ledger</h1>
      <p class="lead">
        {me.owner ? "Every charge, written before any data was read, and every act of the owner"
          : "All your charges, each written before any data was read"}. No row is ever changed. Open one
        to see what was asked, how it was answered, and which proofs its privacy rests on.
      </p>
      <div class="grid">
        <Verify rows={rows} />
        <ReceiptSearch />
      </div>

      <section class="card" aria-labelledby="rows-title">
        <h2 id="rows-title">Rows</h2>
        <div class="row filters" role="search">
          <label class="unseen" for="search">Search</label>
          <input id="search" type="search" class="grow" placeholder="Search queries, plans, receipts …"
            value={filter.text} onInput={(e) => set({ text: e.currentTarget.value })} />
          {kinds.length > 1 && <Choice label="Kind" value={filter.what} values={kinds} words={kindWords} set={(what) => set({ what })} />}
          {me.owner && <Choice label="Who" value={filter.who} values={people} set={(who) => set({ who })} />}
          <Choice label="Rests on" value={filter.theorem} values={theorems} set={(theorem) => set({ theorem })} />
          {filtered && <button type="button" class="quiet small" onClick={() => set(EMPTY)}>Clear</button>}
        </div>
        {refused && <Notice of={refused}><button type="button" class="quiet" onClick={readOn}>Try again</button></Notice>}
        <div class="row between">
          <p class="soft" role="status">
            {reading ? `Loading: ${rows.length} rows so far …`
              : `${found.length} ${found.length === 1 ? "row" : "rows"}${filtered ? ` of ${rows.length}` : ""}, newest first.`}
          </p>
          <div class="row">
            {!reading && <button type="button" class="quiet small" onClick={readOn}>{more ? "Load more" : "Check for new rows"}</button>}
            <button type="button" class="quiet small" disabled={!found.length} aria-label="Save these rows as CSV"
              onClick={() => saveText(csvText(tableOf(found)), "text/csv", "ledger.csv")}>CSV</button>
            <button type="button" class="quiet small" disabled={!found.length} aria-label="Save these rows as JSON"
              onClick={() => saveText(JSON.stringify({ rows: found }, null, 1) + "\n", "application/json", "ledger.json")}>JSON</button>
          </div>
        </div>
        {rows.length === 0 && reading ? <Waiting /> : found.length === 0 ? (
          <p class="soft">{filtered ? "No matching rows." : "You have not asked anything yet."}</p>
        ) : (
          <ol class="rows">
            {found.slice(0, shown).map((row) => (
              <Row key={row.row} row={row} pick={(theorem) => set({ ...EMPTY, theorem })} />
            ))}
          </ol>
        )}
        {found.length > shown && (
          <button type="button" class="quiet" onClick={() => setShown(shown + SHOWN)}>
            Show {Math.min(SHOWN, found.length - shown)} more
          </button>
        )}
      </section>
    </div>
  );
}
