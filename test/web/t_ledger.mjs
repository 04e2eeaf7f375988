/* Ledger: finding, filtering and exporting rows; hashing the chain in the page; receipts. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { axe, logIn, NARROW, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store({ people: 400 });
const server = await store.serve();
const tokens = { ana: store.letIn("ana"), eve: store.letIn("eve"), owner: store.owner() };
const at = () => ({ store, server, tokens });
const ask = (who, sql) => server.ask(tokens[who], "/v1/query", { sql, epsilon: "0.01" });

const NASTY = "SELECT count(*) FROM patients WHERE name = '<img src=x onerror=alert(1)>, \"q\"'";
await ask("ana", "SELECT count(*) FROM patients");
await ask("ana", NASTY);
await ask("eve", "SELECT department, avg(cost) FROM visits GROUP BY department");
const ledger = async (who) => (await server.ask(tokens[who], "/v1/ledger?limit=1000")).json.rows;

visiting("the owner's page hashes every row again", at, async (page) => {
  await logIn(page, server, tokens.owner, "ledger");
  await page.getByRole("button", { name: "Hash every row again" }).click();
  await page.getByText("The chain is intact.", { exact: true }).waitFor();
  const rows = await ledger("owner");
  await page.getByText(`This page hashed all ${rows.length} rows again`).waitFor();
  await page.locator(".news").getByText(rows.at(-1).receipt).waitFor();
});

/* Changes that somebody might make to the file, bypassing the server. */
const TAMPERED = {
  "does not match its hash": (rows) => rows.map((r) => (r.row === 4 ? { ...r, time_us: "1" } : r)),
  "is missing": (rows) => rows.filter((r) => r.row !== 5),
  "does not follow the row before it": (rows) => rows.map((r) => (r.row === 6 ? { ...r, before: "0".repeat(64) } : r)),
};
for (const [said, change] of Object.entries(TAMPERED))
  visiting(`a changed ledger: a row ${said}`, at, async (page) => {
    await page.route("**/v1/ledger?*", async (route) => {
      const reply = await route.fetch();
      const json = await reply.json();
      await route.fulfill({ json: { ...json, rows: change(json.rows) } });
    });
    await logIn(page, server, tokens.owner, "ledger");
    await page.getByRole("button", { name: "Hash every row again" }).click();
    await page.getByText("The chain is broken.").waitFor();
    await page.getByText(said).waitFor();
  });

visiting("the page notices if the server withholds the last rows", at, async (page) => {
  await page.route("**/v1/ledger?*", async (route) => {
    const json = await (await route.fetch()).json();
    await route.fulfill({ json: { rows: json.rows.slice(0, -1), next: null } });
  });
  await logIn(page, server, tokens.owner, "ledger");
  await page.getByRole("button", { name: "Hash every row again" }).click();
  await page.getByText("The chain is broken.").waitFor();
});

visiting("an analyst sees only their own rows", at, async (page) => {
  await logIn(page, server, tokens.ana, "ledger");
  await page.getByText("newest first").waitFor();
  const rows = await page.locator(".rows").innerText();
  assert.ok(rows.includes("ana") && !rows.includes("eve") && !rows.includes("department"));
});

/* An answer comes with a receipt, which the ledger has or has lost. */
for (const [kept, said] of [[true, "receipt of the answer in this tab is in the ledger"], [false, "does not have these receipts"]])
  visiting(`an analyst verifies: the ledger ${said}`, at, async (page) => {
    await logIn(page, server, tokens.eve, "ask");
    await page.getByRole("button", { name: /^(Ask for|Show again)/ }).click();
    await page.getByText(/receipt/i).first().waitFor();
    if (!kept)
      await page.route("**/v1/ledger?*", async (route) => {
        const json = await (await route.fetch()).json();
        await route.fulfill({ json: { ...json, rows: [] } });
      });
    await page.getByRole("link", { name: "Ledger" }).click();
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.getByText(kept ? "The chain is intact." : "The chain is broken.", { exact: true }).waitFor();
    await page.getByText(said).waitFor();
  });

