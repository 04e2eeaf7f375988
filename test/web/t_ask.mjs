/* Ask: the price before the answer, errors at their position, the answer with its error bars. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { logIn, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store();
const server = await store.serve();
const token = store.letIn("ana");
const at = () => ({ server });

const editor = (page) => page.getByRole("textbox", { name: "Your question in SQL" });
const button = (page) => page.locator(".ask-button");

/* Replaces the text in the editor. */
async function write(page, sql) {
  await editor(page).fill(sql);
}

visiting("price, remaining budget and accuracy are shown before asking", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT sex, count(*) AS people FROM patients GROUP BY sex");
  await button(page).getByText("Ask for ε 0.1").waitFor();
  const price = page.getByRole("complementary", { name: "Price" });
  await price.getByRole("row", { name: /people/ }).waitFor();
  assert.match(await price.innerText(), /± ?30/);
  assert.match(await price.innerText(), /4\.9/);
  await page.getByLabel("Epsilon to pay").fill("0.5");
  await button(page).getByText("Ask for ε 0.5").waitFor();
  assert.match(await price.innerText(), /± ?6\b/);
  const { json } = await server.ask(token, "/v1/budget");
  assert.equal(json.analysts[0].own.spent, "0");
});

visiting("the slider trades accuracy for price", at, async (page) => {
  await logIn(page, server, token);
  await button(page).getByText("Ask for ε").waitFor();
  const slider = page.getByRole("slider");
  for (let i = 0; i < 40; i++) {
    const before = Number(await slider.inputValue());
    await slider.press("ArrowLeft");
    assert.equal(Number(await slider.inputValue()), before - 1);
  }
  await slider.press("End");
  await button(page).getByText("Ask for ε 2", { exact: true }).waitFor();
  await slider.press("Home");
  await page.waitForFunction(() => /Ask for ε 0\.0/.test(document.querySelector(".ask-button").textContent));
});

visiting("an error is shown at its position, with what to write instead", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT name FROM patients");
  await page.getByText(/line 1, column/).waitFor();
  await page.getByText(/ask for an aggregate, such as count/).waitFor();
  assert.equal(await page.locator(".cm-lintRange-error").innerText(), "patients");
  assert.equal(await button(page).isDisabled(), true);
}, { forgive: [/status of 400/] });

visiting("an answer has ± in its table, bars in its chart, and files with every digit", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT city, count(*) AS people FROM patients GROUP BY city");
  await page.getByLabel("Price").getByText(/^Answers in [0-9.]+ m?s$/).waitFor();
  await button(page).getByText("Ask for ε").click();
  const row = page.getByRole("row", { name: /Aachen/ });
  await row.waitFor();
  assert.match(await row.innerText(), /± ?30/);
  assert.equal(await page.locator(".outcome svg").count() > 0, true);
  await button(page).getByText("Show again, free").waitFor();
  for (const [kind, looks] of [["CSV", /^city,people,people_low,people_high\r\nAachen,\d+,\d+,\d+\r\n/],
    ["JSON", /"receipt": "\d+:[0-9a-f]{64}"/], ["SVG", /^<svg[^]*SELECT city/]]) {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(".outcome").getByRole("button", { name: new RegExp(kind) }).first().click()]);
    assert.match(readFileSync(await file.path(), "utf8"), looks);
  }
  const [png] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".outcome").getByRole("button", { name: /PNG/ }).first().click()]);
  assert.equal(readFileSync(await png.path()).subarray(1, 4).toString(), "PNG");
});

visiting("an ordered key becomes a line with a band; a stored answer is free; a public table is exact", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT date_trunc('month', day) AS month, count(*) AS stays FROM visits GROUP BY 1 ORDER BY 1");
  await button(page).getByText("Ask for ε").click();
  await page.locator(".outcome svg path").first().waitFor();
  await button(page).getByText("Show again, free").waitFor();
  const before = (await server.ask(token, "/v1/budget")).json.analysts[0].own.spent;
  await button(page).click();
  await page.getByText(/Stored answer: no cost/).first().waitFor();
  assert.equal((await server.ask(token, "/v1/budget")).json.analysts[0].own.spent, before);
  await write(page, "SELECT department, floor FROM departments");
  await button(page).getByText("Ask, free").click();
  await page.getByRole("row", { name: /cardiology/ }).waitFor();
});

