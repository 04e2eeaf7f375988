/*
 * Lines of fields as RFC 4180 has them, for people and their spreadsheets: a text
 * that a spreadsheet would run as a formula has an apostrophe before it. Texts are
 * those of the data, and of whoever asks; JSON has them as they are.
 */

const NUMBER = /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i;

export const harmless = (field: string) =>
  /^[=+\-@\t\r\n]/.test(field) && !NUMBER.test(field) ? `'${field}` : field;

const quoted = (field: string) =>
  /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;

export function csvText(lines: string[][]): string {
  return lines.map((line) => line.map((f) => quoted(harmless(f))).join(",") + "\r\n").join("");
}
