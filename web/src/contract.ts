/*
 * Written by tools/contract from src/contract/contract.txt; edit that file.
 */

/* An exact decimal number, as text. */
export type Amount = string;
/* A decimal number, as text; a bound is rounded to the safe side. */
export type Decimal = string;
/* A number as it was given, or as a decimal: 0.5, 1e-6 or 1/3. */
export type Given = string;
/* A row of the ledger's chain and its hash. */
export type Receipt = string;
export type Hash = string;
/* ISO 8601, in UTC. */
export type Moment = string;
export type Kind = "null" | "boolean" | "integer" | "decimal" | "real" | "text" | "date" | "timestamp";
/* Numbers, dates and timestamps are text with every digit. */
export type Value = string | boolean | null;
export type Price = string | number;
export type Parameter = string | number | boolean | null;
export type Currency = "epsilon" | "rho";

export interface Query {
  /* One SELECT (or, outside a batch, EXPLAIN SELECT) in private SQL. */
  sql: string;
  /* The price; without it, the policy's default. */
  epsilon?: Price;
  /* The price in rho instead, if the policy allows it: Gaussian noise, which no epsilon bounds.
     */
  rho?: Price;
  /* Instead of epsilon: pay the least that gives every value within +- this at 95 %. */
  within?: Price;
  /* With `within`: the 95 % hold for all values together. */
  jointly?: boolean;
  /* Values of $1, $2 ... */
  params?: Parameter[];
}

export interface Question extends Query {
  /* Reject the question, before it is charged, if there is a warning about it. */
  cautious?: boolean;
}

export interface Batch {
  /* At least one. They are charged together or not at all; equal ones once. */
  queries: Query[];
  /* Reject the batch, before it is charged, if there is a warning about a query. */
  cautious?: boolean;
}

/* low and high: the exact bounded value lies between them with the confidence stated. Keys and
   public values have neither. */
export interface Cell {
  value: Value;
  low?: Value;
  high?: Value;
}

export interface Column {
  name: string;
  type: Kind;
  /* A key of GROUP BY. */
  key: boolean;
}

export interface PlannedColumn extends Column {
  /* The half width of the answer's 95 % interval; null if it depends on what is released. */
  within: string | null;
  /* The error to expect at best, as a fraction, from the policy's number of people: of the
     largest value that an average group can have; of a mean, of its range; of a quantile, of the
     number of values. null if it is not known. */
  relative: Decimal | null;
}

export interface Cost {
  epsilon: Amount;
  rho: Amount;
  /* The delta of the epsilon guarantee. The rho guarantee has its own, delta_rho. */
  delta: Amount;
}

/* The largest epsilon that a question of this analyst may cost now. */
export interface Remaining {
  epsilon: Amount;
}

export interface Answer {
  columns: Column[];
  rows: Cell[][];
  /* released: free, of noisy values released earlier. */
  kind: "private" | "public" | "released" | "plan";
  /* A cached answer, which is free. */
  stored: boolean;
  confidence: "0.95";
  cost: Cost;
  remarks: string[];
  /* What error to expect at best, from public facts. */
  expected: string[];
  /* Why the answer may be of no use, from public facts. */
  warnings: string[];
  remaining: Remaining | null;
  /* null: nothing was charged. */
  receipt: Receipt | null;
}

export interface Plan {
  columns: PlannedColumn[];
  /* Free, of noisy values released earlier: not exact. */
  released: boolean;
  plan: string[];
  cost: Cost;
  remarks: string[];
  /* What error to expect at best, from public facts. */
  expected: string[];
  /* Why the answer may be of no use, from public facts. */
  warnings: string[];
  remaining: Remaining | null;
  /* What remains after this question is paid for; null if it cannot be paid, or if `remaining` is
     null. */
  after: Remaining | null;
  /* The analyst has this answer already: asking again is free. */
  stored: boolean;
  /* How long the answer takes from the question's turn on, whatever the data: fixed by query,
     policy and machine. null if the question is free or the time is not known. */
  reply_seconds: number | null;
}

