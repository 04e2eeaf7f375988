/*
 * Chances as people read them. What bounds from above is rounded up, what bounds
 * from below is rounded down; an export keeps the server's digits.
 */

const TINY = 1e-9; /* of a per cent: what the machine's numbers blur */

const PER = 100; /* two digits after the point */

export function atMost(chance: string): string {
  return `${Math.ceil(Number(chance) * 100 * PER - TINY) / PER} %`;
}

export function atLeast(chance: string): string {
  return `${Math.floor(Number(chance) * 100 * PER + TINY) / PER} %`;
}

/* For the labels of an axis. */
export function share(chance: number): string {
  return `${Number((chance * 100).toPrecision(3))} %`;
}
