/* The keywords and functions of private SQL that the editor completes and colours. */
import { PostgreSQL, SQLDialect } from "@codemirror/lang-sql";
import { SCALARS } from "./functions";

export const KEYWORDS = [
  "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "AS", "AND", "OR", "NOT",
  "IN", "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "CASE WHEN", "THEN", "ELSE", "END", "JOIN",
  "LEFT JOIN", "ON", "USING", "WITH", "UNION ALL", "DISTINCT", "DESC", "ASC", "DATE", "TRUE",
  "FALSE", "WITHIN GROUP (ORDER BY )",
];

/* Each with a short description of its result. */
export const FUNCTIONS: [string, string][] = [
  ["count(*)", "number of rows"],
  ["count(DISTINCT )", "number of people, or of values"],
  ["sum()", "of numbers with a range"],
  ["avg()", "the mean"],
  ["median()", "the middle value"],
  ["percentile_cont()", "a quantile: 0.9 WITHIN GROUP …"],
  ["percentile_disc()", "a discrete quantile"],
  ["stddev()", "standard deviation"],
  ["variance()", "square of the standard deviation"],
  ["min()", "a quantile near the lower end"],
  ["max()", "a quantile near the upper end"],
  ...SCALARS,
];

const lowerWords = (texts: string[]) => texts.flatMap((t) => t.toLowerCase().match(/[a-z_]+/g) ?? []).join(" ");

/* PostgreSQL's dialect, except that its keywords such as day or cost are plain names. */
export const DIALECT = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: lowerWords([...KEYWORDS, "BY INNER OUTER NULL EXPLAIN OPTIONS OFFSET FILTER DIFFERENTIAL_PRIVACY"]),
  builtin: lowerWords(FUNCTIONS.map(([name]) => name.replace(/\(.*/, ""))),
  types: "integer bigint numeric decimal real text boolean timestamp",
});