visiting("receipts of rows that are far apart are found", at, async (page) => {
  await logIn(page, server, tokens.ana, "ask");
  const ask = page.locator(".ask-button");
  for (const word of ["near", "far"]) {
    await page.getByRole("textbox", { name: "Your question in SQL" }).fill(`SELECT count(*) AS ${word} FROM patients`);
    await ask.getByText(/Ask for ε|Show again/).click();
    await page.getByRole("columnheader", { name: word }).waitFor();
  }
  await page.route("**/v1/ledger?*", async (route) => { /* one row a page, as if other rows lay between them */
    const { rows } = await (await route.fetch()).json();
    await route.fulfill({ json: { rows: rows.slice(0, 1), next: rows.length > 1 ? rows[1].row : null } });
  });
  await page.getByRole("link", { name: "Ledger" }).click();
  await page.getByRole("button", { name: "Verify the chain" }).click();
  await page.getByText("All 2 receipts of the answers in this tab are in the ledger.").waitFor();
  await page.unrouteAll({ behavior: "wait" }); /* a reply may be in flight */
});

visiting("a row opens: query, plan, cost, theorems, receipt, all as text", at, async (page) => {
  await logIn(page, server, tokens.ana, "ledger");
  const row = (await ledger("ana")).find((r) => r.query === NASTY);
  await page.getByLabel("Search").fill("onerror");
  await page.getByText("1 row of").waitFor();
  await page.locator(".rows summary").click();
  const details = await page.locator(".rows .row-details").innerText();
  for (const told of [NASTY, row.receipt, row.rho, ...row.theorems.split(" "), row.plan.split("\n")[0]])
    assert.ok(details.includes(told), told);
  assert.equal(await page.locator("main img").count(), 0);
});

visiting("a theorem shows the rows that rest on it", at, async (page) => {
  await logIn(page, server, tokens.owner, "ledger");
  await page.locator(".rows summary").filter({ hasText: "avg(cost)" }).click();
  await page.locator(".chips").getByRole("button", { name: "part-clamp" }).click();
  const rests = (await ledger("owner")).filter((r) => r.theorems?.split(" ").includes("part-clamp"));
  await page.getByText(`${rests.length} row of`).waitFor();
  assert.equal(await page.locator(".rows > li").count(), rests.length);
});

visiting("exports have every digit", at, async (page) => {
  await logIn(page, server, tokens.ana, "ledger");
  await page.getByText("newest first").waitFor();
  const rows = (await ledger("ana")).reverse();
  const save = async (what) => {
    const [file] = await Promise.all([page.waitForEvent("download"),
      page.getByRole("button", { name: `Save these rows as ${what}` }).click()]);
    return readFileSync(await file.path(), "utf8");
  };
  assert.deepEqual(JSON.parse(await save("JSON")).rows, rows);
  const csv = await save("CSV");
  assert.match(csv, /^row,time,what,who,query,/);
  assert.ok(csv.includes(`"${NASTY.replaceAll('"', '""')}"`));
  for (const row of rows) assert.ok(csv.includes(row.receipt) && (row.rho === null || csv.includes(row.rho)));
});

visiting("a receipt is looked up", at, async (page) => {
  await logIn(page, server, tokens.ana, "ledger");
  const [own] = await ledger("ana");
  const other = (await ledger("owner")).find((r) => r.who === "eve");
  const look = async (receipt, said) => {
    await page.getByLabel("Receipt", { exact: true }).fill(receipt);
    await page.getByRole("button", { name: "Look up" }).click();
    await page.getByText(said).waitFor();
  };
  await look(own.receipt, `Row ${own.row} has this receipt.`);
  await look(`${own.row}:${"0".repeat(64)}`, "has a different hash");
  await look(other.receipt, `Row ${other.row} is not one of yours.`);
  await look("twelve", "A receipt is a row number");
});

visiting("dark and narrow: nothing that axe finds serious, nothing beyond the edge", at, async (page) => {
  await logIn(page, server, tokens.owner, "ledger");
  await page.locator(".rows summary").first().click();
  await page.getByRole("button", { name: "Hash every row again" }).click();
  await page.getByText("The chain is intact.", { exact: true }).waitFor();
  assert.deepEqual(await axe(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}, { scheme: "dark", size: NARROW });

/* The last case, because it ends the server. */
visiting("while the server is gone the rows stay; when it is back they are read again", at, async (page) => {
  await logIn(page, server, tokens.owner, "ledger");
  await page.getByText("newest first").waitFor();
  const before = await page.locator(".rows > li").count();
  await server.stop();
  await page.getByRole("button", { name: "Check for new rows" }).click();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor();
  assert.equal(await page.locator(".rows > li").count(), before);
  await store.serve({ http: server.port });
  await page.getByText("The server does not answer.").waitFor({ state: "detached" });
  await page.getByText(`${before} rows, newest first`).waitFor();
}, { forgive: [/ERR_CONNECTION_REFUSED/] });

await runAll();
