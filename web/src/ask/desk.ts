/*
 * The running question and the answers so far. They belong to the user and not to a
 * page: a paid answer is not lost if the user leaves the page while waiting, and
 * whoever logs in with another token does not see it.
 */
import { useEffect, useState } from "preact/hooks";
import { Refused, type Answer, type Api, type Cost, type Question } from "../api";
import { useSession } from "../session";

/* `inRho`: the budget is counted in rho, so the remaining epsilon does not fall by the cost. */
export interface Asked { question: Question; answer: Answer; inRho: boolean }
/* `price`: what the question was to cost; null if it was free. `told`: the page has
   already reported this failure (server gone, token invalid) and must not repeat it. */
export type Run =
  | { kind: "idle" }
  | { kind: "running"; question: Question; price: Cost | null; since: number }
  | { kind: "done"; asked: Asked }
  | { kind: "failed"; question: Question; price: Cost | null; refused: Refused; told: boolean }
  | { kind: "cancelled"; question: Question; price: Cost | null };

const KEPT = 50; /* how many answers are kept */

class Desk {
  run: Run = { kind: "idle" };
  answers: Asked[] = [];
  readonly watchers = new Set<() => void>();
  private stop: AbortController | null = null;

  constructor(private readonly api: Api) {}

  private turn(run: Run) {
    this.run = run;
    for (const tell of this.watchers) tell();
  }

  async ask(question: Question, price: Cost | null, inRho: boolean) {
    if (this.run.kind === "running") return;
    const stop = (this.stop = new AbortController());
    this.turn({ kind: "running", question, price, since: performance.now() });
    try {
      const answer = await this.api.query(question, stop.signal);
      const asked = { question, answer, inRho };
      this.answers = [asked, ...this.answers].slice(0, KEPT);
      this.turn({ kind: "done", asked });
    } catch (e) {
      if (stop.signal.aborted) this.turn({ kind: "cancelled", question, price });
      else if (e instanceof Refused) this.turn({ kind: "failed", question, price, refused: e, told: false });
      else throw e;
    }
  }

  cancel() { this.stop?.abort(); }
  show(asked: Asked) { if (this.run.kind !== "running") this.turn({ kind: "done", asked }); }
  byReceipt(receipt: string) { return this.answers.find((a) => a.answer.receipt === receipt); }
}

const desks = new WeakMap<Api, Desk>();

export function useDesk(): Desk {
  const { api, trouble } = useSession();
  const [, setTurn] = useState(0);
  let desk = desks.get(api);
  if (!desk) desks.set(api, desk = new Desk(api));
  const { watchers, run } = desk;
  useEffect(() => {
    const tell = () => setTurn((n) => n + 1);
    watchers.add(tell);
    return () => { watchers.delete(tell); };
  }, [watchers]);
  useEffect(() => {
    if (run.kind !== "failed" || run.told) return;
    run.told = true;
    trouble(run.refused);
  }, [run]);
  return desk;
}
