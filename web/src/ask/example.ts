/* Example questions, made from the public schema: each shows a different kind of chart. */
import type { Schema, SchemaColumn, Table } from "../api";
import { quoted } from "./complete";

export interface Example { title: string; sql: string }

const MOST_GROUPS = 30;
const LEAST_YEARS_MS = 400 * 86_400_000;

const isNumber = (c: SchemaColumn) =>
  c.type === "integer" || c.type === "decimal" || c.type === "real";

function find(tables: Table[], good: (c: SchemaColumn) => boolean,
              better: (c: SchemaColumn) => number = () => 0): [Table, SchemaColumn] | null {
  const all = tables.flatMap((t) => t.columns.filter((c) => !c.unit && good(c)).map((c) => [t, c] as [Table, SchemaColumn]));
  return all.sort((a, b) => better(b[1]) - better(a[1]))[0] ?? null;
}

function byKey(t: Table, c: SchemaColumn): Example {
  const table = quoted(t.name), key = quoted(c.name);
  return {
    title: `${t.name} by ${c.name}`,
    sql: `SELECT ${key}, count(*) AS ${table}\nFROM ${table}\nGROUP BY ${key}\nORDER BY ${key}`,
  };
}

function overTime(t: Table, c: SchemaColumn): Example {
  const table = quoted(t.name);
  const long = Date.parse(c.range!.high) - Date.parse(c.range!.low) > 5 * LEAST_YEARS_MS;
  const step = long ? "year" : "month";
  return {
    title: `${t.name} over time`,
    sql: `SELECT date_trunc('${step}', ${quoted(c.name)}) AS ${step}, count(*) AS ${table}\n` +
      `FROM ${table}\nGROUP BY 1\nORDER BY 1`,
  };
}

function mean(t: Table, c: SchemaColumn): Example {
  const key = find([t], (k) => !!k.values && k.values.length <= MOST_GROUPS)?.[1];
  const name = quoted(`mean_${c.name}`), table = quoted(t.name);
  return key
    ? {
      title: `mean ${c.name} by ${key.name}`,
      sql: `SELECT ${quoted(key.name)}, avg(${quoted(c.name)}) AS ${name}\nFROM ${table}\n` +
        `GROUP BY ${quoted(key.name)}\nORDER BY ${quoted(key.name)}`,
    }
    : { title: `mean ${c.name}`, sql: `SELECT avg(${quoted(c.name)}) AS ${name}\nFROM ${table}` };
}

/* The page puts the first one into an empty editor. */
export function examplesOf(schema: Schema): Example[] {
  const tables = schema.tables.filter((t) => !t.public);
  const first = tables[0];
  if (!first) return [];
  const key = find(tables, (c) => !!c.values && c.values.length <= MOST_GROUPS, (c) => c.values!.length);
  const day = find(tables, (c) => (c.type === "date" || c.type === "timestamp") && !!c.range);
  const number = find(tables, (c) => isNumber(c) && !!c.range, (c) => (c.type === "decimal" ? 1 : 0));
  return [
    ...(key ? [byKey(...key)] : []),
    ...(day ? [overTime(...day)] : []),
    ...(number ? [mean(...number)] : []),
    {
      title: `how many ${first.name}`,
      sql: `SELECT count(*) AS ${quoted(first.name)}\nFROM ${quoted(first.name)}`,
    },
  ];
}
