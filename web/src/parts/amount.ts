/*
 * Amounts for people: as in the ledger, what is spent is rounded up, and what is left
 * is rounded down. An export keeps every digit.
 */
import { brief } from "./decimal";

const DIGITS = 6;
const FAR = 5; /* with this many zeros after the point, a power of ten is clearer */
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function short(amount: string, how: "up" | "down"): string {
  const [, zeros = "", digits = ""] = /^0\.(0*)([1-9]\d*)$/.exec(amount) ?? [];
  if (zeros.length < FAR) return brief(amount, DIGITS, how);
  const power = [...String(zeros.length + 1)].map((d) => SUPERSCRIPTS[Number(d)]).join("");
  return `${brief(`${digits[0]}.${digits.slice(1)}`, DIGITS, how)} × 10⁻${power}`;
}

export const spentShort = (amount: string) => short(amount, "up");
export const leftShort = (amount: string) => short(amount, "down");

interface Price { epsilon: string; rho: string }

/* A price as it was asked for: in ε, or in ρ if no ε bounds it. */
export const priceOf = ({ epsilon, rho }: Price) =>
  epsilon === "infinity" ? { sign: "ρ", amount: rho } : { sign: "ε", amount: epsilon };

export function costShort(cost: Price): string {
  const { sign, amount } = priceOf(cost);
  return `${sign} ${spentShort(amount)}`;
}
