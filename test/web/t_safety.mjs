/*
 * Nothing that others have written can become part of the page: names of tables,
 * columns, values, comments, analysts, and texts of errors are tried with what
 * would run if it did.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { logIn, open, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll, test } from "./tap.mjs";

const RUN = "window.custosBreach('it ran')";
const IMG = `<img src=x onerror=${RUN}>`;
const SCRIPT = `</script><script>${RUN}</script>`;
const SVG = `<svg onload=${RUN}>`;
const LINK = `javascript:${RUN}`;
const yaml = JSON.stringify;

const policy = `\
custos: 1
budget: {epsilon: 20, delta: 1e-6, n: 4000}
query: {epsilon: 0.1, max_epsilon: 2, delta: 1e-9}
tables:
  ${yaml(IMG)}:
    source: odd.csv
    unit: id
    comment: ${yaml(SCRIPT)}
    columns:
      id: {type: integer}
      ${yaml(SVG)}: {type: text, values: [${yaml(IMG)}, ${yaml(LINK)}, ${yaml(SCRIPT)}], nullable: false, comment: ${yaml(IMG)}}
      ${yaml(LINK)}: {type: integer, range: [0, 9]}
views:
  ${yaml(SVG)}: {sql: ${yaml(`SELECT * FROM "${IMG}"`)}, comment: ${yaml(IMG)}}
analysts:
  ${yaml(IMG)}: {budget: {epsilon: 5, delta: 1e-8}}
  ${yaml(SCRIPT)}: {}
`;
const cell = (text) => `"${text.replaceAll('"', '""')}"`;
const store = new Store({
  policy, people: 100,
  also: (folder) => writeFileSync(join(folder, "odd.csv"),
    `id,${cell(SVG)},${cell(LINK)}\n` +
    Array.from({ length: 300 }, (_, i) => `${i},${cell([IMG, LINK, SCRIPT][i % 3])},${i % 10}\n`).join("")),
});
const server = await store.serve({ words: ["--no-response-steps"] });
const tokens = { img: store.letIn(IMG), owner: store.owner() };
const at = () => ({ server });
const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
const sql = `SELECT ${quoted(SVG)}, count(*) AS ${quoted(IMG)} FROM ${quoted(IMG)} GROUP BY 1`;
await server.ask(tokens.img, "/v1/query", { sql });

/* Shown as text, and nothing of it made. */
async function isText(page, text) {
  await page.getByText(text).filter({ visible: true }).first().waitFor();
  assert.equal(await page.locator("img[onerror], svg[onload], main script, a[href^='javascript:']").count(), 0);
}

visiting("the page's policy: own files only, nothing inline, in no frame", at, async (page) => {
  const reply = await page.goto(server.origin + "/");
  const csp = reply.headers()["content-security-policy"];
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"])
    assert.equal(csp.split("; ").includes(part), true, part);
  assert.doesNotMatch(csp, /unsafe|\*|http|data:/);
  assert.equal(reply.headers()["x-content-type-options"], "nosniff");
  assert.equal(await page.evaluate(() => document.querySelectorAll("script:not([src]), [style], style").length), 0);
});

test("a breach is seen by these tests, if there is one", async () => {
  const { visit } = await import("./browser.mjs");
  const page = await visit(server);
  await open(page, server);
  await page.evaluate(() => {
    const made = document.createElement("script");
    try { made.textContent = "window.custosBreach('it ran')"; document.body.append(made); } catch { /* trusted types */ }
    document.body.append(Object.assign(document.createElement("img"), { src: "http://127.0.0.1:1/x.png" }));
  });
  await page.waitForTimeout(200);
  await page.context().close();
  assert.equal(page.wrong.some((w) => /^policy: (require-trusted-types|script-src)/.test(w)), true, page.wrong.join());
  assert.equal(page.wrong.some((w) => /^policy: img-src/.test(w)), true, page.wrong.join());
  assert.equal(page.wrong.some((w) => w.includes("it ran")), false);
});

visiting("an analyst of such a name asks such a table, and sees text", at, async (page) => {
  await logIn(page, server, tokens.img, "ask?" + new URLSearchParams({ sql }));
  await isText(page, IMG);
  await page.getByRole("button", { name: "Show again, free" }).click();
  await page.locator(".outcome svg").first().waitFor();
  await isText(page, LINK);
  const textbox = page.getByRole("textbox", { name: "Your question in SQL" });
  await textbox.fill("SELECT count(*) FROM ");
  await textbox.press("Control+Space");
  await page.locator(".cm-tooltip-autocomplete").waitFor();
  await isText(page, IMG);
}, { forgive: [/status of 400/] });

visiting("errors that repeat what was written are text", at, async (page) => {
  await logIn(page, server, tokens.img, "ask?" + new URLSearchParams({ sql: `SELECT count(*) FROM ${quoted(SCRIPT)}` }));
  await page.locator(".refusal").waitFor();
  await isText(page, SCRIPT);
  await page.route("**/v1/explain", (route) => route.fulfill({
    status: 400, contentType: "application/json",
    body: JSON.stringify({ error: { code: "EINVAL", sqlstate: "22023", message: IMG, hint: SVG, position: 1 } }),
  }));
  await page.getByRole("textbox", { name: "Your question in SQL" }).fill("SELECT 1");
  await page.locator(".refusal").getByText(IMG).waitFor();
  await isText(page, SVG);
}, { forgive: [/status of 40\d/] });

for (const place of ["budget", "ledger", "schema", "owner"])
  visiting(`the owner sees such names as text: ${place}`, at, async (page) => {
    await logIn(page, server, tokens.owner, place);
    await page.waitForLoadState("networkidle");
    if (place === "ledger") for (const row of await page.locator(".rows summary").all()) await row.click();
    if (place === "owner") await page.getByRole("button", { name: `Shut out ${IMG}` }).click();
    await isText(page, IMG);
  });

visiting("an address that brings such a question only writes it into the editor", at, async (page) => {
  await logIn(page, server, tokens.img, "ask?" + new URLSearchParams({ sql: IMG }));
  await isText(page, IMG);
  assert.equal((await server.ask(tokens.img, "/v1/budget")).json.analysts[0].charges, 1);
}, { forgive: [/status of 400/] });

await runAll();
