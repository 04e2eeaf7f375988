/*
 * Who is logged in: the token is kept only in this tab (sessionStorage) and sent
 * only in the Authorization header to this origin.
 */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Api, Me, Refused } from "./api";

export interface Session {
  api: Api;
  me: Me;
  /* Call it with every error. If the error concerns all pages (server gone, token no
     longer valid), shows that and returns true. */
  trouble(e: unknown): e is Refused;
  /* How often the server came back: when it changes, pages load their data again. */
  back: number;
  leave(): void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("no session");
  return session;
}

const KEY = "custos-token";
export const keptToken = {
  read: () => sessionStorage.getItem(KEY) ?? "",
  write: (token: string) => sessionStorage.setItem(KEY, token),
  forget: () => sessionStorage.removeItem(KEY),
};
