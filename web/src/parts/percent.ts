/*
 * Chances as people read them. What bounds from above is rounded up, what bounds
 * from below is rounded down; an export keeps the server's digits.
 */

const TINY = 1e-9; /* of a per cent: what the machine's numbers blur */

/* One digit after the point, two near nothing and near certainty. */
function unit(value: number): number {
  return value < 1 || value > 99 ? 100 : 10;
}

export function atMost(chance: string): string {
  const value = Number(chance) * 100, per = unit(value);
  return `${Math.ceil(value * per - TINY) / per} %`;
}

export function atLeast(chance: string): string {
  const value = Number(chance) * 100, per = unit(value);
  return `${Math.floor(value * per + TINY) / per} %`;
}

/* For the labels of an axis. */
export function share(chance: number): string {
  return `${Number((chance * 100).toPrecision(3))} %`;
}
