/* When a question fails: what the failure means, and what the user can still do. */
import type { Amount, AnalystBudget, Cost, Refused } from "../api";
import { useLoaded } from "../load";
import { costShort, leftShort } from "../parts/amount";
import { Notice } from "../parts/notice";
import { linkTo } from "../route";
import { useSession } from "../session";

/* The analyst's window, if less remains in it than in the budget. */
function useWindow(turn: unknown): AnalystBudget | null {
  const { api, me } = useSession();
  const { value } = useLoaded(() => api.budget(), [api, turn]);
  const mine = me.owner ? undefined : value?.analysts[0];
  return mine?.window && mine.remaining.epsilon !== mine.left_epsilon ? mine : null;
}

function Why({ slowed }: { slowed: AnalystBudget | null }) {
  if (!slowed?.window) return (
    <p>
      Every answer reveals a little about people, and that adds up. The owner promised them a limit,
      and nothing refills it, neither time nor a new login.
    </p>
  );
  return (
    <p>
      You may spend ε {leftShort(slowed.window.epsilon)} in {slowed.window_days} days. Each charge counts in this window for
      {" "}{slowed.window_days} days, then there is room again. The budget itself is never refilled; ε
      {" "}{leftShort(slowed.left_epsilon)} of it remains.
    </p>
  );
}

/* The budget does not cover the question: the page knew before, or the server said so. */
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
        You can still {left !== null && !none && <>ask a cheaper, less accurate question (ε {leftShort(left)} is
        left), </>}see your earlier answers again for free, look up the price of any question, and query
        public tables. <a href={linkTo("budget")}>See where the budget went</a>
      </p>
    </div>
  );
}

export function Failed({ refused, price }: { refused: Refused; price: Cost | null }) {
  if (refused.spent) return <Spent said={refused.message} left={null} />;
  if (refused.gone) return (
    <div class="news bad" role="alert">
      <p><strong>The connection to the server was lost before the answer came.</strong></p>
      <p>
        {price !== null && <>{costShort(price)} may have been charged. </>}Your text is kept. When the server is back, the
        button says whether the answer was stored; if so, it is free.
      </p>
    </div>
  );
  const after = refused.status === 500 || refused.status === 504;
  return (
    <Notice of={refused}>
      {after && price !== null && (
        <p class="soft">{costShort(price)} stays charged: whether a question fails may depend on the data,
          so a refund could reveal something about it.</p>
      )}
      {refused.status === 503 && (
        <p class="soft">Nothing is lost. Try again{refused.wait ? ` in ${refused.wait} seconds` : " in a moment"}.</p>
      )}
    </Notice>
  );
}

export function Cancelled({ price }: { price: Cost | null }) {
  return (
    <div class="news" role="status">
      <p><strong>Cancelled.</strong> {price !== null && <>{costShort(price)} stays charged.</>}</p>
      <p class="soft">If the answer was sent before you cancelled, it is stored: asking again is free, and the button says so.</p>
    </div>
  );
}
