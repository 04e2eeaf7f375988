/*
 * All requests of the page go through this file. contract.ts has the types of what the
 * server takes and sends; it follows from src/contract/contract.txt, as /v1/openapi.json
 * does. Amounts and values stay strings; a chart may round them, an export never does.
 */

import type { Act, ErrorReply, Gets, Posts, Question } from "./contract";

export * from "./contract";

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
    const { error }: ErrorReply = await reply.json();
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

  private get<P extends keyof Gets>(path: P, args: Gets[P]["args"] = {}): Promise<Gets[P]["reply"]> {
    const given = Object.entries(args).filter(([, v]) => v !== undefined && v !== "")
      .map(([k, v]) => [k, String(v)]);
    const tail = given.length ? "?" + new URLSearchParams(given as [string, string][]) : "";
    return this.call("GET", path + tail);
  }
  private post<P extends keyof Posts>(
    path: P, body: Posts[P]["body"], signal?: AbortSignal,
  ): Promise<Posts[P]["reply"]> {
    return this.call("POST", path, body, signal);
  }

  me() { return this.get("/v1/me"); }
  query(q: Question, signal?: AbortSignal) { return this.post("/v1/query", q, signal); }
  explain(q: Question, signal?: AbortSignal) { return this.post("/v1/explain", q, signal); }
  budget() { return this.get("/v1/budget"); }
  history() { return this.get("/v1/budget/history"); }
  schema() { return this.get("/v1/schema"); }
  /* The risk of a promise; without one, of all answers that the user got so far. */
  risk(of?: { epsilon: string; delta?: string }) { return this.get("/v1/risk", { ...of }); }
  learn(epsilon: string) { return this.get("/v1/learn", { epsilon }); }
  ledger(args: Gets["/v1/ledger"]["args"] = {}) { return this.get("/v1/ledger", args); }
  verify() { return this.get("/v1/ledger/verify"); }
  health() { return this.get("/v1/health"); }

  ownerPolicy() { return this.get("/v1/owner/policy"); }
  ownerAnalysts() { return this.get("/v1/owner/analysts"); }
  ownerData() { return this.get("/v1/owner/data"); }
  ownerHealth() { return this.get("/v1/owner/health"); }
  ownerAct(act: Act["act"], name: string) { return this.post("/v1/owner/analysts", { act, name }); }
  ownerReload() { return this.post("/v1/owner/reload", {}); }
}
