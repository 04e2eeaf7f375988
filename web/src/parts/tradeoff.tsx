/*
 * The trade-off curve of an attacker's test: it falsely accuses some people who did
 * not take part and misses some who did, and no test gets below the curve.
 */
import type { Risk } from "../api";
import { linearAxis } from "./chart/axis";
import { Figure } from "./chart/figure";
import { Frame } from "./chart/frame";
import { Area, Line } from "./chart/marks";
import { atLeast, share } from "./percent";

const ROOMY = 0.2; /* if the test misses more than this at 5 % falsely accused, a label fits below the curve */

export function Tradeoff({ risk, height = 240 }: { risk: Risk; height?: number }) {
  const curve = risk.corners.map((c) => ({ x: Number(c.fpr), y: Number(c.fnr) }));
  const title = "What the best test can achieve";
  const desc = `Missed against falsely accused. Guessing lies on the straight line from corner to corner. `
    + `No test gets below the curve: with 5 % falsely accused it misses at least ${atLeast(risk.missed)}.`;
  return (
    <Figure name="trade-off" title={title} caption={[title + ".", desc]}
      numbers={{ head: ["falsely accused", "missed, at least"], rows: risk.corners.map((c) => [c.fpr, c.fnr]) }}>
      <Frame title={title} desc={desc} height={height}
        x={linearAxis([0, 1], { format: share, label: "falsely accused" })}
        y={linearAxis([0, 1], { format: share, label: "missed" })}
        legend={[
          { series: 2, label: "the best test possible" },
          { series: 5, label: "guessing", mark: "dash" },
        ]}>
        {(plot) => (
          <>
            <Area plot={plot} series={2} points={[{ x: 0, y: 0 }, ...curve]} />
            <Line plot={plot} series={5} dash points={[{ x: 0, y: 1 }, { x: 1, y: 0 }]} />
            <Line plot={plot} series={2} points={curve} />
            {Number(risk.missed) > ROOMY && <text class="aside" x="12" y={plot.height - 12}>no test gets here</text>}
          </>
        )}
      </Frame>
    </Figure>
  );
}
