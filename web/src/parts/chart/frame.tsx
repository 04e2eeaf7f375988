/*
 * The frame of every chart: as wide as there is room, with axes, grid, legend, and a
 * description for screen readers. Colours come from classes (chart.css), so they
 * follow light and dark mode; the children draw the marks.
 */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Axis, AxisMaker, Tick } from "./axis";
import "./chart.css";

export interface Plot<X, Y> {
  x: Axis<X>; y: Axis<Y>;
  width: number; height: number; /* of the inner rectangle, whose corner is 0, 0 */
}
export interface LegendItem { series: number; label: string; mark?: "line" | "box" | "dash" }

const LETTER = 6.9; /* pixels per letter, at the font size of chart.css */
const ROW = 20;
const SIDE = 14;

function legendRows(items: LegendItem[], width: number): { item: LegendItem; x: number; row: number }[] {
  let x = 0, row = 0;
  return items.map((item) => {
    const takes = 26 + item.label.length * LETTER + 18;
    if (x > 0 && x + takes > width) { x = 0; row++; }
    const placed = { item, x, row };
    x += takes;
    return placed;
  });
}

function Legend({ placed }: { placed: ReturnType<typeof legendRows> }) {
  return (
    <g class="legend" aria-hidden="true">
      {placed.map(({ item, x, row }) => (
        <g class={`series-${item.series}`} transform={`translate(${x},${row * ROW})`}>
          {item.mark === "box" ? <rect class="area" width="18" height="11" y="1" rx="2" />
            : <line class={item.mark === "dash" ? "line dash" : "line"} x2="18" y1="7" y2="7" />}
          <text x="25" y="11">{item.label}</text>
        </g>
      ))}
    </g>
  );
}

/* Keeps the outer labels inside; leaves out labels that would touch their neighbour. */
function legible(ticks: Tick[], width: number) {
  let free = -Infinity;
  return ticks.flatMap((t) => {
    const wide = t.label.length * LETTER;
    const from = Math.min(Math.max(t.at - wide / 2, -8), width - wide + 8);
    if (from < free) return [];
    free = from + wide + 8;
    return [{ ...t, at: from + wide / 2 }];
  });
}

/* Cuts a name, which may take at most a third of the width; the tooltip has all of it. */
function shortened(name: string, letters: number): string {
  const all = [...name];
  return all.length > letters ? all.slice(0, letters - 1).join("") + "…" : name;
}

function Label({ tick, letters }: { tick: Tick; letters: number }) {
  const short = shortened(tick.label, letters);
  return (
    <text x="-9" y={tick.at} dy="0.35em" text-anchor="end">
      {short}{short !== tick.label && <title>{tick.label}</title>}
    </text>
  );
}

export function Frame<X, Y>({ title, desc, x, y, height = 260, legend = [], children }: {
  title: string;
  desc: string; /* what the chart shows, in a sentence or two */
  x: AxisMaker<X>; y: AxisMaker<Y>;
  height?: number; /* of the inner rectangle */
  legend?: LegendItem[];
  children: (plot: Plot<X, Y>) => ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [wide, setWide] = useState(0);
  const id = useId();

  useLayoutEffect(() => {
    const element = box.current!;
    setWide(Math.floor(element.clientWidth));
    const seen = new ResizeObserver(() => setWide(Math.floor(element.clientWidth)));
    seen.observe(element);
    return () => seen.disconnect();
  }, []);

  const across = Math.max(wide, 220);
  const down = y([height, 0]);
  const placed = legendRows(legend, across - 2 * SIDE);
  const legendHeight = placed.length ? (placed.at(-1)!.row + 1) * ROW + 8 : 0;
  const letters = Math.floor(across / 3 / LETTER);
  const longest = Math.max(2, ...down.ticks.map((t) => Math.min([...t.label].length, letters)));
  const left = Math.ceil(longest * LETTER + 18);
  const top = legendHeight + (down.label ? ROW + 8 : 10);
  const width = across - left - SIDE;
  const along = x([0, width]);
  const bottom = 24 + (along.label ? ROW : 0);
  const total = top + height + bottom;

  return (
    <div class="chart-box" ref={box} style={{ minHeight: `${total}px` }}>
      {wide > 0 && (
        <svg class="chart" role="img" width={across} height={total} viewBox={`0 0 ${across} ${total}`}
          aria-labelledby={`${id}-t ${id}-d`} xmlns="http://www.w3.org/2000/svg">
          <title id={`${id}-t`}>{title}</title>
          <desc id={`${id}-d`}>{desc}</desc>
          {placed.length > 0 && <g transform={`translate(${SIDE},4)`}><Legend placed={placed} /></g>}
          <g transform={`translate(${left},${top})`}>
            <g class="grid-lines" aria-hidden="true">
              {down.step === 0 && down.ticks.map((t) => <line x2={width} y1={t.at} y2={t.at} />)}
              {down.step > 0 && along.ticks.map((t) => <line y2={height} x1={t.at} x2={t.at} />)}
            </g>
            {children({ x: along, y: down, width, height })}
            <g class="axis" aria-hidden="true">
              {along.step === 0 && <line x2={width} y1={height} y2={height} />}
              {legible(along.ticks, width).map((t) => (
                <text x={t.at} y={height + 18} text-anchor="middle">{t.label}</text>
              ))}
              {down.ticks.map((t) => <Label tick={t} letters={letters} />)}
              {down.label && <text class="name" x={-left + SIDE} y="-14">{down.label}</text>}
              {along.label && <text class="name" x={width} y={height + 18 + ROW} text-anchor="end">{along.label}</text>}
            </g>
          </g>
        </svg>
      )}
    </div>
  );
}
