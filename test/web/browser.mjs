/*
 * Debian's Chromium, and a visitor of the console who notices what no test looks for: an error in
 * the browser's console, a violation of the page's security policy, a request to another origin.
 * Each of them fails the case in which it happens.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { atEnd, test } from "./tap.mjs";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const CHROMIUM = "/usr/bin/chromium";

if (!existsSync(CHROMIUM)) {
  console.log("skipped: Chromium is not installed; ./setup --web brings it");
  process.exit(77);
}

export const AXE = require.resolve("axe-core/axe.min.js");
export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 390, height: 844 };

let running = null;

async function browser() {
  if (running) return running;
  running = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  atEnd(() => running.close());
  return running;
}

/*
 * Opens an empty page in a new window; open() and logIn() load the console into it. `forgive` lists
 * the console errors that a case causes on purpose: Chromium reports every status above 399.
 */
export async function visit(server, { size = WIDE, scheme = "light", forgive = [] } = {}) {
  const context = await (await browser()).newContext({
    viewport: size, colorScheme: scheme, reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true,
  });
  context.setDefaultTimeout(10000);
  const wrong = [];
  await context.exposeBinding("custosBreach", (_, what) => wrong.push(`policy: ${what}`));
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (e) =>
      window.custosBreach(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`));
  });
  const page = await context.newPage();
  page.on("console", (said) => {
    if (said.type() === "error" && !forgive.some((f) => f.test(said.text())))
      wrong.push(`console: ${said.text()} ${said.location().url}`);
  });
  page.on("pageerror", (e) => wrong.push(`thrown: ${e.stack ?? e}`));
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(server.origin + "/") && !url.startsWith("blob:" + server.origin))
      wrong.push(`left the origin: ${url}`);
  });
  page.wrong = wrong;
  return page;
}

/* A case with a visitor. */
export function visiting(name, at, run, options = {}) {
  test(name, async () => {
    const { server } = at();
    const page = await visit(server, options);
    try {
      await run(page, at());
      assert.deepEqual(page.wrong, []);
    } catch (e) {
      if (process.env.CUSTOS_SHOTS)
        await page.screenshot({ path: `${process.env.CUSTOS_SHOTS}/${name.replace(/\W+/g, "-")}.png` })
          .catch(() => {});
      throw page.wrong.length ? new Error(`${e.stack}\nbesides: ${page.wrong.join("\n")}`) : e;
    } finally {
      await page.unrouteAll({ behavior: "ignoreErrors" }); /* replies still on their way */
      await page.context().close();
    }
  });
}

export async function open(page, server, place = "") {
  await page.goto(`${server.origin}/${place && "#/" + place}`);
}

export async function logIn(page, server, token, place = "") {
  await open(page, server, place);
  await page.getByLabel("Your token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Log out" }).waitFor();
}

/* The serious and critical violations that axe-core finds, as text. */
export async function axe(page) {
  if (!(await page.evaluate(() => "axe" in window))) {
    const { readFileSync } = await import("node:fs");
    await page.evaluate(readFileSync(AXE, "utf8"));
  }
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${v.id}: ${v.help}\n  ` + v.nodes.map((n) => `${n.target}  ${n.failureSummary}`).join("\n  "));
}
