/* What remains of the budget, how it was spent, and what it means. */
import { useEffect, useState } from "preact/hooks";
import type { Amount, AnalystBudget, Budget, History } from "../api";
import { BurnDown } from "../budget/burndown";
import { forecastOf, forecastWords } from "../budget/forecast";
import { Analysts, budgetsOf, Currencies, Meter, Sums } from "../budget/tables";
import { useLoaded } from "../load";
import { leftShort } from "../parts/amount";
import { Notice, Waiting } from "../parts/notice";
import { Odds } from "../parts/odds";
import { momentWords } from "../parts/time";
import { linkTo } from "../route";
import { useSession } from "../session";
import "./budget.css";

const FRESH_MS = 20_000; /* reload interval, to show what others spend */

const DAY_MS = 86_400_000;

/* When the oldest charge in the window leaves it. */
function roomAgain(me: AnalystBudget, history: History): string | null {
  const now = Date.parse(history.now), span = (me.window_days ?? 0) * DAY_MS;
  const oldest = history.lines.find((l) => l.who === me.name)?.points.find((p) => Date.parse(p.time) > now - span);
  return oldest ? momentWords(new Date(Date.parse(oldest.time) + span).toISOString()) : null;
}

/* `cap`: the policy's maximum price of one question; null if not known yet. */
function MostOfOne({ left, cap }: { left: Amount; cap: Amount | null }) {
  if (cap === null) return <Waiting />;
  if (Number(cap) >= Number(left)) return (
    <p>A single question may cost at most <strong class="left">ε {leftShort(left)}</strong>: that is all that is left. Cheaper questions make it last longer.</p>
  );
  return (
    <p>A single question may cost at most <strong class="left">ε {leftShort(cap)}</strong>, the policy’s
      cap. The budget has room for <strong>ε {leftShort(left)}</strong>.</p>
  );
}

function Summary({ budget, history, owner }: { budget: Budget; history: History; owner: boolean }) {
  const { api } = useSession();
  const schema = useLoaded(() => api.schema(), [api]);
  const [me] = budget.analysts;
  const mine = owner ? budget.common?.left_epsilon : me?.remaining.epsilon;
  const gone = mine !== undefined && Number(mine) === 0;
  const refills = !owner && me && Number(me.left_epsilon) > 0;
  const again = refills ? roomAgain(me, history) : null;
  const named = budgetsOf(budget, owner).filter((n) => !owner || n.balance === budget.common);
  return (
    <section class="card" aria-labelledby="left">
      <h2 id="left">What is left</h2>
      {mine === undefined ? <p>There is no budget.</p> : gone ? (
        <p class="news">
          Nothing is left{refills ? " for now" : ""}. New questions are rejected; earlier answers stay free, and you
          can <a href={linkTo("ask")}>still look up prices</a>.
          {refills ? ` Each charge counts in your window for ${me.window_days} days${again ? `; there is room again from ${again}` : ""}.`
            : " Only the owner can change that."}
        </p>
      ) : (
        <MostOfOne left={mine} cap={schema.value?.query.max_epsilon ?? null} />
      )}
      {named.map((n) => <Meter of={n} />)}
      {!owner && named.length === 0 && (
        <p class="soft">You have no budget of your own: you share the common one.</p>
      )}
    </section>
  );
}

function Course({ history, who, pick }: { history: History; who: string | null; pick: (who: string | null) => void }) {
  const now = new Date(history.now);
  const line = history.lines.find((l) => l.who === who) ?? history.lines[0];
  if (!line) return null;
  const forecast = forecastOf(line, now);
  return (
    <section class="card" aria-labelledby="course">
      <div class="row between">
        <h2 id="course">Spending over time</h2>
        {history.lines.length > 1 && (
          <label class="plain">Analyst <select value={line.who ?? ""} onChange={(e) => pick(e.currentTarget.value || null)}>
            {history.lines.map((l) => <option value={l.who ?? ""}>{l.who ?? "all analysts"}</option>)}
          </select></label>
        )}
      </div>
      <p aria-live="polite"><strong>{forecastWords(forecast, line, now)}</strong></p>
      {line.points.length > 0 && <BurnDown line={line} now={now} forecast={forecast} />}
    </section>
  );
}

/* `charges`: how many there are; the odds are loaded again when this changes. */
function Meaning({ charges }: { charges: number }) {
  const { api } = useSession();
  const risk = useLoaded(() => api.risk(), [charges]);
  const [first, ...others] = risk.value?.sentences ?? [];
  return (
    <section class="card" aria-labelledby="meaning">
      <h2 id="meaning">What it means for a person in the data</h2>
      {risk.refused && <Notice of={risk.refused} />}
      {risk.value ? (
        <>
          <Odds risk={risk.value}><p>{first}</p></Odds>
          <ul class="words">{others.map((s) => <li>{s}</li>)}</ul>
          <p class="soft"><a href={linkTo("learn")}>What does ε mean?</a></p>
        </>
      ) : !risk.refused && <Waiting />}
    </section>
  );
}

function Glossary() {
  return (
    <details class="glossary">
      <summary>What are ε, ρ and δ?</summary>
      <dl>
        <dt>ε (epsilon)</dt>
        <dd>How much an answer may reveal about one person. Costs in ε simply add up.</dd>
        <dt>ρ (rho)</dt>
        <dd>Another measure of the same cost, in which many small answers together cost less. A budget with a
          δ may be counted in ρ; it still keeps its promise in ε and δ.</dd>
        <dt>δ (delta)</dt>
        <dd>A very small chance, fixed by the owner, that the promise in ε does not hold. Some questions, such as
          those that look for unknown groups, use up part of it.</dd>
      </dl>
    </details>
  );
}

export function BudgetPage() {
  const { api, me } = useSession();
  const budget = useLoaded(() => api.budget());
  const history = useLoaded(() => api.history());
  const [who, setWho] = useState<string | null>(null);
  useEffect(() => {
    const timer = setInterval(() => { budget.again(); history.again(); }, FRESH_MS);
    return () => clearInterval(timer);
  }, [budget.again, history.again]);

  const refused = budget.refused ?? history.refused;
  const budgets = budget.value ? budgetsOf(budget.value, me.owner) : [];
  return (
    <div class="budget">
      <h1>Budget</h1>
      {refused && <Notice of={refused} />}
      {budget.value && history.value ? (
        <>
          <div class="two">
            <div class="stack">
              <Summary budget={budget.value} history={history.value} owner={me.owner} />
              <Course history={history.value} who={who} pick={setWho} />
            </div>
            <Meaning charges={budget.value.common?.charges ?? budget.value.analysts[0]?.charges ?? 0} />
          </div>
          {me.owner && (
            <section class="card" aria-labelledby="analysts">
              <h2 id="analysts">Spending by analyst</h2>
              <Analysts of={budget.value.analysts} history={history.value} shown={who} show={(whose) => {
                setWho(whose);
                document.getElementById("course")?.scrollIntoView({ block: "nearest" });
              }} />
            </section>
          )}
          <section class="card" aria-labelledby="currencies">
            <h2 id="currencies">In ε, ρ and δ</h2>
            <Sums of={budget.value} owner={me.owner} />
            {budgets.length > 0 && <Currencies of={budgets} />}
            <Glossary />
          </section>
        </>
      ) : !refused && <Waiting />}
    </div>
  );
}
