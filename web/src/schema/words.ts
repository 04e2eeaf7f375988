/*
 * The policy in plain words: what kind of thing a column holds, what may stand
 * in it, who is protected by a table and how much of one of them counts.
 */
import type { Schema, SchemaColumn, Table } from "../api";

export function typeWords(c: SchemaColumn): string {
  switch (c.type) {
    case "integer": return "whole number";
    case "decimal": return c.scale ? `number, ${c.scale} decimal${c.scale === 1 ? "" : "s"}` : "whole number";
    case "real": return "number";
    case "boolean": return "true or false";
    case "timestamp": return "date and time";
    case "null": return "nothing";
    default: return c.type;
  }
}

const isNumber = (c: SchemaColumn) => ["integer", "decimal", "real"].includes(c.type);
const isMoment = (c: SchemaColumn) => ["date", "timestamp"].includes(c.type);

/* What a question can do with a column that has no list of values. */
export function domainWords(c: SchemaColumn, exact: boolean): string {
  if (exact) return "anything";
  if (c.unit) return "tells whose row it is: can be counted and joined by, never shown";
  if (c.range) return `${c.range.low} to ${c.range.high}`;
  if (c.type === "boolean") return "true or false";
  if (isNumber(c)) return "no range: a sum or mean needs one in the question, such as least(greatest(x, 0), 100)";
  if (isMoment(c)) return "no range: can be compared and grouped by";
  return "any text: as a group only what many have in common is shown";
}

const times = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;

/* How much of one unit counts: a sentence. */
function boundWords(t: Table): string {
  const unit = t.unit!;
  if (unit.rows_per_unit === null)
    return "How many rows of each count is chosen anew by every question, privately, for a quarter of its price.";
  const groups = unit.groups_per_unit !== null && unit.groups_per_unit < unit.rows_per_unit
    ? `, in at most ${times(unit.groups_per_unit, "group")}` : "";
  return `At most ${times(unit.rows_per_unit, "row")} of each count${unit.rows_per_unit === 1 ? "s" : ""} in an answer${groups}.`;
}

export interface Protection { who: string; how: string }

export function protectionOf(t: Table): Protection {
  if (t.public)
    return { who: "Nobody is protected here.", how: "The table is public: answers are exact, and free." };
  if (t.unit!.row)
    return {
      who: "Each single row is protected.",
      how: "Somebody who has several rows is protected less with each: the policy names no column that tells whose row it is.",
    };
  const called = t.unit!.column;
  return {
    who: called ? `Each ${called} is protected: whoever it stands for, with all their rows in all tables.`
      : "Each person is protected, with all their rows in all tables.",
    how: boundWords(t),
  };
}

export function adjacencyWords(schema: Schema): string {
  return schema.adjacency === "add-remove"
    ? "whether any one of those protected is in the data or not has little effect on any answer"
    : "what the data say of any one of those protected has little effect on any answer";
}

/* Does it have what is looked for, in its name, its comment or its values? */
export function matches(c: SchemaColumn, wanted: string): boolean {
  return [c.name, c.comment ?? "", ...(c.values ?? [])].some((t) => t.toLowerCase().includes(wanted));
}
