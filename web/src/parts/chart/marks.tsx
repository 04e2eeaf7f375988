/* The marks that charts draw in a frame. Each mark takes its colour from its series. */
import type { Plot } from "./frame";

export interface Point<X> { x: X; y: number }
export interface BandPoint<X> { x: X; low: number; high: number }

const spot = (x: number, y: number) => `${x.toFixed(2)},${y.toFixed(2)}`;
const path = (spots: string[]) => (spots.length ? "M" + spots.join("L") : "");

export function Line<X>({ plot, points, series = 0, dash = false, dots = false }: {
  plot: Plot<X, number>; points: Point<X>[]; series?: number; dash?: boolean; dots?: boolean;
}) {
  const spots = points.map((p) => [plot.x.at(p.x), plot.y.at(p.y)] as const);
  return (
    <g class={`series-${series}`}>
      <path class={dash ? "line dash" : "line"} d={path(spots.map(([x, y]) => spot(x, y)))} />
      {dots && spots.map(([x, y]) => <circle class="dot" cx={x} cy={y} r="3.5" />)}
    </g>
  );
}

export function Band<X>({ plot, points, series = 0 }: {
  plot: Plot<X, number>; points: BandPoint<X>[]; series?: number;
}) {
  const upper = points.map((p) => spot(plot.x.at(p.x), plot.y.at(p.high)));
  const lower = points.map((p) => spot(plot.x.at(p.x), plot.y.at(p.low))).reverse();
  return <path class={`band series-${series}`} d={path([...upper, ...lower]) + "Z"} />;
}

export function Area<X>({ plot, points, series = 0 }: {
  plot: Plot<X, number>; points: Point<X>[]; series?: number;
}) {
  return <path class={`area series-${series}`}
    d={path(points.map((p) => spot(plot.x.at(p.x), plot.y.at(p.y)))) + "Z"} />;
}

/*
 * A step line. "after": a value applies until the next one (a running sum, a CDF).
 * "middle": it applies half a unit to either side (probabilities of integers).
 */
export function Steps<X>({ plot, points, series = 0, mode = "after", filled = false, dash = false }: {
  plot: Plot<X, number>; points: Point<X>[]; series?: number;
  mode?: "after" | "middle"; filled?: boolean; dash?: boolean;
}) {
  const places = points.map((p) => plot.x.at(p.x));
  const half = mode === "middle" && places.length > 1 ? (places[1]! - places[0]!) / 2 : 0;
  const spots: string[] = [];
  points.forEach((p, i) => {
    const y = plot.y.at(p.y), x = places[i]!;
    const until = mode === "middle" ? x + half : places[i + 1] ?? x;
    spots.push(spot(x - half, y), spot(until, y));
  });
  const ground = plot.y.at(0);
  const first = (places[0] ?? 0) - half, last = (places.at(-1) ?? 0) + half;
  return (
    <g class={`series-${series}`}>
      {filled && <path class="area" d={path([spot(first, ground), ...spots, spot(last, ground)]) + "Z"} />}
      <path class={dash ? "line dash" : "line"} d={path(spots)} />
    </g>
  );
}

export interface Bar { name: string; value: number; low?: number; high?: number }

const CAP = 5; /* half the width of an error bar's ends */

/* Bars are horizontal, so that names can be read; y is a band axis over the same list. */
export function Bars({ plot, bars, series = 0 }: {
  plot: Plot<number, number>; bars: Bar[]; series?: number;
}) {
  const zero = Math.min(Math.max(plot.x.at(0), 0), plot.width);
  const thick = plot.y.step;
  return (
    <g class={`series-${series}`}>
      {bars.map((bar, i) => {
        const middle = plot.y.at(i), end = plot.x.at(bar.value);
        const low = bar.low === undefined ? null : plot.x.at(bar.low);
        const high = bar.high === undefined ? null : plot.x.at(bar.high);
        return (
          <g>
            <title>{bar.low === undefined ? `${bar.name}: ${bar.value}`
              : `${bar.name}: ${bar.value}, between ${bar.low} and ${bar.high}`}</title>
            <rect class="bar" x={Math.min(zero, end)} width={Math.abs(end - zero)}
              y={middle - thick / 2} height={thick} rx="2" />
            {low !== null && high !== null && (
              <path class="whisker" d={`M${low},${middle}H${high}` +
                `M${low},${middle - CAP}v${2 * CAP}M${high},${middle - CAP}v${2 * CAP}`} />
            )}
          </g>
        );
      })}
      <line class="zero" x1={zero} x2={zero} y2={plot.height} />
    </g>
  );
}
