"""`custos release --ranges`: numbers and times that are counted finely, cut where the rows
are, and answered from running sums."""
import csv
import json
import pathlib
import random
import statistics
import tempfile
import unittest

from command import CommandCase, lines

POLICY = """\
custos: 2
adjacency: add-remove
budget: {epsilon: 1000, delta: 1e-4, n: 1000}
query: {epsilon: 1, delta: 1e-9, max_rho: 100}
tables:
  people:
    source: people.csv
    unit: id
    rows_per_unit: 1
    constraints: ["pension <= 4000", "height % 10 = 0"]
    columns:
      id: {type: integer, nullable: false}
      city: {type: text, values: [Oslo, Lima], nullable: false}
      pay: {type: decimal, scale: 2, range: [0, 999999.99]}
      weight: {type: real, range: [0, 256], nullable: false}
      height: {type: integer, range: [0, 2000], nullable: false}
      since: {type: date, range: [2000-01-01, 2025-12-31], nullable: false}
      pension: {type: integer, range: [0, 5000], nullable: false}
"""
PEOPLE = 5000


def make_people(folder):
    """Half earn a round 50,000; of the others most earn little."""
    made = random.Random(3)
    people = []
    for i in range(PEOPLE):
        pay = made.choice(["", "50000.00", "50000.00", "50000.00",
                           f"{min(999999, made.expovariate(1 / 30000)):.2f}"])
        people.append([i, made.choice(["Oslo", "Lima"]), pay, made.uniform(40, 120),
                       f"{made.randrange(2010, 2026)}-0{made.randint(1, 9)}-15",
                       made.randrange(4000), 10 * made.randrange(200)])
    with open(folder / "people.csv", "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow("id,city,pay,weight,since,pension,height".split(","))
        rows.writerows(people)
    return people


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


class Ranges(CommandCase):
    @classmethod
    def setUpClass(cls):
        cls.tmp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.tmp.cleanup)
        cls.folder = pathlib.Path(cls.tmp.name)
        cls.store = str(cls.folder / "store")
        cls.people = make_people(cls.folder)
        (cls.folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
        lines("init", str(cls.folder / "policy.yaml"), "--store", cls.store)

    def words(self, out, *more):
        return ["release", "--store", self.store, "--table", "people", "--rho", "2",
                "--columns", "city,pay,weight,since", "--out", str(self.folder / out), *more]

    def ask(self, out, sql):
        got = lines("synopsis", "query", str(self.folder / out / "synopsis.custos"), sql,
                    "--format", "csv")
        return next(csv.DictReader(got))

    def test_ranges_and_quantiles_are_near(self):
        """At this price a range deviates by at most 8 rows, and a part of a fine code has about 20:
        without --ranges, half of all rows would be somewhere in the first run. What is allowed
        is more than five deviations away, so a test fails less than once in 10^5 runs."""
        lines(*self.words("near", "--ranges", "pay, weight,since", "--method", "mst"))
        pays = [float(p[2]) for p in self.people if p[2]]
        for low, high in [(0, 9999), (10000, 49000), (30000, 60000), (100000, 999999)]:
            exact = sum(low <= x <= high for x in pays)
            got = self.ask("near", f"SELECT count(*) AS n FROM people WHERE pay >= {low} "
                                   f"AND pay <= {high}")
            self.assertLess(abs(float(got["n"]) - exact), 60, (low, high))
            self.assertLessEqual(float(got["n_low"]) - 30, exact)
            self.assertGreaterEqual(float(got["n_high"]) + 30, exact)
            self.assertLess(float(got["n_high"]) - float(got["n_low"]), 120)
        got = self.ask("near", "SELECT median(pay) AS m, count(*) AS n FROM people "
                               "WHERE pay IS NOT NULL")
        self.assertLess(abs(float(got["m"]) - statistics.median(pays)), 1000)
        self.assertLess(abs(float(got["n"]) - len(pays)), 60)
        got = self.ask("near", "SELECT count(*) AS n FROM people WHERE pay IS NULL")
        self.assertLess(abs(float(got["n"]) - (PEOPLE - len(pays))), 60)
        got = self.ask("near", "SELECT count(*) AS n FROM people WHERE since < DATE '2015-01-01'")
        self.assertLess(abs(float(got["n"]) - sum(p[4] < "2015" for p in self.people)), 60)

    def test_the_price_can_be_computed_again(self):
        """Of a release with running sums, too: info's command, and the report."""
        charge = ("--epsilon", "0.7", "--delta", "1e-9")
        words = self.words("price", "--ranges", "pay,since", "--method", "tables")
        words[words.index("--rho"):words.index("--rho") + 2] = charge
        lines(*words)
        said = "\n".join(lines("synopsis", "info",
                               str(self.folder / "price" / "synopsis.custos")))
        self.assertEqual(said.count("(running sums, before the others)"), 2)
        self.assertIn("running-sums", said)
        command = said.split("row zCDP)")[1].replace("\\\n", " ").split()
        rows = json.loads("\n".join(lines(*command[1:], "--json")))["rows"]
        again = [float(row["epsilon"]) for row in rows if row["name"].startswith("zCDP")]
        self.assertEqual(len(again), 1)
        self.assertLess(again[0], 0.7001)
        self.assertGreater(again[0], 0.6999)
        report = json.loads((self.folder / "price" / "report.json").read_text("utf-8"))
        self.assertEqual([m["kind"] for m in report["measurements"]].count("running sums"), 2)

    def test_columns_are_cut_where_rows_are(self):
        """The heap at 50,000 is a run of its own, and nothing lies outside the domain."""
        lines(*self.words("cut", "--ranges", "pay"))
        table = next((self.folder / "cut" / "tables").glob("*-city-pay.csv"))
        runs = {(r["pay_from"], r["pay_to"]) for r in rows_of(table)}
        heap = [(a, b) for a, b in runs if a and float(a) <= 50000 <= float(b)]
        self.assertEqual(len(heap), 1)
        self.assertLess(float(heap[0][1]) - float(heap[0][0]), 10000)
        pays = [row["pay"] for row in rows_of(self.folder / "cut" / "synthetic.csv")]
        self.assertTrue(all(p == "" or 0 <= float(p) <= 999999.99 for p in pays))
        self.assertGreater(sum(p == "" for p in pays), PEOPLE / 8)
        near = sum(p != "" and float(heap[0][0]) <= float(p) <= float(heap[0][1]) for p in pays)
        self.assertLess(abs(near / len(pays) - sum(
            p[2] == "50000.00" for p in self.people) / PEOPLE), 0.1)

    def test_rows_and_groups_are_where_the_sums_say(self):
        """The last run of a skewed column is wide, and nearly all of its rows are at its
        beginning: spread evenly, they would make the mean 30 % too large. The noise of some
        ten rows, at the far end of the range, moves it by 6 %."""
        words = self.words("skewed", "--ranges", "pay", "--method", "mst")
        lines(*words)
        pays = [float(p[2]) for p in self.people if p[2]]
        mean = sum(pays) / len(pays)
        rows = [float(r["pay"]) for r in rows_of(self.folder / "skewed" / "synthetic.csv")
                if r["pay"]]
        self.assertLess(abs(sum(rows) / len(rows) / mean - 1), 0.2)
        nines = [statistics.quantiles(x, n=10)[-1] for x in (rows, pays)]
        self.assertLess(abs(nines[0] / nines[1] - 1), 0.1)
        got = self.ask("skewed", "SELECT avg(pay) AS a FROM people WHERE city IN ('Oslo', 'Lima')")
        self.assertLess(abs(float(got["a"]) / mean - 1), 0.2)
        got = self.ask("skewed", "SELECT count(*) AS n FROM people "
                                 "WHERE city IN ('Oslo', 'Lima') AND pay > 150000")
        self.assertLess(abs(float(got["n"]) - sum(p > 150000 for p in pays)), 60)

    def test_the_same_request_is_stored_and_others_are_not(self):
        first = lines(*self.words("a", "--ranges", "weight"))
        self.assertTrue(any(line.startswith("Receipt") for line in first))
        self.assertIn("The store had this release: no cost.",
                      lines(*self.words("b", "--ranges", "weight")))
        lines(*self.words("two", "--ranges", "weight,pay"))
        self.assertIn("The store had this release: no cost.",
                      lines(*self.words("again", "--ranges", "pay, weight,pay")))
        other = lines(*self.words("c"))
        self.assertTrue(any(line.startswith("Receipt") for line in other))

    def test_what_has_no_range_is_refused_before_the_charge(self):
        before = lines("budget", "--store", self.store)
        for names, words in [("nobody", "no column 'nobody'"),
                             ("city", "city has declared values, and no range"),
                             ("id", "no column 'id'")]:
            self.refused(*self.words("no", "--ranges", names), says=words)
        for column in ("pension", "height"):  # no cell of height is impossible
            words = self.words("no", "--ranges", column)
            words[words.index("city,pay,weight,since")] = f"city,{column}"
            self.refused(*words, says=f"constraint of the policy is about {column}")
        self.assertEqual(before, lines("budget", "--store", self.store))
        self.assertFalse((self.folder / "no").exists())


if __name__ == "__main__":
    unittest.main()
