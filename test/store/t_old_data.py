"""A store made with an earlier custos and DuckDB keeps its ledger. Queries fail
with a message that its data must be imported again; after that it answers.
made-by-duckdb-*.tar.gz hold such stores, one for each version that was pinned,
with the sources they were made from; doc/decisions/duckdb-version.md says how
to make one.
"""
import json
import os
import pathlib
import sys
import tarfile
import tempfile
import unittest

SRC = pathlib.Path(os.environ.get("SRC", "."))
sys.path.insert(0, str(SRC / "test/cli"))

from command import lines, run  # noqa: E402

STORES = sorted((SRC / "test/store").glob("made-by-duckdb-*.tar.gz"))

# At this price counts are exact, and a sum over at most 3 rows a person of up to
# 20,000 each is within 150, except in one run in 10^21.
EPSILON = "20000"

PEOPLE = [(i, 20 + i, ("Lisbon", "Rome", "Turin", None)[i % 4], i % 3 == 0,
           f"n{i % 5}") for i in range(40)]
COSTS = [i + 0.25 for i in range(100)]


class OldData(unittest.TestCase):
    def unpacked(self, archive):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with tarfile.open(archive) as tar:
            tar.extractall(folder.name)
        return pathlib.Path(folder.name)

    def rows(self, store, sql):
        text = "\n".join(lines("query", "--store", str(store), "--format",
                               "json", "--epsilon", EPSILON, sql))
        return [[cell["value"] for cell in row]
                for row in json.loads(text)["rows"]]

    def asked(self, store):
        """Every type of column, groups, a join and a public table."""
        self.assertEqual(self.rows(store, "SELECT count(*) FROM people"),
                         [["40"]])
        self.assertEqual(
            self.rows(store, "SELECT city, count(*), sum(age) FROM people "
                             "GROUP BY city"),
            [[city, "10", str(sum(p[1] for p in PEOPLE if p[2] == city))]
             for city in ("Lisbon", "Rome", "Turin", None)])
        self.assertEqual(
            self.rows(store, "SELECT count(*) FROM people WHERE smoker AND "
                             "note = 'n0'"),
            [[str(sum(p[3] and p[4] == "n0" for p in PEOPLE))]])
        self.assertEqual(
            self.rows(store, "SELECT count(*) FROM visits WHERE day < DATE "
                             "'2024-03-01'"),
            [[str(sum(i % 12 < 2 for i in range(100)))]])
        self.assertEqual(
            self.rows(store, "SELECT count(*) FROM visits WHERE "
                             "extract(hour FROM seen) = 3"),
            [[str(sum(i % 24 == 3 for i in range(100)))]])
        self.assertEqual(
            self.rows(store, "SELECT count(*) FROM visits WHERE heat > 36.75"),
            [["50"]])
        (cost,), = self.rows(store, "SELECT sum(cost) FROM visits")
        self.assertAlmostEqual(float(cost), sum(COSTS), delta=150)
        self.assertEqual(
            self.rows(store, "SELECT p.city, count(*) FROM people p JOIN "
                             "visits v ON v.person = p.id GROUP BY p.city"),
            [[city, "25"] for city in ("Lisbon", "Rome", "Turin", None)])
        self.assertEqual(
            self.rows(store, "SELECT name, beds FROM towns ORDER BY name"),
            [["Lisbon", "10"], ["Rome", "20"], ["Turin", "30"]])

    def test_there_is_one(self):
        self.assertTrue(STORES)

    def test_asks_to_be_imported_again(self):
        for archive in STORES:
            with self.subTest(archive=archive.name):
                store = self.unpacked(archive) / "store"
                done = run("query", "--store", str(store), "--epsilon", "1",
                           "SELECT count(*) FROM people")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("imported by an older custos\nhint: import it again "
                              "with custos init", done.stderr.decode())
                self.assertIn("whole", lines("ledger", "verify", "--store",
                                             str(store))[0])

    def test_is_imported_again(self):
        for archive in STORES:
            with self.subTest(archive=archive.name):
                folder = self.unpacked(archive)
                said = lines("init", str(folder / "policy.yaml"), "--store",
                             str(folder / "store"))
                self.assertIn("data version 2", said[0])
                self.asked(folder / "store")
                self.assertIn("whole", lines("ledger", "verify", "--store",
                                             str(folder / "store"))[0])


if __name__ == "__main__":
    unittest.main()
