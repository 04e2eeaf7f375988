/* How the server is doing: a few important numbers, and all others below. */
import type { OwnerHealth } from "../api";
import { grouped } from "../parts/decimal";
import { durationWords } from "../parts/time";

const plain = (fact: string) => fact.replace(/_total$/, "").replaceAll("_", " ");

function Fact({ name, value }: { name: string; value: string | number | boolean | undefined }) {
  return <div class="fact"><dt>{name}</dt><dd>{value === undefined ? "–" : typeof value === "number" ? grouped(String(value)) : String(value)}</dd></div>;
}

export function Health({ of }: { of: OwnerHealth }) {
  const up = of.uptime_seconds;
  return (
    <section class="card" aria-labelledby="health-title">
      <h2 id="health-title">Health</h2>
      <dl class="facts">
        <Fact name="custos" value={of.version} />
        <Fact name="up for" value={typeof up === "number" ? durationWords(up) : undefined} />
        <Fact name="questions asked" value={of.questions_total} />
        <Fact name="running now" value={of.running} />
        <Fact name="logins refused" value={of.logins_failed_total} />
        <Fact name="ledger rows" value={of.ledger_rows} />
        <Fact name="failures since resume" value={of.failures_since_resume} />
        <Fact name="suspended" value={of.all_suspended ? "everybody" : of.suspended || "nobody"} />
      </dl>
      <details>
        <summary>All counts since the start</summary>
        <dl class="facts all">
          {Object.entries(of).map(([name, value]) => <Fact name={plain(name)} value={value} />)}
        </dl>
      </details>
    </section>
  );
}
