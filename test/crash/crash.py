"""Kills custos at random instants and checks what is left.

Several processes use one store at once: shells of two analysts and the owner,
single queries, and imports of new data. One of them, now and then all, gets
kill -9. The test reads from their standard output what they delivered, and then
checks the ledger:

  * it verifies;
  * every answer that was not cached has a charge of its own, the one
    that its receipt names, of that analyst, question and price;
  * a cached answer belongs to a charge of the same analyst and has the same
    rows and cost as the first answer;
  * the charges add up, exactly, to no more than any budget;
  * the store opens at once: in two seconds, or, on a slow machine, in at most
    three times what the next try takes;
  * a killed import changes nothing, and the next import removes what it left.

    python3 test/crash/crash.py [--kills 1000] [--seed N]
"""
import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction

from hospital import CUSTOS, Hospital, run, seconds, spent

WORKERS = 4
KILLS_PER_STORE = 100
QUESTIONS = 60        # number of questions in a shell's input
DIFFERENT = 60       # number of different questions for each asker
PRICE = "0.01"
AT_ONCE = 2.0         # seconds in which a store must open and answer
CHECK_EVERY = 25

# Errors that a question may get while others spend.
REFUSALS = re.compile(r"custos: .*(budget|common one).* (is spent|does not suffice): ")


