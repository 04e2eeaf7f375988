"""Attacks with SQL: queries that are slow, large or hard to plan, and sessions
that hold on to resources. Analysts who may log in send them.
"""
import asyncio
import time

from attack import ROUND_SECONDS, attack
from wire import SYNC, bind, close, describe, execute, parse

A = "a" * 200
BACKTRACK = "%a_%a_%a_%a_%a_%a_%a_%b"
CROSS = "diagnoses a, diagnoses b, diagnoses c"
SLOW_PUBLIC = f"SELECT count(*) FROM {CROSS}, diagnoses d"
SLOW_CATALOG = ("SELECT count(*) FROM pg_class a, pg_class b, pg_class c, "
                "pg_class d, pg_class e, pg_class f")
CANCEL_PATIENCE = 30  # seconds
JOIN = "FROM patients p JOIN patients q ON p.id = q.id"


async def sessions(a, n, work, **more):
    """Runs the same work in n sessions at once."""
    async def one(i):
        await work(await a.pg(**more), i)
    await a.together([one(i) for i in range(n)])


# ------------------------------------------------------- slow free queries --

@attack(pause=2)
async def like_public(a):
    """Four public queries whose LIKE backtracks, abandoned after a while."""
    texts = [f"SELECT count(*) FROM {CROSS} WHERE a.title || b.title || "
             f"c.title LIKE '{BACKTRACK}'",
             f"SELECT count(*) FROM {CROSS} WHERE a.title || b.title || "
             f"'{A * 15}' NOT ILIKE '{BACKTRACK.upper()}'"]

    async def work(link, i):
        await a.ask(link, texts[i % 2])
    await sessions(a, 4, work)


@attack(pause=2)
async def like_catalog(a):
    """Catalog queries whose LIKE backtracks on one long text, so that no row is
    ever finished."""
    async def work(link, i):
        text = f"'{A}'" if i % 2 else f"relname || '{A * 20}'"
        await a.ask(link, "SELECT count(*) FROM pg_class WHERE "
                    f"{text} LIKE '{BACKTRACK}'")
    await sessions(a, 4, work)


@attack(pause=2)
async def catalog_slow(a):
    """Forty slow catalog queries of one analyst."""
    async def work(link, i):
        await a.ask(link, f"{SLOW_CATALOG} -- {i}")
    await sessions(a, 40, work)


@attack(pause=1)
async def catalog_replace(a):
    """Many calls of replace that turn one byte into sixteen; the engine holds
    their results for two thousand rows at a time."""
    text = "x"
    for _ in range(16):
        text = f"replace(coalesce({text}, x), 'a', '{'a' * 16}')"

    wide = ", ".join(f"count(replace(x || '{i}', 'a', '{'a' * 16}'))"
                     for i in range(60))

    async def work(link, i):
        await a.ask(link, f"SELECT {wide if i else f'count({text})'} FROM "
                    f"(SELECT '{A * 20}' || left(a.relname, 1) AS x FROM "
                    "pg_class a, pg_class b, pg_class c) AS t")
    await sessions(a, 2, work)


@attack(pause=1)
async def catalog_recursive(a):
    """WITH RECURSIVE that never ends."""
    async def work(link, i):
        await a.ask(link, [
            "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) "
            "SELECT count(*) FROM t, pg_class",
            "WITH RECURSIVE t(x) AS (SELECT relname FROM pg_class UNION ALL "
            "SELECT t.x || c.relname FROM t, pg_class c) "
            "SELECT count(*) FROM t"][i % 2])
    await sessions(a, 2, work)


@attack(pause=1)
async def catalog_series(a):
    """Series and lists of a billion elements, and long aggregated texts."""
    texts = [
        "SELECT count(*) FROM generate_series(1, 100000000000) g, pg_class",
        "SELECT cardinality(array_agg(g)) FROM generate_series(1, 1000000000)"
        " g, pg_class",
        "SELECT string_agg(a.relname || b.relname || c.relname, ',') FROM "
        "pg_class a, pg_class b, pg_class c, pg_class d",
        "SELECT array_to_string(array_agg(a.relname), ',') FROM pg_class a, "
        "pg_class b, pg_class c, pg_class d",
        "SELECT count(DISTINCT a.relname || b.relname || c.relname) FROM "
        "pg_class a, pg_class b, pg_class c, pg_class d"]

    async def work(link, i):
        await a.ask(link, texts[i])
    await sessions(a, len(texts), work)


@attack(pause=1)
async def public_cross(a):
    """Cross joins of public tables: long, large, sorted and distinct."""
    texts = [SLOW_PUBLIC,
             f"SELECT a.title FROM {CROSS} ORDER BY a.title, b.title, c.title "
             "LIMIT 10",
             "SELECT count(DISTINCT a.title || b.title) FROM diagnoses a, "
             "diagnoses b",
             f"SELECT a.title, b.title, c.title FROM {CROSS}"]

    async def work(link, i):
        await a.ask(link, texts[i])
    await sessions(a, len(texts), work)


