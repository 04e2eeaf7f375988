"""Does the time of a reply reveal whether a person is in the data?

The program asks queries about 500 people who are in the data and 500 who are
not, in random order on several connections, each at a new price so that none is
answered from the cache. It compares the times of the two arms, present and
absent people, by the Kolmogorov-Smirnov test at 1e-6, and how often their
queries fail (killed because their time is up) by Fisher's test, all together
and for each query. It does so through PostgreSQL and HTTP, with the attack
queries of test/attack, and while another analyst loads the server. It also
compares how long a second analyst's free questions (SHOW, EXPLAIN, a cached
answer, the catalog) take while the first one's questions run.

The program first shows that it can fail: the test must tell two different
distributions apart, and a query that is slow for the present person must catch
a server without public reply times.

    python3 test/siege/reply_time.py [--replies 10000] [--lanes 6]
"""
import argparse
import asyncio
import itertools
import os
import random
import re
import sys
import time

import ks
from pairs import (ABSENT, N_PAIRS, PLAIN, PRESENT, SLOW, PairStore, corpus,
                   person)
from sites import Server
from wire import Http, Pg, PgError

ARMS = (PRESENT, ABSENT)
LEAST_PER_QUERY = 20  # replies of an arm for a separate comparison
SLOW_SECONDS = 0.25   # a query above it is asked less often
ERRORS_MOST = 0.01    # share of all replies
TRIES = 5
USABLE_SECONDS = 10   # queries with slower replies are left out and named
PATIENCE = 120
TIMES_OFF = ["--no-response-steps"]  # replies leave as soon as they can

prices = itertools.count(1)


class Asker:
    """A connection of one analyst that measures replies."""

    def __init__(self, server, store, who, by_http):
        self.server, self.store, self.who = server, store, who
        self.by_http, self.link = by_http, None

    async def open(self):
        if self.by_http:
            self.link = await Http.connect(self.server.http)
        else:
            self.link = await Pg.connect(self.server.pg, self.who,
                                         self.store.passwords[self.who])
        return self

    async def ask(self, sql, price=None):
        """Seconds until the reply, and its error or None."""
        if self.by_http:
            more = {"epsilon": price} if price else {}
            began = time.perf_counter()
            status, got = await asyncio.wait_for(self.link.query(
                sql, self.store.tokens[self.who], **more), PATIENCE)
            took = time.perf_counter() - began
            return took, None if status == 200 else \
                f"{status} {got['error']['message'][:80]}"
        if price:
            got = await self.link.ask(f"SET custos.epsilon = '{price}'")
            if got.error:
                raise got.error
        began = time.perf_counter()
        got = await asyncio.wait_for(self.link.ask(sql), PATIENCE)
        took = time.perf_counter() - began
        return took, str(got.error)[:80] if got.error else None

    async def ask_about(self, query, pair, arm):
        try:
            return await self.ask(query.text(person(pair, arm)),
                                  f"{query.price}{next(prices):08}")
        except asyncio.TimeoutError as error:
            raise AssertionError(f"no reply to {query.label} in {PATIENCE} s"
                                 ) from error

    async def answers_in(self, sql):
        """The public reply time that EXPLAIN states, in seconds; 0 if it states
        none."""
        got = await self.link.ask(f"EXPLAIN {sql}", keep=1000)
        text = b" ".join(got.rows).decode("utf-8", "replace")
        found = re.search(r"answers in ([\d.]+) (ms|s)\b", text)
        return float(found.group(1)) / (1000 if found.group(2) == "ms" else 1
                                        ) if found else 0.0

    def close(self):
        if self.link:
            self.link.abort()


