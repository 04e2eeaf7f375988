"""Kills worker processes of a server at random instants under load.

Analysts of both protocols ask new charged questions, short ones and long ones,
and free ones, without a pause. Meanwhile worker processes (children of the
server that were started as `custos worker`) get SIGKILL at random instants. A
kill may cost the question that the worker was working on and one that waits for
the new worker, and nothing else. Afterwards:

  * every question got a reply, an answer or an error; no connection broke;
  * every answer has its charge in the ledger, of that analyst and text;
  * every charge belongs to a question that was asked, got its reply, and was
    charged once;
  * a kill costs at most two questions, not counting those that the log says
    were killed because their time was up: the one that the worker had, and one
    whose time was up before the new worker was ready;
  * the server still answers each analyst, with as many workers as before;
  * no zombie is left, no folder of spill files without its worker, and none at
    all once the server has ended;
  * the chain of the ledger verifies.

    python3 test/siege/worker_kills.py [--kills 1000] [--clients 12]
"""
import argparse
import asyncio
import collections
import itertools
import json
import os
import pathlib
import random
import re
import signal
import sys
import time

from attack import BROKEN
from sites import DemoStore, Server, run, worker_pids, zombies
from wire import Http, Pg

ANALYSTS = ("ana", "bob", "cyd")
PAUSE = 0.1        # mean seconds between having all workers and the next kill
SETTLE = 30        # seconds until everything must be as before
PATIENCE = 60      # for one reply
FAILED_PER_KILL = 2
NO_WORKERS = "the server has no worker processes"

QUESTIONS = (
    "SELECT count(*) FROM patients WHERE born <> {}",
    "SELECT city, count(*) FROM patients WHERE born <> {} GROUP BY city",
    "SELECT sum(cost), avg(nights) FROM visits WHERE nights <> {}",
    "SELECT median(cost) FROM visits WHERE nights <> {}",
    "SELECT p.sex, count(*) FROM visits v JOIN patients p ON v.patient_id = "
    "p.id WHERE v.nights <> {} GROUP BY 1",
    "SELECT day, count(*) FROM visits WHERE nights <> {} GROUP BY day")
FREE = (
    "SELECT count(*) FROM diagnoses a, diagnoses b WHERE a.code <> {}",
    "SELECT count(*) FROM pg_class a, pg_class b WHERE a.relname <> '{}'")

numbers = itertools.count(3000000)


class Asked:
    """A question and its reply: a receipt, an error, or neither."""

    def __init__(self, who, sql, is_free):
        self.who, self.sql, self.is_free = who, sql, is_free
        self.receipt, self.error, self.answered = None, None, False


def check(asked, rows):
    """Differences between the ledger's rows and the replies."""
    found = []
    charges = {r["receipt"]: r for r in rows if r["what"] == "charge"}
    times = collections.Counter(r["query"] for r in charges.values())
    by_text = {a.sql: a for a in asked}
    for a in asked:
        if not a.answered and a.error is None:
            found.append(f"no reply to {a.sql}")
        if not a.answered or a.is_free:
            continue
        row = charges.get(a.receipt)
        if row is None or (row["who"], row["query"]) != (a.who, a.sql):
            found.append(f"an answer without its charge: {a.sql}")
    for row in charges.values():
        if row["query"] not in by_text:
            found.append(f"a charge of nobody's question: {row['query']}")
        elif by_text[row["query"]].who != row["who"]:
            found.append(f"a charge to another: {row['query']}")
        elif times[row["query"]] > 1:
            found.append(f"charged twice: {row['query']}")
    return found


# -------------------------------------------------------------------- clients --

class Client:
    """Asks until it is told to stop."""

    def __init__(self, kills, number):
        self.kills = kills
        self.who = ANALYSTS[number % len(ANALYSTS)]
        self.by_http = number // len(ANALYSTS) % 2 == 1
        self.texts = QUESTIONS if number % 4 != 3 else \
            FREE[:1] if self.by_http else FREE  # HTTP has no catalog
        self.dice = random.Random(f"{kills.seed} {number}")
        self.asked, self.breaks, self.link = [], 0, None

    async def connect(self):
        server, store = self.kills.server, self.kills.store
        self.link = await (
            Http.connect(server.http) if self.by_http else
            Pg.connect(server.pg, self.who, store.passwords[self.who]))

    async def reply(self, one):
        if self.by_http:
            status, got = await self.link.query(
                one.sql, self.kills.store.tokens[self.who])
            if status == 200:
                one.answered, one.receipt = True, got["receipt"]
            else:
                one.error = f"HTTP {status} {got['error']['message'][:80]}"
            return
        got = await self.link.ask(one.sql)
        if got.error:
            one.error = str(got.error)[:80]
        else:
            one.answered, one.receipt = True, got.receipt

    async def once(self):
        one = Asked(self.who, self.dice.choice(self.texts).format(
            next(numbers)), self.texts is not QUESTIONS)
        try:
            if self.link is None:
                await self.connect()
            self.asked.append(one)
            await asyncio.wait_for(self.reply(one), PATIENCE)
        except BROKEN as error:
            self.breaks += 1
            self.kills.violations.append(f"{self.who}: {one.sql}: {error!r}")
            if self.link:
                self.link.abort()
            self.link = None
            await asyncio.sleep(0.2)
        return one

    async def repeat(self):
        while not self.kills.ends:
            await self.once()


# ---------------------------------------------------------------------- kills --

