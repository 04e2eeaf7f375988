/* The answer: its chart, its table with error bars, remarks, cost, and downloads. */
import { useRef, useState } from "preact/hooks";
import type { Answer, Cell, Column } from "../api";
import { costShort, leftShort, spentShort } from "../parts/amount";
import { savePng, saveSvg, saveText } from "../parts/chart/save";
import { grouped, withError } from "../parts/decimal";
import { linkTo } from "../route";
import { Chart } from "./chart";
import type { Asked } from "./desk";
import { captionOf, csvOf, jsonOf, tabbedOf } from "./export";
import { shapeOf, textOf, type Look } from "./shape";

const LOOKS: Record<Look, string> = {
  numbers: "Numbers", bars: "Bars", line: "Line", steps: "Steps", sums: "Running sum",
};
const ROWS = 200; /* how many are shown at first */

const isNumber = (c: Column) => c.type === "integer" || c.type === "decimal" || c.type === "real";

function Value({ cell, column }: { cell: Cell; column: Column }) {
  if (cell.value === null) return <span class="soft">NULL</span>;
  const value = textOf(cell.value);
  if (typeof cell.low !== "string" || typeof cell.high !== "string")
    return <>{isNumber(column) && !column.key ? grouped(value) : value}</>;
  const exact = `${value}, between ${cell.low} and ${cell.high}`;
  if (!isNumber(column)) return <span title={exact}>{value} <span class="error">{cell.low} … {cell.high}</span></span>;
  const shown = withError(value, cell.low, cell.high);
  return (
    <span title={exact}>
      {shown.value}{" "}
      <span class="error">{shown.within ? `± ${shown.within}` : `${shown.between![0]} … ${shown.between![1]}`}</span>
    </span>
  );
}

function AnswerTable({ answer }: { answer: Answer }) {
  const [all, setAll] = useState(false);
  const rows = all ? answer.rows : answer.rows.slice(0, ROWS);
  const side = (c: Column) => (isNumber(c) && !c.key ? "number" : undefined);
  return (
    <>
      <div class="scroll answer" tabIndex={0} role="region" aria-label="Answer table">
        <table>
          <thead><tr>{answer.columns.map((c) => <th scope="col" class={side(c)}>{c.name}</th>)}</tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr>{row.map((cell, j) => (
                <td class={side(answer.columns[j]!)}><Value cell={cell} column={answer.columns[j]!} /></td>
              ))}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length < answer.rows.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>Show all {answer.rows.length} rows</button>
      )}
    </>
  );
}

/* `chart` is null if there is nothing to draw. */
function Tools({ asked, chart }: { asked: Asked; chart: (() => SVGSVGElement) | null }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(tabbedOf(asked)); /* fails on a page without TLS, except on loopback */
      setSaid("Copied.");
    } catch {
      setSaid("The browser does not allow copying here. Download a file instead.");
    }
  };
  return (
    <div class="tools" role="group" aria-label="Copy and download">
      <span class="soft" role="status">{said}</span>
      <button type="button" class="quiet small" onClick={() => void copy()}>Copy</button>
      <button type="button" class="quiet small" onClick={() => saveText(csvOf(asked), "text/csv", "answer.csv")}>CSV</button>
      <button type="button" class="quiet small" onClick={() => saveText(jsonOf(asked), "application/json", "answer.json")}>JSON</button>
      {chart && <>
        <button type="button" class="quiet small" onClick={() => saveSvg(chart(), "answer", captionOf(asked))}>SVG</button>
        <button type="button" class="quiet small" onClick={() => void savePng(chart(), "answer", captionOf(asked))}>PNG</button>
      </>}
    </div>
  );
}

const hasErrors = (answer: Answer) => answer.rows.some((row) => row.some((cell) => cell.low !== undefined));

function Terms({ asked: { answer, inRho } }: { asked: Asked }) {
  const paid = answer.kind === "private";
  return (
    <div class="terms">
      {answer.warnings.length > 0 && <ul class="warnings">{answer.warnings.map((w) => <li>{w}</li>)}</ul>}
      {answer.remarks.length > 0 && <ul class="remarks">{answer.remarks.map((r) => <li>{r}</li>)}</ul>}
      <p class="soft">
        {answer.kind === "plan" ? "A plan, not an answer: no data was read and nothing was charged."
          : answer.kind === "public" ? "Public data: exact and free."
          : hasErrors(answer) && <>± is a {Math.round(Number(answer.confidence) * 100)} % error bar: about 95 of 100 such ranges contain the exact value (of the rows that count). </>}
        {answer.kind === "released" && "Free: computed from noisy values that were released earlier."}
        {paid && (answer.stored ? <strong>Stored answer: no cost.</strong> : <>Cost: {costShort(answer.cost)}.</>)}
        {answer.remaining && <> Remaining: ε {leftShort(answer.remaining.epsilon)}.</>}
        {paid && !answer.stored && inRho && (
          <> This budget is counted in ρ, where this answer cost {spentShort(answer.cost.rho)}; what remains is the
            largest ε that one more question may cost.</>
        )}
      </p>
      {answer.receipt && (
        <p class="soft receipt">
          Receipt <a href={linkTo("ledger", { text: answer.receipt })}><code>{answer.receipt}</code></a>
        </p>
      )}
    </div>
  );
}

export function Result({ asked }: { asked: Asked }) {
  const { answer, question } = asked;
  const shape = shapeOf(answer, question.sql);
  const plan = answer.kind === "plan";
  const [wanted, setWanted] = useState<Look | null>(null);
  const [chosen, setChosen] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const look = wanted && shape.looks.includes(wanted) ? wanted : shape.looks[0];
  const measure = shape.measures[chosen] ?? shape.measures[0];
  const drawn = !plan && look !== undefined && (look !== "numbers" || shape.measures.length === 1);

  return (
    <section class="card result" aria-labelledby="answer">
      <header>
        <h2 id="answer" tabIndex={-1}>{answer.kind === "plan" ? "Plan" : "Answer"}</h2>
        {answer.stored && <span class="badge">stored, free</span>}
        {shape.looks.length > 1 && (
          <div class="looks" role="group" aria-label="Chart">
            {shape.looks.map((l) => (
              <button type="button" class="quiet small" aria-pressed={l === look} onClick={() => setWanted(l)}>{LOOKS[l]}</button>
            ))}
          </div>
        )}
        {look && look !== "numbers" && shape.measures.length > 1 && (
          <label class="measure">Column{" "}
            <select value={chosen} onChange={(e) => setChosen(Number(e.currentTarget.value))}>
              {shape.measures.map((m, i) => <option value={i}>{answer.columns[m]!.name}</option>)}
            </select>
          </label>
        )}
        <Tools asked={asked} chart={drawn ? () => box.current!.querySelector<SVGSVGElement>("svg.chart")! : null} />
      </header>
      {!plan && answer.rows.length === 0 && <p>No groups to show. Groups of too few people are left out; they cannot be told apart from groups that do not exist.</p>}
      {look && measure !== undefined && (
        <div class="picture" ref={box}>
          <Chart answer={answer} shape={shape} look={look} measure={measure} />
          {look === "sums" && <p class="soft">Each step adds one row of the table. These running sums have no error
            bars: if you need one, ask for the sum itself.</p>}
        </div>
      )}
      {answer.rows.length > 0 && <AnswerTable answer={answer} />}
      <Terms asked={asked} />
    </section>
  );
}
