/* Dates and times for people, in the reader's own time zone. */
const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export const momentWords = (time: string) => format.format(new Date(time));

const STEPS: [number, string][] = [[86_400, "day"], [3_600, "hour"], [60, "minute"], [1, "second"]];

export function durationWords(seconds: number): string {
  const [size, name] = STEPS.find(([s]) => seconds >= s) ?? STEPS[STEPS.length - 1]!;
  const n = Math.floor(seconds / size);
  return `${n} ${name}${n === 1 ? "" : "s"}`;
}
