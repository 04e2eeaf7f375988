/* A promise as odds: how often the best test is right, and its trade-off curve. */
import type { ComponentChildren } from "preact";
import type { Risk } from "../api";
import { atMost } from "./percent";
import { Tradeoff } from "./tradeoff";
import { Waffle } from "./waffle";
import "./odds.css";

export function Odds({ risk, children }: { risk: Risk; children: ComponentChildren }) {
  return (
    <>
      <div class="odds">
        <Waffle success={risk.success} />
        <div>
          <p class="big">{atMost(risk.success)}</p>
          {children}
          <p class="odds-keys soft">
            <span><i class="odds-key by-chance" />right by chance</span>{" "}
            <span><i class="odds-key by-test" />right because of the answers</span>{" "}
            <span><i class="odds-key wrong" />wrong</span>
          </p>
        </div>
      </div>
      <Tradeoff risk={risk} height={200} />
    </>
  );
}
