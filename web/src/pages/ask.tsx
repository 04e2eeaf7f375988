/*
 * Ask: write a question, see its price and expected error before asking it, and read
 * the answer with its cost and error bars.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Refused, Schema } from "../api";
import { Choice } from "../ask/choice";
import { completeFrom } from "../ask/complete";
import { useDesk } from "../ask/desk";
import { asksForPlan, namesPrice, NO_PRICE, questionOf, useDraft, type Draft } from "../ask/draft";
import { examplesOf } from "../ask/example";
import { History } from "../ask/history";
import { usePlan } from "../ask/plan";
import { countsInRho, fareOf, Price } from "../ask/price";
import { Result } from "../ask/result";
import { Running } from "../ask/running";
import { Cancelled, Failed, Spent } from "../ask/trouble";
import { DIALECT } from "../ask/words";
import { useLoaded } from "../load";
import { costShort } from "../parts/amount";
import { Editor } from "../parts/editor";
import { Notice, Waiting } from "../parts/notice";
import { linkTo, usePlace } from "../route";
import { useSession } from "../session";
import "./ask.css";

const EDITOR_KEYS = "Control and Enter asks the question. Tab indents; Escape, then Tab leaves the editor.";

const MOD = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
const LOWEST = 0.6; /* if an answer begins below this part of the window, scroll to it */

/* Line and column of a position in the text, both counted from 1. */
function placeIn(text: string, position: number): string {
  const before = [...text].slice(0, position - 1).join("");
  const line = before.split("\n").length;
  const column = [...before.slice(before.lastIndexOf("\n") + 1)].length + 1;
  return `line ${line}, column ${column}`;
}

function Refusal({ of, sql }: { of: Refused; sql: string }) {
  return (
    <div class="refusal">
      <p>{of.position !== null && <span class="soft">{placeIn(sql, of.position)}: </span>}{of.message}</p>
      {of.hint && <p class="hint">{of.hint}</p>}
    </div>
  );
}

/* Says that the answer below does not belong to the text in the editor. */
function Earlier({ sql }: { sql: string }) {
  return (
    <div class="earlier" role="note">
      <p>This belongs to an earlier question, not to the text above:</p>
      <pre tabIndex={0}>{sql}</pre>
    </div>
  );
}

