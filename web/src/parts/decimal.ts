/*
 * Exact decimals, for display. Values are texts of any length and never become binary
 * floating point before they are shown.
 */

interface Decimal { units: bigint; scale: number } /* units / 10^scale */

const TEXT = /^([+-]?)(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
const LARGEST = 400; /* numbers with a larger exponent are shown as they are */

function read(text: string): Decimal | null {
  const m = TEXT.exec(text);
  const power = Number(m?.[4] ?? 0);
  if (!m || Math.abs(power) > LARGEST) return null;
  const part = m[3] ?? "";
  let units = BigInt((m[1] === "-" ? "-" : "") + m[2] + part);
  let scale = part.length - power;
  if (scale < 0) { units *= 10n ** BigInt(-scale); scale = 0; }
  return { units, scale };
}

const rescale = (d: Decimal, scale: number) => d.units * 10n ** BigInt(scale - d.scale);
const absolute = (n: bigint) => (n < 0n ? -n : n);

type Rounding = "near" | "up" | "down";

/* Writes `places` digits after the point; "up" rounds away from zero, so that an error bar never
   shrinks. */
function written({ units, scale }: Decimal, places: number, how: Rounding): string {
  let n = absolute(units);
  if (places < scale) {
    const step = 10n ** BigInt(scale - places);
    n = (n + (how === "near" ? step / 2n : how === "up" ? step - 1n : 0n)) / step;
  } else {
    n *= 10n ** BigInt(places - scale);
  }
  const digits = n.toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places).replace(/\B(?=(\d{3})+$)/g, ",");
  return (units < 0n && n > 0n ? "−" : "") + whole + (places ? "." + digits.slice(-places) : "");
}

/* The number with thousands separated and all digits kept. */
export function grouped(text: string): string {
  const d = read(text);
  return d ? written(d, d.scale, "near") : text;
}

/* Rounds to `digits` significant digits, but keeps all digits before the point; for
   sentences and labels. */
export function brief(text: string, digits = 3, how: Rounding = "near"): string {
  const d = read(text);
  if (!d) return text;
  const lead = absolute(d.units).toString().length - d.scale;
  const places = Math.min(d.scale, Math.max(0, digits - lead));
  return written(d, places, how).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

export interface Shown { value: string; within: string | null; between: [string, string] | null }

/*
 * A value with its error, rounded to two digits of the error, but never coarser than
 * whole numbers. If one side of the error bar is over a quarter longer than the other,
 * both ends are given instead.
 */
export function withError(value: string, low: string, high: string): Shown {
  const v = read(value), l = read(low), h = read(high);
  if (!v || !l || !h) return { value, within: null, between: [low, high] };
  const scale = Math.max(v.scale, l.scale, h.scale);
  const below = rescale(v, scale) - rescale(l, scale), above = rescale(h, scale) - rescale(v, scale);
  const wider = below > above ? below : above, narrower = below > above ? above : below;
  const lead = wider.toString().length - scale; /* the error is below 10^lead */
  const places = Math.min(scale, Math.max(0, 2 - lead));
  const shown = written(v, places, "near");
  if (narrower < 0n || narrower * 5n < wider * 4n)
    return { value: shown, within: null, between: [written(l, places, "near"), written(h, places, "near")] };
  return { value: shown, within: written({ units: wider, scale }, places, "up"), between: null };
}
