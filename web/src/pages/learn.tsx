/*
 * Shows what epsilon means: a toy table that everybody may see, one slider, and its
 * effect on the answers and on what an attacker can learn about one person. All
 * numbers come from the library, through /v1/learn, which needs no token.
 */
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { Api, Refused, type Learn } from "../api";
import { linearAxis } from "../parts/chart/axis";
import { Figure } from "../parts/chart/figure";
import { Frame } from "../parts/chart/frame";
import { Steps } from "../parts/chart/marks";
import { Notice, Waiting } from "../parts/notice";
import { Odds } from "../parts/odds";
import { share } from "../parts/percent";
import { linkTo } from "../route";
import { SessionContext } from "../session";
import "./learn.css";

/* Positions of the slider: ten per power of ten. */
const MARKS = ["1", "1.25", "1.6", "2", "2.5", "3.2", "4", "5", "6.3", "8"];
const EPSILONS = [
  ...[2, 1].flatMap((power) => MARKS.map((m) => String(Number((Number(m) / 10 ** power).toFixed(4))))),
  ...MARKS, "10",
];
const FIRST = EPSILONS.indexOf("1");
const GONE_S = 2; /* seconds until the next try if the server does not answer */
const SIDES = 1.6; /* how many half widths the chart shows on either side */

/* Shows the last value until the next one arrives, and caches all values. */
function useLearn(epsilon: string) {
  const session = useContext(SessionContext);
  const known = useRef(new Map<string, Learn>());
  const [state, setState] = useState<{ value?: Learn; refused?: Refused }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const kept = known.current.get(epsilon);
    if (kept) return setState({ value: kept });
    let wanted = true, timer = 0;
    new Api("").learn(epsilon).then((value) => {
      known.current.set(epsilon, value);
      if (wanted) setState({ value });
    }, (e) => {
      if (!(e instanceof Refused)) throw e;
      if (!wanted) return;
      /* If the server is busy or gone, keep what is shown and try again. */
      const wait = e.gone ? GONE_S : e.wait;
      if (wait !== null) timer = window.setTimeout(() => setTurn((n) => n + 1), wait * 1000);
      if (!session?.trouble(e) && (e.gone || wait === null)) setState((was) => ({ ...was, refused: e }));
    });
    return () => { wanted = false; clearTimeout(timer); };
  }, [epsilon, turn]);
  return { ...state, again: () => setTurn((n) => n + 1) };
}

