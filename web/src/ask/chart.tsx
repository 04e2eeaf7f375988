/* The chart of an answer: bars, a line with an error band, steps, or single numbers. */
import type { Answer } from "../api";
import { bandAxis, extentOf, linearAxis, timeAxis, type AxisMaker } from "../parts/chart/axis";
import { Frame, type Plot } from "../parts/chart/frame";
import { Band, Bars, Line, Steps, type Bar } from "../parts/chart/marks";
import { withError } from "../parts/decimal";
import { marksOf, MOST_BARS, numberOf, textOf, type Look, type Mark, type Shape } from "./shape";

const BAR_HEIGHT = 34;
const HEIGHT = 280;
const MOST_DOTS = 60;

const spread = (marks: Mark[]) => marks.flatMap((m) => [m.value, m.low ?? m.value, m.high ?? m.value]);

function told(marks: Mark[], what: string, bars: boolean): string {
  const [low, high] = extentOf(marks.map((m) => m.value));
  return `${marks.length} values of ${what}, from ${low} to ${high}` +
    (bars ? ", each with its 95 % range. " : ". ") + "The table below has all of them.";
}

function BarChart({ marks, title, what }: { marks: Mark[]; title: string; what: string }) {
  const shown = marks.slice(0, MOST_BARS);
  const bars: Bar[] = shown.map((m) => ({
    name: m.name, value: m.value, ...(m.low === undefined ? {} : { low: m.low, high: m.high! }),
  }));
  return (
    <>
      <Frame title={title} desc={told(shown, what, bars.some((b) => b.low !== undefined))}
        height={bars.length * BAR_HEIGHT}
        x={linearAxis(extentOf(spread(shown), 0), { label: what, nice: true })} y={bandAxis(shown.map((m) => m.name))}>
        {(plot) => <Bars plot={plot} bars={bars} />}
      </Frame>
      {shown.length < marks.length && <p class="soft">The first {shown.length} of {marks.length} rows are drawn.</p>}
    </>
  );
}

/* Running sums, drawn without a band: the error of a sum does not follow from the
   errors of its parts. */
function added(marks: Mark[]): Mark[] {
  let sum = 0;
  return marks.map(({ low: _, high: __, ...m }) => ({ ...m, value: (sum += m.value) }));
}

type Range = { x: number; low: number; high: number };

/* Makes each range last until the next one begins. */
const stairs = (band: Range[]) =>
  band.flatMap((b, i) => (i ? [{ ...band[i - 1]!, x: b.x }, b] : [b]));

/* An axis of whole numbers has ticks only at whole numbers. */
function wholeAxis(ends: [number, number], label: string): AxisMaker<number> {
  return (range) => {
    const ticks = Math.max(1, Math.min(ends[1] - ends[0], Math.floor(Math.abs(range[1] - range[0]) / 60)));
    return linearAxis(ends, { label, ticks, format: String })(range);
  };
}

function Trace({ plot, marks, look, series }: {
  plot: Plot<number, number>; marks: Mark[]; look: Look; series: number;
}) {
  const points = marks.map((m) => ({ x: m.x, y: m.value }));
  const band: Range[] = marks.flatMap((m) => (m.low === undefined ? [] : [{ x: m.x, low: m.low, high: m.high! }]));
  return (
    <>
      {band.length > 0 && <Band plot={plot} points={look === "line" ? band : stairs(band)} series={series} />}
      {look === "line" ? <Line plot={plot} points={points} series={series} dots={points.length <= MOST_DOTS} />
        : <Steps plot={plot} points={points} series={series} />}
    </>
  );
}

function OrderedChart({ marks, look, axis, title, what, along }: {
  marks: Mark[]; look: Look; axis: Shape["axis"]; title: string; what: string; along: string;
}) {
  const names = [...new Set(marks.map((m) => m.series))];
  const lines = names.map((name) => {
    const own = marks.filter((m) => m.series === name).sort((a, b) => a.x - b.x);
    return look === "sums" ? added(own) : own;
  });
  const all = lines.flat();
  const ends = extentOf(all.map((m) => m.x));
  const x: AxisMaker<number> = axis === "time"
    ? (range) => {
      const time = timeAxis([new Date(ends[0]), new Date(ends[1])], { label: along })(range);
      return { ...time, at: (v) => time.at(new Date(v)) };
    }
    : all.every((m) => Number.isInteger(m.x)) ? wholeAxis(ends, along)
      : linearAxis(ends, { label: along, format: String });
  return (
    <Frame title={title} desc={told(all, what, all.some((m) => m.low !== undefined))} height={HEIGHT}
      legend={names.length > 1 ? names.map((label, series) => ({ series, label })) : []}
      x={x} y={linearAxis(extentOf(spread(all), 0), { label: what, nice: true })}>
      {(plot) => lines.map((line, i) => <Trace plot={plot} marks={line} look={look} series={i} />)}
    </Frame>
  );
}

/* A single value in large letters, and its error bar on a scale that fits it. */
function Lone({ answer, column, title }: { answer: Answer; column: number; title: string }) {
  const { name, type } = answer.columns[column]!;
  const cell = answer.rows[0]![column]!;
  const value = textOf(cell.value);
  const bounded = typeof cell.low === "string" && typeof cell.high === "string";
  const shown = bounded ? withError(value, cell.low as string, cell.high as string) : null;
  const at = numberOf(type, cell.value), low = numberOf(type, cell.low), high = numberOf(type, cell.high);
  const room = (high - low) / 2;
  return (
    <div class="lone">
      <p>
        <span class="name">{name}</span>
        <strong>{shown?.value ?? value}</strong>
        {shown?.within && <span class="error">± {shown.within}</span>}
        {shown?.between && <span class="error">{shown.between[0]} … {shown.between[1]}</span>}
      </p>
      {bounded && high > low && (
        <Frame title={`${title}: ${name}`} desc={`${name} is ${value}, and lies between ${cell.low} and ${cell.high} at 95 %.`}
          height={36} x={linearAxis([low - room, high + room])} y={bandAxis([""])}>
          {({ x, y }) => (
            <g class="series-0">
              <rect class="band" x={x.at(low)} width={x.at(high) - x.at(low)} y={y.at(0) - 12} height="24" rx="3" />
              <path class="whisker" d={`M${x.at(low)},${y.at(0)}H${x.at(high)}M${x.at(low)},${y.at(0) - 7}v14M${x.at(high)},${y.at(0) - 7}v14`} />
              <circle class="dot" cx={x.at(at)} cy={y.at(0)} r="6" />
            </g>
          )}
        </Frame>
      )}
    </div>
  );
}

export function Chart({ answer, shape, look, measure }: {
  answer: Answer; shape: Shape; look: Look; measure: number;
}) {
  const what = answer.columns[measure]!.name;
  const key = shape.keys.map((k) => answer.columns[k]!.name).join(", ");
  const title = key ? `${what} by ${key}` : what;
  if (look === "numbers")
    return <div class="lones">{shape.measures.map((m) => <Lone answer={answer} column={m} title="Answer" />)}</div>;
  const marks = marksOf(answer, shape, measure);
  return look === "bars"
    ? <BarChart marks={marks} title={title} what={what} />
    : <OrderedChart marks={marks} look={look} axis={shape.axis} title={title}
        what={look === "sums" ? `${what}, running sum` : what} along={answer.columns[shape.ordered!]!.name} />;
}
