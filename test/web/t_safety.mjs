/*
 * Nothing that others have written can become part of the page: the tests use names of tables,
 * columns, values, comments and analysts, and error texts, that would run as code if it did.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
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
    max_rows: 1000
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

/* The text is shown as it is, and no element is made from it. */
async function isText(page, text) {
  await page.getByText(text).filter({ visible: true }).first().waitFor();
  assert.equal(await page.locator("img[onerror], svg[onload], main script, a[href^='javascript:']").count(), 0);
}

visiting("the page's security policy: own files only, nothing inline, in no frame", at, async (page) => {
  const reply = await page.goto(server.origin + "/");
  const csp = reply.headers()["content-security-policy"];
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"])
    assert.equal(csp.split("; ").includes(part), true, part);
  assert.doesNotMatch(csp, /unsafe|\*|http|data:/);
  assert.equal(reply.headers()["x-content-type-options"], "nosniff");
  assert.equal(reply.headers()["cross-origin-opener-policy"], "same-origin");
  assert.equal(await page.evaluate(() => document.querySelectorAll("script:not([src]), [style], style").length), 0);
});

test("these tests notice a breach", async () => {
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

visiting("an analyst with a hostile name asks about a hostile table and sees text", at, async (page) => {
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
  visiting(`the owner sees hostile names as text: ${place}`, at, async (page) => {
    await logIn(page, server, tokens.owner, place);
    await page.waitForLoadState("networkidle");
    if (place === "ledger") for (const row of await page.locator(".rows summary").all()) await row.click();
    if (place === "owner") await page.getByRole("button", { name: `Revoke access of ${IMG}` }).click();
    await isText(page, IMG);
  });

visiting("an address that brings a hostile question only writes it into the editor", at, async (page) => {
  await logIn(page, server, tokens.img, "ask?" + new URLSearchParams({ sql: IMG }));
  await isText(page, IMG);
  assert.equal((await server.ask(tokens.img, "/v1/budget")).json.analysts[0].charges, 1);
}, { forgive: [/status of 400/] });

visiting("a link followed on the open page, even twice, only writes its question into the editor", at, async (page) => {
  const textbox = page.getByRole("textbox", { name: "Your question in SQL" });
  await logIn(page, server, tokens.img, "ask");
  for (const word of ["first", "other", "other"]) {
    await textbox.fill("SELECT 1 AS mine");
    await page.evaluate((link) => { location.hash = link; }, "#/ask?" + new URLSearchParams({ sql: `${sql} -- ${word}` }));
    await textbox.getByText(word).waitFor();
    assert.equal(new URL(page.url()).hash, "#/ask");
  }
  await textbox.press("Control+z");
  await textbox.getByText("mine").waitFor();
  assert.equal((await server.ask(tokens.img, "/v1/budget")).json.analysts[0].charges, 1);
}, { forgive: [/status of 400/] });

visiting("a text that a spreadsheet would run is saved and copied as text; no text spoils a picture", at, async (page) => {
  const FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "-5", "\u0001\ufffe", "plain"];
  await page.route("**/v1/query", async (route) => {
    const answer = await (await route.fetch()).json();
    answer.rows = FORMULAS.map((key) => [{ value: key }, ...answer.rows[0].slice(1)]);
    await route.fulfill({ json: answer });
  });
  await logIn(page, server, tokens.img, "ask?" + new URLSearchParams({ sql }));
  await page.getByRole("button", { name: "Show again, free" }).click();
  const tools = page.getByRole("group", { name: "Copy and download" });
  const save = async (kind) => {
    const [file] = await Promise.all([page.waitForEvent("download"), tools.getByRole("button", { name: kind }).click()]);
    return readFileSync(await file.path(), "utf8");
  };
  const saved = (await save("CSV")).split("\r\n").slice(1, -1).map((line) => line.split(",")[0]);
  assert.deepEqual(saved, ["'=1+1", "'+1+1", "'-1+1", "'@SUM(1)", "'\t=1", "-5", "\u0001\ufffe", "plain"]);
  await tools.getByRole("button", { name: "Copy" }).click();
  await tools.getByText("Copied.").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.deepEqual(copied.split("\n").slice(1).map((line) => line.split("\t")[0]),
    ["'=1+1", "'+1+1", "'-1+1", "'@SUM(1)", "' =1", "-5", "\u0001\ufffe", "plain"]);
  assert.deepEqual(JSON.parse(await save("JSON")).answer.rows.map((r) => r[0].value), FORMULAS);
  const svg = await save("SVG");
  assert.doesNotMatch(svg, /<script|[\x00-\x08]/);
  assert.match(svg, /\ufffd/);
  assert.match(await save("PNG"), /^.PNG/); /* made from the SVG, which must be complete */
});

await runAll();
