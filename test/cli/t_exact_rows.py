"""A table whose number of rows is public: what init accepts, that its counts are
free and exact, and that its means are those of the data."""
import pathlib
import re
import tempfile
import unittest

from command import run

ROWS = 1000
POLICY = """custos: 2
adjacency: change-one
budget: {{epsilon: 10000, delta: 0}}
query: {{epsilon: 1000}}
tables:
  survey:
    source: {source}
    unit: row
    exact_rows: {rows}
    columns:
      year: {{type: integer, range: [1900, 2000], nullable: false}}
      pay: {{type: decimal, scale: 2, range: [10, 20.5], nullable: false}}
      share: {{type: real, range: [1, 2], nullable: false}}
      child: {{type: integer, range: [0, 9]}}
"""


def year(i):
    return 1900 + (i * 37) % 101


def line(i):
    return f"{year(i)},{10 + i % 10}.25,{1 + (i % 4) / 4},{i % 9 or ''}\n"


class ExactRows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        head = "year,pay,share,child\n"
        all_rows = head + "".join(line(i) for i in range(ROWS))
        (cls.folder / "all.csv").write_text(all_rows)
        (cls.folder / "empty.csv").write_text(
            head + "".join(line(i) for i in range(ROWS - 1)) + ",10,1,1\n")
        cls.store = str(cls.folder / "store")
        cls.init("all.csv", ROWS)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def init(cls, source, rows):
        policy = cls.folder / "policy.yaml"
        policy.write_text(POLICY.format(source=source, rows=rows))
        done = run("init", str(policy), "--store", cls.store)
        return done.returncode, done.stderr.decode()

    def ask(self, sql):
        done = run("query", "--store", self.store, sql)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def numbers(self, sql):
        row = self.ask(sql).splitlines()[1].replace(",", "")
        return [float(x) for x in re.sub(r" ± \S+", "", row).split()]

    def left(self):
        return run("budget", "--store", self.store).stdout

    def test_another_number_is_refused_and_the_data_stay(self):
        code, said = self.init("all.csv", ROWS - 1)
        self.assertEqual(code, 2, said)
        self.assertIn("table survey has 1000 rows, and its exact_rows is 999\n"
                      "hint: if the number of rows is public, correct "
                      "exact_rows; else remove it", said)
        code, said = self.init("empty.csv", ROWS)
        self.assertEqual(code, 2, said)
        self.assertIn("1 of the rows of table survey lack a value in a column "
                      "that is not nullable", said)
        self.assertIn("count\n  1,000\n", self.ask("SELECT count(*) FROM survey"))

    def test_a_count_is_free_and_exact(self):
        before = self.left()
        self.assertEqual(
            self.ask("SELECT count(*), count(year) AS n, 2 * count(*) AS twice "
                     "FROM survey HAVING count(*) > 5 ORDER BY count(*)"),
            "  count      n  twice\n  1,000  1,000  2,000\n")
        self.assertEqual(self.left(), before)

    def test_known_rows_answer_exactly(self):
        years = [year(i) for i in range(ROWS)]
        mean = sum(years) / ROWS
        variance = sum((y - mean) ** 2 for y in years) / ROWS
        got = self.numbers("SELECT avg(year), sum(year), count(*), "
                           "var_pop(year), sum(year) / 1000.0 AS by_hand, "
                           "avg(pay), sum(share) FROM survey")
        want = [mean, sum(years), ROWS, variance, mean, 14.75, 1.375 * ROWS]
        for x, y in zip(got, want, strict=True):
            self.assertAlmostEqual(x / y, 1, delta=2e-3)
        self.assertAlmostEqual(got[1], sum(years), delta=10)
        some = [i % 9 for i in range(ROWS) if i % 9]
        got = self.numbers("SELECT avg(child), count(child), sum(child) "
                           "FROM survey WHERE true")
        self.assertAlmostEqual(got[0], sum(some) / len(some), delta=0.01)
        got = self.numbers("SELECT avg(child), count(child) FROM survey")
        self.assertAlmostEqual(got[0], sum(some) / len(some), delta=0.01)
        self.assertAlmostEqual(got[1], len(some), delta=2)

    def test_explain_says_that_the_number_is_public(self):
        self.assertIn("rows       1000, as the policy states: a public number, "
                      "exact and free",
                      self.ask("EXPLAIN SELECT avg(year) FROM survey"))
        self.assertIn("rows       1000, as the policy states",
                      self.ask("EXPLAIN SELECT count(*) FROM survey"))
        self.assertNotIn("as the policy states",
                         self.ask("EXPLAIN SELECT avg(year) FROM survey WHERE "
                                  "child > 1"))


if __name__ == "__main__":
    unittest.main()
