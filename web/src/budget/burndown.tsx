/* A chart of what remained over time and, dashed, what will remain at the current pace. */
import type { HistoryLine } from "../api";
import { linearAxis, timeAxis } from "../parts/chart/axis";
import { Figure } from "../parts/chart/figure";
import { Frame } from "../parts/chart/frame";
import { Line, Steps, type Point } from "../parts/chart/marks";
import { forecastWords, isSpent, type Forecast } from "./forecast";

const AHEAD = 0.35;    /* the future that is shown, as a part of the past that is shown */
const FURTHER = 10;    /* show the future up to the budget's end if it is at most this many times the past */
const DAY_MS = 86_400_000;
const LEAST_MS = 1_000;

export const signOf = (line: HistoryLine) => (line.currency === "epsilon" ? "ε" : "ρ");
export const nameOf = (line: HistoryLine) => line.who ?? "all analysts";

/* Where the time axis begins: at the first charge, or a day ago if that is earlier. */
export function beginning(lines: HistoryLine[], now: Date): Date {
  return new Date(Math.min(+now - DAY_MS,
    ...lines.flatMap((l) => (l.points[0] ? [Date.parse(l.points[0].time)] : []))));
}

/* Where the time axis of a spent budget begins: a little before the first charge. A
   full day before it would look as if all of the budget were left. */
function spentSince(line: HistoryLine, now: Date): Date {
  const first = Date.parse(line.points[0]!.time);
  return new Date(first - Math.max((+now - first) / 10, LEAST_MS));
}

/* What remains over time; for a line without a limit of its own, what was spent. */
function pointsOf(line: HistoryLine, from: Date, now: Date): Point<Date>[] {
  const limit = line.limit === null ? null : Number(line.limit);
  const level = (spent: number) => (limit === null ? spent : Math.max(0, limit - spent));
  const points = line.points.map((p) => ({ x: new Date(p.time), y: level(Number(p.spent)) }));
  return [{ x: from, y: level(0) }, ...points, { x: now, y: points.at(-1)?.y ?? level(0) }];
}

export function BurnDown({ line, now, forecast }: {
  line: HistoryLine; now: Date; forecast: Forecast | null;
}) {
  const gone = isSpent(line);
  const start = gone ? spentSince(line, now) : beginning([line], now);
  const points = pointsOf(line, start, now);
  const sign = signOf(line);
  const down = line.limit !== null;
  const past = +now - +start;
  const end = forecast?.end ?? null;
  const until = new Date(+now + (end && +end - +now <= FURTHER * past
    ? (+end - +now) * 1.06 : AHEAD * past));
  const level = points.at(-1)!.y;
  const top = down ? Number(line.limit) : Math.max(level, 0) * 1.2 || 1;
  const days = (+until - +now) / DAY_MS;
  const goal = down ? Math.max(0, level - (forecast?.perDay ?? 0) * days) : level + (forecast?.perDay ?? 0) * days;
  const reached = down && end && +end < +until ? end : until;
  const title = down ? `Remaining budget, ${nameOf(line)}` : `Spent budget, ${nameOf(line)}`;
  const desc = forecastWords(forecast, line, now);

  return (
    <Figure name={`budget-${nameOf(line)}`} title={title} caption={[`${title}, in ${sign}.`, desc]}
      numbers={{
        head: ["ledger row", "time", `${sign} spent in all`],
        rows: line.points.map((p) => [p.row, p.time, p.spent]),
      }}>
      <Frame title={title} desc={desc} height={340}
        x={timeAxis([start, until])}
        y={linearAxis([0, Math.max(top, goal)], { label: down ? `${sign} left` : `${sign} spent` })}
        legend={[
          { series: 0, label: down ? "left" : "spent", mark: "line" },
          ...(forecast && forecast.perDay > 0 && !gone
            ? [{ series: 1, label: "at the current pace", mark: "dash" as const }] : []),
        ]}>
        {(plot) => (
          <>
            <Steps plot={plot} points={gone ? [...points, { x: until, y: 0 }] : points} filled />
            <line class="now" x1={plot.x.at(now)} x2={plot.x.at(now)} y2={plot.height} />
            <text class="aside" x={plot.x.at(now) - 6} y="12" text-anchor="end">now</text>
            {forecast && forecast.perDay > 0 && !gone && (
              <Line plot={plot} series={1} dash points={[{ x: now, y: level }, { x: reached, y: goal }]} />
            )}
          </>
        )}
      </Frame>
    </Figure>
  );
}

const SPARK = { width: 120, height: 28 };

/* What was spent over time, as a chart of the size of a word. */
export function Spark({ line, from, now }: { line: HistoryLine; from: Date; now: Date }) {
  const points = pointsOf({ ...line, limit: null }, from, now);
  const top = Math.max(1e-300, ...points.map((p) => p.y));
  const span = Math.max(+now - +from, 1);
  const at = (p: Point<Date>) =>
    [((+p.x - +from) / span) * SPARK.width, SPARK.height - 2 - (p.y / top) * (SPARK.height - 4)] as const;
  const d = points.map((p, i) => {
    const [x, y] = at(p);
    return i ? `H${x.toFixed(1)}V${y.toFixed(1)}` : `M${x.toFixed(1)},${y.toFixed(1)}`;
  }).join("");
  return (
    <svg class="chart spark" aria-hidden="true" viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
      width={SPARK.width} height={SPARK.height}>
      <path class="line series-0" d={d} />
    </svg>
  );
}
