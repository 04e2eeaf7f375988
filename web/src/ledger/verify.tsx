/*
 * Is the chain intact? For the owner, the page hashes every row again itself if the
 * browser allows it. An analyst sees only their own rows: for them the page relies on
 * the server, and checks that the ledger has the receipts of the answers in this tab.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { Refused, type LedgerRow, type Verified } from "../api";
import { useDesk } from "../ask/desk";
import { Notice } from "../parts/notice";
import { useSession } from "../session";
import { canHash, rehash } from "./chain";

interface Outcome { ok: boolean; said: string[]; head: string | null }

type Check =
  | { kind: "none" }
  | { kind: "running"; rows: number; of: number | null }
  | { kind: "done"; outcome: Outcome }
  | { kind: "refused"; refused: Refused };

function receiptsOf(given: string[], rows: LedgerRow[]): { ok: boolean; said: string } {
  const known = new Set(rows.map((r) => r.receipt));
  const strange = given.filter((r) => !known.has(r));
  return strange.length
    ? { ok: false, said: `The ledger does not have these receipts of answers in this tab: ${strange.join(", ")}.` }
    : { ok: true, said: given.length === 1 ? "The receipt of the answer in this tab is in the ledger."
      : `All ${given.length} receipts of the answers in this tab are in the ledger.` };
}

export function Verify({ rows }: { rows: LedgerRow[] }) {
  const { api, me, trouble } = useSession();
  const desk = useDesk();
  const [check, setCheck] = useState<Check>({ kind: "none" });
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const inPage = async (server: Verified, signal: AbortSignal): Promise<Outcome> => {
    const own = await rehash(api, (n) => setCheck({ kind: "running", rows: n, of: server.rows }), signal);
    const said = [own.said];
    const behind = own.ok && server.rows !== null && own.rows < server.rows;
    if (behind) said.push(`The server counts ${server.rows} rows, but sent only ${own.rows}.`);
    const ok = own.ok && !behind;
    return { ok, said, head: ok ? own.head : null };
  };

  const run = async () => {
    const { signal } = (stop.current = new AbortController());
    setCheck({ kind: "running", rows: 0, of: null });
    try {
      const server = await api.verify();
      let outcome: Outcome = { ok: server.ok, said: [server.said], head: server.head };
      if (server.ok && me.owner && canHash()) outcome = await inPage(server, signal);
      else if (me.owner && !canHash())
        outcome.said.push("Browsers compute hashes only on pages loaded over TLS or from this machine, so this is the server's own statement.");
      const given = [...new Set(desk.answers.flatMap((a) => a.answer.receipt ?? []))];
      if (server.ok && !me.owner && given.length) {
        const pages = await Promise.all(given.map((r) => api.ledger({ from: parseInt(r), limit: 1 })));
        const fit = receiptsOf(given, pages.flatMap((page) => page.rows));
        outcome = { ...outcome, ok: outcome.ok && fit.ok, said: [...outcome.said, fit.said] };
      }
      if (!signal.aborted) setCheck({ kind: "done", outcome });
    } catch (e) {
      if (signal.aborted) return;
      if (!(e instanceof Refused)) throw e;
      setCheck(trouble(e) ? { kind: "none" } : { kind: "refused", refused: e });
    }
  };

  return (
    <section class="card" aria-labelledby="verify">
      <h2 id="verify">Is the ledger intact?</h2>
      <p class="soft">
        Every row carries a SHA-256 hash of itself and of the row before it. A row that is changed,
        removed or inserted breaks the chain for the rows after it.
      </p>
      <p class="row">
        <button type="button" disabled={check.kind === "running"} onClick={() => void run()}>
          {me.owner ? "Hash every row again" : "Verify the chain"}
        </button>
        {check.kind === "running" && (
          <label class="plain">{check.rows ? `${check.rows} rows` : "The server is verifying …"}{" "}
            <progress max={check.of ?? 1} value={check.of ? check.rows : undefined} /></label>
        )}
      </p>
      <div aria-live="polite">
        {check.kind === "done" && (
          <div class={check.outcome.ok ? "news good" : "news bad"}>
            <p><strong>{check.outcome.ok ? "The chain is intact." : "The chain is broken."}</strong></p>
            {check.outcome.said.map((s) => <p>{s}</p>)}
            {check.outcome.head && (
              <p>Keep this receipt somewhere else; it vouches for all rows up to this one: <code class="receipt">{check.outcome.head}</code></p>
            )}
          </div>
        )}
        {check.kind === "refused" && <Notice of={check.refused} />}
        {check.kind === "none" && rows.length === 0 && <p class="soft">The ledger is empty.</p>}
      </div>
    </section>
  );
}
