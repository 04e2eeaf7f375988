/* Before a question is asked: its price, what would remain, its expected error. */
import type { Plan, PlannedColumn } from "../api";
import { costShort, leftShort, priceOf, spentShort } from "../parts/amount";
import { grouped } from "../parts/decimal";
import { atLeast } from "../parts/percent";
import { linkTo } from "../route";

export type Fare = "paid" | "stored" | "public" | "released" | "beyond" | "plan";

/* How a question would be paid for; `explains`: it asks only for its plan. */
export function fareOf(plan: Plan, explains: boolean): Fare {
  if (explains) return "plan";
  if (plan.stored) return "stored";
  if (plan.released) return "released";
  if (Number(plan.cost.epsilon) === 0 && Number(plan.cost.delta) === 0) return "public";
  return plan.after === null && plan.remaining !== null ? "beyond" : "paid";
}

const NEAR = 1e-9;

/* The budget is counted in rho if the remaining epsilon does not fall by the price. */
export function countsInRho({ remaining, after, cost }: Plan): boolean {
  if (!remaining || !after) return false;
  const now = Number(remaining.epsilon), price = Number(cost.epsilon);
  return Math.abs(now - price - Number(after.epsilon)) > NEAR * Math.max(now, 1);
}

/* What remains, and the part of it that this question would take. */
function Left({ plan, fare }: { plan: Plan; fare: Fare }) {
  const now = plan.remaining, then = fare === "paid" ? plan.after : now;
  if (!now) return null;
  const all = Number(now.epsilon), rest = fare === "beyond" ? 0 : Number(then?.epsilon ?? all);
  const part = all > 0 ? Math.min(Math.max(rest / all, 0), 1) : 0;
  return (
    <div class="remains">
      <div class={`gauge ${fare}`} aria-hidden="true"><span style={{ width: `${part * 100}%` }} /></div>
      <dl>
        <div><dt>Remaining now</dt><dd>ε {leftShort(now.epsilon)}</dd></div>
        {fare === "beyond"
          ? <div class="bad"><dt>Remaining after</dt><dd>not enough</dd></div>
          : fare === "paid" && then && <div><dt>Remaining after</dt><dd>ε {leftShort(then.epsilon)}</dd></div>}
      </dl>
      {fare === "paid" && countsInRho(plan) && (
        <p class="soft">This budget is counted in ρ, where many answers together cost less; this one costs
          ρ {spentShort(plan.cost.rho)}. What remains is the largest ε that one more question may cost.</p>
      )}
    </div>
  );
}

function errorOf(c: PlannedColumn, fare: Fare) {
  if (fare === "public") return <span class="soft">exact</span>;
  if (fare === "released") return <span class="soft">shown with the answer</span>;
  if (c.key) return <span class="soft">group key</span>;
  if (c.within === null) return <span class="soft" title="It depends on the data, so it is known only with the answer.">shown with the answer</span>;
  return <>± {grouped(c.within)}{c.relative !== null && <span class="soft" title="At best, in an average group, from the policy's number of people."> ≥ {atLeast(c.relative)}</span>}</>;
}

function Expected({ plan, fare }: { plan: Plan; fare: Fare }) {
  return (
    <table class="expected">
      <caption>Expected error</caption>
      <tbody>
        {plan.columns.map((c) => (
          <tr><th scope="row">{c.name}</th><td>{errorOf(c, fare)}</td></tr>
        ))}
      </tbody>
    </table>
  );
}

function Cost({ plan, fare }: { plan: Plan; fare: Fare }) {
  if (fare === "plan") return (
    <><strong class="amount">free</strong><p class="soft">EXPLAIN shows the plan and no answer: nothing is charged.{" "}
      {plan.stored ? "The answer itself is stored and free, too."
        : Number(plan.cost.rho) > 0 && <>The answer itself would cost {costShort(plan.cost)}.</>}</p></>
  );
  if (fare === "stored") return (
    <><strong class="amount">free</strong><p class="soft">You have had this answer before. It is stored and is shown again unchanged.</p></>
  );
  if (fare === "public") return (
    <><strong class="amount">free</strong><p class="soft">No private row is read: the answer is exact.</p></>
  );
  if (fare === "released") return (
    <><strong class="amount">free</strong><p class="soft">The answer follows from noisy values that were released earlier.</p></>
  );
  const { sign, amount } = priceOf(plan.cost);
  return (
    <>
      <strong class="amount" title={`${sign === "ρ" ? "rho" : "epsilon"} ${amount}`}><span class="unit">{sign}</span> {spentShort(amount)}</strong>
      <p class="soft">
        {sign === "ρ" && <>No ε bounds a price in ρ: from then on the budget is counted in ρ alone. </>}
        {Number(plan.cost.delta) > 0 && <>Plus δ {spentShort(plan.cost.delta)}, the chance that the promise does not hold. </>}
        ε measures how much privacy people give up: a smaller ε is safer for them but adds more noise.{" "}
        <a href={linkTo("learn")}>Try it out</a>
      </p>
    </>
  );
}

/* "1.6 ms", "25 ms", "0.1 s": as EXPLAIN writes it. */
export function durationOf(seconds: number): string {
  if (seconds < 0.01) return `${(seconds * 1000).toFixed(1)} ms`;
  return seconds < 0.1 ? `${Math.floor(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

/* How long the reply takes; this reveals nothing about the data. */
function Time({ plan }: { plan: Plan }) {
  if (plan.reply_seconds === null) return null;
  return (
    <p class="soft" title="The time depends on the question, the policy and the machine, never on the data.">
      Answers in {durationOf(plan.reply_seconds)}
    </p>
  );
}

export function Price({ plan, fare, fresh, children }: {
  plan: Plan | null; fare: Fare | null; fresh: boolean; children: preact.ComponentChildren;
}) {
  return (
    <aside class="card price" aria-label="Price" aria-busy={!fresh}>
      <h2>This question costs</h2>
      <div class={fresh ? "figures" : "figures stale"} aria-live="polite" aria-atomic="true">
        {plan && fare ? <Cost plan={plan} fare={fare} />
          : <><strong class="amount none">–</strong><p class="soft">The price appears as soon as the query is valid.</p></>}
        {plan && fare && <Left plan={plan} fare={fare} />}
        {plan && <Time plan={plan} />}
      </div>
      {children}
      {plan && fare && (
        <div class={fresh ? "figures" : "figures stale"}>
          <Expected plan={plan} fare={fare} />
          {plan.warnings.length > 0 && <ul class="warnings">{plan.warnings.map((w) => <li>{w}</li>)}</ul>}
          {plan.remarks.length > 0 && <ul class="remarks">{plan.remarks.map((r) => <li>{r}</li>)}</ul>}
          <details>
            <summary>How it is computed</summary>
            <pre tabIndex={0}>{plan.plan.join("\n")}</pre>
          </details>
        </div>
      )}
    </aside>
  );
}
