/*
 * How long a budget lasts at the current pace: a plain extrapolation of what was
 * spent, for display only.
 */
import type { HistoryLine } from "../api";
import { momentWords } from "../parts/time";

const DAY_MS = 86_400_000;
const LOOK_BACK_DAYS = 7;

export interface Forecast {
  days: number;        /* over which the pace was measured */
  perDay: number;      /* in the line's currency */
  end: Date | null;    /* when nothing will be left; null: there is no such time */
}

function spentAt(line: HistoryLine, time: number): number {
  let spent = 0;
  for (const p of line.points) {
    if (Date.parse(p.time) > time) break;
    spent = Number(p.spent);
  }
  return spent;
}

/* Is nothing left of the budget? */
export function isSpent(line: HistoryLine): boolean {
  const last = line.points.at(-1);
  return line.limit !== null && last !== undefined && Number(last.spent) >= Number(line.limit);
}

/* Measures the pace over a week, or since the first charge if that is later, but over
   at least a day. */
export function forecastOf(line: HistoryLine, now: Date): Forecast | null {
  const first = line.points[0], last = line.points.at(-1);
  if (!first || !last) return null;
  const age = (+now - Date.parse(first.time)) / DAY_MS;
  const days = Math.max(1, Math.min(LOOK_BACK_DAYS, Math.ceil(age)));
  const perDay = (Number(last.spent) - spentAt(line, +now - days * DAY_MS)) / days;
  const left = line.limit === null ? NaN : Number(line.limit) - Number(last.spent);
  const end = perDay > 0 && left > 0 ? new Date(+now + (left / perDay) * DAY_MS) : null;
  return { days, perDay, end: end && Number.isFinite(+end) ? end : null };
}

const FAR_YEARS = 10;
const written = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });

export function forecastWords(f: Forecast | null, line: HistoryLine, now: Date): string {
  if (!f) return "Nothing has been spent yet.";
  if (isSpent(line)) return `Nothing is left: all of it was spent by ${momentWords(line.points.at(-1)!.time)}.`;
  const over = f.days === 1 ? "last day" : `last ${f.days} days`;
  if (f.perDay <= 0) return `Nothing was spent in the ${over}.`;
  const sign = line.currency === "epsilon" ? "ε" : "ρ";
  const daily = `${sign}\u00a0${Number(f.perDay.toPrecision(3))} a day`;
  if (line.limit === null) return `Over the ${over}, ${daily} was spent, from the common budget.`;
  const pace = `At the pace of the ${over} (${daily})`;
  if (!f.end) return `${pace} it lasts practically forever.`;
  if (+f.end - +now < DAY_MS) return `${pace} it is spent within a day.`;
  if (+f.end - +now > FAR_YEARS * 365 * DAY_MS) return `${pace} it lasts for more than ten years.`;
  return `${pace} it lasts until ${written.format(f.end)}.`;
}
