"""A server under load that is killed again and again.

Clients of both protocols keep asking new questions and old ones, as an analyst
with the entire budget and as one with little. Every few seconds the server gets
kill -9 and is restarted on the same ports; clients connect again. Afterwards
the test checks the ledger:

  * it verifies;
  * every answer that a client saw has its charge: the receipt it came with is
    a row of that analyst, that question and that price;
  * a cached answer is the one that was given first;
  * no analyst has spent more than their budget, nor all together more than
    the common one;
  * every client got a reply after the last kill.

    python3 test/crash/load.py [--seconds 600] [--every 20] [--clients 16]
"""
import argparse
import json
import pathlib
import random
import re
import signal
import sys
import threading
import time
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from serving import POLICY, Server, Store, call, need_module  # noqa: E402

psycopg2 = need_module("psycopg2")

PRICE = "0.01"
LITTLE = "1"      # bob's budget; pure DP, so that prices add up to it
WITHIN = 15       # seconds in which a client must be answered again
RECEIPT = re.compile(r"\b(\d+):([0-9a-f]{64})\b")


class Seen:
    """An answer as a client got it."""

    def __init__(self, who, sql, receipt, rows, at):
        self.who, self.sql, self.receipt = who, sql, receipt
        self.rows, self.at = rows, at


class Client(threading.Thread):
    """Asks until it is told to stop; its connection may break at any time."""

    def __init__(self, load, number):
        super().__init__(daemon=True)
        self.load, self.dice = load, random.Random(number)
        self.who = "bob" if number % 4 == 3 else "ana"
        self.by_http = number % 4 == 1
        self.seen, self.wrong, self.breaks, self.spent = [], [], 0, 0
        self.connection = None
        self.answered = time.monotonic()

    def question(self):
        """A question: in one of four cases one of twenty that are often asked,
        otherwise almost certainly a new one."""
        if self.dice.random() < 0.25:
            limit = self.dice.randint(1, 20)
        else:
            limit = self.dice.randint(21, 480000)
        return f"SELECT count(*) FROM visits WHERE cost < {limit / 100}"

    def ask_pg(self, sql):
        if self.connection is None:
            self.connection = psycopg2.connect(
                host="127.0.0.1", port=self.load.server.pg, user=self.who,
                password=self.load.store.passwords[self.who],
                dbname="custos", connect_timeout=10)
            self.connection.autocommit = True
            with self.connection.cursor() as cursor:
                cursor.execute(f"SET custos.epsilon = {PRICE}")
        del self.connection.notices[:]
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            rows = cursor.fetchall()
        said = RECEIPT.search(" ".join(self.connection.notices))
        return said and said.group(), str(rows[0][0])

    def ask_http(self, sql):
        got = call(self.load.server.http, "POST", "/v1/query",
                   {"sql": sql, "epsilon": PRICE},
                   self.load.store.tokens[self.who])
        if got.status == 409:
            raise psycopg2.errors.ConfigurationLimitExceeded()
        if got.status != 200:
            raise OSError(f"HTTP {got.status}")
        return got.json["receipt"], got.json["rows"][0][0]["value"]

    def one(self):
        sql = self.question()
        try:
            receipt, rows = (self.ask_http if self.by_http
                             else self.ask_pg)(sql)
        except psycopg2.errors.ConfigurationLimitExceeded:
            self.spent += 1
            self.answered = time.monotonic()
            time.sleep(0.05)
            return
        except (psycopg2.OperationalError, psycopg2.InterfaceError, OSError,
                ValueError):
            self.breaks += 1
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            time.sleep(0.05)
            return
        self.answered = time.monotonic()
        self.seen.append(Seen(self.who, sql, receipt, rows, self.answered))

    def run(self):
        while not self.load.ends:
            try:
                self.one()
            except Exception as error:  # pylint: disable=broad-except
                self.wrong.append(f"client {self.who}: {error!r}")
                return


class Load:
    def __init__(self, clients):
        policy = POLICY.replace("{epsilon: 3, delta: 1e-8}",
                                f"{{epsilon: {LITTLE}, delta: 0}}")
        self.store = Store(people=200, policy=policy)
        self.ends = False
        self.kills = 0
        self.server = Server(self.store.path)
        self.clients = [Client(self, i) for i in range(clients)]
        self.violations = []

    def kill(self):
        old = self.server
        old.stop(signal.SIGKILL)
        self.kills += 1
        self.server = Server(self.store.path, pg=old.pg, http=old.http)

    def run(self, seconds, every):
        end = time.monotonic() + seconds
        for client in self.clients:
            client.start()
        while time.monotonic() + every < end:
            time.sleep(every)
            self.kill()
        last = time.monotonic()
        limit = last + WITHIN
        while time.monotonic() < max(end, limit):
            time.sleep(0.1)
            if time.monotonic() > end and \
                    all(c.answered > last for c in self.clients):
                break
        self.ends = True
        for client in self.clients:
            client.join(timeout=60)
            self.violations += client.wrong
            if client.answered <= last:
                self.violations.append("a client was not answered again")
        if self.server.stop():
            self.violations.append("the server did not end as it should")

    # --------------------------------------------------------------- check

    def seen(self):
        return [s for c in self.clients for s in c.seen]

    def check(self):
        self.store.custos("ledger", "verify")
        rows = json.loads(
            self.store.custos("ledger", "list", "--json"))["rows"]
        charges = {r["receipt"]: r for r in rows if r["what"] == "charge"}
        first = {}
        for s in self.seen():
            self.check_one(s, charges, first)
        spent = {"ana": Fraction(0), "bob": Fraction(0)}
        for row in charges.values():
            spent[row["who"]] += Fraction(row["epsilon"])
        if spent["bob"] > Fraction(LITTLE):
            self.violations.append(f"bob has spent {spent['bob']}")
        budget = json.loads(self.store.custos("budget", "--json"))
        for name, one in [("the common budget", budget["common"]),
                          *((a["name"], a["own"]) for a in budget["analysts"]
                            if a["own"])]:
            if Fraction(one["spent"]) > Fraction(one["limit"]):
                self.violations.append(f"{name}: overspent")

    def check_one(self, s, charges, first):
        row = charges.get(s.receipt)
        if row is None:
            self.violations.append(f"no charge for {s.sql}: {s.receipt}")
        elif (row["who"], row["query"], row["epsilon"]) != \
                (s.who, s.sql, PRICE):
            self.violations.append(f"the charge {s.receipt} is for "
                                   f"{row['query']}, not {s.sql}")
        elif first.setdefault(s.receipt, s.rows) != s.rows:
            self.violations.append(f"two answers to {s.receipt}")

    def close(self):
        if self.server.process.poll() is None:
            self.server.stop(signal.SIGKILL)
        self.store.close()


def load(seconds, every, clients):
    """Runs and checks; returns the result."""
    run = Load(clients)
    try:
        run.run(seconds, every)
        run.check()
    finally:
        run.close()
    return run


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--seconds", type=float, default=600)
    words.add_argument("--every", type=float, default=20)
    words.add_argument("--clients", type=int, default=16)
    given = words.parse_args()
    run = load(given.seconds, given.every, given.clients)
    for what in run.violations[:50]:
        print(what)
    print(f"bench: load_answers {len(run.seen())} answers")
    print(f"bench: load_kills {run.kills} kills")
    print(f"bench: load_broken {sum(c.breaks for c in run.clients)} "
          "connections")
    print(f"bench: load_refused {sum(c.spent for c in run.clients)} questions")
    print(f"bench: load_violations {len(run.violations)} of all answers")
    sys.exit(bool(run.violations))


if __name__ == "__main__":
    main()
