/* Answers as files and for the clipboard. Numbers keep every digit that the server
   sent; only JSON keeps every text unchanged. */
import { priceOf } from "../parts/amount";
import { csvText, harmless } from "../parts/csv";
import type { Asked } from "./desk";

/* Which columns have an error bar in any row: these get _low and _high columns, as in
   the server's own CSV. */
function barred({ answer }: Asked): boolean[] {
  return answer.columns.map((_, j) => answer.rows.some((row) => row[j]!.low !== undefined));
}

const plain = (value: unknown) => (value === null || value === undefined ? "" : String(value));

function lines(asked: Asked): string[][] {
  const bars = barred(asked);
  const { columns, rows } = asked.answer;
  return [
    columns.flatMap((c, j) => (bars[j] ? [c.name, `${c.name}_low`, `${c.name}_high`] : [c.name])),
    ...rows.map((row) => row.flatMap((cell, j) =>
      (bars[j] ? [cell.value, cell.low, cell.high] : [cell.value]).map(plain))),
  ];
}

export const csvOf = (asked: Asked) => csvText(lines(asked));

/* For a spreadsheet: tabs separate the fields, so tabs inside a field become spaces. */
export function tabbedOf(asked: Asked): string {
  return lines(asked).map((line) => line.map((f) => harmless(f).replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}

export function jsonOf({ question, answer }: Asked): string {
  return JSON.stringify({ question, answer }, null, 1) + "\n";
}

/* A single row in words, because its picture shows only the error bars. */
function told({ columns, rows }: Asked["answer"]): string[] {
  if (rows.length !== 1) return [];
  return rows[0]!.map((cell, j) => `${columns[j]!.name}: ${plain(cell.value)}` +
    (cell.low === undefined ? "" : `, between ${plain(cell.low)} and ${plain(cell.high)}`));
}

/* The caption below a picture. */
export function captionOf({ question, answer }: Asked): string[] {
  const { sign, amount } = priceOf(answer.cost);
  return [
    ...told(answer),
    question.sql,
    answer.kind === "plan" ? "A plan: nothing was charged." : answer.kind === "public" ? "Public data: exact."
      : answer.kind === "released" ? "Of noisy values that were released earlier. 95 % error bars."
      : `Differentially private: ${sign} ${amount}. 95 % error bars.` +
        (answer.receipt ? ` Receipt ${answer.receipt.slice(0, 16)}…` : ""),
  ];
}
