/* How trouble is shown: server gone and back, token revoked, budget spent, slow answers. */
import assert from "node:assert/strict";
import { logIn, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store();
let server = await store.serve();
const tokens = { ana: store.letIn("ana"), bob: store.letIn("bob") };
const at = () => ({ server });
const button = (page) => page.locator(".ask-button");
const editor = (page) => page.getByRole("textbox", { name: "Your question in SQL" });

visiting("the server goes and comes back: the page says both, and goes on", at, async (page) => {
  await logIn(page, server, tokens.ana);
  await button(page).getByText("Ask for ε").waitFor();
  const { port } = server;
  await server.stop("SIGKILL");
  await editor(page).fill("SELECT count(*) AS kept FROM patients");
  await page.getByText("The server does not answer").first().waitFor();
  server = await store.serve({ http: port });
  await page.getByText("The server does not answer").first().waitFor({ state: "hidden" });
  await editor(page).getByText("kept").waitFor();
  await page.getByRole("link", { name: "Schema" }).click();
  await page.getByRole("heading", { name: "visits" }).waitFor();
}, { forgive: [/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED/] });

visiting("a server that is gone at the start: the page waits for it", at, async (page) => {
  await logIn(page, server, tokens.ana);
  const { port } = server;
  await page.route("**/v1/**", (route) => route.abort("connectionrefused"));
  await page.reload();
  await page.getByText("The server does not answer").first().waitFor();
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Log out" }).waitFor();
  assert.equal(port, server.port);
}, { forgive: [/ERR_CONNECTION_REFUSED/] });

visiting("a lost server is reported once, not again on every page", at, async (page) => {
  await logIn(page, server, tokens.ana);
  await button(page).getByText("Ask for ε").waitFor();
  await page.route("**/v1/query", (route) => route.abort("connectionreset"));
  await button(page).click();
  await page.getByText("The connection to the server was lost before the answer came.").waitFor();
  const gone = page.getByText("The server does not answer.");
  await gone.waitFor(); /* shown a moment after the sentence above */
  await gone.waitFor({ state: "hidden" });
  let seen = 0;
  await page.exposeFunction("goneAgain", () => { seen++; });
  await page.evaluate(() => new MutationObserver(() => {
    if (document.body.innerText.includes("The server does not answer.")) window.goneAgain();
  }).observe(document.body, { childList: true, subtree: true }));
  for (const place of ["Ledger", "Ask"]) {
    await page.getByRole("link", { name: place, exact: true }).click();
    await page.getByRole("heading", { name: place, exact: true }).waitFor();
  }
  await page.getByText("The connection to the server was lost before the answer came.").waitFor();
  assert.equal(seen, 0);
}, { forgive: [/ERR_CONNECTION_RESET/] });

visiting("the budget is spent: what it means, and what still works", at, async (page) => {
  await logIn(page, server, tokens.bob);
  await editor(page).fill("SELECT department, count(*) AS stays FROM visits GROUP BY department");
  await button(page).getByText("Ask for ε 0.1").click();
  await page.getByRole("row", { name: /surgery/ }).waitFor();
  await editor(page).fill("SELECT department, avg(cost) AS cost FROM visits GROUP BY department");
  await page.getByText("Your budget does not cover this question.").waitFor();
  assert.equal(await button(page).isDisabled(), true);
  await page.getByText("ε 0.05 is left").waitFor();
  await page.locator(".history .past").first().click();
  await button(page).getByText("Show again, free").click();
  await page.getByRole("row", { name: /surgery/ }).waitFor();
});

visiting("if the budget is spent elsewhere meanwhile, the server's error says so", at, async (page) => {
  await logIn(page, server, tokens.bob);
  await editor(page).fill("SELECT sum(cost) AS cost FROM visits");
  await page.getByLabel("Epsilon to pay").fill("0.04");
  await button(page).getByText("Ask for ε 0.04").waitFor();
  await server.ask(tokens.bob, "/v1/query", { sql: "SELECT count(*) FROM visits", epsilon: "0.05" });
  await button(page).click();
  await page.getByText("Your budget").first().waitFor();
}, { forgive: [/status of 4\d\d/] });

visiting("a slow answer: why it comes at a fixed time; a cancelled question stays charged", at, async (page) => {
  await logIn(page, server, tokens.ana);
  await page.route("**/v1/query", () => {});
  await editor(page).fill("SELECT count(*) AS slow FROM visits");
  await button(page).getByText("Ask for ε").click();
  await page.getByText("Cancelling does not refund it.").waitFor();
  await page.getByText(/a time fixed in advance/).waitFor();
  await page.getByText(/This is taking a while/).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText(/ε 0\.1 stays charged/).waitFor();
  await page.unroute("**/v1/query");
  await button(page).getByText("Ask for ε").click();
  await page.getByText(/Receipt/).first().waitFor();
});

visiting("the engine fails after the charge: one sentence, and why it stays charged", at, async (page) => {
  await logIn(page, server, tokens.ana);
  await page.route("**/v1/query", (route) => route.fulfill({
    status: 500, contentType: "application/json",
    body: JSON.stringify({ error: { code: "EENGINE", sqlstate: "58000", message: "the query could not be completed", hint: null, position: null } }),
  }));
  await editor(page).fill("SELECT count(*) AS broken FROM visits");
  await button(page).getByText("Ask for ε").click();
  await page.getByText("the query could not be completed").waitFor();
  await page.getByText(/so a refund could reveal something/).waitFor();
}, { forgive: [/status of 500/] });

visiting("a revoked token: back at the login, with the reason; the question is kept", at, async (page) => {
  await logIn(page, server, tokens.ana);
  await editor(page).fill("SELECT count(*) AS unfinished FROM patients");
  await button(page).getByText("Ask for ε").waitFor();
  store.custos("analyst", "revoke", "ana");
  await page.getByRole("link", { name: "Budget" }).click();
  await page.getByText("Your token is no longer valid.").waitFor();
  tokens.ana = store.letIn("ana");
  await page.getByLabel("Your token").fill(tokens.ana);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("link", { name: "Ask" }).click();
  await editor(page).getByText("unfinished").waitFor();
}, { forgive: [/status of 401/] });

await runAll();