class Samples:
    """Times of both arms, by query."""

    def __init__(self, name):
        self.name = name
        self.times = {}  # label -> arm -> [seconds]
        self.failed = {}  # label -> arm -> errors
        self.errors, self.error = 0, None

    def add(self, label, arm, took, error):
        self.times.setdefault(label, {a: [] for a in ARMS})[arm].append(took)
        self.failed.setdefault(label, {a: 0 for a in ARMS})[arm] += \
            error is not None
        self.errors += error is not None
        self.error = error or self.error

    def arm(self, arm):
        return [t for by_arm in self.times.values() for t in by_arm[arm]]

    def judge(self, errors_most=ERRORS_MOST):
        """Prints all comparisons; returns what tells the arms apart, by times
        or by failures."""
        xs, ys = self.arm(PRESENT), self.arm(ABSENT)
        d, p = ks.compare(xs, ys)
        print(f"{self.name}: {len(xs)} present, {len(ys)} absent, medians "
              f"{1000 * median(xs):.2f} and {1000 * median(ys):.2f} ms, "
              f"D {d:.4f}, p {p:.2g}, {self.errors} errors", flush=True)
        print(f"bench: reply_time_{self.name}_d {d:.5f} of 1")
        found = []
        worst = sorted(self.failed, key=lambda q: -sum(self.failed[q].values()))
        if self.errors:
            print("  most failures:", ", ".join(
                f"{q} {sum(self.failed[q].values())}" for q in worst[:5]))
        if self.errors > errors_most * (len(xs) + len(ys)):
            found.append(f"{self.name}: {self.errors} errors, such as "
                         f"{self.error}: too few answers to compare")
        found += self.differ("all", xs, ys, *(
            sum(f[arm] for f in self.failed.values()) for arm in ARMS))
        for label, by_arm in self.times.items():
            if min(map(len, by_arm.values())) >= LEAST_PER_QUERY:
                found += self.differ(label, *(by_arm[a] for a in ARMS),
                                     *(self.failed[label][a] for a in ARMS))
        return found

    def differ(self, label, xs, ys, failed_x, failed_y):
        found = []
        d, p = ks.compare(xs, ys)
        if p < ks.ALPHA:
            found.append(f"{self.name}, {label}: D {d:.3f}, p {p:.2g}, "
                         f"medians {1000 * median(xs):.2f} and "
                         f"{1000 * median(ys):.2f} ms")
        p = ks.compare_counts(failed_x, len(xs), failed_y, len(ys))
        if p < ks.ALPHA:
            found.append(f"{self.name}, {label}: {failed_x} of {len(xs)} and "
                         f"{failed_y} of {len(ys)} fail, p {p:.2g}")
        return found


