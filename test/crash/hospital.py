"""A small store for the crash and reliability tests, and how they read it.
"""
import json
import os
import subprocess
import tempfile
import time
from fractions import Fraction
from pathlib import Path

CUSTOS = os.environ.get("CUSTOS", "build/custos")

POLICY = """custos: 1
budget: {{epsilon: {budget}}}
query: {{epsilon: 0.01, min_epsilon: 0, min_rho: 0}}
tables:
  people:
    source: people.csv
    unit: id
    max_rows: 10000
    columns:
      id: {{type: integer, nullable: false}}
      age: {{type: integer, range: [0, 100], nullable: false}}
      city: {{type: text, values: [Oslo, Rome]}}
analysts:
  ana: {{budget: {{epsilon: {own}}}}}
  bob: {{}}
"""


def run(*args, timeout=60, **more):
    """Runs custos to its end; its output as text."""
    return subprocess.run([CUSTOS, *args], check=False, timeout=timeout,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **more)


class Hospital:
    """A folder with a policy, its data and, after init, a store."""

    def __init__(self, budget="1", own="0.5", people=500):
        self.budget, self.own = Fraction(budget), Fraction(own)
        self.folder = Path(tempfile.mkdtemp(prefix="custos-crash."))
        self.policy = self.folder / "policy.yaml"
        self.store = self.folder / "store"
        self.write_policy(budget, own)
        self.write_people(people)

    def write_policy(self, budget, own, more=""):
        self.policy.write_text(POLICY.format(budget=budget, own=own) + more)

    def write_people(self, people):
        with open(self.folder / "people.csv", "w", encoding="ascii") as out:
            out.write("id,age,city\n")
            for i in range(people):
                out.write(f"{i},{i * 7 % 101},{('Oslo', 'Rome', '')[i % 3]}\n")

    def init(self, **more):
        return run("init", str(self.policy), "--store", str(self.store), **more)

    def query(self, sql, *args, **more):
        return run("query", "--store", str(self.store), "--format", "json",
                   *args, sql, **more)

    def rows(self):
        """The rows of the ledger; the owner's name is empty."""
        done = run("ledger", "--store", str(self.store), "--json")
        if done.returncode:
            raise AssertionError(done.stderr)
        return [{**row, "who": row["who"] or ""}
                for row in json.loads(done.stdout)["rows"]]

    def verify(self, *args):
        return run("ledger", "verify", "--store", str(self.store), *args)

    def remove(self):
        subprocess.run(["rm", "-rf", str(self.folder)], check=True)


def spent(rows, who=None):
    """The exact sum of epsilon, for all analysts or for one."""
    return sum((Fraction(row["epsilon"]) for row in rows
                if row["what"] == "charge" and who in (None, row["who"])),
               Fraction(0))


def seconds(function, *args):
    """What a call returns, and how long it took."""
    start = time.monotonic()
    done = function(*args)
    return done, time.monotonic() - start
