/* The policy in force, the result of its check, and loading a newer one. */
import { useState } from "preact/hooks";
import type { OwnerData, OwnerPolicy } from "../api";
import { Notice } from "../parts/notice";
import { momentWords } from "../parts/time";
import { useSession } from "../session";
import { useAct } from "./act";

/* A finding such as "line 3: danger: …"; a danger is shown differently. */
function Sentence({ text }: { text: string }) {
  const [, line, danger, rest] = /^(?:line (\d+): )?(danger: )?([^]*)$/.exec(text)!;
  return (
    <li class={danger ? "danger" : undefined}>
      {line && <span class="soft">line {line} </span>}
      {danger && <strong class="bad">danger </strong>}
      {rest}
    </li>
  );
}

function Text({ of }: { of: string }) {
  return (
    <details>
      <summary>The policy file in force</summary>
      <ol class="policy-text mono" tabIndex={0} aria-label="Lines of the policy">
        {of.replace(/\n$/, "").split("\n").map((line) => <li><span>{line || " "}</span></li>)}
      </ol>
    </details>
  );
}

export function Policy({ of, again }: { of: OwnerPolicy; again: () => void }) {
  const { api } = useSession();
  const [said, setSaid] = useState<string | null>(null);
  const { busy, refused, run } = useAct();

  const reload = () => run(async () => {
    setSaid(null);
    setSaid((await api.ownerReload()).said);
    again();
  });

  return (
    <section class="card" aria-labelledby="policy-title">
      <div class="row between">
        <h2 id="policy-title">Policy</h2>
        <button type="button" class={of.waiting ? "small" : "quiet small"} disabled={busy} onClick={reload}>Reload</button>
      </div>
      {of.waiting && <p class="news">The store has a newer policy or newer data. Reload to use it.</p>}
      {refused && <Notice of={refused} />}
      <p class="soft" role="status">{said}</p>
      <ul class="sentences">{of.sentences.map((s) => <Sentence text={s} />)}</ul>
      <Text of={of.text} />
      <p class="soft small-print">
        {of.since && <>In force since {momentWords(of.since)}. </>}SHA-256 <code class="receipt">{of.hash}</code>
      </p>
    </section>
  );
}

export function DataVersions({ of }: { of: OwnerData }) {
  return (
    <section class="card" aria-labelledby="data-title">
      <h2 id="data-title">Data versions</h2>
      <ul class="versions">
        {of.versions.map((v) => (
          <li>
            <div class="row">
              <strong>{v.version}</strong>
              {v.in_force && <span class="badge private">in force</span>}
              <time class="soft" dateTime={v.time}>{momentWords(v.time)}</time>
            </div>
            {v.tables.length > 0 && (
              <div class="values">
                {v.tables.map((t) => (
                  <span class="value">
                    {t.name}{t.public && <span class="soft"> public</span>}{t.attached && <span class="soft"> attached</span>}
                  </span>
                ))}
              </div>
            )}
          </li>
        ))}
      </ul>
      <p class="soft">Older versions stay on disk until <code>custos store vacuum</code> removes them. The ledger is kept forever.</p>
    </section>
  );
}
