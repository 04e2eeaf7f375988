/* Learn: what epsilon means, without a token, with numbers computed by the library. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { axe, NARROW, open, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store({ people: 50 });
const server = await store.serve();
const at = () => ({ store, server });
const learn = async (epsilon) => (await fetch(`${server.origin}/v1/learn?epsilon=${epsilon}`)).json();

const odds = (page, shown) => page.locator(".big").getByText(shown, { exact: true }).waitFor();

visiting("a newcomer moves the slider and sees odds and error change", at, async (page) => {
  await open(page, server, "learn");
  const slider = page.getByLabel(/What an answer may cost/);
  const start = await learn("1");
  await odds(page, "73.11 %");
  await page.getByText(start.question).waitFor();
  assert.equal(await page.locator(".people li").count(), start.people.length);
  for (const [key, epsilon, shown] of [["End", "10", "99.996 %"], ["Home", "0.01", "50.25 %"]]) {
    await slider.press(key);
    const now = await learn(epsilon);
    await odds(page, shown);
    assert.ok(Number(now.risk.success) * 100 <= parseFloat(shown));
    await page.getByText(`within ± ${now.within}`).waitFor();
    assert.equal(await slider.getAttribute("aria-valuetext"), `epsilon ${epsilon}`);
    for (const sentence of now.risk.sentences) await page.getByText(sentence).waitFor();
  }
});

visiting("the table below the chart has the server's digits", at, async (page) => {
  await open(page, server, "learn");
  const figure = page.getByRole("figure", { name: /Possible answers/ });
  await figure.getByText("The numbers as a table").click();
  const { values, p_with } = await learn("1");
  const rows = await figure.locator("tbody tr").allInnerTexts();
  for (const row of rows) {
    const [value, chance] = row.split("\t");
    assert.equal(chance, p_with[values.indexOf(Number(value))]);
  }
  assert.ok(rows.length > 5);
});

visiting("a chart is saved as SVG and PNG that stand alone", at, async (page) => {
  await open(page, server, "learn");
  const save = async (what) => {
    const [file] = await Promise.all([page.waitForEvent("download"),
      page.getByRole("button", { name: new RegExp(`Possible answers.*as ${what}`) }).click()]);
    return readFileSync(await file.path());
  };
  const svg = String(await save("SVG"));
  assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.match(svg, /stroke="rgb\(/);
  assert.doesNotMatch(svg, /class=|var\(|light-dark/);
  assert.match(svg, /95 % of the answers lie/);
  const png = await save("PNG");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.ok(png.length > 5000);
});

visiting("the page asks a busy server again by itself", at, async (page) => {
  let busy = 1;
  await page.route("**/v1/learn*", (route) => (busy-- > 0
    ? route.fulfill({ status: 503, headers: { "Retry-After": "1" }, json: { error: { code: "BUSY", message: "busy" } } })
    : route.continue()));
  await open(page, server, "learn");
  await page.getByText("A table of").waitFor();
}, { forgive: [/status of 503/] });

visiting("dark and narrow: nothing that axe finds serious, nothing beyond the edge", at, async (page) => {
  await open(page, server, "learn");
  await page.getByText("A table of").waitFor();
  assert.deepEqual(await axe(page), []);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}, { scheme: "dark", size: NARROW });

await runAll();
