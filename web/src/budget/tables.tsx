/* Budgets in numbers, in each currency; for the owner, also by analyst. */
import type { AnalystBudget, Balance, Budget, History, HistoryLine } from "../api";
import { leftShort, spentShort } from "../parts/amount";
import { beginning, nameOf, Spark } from "./burndown";
import { forecastOf, isSpent } from "./forecast";

export interface Named { name: string; about: string; balance: Balance }

/* Every budget that the user may see: the common one, then each analyst's. */
export function budgetsOf(budget: Budget, owner: boolean): Named[] {
  const named: Named[] = [];
  if (budget.common) named.push({ name: "all analysts", about: "what they may learn about one person, together", balance: budget.common });
  for (const a of budget.analysts) {
    const whose = owner ? a.name : "you";
    if (a.own) named.push({ name: whose, about: `${owner ? a.name + "'s" : "your"} own budget`, balance: a.own });
    if (a.window) named.push({ name: `${whose}, ${a.window_days} days`, about: `a charge counts here for ${a.window_days} days, then there is room again`, balance: a.window });
  }
  return named;
}

export function Meter({ of: { name, about, balance } }: { of: Named }) {
  const sign = balance.currency === "epsilon" ? "ε" : "ρ";
  const used = Math.min(1, Number(balance.spent) / Number(balance.limit) || 0);
  const words = `${sign} ${spentShort(balance.spent)} of ${leftShort(balance.limit)} spent`;
  return (
    <div class="meter-line">
      <div class="meter-words"><strong>{name}</strong> <span class="soft">{about}</span><span class="meter-sum">{words}</span></div>
      <div class={used >= 0.9 ? "meter full" : "meter"} role="meter" aria-label={`${name}: ${words}`}
        aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(used * 100)} aria-valuetext={words}>
        <div style={{ width: `${used * 100}%` }} />
      </div>
    </div>
  );
}

/* Rounded amounts, with all digits in the tooltip. */
const Left = ({ of }: { of: string }) => <span title={of}>{leftShort(of)}</span>;
const Spent = ({ of }: { of: string }) => <span title={of}>{spentShort(of)}</span>;

/* The sums of all charges; each currency by itself bounds what was revealed. */
export function Sums({ of, owner }: { of: Budget; owner: boolean }) {
  const lines = [
    ...(of.spent ? [{ name: "all analysts", charges: of.common?.charges, spent: of.spent }] : []),
    ...of.analysts.map((a) => ({ name: owner ? a.name : "you", charges: a.charges, spent: a.spent })),
  ];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="All charges added up">
      <table>
        <thead>
          <tr>
            <th scope="col">charges of</th><th scope="col" class="number">charges</th>
            <th scope="col" class="number">ε</th><th scope="col" class="number">ρ</th><th scope="col" class="number">δ</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, charges, spent }) => (
            <tr>
              <th scope="row">{name}</th>
              <td class="number">{charges}</td>
              <td class="number"><Spent of={spent.epsilon} /></td>
              <td class="number"><Spent of={spent.rho} /></td>
              <td class="number"><Spent of={spent.delta} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Currencies({ of }: { of: Named[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Budgets in each currency">
      <table>
        <thead>
          <tr>
            <th scope="col">budget of</th><th scope="col">promise</th><th scope="col">counted in</th>
            <th scope="col" class="number">spent</th><th scope="col" class="number">limit</th>
            <th scope="col" class="number">δ spent</th><th scope="col" class="number">δ limit</th>
            <th scope="col" class="number">remaining</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ name, balance: b }) => (
            <tr>
              <th scope="row">{name}</th>
              <td>ε <Left of={b.epsilon} />, δ <Left of={b.delta} /></td>
              <td>{b.currency === "epsilon" ? "ε" : "ρ"}</td>
              <td class="number"><Spent of={b.spent} /></td>
              <td class="number"><Left of={b.limit} /></td>
              <td class="number"><Spent of={b.query_delta_spent} /></td>
              <td class="number"><Left of={b.query_delta_limit} /></td>
              <td class="number">ε <Left of={b.left_epsilon} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

function lasts(line: HistoryLine | undefined, now: Date): string {
  if (line && isSpent(line)) return "spent";
  const end = line && forecastOf(line, now)?.end;
  return end ? day.format(end) : "–";
}

export function Analysts({ of, history, shown, show }: {
  of: AnalystBudget[]; history: History; shown: string | null; show: (who: string | null) => void;
}) {
  const now = new Date(history.now);
  const lines = new Map(history.lines.map((l) => [l.who, l]));
  const from = beginning(history.lines, now);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Analysts">
      <table>
        <thead>
          <tr>
            <th scope="col">who</th><th scope="col" class="number">answers</th><th scope="col">spent over time</th>
            <th scope="col" class="number">spent</th><th scope="col" class="number">remaining</th>
            <th scope="col">own budget lasts until</th><th scope="col"><span class="unseen">chart</span></th>
          </tr>
        </thead>
        <tbody>
          {of.map((a) => {
            const line = lines.get(a.name);
            const last = line?.points.at(-1);
            return (
              <tr>
                <th scope="row">{a.name}</th>
                <td class="number">{a.charges}</td>
                <td>{line && <Spark line={line} from={from} now={now} />}</td>
                <td class="number">{last && line ? <>{line.currency === "epsilon" ? "ε" : "ρ"} <Spent of={last.spent} /></> : "0"}</td>
                <td class="number">ε <Left of={a.remaining.epsilon} /></td>
                <td>{lasts(line, now)}</td>
                <td>{line && (
                  <button type="button" class="quiet small" aria-pressed={shown === a.name}
                    aria-label={`Show the chart of ${nameOf(line)}`}
                    onClick={() => show(shown === a.name ? null : a.name)}>Chart</button>
                )}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
