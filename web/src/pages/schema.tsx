/*
 * Schema: the tables that may be queried, and who is protected in them and who is not,
 * according to the policy. Nothing on this page comes from the data.
 */
import { useMemo, useState } from "preact/hooks";
import type { Schema, Table, View } from "../api";
import { quoted } from "../ask/complete";
import { examplesOf } from "../ask/example";
import { useLoaded } from "../load";
import { Notice, Waiting } from "../parts/notice";
import { linkTo } from "../route";
import { TableCard, type Shown } from "../schema/table";
import { adjacencyWords, matches, protectionOf } from "../schema/words";
import { useSession } from "../session";
import "./schema.css";

const askLink = (sql: string) => linkTo("ask", { sql });

function firstQuestion(schema: Schema, t: Table): string {
  return t.released ? `SELECT count(*)\nFROM ${quoted(t.name)}`
    : t.public ? `SELECT *\nFROM ${quoted(t.name)}`
    : examplesOf({ ...schema, tables: [t] })[0]!.sql;
}

function shownTable(schema: Schema, t: Table): Shown {
  return {
    name: t.name, kind: t.public ? "public" : "private", comment: t.comment, columns: t.columns,
    protection: protectionOf(t), ask: askLink(firstQuestion(schema, t)),
  };
}

function shownView(schema: Schema, v: View): Shown {
  return {
    name: v.name, kind: "view", comment: v.comment, columns: v.columns,
    protection: {
      who: "A query that the owner has given a name.",
      how: "You query it like a table; it protects the same people as its tables.",
    },
    ask: askLink(firstQuestion(schema, { ...v, public: false, released: false, unit: null })),
  };
}

/* The tables that match the search, each with the columns that match. */
function found(all: Shown[], wanted: string): Shown[] {
  const word = wanted.trim().toLowerCase();
  if (!word) return all;
  return all.flatMap((t) => {
    if (t.name.toLowerCase().includes(word) || t.comment?.toLowerCase().includes(word)) return [t];
    const columns = t.columns.filter((c) => matches(c, word));
    return columns.length ? [{ ...t, columns }] : [];
  });
}

function Tables({ schema }: { schema: Schema }) {
  const [wanted, setWanted] = useState("");
  const all = useMemo(() => [
    ...schema.tables.map((t) => shownTable(schema, t)),
    ...schema.views.map((v) => shownView(schema, v)),
  ], [schema]);
  const shown = found(all, wanted);
  const columns = shown.reduce((n, t) => n + t.columns.length, 0);
  return (
    <>
      <div class="schema-lead">
        <p>
          <strong>Protected</strong> means that {adjacencyWords(schema)}. <strong>Not protected</strong> is
          everything on this page: names, listed values and ranges are public, and so is every
          public table.
        </p>
        <p class="soft">
          A value outside a range counts as the nearer end of the range. A question costs ε {schema.query.epsilon} unless it says otherwise, and at most
          ε {schema.query.max_epsilon}.{schema.query.max_rho !== null &&
            ` A price in ρ is allowed, up to ${schema.query.max_rho}.`}
        </p>
      </div>
      <div class="row schema-search">
        <label for="wanted">Search</label>
        <input id="wanted" type="search" value={wanted} placeholder="a table, a column, a value"
          onInput={(e) => setWanted(e.currentTarget.value)} />
        <span class="soft" role="status">
          {shown.length ? `${shown.length} of ${all.length} tables and views, ${columns} columns`
            : "No name, comment or value contains this."}
        </span>
      </div>
      <div class="schema-tables">{shown.map((t) => <TableCard key={t.name} of={t} />)}</div>
    </>
  );
}

export function SchemaPage() {
  const { api } = useSession();
  const { value, refused } = useLoaded(() => api.schema(), [api]);
  return (
    <>
      <h1>Schema</h1>
      {refused ? <Notice of={refused} /> : value ? <Tables schema={value} /> : <Waiting />}
    </>
  );
}
