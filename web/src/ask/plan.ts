/*
 * The price of the text in the editor, from EXPLAIN. It is requested a moment after
 * the last change, and an older request is dropped. The last plan stays visible until
 * the next one arrives, so that the panel does not flicker.
 */
import { useEffect, useState } from "preact/hooks";
import { Refused, type Plan, type Question } from "../api";
import { useSession } from "../session";

const PAUSE_MS = 200;
const AGAIN_MS = 2000; /* until the next try if the server does not answer */

export interface Planned {
  plan: Plan | null;
  refused: Refused | null;
  /* Does the plan belong to the current text? */
  fresh: boolean;
}

/* A change of `turn` requests the plan again, for instance after a charge. */
export function usePlan(question: Question | null, turn: number): Planned {
  const { api, trouble } = useSession();
  const [state, setState] = useState<Planned & { of: string }>(
    { plan: null, refused: null, fresh: false, of: "" });
  const [again, setAgain] = useState(0);
  const of = JSON.stringify([question, turn]);

  useEffect(() => {
    if (!question) {
      setState({ plan: null, refused: null, fresh: true, of });
      return;
    }
    const stop = new AbortController();
    let timer = setTimeout(() => {
      api.explain(question, stop.signal).then(
        (plan) => setState({ plan, refused: null, fresh: true, of }),
        (e) => {
          if (stop.signal.aborted) return;
          if (!(e instanceof Refused)) throw e;
          if (e.gone) timer = setTimeout(() => setAgain((n) => n + 1), AGAIN_MS);
          if (!trouble(e)) setState({ plan: null, refused: e, fresh: true, of });
        });
    }, PAUSE_MS);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [of, again, api]);

  return { ...state, fresh: state.fresh && state.of === of };
}
