/* Schema: what may be asked about, in words; search; and questions to begin with. */
import assert from "node:assert/strict";
import { logIn, visiting } from "./browser.mjs";
import { Store } from "./store.mjs";
import { runAll } from "./tap.mjs";

const store = new Store({ people: 400 });
const server = await store.serve({ words: ["--no-response-steps"] });
const tokens = { ana: store.letIn("ana"), bob: store.letIn("bob") };
const at = () => ({ server });

visiting("words, protection, search, and a first question that can be asked", at, async (page) => {
  await logIn(page, server, tokens.ana, "schema");
  await page.getByText("Each patient_id is protected").waitFor();
  await page.getByText("At most 4 rows of each person count in an answer.").waitFor();
  await page.getByText("Nobody is protected here.").waitFor();
  await page.getByRole("heading", { name: "long_stays" }).waitFor();
  await page.getByLabel("Search").fill("maternity");
  await page.getByText("2 of 4 tables and views, 2 columns").waitFor();
  await page.getByLabel("Search").fill("");
  for (const table of ["patients", "visits", "departments", "long_stays"]) {
    await page.getByRole("link", { name: `Ask about this table ${table}` }).click();
    await page.waitForFunction(() =>
      /Ask for ε|free/.test(document.querySelector(".ask-button")?.textContent ?? ""));
    await page.getByRole("link", { name: "Schema" }).click();
  }
});

visiting("an analyst who is granted less sees less", at, async (page) => {
  await logIn(page, server, tokens.bob, "schema");
  await page.getByText("Each person is protected").waitFor();
  assert.doesNotMatch(await page.locator("main").innerText(), /patient|born|long_stays|nights/);
});

visiting("the page says where questions choose the bound and where each row is a unit", at, async (page) => {
  await logIn(page, server, tokens.ana);
  await page.route("**/v1/schema", async (route) => {
    const reply = await route.fetch();
    const schema = await reply.json();
    schema.tables[0].unit = { row: true, rows_per_unit: 1, groups_per_unit: 1, rows_per_unit_and_group: 1, column: null };
    schema.tables[1].unit.rows_per_unit = schema.tables[1].unit.groups_per_unit = schema.tables[1].unit.rows_per_unit_and_group = null;
    schema.adjacency = "change-one";
    await route.fulfill({ response: reply, json: schema });
  });
  await page.getByRole("link", { name: "Schema" }).click();
  await page.getByText("Each single row is protected.").waitFor();
  await page.getByText("Every question spends a quarter of its price on choosing").waitFor();
  await page.getByText("what the data say about any one person (or row)").waitFor();
});

await runAll();