# ----------------------------------------------------------------- planning --

def explosive(i=0):
    """A key of about 7 KB whose image is computed over 256 × 256 values."""
    whens = " ".join(
        f"WHEN p.city = 'T{(i + k) % 250:03}' AND q.city <> 'T{k:03}' THEN "
        "concat(p.city, q.city)" for k in range(80))
    return f"SELECT CASE {whens} ELSE 'x' END, count(*) {JOIN} GROUP BY 1"


@attack(pause=1)
async def explain_explosive(a):
    """EXPLAIN of 7 KB that is expensive to plan."""
    async def work(link, i):
        await a.ask(link, f"EXPLAIN {explosive(a.dice.randrange(250) + i)}")
    await sessions(a, 2, work)


@attack(pause=1)
async def explain_flood(a):
    """Many concurrent EXPLAINs with long lists of literals."""
    async def work(link, i):
        for k in range(5):
            words = " OR ".join(f"born = {j}" for j in range(1000))
            await a.ask(link, "EXPLAIN SELECT count(*) FROM patients WHERE "
                        f"{words} OR born = {i}{k}")
    await sessions(a, 6, work)


@attack(pause=0.5)
async def deep_texts(a):
    """Deep nesting of every kind, and texts of the maximum length."""
    texts = ["SELECT " + "(" * 30000 + "1" + ")" * 30000,
             "SELECT count(*) FROM patients WHERE " + "NOT " * 15000 + "smoker",
             "SELECT " + "x," * 30000,
             "EXPLAIN " + "SELECT count(*) FROM (" * 500 +
             "SELECT * FROM patients" + ") t" * 500,
             "EXPLAIN WITH " + ", ".join(
                 f"t{i} AS (SELECT * FROM {f't{i - 1}' if i else 'patients'} "
                 f"UNION ALL SELECT * FROM {f't{i - 1}' if i else 'patients'})"
                 for i in range(60)) + " SELECT count(*) FROM t59",
             "SELECT 1" + ";SELECT 1" * 6000,
             "SELECT CASE " + "WHEN true THEN 1 " * 3000 + "END FROM pg_class",
             "SELECT '" + "x" * 60000 + "' FROM pg_class",
             "SELECT * FROM patients, " + "patients " * 6000]
    link = await a.pg()
    for text in texts:
        if await a.ask(link, text) is None:
            return


@attack(pause=0.2)
async def bad_sql(a):
    """Eight sessions that send nothing but errors."""
    texts = ["SELECT (", "SELEC 1", "SELECT nothing FROM nowhere",
             "SELECT " + "+" * 2000, "SELECT count(*) FROM patients WHERE",
             "SELECT '", "\x01\x02\x03", "SELECT 1 FROM patients GROUP BY 99"]

    async def work(link, i):
        for k in range(40):
            await a.ask(link, texts[(i + k) % len(texts)])
            await asyncio.sleep(0.02)
    await sessions(a, 8, work)


@attack(pause=0.5)
async def describe_flood(a):
    """Parse and Describe of private queries, over and over, in batches."""
    link = await a.pg()
    for k in range(20):
        batch = b""
        for i in range(20):
            batch += parse("", "SELECT city, sex, count(*) FROM patients WHERE "
                           f"born <> {k}{i} AND city <> $1 GROUP BY 1, 2")
            batch += describe(b"S", "")
        await a.ask(link, batch + SYNC)


# --------------------------------------------------------- what sessions hold --

@attack(pause=1)
async def fetch_chain(a):
    """FETCH statements that each hold the one before; then all are released.
    Long texts take memory, short ones make a deep chain."""
    link = await a.pg()
    await a.ask(link, "BEGIN")
    await a.ask(link, parse("s0", "SELECT code, title FROM diagnoses LIMIT 5")
                + bind("c0", "s0") + SYNC)
    blanks, at_once = [(" " * 60000, 10), ("", 500)][a.seen["rounds"] % 2]
    until = time.monotonic() + ROUND_SECONDS * 0.8
    first = 1
    while time.monotonic() < until:
        batch = b""
        for k in range(first, first + at_once):
            batch += (parse(f"s{k}", f"FETCH 1 FROM c{k - 1}{blanks}")
                      + bind(f"c{k}", f"s{k}") + close(b"P", f"c{k - 1}")
                      + close(b"S", f"s{k - 1}"))
        got = await a.ask(link, batch + SYNC)
        if got is None or got.error:
            break
        first += at_once
    a.seen["deepest"] = max(a.seen["deepest"], first - 1)
    await a.ask(link, "ROLLBACK")


