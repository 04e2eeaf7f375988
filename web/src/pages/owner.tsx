/*
 * Owner: the policy and data in force, who has access, and what to do if a proof is
 * wrong. Every act here becomes a row of the ledger, as on the command line.
 */
import { useRef } from "preact/hooks";
import { useLoaded, type Loaded } from "../load";
import { Analysts } from "../owner/analysts";
import { Health } from "../owner/health";
import { DataVersions, Policy } from "../owner/policy";
import { Recall } from "../owner/recall";
import { Notice, Waiting } from "../parts/notice";
import { useSession } from "../session";
import "./owner.css";

function Part<T>({ of, show }: { of: Loaded<T>; show: (value: T) => preact.ComponentChild }) {
  return <>{of.refused ? <Notice of={of.refused} /> : of.value ? show(of.value) : <Waiting />}</>;
}

/* Requests the health facts after the rest of the page has loaded, and one request at a
   time: the server counts other running requests, but not this one itself. */
function HealthAfter({ rest }: { rest: unknown[] }) {
  const { api } = useSession();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const health = useLoaded(() => {
    const next = last.current.then(() => api.ownerHealth());
    last.current = next.catch(() => {});
    return next;
  }, [api, ...rest]);
  return <Part of={health} show={(v) => <Health of={v} />} />;
}

function Inside() {
  const { api } = useSession();
  const analysts = useLoaded(() => api.ownerAnalysts(), [api]);
  const policy = useLoaded(() => api.ownerPolicy(), [api]);
  const data = useLoaded(() => api.ownerData(), [api]);
  const parts = [analysts, policy, data];
  const all = () => parts.forEach((l) => l.again());
  return (
    <div class="owner">
      <Part of={analysts} show={(v) => <Analysts of={v} again={analysts.again} />} />
      <div class="two">
        <Part of={policy} show={(v) => <Policy of={v} again={all} />} />
        <div class="owner">
          {parts.every((l) => l.value || l.refused) ? <HealthAfter rest={parts.map((l) => l.value)} /> : <Waiting />}
          <Part of={data} show={(v) => <DataVersions of={v} />} />
        </div>
      </div>
      <Recall />
    </div>
  );
}

export function OwnerPage() {
  const { me } = useSession();
  return (
    <>
      <h1>Owner</h1>
      {me.owner ? <Inside /> : (
        <p class="news">
          This page is for the owner of the data: <code>custos owner token</code> prints the token for it.
        </p>
      )}
    </>
  );
}
