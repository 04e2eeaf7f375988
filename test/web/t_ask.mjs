/* Ask: the price before the answer, refusals at their place, the answer with its errors. */
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

/* Replaces what stands in the editor, as somebody would who types. */
async function write(page, sql) {
  await editor(page).fill(sql);
}

visiting("what it costs, what remains and how exact it will be are there before asking", at, async (page) => {
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

visiting("a refusal stands at its place, with what to write instead", at, async (page) => {
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

visiting("an ordered key is a line with its band, a stored answer is free, a public table exact", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT date_trunc('month', day) AS month, count(*) AS stays FROM visits GROUP BY 1 ORDER BY 1");
  await button(page).getByText("Ask for ε").click();
  await page.locator(".outcome svg path").first().waitFor();
  await button(page).getByText("Show again, free").waitFor();
  const before = (await server.ask(token, "/v1/budget")).json.analysts[0].own.spent;
  await button(page).click();
  await page.getByText(/stored, free|Given before/).first().waitFor();
  assert.equal((await server.ask(token, "/v1/budget")).json.analysts[0].own.spent, before);
  await write(page, "SELECT department, floor FROM departments");
  await button(page).getByText("Ask, free").click();
  await page.getByRole("row", { name: /cardiology/ }).waitFor();
});

visiting("one's own questions come back by a click, and completion knows the schema", at, async (page) => {
  await logIn(page, server, token);
  await page.locator(".history .past").first().click();
  await page.waitForFunction(() => document.querySelector(".ask-button").textContent.includes("free"));
  await write(page, "");
  await editor(page).pressSequentially("SELECT count(*) FROM vis");
  await page.locator(".cm-tooltip-autocomplete").getByText("visits").first().waitFor();
}, { forgive: [/status of 40\d/] });

visiting("what is written survives a reload", at, async (page) => {
  await logIn(page, server, token);
  await write(page, "SELECT count(*) AS mine FROM patients");
  await button(page).getByText("Ask for ε").waitFor();
  await page.reload();
  await editor(page).getByText("mine").waitFor();
});

await runAll();
