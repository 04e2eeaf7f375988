/* The frame of every page: the login, the navigation, and messages that concern all pages. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Api, Refused, type Me } from "./api";
import { Login } from "./login";
import { Ask } from "./pages/ask";
import { BudgetPage } from "./pages/budget";
import { LearnPage } from "./pages/learn";
import { LedgerPage } from "./pages/ledger";
import { OwnerPage } from "./pages/owner";
import { SchemaPage } from "./pages/schema";
import { linkTo, PAGES, usePlace, type Page } from "./route";
import { keptToken, SessionContext, type Session } from "./session";

const TITLES: Record<Page, string> = {
  ask: "Ask", budget: "Budget", ledger: "Ledger",
  schema: "Schema", learn: "Learn", owner: "Owner",
};

const RETRY_MS = 2000;

function Frame({ page, me, leave, children }: {
  page: Page; me: Me | null; leave?: () => void; children: preact.ComponentChildren;
}) {
  const pages = PAGES.filter((p) => (p === "owner" ? me?.owner : me || p === "learn"));
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => {
        e.preventDefault();
        document.getElementById("main")?.focus();
      }}>Skip to content</a>
      <header class="top">
        <a class="brand" href={linkTo(me ? "ask" : "learn")}>
          <img src="./favicon.svg" alt="" width="24" height="24" />custos
        </a>
        <nav aria-label="Pages">
          {pages.map((p) => (
            <a href={linkTo(p)} aria-current={p === page ? "page" : undefined}>{TITLES[p]}</a>
          ))}
          {!me && <a href={linkTo("ask")} aria-current={page === "ask" ? "page" : undefined}>Log in</a>}
        </nav>
        {me && (
          <div class="who">
            <span>{me.owner ? "owner" : me.name}</span>
            <button type="button" class="quiet small" onClick={leave}>Log out</button>
          </div>
        )}
      </header>
      <main id="main" tabIndex={-1}>{children}</main>
    </>
  );
}

function Inside({ page }: { page: Page }) {
  switch (page) {
    case "ask": return <Ask />;
    case "budget": return <BudgetPage />;
    case "ledger": return <LedgerPage />;
    case "schema": return <SchemaPage />;
    case "learn": return <LearnPage />;
    case "owner": return <OwnerPage />;
  }
}

export function App() {
  const { page } = usePlace();
  const [token, setToken] = useState(keptToken.read);
  const [me, setMe] = useState<Me | null>(null);
  const [gone, setGone] = useState(false);
  const [back, setBack] = useState(0);
  const [said, setSaid] = useState<string | null>(null); /* shown on the login page */
  const api = useMemo(() => new Api(token), [token]);
  const first = useRef(true);

  const leave = useCallback((why: string | null = null) => {
    keptToken.forget();
    setToken("");
    setMe(null);
    setSaid(why);
  }, []);

  const trouble = useCallback((e: unknown): e is Refused => {
    if (!(e instanceof Refused)) return false;
    if (e.gone) setGone(true);
    else if (e.locked) leave("Your token is no longer valid. Ask the owner for a new one, or log in with another.");
    else return false;
    return true;
  }, [leave]);

  /* Tries the token kept in this tab once, and again when the server is back. */
  useEffect(() => {
    if (!token || me) return;
    let on = true;
    api.me().then((m) => on && setMe(m), (e) => {
      if (on && !trouble(e)) setSaid(e instanceof Refused ? e.message : String(e));
    });
    return () => { on = false; };
  }, [api, token, me, gone, trouble]);

  useEffect(() => {
    if (!gone) return;
    const timer = setInterval(() => {
      new Api("").health().then(() => { setGone(false); setBack((n) => n + 1); }, () => {});
    }, RETRY_MS);
    return () => clearInterval(timer);
  }, [gone]);

  useEffect(() => {
    document.title = `${TITLES[page]} · custos`;
    if (!first.current) document.getElementById("main")?.focus();
    first.current = false;
  }, [page]);

  const session: Session | null = useMemo(
    () => me && { api, me, trouble, back, leave: () => leave() }, [api, me, trouble, back, leave]);

  const enter = async (given: string) => {
    const m = await new Api(given).me();
    keptToken.write(given);
    setToken(given);
    setMe(m);
    setSaid(null);
  };

  return (
    <Frame page={page} me={me} leave={() => leave()}>
      {gone && (
        <p class="news bad" role="alert">
          The server does not answer. What was charged stays charged; answers that it has sent are stored.
          Trying again every {RETRY_MS / 1000} seconds.
        </p>
      )}
      {session ? (
        <SessionContext.Provider value={session}><Inside page={page} /></SessionContext.Provider>
      ) : page === "learn" ? <LearnPage /> : token && !said ? (
        <p class="wait" role="status">Opening …</p>
      ) : <Login said={said} enter={enter} />}
    </Frame>
  );
}