def median(values):
    return sorted(values)[len(values) // 2]


# ---------------------------------------------------------------- comparisons --

class Comparison:
    """A server, and comparisons on it."""

    def __init__(self, store, lanes, seed, options=()):
        self.store, self.lanes = store, lanes
        self.dice = random.Random(seed)
        self.server = Server(store.path, *options, times=True)

    async def askers(self, who, by_http, n=None):
        return [await Asker(self.server, self.store, who, by_http).open()
                for _ in range(n or self.lanes)]

    async def usable(self, queries):
        """The queries that are answered; notes their times. On a busy machine a
        query may be killed because its time is up; it is asked again."""
        [asker] = await self.askers("ana", False, 1)
        found, before = [], None
        for query in queries:
            said = await asker.answers_in(query.text(person(0, PRESENT)))
            if said > USABLE_SECONDS:
                print(f"  {query.label} answers in {said} s: left out")
                continue
            error = "not asked"
            for _ in range(TRIES):
                if error is not None:
                    query.seconds, error = await asker.ask_about(
                        query, 0, self.dice.choice(ARMS))
            if error is None:
                found.append(query)
            elif "suspended" in error:
                raise AssertionError(f"a failure suspended ana: {before} or "
                                     f"{query.label}")
            before = query.label
        asker.close()
        return found

    def schedule(self, queries, replies):
        """Pairs to ask, in random order: all queries equally often, except that
        slow ones are asked less; people in turn."""
        fast = [q for q in queries if q.seconds <= SLOW_SECONDS] or queries
        slow = [q for q in queries if q not in fast]
        plan = [fast[i % len(fast)] for i in range(replies)]
        plan += slow * min(LEAST_PER_QUERY, 1 + replies // 500)
        plan = [(q, q.pair(i)) for i, q in enumerate(plan)]
        self.dice.shuffle(plan)
        return plan

    async def measure(self, name, queries, replies, by_http=False):
        """Asks about every pair, both arms in random order."""
        samples = Samples(name)
        plan = self.schedule(queries, replies)

        async def lane(asker):
            while plan:
                query, pair = plan.pop()
                for arm in self.dice.sample(ARMS, 2):
                    took, error = await asker.ask_about(query, pair, arm)
                    samples.add(query.label, arm, took, error)
        askers = await self.askers("ana", by_http)
        await asyncio.gather(*(lane(a) for a in askers))
        for asker in askers:
            asker.close()
        return samples

    async def under_load(self, name, queries, replies):
        """Like measure, while bob asks charged questions without a pause."""
        ends = asyncio.Event()

        async def load(asker):
            while not ends.is_set():
                await asker.ask_about(self.dice.choice(PLAIN),
                                      self.dice.randrange(N_PAIRS),
                                      self.dice.choice(ARMS))
        bobs = await self.askers("bob", False, 2)
        loads = [asyncio.create_task(load(b)) for b in bobs]
        try:
            return await self.measure(name, queries, replies)
        finally:
            ends.set()
            await asyncio.gather(*loads)
            for bob in bobs:
                bob.close()

    async def seen_by_another(self, replies):
        """In each step ana asks on all connections about people of one random
        arm, and bob asks one free question of each kind: one sample."""
        kinds = {
            "SHOW": "SHOW custos.budget",
            "EXPLAIN": "EXPLAIN SELECT sex, count(*) FROM patients GROUP BY 1",
            "cached": "SELECT count(*) FROM patients WHERE age > 50",
            "catalog": "SELECT relname FROM pg_class WHERE relkind = 'r'"}
        samples = Samples("another")
        anas = await self.askers("ana", False)
        bobs = await self.askers("bob", False, len(kinds))
        await bobs[0].ask(kinds["cached"], "0.5")
        for bob in bobs:
            await bob.link.ask("SET custos.epsilon = '0.5'")
        queries = [PLAIN[0], PLAIN[3], SLOW]

        async def free(bob, kind, arm, after):
            await asyncio.sleep(after)
            took, error = await bob.ask(kinds[kind])
            samples.add(kind, arm, took, error)
        arms = [arm for arm in ARMS for _ in range(replies // len(kinds) + 1)]
        self.dice.shuffle(arms)
        for step, arm in enumerate(arms):
            query = queries[step % len(queries)]
            after = self.dice.random() * 0.01
            await asyncio.gather(
                *(a.ask_about(query, (step + i) % N_PAIRS, arm)
                  for i, a in enumerate(anas)),
                *(free(b, k, arm, after) for b, k in zip(bobs, kinds)))
        for asker in anas + bobs:
            asker.close()
        return samples

    def close(self):
        if self.server.process.poll() is None:
            self.server.stop()


def test_can_fail(seed=1):
    """The comparison finds a difference where there is one, and only there."""
    dice = random.Random(seed)
    same = [[dice.gauss(10, 1) for _ in range(2000)] for _ in range(2)]
    moved = [dice.gauss(10.4, 1) for _ in range(2000)]
    return (ks.compare(*same)[1] > ks.ALPHA and
            ks.compare(same[0], moved)[1] < ks.ALPHA)


def caught_without_times(store, replies, seed):
    """True if the slow query tells the arms apart without public reply
    times."""
    bare = Comparison(store, 2, seed, TIMES_OFF)
    try:
        samples = asyncio.run(bare.measure("times_off", [SLOW], replies))
    finally:
        bare.close()
    return bool(samples.judge())


async def run_all(one, replies, errors_most):
    """Runs all comparisons; returns what tells the arms apart."""
    found, errors, asked = [], 0, 0

    def judge(samples):
        nonlocal errors, asked
        errors += samples.errors
        asked += len(samples.arm(PRESENT)) + len(samples.arm(ABSENT))
        found.extend(samples.judge(errors_most))
    plain = await one.usable(PLAIN)
    attacks = await one.usable(corpus("errors.txt") + corpus("time.txt"))
    print(f"{len(plain)} plain queries, {len(attacks)} attack queries",
          flush=True)
    if len(plain) < len(PLAIN) or not attacks:
        found.append("not all plain queries are answered")
    for name, queries, by_http, n in [
            ("pg", plain, False, replies), ("http", plain, True, replies),
            ("pg_slow", [SLOW], False, min(replies, 1000)),
            ("http_slow", [SLOW], True, min(replies, 1000)),
            ("pg_attack", attacks, False, replies),
            ("http_attack", attacks, True, replies)]:
        judge(await one.measure(name, queries, n, by_http))
    judge(await one.under_load("pg_load", plain, replies))
    judge(await one.seen_by_another(replies))
    print(f"bench: reply_time_overruns {errors / asked:.2g} of replies")
    return found


def reply_time(replies, lanes, seed, errors_most=ERRORS_MOST):
    """Runs everything; returns the violations."""
    store = PairStore()
    try:
        if not test_can_fail():
            return ["the comparison does not tell what differs"]
        if not caught_without_times(store, min(replies, 500), seed):
            return ["a server without reply times was not caught"]
        one = Comparison(store, lanes, seed)
        try:
            return asyncio.run(run_all(one, replies, errors_most))
        finally:
            one.close()
    finally:
        store.close()


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--replies", type=int, default=int(
        os.environ.get("REPLY_TIME_REPLIES", "10000")))
    words.add_argument("--lanes", type=int, default=6)
    words.add_argument("--seed", type=int, default=random.getrandbits(32))
    given = words.parse_args()
    print(f"seed {given.seed}", flush=True)
    try:
        found = reply_time(given.replies, given.lanes, given.seed)
    except (AssertionError, PgError) as error:
        found = [repr(error)]
    for what in found[:50]:
        print(f"violation: {what}")
    print(f"bench: reply_time_violations {len(found)} comparisons")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