export interface BatchAnswer {
  /* One for each query, in order. `stored` is true for a query that is equal to an earlier one,
     too; `remaining` is null. */
  answers: Answer[];
  /* What the batch was charged as a whole. */
  cost: Cost;
  remaining: Remaining | null;
}

export interface BatchPlan {
  /* One for each query, in order, as if it were asked alone; but `stored` is true for a query
     that is equal to an earlier one, too. */
  plans: Plan[];
  /* What the batch costs as a whole. */
  cost: Cost;
  remaining: Remaining | null;
  /* What remains after the batch; null if it cannot be paid, or if `remaining` is null. */
  after: Remaining | null;
  /* Nothing is charged: all answers are cached or public. */
  stored: boolean;
  /* As in Plan, for all answers together. */
  reply_seconds: number | null;
}

export interface Balance {
  epsilon: Amount;
  delta: Amount;
  currency: Currency;
  spent: Amount;
  limit: Amount;
  /* The deltas of queries that count beside `currency`. */
  query_delta_spent: Amount;
  query_delta_limit: Amount;
  /* The largest charge that this budget would still admit. */
  left_epsilon: Amount;
  charges: number;
  theorem: string;
}

/* The sums of all charges: epsilon with its delta, and rho with its delta_rho. */
export interface Spent extends Cost {
  /* The delta of the rho guarantee; only discovered groups add to it. */
  delta_rho: Amount;
}

export interface AnalystBudget {
  name: string;
  charges: number;
  /* The largest charge that own and common budget would still admit. */
  left_epsilon: Amount;
  /* The same under the window too: what a question may cost now. */
  remaining: Remaining;
  own: Balance | null;
  window: Balance | null;
  window_days: number | null;
  spent: Spent;
}

/* The budget of the analyst who asks; for the owner, the common budget and that of every analyst.
   */
export interface Budget {
  /* Only for the owner. */
  common: Balance | null;
  /* Only for the owner. */
  spent: Spent | null;
  analysts: AnalystBudget[];
}

/* What was spent in total up to this row, its own charge included. */
export interface HistoryPoint {
  row: number;
  time: Moment;
  spent: Amount;
}

export interface HistoryLine {
  /* null: all analysts together. */
  who: string | null;
  /* The currency in which the budget counts now; all points are in it. */
  currency: Currency;
  /* The current limit; null: the analyst has no budget of their own. */
  limit: Amount | null;
  /* One for each charge. If there are more than 400 charges, some are left out evenly; the first
     and the last are included. */
  points: HistoryPoint[];
}

export interface History {
  now: Moment;
  lines: HistoryLine[];
}

export interface ValueRange {
  low: string;
  high: string;
}

export interface Reference {
  table: string;
  column: string;
}

export interface SchemaColumn {
  name: string;
  type: Kind;
  scale: number | null;
  nullable: boolean;
  /* The column that says which privacy unit a row belongs to. */
  unit: boolean;
  range: ValueRange | null;
  /* A query that states no limits first finds a range for this column, for a fifth of its price.
     */
  find_range: boolean;
  values: string[] | null;
  references: Reference | null;
  comment: string | null;
}

export interface Unit {
  row: boolean;
  /* The largest number of rows of a unit that count; null: every question chooses the bound
     privately, for a share of its price. */
  rows_per_unit: number | null;
  groups_per_unit: number | null;
  /* The largest number of rows of a unit that count in one group. */
  rows_per_unit_and_group: number | null;
  column: string | null;
}

export interface Table {
  name: string;
  public: boolean;
  /* Public, but not exact: a synopsis, whose answers have error bars. */
  released: boolean;
  unit: Unit | null;
  comment: string | null;
  columns: SchemaColumn[];
}

export interface View {
  name: string;
  comment: string | null;
  columns: SchemaColumn[];
}

export interface QueryLimits {
  epsilon: Amount;
  max_epsilon: Amount;
  /* The largest price in rho; null: none is allowed. */
  max_rho: Given | null;
  delta: string;
}

