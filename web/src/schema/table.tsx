/* One table or view: who is protected, and its columns. */
import { useState } from "preact/hooks";
import type { SchemaColumn } from "../api";
import { domainWords, typeWords, type Protection } from "./words";

const VALUES_SHOWN = 8;

function Values({ of }: { of: string[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? of : of.slice(0, VALUES_SHOWN);
  return (
    <span class="values">
      <span class="unseen">one of </span>
      {shown.map((v) => <span class="value">{v}</span>)}
      {of.length > VALUES_SHOWN && (
        <button type="button" class="quiet small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "fewer" : `${of.length - VALUES_SHOWN} more`}
        </button>
      )}
    </span>
  );
}

function Row({ of: c, exact }: { of: SchemaColumn; exact: boolean }) {
  return (
    <tr>
      <th scope="row" class="mono">
        {c.name}{c.unit && <span class="badge" title="This column says whose row it is.">unit</span>}
      </th>
      <td class="holds">{typeWords(c)}{c.nullable && !c.unit && <span class="soft">, may be missing</span>}</td>
      <td>
        {c.values ? <Values of={c.values} /> : domainWords(c, exact)}
        {c.references && (
          <div class="soft">refers to <span class="mono">{c.references.table}.{c.references.column}</span></div>
        )}
        {c.comment && <div class="soft">{c.comment}</div>}
      </td>
    </tr>
  );
}

export interface Shown {
  name: string; kind: "private" | "public" | "view";
  comment: string | null; columns: SchemaColumn[]; protection: Protection; ask: string;
}

const KINDS = { private: "protected", public: "public", view: "view" };

export function TableCard({ of: t }: { of: Shown }) {
  const id = `table-${t.name}`;
  return (
    <section class="card schema-table" aria-labelledby={id}>
      <div class="row">
        <h2 id={id} class="mono">{t.name}</h2>
        <span class={`badge ${t.kind}`}>{KINDS[t.kind]}</span>
        <a class="button quiet small ask-link" href={t.ask}>
          Ask about this<span class="unseen"> table {t.name}</span>
        </a>
      </div>
      {t.comment && <p>{t.comment}</p>}
      <p class="protection"><strong>{t.protection.who}</strong> {t.protection.how}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Columns of ${t.name}`}>
        <table class="stacked">
          <thead><tr><th scope="col">Column</th><th scope="col">Type</th><th scope="col">Values</th></tr></thead>
          <tbody>{t.columns.map((c) => <Row of={c} exact={t.kind === "public"} />)}</tbody>
        </table>
      </div>
    </section>
  );
}