@attack(pause=1)
async def prepared_many(a):
    """More than a thousand long statements, none of them closed."""
    link = await a.pg()
    text = f"SELECT code FROM diagnoses WHERE title = '{'x' * 20000}'"
    for k in range(60):
        batch = b"".join(parse(f"s{k}_{i}", f"{text} -- {i}")
                         for i in range(20))
        got = await a.ask(link, batch + SYNC)
        if got is None:
            return


@attack(pause=1)
async def portals_many(a):
    """Portals that are opened, begun and never closed."""
    link = await a.pg()
    await a.ask(link, "BEGIN")
    await a.ask(link, parse("s", "SELECT a.title, b.title FROM diagnoses a, "
                            "diagnoses b WHERE a.code < 20") + SYNC)
    for i in range(100):
        got = await a.ask(link, bind(f"p{i}", "s") + execute(f"p{i}", 1) + SYNC)
        if got is None or got.error:
            break
    await asyncio.sleep(3)


@attack(pause=1)
async def cursors_many(a):
    """SQL cursors, each with a large answer of which one row is read."""
    link = await a.pg()
    await a.ask(link, "BEGIN")
    for i in range(40):
        got = await a.ask(link, f"DECLARE c{i} CURSOR FOR SELECT a.title, "
                          "b.title FROM diagnoses a, diagnoses b "
                          f"WHERE a.code < {20 + i}")
        got = got and not got.error and \
            await a.ask(link, f"FETCH 1 FROM c{i}")
        if not got or got.error:
            break
    await asyncio.sleep(3)


@attack(pause=1)
async def settings_many(a):
    """Many settings with long values."""
    link = await a.pg()
    for i in range(200):
        if await a.ask(link, f"SET app.x{i} = '{'v' * 1000}'") is None:
            return


# ------------------------------------------------------------ charged queries --

@attack(pause=0.5)
async def charged_heavy(a):
    """Private queries of the most expensive kinds, several at once."""
    async def work(link, i):
        n = a.dice.randrange(1 << 30)
        await a.ask(link, [
            f"SELECT median(cost) FROM visits WHERE nights <> {n}",
            "SELECT p.city, v.day, count(*) FROM visits v JOIN patients p ON "
            f"v.patient_id = p.id WHERE nights <> {n} GROUP BY 1, 2",
            "SELECT count(*) FROM visits a JOIN visits b ON a.patient_id = "
            "b.patient_id JOIN visits c ON a.patient_id = c.patient_id WHERE "
            f"a.nights <> {n}"][i % 3])
    await sessions(a, 3, work)


@attack(pause=0.5)
async def charged_long(a):
    """Private queries of all hostile analysts, with public reply times of many
    seconds. Together they must not fill the queue for others."""
    joins = " ".join(f"JOIN visits v{i} ON v0.patient_id = v{i}.patient_id"
                     for i in range(1, 4))

    async def one(who):
        n = a.dice.randrange(1 << 30)
        await a.ask(await a.pg(who), "SELECT count(*) FROM visits v0 "
                    f"{joins} WHERE v0.nights <> {n}", ROUND_SECONDS - 1)
    await a.together([one(who) for who in a.target["hostile"]])


@attack(pause=0.2)
async def charged_flood(a):
    """New counts as fast as they are answered, in six sessions."""
    async def work(link, _):
        for _ in range(30):
            n = a.dice.randrange(1 << 30)
            await a.ask(link, "SELECT count(*) FROM patients WHERE "
                        f"born <> {n}")
    await sessions(a, 6, work)


@attack(pause=0.2)
async def charged_cancelled(a):
    """Charged queries that are cancelled, in a loop."""
    link = await a.pg()
    for _ in range(20):
        n = a.dice.randrange(1 << 30)
        task = await a.ask_later(
            link, f"SELECT sum(cost) FROM visits WHERE nights <> {n}")
        await asyncio.sleep(a.dice.random() * 0.05)
        await link.cancel(a.target["pg"], a.source)
        if await task is None:
            return


@attack(pause=0.2, seconds=180)
async def cancel_random(a):
    """Slow free queries, each cancelled once at a random time: each must end.
    On a slow machine this may take a while; a query whose cancel is lost would
    run for ten minutes."""
    link = await a.pg()
    for _ in range(5):
        task = await a.ask_later(
            link, a.dice.choice([SLOW_PUBLIC, SLOW_CATALOG]), CANCEL_PATIENCE)
        await asyncio.sleep(0.05 + a.dice.random() * 0.5)
        running = not task.done()
        if running:
            await link.cancel(a.target["pg"], a.source)
            a.seen["cancels"] += 1
        missed = a.seen["no reply"]
        await task
        if running and a.seen["no reply"] > missed:
            a.seen["cancels lost"] += 1
            return