function Asking({ schema }: { schema: Schema }) {
  const { me } = useSession();
  const desk = useDesk();
  const { draft, change, fresh: newcomer } = useDraft(me);
  const [put, setPut] = useState<{ text: string } | null>(null);
  const [turn, setTurn] = useState(0);
  const news = useRef<HTMLDivElement>(null);

  const examples = useMemo(() => examplesOf(schema), [schema]);
  const complete = useMemo(() => completeFrom(schema), [schema]);
  const question = questionOf(draft);
  const { plan, refused, fresh } = usePlan(question, turn);
  const fare = plan && fareOf(plan, asksForPlan(draft.sql));
  const { run } = desk;
  const seen = useRef(run);
  const busy = run.kind === "running";
  const asked = run.kind === "idle" ? null : run.kind === "done" ? run.asked.question.sql : run.question.sql;
  const earlier = asked !== null && asked !== draft.sql ? asked : null;
  const ready = !busy && fresh && plan !== null && fare !== "beyond" && question !== null;

  const priced = useRef<string | null>(null);
  /* Replaces the text by one that the user did not type. That is a new question, so it
     has the policy's price. */
  const write = useCallback((sql: string) => {
    priced.current = null;
    change(NO_PRICE);
    setPut({ text: sql });
  }, []);

  /* `priced` is the text that was asked at the price now set. If the text changes, it is
     a new question, and that price no longer applies. */
  const typed = (sql: string) => {
    const next = priced.current !== null && sql !== priced.current;
    if (next) priced.current = null;
    change(next ? { sql, ...NO_PRICE } : { sql });
  };

  /* A link may contain a question. It is put into the editor once, since going back must not
     undo later edits, and it is never asked automatically. */
  const place = usePlace();
  const brought = place.args.get("sql");
  useEffect(() => {
    if (brought === null && newcomer && examples[0]) write(examples[0].sql);
  }, []);
  useEffect(() => {
    if (brought === null) return;
    write(brought);
    history.replaceState(null, "", linkTo("ask"));
  }, [place]);

  /* A charge changes prices: the question may now be cached, or cost more than remains. */
  useEffect(() => {
    if (run === seen.current || run.kind === "running") return;
    seen.current = run;
    setTurn((n) => n + 1);
    const answer = news.current!;
    if (answer.getBoundingClientRect().top > innerHeight * LOWEST) answer.scrollIntoView({ block: "start" });
  }, [run]);

  const ask = () => {
    if (!ready) return;
    priced.current = draft.sql;
    void desk.ask(question, fare === "paid" ? plan.cost : null, fare === "paid" && countsInRho(plan));
  };
  const take = useCallback(({ sql, ...price }: Partial<Draft>, receipt: string | null) => {
    if (sql !== undefined) {
      write(sql);
      priced.current = sql;
    }
    change(price);
    const asked = receipt && desk.byReceipt(receipt);
    if (asked) desk.show(asked);
  }, [desk]);
  const fault = useMemo(() => (refused && refused.position !== null
    ? { position: refused.position, message: refused.message } : null), [refused]);

  return (
    <>
      <header class="opening">
        <h1>Ask</h1>
        <div class="examples" role="group" aria-label="Examples">
          <span class="soft">Try</span>
          {examples.map((e) => (
            <button type="button" class="quiet small" onClick={() => write(e.sql)}>{e.title}</button>
          ))}
        </div>
      </header>
      <div class="ask">
        <div class="writing">
          <div class="card sheet">
            <Editor initial={draft.sql} put={put} label="Your question in SQL" describedBy={EDITOR_KEYS}
              hint="SELECT count(*) FROM …" dialect={DIALECT} fault={fault} complete={complete}
              onChange={typed} onRun={ask} />
          </div>
          <div class="said" aria-live="polite">
            {refused && <Refusal of={refused} sql={draft.sql} />}
            {fare === "beyond" && <Spent left={plan!.remaining?.epsilon ?? null} />}
          </div>
          <div class="row doing">
            <button type="button" class="ask-button" onClick={ask} disabled={!ready}>
              {fare === "plan" ? "Show the plan, free" : fare === "stored" ? "Show again, free" : fare === "public" ? "Ask, free"
                : plan ? <>Ask for {costShort(plan.cost)}</> : "Ask"}
            </button>
            <span class="soft keys"><kbd>{MOD}</kbd> <kbd>Enter</kbd></span>
          </div>
        </div>
        <Price plan={plan} fare={fare} fresh={fresh}>
          <Choice draft={draft} plan={plan} rules={schema.query} fixed={namesPrice(draft.sql)} change={change} />
        </Price>
        <div class="outcome" ref={news}>
          <p class="unseen" role="status">
            {run.kind === "done" && (run.asked.answer.kind === "plan" ? "The plan is ready."
              : `The answer is ready: ${run.asked.answer.rows.length} rows.`)}
          </p>
          {earlier !== null && <Earlier sql={earlier} />}
          {run.kind === "running" && <Running since={run.since} price={run.price} cancel={() => desk.cancel()} />}
          {run.kind === "failed" && <Failed refused={run.refused} price={run.price} />}
          {run.kind === "cancelled" && <Cancelled price={run.price} />}
          {run.kind === "done" && <Result key={run.asked.answer.receipt ?? run.asked.question.sql} asked={run.asked} />}
        </div>
      </div>
      <History answers={desk.answers} turn={turn} take={take} />
    </>
  );
}

export function Ask() {
  const { api } = useSession();
  const { value: schema, refused } = useLoaded(() => api.schema(), [api]);
  if (schema) return <Asking schema={schema} />;
  return <><h1>Ask</h1>{refused ? <Notice of={refused} /> : <Waiting />}</>;
}
