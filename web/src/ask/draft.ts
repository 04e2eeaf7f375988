/*
 * The draft: the text and its price. The tab keeps the text for each user name, so
 * that it survives a reload or an expired token, and users who log in later under
 * another name do not see it. The price is not kept: it is set for one question and
 * must not apply to another.
 */
import { useEffect, useState } from "preact/hooks";
import type { Me, Question } from "../api";

export interface Draft {
  sql: string;
  by: "epsilon" | "within";
  epsilon: string; /* empty: the policy's default */
  within: string;
}

/* The policy's default price. */
export const NO_PRICE = { by: "epsilon", epsilon: "", within: "" } as const;
const EMPTY: Draft = { sql: "", ...NO_PRICE };
const keyOf = (me: Me) => `custos-draft:${me.owner ? "owner" : `as ${me.name}`}`;

function read(me: Me): Draft | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(me)) ?? "null");
    return kept && { ...EMPTY, sql: String(kept.sql ?? "") };
  } catch {
    return null;
  }
}

/* The draft, a function that changes it, and whether the tab had no draft. */
export function useDraft(me: Me) {
  const [kept] = useState(() => read(me));
  const [draft, setDraft] = useState<Draft>(kept ?? EMPTY);
  useEffect(() => {
    if (draft !== EMPTY) sessionStorage.setItem(keyOf(me), JSON.stringify({ sql: draft.sql }));
  }, [draft, me]);
  const change = (part: Partial<Draft>) => setDraft((d) => ({ ...d, ...part }));
  return { draft, change, fresh: !kept };
}

/* Does the text ask for a plan, as the server reads it? */
export function asksForPlan(sql: string): boolean {
  return /^[ \t\r\n]*explain[ \t\r\n]/i.test(sql);
}

/* Does the text set its own price? Then no other price is sent with it. */
export function namesPrice(sql: string): boolean {
  return /\boptions\s*\([^)]*\b(epsilon|rho)\s*=/i.test(sql);
}

export function questionOf(d: Draft): Question | null {
  if (!d.sql.trim()) return null;
  if (namesPrice(d.sql)) return { sql: d.sql };
  const amount = d[d.by].trim();
  return amount ? { sql: d.sql, [d.by]: amount } : { sql: d.sql };
}