visiting("earlier questions come back by a click, and completion knows the schema", at, async (page) => {
  await logIn(page, server, token);
  await page.locator(".history .past").first().click();
  await page.waitForFunction(() => document.querySelector(".ask-button").textContent.includes("free"));
  await write(page, "");
  await editor(page).pressSequentially("SELECT count(*) FROM vis");
  await page.locator(".cm-tooltip-autocomplete").getByText("visits").first().waitFor();
}, { forgive: [/status of 40\d/] });

visiting("the question survives a reload, the chosen price does not", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT count(*) AS mine FROM patients");
  await page.getByLabel("Epsilon to pay").fill("0.3");
  await button(page).getByText("Ask for ε 0.3").waitFor();
  await page.reload();
  await editor(page).getByText("mine").waitFor();
  await button(page).getByText("Ask for ε 0.1").waitFor();
});

visiting("a price is for one question, and the page says so", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT count(*) AS once FROM patients");
  await page.getByLabel("Epsilon to pay").fill("0.3");
  await page.getByText("For this question only. The next one costs ε 0.1, the policy’s default.").waitFor();
  await write(page, "SELECT count(*) AS once1 FROM patients");
  await button(page).getByText("Ask for ε 0.3").click();
  await button(page).getByText("Show again, free").waitFor();
  await write(page, "SELECT count(*) AS next FROM patients");
  await button(page).getByText("Ask for ε 0.1").waitFor();
  assert.equal(await page.getByLabel("Epsilon to pay").inputValue(), "");
  await page.getByText(/For this question only/).waitFor({ state: "hidden" });
  await page.locator(".history .past").getByText("once1").click();
  await button(page).getByText("Show again, free").waitFor();
});

visiting("an answer below another text says which question it belongs to", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT count(*) AS first FROM patients");
  await button(page).getByText("Ask for ε").click();
  await page.getByText(/Receipt/).first().waitFor();
  const note = page.getByRole("note");
  assert.equal(await note.count(), 0);
  await write(page, "SELECT count(*) AS second FROM patients");
  await note.getByText("This belongs to an earlier question, not to the text above:").waitFor();
  await note.getByText("SELECT count(*) AS first FROM patients").waitFor();
  await write(page, "SELECT count(*) AS first FROM patients");
  await note.waitFor({ state: "hidden" });
});

visiting("EXPLAIN is a plan: free, and not called an answer", at, async (page) => {
  await logIn(page, server, token);
  const before = (await server.ask(token, "/v1/budget")).json.analysts[0].own.spent;
  for (const [sql, also] of [
    ["EXPLAIN SELECT count(*) AS planned FROM patients", /The answer itself would cost ε 0\.1\./],
    ["explain SELECT department, floor FROM departments", /EXPLAIN shows the plan and no answer: nothing is charged\./],
    ["EXPLAIN SELECT count(*) AS first FROM patients", /The answer itself is stored and free, too\./]]) {
    await write(page, sql);
    await page.getByRole("complementary", { name: "Price" }).getByText(also).waitFor();
    await button(page).getByText("Show the plan, free").click();
    await page.getByRole("heading", { name: "Plan", exact: true }).waitFor();
    await page.getByText("A plan, not an answer: no data was read and nothing was charged.").waitFor();
    assert.doesNotMatch(await page.locator(".outcome").innerText(), /Public data|± is a|Stored answer/);
    await page.locator(".history .past").filter({ hasText: sql }).getByText("plan, free").waitFor();
  }
  assert.equal((await server.ask(token, "/v1/budget")).json.analysts[0].own.spent, before);
});

visiting("if the remaining budget does not fall by the cost, the page says why", at, async (page) => {
  await page.route("**/v1/explain", async (route) => {
    const reply = await route.fetch();
    const plan = await reply.json();
    await route.fulfill({ response: reply, json: { ...plan, remaining: { epsilon: "4" }, after: { epsilon: "3.99" } } });
  });
  await logIn(page, server, token);
  await write(page, "SELECT count(*) AS counted FROM patients");
  const price = page.getByRole("complementary", { name: "Price" });
  await price.getByText(/counted in ρ, where many answers together cost less; this one costs ρ 0\.0049/).waitFor();
  await button(page).getByText("Ask for ε").click();
  await page.locator(".terms").getByText(/counted in ρ, where this answer cost 0\.0049\d*; what remains is the largest ε/).waitFor();
});

visiting("± is explained only if the answer has one", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT DISTINCT name FROM patients");
  await button(page).getByText("Ask for ε").click();
  await page.locator(".terms").getByText(/Cost: ε 0\.1/).waitFor();
  assert.doesNotMatch(await page.locator(".terms").innerText(), /± holds/);
});

await runAll();
