import type { Refused } from "../api";

/* An error of the server: what is wrong, and what to do. */
export function Notice({ of, children }: { of: Refused; children?: preact.ComponentChildren }) {
  return (
    <div class="news bad" role="alert">
      <p>{of.message}</p>
      {of.hint && <p class="soft">{of.hint}</p>}
      {children}
    </div>
  );
}

export function Waiting({ what = "Loading …" }: { what?: string }) {
  return <p class="wait" role="status">{what}</p>;
}
