/* Owner: granting access, new secrets, revoking access; the policy and its reload; recall. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { logIn, visiting } from "./browser.mjs";
import { POLICY, Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store();
const server = await store.serve({ words: ["--no-response-steps"] });
const tokens = { ana: store.letIn("ana"), owner: store.owner() };
const at = () => ({ server });
const asked = (await server.ask(tokens.ana, "/v1/query", { sql: "SELECT count(*) AS people FROM patients" })).json;
const works = async (token) => (await server.ask(token, "/v1/me")).status === 200;
const secrets = (page) => page.getByRole("region", { name: "Credentials of bob" });

visiting("granting shows the secrets once; new ones replace the old; revoking ends all", at, async (page) => {
  await logIn(page, server, tokens.owner, "owner");
  await page.getByRole("button", { name: "Grant access to bob" }).click();
  const first = /custos_[0-9a-f]{64}/.exec(await secrets(page).innerText())[0];
  assert.equal(await works(first), true);
  await secrets(page).getByRole("button", { name: "Copy the token" }).click();
  await secrets(page).getByText("Copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), first);
  await secrets(page).getByRole("button", { name: "Done, hide them" }).click();
  assert.doesNotMatch(await page.content(), /custos_[0-9a-f]{64}/);

  await page.getByRole("button", { name: "New credentials for bob" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await works(first), true);
  await page.getByRole("button", { name: "New credentials for bob" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "New credentials for bob" }).click();
  await page.getByRole("button", { name: "Replace both" }).click();
  const second = /custos_[0-9a-f]{64}/.exec(await secrets(page).innerText())[0];
  assert.deepEqual([await works(first), await works(second)], [false, true]);

  await page.getByRole("button", { name: "Revoke access of bob" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke access" }).click();
  await page.getByText("bob no longer has access.").waitFor();
  await page.getByRole("button", { name: "Grant access to bob" }).waitFor();
  assert.equal(await works(second), false);
});

visiting("the policy in force, what its check says, and a newer policy after a reload", at, async (page) => {
  await logIn(page, server, tokens.owner, "owner");
  await page.getByText(/epsilon 20 is above 10/).waitFor();
  await page.getByText("The policy file in force").click();
  await page.getByText("comment: One row a stay").waitFor();
  store.writePolicy(POLICY + "  zoe: {budget: {epsilon: 1, delta: 1e-8}}\n");
  store.custos("init", join(store.folder, "policy.yaml"));
  await page.reload();
  await page.getByText("Reload to use it.").waitFor();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("rowheader", { name: "zoe" }).waitFor();
  await page.getByText("Reload to use it.").waitFor({ state: "hidden" });
  await page.getByText("in force", { exact: true }).waitFor();
});

visiting("recall: the answers that rest on a theorem, and a file of them", at, async (page) => {
  await logIn(page, server, tokens.owner, "owner");
  await page.getByLabel("Theorem").fill("laplace-discrete");
  await page.getByRole("button", { name: "Find the answers" }).click();
  await page.getByText(/1 answer rests on/).waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"),
    page.getByRole("button", { name: "Save the affected answers as CSV" }).click()]);
  assert.equal(readFileSync(await file.path(), "utf8").includes(asked.receipt), true);
  await page.getByLabel("Theorem").fill("no-such-theorem");
  await page.getByRole("button", { name: "Find the answers" }).click();
  await page.getByText(/No answer rests on/).waitFor();
});

visiting("an analyst whose window is spent has nothing left", at, async (page) => {
  const eve = store.letIn("eve");
  await server.ask(eve, "/v1/query", { sql: "SELECT count(*) AS all_of_it FROM visits", epsilon: "0.5" });
  await logIn(page, server, tokens.owner, "owner");
  const row = page.getByRole("row", { name: /^eve/ });
  await row.getByText(/^ε 0 left/).waitFor();
  await row.getByText(/from the common budget; the window of 7 days has ε 0 left, the budget ε 19/).waitFor();
});

visiting("health is shown, and an error has the server's text", at, async (page) => {
  await logIn(page, server, tokens.owner, "owner");
  await page.getByText("ledger rows").first().waitFor();
  const running = page.locator(".fact").filter({ hasText: /^running now/ });
  assert.equal(await running.locator("dd").innerText(), "0"); /* not this request */
  await page.getByRole("button", { name: "Grant access to bob" }).waitFor();
  store.letIn("bob");
  await page.getByRole("button", { name: "Grant access to bob" }).click();
  await page.getByRole("alert").getByText(/already has a password and a token/).waitFor();
}, { forgive: [/status of 4\d\d/] });

visiting("an analyst is told that the page is the owner's, and the server refuses too", at, async (page) => {
  await logIn(page, server, tokens.ana, "owner");
  await page.getByText("This page is for the owner of the data").waitFor();
  for (const part of ["policy", "analysts", "data", "health"])
    assert.equal((await server.ask(tokens.ana, `/v1/owner/${part}`)).status, 403);
});

await runAll();
