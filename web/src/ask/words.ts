/* The keywords of private SQL that the editor completes and colours; its functions are in functions.ts. */
import { PostgreSQL, SQLDialect } from "@codemirror/lang-sql";
import { FUNCTIONS } from "./functions";

export const KEYWORDS = [
  "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "AS", "AND", "OR", "NOT",
  "IN", "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "CASE WHEN", "THEN", "ELSE", "END", "JOIN",
  "LEFT JOIN", "ON", "USING", "WITH", "UNION ALL", "DISTINCT", "DESC", "ASC", "DATE", "TRUE",
  "FALSE", "WITHIN GROUP (ORDER BY )",
];

const lowerWords = (texts: string[]) => texts.flatMap((t) => t.toLowerCase().match(/[a-z_]+/g) ?? []).join(" ");

/* PostgreSQL's dialect, except that its keywords such as day or cost are plain names. */
export const DIALECT = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: lowerWords([...KEYWORDS, "BY INNER OUTER NULL EXPLAIN OPTIONS OFFSET FILTER DIFFERENTIAL_PRIVACY"]),
  builtin: lowerWords(FUNCTIONS.map(([name]) => name.replace(/\(.*/, ""))),
  types: "integer bigint numeric decimal real text boolean timestamp",
});
