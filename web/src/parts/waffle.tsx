/* A hundred guesses: how many the best test gets right, compared with mere guessing. */
import { atMost } from "./percent";

const SIDE = 10, CELL = 16, GAP = 3;
const EVEN = 50; /* what guessing gets right */

export function Waffle({ success }: { success: string }) {
  const right = Math.ceil(Number(success) * 100 - 1e-9); /* a bound is rounded up */
  const size = SIDE * (CELL + GAP) - GAP;
  return (
    <svg class="chart waffle" role="img" viewBox={`0 0 ${size} ${size}`} width={size} height={size}
      aria-label={`Of 100 guesses the best test gets at most ${right} right (${atMost(success)}); tossing a coin gets ${EVEN} right.`}>
      {Array.from({ length: 100 }, (_, i) => (
        <rect x={(i % SIDE) * (CELL + GAP)} y={Math.floor(i / SIDE) * (CELL + GAP)}
          width={CELL} height={CELL} rx="4"
          class={i < EVEN ? "by-chance" : i < right ? "by-test" : "wrong"} />
      ))}
    </svg>
  );
}
