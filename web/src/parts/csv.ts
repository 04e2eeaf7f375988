/*
 * CSV as in RFC 4180, for people and their spreadsheets: a text that a spreadsheet
 * would run as a formula gets an apostrophe in front. Such texts can come from the data
 * or from a query. JSON has them unchanged.
 */

const NUMBER = /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i;

export const harmless = (field: string) =>
  /^[=+\-@\t\r\n]/.test(field) && !NUMBER.test(field) ? `'${field}` : field;

const quoted = (field: string) =>
  /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;

export function csvText(lines: string[][]): string {
  return lines.map((line) => line.map((f) => quoted(harmless(f))).join(",") + "\r\n").join("");
}
