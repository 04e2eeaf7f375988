/*
 * The server's HTTP API, as described in /v1/openapi.json; all requests of the page
 * go through this file. Amounts and values stay strings; a chart may round them, an
 * export never does.
 */

export type Amount = string;

export interface Cost { epsilon: Amount; rho: Amount; delta: Amount }
export interface Remaining { epsilon: Amount }
export type Value = string | boolean | null;
export interface Cell { value: Value; low?: Value; high?: Value }
export type Kind =
  | "null" | "boolean" | "integer" | "decimal" | "real" | "text" | "date" | "timestamp";
export interface Column { name: string; type: Kind; key: boolean }
export interface PlannedColumn extends Column { within: string | null }

export interface Answer {
  columns: Column[];
  rows: Cell[][];
  kind: "private" | "public" | "plan";
  stored: boolean;
  confidence: string;
  cost: Cost;
  remarks: string[];
  remaining: Remaining | null;
  receipt: string | null;
}

export interface Plan {
  columns: PlannedColumn[];
  plan: string[];
  cost: Cost;
  remarks: string[];
  remaining: Remaining | null;
  /* What would remain after this query. If `after` is null and `remaining` is not, the
     budget does not cover it. `stored`: its answer is cached, so it is free. */
  after: Remaining | null;
  stored: boolean;
  /* How long the reply takes, from public facts; null: the query is free, or the time
     is not known. */
  reply_seconds: number | null;
}

export interface Question {
  sql: string;
  epsilon?: string;
  rho?: string;
  within?: string;
  jointly?: boolean;
}

/* Who the token belongs to; the owner has the name null. */
export interface Me { name: string | null; owner: boolean; version: string }

export interface Balance {
  epsilon: Amount; delta: Amount;
  currency: "epsilon" | "rho";
  spent: Amount; limit: Amount;
  query_delta_spent: Amount; query_delta_limit: Amount;
  left_epsilon: Amount;
  charges: number;
  theorem: string;
}
export interface AnalystBudget {
  name: string; charges: number; left_epsilon: Amount;
  own: Balance | null; window: Balance | null; window_days: number | null;
  spent: Cost; /* the sums of all charges, in each currency */
}
/* Only the owner sees common and spent, which cover all analysts together. */
export interface Budget { common: Balance | null; spent: Cost | null; analysts: AnalystBudget[] }

/* Spending over time; only the owner sees `common`. Amounts in `currency`. */
export interface HistoryPoint { row: number; time: string; spent: Amount }
export interface HistoryLine {
  who: string | null; /* null: all analysts together */
  currency: "epsilon" | "rho";
  limit: Amount | null;
  points: HistoryPoint[];
}
export interface History { now: string; lines: HistoryLine[] }

/* What a promise means: numbers from the library, and sentences. */
export interface Corner { fpr: string; fnr: string }
export interface Risk {
  epsilon: Amount; delta: Amount;
  success: string;      /* at most: how often the best test is right, 0 to 1 */
  posterior: string;    /* at most: what a belief of 1/2 may become */
  missed: string;       /* at least: the share that a test with 5 % false alarms misses */
  sentences: string[];
  corners: Corner[];    /* of the trade-off curve */
}

/* One counting question on a toy table, with and without one person. */
export interface Learn {
  epsilon: Amount;
  question: string;
  people: { name: string; answer: boolean }[];
  person: string;
  with: number; without: number;
  values: number[];
  p_with: string[]; p_without: string[];
  within: string;       /* half width at 95 % */
  risk: Risk;
}

export interface SchemaColumn {
  name: string; type: Kind; scale: number | null; nullable: boolean; unit: boolean;
  range: { low: string; high: string } | null;
  values: string[] | null;
  references: { table: string; column: string } | null;
  comment: string | null;
}
export interface Table {
  name: string; public: boolean;
  /* If a bound is null, every question chooses its own, privately. */
  unit: { row: boolean; rows_per_unit: number | null; groups_per_unit: number | null; column: string | null } | null;
  comment: string | null;
  columns: SchemaColumn[];
}
export interface View { name: string; comment: string | null; columns: SchemaColumn[] }
export interface Schema {
  tables: Table[]; views: View[];
  adjacency: "add-remove" | "change-one";
  query: { epsilon: Amount; max_epsilon: Amount; delta: string };
}

export interface LedgerRow {
  row: number; time: string; what: string; who: string | null;
  query: string | null; plan: string | null; theorems: string | null; words: string | null;
  epsilon: Amount | null; rho: Amount | null; delta: Amount | null;
  data_version: number; version: string | null; receipt: string;
  /* Only for the owner, to hash the chain again as /v1/openapi.json describes. */
  time_us?: string;   /* microseconds since 1970 */
  policy?: string;    /* hex */
  before?: string;    /* hex: the hash of the row before */
}
export interface Ledger { rows: LedgerRow[]; next: number | null }
/* Only the owner sees rows and head. */
export interface Verified {
  ok: boolean; rows: number | null; head: string | null; said: string;
}

