/*
 * Every page as a picture, wide and narrow, light and dark:
 *
 *   node test/web/pictures.mjs FOLDER [PAGE ...]
 *   node test/web/pictures.mjs --doc doc/pictures
 *
 * The second form makes only the pictures of the guide (doc/console.md), in the size of a window.
 * The store is that of the tests, with a short history.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { logIn, NARROW, open, visit, WIDE } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll, test } from "./tap.mjs";

const words = process.argv.slice(2);
const guide = words[0] === "--doc";
const [folder = "pictures", ...wanted] = guide ? words.slice(1) : words;
const GUIDE = ["ask-wide-light", "ask-narrow-dark", "budget-wide-light", "ledger-wide-light",
  "learn-wide-dark", "owner-wide-dark"];

/* For each page: what it shows, for whom, and what to do before the picture. */
const PAGES = {
  login: { before: (page) => page.getByLabel("Your token").waitFor() },
  ask: {
    as: "ana", place: "ask", async before(page, size) {
      if (size === "narrow") await page.getByRole("button", { name: "visits over time" }).click();
      await page.getByRole("button", { name: /^Ask for ε|^Show again/ }).click();
      await page.locator("svg.chart").first().waitFor();
      /* What would a better answer cost? */
      for (let i = 0; i < 8; i++) await page.getByRole("slider").press("ArrowRight");
      await page.getByRole("button", { name: /^Ask for ε 0\.1\d/, disabled: false }).waitFor();
    },
    narrowly: ".outcome",
  },
  refused: {
    as: "ana", place: "ask?" + new URLSearchParams({ sql: "SELECT name, born\nFROM patients\nWHERE city = 'Bremen'" }),
    before: (page) => page.locator(".refusal").waitFor(),
  },
  budget: { as: "ana", place: "budget" },
  "budget-owner": { as: "owner", place: "budget" },
  ledger: { as: "owner", place: "ledger", before: (page) => page.locator(".rows summary").nth(2).click() },
  schema: { as: "ana", place: "schema", before: (page) => page.getByText("long_stays").first().waitFor() },
  learn: { place: "learn", height: 960, before: (page) => page.locator("svg").first().waitFor() },
  owner: { as: "owner", place: "owner", before: (page) => page.getByText("Find the answers").waitFor() },
};

const QUESTIONS = [
  ["ana", "SELECT sex, count(*) AS people FROM patients GROUP BY sex"],
  ["ana", "SELECT department, avg(nights) AS nights, count(*) AS stays FROM visits GROUP BY department"],
  ["eve", "SELECT count(*) AS people FROM patients WHERE born < 1960"],
  ["ana", "SELECT date_trunc('month', day) AS month, sum(cost) AS cost FROM visits GROUP BY 1 ORDER BY 1"],
  ["eve", "SELECT median(born) AS born FROM patients"],
];

test("pictures", async () => {
  mkdirSync(folder, { recursive: true });
  const store = new Store();
  const server = await store.serve();
  const tokens = { ana: store.letIn("ana"), eve: store.letIn("eve"), owner: store.owner() };
  for (const [who, sql] of QUESTIONS) await server.ask(tokens[who], "/v1/query", { sql });
  for (const [name, { as, place = "", before = () => {}, narrowly = "body", height = 800 }] of Object.entries(PAGES)) {
    if (wanted.length && !wanted.includes(name)) continue;
    for (const [size, window] of Object.entries({ wide: guide ? { width: 1160, height } : WIDE, narrow: NARROW }))
      for (const scheme of ["light", "dark"]) {
        const file = `${name}-${size}-${scheme}`;
        if (guide && !GUIDE.includes(file)) continue;
        const page = await visit(server, { size: window, scheme, forgive: [/status of 400/] });
        if (as) await logIn(page, server, tokens[as], place);
        else await open(page, server, place);
        await before(page, size);
        await page.waitForLoadState("networkidle");
        await page.evaluate((at) => document.querySelector(at).scrollIntoView(), size === "narrow" ? narrowly : "body");
        await page.screenshot({ path: join(folder, `${file}.png`), fullPage: !guide });
        if (page.wrong.length) throw new Error(`${name}: ${page.wrong.join("\n")}`);
        await page.context().close();
      }
  }
});

await runAll();
