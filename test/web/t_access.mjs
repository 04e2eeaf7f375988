/* Accessibility: axe-core on every page in both themes, and work with the keyboard alone. */
import assert from "node:assert/strict";
import { axe, logIn, NARROW, open, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store();
const server = await store.serve({ words: ["--no-response-steps"] });
const tokens = { ana: store.letIn("ana"), owner: store.owner() };
const at = () => ({ server });
const sql = "SELECT city, count(*) AS people FROM patients GROUP BY city";
await server.ask(tokens.ana, "/v1/query", { sql });

/* Waits until nothing is loading and nothing is shown as stale. */
async function settled(page) {
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => !document.querySelector(".stale, [aria-busy=true], .wait"));
}

for (const scheme of ["light", "dark"]) {
  visiting(`axe finds nothing serious before logging in, ${scheme}`, at, async (page) => {
    for (const place of ["", "learn"]) {
      await open(page, server, place);
      await settled(page);
      assert.deepEqual(await axe(page), [], place);
    }
  }, { scheme });

  visiting(`axe finds nothing serious on any page, ${scheme}`, at, async (page) => {
    await logIn(page, server, tokens.owner);
    for (const place of ["ask", "budget", "ledger", "schema", "learn", "owner"]) {
      await open(page, server, place);
      await settled(page);
      if (place === "ledger") await page.locator(".rows summary").first().click();
      if (place === "owner") await page.getByText("The policy file in force").click();
      assert.deepEqual(await axe(page), [], place);
    }
    await page.getByRole("button", { name: "Revoke access of ana" }).click();
    assert.deepEqual(await axe(page), [], "confirmation");
  }, { scheme });

  visiting(`axe finds nothing serious in an answer, an error and a narrow window, ${scheme}`, at, async (page) => {
    await logIn(page, server, tokens.ana, "ask?" + new URLSearchParams({ sql }));
    await page.getByRole("button", { name: "Show again, free" }).click();
    await page.locator(".outcome svg").first().waitFor();
    await settled(page);
    assert.deepEqual(await axe(page), [], "answer");
    await page.getByRole("textbox", { name: "Your question in SQL" }).fill("SELECT name FROM patients");
    await page.locator(".refusal").waitFor();
    await settled(page);
    assert.deepEqual(await axe(page), [], "refusal");
  }, { scheme, size: NARROW, forgive: [/status of 400/] });
}

/* Presses Tab until this element has the focus. */
async function tabTo(page, what, most = 60) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    if (await what.evaluate((e) => e.matches(":focus"))) return;
  }
  assert.fail(`Tab does not reach ${what}`);
}

visiting("by keyboard alone: log in, write, ask, read, go to the budget", at, async (page) => {
  await open(page, server);
  await tabTo(page, page.getByLabel("Your token"));
  await page.keyboard.type(tokens.ana);
  await page.keyboard.press("Enter");
  const editor = page.getByRole("textbox", { name: "Your question in SQL" });
  await editor.waitFor();
  await tabTo(page, editor);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("SELECT sex, count(*) AS people FROM patients GROUP BY sex");
  await page.locator(".ask-button:enabled", { hasText: "Ask for ε" }).waitFor();
  await page.keyboard.press("Escape"); /* closes completions */
  await page.keyboard.press("Escape");
  await tabTo(page, page.locator(".ask-button"), 12);
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: /^f/ }).waitFor();
  await page.keyboard.press("Control+Home");
  await tabTo(page, page.getByRole("link", { name: "Budget" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Budget" }).waitFor();
  /* the page takes the focus a moment after its heading appears */
  await page.waitForFunction(() => document.activeElement.id === "main");
}, { forgive: [/status of 400/] });

visiting("by keyboard alone: a confirmation holds the focus and gives it back", at, async (page) => {
  await logIn(page, server, tokens.owner, "owner");
  const button = page.getByRole("button", { name: "Revoke access of ana" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.closest("dialog") !== null), true);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.equal(await button.evaluate((e) => e === document.activeElement), true);
});

for (const place of ["ask", "budget", "ledger", "schema", "learn", "owner"])
  visiting(`nothing hangs over the edge of a narrow window: ${place}`, at, async (page) => {
    await logIn(page, server, tokens.owner);
    await open(page, server, place);
    await settled(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  }, { size: NARROW });

await runAll();