export interface OwnerPolicy {
  text: string; sentences: string[]; hash: string; since: string | null;
  waiting: boolean;   /* the store has a newer one, not loaded yet */
}
export interface OwnerAnalyst {
  name: string;
  password: boolean; token: boolean;   /* for PostgreSQL clients, for HTTP */
  since: string | null;
  budget: AnalystBudget | null;        /* null: no longer in the policy */
}
export interface OwnerAnalysts { analysts: OwnerAnalyst[]; acts: boolean; why_not: string | null }
/* Password and token; both are null after revoke. The server cannot show them again. */
export interface NewSecrets {
  name: string; password: string | null; token: string | null; receipt: string;
}
export interface DataVersion {
  version: number; time: string; in_force: boolean;
  /* Empty unless this version is in force. The number of rows is not recorded.
     attached: read from its file in every query. */
  tables: { name: string; public: boolean; attached: boolean }[];
}
export interface OwnerData { versions: DataVersion[] }
export interface Reloaded { said: string; data_version: number; receipt: string }
export interface OwnerHealth { [fact: string]: string | number | boolean }

/* The server's error message, or why there is no reply at all. */
export class Refused extends Error {
  constructor(
    readonly status: number,          /* 0: no reply */
    readonly code: string,
    message: string,
    readonly hint: string | null = null,
    readonly position: number | null = null,   /* characters, from 1 */
    readonly wait: number | null = null,       /* seconds */
  ) { super(message); }
  get gone() { return this.status === 0; }
  get locked() { return this.status === 401; }
  get spent() { return this.code === "ESPENT"; }
}

async function refusal(reply: Response): Promise<Refused> {
  const wait = Number(reply.headers.get("Retry-After")) || null;
  try {
    const { error } = await reply.json();
    return new Refused(reply.status, error.code, error.message, error.hint, error.position, wait);
  } catch {
    return new Refused(reply.status, "HTTP", `The server answered ${reply.status}.`, null, null, wait);
  }
}

export class Api {
  constructor(readonly token: string) {}

  /* An incomplete reply counts as no reply. */
  private async call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    try {
      const reply = await fetch(path, {
        method, headers, cache: "no-store", credentials: "omit",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      });
      if (!reply.ok) throw await refusal(reply);
      return await reply.json();
    } catch (e) {
      if (signal?.aborted || e instanceof Refused) throw e;
      throw new Refused(0, "GONE", "The server does not answer.",
                        "Is `custos serve` running? The page tries again by itself.");
    }
  }

  private get<T>(path: string, args: Record<string, string | number | undefined> = {}): Promise<T> {
    const given = Object.entries(args).filter(([, v]) => v !== undefined && v !== "")
      .map(([k, v]) => [k, String(v)]);
    const tail = given.length ? "?" + new URLSearchParams(given as [string, string][]) : "";
    return this.call("GET", path + tail);
  }
  private post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    return this.call("POST", path, body, signal);
  }

  me() { return this.get<Me>("/v1/me"); }
  query(q: Question, signal?: AbortSignal) { return this.post<Answer>("/v1/query", q, signal); }
  explain(q: Question, signal?: AbortSignal) { return this.post<Plan>("/v1/explain", q, signal); }
  budget() { return this.get<Budget>("/v1/budget"); }
  history() { return this.get<History>("/v1/budget/history"); }
  schema() { return this.get<Schema>("/v1/schema"); }
  /* The risk of a promise; without one, of all answers that the user got so far. */
  risk(of?: { epsilon: string; delta?: string }) { return this.get<Risk>("/v1/risk", { ...of }); }
  learn(epsilon: string) { return this.get<Learn>("/v1/learn", { epsilon }); }
  ledger(args: { from?: number; limit?: number; analyst?: string; theorem?: string } = {}) {
    return this.get<Ledger>("/v1/ledger", args);
  }
  verify() { return this.get<Verified>("/v1/ledger/verify"); }
  health() { return this.get<{ status: string; version: string }>("/v1/health"); }

  ownerPolicy() { return this.get<OwnerPolicy>("/v1/owner/policy"); }
  ownerAnalysts() { return this.get<OwnerAnalysts>("/v1/owner/analysts"); }
  ownerData() { return this.get<OwnerData>("/v1/owner/data"); }
  ownerHealth() { return this.get<OwnerHealth>("/v1/owner/health"); }
  ownerAct(act: "add" | "rotate" | "revoke", name: string) {
    return this.post<NewSecrets>("/v1/owner/analysts", { act, name });
  }
  ownerReload() { return this.post<Reloaded>("/v1/owner/reload", {}); }
}
