/*
 * Probabilities for people. Upper bounds are rounded up, lower bounds down; an export
 * keeps the server's digits.
 */

const TINY = 1e-9; /* of the last digit shown: covers floating-point errors */

const DIGITS = 2, MOST_DIGITS = 8; /* after the point */

/* Uses more digits only where fewer would show 100 %. */
export function atMost(chance: string): string {
  const value = Number(chance) * 100;
  for (let digits = DIGITS; ; digits++) {
    const shown = Math.ceil(value * 10 ** digits - TINY) / 10 ** digits;
    if (shown < 100 || value >= 100 || digits === MOST_DIGITS) return `${shown} %`;
  }
}

export function atLeast(chance: string): string {
  return `${Math.floor(Number(chance) * 100 * 10 ** DIGITS + TINY) / 10 ** DIGITS} %`;
}

/* For the labels of an axis. */
export function share(chance: number): string {
  return `${Number((chance * 100).toPrecision(3))} %`;
}
