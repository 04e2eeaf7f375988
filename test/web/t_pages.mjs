/* Budget, Ledger, Schema and Learn: each shows what the server says, and lets it be used. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { logIn, open, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store();
const server = await store.serve({ words: ["--no-response-steps"] });
const tokens = { ana: store.letIn("ana"), bob: store.letIn("bob"), owner: store.owner() };
const at = () => ({ server });
const ask = (who, sql) => server.ask(tokens[who], "/v1/query", { sql });
const first = (await ask("ana", "SELECT city, count(*) AS people FROM patients GROUP BY city")).json;
await ask("ana", "SELECT avg(cost) AS cost FROM visits");
await ask("bob", "SELECT count(*) AS stays FROM visits");

visiting("Budget: what is left, how it went, and what it means", at, async (page) => {
  await logIn(page, server, tokens.ana, "budget");
  await page.getByText("ε 4.8").first().waitFor();
  await page.getByText("ε 0.2 of 5 spent").waitFor();
  await page.getByText(/can tell whether you took part with at most/).first().waitFor();
  assert.equal(await page.locator("svg.chart").count() >= 2, true);
  assert.equal(await page.getByText("bob").count(), 0);
});

visiting("Budget: the owner sees all together and everybody", at, async (page) => {
  await logIn(page, server, tokens.owner, "budget");
  await page.getByText("ε 0.3 of 20 spent").waitFor();
  for (const who of ["ana", "bob", "eve"])
    await page.getByRole("rowheader", { name: who, exact: true }).first().waitFor();
});

visiting("Ledger: rows with query, plan, theorems and receipt; search; export", at, async (page) => {
  await logIn(page, server, tokens.ana, "ledger");
  await page.getByText("2 rows, the newest first").waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("avg(cost)");
  await page.getByText("1 row of 2").waitFor();
  await page.locator(".rows summary").click();
  await page.getByText("noise on").waitFor();
  await page.getByRole("button", { name: "laplace-discrete" }).first().click();
  const [file] = await Promise.all([page.waitForEvent("download"),
    page.getByRole("button", { name: "Save these rows as JSON" }).click()]);
  assert.equal(JSON.parse(readFileSync(await file.path(), "utf8")).rows.some((r) => r.receipt === first.receipt), true);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.locator(".rows details:not([open]) summary").first().click();
  await page.getByRole("link", { name: "Ask this again" }).first().click();
  await page.getByRole("button", { name: "Show again, free" }).waitFor();
});

visiting("Ledger: the owner hashes the whole chain again in the page, an analyst has it verified", at, async (page) => {
  await logIn(page, server, tokens.owner, "ledger");
  await page.getByRole("button", { name: "Hash every row again" }).click();
  await page.locator(".news.good").first().waitFor();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Your token").fill(tokens.ana);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: /verif|check|whole/i }).first().click();
  await page.locator(".news.good").first().waitFor();
});

visiting("Ledger: a row that was changed on its way breaks the chain in the page", at, async (page) => {
  await logIn(page, server, tokens.owner);
  await page.route("**/v1/ledger?*", async (route) => {
    const reply = await route.fetch();
    const ledger = await reply.json();
    for (const row of ledger.rows) if (row.who === "bob") row.epsilon = "0.01";
    await route.fulfill({ response: reply, json: ledger });
  });
  await page.getByRole("link", { name: "Ledger" }).click();
  await page.getByRole("button", { name: "Hash every row again" }).click();
  await page.locator(".news.bad").first().waitFor();
});

visiting("Schema: words, protection, search, and a first question that can be asked", at, async (page) => {
  await logIn(page, server, tokens.ana, "schema");
  await page.getByText("Each patient_id is protected").waitFor();
  await page.getByText("At most 4 rows of each count in an answer.").waitFor();
  await page.getByText("Nobody is protected here.").waitFor();
  await page.getByRole("heading", { name: "long_stays" }).waitFor();
  await page.getByLabel("Search").fill("maternity");
  await page.getByText("2 of 4 tables and views, 2 columns").waitFor();
  await page.getByLabel("Search").fill("");
  for (const table of ["patients", "visits", "departments", "long_stays"]) {
    await page.getByRole("link", { name: `Ask about this table ${table}` }).click();
    await page.waitForFunction(() =>
      /Ask for ε|free/.test(document.querySelector(".ask-button")?.textContent ?? ""));
    await page.getByRole("link", { name: "Schema" }).click();
  }
});

visiting("Schema: who is granted less sees less", at, async (page) => {
  await logIn(page, server, tokens.bob, "schema");
  await page.getByText("Each person is protected").waitFor();
  assert.doesNotMatch(await page.locator("main").innerText(), /patient|born|long_stays|nights/);
});

visiting("Learn: open to everybody, its numbers are the server's and follow the slider", at, async (page) => {
  await open(page, server, "learn");
  const said = async (epsilon) =>
    (await (await fetch(`${server.origin}/v1/learn?epsilon=${epsilon}`)).json()).risk.sentences[1];
  await page.getByText(await said("1")).waitFor();
  const slider = page.getByRole("slider");
  await slider.focus();
  await slider.press("Home");
  await page.getByText(await said("1")).waitFor({ state: "hidden" });
  const epsilon = /ε = ([\d.]+)/.exec(await page.locator("main").innerText())[1];
  await page.getByText(await said(epsilon)).waitFor();
});

await runAll();
