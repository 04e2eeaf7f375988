"""Dates as keys: the counts of each day, week, month ... agree with Python's.
At epsilon 50 with one row per person, a count is inexact with a probability of
4e-22; there are a few thousand counts.
"""
import collections
import datetime
import json
import pathlib
import random
import subprocess
import tempfile
import unittest

from command import CUSTOS

POLICY = """\
custos: 1
budget: {epsilon: 100000}
query: {epsilon: 50, max_epsilon: 50}
tables:
  stays:
    source: stays.csv
    unit: id
    columns:
      id: {type: integer, nullable: false}
      day: {type: date, range: [1968-12-30, 1971-01-04], nullable: false}
      at: {type: timestamp, range: ["1969-12-20 00:00:00", "1970-01-20 00:00:00"]}
"""

TRUNC = {
    "year": lambda t: t.replace(month=1, day=1),
    "quarter": lambda t: t.replace(month=(t.month - 1) // 3 * 3 + 1, day=1),
    "month": lambda t: t.replace(day=1),
    "week": lambda t: t - datetime.timedelta(days=t.weekday()),
    "day": lambda t: t,
}


def custos(*words):
    return subprocess.run([CUSTOS, *words], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


class Periods(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        made = random.Random(7)
        days = [datetime.date(1968, 12, 30) + datetime.timedelta(days=n)
                for n in range(736)]
        first = datetime.datetime(1969, 12, 20)
        cls.days = [made.choice(days) for _ in range(3000)]
        cls.times = [first + datetime.timedelta(
            seconds=made.randrange(31 * 86400)) for _ in cls.days]
        with open(folder / "stays.csv", "w", encoding="ascii") as out:
            print("id,day,at", file=out)
            for i, (day, time) in enumerate(zip(cls.days, cls.times)):
                print(f"{i},{day},{time if i % 10 else ''}", file=out)
        (folder / "policy.yaml").write_text(POLICY)
        cls.store = str(folder / "store")
        custos("init", str(folder / "policy.yaml"), "--store", cls.store)

    def counts(self, key):
        said = json.loads(custos(
            "query", "--store", self.store, "--format", "json",
            f"SELECT {key} AS k, count(*) AS n FROM stays GROUP BY k"))
        return {str(key["value"]): int(n["value"]) for key, n in said["rows"]
                if n["value"] != "0"}

    def same(self, key, values):
        self.assertEqual(self.counts(key), dict(
            collections.Counter("None" if v is None else str(v)
                                for v in values)))

    def test_of_dates(self):
        self.same("day", self.days)
        self.same("day + 1", [d + datetime.timedelta(days=1)
                              for d in self.days])
        for name, trunc in TRUNC.items():
            self.same(f"date_trunc('{name}', day)", map(trunc, self.days))

    def test_of_times(self):
        for name, trunc in [*TRUNC.items(), ("hour", None)]:
            self.same(f"date_trunc('{name}', at)", [
                None if i % 10 == 0 else
                t.replace(minute=0, second=0) if not trunc else
                datetime.datetime.combine(trunc(t.date()), datetime.time())
                for i, t in enumerate(self.times)])


if __name__ == "__main__":
    unittest.main()
