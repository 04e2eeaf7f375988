/* Lines of fields as RFC 4180 has them. */

const quoted = (field: string) =>
  /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;

export function csvText(lines: string[][]): string {
  return lines.map((line) => line.map(quoted).join(",") + "\r\n").join("");
}
