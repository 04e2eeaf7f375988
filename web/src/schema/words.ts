/*
 * The policy in plain words: the type and values of a column, whom a table protects,
 * and how many rows of one person count.
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
  if (exact) return "any value";
  if (c.unit) return "says whose row it is: you can count it and join on it, but never see it";
  if (c.range) return `${c.range.low} to ${c.range.high}`;
  if (c.type === "boolean") return "true or false";
  if (isNumber(c)) return "no range: for a sum or mean set one in the query, such as least(greatest(x, 0), 100)";
  if (isMoment(c)) return "no range: can be compared and grouped by";
  return "any text: GROUP BY shows only values that many people share";
}

const times = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;

/* A sentence that says how many rows of one unit count. */
function boundWords(t: Table): string {
  const unit = t.unit!;
  if (unit.rows_per_unit === null)
    return "Every question spends a quarter of its price on choosing, privately, how many rows of each person count.";
  const groups = unit.groups_per_unit !== null && unit.groups_per_unit < unit.rows_per_unit
    ? `, in at most ${times(unit.groups_per_unit, "group")}` : "";
  const each = unit.rows_per_unit_and_group !== null && unit.rows_per_unit_and_group < unit.rows_per_unit
    ? `, at most ${unit.rows_per_unit_and_group} in each group` : "";
  return `At most ${times(unit.rows_per_unit, "row")} of each person count${unit.rows_per_unit === 1 ? "s" : ""} in an answer${groups}${each}.`;
}

export interface Protection { who: string; how: string }

export function protectionOf(t: Table): Protection {
  if (t.released)
    return { who: "Its people were protected when it was released.", how: "Answers follow from noisy values: they have error bars, and are free." };
  if (t.public)
    return { who: "Nobody is protected here.", how: "The table is public: answers are exact, and free." };
  if (t.unit!.row)
    return {
      who: "Each single row is protected.",
      how: "The policy names no column that says whose row it is, so somebody with several rows has less protection.",
    };
  const called = t.unit!.column;
  return {
    who: called ? `Each ${called} is protected: the person it stands for, with all their rows in all tables.`
      : "Each person is protected, with all their rows in all tables.",
    how: boundWords(t),
  };
}

export function adjacencyWords(schema: Schema): string {
  return schema.adjacency === "add-remove"
    ? "whether any one person (or row) is in the data has little effect on any answer"
    : "what the data say about any one person (or row) has little effect on any answer";
}

/* Does the column have the searched text in its name, its comment or its values? */
export function matches(c: SchemaColumn, wanted: string): boolean {
  return [c.name, c.comment ?? "", ...(c.values ?? [])].some((t) => t.toLowerCase().includes(wanted));
}