/* What is granted to the analyst who asks, and nothing else. */
export interface Schema {
  tables: Table[];
  views: View[];
  adjacency: "add-remove" | "change-one";
  query: QueryLimits;
}

export interface LedgerRow {
  row: number;
  time: Moment;
  what: string;
  /* null, or "owner" for acts of administration: the owner. */
  who: string | null;
  query: string | null;
  plan: string | null;
  theorems: string | null;
  words: string | null;
  epsilon: Amount | null;
  rho: Amount | null;
  /* The delta up to which epsilon holds. */
  delta: Amount | null;
  /* The delta up to which rho holds; null in a charge of an earlier version: the same as `delta`.
     */
  delta_rho: Amount | null;
  data_version: number;
  /* The version of custos that wrote the row. */
  version: string | null;
  receipt: Receipt;
  /* Only for the owner: `time` in microseconds since 1970. */
  time_us?: string;
  /* Only for the owner: the hash of the policy that the row was written under; zeros if there is
     none. */
  policy?: Hash;
  /* Only for the owner: the hash of the row before. */
  before?: Hash;
}

export interface Ledger {
  rows: LedgerRow[];
  /* The value of `from` for the next page; null: there is none. */
  next: number | null;
}

/* said: what was verified and when. rows and head: only for the owner, if the chain is intact. */
export interface Verified {
  ok: boolean;
  rows: number | null;
  head: Receipt | null;
  said: string;
}

export interface Corner {
  fpr: Decimal;
  fnr: Decimal;
}

/* What a promise means for one person; every bound is on the safe side. */
export interface Risk {
  epsilon: Given;
  delta: Given;
  /* The best test of whether a person took part is right at most this often, at even odds. */
  success: Decimal;
  /* 2 success - 1. */
  advantage: Decimal;
  /* The most that a prior belief of 1/2 (or the one given) can become, except with probability
     delta. */
  posterior: Decimal;
  /* The least that it can become. */
  posterior_least: Decimal;
  /* The most by which it can change. */
  posterior_shift: Decimal;
  /* Any consequence is at most this many times as likely as without the person. */
  utility_factor: Decimal;
  /* A test with 5 % false positives misses at least this share of the people who are present. */
  missed: Decimal;
  /* If the number of people was given: how many of them delta may expose. */
  exposed: Decimal | null;
  /* If it was given: delta is 1/n or more. */
  delta_too_large: boolean | null;
  sentences: string[];
  /* The corners of the trade-off curve, from fpr 0 to 1. */
  corners: Corner[];
}

export interface Person {
  name: string;
  answer: boolean;
}

export interface Learn {
  epsilon: Decimal;
  question: string;
  people: Person[];
  /* The person who is present or not. */
  person: string;
  with: number;
  without: number;
  /* The possible answers; they cover 99.9 % of either distribution. */
  values: number[];
  /* How likely each answer is if the person is present. */
  p_with: Decimal[];
  p_without: Decimal[];
  /* An answer is off by at most this, at 95 %. */
  within: Decimal;
  risk: Risk;
}

export interface Me {
  /* The analyst's name; null: the owner. */
  name: string | null;
  owner: boolean;
  version: string;
}

export interface Token {
  row: number;
  expires: Moment | null;
}

/* password: can log in by PostgreSQL; token: by HTTP. budget is null for a name that is no longer
   in the policy and so cannot log in. */
export interface Analyst {
  name: string;
  state: "can log in" | "expired" | "no password yet" | "revoked" | "not in the policy";
  password: boolean;
  token: boolean;
  password_expires: Moment | null;
  /* Newest first: when a new one is given, the old one stays valid for a while. */
  tokens: Token[];
  /* The row of the ledger that gave the credentials. */
  row: number | null;
  /* When the credentials were given. */
  since: Moment | null;
  budget: AnalystBudget | null;
}

export interface Analysts {
  analysts: Analyst[];
}

export interface OwnerAnalysts extends Analysts {
  /* Whether analysts can be changed by HTTP here. */
  acts: boolean;
  why_not: string | null;
}

