/* The address after # says which page is open, so that back, forward and bookmarks work. */
import { useEffect, useState } from "preact/hooks";

export const PAGES = ["ask", "budget", "ledger", "schema", "learn", "owner"] as const;
export type Page = (typeof PAGES)[number];

export interface Place { page: Page; args: URLSearchParams }

function read(): Place {
  const [name = "", tail = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const page = (PAGES as readonly string[]).includes(name) ? (name as Page) : "ask";
  return { page, args: new URLSearchParams(tail) };
}

export function linkTo(page: Page, args: Record<string, string> = {}): string {
  const tail = new URLSearchParams(args).toString();
  return `#/${page}${tail ? "?" + tail : ""}`;
}

export function usePlace(): Place {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const moved = () => setPlace(read());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return place;
}
