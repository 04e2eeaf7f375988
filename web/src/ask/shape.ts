/*
 * How an answer can be drawn. Text keys give bars; numbers and times as keys give a
 * line with an error band. Values that grow along thresholds give steps (a CDF). A
 * single row is shown as numbers. Values become floating point only for drawing.
 */
import type { Answer, Column, Kind } from "../api";

export type Look = "numbers" | "bars" | "line" | "steps" | "sums";

export interface Mark {
  name: string;      /* its keys, in words */
  series: string;    /* which of several lines it belongs to */
  x: number;         /* its key as a number or time; the row's index if the key is a text */
  value: number; low?: number; high?: number;
}
export interface Shape {
  looks: Look[];         /* those that fit, the best first */
  keys: number[];        /* column indices */
  measures: number[];
  axis: "number" | "time" | "names";
  ordered: number | null; /* the key along the axis */
  series: number | null;  /* the key that gives each line */
}

const NUMBERS: readonly Kind[] = ["integer", "decimal", "real"];
const TIMES: readonly Kind[] = ["date", "timestamp"];
export const MOST_BARS = 60;
const MOST_LINES = 6;
const isNumber = (c: Column) => NUMBERS.includes(c.type);
const isTime = (c: Column) => TIMES.includes(c.type);

export function numberOf(kind: Kind, text: unknown): number {
  if (typeof text !== "string") return NaN;
  if (!TIMES.includes(kind)) return Number(text);
  const time = text.replace(" ", "T");
  return Date.parse(time.length > 10 ? time + "Z" : time);
}

/* Do values grow with the key, as far as their error bars allow? */
function grows(answer: Answer, measure: number): boolean {
  const cells = answer.rows.map((r) => r[measure]!);
  const first = Number(cells[0]?.low ?? cells[0]?.value), last = Number(cells.at(-1)?.high ?? cells.at(-1)?.value);
  return last > first && cells.every((c, i) =>
    i === 0 || Number(c.high ?? c.value) >= Number(cells[i - 1]!.low ?? cells[i - 1]!.value));
}

/* Finds a join condition such as `x <= t.cut`, which compares with thresholds. */
const THRESHOLDS = /\bon\b[^;]*?[\w.")]\s*(<=|<|>=|>)\s*[\w.("]/i;

/* A key that is a number or time becomes the axis; a second key separates the lines. */
function placed({ columns, rows }: Answer, keys: number[]): Pick<Shape, "axis" | "ordered" | "series"> {
  const kinds = (k: number) => new Set(rows.map((r) => r[k]!.value)).size;
  const ordered = keys.filter((k) => isNumber(columns[k]!) || isTime(columns[k]!))
    .sort((a, b) => kinds(b) - kinds(a))[0];
  const other = keys.find((k) => k !== ordered) ?? null;
  if (ordered === undefined || keys.length > 2 || (other !== null && kinds(other) > MOST_LINES) || kinds(ordered) < 2)
    return { axis: "names", ordered: null, series: null };
  return { axis: isTime(columns[ordered]!) ? "time" : "number", ordered, series: other };
}

export function shapeOf(answer: Answer, sql: string): Shape {
  const { columns, rows } = answer;
  const at = (good: (c: Column) => boolean) => columns.flatMap((c, i) => (good(c) ? [i] : []));
  let keys = at((c) => c.key);
  if (!keys.length && rows.length > 1) keys = at((c) => !isNumber(c)).slice(0, 1);
  if (!keys.length && rows.length > 1) keys = [0];
  const measures = at((c) => isNumber(c)).filter((i) => !keys.includes(i));
  const shape = { keys, measures, ...placed(answer, keys) };

  if (!rows.length || !measures.length) return { ...shape, looks: [] };
  if (rows.length === 1) return { ...shape, looks: ["numbers"] };
  if (shape.axis === "names") return { ...shape, looks: ["bars"] };
  const lone = shape.series === null;
  const steps = lone && THRESHOLDS.test(sql) && grows(answer, measures[0]!);
  const looks: Look[] = steps ? ["steps", "line"] : ["line", "sums"];
  return { ...shape, looks: rows.length <= MOST_BARS ? [...looks, "bars"] : looks };
}

export function textOf(value: unknown): string {
  return value === null || value === undefined ? "NULL" : String(value);
}

/* Rows whose key or value cannot be drawn (NULL) appear only in the table. */
export function marksOf(answer: Answer, shape: Shape, measure: number): Mark[] {
  const key = shape.ordered;
  return answer.rows.flatMap((row, i) => {
    const cell = row[measure]!;
    const mark: Mark = {
      name: shape.keys.map((k) => textOf(row[k]!.value)).join(" · "),
      series: shape.series === null ? "" : textOf(row[shape.series]!.value),
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