class Kills:
    """One server whose workers are killed."""

    def __init__(self, clients, seed):
        self.seed = seed
        self.dice = random.Random(seed)
        # A kill may look like an overrun: that must not suspend anybody here.
        self.store = DemoStore(5000, ANALYSTS, overrun_rate=1)
        self.server = Server(self.store.path, times=True)
        self.clients = [Client(self, i) for i in range(clients)]
        self.killed, self.ends, self.violations = 0, False, []

    def workers(self):
        return worker_pids(self.server.process.pid)

    def kill_one(self):
        """Sends SIGKILL to one of our workers, through a pidfd, which cannot
        refer to another process."""
        pids = self.workers()
        if not pids:
            return
        pid = self.dice.choice(pids)
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            return
        try:
            if pid in self.workers():
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                self.killed += 1
        except OSError:
            pass
        finally:
            os.close(handle)

    async def kill_many(self, kills, workers):
        """Kills a worker at a random instant whenever all are there again; it
        may still be starting. Gives up if no new worker comes."""
        last = time.monotonic()
        while self.killed < kills:
            await asyncio.sleep(self.dice.expovariate(1 / PAUSE))
            if len(await asyncio.to_thread(self.workers)) < workers and \
                    time.monotonic() - last < SETTLE:
                continue
            before = self.killed
            await asyncio.to_thread(self.kill_one)
            if self.killed > before:
                last = time.monotonic()
            elif time.monotonic() - last > SETTLE:
                self.violations.append("no new workers are started")
                return
            if self.server.process.poll() is not None:
                self.violations.append("the server ended")
                return

    async def count_workers(self):
        """The number of workers once all have been started."""
        counts = []
        while len(counts) < 10 or len(set(counts[-10:])) > 1:
            counts.append(len(self.workers()))
            await asyncio.sleep(0.1)
        return counts[-1]

    async def run(self, kills):
        before = await self.count_workers()
        if not before:
            self.violations.append(NO_WORKERS)
            return
        asking = [asyncio.create_task(c.repeat()) for c in self.clients]
        await self.kill_many(kills, before)
        self.ends = True
        await asyncio.gather(*asking)
        await self.settle(before)

    async def settle(self, workers):
        """Checks that everything is as before, soon after the last kill."""
        for client in self.clients:
            one = await client.once()
            if not one.answered:
                self.violations.append(f"{one.who} is not answered any more: "
                                       f"{one.error}")
            if client.link:
                client.link.abort()
        until = time.monotonic() + SETTLE
        while self.leftovers(workers) and time.monotonic() < until:
            await asyncio.sleep(0.2)
        self.violations += self.leftovers(workers)

    def spills(self):
        return list(pathlib.Path(self.store.path).glob("tmp/spill*"))

    def leftovers(self, workers):
        """What differs from the start."""
        pid = self.server.process.pid
        found = []
        if zombies(pid):
            found.append(f"zombies: {zombies(pid)}")
        if len(self.workers()) != workers:
            found.append(f"{len(self.workers())} workers instead of {workers}")
        # The server itself may have one.
        if len(self.spills()) > workers + 1:
            found.append(f"spill folders: {len(self.spills())}")
        return found

    def end(self):
        """Stops the server, then checks the ledger and the files in the
        store."""
        if self.server.process.poll() is None and self.server.stop():
            self.violations.append("the server did not end as it should")
        if self.spills():
            self.violations.append(f"left behind: {self.spills()}")
        done = run("ledger", "verify", "--store", self.store.path)
        if done.returncode:
            self.violations.append(f"verify: {done.stderr.decode()}")
        rows = json.loads(
            self.store.custos("ledger", "list", "--json"))["rows"]
        self.violations += check(self.asked(), rows)
        if self.errors() > FAILED_PER_KILL * self.killed + self.overruns():
            self.violations.append(f"{self.errors()} questions failed by "
                                   f"{self.killed} kills and "
                                   f"{self.overruns()} overruns")

    def errors(self):
        return sum(a.error is not None for a in self.asked())

    def overruns(self):
        return self.server.said().count("because its time was up")

    def asked(self):
        return [a for c in self.clients for a in c.asked]

    def close(self):
        if self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.wait()
        self.store.close()


def worker_kills(kills, clients, seed):
    """Runs and checks; returns the result."""
    one = Kills(clients, seed)
    try:
        asyncio.run(one.run(kills))
        if NO_WORKERS not in one.violations:
            one.end()
    finally:
        one.close()
    return one


def noteworthy(log):
    """The last lines of a server's log about anything but questions."""
    return [line for line in log.splitlines()
            if not re.search(r"event=(question|open|login|close)\b", line)
            ][-10:]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--kills", type=int, default=1000)
    words.add_argument("--clients", type=int, default=12)
    words.add_argument("--seed", type=int, default=random.getrandbits(32))
    given = words.parse_args()
    print(f"seed {given.seed}", flush=True)
    one = worker_kills(given.kills, given.clients, given.seed)
    for what in one.violations[:50]:
        print(f"violation: {what}")
    if one.violations:
        print("\n".join(noteworthy(one.server.said())))
    asked = one.asked()
    errors = collections.Counter(a.error for a in asked if a.error)
    for error, n in errors.most_common(10):
        print(f"  {n} × {error}")
    print(f"bench: worker_kills {one.killed} kills")
    print(f"bench: worker_kills_answers {sum(a.answered for a in asked)} "
          "answers")
    print(f"bench: worker_kills_errors {one.errors()} replies")
    print(f"bench: worker_kills_overruns {one.overruns()} replies")
    print(f"bench: worker_kills_violations {len(one.violations)} of all")
    sys.exit(bool(one.violations))


if __name__ == "__main__":
    main()
