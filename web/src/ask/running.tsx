/* While a question runs: how long it has run, and what cancelling means. */
import { useEffect, useState } from "preact/hooks";
import type { Cost } from "../api";
import { costShort } from "../parts/amount";

const SLOW_S = 5;
const TICK_MS = 100;

function useElapsed(since: number): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [since]);
  return Math.max(0, (now - since) / 1000);
}

export function Running({ since, price, cancel }: {
  since: number; price: Cost | null; cancel(): void;
}) {
  const seconds = useElapsed(since);
  return (
    <section class="card running" aria-label="Question running">
      <div class="row">
        <span class="spin" aria-hidden="true" />
        <strong role="status">Asking …</strong>
        <span class="elapsed" aria-hidden="true">{seconds.toFixed(1)} s</span>
        <button type="button" class="danger" onClick={cancel} aria-describedby="cancel-means">Cancel</button>
      </div>
      <p id="cancel-means" class="soft">
        {price !== null
          ? <>{costShort(price)} is charged before the data is read. Cancelling does not refund it.</>
          : <>This question is free.</>}
      </p>
      <p class="soft">
        The answer leaves at a time fixed in advance, so that the wait reveals nothing about the data.
      </p>
      {seconds > SLOW_S && (
        <p class="news" role="status">
          This is taking a while: the tables are large, or other questions are running. You can look at
          other pages meanwhile; the answer will be here.
        </p>
      )}
    </section>
  );
}
