/* Login: a token, a wrong one, too many wrong ones; and logout. */
import assert from "node:assert/strict";
import { logIn, open, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store({ people: 400 });
const server = await store.serve();
const tokens = { ana: store.letIn("ana"), owner: store.owner() };
const at = () => ({ store, server, tokens });

visiting("a good token opens the console, and logging out forgets it", at, async (page) => {
  await logIn(page, server, tokens.ana);
  await page.getByText("ana", { exact: true }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Owner" }).count(), 0);
  await page.reload();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Your token").waitFor();
  assert.equal(await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])
    .includes("custos_")), false);
});

visiting("the owner's token opens the owner's page too", at, async (page) => {
  await logIn(page, server, tokens.owner);
  await page.getByRole("link", { name: "Owner" }).waitFor();
});

visiting("a token is known only to its tab", at, async (page) => {
  await logIn(page, server, tokens.ana);
  const other = await page.context().newPage();
  await open(other, server);
  await other.getByLabel("Your token").waitFor();
});

const LOCKED = { forgive: [/status of 401/, /status of 429/] };

visiting("a wrong token: the page says so, and the field stays", at, async (page) => {
  await open(page, server);
  await page.getByLabel("Your token").fill("custos_" + "0".repeat(64));
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").getByText("Unknown token").waitFor();
  assert.equal(await page.getByLabel("Your token").getAttribute("aria-invalid"), "true");
}, LOCKED);

visiting("a token that no header can carry is rejected, and the server is not blamed", at, async (page) => {
  await open(page, server);
  await page.getByLabel("Your token").fill("custos_“t”");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").getByText("Unknown token").waitFor();
});

visiting("a server that is busy at the start: the page says so and keeps the token", at, async (page) => {
  await logIn(page, server, tokens.ana);
  const error = { code: "BUSY", sqlstate: "53300", message: "too many questions are waiting", hint: "ask again soon", position: null };
  await page.route("**/v1/me", (route) => route.fulfill({ status: 503, json: { error } }));
  await page.reload();
  await page.getByText("too many questions are waiting").waitFor();
  await page.unroute("**/v1/me");
  await page.reload();
  await page.getByRole("button", { name: "Log out" }).waitFor();
}, { forgive: [/status of 503/] });

visiting("too many wrong tokens: the page says how long to wait", at, async (page) => {
  await open(page, server);
  const said = page.getByRole("alert");
  for (let i = 0; i < 40; i++) {
    await page.getByLabel("Your token").fill("custos_" + String(i).padStart(64, "0"));
    await page.getByRole("button", { name: "Log in" }).click();
    await said.waitFor();
    if (/Wait \d+ seconds/.test(await said.innerText())) return;
  }
  assert.fail(`no limit of guesses: ${await said.innerText()}`);
}, LOCKED);

await runAll();
