/* Bad news of a question, each with what it means and what can still be done. */
import type { Amount, AnalystBudget, Refused } from "../api";
import { useLoaded } from "../load";
import { leftShort, spentShort } from "../parts/amount";
import { Notice } from "../parts/notice";
import { linkTo } from "../route";
import { useSession } from "../session";

/* The window of who asks, where it has less left than the budget. */
function useWindow(turn: unknown): AnalystBudget | null {
  const { api, me } = useSession();
  const { value } = useLoaded(() => api.budget(), [api, turn]);
  const mine = me.owner ? undefined : value?.analysts[0];
  return mine?.window && Number(mine.window.left_epsilon) < Number(mine.left_epsilon) ? mine : null;
}

function Why({ slowed }: { slowed: AnalystBudget | null }) {
  if (!slowed?.window) return (
    <p>
      Every answer tells a little about people, and it adds up. The owner promised them a limit,
      and nothing refills it: not time, not a new login.
    </p>
  );
  return (
    <p>
      You may spend ε {leftShort(slowed.window.epsilon)} in {slowed.window_days} days. Each charge counts in this window for
      {" "}{slowed.window_days} days; then there is room again. The budget itself does not refill: it has ε
      {" "}{leftShort(slowed.left_epsilon)} left.
    </p>
  );
}

/* Before asking, and after the server has said so. */
export function Spent({ said, left }: { said?: string; left: Amount | null }) {
  const none = left !== null && Number(left) === 0;
  const slowed = useWindow(left);
  const what = slowed ? "Your window" : "Your budget";
  return (
    <div class="news" role="status">
      <p><strong>{none ? `${what} is spent${slowed ? " for now" : ""}.` : `${what} does not cover this question.`}</strong>
        {said && <> The server says: {said}.</>}</p>
      <Why slowed={slowed} />
      <p>
        Still possible: {left !== null && !none && <>a cheaper, rougher question (ε {leftShort(left)} is
        left); </>}all answers you already had, shown again free; the price of any question;
        public tables. <a href={linkTo("budget")}>Where it went</a>
      </p>
    </div>
  );
}

export function Failed({ refused, price }: { refused: Refused; price: Amount | null }) {
  if (refused.spent) return <Spent said={refused.message} left={null} />;
  if (refused.gone) return (
    <div class="news bad" role="alert">
      <p><strong>The server went away while it answered.</strong></p>
      <p>
        {price !== null && <>ε {spentShort(price)} may be charged. </>}Your text is kept. When the server is back, the
        button says whether the answer was stored; then it is free.
      </p>
    </div>
  );
  const after = refused.status === 500 || refused.status === 504;
  return (
    <Notice of={refused}>
      {after && price !== null && (
        <p class="soft">ε {spentShort(price)} stays charged: that a question fails could itself tell something
          about the data, so a refund would too.</p>
      )}
      {refused.status === 503 && (
        <p class="soft">Nothing is lost. Try again{refused.wait ? ` in ${refused.wait} seconds` : " in a moment"}.</p>
      )}
    </Notice>
  );
}

export function Cancelled({ price }: { price: Amount | null }) {
  return (
    <div class="news" role="status">
      <p><strong>Cancelled.</strong> {price !== null && <>ε {spentShort(price)} stays charged.</>}</p>
      <p class="soft">If the server finished it all the same, the answer is stored, and the button says that it is free.</p>
    </div>
  );
}