export interface Act {
  act: "add" | "rotate" | "revoke";
  name: string;
}

/* Shown only once. null: none was made here, or access was revoked. */
export interface NewSecrets {
  name: string;
  password: string | null;
  token: string | null;
  /* null: never. */
  expires: Moment | null;
  receipt: Receipt;
}

export interface Nothing {
}

export interface Reloaded {
  said: string;
  data_version: number;
  receipt: Receipt;
}

export interface OwnerPolicy {
  text: string;
  /* SHA-256 of the text. */
  hash: Hash;
  /* The store has another policy, which waits for a reload; `since` is then null. */
  waiting: boolean;
  since: Moment | null;
  sentences: string[];
}

export interface DataTable {
  name: string;
  public: boolean;
  /* Read from its file in every query. */
  attached: boolean;
}

/* tables: those of the policy, only for the version in force. Their numbers of rows are recorded
   nowhere. */
export interface DataVersion {
  version: number;
  /* When its file was written. */
  time: Moment;
  in_force: boolean;
  tables: DataTable[];
}

export interface OwnerData {
  versions: DataVersion[];
}

/* Facts about the server, and its counters. */
export interface OwnerHealth {
  uptime_seconds: number;
  ledger_rows: number;
  ledger_format: number;
  store_format: number;
  version: string;
  data_version: number;
  policy: Hash;
  connections: number;
  sessions: number;
  waiting: number;
  running: number;
  stopping: boolean;
  /* Charged questions that failed since the owner's last resume; each is a bug. */
  failures_since_resume: number;
  /* No private question is answered until custos owner resume. */
  all_suspended: boolean;
  /* The names of suspended analysts, separated by commas; empty: none. */
  suspended: string;
  [member: string]: Hash | boolean | number | string;
}

export interface Health {
  status: "ok";
  version: string;
}

export interface WorkerCheck {
  ok: boolean;
  /* What is wrong; null when nothing is. */
  said: string | null;
}

export interface LedgerCheck extends WorkerCheck {
  /* Of the store's disk; 0 when the ledger could not be used. */
  free_bytes: number;
}

export interface DeepHealth {
  status: "ok" | "failing";
  version: string;
  ledger: LedgerCheck;
  worker: WorkerCheck;
}

export interface Refusal {
  code: string;
  sqlstate: string;
  message: string;
  hint: string | null;
  /* The position in the query, in characters from 1. */
  position: number | null;
}

export interface ErrorReply {
  error: Refusal;
}

/* The paths: what each takes, and its reply. */
export interface Gets {
  "/v1/budget": { args: {}; reply: Budget };
  "/v1/budget/history": { args: {}; reply: History };
  "/v1/schema": { args: {}; reply: Schema };
  "/v1/ledger": { args: { from?: number; limit?: number; analyst?: string; theorem?: string }; reply: Ledger };
  "/v1/ledger/verify": { args: {}; reply: Verified };
  "/v1/owner/policy": { args: {}; reply: OwnerPolicy };
  "/v1/owner/analysts": { args: {}; reply: OwnerAnalysts };
  "/v1/owner/data": { args: {}; reply: OwnerData };
  "/v1/owner/health": { args: {}; reply: OwnerHealth };
  "/v1/me": { args: {}; reply: Me };
  "/v1/risk": { args: { epsilon?: string; delta?: string }; reply: Risk };
  "/v1/learn": { args: { epsilon?: string }; reply: Learn };
  "/v1/health": { args: {}; reply: Health };
  "/v1/health/deep": { args: {}; reply: DeepHealth };
}

export interface Posts {
  "/v1/query": { body: Question; reply: Answer };
  "/v1/explain": { body: Question; reply: Plan };
  "/v1/batch": { body: Batch; reply: BatchAnswer };
  "/v1/batch/explain": { body: Batch; reply: BatchPlan };
  "/v1/owner/analysts": { body: Act; reply: NewSecrets };
  "/v1/owner/reload": { body: Nothing; reply: Reloaded };
}
