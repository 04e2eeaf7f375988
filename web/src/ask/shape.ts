/*
 * What an answer can be drawn as. Text keys make bars, ordered ones a line with
 * its band; thresholds that only grow make steps (a CDF); a lone row is told as
 * numbers. For drawing, values become floating point; nothing else does.
 */
import type { Answer, Column, Kind } from "../api";

export type Look = "numbers" | "bars" | "line" | "steps" | "sums";

export interface Mark {
  name: string;      /* its keys, in words */
  x: number;         /* its key as a number or time; its place where it is a text */
  value: number; low?: number; high?: number;
}
export interface Shape {
  looks: Look[];         /* that fit, the best first */
  keys: number[];        /* columns */
  measures: number[];
  axis: "number" | "time" | "names";
}

const NUMBERS: readonly Kind[] = ["integer", "decimal", "real"];
const TIMES: readonly Kind[] = ["date", "timestamp"];
const MOST_BARS = 60;
const isNumber = (c: Column) => NUMBERS.includes(c.type);
const isTime = (c: Column) => TIMES.includes(c.type);

export function numberOf(kind: Kind, text: unknown): number {
  if (typeof text !== "string") return NaN;
  if (!TIMES.includes(kind)) return Number(text);
  const time = text.replace(" ", "T");
  return Date.parse(time.length > 10 ? time + "Z" : time);
}

/* Do values grow with the key, as far as their error lets one see? */
function grows(answer: Answer, measure: number): boolean {
  const cells = answer.rows.map((r) => r[measure]!);
  const first = Number(cells[0]?.low ?? cells[0]?.value), last = Number(cells.at(-1)?.high ?? cells.at(-1)?.value);
  return last > first && cells.every((c, i) =>
    i === 0 || Number(c.high ?? c.value) >= Number(cells[i - 1]!.low ?? cells[i - 1]!.value));
}

/* A condition such as `x <= t.cut` of a join compares with thresholds. */
const THRESHOLDS = /\bon\b[^;]*?[\w.")]\s*(<=|<|>=|>)\s*[\w.("]/i;

export function shapeOf(answer: Answer, sql: string): Shape {
  const { columns, rows } = answer;
  const at = (good: (c: Column) => boolean) => columns.flatMap((c, i) => (good(c) ? [i] : []));
  let keys = at((c) => c.key);
  if (!keys.length && rows.length > 1) keys = at((c) => !isNumber(c)).slice(0, 1);
  if (!keys.length && rows.length > 1) keys = [0];
  const measures = at((c) => isNumber(c)).filter((i) => !keys.includes(i));
  const only = keys.length === 1 ? columns[keys[0]!]! : null;
  const axis = only && isTime(only) ? "time" : only && isNumber(only) ? "number" : "names";

  if (!rows.length || !measures.length) return { looks: [], keys, measures, axis };
  if (rows.length === 1) return { looks: ["numbers"], keys, measures, axis };
  const bars: Look[] = rows.length <= MOST_BARS ? ["bars"] : [];
  if (axis === "names") return { looks: bars, keys, measures, axis };
  const steps: Look[] = THRESHOLDS.test(sql) && grows(answer, measures[0]!) ? ["steps"] : [];
  return { looks: [...steps, "line", ...bars, ...(steps.length ? [] : ["sums" as const])], keys, measures, axis };
}

export function textOf(value: unknown): string {
  return value === null || value === undefined ? "NULL" : String(value);
}

/* Rows whose key or value cannot be placed (NULL) are left to the table. */
export function marksOf(answer: Answer, shape: Shape, measure: number): Mark[] {
  const key = shape.axis === "names" ? null : shape.keys[0]!;
  return answer.rows.flatMap((row, i) => {
    const cell = row[measure]!;
    const mark: Mark = {
      name: shape.keys.map((k) => textOf(row[k]!.value)).join(" · "),
      x: key === null ? i : numberOf(answer.columns[key]!.type, row[key]!.value),
      value: Number(cell.value ?? NaN),
    };
    if (!Number.isFinite(mark.x) || !Number.isFinite(mark.value)) return [];
    if (cell.low != null && cell.high != null) {
      mark.low = Number(cell.low);
      mark.high = Number(cell.high);
    }
    return [mark];
  });
}
