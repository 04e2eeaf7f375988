/* Which row a receipt belongs to, and whether the ledger still has it. */
import { useState } from "preact/hooks";
import { Refused, type LedgerRow } from "../api";
import { Notice } from "../parts/notice";
import { useSession } from "../session";
import { RowDetails } from "./row";

const RECEIPT = /^(\d{1,15}):([0-9a-f]{64})$/;

type Found =
  | { kind: "none" }
  | { kind: "row"; row: LedgerRow }
  | { kind: "said"; said: string }
  | { kind: "refused"; refused: Refused };

export function ReceiptSearch() {
  const { api, me, trouble } = useSession();
  const [text, setText] = useState("");
  const [found, setFound] = useState<Found>({ kind: "none" });

  const look = async (e: Event) => {
    e.preventDefault();
    const given = RECEIPT.exec(text.trim().toLowerCase());
    if (!given) {
      setFound({ kind: "said", said: "A receipt is a row number, a colon and 64 hexadecimal digits, as shown with an answer." });
      return;
    }
    const number = Number(given[1]);
    try {
      const [row] = (await api.ledger({ from: number, limit: 1 })).rows;
      if (row?.row !== number)
        setFound({ kind: "said", said: me.owner ? `The ledger has no row ${number}.` : `Row ${number} is not one of yours.` });
      else if (row.receipt !== given[0])
        setFound({ kind: "said", said: `Row ${number} has a different hash: the receipt belongs to another ledger, or this ledger was changed.` });
      else setFound({ kind: "row", row });
    } catch (e) {
      if (!(e instanceof Refused)) throw e;
      setFound(trouble(e) ? { kind: "none" } : { kind: "refused", refused: e });
    }
  };

  return (
    <section class="card" aria-labelledby="receipt-title">
      <h2 id="receipt-title">Look up a receipt</h2>
      <p class="soft">Every private answer comes with one. Look up what it was for, and whether the ledger still has it.</p>
      <form class="row" onSubmit={(e) => void look(e)}>
        <label class="unseen" for="receipt">Receipt</label>
        <input id="receipt" class="mono grow" value={text} placeholder="12:6bb7c4…" spellcheck={false} autocomplete="off"
          onInput={(e) => setText(e.currentTarget.value)} />
        <button type="submit" class="quiet" disabled={!text.trim()}>Look up</button>
      </form>
      <div aria-live="polite">
        {found.kind === "said" && <p class="news bad">{found.said}</p>}
        {found.kind === "refused" && <Notice of={found.refused} />}
        {found.kind === "row" && (
          <div class="news good">
            <p><strong>Row {found.row.row} has this receipt.</strong></p>
            <RowDetails row={found.row} />
          </div>
        )}
      </div>
    </section>
  );
}
