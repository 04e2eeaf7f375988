/*
 * Hashes the chain again in the browser: SHA-256 over the bytes that
 * /v1/openapi.json describes. Each row's hash covers the hash of the row before, so
 * a change, removal or insertion is found at the latest at the row after it. If the
 * last rows are missing, only a receipt of one of them shows it.
 */
import type { Api, LedgerRow } from "../api";

const DOMAIN = "custos ledger row, format 1";
const DOMAIN_2 = "custos ledger row, format 2"; /* with delta_rho */
const NOTHING = "0".repeat(64); /* before the first row */
const PAGE = 500;

const utf8 = new TextEncoder();

/* Integers take eight bytes, little-endian; everything else is preceded by its length. */
class Encoding {
  private readonly parts: Uint8Array[] = [];
  private length = 0;

  private put(bytes: Uint8Array) {
    this.parts.push(bytes);
    this.length += bytes.length;
  }
  number(n: bigint) {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigInt64(0, n, true);
    this.put(bytes);
  }
  bytes(bytes: Uint8Array) {
    this.number(BigInt(bytes.length));
    this.put(bytes);
  }
  text(text: string | null) { this.bytes(utf8.encode(text ?? "")); }
  hex(hex: string) {
    this.bytes(Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
  }
  whole(): Uint8Array {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.parts) { all.set(part, at); at += part.length; }
    return all;
  }
}

async function hashOf(row: LedgerRow, before: string): Promise<string> {
  const e = new Encoding();
  e.text(row.delta_rho === null ? DOMAIN : DOMAIN_2);
  e.hex(before);
  e.number(BigInt(row.row));
  e.number(BigInt(row.time_us ?? 0));
  for (const text of [row.what, row.who, row.query, row.plan, row.theorems, row.words,
                      row.epsilon, row.rho, row.delta]) e.text(text);
  if (row.delta_rho !== null) e.text(row.delta_rho);
  e.number(BigInt(row.data_version));
  e.hex(row.policy ?? "");
  e.text(row.version);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", e.whole()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export interface Rehashed { ok: boolean; rows: number; head: string; said: string }

/* Browsers compute hashes only on pages loaded over TLS or from this machine. */
export const canHash = () => globalThis.crypto?.subtle !== undefined;

/* For the owner only: others do not see all rows. Calls `seen` after each page. */
export async function rehash(api: Api, seen: (rows: number) => void, signal: AbortSignal): Promise<Rehashed> {
  let before = NOTHING, count = 0;
  let from: number | null = 1;
  const broken = (row: number, why: string): Rehashed =>
    ({ ok: false, rows: count, head: `${count}:${before}`, said: `Row ${row} ${why}. All rows before it are intact.` });

  while (from !== null) {
    const page = await api.ledger({ from, limit: PAGE });
    for (const row of page.rows) {
      if (signal.aborted) throw signal.reason;
      if (row.row !== count + 1) return broken(count + 1, "is missing");
      if (row.before !== undefined && row.before !== before) return broken(row.row, "does not follow the row before it");
      const hash = await hashOf(row, before);
      if (row.receipt !== `${row.row}:${hash}`) return broken(row.row, "does not match its hash");
      before = hash;
      count++;
    }
    seen(count);
    from = page.next;
  }
  return {
    ok: true, rows: count, head: `${count}:${before}`,
    said: `This page hashed all ${count} rows again, and they form one chain.`,
  };
}
