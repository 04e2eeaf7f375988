/*
 * A hospital of fictitious people, its store, and `custos serve` on free loopback ports, which is
 * ended by its process id.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./tap.mjs";

const CUSTOS = process.env.CUSTOS ?? "build/custos";
const CITIES = ["Aachen", "Bremen", "Chemnitz", "Dresden", "Erfurt"];
const WARDS = ["cardiology", "emergency", "eyes", "maternity", "surgery"];

export const POLICY = `\
custos: 1
budget: {epsilon: 20, delta: 1e-6, n: 4000}
query: {epsilon: 0.1, max_epsilon: 2, delta: 1e-9}
tables:
  patients:
    source: patients.csv
    unit: id
    max_rows: 10000
    comment: Everybody who was ever a patient
    columns:
      id: {type: integer}
      sex: {type: text, values: [f, m], nullable: false, comment: as the register has it}
      born: {type: integer, range: [1930, 2025], nullable: false}
      city: {type: text, values: [${CITIES}], nullable: false}
      name: {type: text}
  visits:
    source: visits.csv
    unit: patient_id
    rows_per_unit: 4
    max_rows: 40000
    comment: One row a stay
    columns:
      patient_id: {type: integer, references: patients.id}
      department: {type: text, values: [${WARDS}], nullable: false}
      day: {type: date, range: [2024-01-01, 2025-12-31]}
      nights: {type: integer, range: [0, 60], nullable: false}
      cost: {type: decimal, scale: 2, range: [0, 5000]}
  departments:
    public: true
    source: departments.csv
    columns:
      department: {type: text}
      floor: {type: integer}
views:
  long_stays: {sql: "SELECT patient_id, department, nights FROM visits WHERE nights > 7", comment: Stays of more than a week}
analysts:
  ana: {budget: {epsilon: 5, delta: 1e-8}}
  bob: {budget: {epsilon: 0.15, delta: 1e-8}, tables: {visits: [department, cost]}}
  eve: {window: {epsilon: 0.5, days: 7}}
`;

/* Pseudo-random numbers, the same each time. */
function dice(seed) {
  let x = seed;
  return (n) => {
    x = (x * 1103515245 + 12345) % 2147483648;
    return Math.floor((x / 2147483648) * n);
  };
}

function fill(folder, people) {
  const throwOf = dice(7);
  const uneven = (list) => list[Math.min(throwOf(list.length), throwOf(list.length + 2))];
  const two = (n) => String(n).padStart(2, "0");
  const patients = ["id,sex,born,city,name"];
  const visits = ["patient_id,department,day,nights,cost"];
  for (let i = 0; i < people; i++) {
    const id = 700001 + 13 * i;
    patients.push([id, "fm"[throwOf(2)], 1930 + throwOf(48) + throwOf(47), uneven(CITIES),
      `qzx${i}`].join());
    for (let k = throwOf(4); k > 0; k--)
      visits.push([id, uneven(WARDS),
        `${2024 + throwOf(2)}-${two(1 + throwOf(12))}-${two(1 + throwOf(28))}`,
        throwOf(5) * throwOf(4), `${100 + throwOf(4500)}.50`].join());
  }
  writeFileSync(join(folder, "patients.csv"), patients.join("\n") + "\n");
  writeFileSync(join(folder, "visits.csv"), visits.join("\n") + "\n");
  writeFileSync(join(folder, "departments.csv"),
    "department,floor\n" + WARDS.map((w, i) => `${w},${i % 3}`).join("\n") + "\n");
}

export class Store {
  constructor({ policy = POLICY, people = 4000, also = () => {} } = {}) {
    this.folder = mkdtempSync(join(tmpdir(), "custos-web-"));
    this.path = join(this.folder, "store");
    atEnd(() => rmSync(this.folder, { recursive: true }));
    fill(this.folder, people);
    also(this.folder);
    this.writePolicy(policy);
    this.custos("init", join(this.folder, "policy.yaml"));
  }

  writePolicy(text) {
    writeFileSync(join(this.folder, "policy.yaml"), text);
  }

  custos(...words) {
    return execFileSync(CUSTOS, [...words, "--store", this.path], { encoding: "utf8" });
  }

  /* A new token of an analyst or of the owner. */
  letIn(name) {
    return /custos_[0-9a-f]{64}/.exec(this.custos("analyst", "add", name))[0];
  }
  owner() {
    return /custos_[0-9a-f]{64}/.exec(this.custos("owner", "token"))[0];
  }

  /* Starts a server. Its reply allowance is long enough for a busy machine, because a late reply is an error. */
  async serve({ http = 0, words = ["--reply-allowance", "500"] } = {}) {
    const server = new Server(this.path, http, words);
    await server.listening;
    return server;
  }
}

class Server {
  constructor(store, http, words) {
    this.process = spawn(CUSTOS,
      ["serve", "--store", store, "--pg", "127.0.0.1:0", "--http", `127.0.0.1:${http}`, ...words],
      { stdio: ["ignore", "ignore", "pipe"] });
    this.said = "";
    this.ended = new Promise((done) => this.process.once("exit", done));
    this.listening = new Promise((done, fail) => {
      this.process.stderr.on("data", (bytes) => {
        this.said += bytes;
        const found = /event=listen.*http="?[^ ]*:(\d+)/.exec(this.said);
        if (found) done(this.port = Number(found[1]));
      });
      this.process.once("exit", () => fail(new Error(`custos serve ended: ${this.said}`)));
    });
    atEnd(() => this.stop());
  }

  get origin() {
    return `http://127.0.0.1:${this.port}`;
  }

  stop(how = "SIGTERM") {
    this.process.kill(how);
    return this.ended;
  }

  /* A request to the API, as any client may send it. */
  async ask(token, path, body) {
    const reply = await fetch(this.origin + path, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: reply.status, headers: reply.headers, json: await reply.json() };
  }
}
