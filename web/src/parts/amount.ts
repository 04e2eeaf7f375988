/*
 * Amounts as people read them: exact texts of the server, cut to a few digits
 * without ever passing through a floating number. What is spent is rounded up
 * and what is left down, as the ledger does; an export keeps every digit.
 */

const DIGITS = 6;
const FAR = 5; /* so many zeros after the point, and a power of ten is clearer */

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const superscript = (n: number) => [...String(n)].map((d) => SUPERSCRIPTS[Number(d)]).join("");

function short(amount: string, up: boolean): string {
  const found = /^(\d+)(?:\.(\d+))?$/.exec(amount);
  if (!found) return amount; /* a word such as "inf" */
  const whole = found[1]!, part = found[2] ?? "";
  const all = whole + part;
  const first = all.search(/[1-9]/);
  if (first < 0) return "0";
  const kept = Math.max(first + DIGITS, whole.length);
  let digits = all.slice(0, kept);
  if (up && /[1-9]/.test(all.slice(kept)))
    digits = String(BigInt(digits) + 1n).padStart(digits.length, "0");
  const point = whole.length + (digits.length - Math.min(kept, all.length));
  const zeros = digits.search(/[1-9]/) - point;
  if (zeros >= FAR) {
    const [lead, ...rest] = digits.slice(point + zeros).replace(/0+$/, "");
    return `${lead}${rest.length ? "." + rest.join("") : ""} × 10⁻${superscript(zeros + 1)}`;
  }
  const tail = digits.slice(point).replace(/0+$/, "");
  return digits.slice(0, point) + (tail ? "." + tail : "");
}

export const spentShort = (amount: string) => short(amount, true);
export const leftShort = (amount: string) => short(amount, false);