def question(i):
    """Question i; its column is named after the number."""
    kinds = ("count(*) AS q{} FROM people WHERE age > {}",
             "sum(age) AS q{} FROM people WHERE age <> {}",
             "avg(age) AS q{} FROM people WHERE age < 100 - {}",
             "city, count(*) AS q{} FROM people WHERE age > {} GROUP BY city")
    return "SELECT " + kinds[i % len(kinds)].format(i, i // len(kinds))


class Worker:
    """One process that asks, and what it has delivered."""

    def __init__(self, hospital, dice, kind=None):
        self.who = dice.choice(["", "ana", "bob"])
        self.kind = kind or dice.choice(["shell", "shell", "query"])
        base = hospital.folder / f"worker{dice.getrandbits(60):x}"
        self.out, self.err = base.with_suffix(".out"), base.with_suffix(".err")
        words = [CUSTOS, self.kind, "--store", str(hospital.store)]
        asked = [dice.randrange(DIFFERENT) for _ in range(QUESTIONS)]
        stdin = ""
        if self.kind == "init":
            words.insert(2, str(hospital.policy))
        else:
            words += ["--format", "json"]
            words += ["--as", self.who] if self.who else []
        if self.kind == "shell":
            stdin = f"\\epsilon {PRICE}\n"
            stdin += "".join(question(i) + ";\n" for i in asked)
        if self.kind == "query":
            words += ["--epsilon", PRICE, question(asked[0])]
        base.with_suffix(".in").write_text(stdin)
        with open(base.with_suffix(".in"), "rb") as given, \
                open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(words, stdin=given, stdout=out,
                                            stderr=err)

    def kill(self):
        """Kills the process. True if it was still running."""
        alive = self.process.poll() is None
        self.process.send_signal(signal.SIGKILL)
        return self.process.wait() == -signal.SIGKILL and alive

    def answers(self):
        """Every answer in its output as (text, object); the object of an answer
        that is cut off is None."""
        text = self.out.read_text()
        at = 0
        while at < len(text):
            try:
                answer, end = json.JSONDecoder().raw_decode(text, at)
            except ValueError:
                yield text[at:], None
                return
            yield text[at:end], answer
            at = end + 1


class Run:
    """The kills on one store, and their results."""

    def __init__(self, seed, kills, report):
        self.dice = random.Random(seed)
        self.kills, self.killed = kills, 0
        self.report = report
        self.hospital = Hospital(budget="1", own="0.3")
        self.fresh = {}   # receipt -> (who, answer's text, object)
        self.stored = []  # (who, text, object)
        self.n_torn = self.refused = self.slowest = 0
        self.imports = {0: 0, -signal.SIGKILL: 0}

    def violation(self, words):
        self.report.violations.append(words)
        print("violation:", words, file=sys.stderr, flush=True)

    def collect(self, worker):
        """Records what a dead process delivered."""
        for line in worker.err.read_text().splitlines():
            # an import prints its progress
            if worker.kind == "init":
                break
            if line.startswith("hint: "):
                continue
            self.refused += 1
            if not REFUSALS.match(line):
                self.violation(f"{worker.kind}: {line}")
        if worker.kind != "init":
            for text, answer in worker.answers():
                if answer is None:
                    self.n_torn += 1
                elif answer["stored"]:
                    self.stored.append((worker.who, text, answer))
                elif answer["receipt"] in self.fresh:
                    self.violation(f"two answers of {answer['receipt']}")
                else:
                    self.fresh[answer["receipt"]] = (worker.who, text, answer)
        elif worker.process.returncode in self.imports:
            self.imports[worker.process.returncode] += 1
        else:
            error = worker.err.read_text()
            if "another import" not in error:
                self.violation(f"init: {error}")

    def check(self):
        """Checks the ledger against what was delivered."""
        done = self.hospital.verify()
        if done.returncode:
            self.violation(f"verify: {done.stderr}")
            return
        rows = self.hospital.rows()
        charges = {row["receipt"]: row for row in rows
                   if row["what"] == "charge"}
        for receipt, (who, _, answer) in self.fresh.items():
            row = charges.get(receipt)
            name = int(answer["columns"][-1]["name"][1:])
            if row is None:
                self.violation(f"no charge for {receipt}")
            elif (row["who"], row["query"].rstrip(";"),
                  Fraction(row["epsilon"])) != (
                      who, question(name), Fraction(answer["cost"]["epsilon"])):
                self.violation(f"another charge for {receipt}")
        self.check_stored(charges)
        for who, limit in ((None, self.hospital.budget),
                           ("ana", self.hospital.own)):
            if spent(rows, who) > limit:
                self.violation(f"{who or 'all'} spent {spent(rows, who)}")

    def check_stored(self, charges):
        """Every cached answer belongs to a charge and equals its answer."""
        seen = {}
        for who, _, answer in self.stored:
            receipt = answer["receipt"]
            if receipt not in charges or charges[receipt]["who"] != who:
                self.violation(f"stored answer without a charge: {receipt}")
            first = self.fresh.get(receipt)
            # the remaining budget changes; the answer does not
            same = json.dumps([answer["rows"], answer["cost"]])
            if first and same != json.dumps([first[2]["rows"],
                                             first[2]["cost"]]):
                self.violation(f"stored answer differs: {receipt}")
            if seen.setdefault(receipt, same) != same:
                self.violation(f"stored answers differ: {receipt}")

    def opens_at_once(self):
        done, took = seconds(self.hospital.query, question(0), "--epsilon",
                             PRICE)
        self.slowest = max(self.slowest, took)
        if done.returncode and not REFUSALS.match(done.stderr):
            self.violation(f"after a kill: {done.stderr}")
        elif took > self.report.at_once:
            # or is the machine slow?
            _, again = seconds(self.hospital.query, question(0), "--epsilon",
                               PRICE)
            if took > 3 * again:
                self.violation(f"opened after {took:.1f} s, then {again:.1f} s")
        if done.returncode == 0:
            answer = json.loads(done.stdout)
            if answer["stored"]:
                self.stored.append(("", done.stdout, answer))
            else:
                self.fresh[answer["receipt"]] = ("", done.stdout, answer)

    def kill_some(self, workers):
        """Kills one process, or all at once, and starts new ones."""
        time.sleep(self.dice.choice([0.01, 0.05, 0.2]) * self.dice.random())
        chosen = (workers if self.dice.random() < 0.1
                  else [self.dice.choice(workers)])
        for worker in chosen:
            self.killed += worker.kill()
        for worker in chosen:
            self.collect(worker)
            kind = "init" if self.dice.random() < 0.1 else None
            workers[workers.index(worker)] = Worker(self.hospital, self.dice,
                                                    kind)

    def leftovers(self):
        """After one more import nothing is left of the killed ones."""
        done = self.hospital.init()
        if done.returncode:
            self.violation(f"last init: {done.stderr}")
        left = os.listdir(self.hospital.store / "tmp")
        if left:
            self.violation(f"left in tmp: {left}")
        versions = os.listdir(self.hospital.store / "data")
        if len(versions) > 2 or not all(re.fullmatch(r"\d+\.duckdb", name)
                                        for name in versions):
            self.violation(f"left in data: {versions}")

    def go(self):
        done = self.hospital.init()
        if done.returncode:
            raise AssertionError(done.stderr)
        workers = [Worker(self.hospital, self.dice) for _ in range(WORKERS)]
        checked = 0
        while self.killed < self.kills:
            self.kill_some(workers)
            if self.killed - checked >= CHECK_EVERY:
                checked = self.killed
                self.opens_at_once()
                self.check()
        for worker in workers:
            worker.kill()
            self.collect(worker)
        self.opens_at_once()
        self.check()
        self.leftovers()
        self.check()
        self.report.add(self)
        self.hospital.remove()


class Report:
    """Sums over all stores."""

    def __init__(self, at_once):
        self.violations = []
        self.at_once = at_once
        self.kills = self.answers = self.stored = self.charges = 0
        self.torn = self.refused = self.imports = self.imports_killed = 0
        self.slowest = 0.0

    def add(self, one):
        self.kills += one.killed
        self.answers += len(one.fresh)
        self.stored += len(one.stored)
        self.charges += sum(row["what"] == "charge"
                            for row in one.hospital.rows())
        self.torn += one.n_torn
        self.refused += one.refused
        self.imports += one.imports[0]
        self.imports_killed += one.imports[-signal.SIGKILL]
        self.slowest = max(self.slowest, one.slowest)

    def __str__(self):
        return (f"{self.kills} kills; {self.answers} answers of "
                f"{self.charges} charges, {self.stored} given again, "
                f"{self.torn} torn, {self.refused} refused for want of "
                f"budget; {self.imports_killed} imports killed, "
                f"{self.imports} done; opened in {self.slowest:.2f} s at most; "
                f"{len(self.violations)} violations")


def crash(kills, seed, at_once=AT_ONCE):
    """Does this many kills, on as many stores as they need."""
    report = Report(at_once)
    while report.kills < kills:
        Run(seed + report.kills, min(KILLS_PER_STORE, kills - report.kills),
            report).go()
    return report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=None)
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.getrandbits(32)
    if run("--version").returncode:
        sys.exit("crash: no custos; set CUSTOS to its path")
    print(f"seed {seed}", flush=True)
    report = crash(given.kills, seed)
    print(report)
    print(f"bench: crash_violations {len(report.violations)}")
    sys.exit(bool(report.violations))


if __name__ == "__main__":
    main()
