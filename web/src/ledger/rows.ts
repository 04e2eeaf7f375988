/*
 * Loads the rows page by page, so that filters and search see all of them. A very
 * long ledger is loaded in several rounds.
 */
import { useCallback, useEffect, useState } from "preact/hooks";
import { Refused, type LedgerRow } from "../api";
import { useSession } from "../session";

const PAGE = 500;
const GO = 20_000; /* rows per round */

export interface Rows {
  rows: LedgerRow[];
  reading: boolean;
  more: boolean; /* there are rows that were not loaded yet */
  refused: Refused | null;
  readOn: () => void;
}

export function useRows(): Rows {
  const { api, trouble, back } = useSession();
  const [state, setState] = useState<Omit<Rows, "readOn">>({ rows: [], reading: true, more: true, refused: null });
  const [go, setGo] = useState(0);

  useEffect(() => {
    let wanted = true;
    const rows = [...state.rows];
    const enough = rows.length + GO;
    const read = async () => {
      setState((was) => ({ ...was, reading: true, refused: null }));
      for (;;) {
        const page = await api.ledger({ from: (rows.at(-1)?.row ?? 0) + 1, limit: PAGE });
        if (!wanted) return;
        rows.push(...page.rows);
        const reading = page.next !== null && rows.length < enough;
        setState({ rows: [...rows], reading, more: page.next !== null, refused: null });
        if (!reading) return;
      }
    };
    read().catch((e) => {
      if (!wanted) return;
      if (!(e instanceof Refused)) throw e;
      if (!trouble(e)) setState((was) => ({ ...was, reading: false, refused: e }));
    });
    return () => { wanted = false; };
  }, [api, go, back]);

  const readOn = useCallback(() => setGo((n) => n + 1), []);
  return { ...state, readOn };
}

export interface Filter { what: string; who: string; theorem: string; text: string }

export const theoremsOf = (row: LedgerRow) => (row.theorems ?? "").split(/\s+/).filter(Boolean);

export function matches(row: LedgerRow, f: Filter): boolean {
  if (f.what && row.what !== f.what) return false;
  if (f.who && row.who !== f.who) return false;
  if (f.theorem && !theoremsOf(row).includes(f.theorem)) return false;
  if (!f.text) return true;
  const wanted = f.text.toLowerCase();
  return [row.query, row.plan, row.words, row.who, row.receipt, row.theorems]
    .some((text) => text?.toLowerCase().includes(wanted));
}

/* The options of a filter, in alphabetical order. */
export function choices(rows: LedgerRow[], of: (row: LedgerRow) => (string | null)[]): string[] {
  return [...new Set(rows.flatMap(of))].filter((v): v is string => v !== null).sort();
}

const MEMBERS = ["row", "time", "what", "who", "query", "plan", "theorems", "words",
  "epsilon", "rho", "delta", "delta_rho", "data_version", "version", "receipt"] as const;

export function tableOf(rows: LedgerRow[]): string[][] {
  return [[...MEMBERS], ...rows.map((row) => MEMBERS.map((m) => String(row[m] ?? "")))];
}
