/* Budget: what is left and its history, for the owner, for analysts, and when all is spent. */
import assert from "node:assert/strict";
import { axe, logIn, NARROW, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store({ people: 400 });
const server = await store.serve();
const tokens = { ana: store.letIn("ana"), bob: store.letIn("bob"), eve: store.letIn("eve"), owner: store.owner() };
const at = () => ({ store, server, tokens });
const pay = (who, epsilon, floor) => server.ask(tokens[who], "/v1/query",
  { sql: `SELECT count(*) FROM visits WHERE cost > ${floor}`, epsilon });

for (const [i, epsilon] of ["0.1", "0.25", "0.5"].entries()) await pay("ana", epsilon, i);
await pay("bob", "0.15", 10);
await pay("eve", "0.5", 11);

visiting("the owner sees the common budget, each analyst, every currency and the risk", at, async (page) => {
  await logIn(page, server, tokens.owner, "budget");
  const told = (await server.ask(tokens.owner, "/v1/budget")).json;
  const risk = (await server.ask(tokens.owner, "/v1/risk")).json;
  await page.getByText(`ε ${told.common.left_epsilon}`, { exact: true }).first().waitFor();
  assert.equal(await page.getByRole("meter").getAttribute("aria-valuenow"),
    String(Math.round(100 * Number(told.common.spent) / Number(told.common.limit))));
  await page.getByText(risk.sentences[0]).waitFor();
  await page.getByRole("strong").getByText(/At the pace of the last day \(ε.1\.5 a day\) it lasts until/).waitFor();
  const spends = page.getByRole("region", { name: "Analysts" });
  for (const a of told.analysts) await spends.getByRole("row", { name: new RegExp(`${a.name} ${a.charges}`) }).waitFor();
  const sums = page.getByRole("region", { name: "All charges added up" });
  assert.equal(await sums.locator("tbody tr").count(), 1 + told.analysts.length);
  assert.equal(await sums.locator(`[title="${told.spent.rho}"]`).count(), 1);
});

visiting("the chart shows the chosen analyst, with its numbers as a table", at, async (page) => {
  await logIn(page, server, tokens.owner, "budget");
  await page.getByRole("figure", { name: "Remaining budget, all analysts" }).waitFor();
  await page.getByRole("button", { name: "Show the chart of ana" }).click();
  const figure = page.getByRole("figure", { name: "Remaining budget, ana" });
  await figure.getByText("The numbers as a table").click();
  const { lines } = (await server.ask(tokens.owner, "/v1/budget/history")).json;
  const points = lines.find((l) => l.who === "ana").points;
  assert.deepEqual(await figure.locator("tbody tr").allInnerTexts(),
    points.map((p) => [p.row, p.time, p.spent].join("\t")));
});

visiting("a spent budget: what it means and what still works", at, async (page) => {
  await logIn(page, server, tokens.bob, "budget");
  await page.getByText(/Nothing is left\. New questions are rejected; earlier answers stay free/).waitFor();
  await page.getByText("Only the owner can change that").waitFor();
});

visiting("a spent budget has no forecast, and its chart ends at zero", at, async (page) => {
  await logIn(page, server, tokens.bob, "budget");
  await page.getByRole("strong").getByText(/^Nothing is left: all of it was spent by /).waitFor();
  const figure = page.getByRole("figure", { name: "Remaining budget, bob" });
  assert.doesNotMatch(await figure.innerText(), /within a day|current pace/);
  /* The line falls to the bottom in the left half and continues there to the right edge. */
  const d = await figure.locator("path.line").first().getAttribute("d");
  const points = [...d.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  const bottom = Math.max(...points.map(([, y]) => y)), right = points.at(-1)[0];
  const [fell] = points.find(([, y]) => y === bottom);
  assert.equal(bottom > 0 && fell < right / 2 && points.at(-1)[1] === bottom, true, d);
});

visiting("the owner's table says that a budget is spent", at, async (page) => {
  await logIn(page, server, tokens.owner, "budget");
  const row = page.getByRole("region", { name: "Analysts" }).getByRole("row", { name: /^bob/ });
  await row.getByRole("cell", { name: "spent", exact: true }).waitFor();
});

visiting("a spent window: the page says when there is room again", at, async (page) => {
  await logIn(page, server, tokens.eve, "budget");
  await page.getByText(/Nothing is left for now/).waitFor();
  await page.getByText(/Each charge counts in your window for 7 days; there is room again from \d+ \w+ \d{4}/).waitFor();
  await page.getByText("a charge counts here for 7 days, then there is room again").waitFor();
  await page.getByRole("link", { name: "Ask", exact: true }).click();
  await page.getByRole("textbox", { name: "Your question in SQL" }).fill("SELECT count(*) AS more FROM visits");
  await page.getByText("Your window is spent for now.").waitFor();
  await page.getByText(/You may spend ε 0.5 in 7 days. Each charge counts in this window for 7 days, then there is room again/).waitFor();
  assert.doesNotMatch(await page.locator("main").innerText(), /nothing refills it/);
});

visiting("what a single question may cost is not above the policy's cap", at, async (page) => {
  await logIn(page, server, tokens.ana, "budget");
  const told = (await server.ask(tokens.ana, "/v1/budget")).json.analysts[0];
  assert.equal(Number(told.left_epsilon) > 2, true);
  await page.getByText(/A single question may cost at most ε 2, the policy’s cap\./).waitFor();
  await page.getByText(`The budget has room for ε ${told.left_epsilon}.`).waitFor();
});

visiting("an analyst sees nobody else", at, async (page) => {
  await logIn(page, server, tokens.ana, "budget");
  await page.getByText("your own budget").waitFor();
  const text = await page.locator("main").innerText();
  assert.doesNotMatch(text, /\b(bob|eve|all analysts)\b/);
});

visiting("dark and narrow: nothing that axe finds serious, nothing beyond the edge", at, async (page) => {
  await logIn(page, server, tokens.owner, "budget");
  await page.getByText("Spending by analyst").waitFor();
  await page.locator(".odds").waitFor();
  assert.deepEqual(await axe(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}, { scheme: "dark", size: NARROW });

await runAll();
