/*
 * The smallest runner whose output tools/test-summary can count: cases run one after the other in
 * the order of the file, each prints ok or why not, and everything opened is closed at the end.
 */
const cases = [];
const closing = [];

export function test(name, run) {
  cases.push({ name, run });
}

/* Registers a function to run at the end; the last registered runs first. */
export function atEnd(close) {
  closing.push(close);
}

export function figure(name, value) {
  console.log(`# ${name} ${value}`);
}

export async function runAll() {
  let failed = 0;
  console.log(`1..${cases.length}`);
  for (const [i, { name, run }] of cases.entries()) {
    const from = performance.now();
    try {
      await run();
      console.log(`ok ${i + 1} - ${name} (${Math.round(performance.now() - from)} ms)`);
    } catch (e) {
      failed++;
      console.log(`not ok ${i + 1} - ${name}`);
      console.log(String(e?.stack ?? e).replace(/^/gm, "# "));
    }
  }
  for (const close of closing.reverse()) await close();
  process.exitCode = failed ? 1 : 0;
}
