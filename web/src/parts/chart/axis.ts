/*
 * Axes map values to positions in a chart. An axis can be made only when its length is
 * known, so a chart describes its axes by functions that make them. d3-scale chooses
 * round ticks.
 */
import { scaleBand, scaleLinear, scaleLog, scaleUtc } from "d3-scale";

export interface Tick { at: number; label: string }
export interface Axis<T> {
  at(value: T): number;
  ticks: Tick[];
  label: string;
  step: number; /* the thickness of a band; 0 if values are points */
}
export type AxisMaker<T> = (range: [number, number]) => Axis<T>;

interface Options {
  label?: string;
  /* Extends both ends to round numbers. */
  nice?: boolean;
  ticks?: number;
  format?: (value: number) => string;
}

const TICK_ROOM_ACROSS = 80; /* pixels that a tick's label needs */
const TICK_ROOM_DOWN = 45;
const NICE = 5; /* with fewer ticks, the round ends would be too far out */

function tickCount([from, to]: [number, number], given?: number): number {
  const room = to > from ? TICK_ROOM_ACROSS : TICK_ROOM_DOWN;
  return given ?? Math.max(3, Math.floor(Math.abs(to - from) / room));
}

/* The smallest and the largest value; widened if they are equal, since a scale needs a
   range. */
export function extentOf(values: Iterable<number>, ...also: number[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const v of [...values, ...also]) {
    if (!Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  if (low > high) return [0, 1];
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

export function linearAxis(domain: [number, number], o: Options = {}): AxisMaker<number> {
  return (range) => {
    const count = tickCount(range, o.ticks);
    const scale = scaleLinear(domain, range);
    if (o.nice) scale.nice(Math.max(count, NICE));
    const format = o.format ?? scale.tickFormat(count);
    return {
      at: scale, step: 0, label: o.label ?? "",
      ticks: scale.ticks(count).map((v) => ({ at: scale(v), label: format(v) })),
    };
  };
}

/* For amounts over several powers of ten; both ends must be above zero. */
export function logAxis(domain: [number, number], o: Options = {}): AxisMaker<number> {
  return (range) => {
    const scale = scaleLog(domain, range);
    const format = o.format ?? ((v: number) => String(v));
    const round = scale.ticks().filter((v) => /^[125]/.test(v.toExponential()));
    const shown = round.length > tickCount(range, o.ticks)
      ? round.filter((v) => v.toExponential().startsWith("1")) : round;
    return {
      at: scale, step: 0, label: o.label ?? "",
      ticks: shown.map((v) => ({ at: scale(v), label: format(v) })),
    };
  };
}

const DAY_MS = 86_400_000;
const worded = (o: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat("en-GB", { ...o, timeZone: "UTC" });
  return (v: Date) => format.format(v);
};
const hour = worded({ hour: "2-digit", minute: "2-digit" });
const second = worded({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = worded({ day: "numeric", month: "short" });
const month = worded({ month: "short", year: "numeric" });

/* Chooses the format by the distance of the ticks; midnight is shown as the day. */
function timeFormat(ticks: Date[]): (v: Date) => string {
  const apart = ticks.length > 1 ? +ticks[1]! - +ticks[0]! : DAY_MS;
  if (apart < 60_000) return second;
  if (apart < DAY_MS) return (v) => (+v % DAY_MS === 0 ? day(v) : hour(v));
  if (apart < 28 * DAY_MS) return day;
  return apart < 365 * DAY_MS ? month : (v) => String(v.getUTCFullYear());
}

export function timeAxis(domain: [Date, Date], o: Pick<Options, "label" | "ticks"> = {}): AxisMaker<Date> {
  return (range) => {
    const count = tickCount(range, o.ticks);
    const scale = scaleUtc(domain, range);
    const ticks = scale.ticks(count);
    const format = timeFormat(ticks);
    return {
      at: scale, step: 0, label: o.label ?? "",
      ticks: ticks.map((v) => ({ at: scale(v), label: format(v) })),
    };
  };
}

/* One band per position in the list, so names may repeat. */
export function bandAxis(names: string[], o: { label?: string } = {}): AxisMaker<number> {
  return ([from, to]) => {
    const scale = scaleBand<number>(names.map((_, i) => i), from < to ? [from, to] : [to, from])
      .paddingInner(0.35).paddingOuter(0.2);
    const middle = (i: number) => (scale(i) ?? 0) + scale.bandwidth() / 2;
    return {
      at: middle, step: scale.bandwidth(), label: o.label ?? "",
      ticks: names.map((name, i) => ({ at: middle(i), label: name })),
    };
  };
}
