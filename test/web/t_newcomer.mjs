/*
 * A newcomer: from the address to a chart and a changed budget in fewer than ten steps, without
 * reading anything elsewhere. Also how large the console is and how soon it shows something.
 */
import assert from "node:assert/strict";
import { NARROW, visit, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { figure, runAll, test } from "./tap.mjs";

const LARGEST = 400_000;
const store = new Store();
const server = await store.serve();
const token = store.letIn("ana");
const at = () => ({ server });

for (const [name, size] of [["wide", undefined], ["narrow", NARROW]])
  visiting(`open, log in, ask with a chart, see the budget move: under ten steps, ${name}`, at, async (page) => {
    let steps = 0;
    const step = (did) => { steps++; return did; };
    const left = async () => Number((await server.ask(token, "/v1/budget")).json.analysts[0].left_epsilon);
    const before = await left();

    await step(page.goto(server.origin));
    await step(page.getByLabel("Your token").fill(token));
    await step(page.getByRole("button", { name: "Log in" }).click());
    if (name === "narrow")
      await step(page.getByRole("button", { name: "visits over time" }).click());
    await step(page.getByRole("button", { name: /Ask for ε/ }).click());
    await page.locator(".outcome svg.chart").waitFor();
    assert.match(await page.locator(".outcome").innerText(), /±/);
    await step(page.getByRole("link", { name: "Budget" }).click());
    const now = await left();
    await page.getByText(`ε ${now}`).first().waitFor();
    assert.equal(now < before, true);
    assert.equal(steps < 10, true);
    figure(`newcomer_steps_${name}`, steps);
  }, size ? { size } : {});

test("the bundle is below 400 kB compressed", async () => {
  const html = await (await fetch(server.origin)).text();
  const files = ["/", ...[...html.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map((m) => m[1])];
  let sum = 0;
  for (const file of files) {
    /* fetch() removes the compression; the Content-Length header has the size that was sent. */
    const reply = await fetch(server.origin + file, { headers: { "Accept-Encoding": "gzip" } });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("content-encoding"), "gzip");
    sum += Number(reply.headers.get("content-length"));
    await reply.arrayBuffer();
  }
  assert.equal(files.length >= 4 && sum > 10_000, true);
  figure("console_bytes", sum);
  assert.equal(sum < LARGEST, true, `${sum} bytes`);
});

test("the time until the page shows something is reported, not limited", async () => {
  const times = [];
  for (let i = 0; i < 5; i++) {
    const page = await visit(server);
    await page.goto(server.origin);
    await page.getByLabel("Your token").waitFor();
    times.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime));
    await page.context().close();
  }
  times.sort((a, b) => a - b);
  assert.equal(times.every((t) => t > 0), true);
  figure("console_first_paint_ms", Math.round(times[2]));
});

await runAll();