function People({ of: { people, person, question } }: { of: Learn }) {
  return (
    <section class="card table-of-people" aria-labelledby="people">
      <div>
        <h2 id="people">A table of {people.length} people</h2>
        <p>
          It is a toy: here you can see everybody’s answer. With real data nobody can; you can only
          ask questions.
        </p>
        <p class="question">{question}</p>
      </div>
      <ul class="people">
        {people.map((p) => (
          <li class={p.name === person ? "chosen" : undefined}>
            <span>{p.name}</span> <span class={p.answer ? "yes" : "no"}>{p.answer ? "yes" : "no"}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Dial({ place, move }: { place: number; move: (to: number) => void }) {
  const epsilon = EPSILONS[place]!;
  return (
    <section class="card dial" aria-label="The price of an answer">
      <label for="epsilon">What an answer may cost: <output for="epsilon">ε = {epsilon}</output></label>
      <input id="epsilon" type="range" min="0" max={EPSILONS.length - 1} step="1" value={place}
        aria-valuetext={`epsilon ${epsilon}`} aria-describedby="ends"
        onInput={(e) => move(Number(e.currentTarget.value))} />
      <p id="ends" class="ends soft"><span>more private, less accurate</span><span>more accurate, less private</span></p>
    </section>
  );
}

function Answers({ of }: { of: Learn }) {
  const half = Math.max(4, Math.ceil(Number(of.within) * SIDES));
  const from = Math.min(of.with, of.without) - half, to = Math.max(of.with, of.without) + half;
  const kept = of.values.flatMap((v, i) => (v >= from && v <= to ? [i] : []));
  const line = (p: string[]) => kept.map((i) => ({ x: of.values[i]!, y: Number(p[i]) }));
  const present = line(of.p_with), absent = line(of.p_without);
  const most = Math.max(...present.map((p) => p.y), ...absent.map((p) => p.y));
  const names = [`answers with ${of.person} in the table`, `answers without ${of.person}`];
  const title = `Possible answers at ε = ${of.epsilon}`;
  const desc = `The chance of each answer. With ${of.person} the truth is ${of.with}, without it is ${of.without}. `
    + `95 % of the answers lie within ${of.within} of the truth.`;
  return (
    <Figure name={`learn-epsilon-${of.epsilon}`} title={title} caption={[title + ".", desc]}
      numbers={{ head: ["answer", ...names], rows: kept.map((i) => [of.values[i]!, of.p_with[i]!, of.p_without[i]!]) }}>
      <Frame title={title} desc={desc} height={260}
        x={linearAxis([from - 0.5, to + 0.5], { label: "the answer you get" })}
        y={linearAxis([0, most * 1.05], { label: "chance", format: share })}
        legend={names.map((label, series) => ({ label, series, mark: "box" as const }))}>
        {(plot) => (
          <>
            <Steps plot={plot} points={present} series={0} mode="middle" filled />
            <Steps plot={plot} points={absent} series={1} mode="middle" filled />
          </>
        )}
      </Frame>
    </Figure>
  );
}

function inWords(success: number): string {
  if (success < 0.55) return "hardly better than tossing a coin. Strong protection.";
  if (success < 0.75) return "better than a coin, far from knowing. Good protection for one answer.";
  if (success < 0.95) return "often right. Protection is thin: think of how many such answers are given.";
  return "nearly sure. The answer is so accurate that it gives people away.";
}

function Meaning({ of }: { of: Learn }) {
  return (
    <section class="card" aria-labelledby="tell">
      <h2 id="tell">Can anybody tell whether {of.person} is in the table?</h2>
      <Odds risk={of.risk}>
        <p>
          The best possible test is right at most this often: {inWords(Number(of.risk.success))}
        </p>
      </Odds>
    </section>
  );
}

export function LearnPage() {
  const session = useContext(SessionContext);
  const [place, setPlace] = useState(FIRST);
  const { value, refused, again } = useLearn(EPSILONS[place]!);
  return (
    <div class="learn">
      <h1>What does ε mean?</h1>
      <p class="lead">
        custos adds random noise to every answer, so that an answer says much about all people together
        and little about any one of them. ε (“epsilon”) is how much it may say about one person: the
        price of the answer. Move the slider and see what it buys.
      </p>
      {refused && <Notice of={refused}><button type="button" class="quiet" onClick={again}>Try again</button></Notice>}
      {value && <People of={value} />}
      <Dial place={place} move={setPlace} />
      {!value ? !refused && <Waiting /> : (
        <>
          <div class="two">
            <section class="card" aria-labelledby="answers">
              <h2 id="answers">The answers, with {value.person} and without</h2>
              <p class="exact">
                The truth is {value.with} with {value.person} and {value.without} without. An answer
                lies <strong>within ± {value.within}</strong> of it 95 times in 100.
              </p>
              <Answers of={value} />
              <p>
                Where both curves are about equally high, an answer says next to nothing about {value.person};
                where only the first one is above zero, it gives {value.person} away.
              </p>
            </section>
            <Meaning of={value} />
          </div>
          <section class="card" aria-labelledby="words">
            <h2 id="words">In plain words, at ε = {value.epsilon}</h2>
            <ul class="words" aria-live="polite">
              {value.risk.sentences.map((s) => <li>{s}</li>)}
            </ul>
            <p class="soft">
              Costs add up: two answers at ε = 0.5 together may say as much about a person as one at
              ε = 1. That is why there is a budget. When it is spent, no new question is answered;
              earlier answers stay free.
            </p>
            <p>{session
              ? <><a href={linkTo("budget")}>See what has been spent here</a>, or <a href={linkTo("ask")}>ask a question</a>.</>
              : <a href={linkTo("ask")}>Log in and ask</a>}</p>
          </section>
        </>
      )}
    </div>
  );
}
