/*
 * Accuracy or price: one slider, and an input for each of the two. The slider sets
 * the price; if the user sets an accuracy instead, it shows what that costs.
 */
import type { Plan, Schema } from "../api";
import { brief } from "../parts/decimal";
import { NO_PRICE, type Draft } from "./draft";

const STEPS = 150;
const DECADES = 3; /* the slider goes down to a thousandth of the largest price */

/* A price with three digits. With fewer, neighbouring slider positions would have the
   same price, and an arrow key could not move the slider. */
export function priceAt(place: number, most: string): string {
  if (place >= STEPS) return most;
  const epsilon = Number(most) * 10 ** (DECADES * (place / STEPS - 1));
  const digits = Math.max(0, 2 - Math.floor(Math.log10(epsilon)));
  return String(Number(epsilon.toFixed(Math.min(digits, 20))));
}

export function placeOf(epsilon: string, most: string): number {
  const place = STEPS * (1 + Math.log10(Number(epsilon) / Number(most)) / DECADES);
  return Number.isFinite(place) ? Math.round(Math.min(Math.max(place, 0), STEPS)) : 0;
}

function expected(plan: Plan | null): string {
  const known = plan?.columns.find((c) => c.within !== null);
  return known ? `, ${known.name} within ± ${brief(known.within!)}` : "";
}

export function Choice({ draft, plan, rules, fixed, change }: {
  draft: Draft;
  plan: Plan | null;
  rules: Schema["query"];
  fixed: boolean; /* the query text sets its own price */
  change(part: Partial<Draft>): void;
}) {
  const most = rules.max_epsilon;
  const paid = draft.by === "epsilon" && !fixed ? draft.epsilon || rules.epsilon : plan?.cost.epsilon ?? rules.epsilon;
  return (
    <fieldset class="choice" disabled={fixed}>
      <legend>Accuracy or price</legend>
      <input type="range" min="0" max={STEPS} value={placeOf(paid, most)}
        aria-label="Accuracy against price" aria-valuetext={`epsilon ${brief(paid)}${expected(plan)}`}
        onInput={(e) => change({ by: "epsilon", epsilon: priceAt(Number(e.currentTarget.value), most) })} />
      <div class="ends" aria-hidden="true">
        <span>cheaper</span><span>more accurate</span>
      </div>
      {fixed ? <p class="soft">The query sets its own price.</p> : (
        <div class="ways">
          <label class="way">
            <input type="radio" name="by" checked={draft.by === "epsilon"}
              onChange={() => change({ by: "epsilon" })} />
            Pay ε
            <input type="text" inputMode="decimal" aria-label="Epsilon to pay" value={draft.epsilon}
              placeholder={rules.epsilon} spellcheck={false} autocomplete="off"
              onInput={(e) => change({ by: "epsilon", epsilon: e.currentTarget.value })} />
          </label>
          <label class="way">
            <input type="radio" name="by" checked={draft.by === "within"}
              onChange={() => change({ by: "within" })} />
            Within ±
            <input type="text" inputMode="decimal" aria-label="Desired accuracy, plus or minus" value={draft.within}
              placeholder={plan?.columns.find((c) => c.within !== null)?.within ?? "20"}
              spellcheck={false} autocomplete="off"
              onInput={(e) => change({ by: "within", within: e.currentTarget.value })} />
          </label>
        </div>
      )}
      {!fixed && draft[draft.by].trim() && (
        <p class="soft once">
          For this question only. The next one costs ε {brief(rules.epsilon)}, the policy’s default.{" "}
          <button type="button" class="quiet small" onClick={() => change(NO_PRICE)}>Use ε {brief(rules.epsilon)}</button>
        </p>
      )}
    </fieldset>
  );
}
