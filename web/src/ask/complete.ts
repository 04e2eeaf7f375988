/*
 * Completion from the public schema: tables, columns with type and domain,
 * aliases, and the values of a domain inside quotes. It knows only what /v1/schema
 * shows to this user.
 */
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import type { Schema, SchemaColumn } from "../api";
import { FUNCTIONS } from "./functions";
import { KEYWORDS } from "./words";

interface Relation { name: string; detail: string; comment: string | null; columns: SchemaColumn[] }

const VALUES_SHOWN = 3;
const BEFORE = 2000; /* how many characters before the cursor are read */

/* The possible values of a column, in a few words. */
export function domainOf(c: SchemaColumn): string {
  if (c.range) return `${c.type}, ${c.range.low} … ${c.range.high}`;
  if (c.values) {
    const more = c.values.length > VALUES_SHOWN ? ` … (${c.values.length})` : "";
    return `${c.type}: ${c.values.slice(0, VALUES_SHOWN).join(", ")}${more}`;
  }
  if (c.unit) return `${c.type}, names the person`;
  return c.type;
}

function relations(schema: Schema): Relation[] {
  return [
    ...schema.tables.map((t) => ({
      name: t.name, columns: t.columns, comment: t.comment,
      detail: t.public ? "public table" : "private table",
    })),
    ...schema.views.map((v) => ({
      name: v.name, columns: v.columns, comment: v.comment ?? null, detail: "view",
    })),
  ];
}

/* A name as SQL needs it, quoted if necessary. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function columnOption(c: SchemaColumn, of: string | null, boost: number): Completion {
  return {
    label: quoted(c.name), type: "property", boost,
    detail: domainOf(c) + (of ? ` · ${of}` : ""),
    ...(c.comment ? { info: c.comment } : {}),
  };
}

/* Which relation an alias or a name before a dot means, from FROM and JOIN in the text. */
function meant(text: string, name: string, all: Relation[]): Relation | undefined {
  const direct = all.find((r) => r.name === name);
  if (direct) return direct;
  for (const [, of, alias] of text.matchAll(/([\w"]+)(?=\s+(?:as\s+)?(\w+))/gi))
    if (alias === name) {
      const found = all.find((r) => quoted(r.name) === of);
      if (found) return found;
    }
  return undefined;
}

/* Inside quotes after `column =` or `column IN (`: the values of the column's domain. */
function values(before: string, pos: number, all: Relation[]): CompletionResult | null {
  const m = /(\w+)"?\s*(?:=|<>|!=|in\s*\((?:\s*'[^']*'\s*,)*)\s*'([^']*)$/i.exec(before);
  if (!m) return null;
  const column = all.flatMap((r) => r.columns).find((c) => c.name === m[1] && c.values);
  return column ? {
    from: pos - m[2]!.length,
    options: column.values!.map((v) => ({ label: v.replaceAll("'", "''"), type: "enum", detail: column.name })),
    validFor: /^[^']*$/,
  } : null;
}

/* Inserts a function with its parentheses and puts the cursor between them. */
function functionOption([label, detail]: [string, string]): Completion {
  return {
    label, detail, type: "function", boost: -1,
    apply(view, _, from, to) {
      const inside = /[( ]\)$/.test(label) ? 1 : 0;
      view.dispatch({
        changes: { from, to, insert: label }, selection: { anchor: from + label.length - inside },
        userEvent: "input.complete",
      });
    },
  };
}

const FIXED: Completion[] = [
  ...KEYWORDS.map((label) => ({ label, type: "keyword", boost: -2 })),
  ...FUNCTIONS.map(functionOption),
];

export function completeFrom(schema: Schema): CompletionSource {
  const all = relations(schema);
  return (context: CompletionContext) => {
    const { pos } = context;
    const before = context.state.sliceDoc(Math.max(0, pos - BEFORE), pos);
    if ((before.match(/'/g)?.length ?? 0) % 2) return values(before, pos, all);

    const text = context.state.doc.toString();
    const after = /([\w"]+)\.(\w*)$/.exec(before);
    if (after) {
      const of = meant(text, after[1]!.replaceAll('"', ""), all);
      return of ? {
        from: pos - after[2]!.length, validFor: /^\w*$/,
        options: of.columns.map((c) => columnOption(c, null, 0)),
      } : null;
    }
    const word = context.matchBefore(/[\w"]+/);
    if (!word && !context.explicit) return null;
    return {
      from: word?.from ?? pos, validFor: /^["\w]*$/,
      options: [
        ...all.map((r) => ({
          label: quoted(r.name), type: "type", detail: r.detail, boost: 2,
          ...(r.comment ? { info: r.comment } : {}),
        })),
        ...all.flatMap((r) => {
          const near = text.includes(r.name);
          return r.columns.map((c) => columnOption(c, r.name, near ? 3 : 0));
        }),
        ...FIXED,
      ],
    };
  };
}
