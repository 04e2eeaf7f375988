"""`custos release` from outside: what it costs, what it refuses, what it leaves behind,
and that the rows it makes load where the original loads."""
import csv
import filecmp
import json
import os
import pathlib
import pty
import random
import re
import shlex
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from command import CUSTOS, CommandCase, lines, run
from duck import duckdb
from postgres import Postgres
from serving import Server, call

POLICY = """\
custos: 2
adjacency: add-remove
budget: {epsilon: 1000, delta: 1e-4, n: 1000}
query: {epsilon: 1, delta: 1e-9, max_rho: 1e6, min_epsilon: 0, min_rho: 0}
tables:
  people:
    source: people.csv
    unit: id
    columns:
      id: {type: integer, nullable: false}
      city: {type: text, values: [Oslo, "New York, N.Y.", "l'Aquila \\"centro\\"", Köln]}
      age: {type: integer, range: [0, 119], nullable: false}
      smoker: {type: boolean}
      weight: {type: real, range: [0, 256]}
      pay: {type: decimal, scale: 2, range: [0, 9999.99]}
      since: {type: date, range: [2020-02-29, 2025-12-31]}
      came: {type: timestamp, range: ["2024-01-01 00:00:00", "2024-12-31 23:59:59"], nullable: false}
      note: {type: text}
  stays:
    source: stays.csv
    unit: id
    rows_per_unit: 3
    columns:
      id: {type: integer, references: people.id}
      ward: {type: text, values: [a, b, c], nullable: false}
      nights: {type: integer, range: [0, 9], nullable: false}
"""
CITIES = ["Oslo", "New York, N.Y.", "l'Aquila \"centro\"", "Köln"]
COLUMNS = "id,city,age,smoker,weight,pay,since,came"
PEOPLE = 600

# Every value of the public domain, as both engines write it. NULLs are unknown and pass.
DOMAIN = """city IN ('Oslo', 'New York, N.Y.', 'l''Aquila "centro"', 'Köln')
    AND age BETWEEN 0 AND 119 AND weight BETWEEN 0 AND 256
    AND pay BETWEEN 0 AND 9999.99 AND since BETWEEN '2020-02-29' AND '2025-12-31'
    AND came BETWEEN '2024-01-01 00:00:00' AND '2024-12-31 23:59:59'"""


def write_people(folder, people=PEOPLE):
    made = random.Random(5)

    def some(value):
        return "" if made.random() < 0.2 else value

    with open(folder / "people.csv", "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow([*COLUMNS.split(","), "note"])
        for i in range(people):
            rows.writerow([
                1000 + i, some(made.choice(CITIES)), made.randrange(120),
                some(made.choice(["true", "false"])), some(made.uniform(0, 256)),
                some(f"{made.randrange(10 ** 6) / 100:.2f}"),
                some(f"202{made.randrange(1, 6)}-0{made.randint(1, 9)}-11"),
                f"2024-0{made.randint(1, 9)}-17 10:30:0{made.randrange(9)}", "x"])
    with open(folder / "stays.csv", "w", encoding="utf-8") as out:
        print("id,ward,nights", file=out)
        for i in range(2 * people):
            print(1000 + i % people, made.choice("abc"), made.randrange(10),
                  sep=",", file=out)


class Releases(CommandCase):
    @classmethod
    def setUpClass(cls):
        cls.tmp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.tmp.cleanup)
        cls.folder = pathlib.Path(cls.tmp.name)
        cls.store = str(cls.folder / "store")
        write_people(cls.folder)
        (cls.folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
        lines("init", str(cls.folder / "policy.yaml"), "--store", cls.store)
        cls.number = 0

    def out(self):
        """A new place for a folder."""
        type(self).number += 1
        return self.folder / f"out{self.number}"

    def words(self, *more, table="stays", price=("--rho", "0.5")):
        return ["release", "--store", self.store, "--table", table, *price, *more]

    def release(self, *more, **which):
        out = self.out()
        return out, lines(*self.words("--out", str(out), *more, **which))

    def ledger(self):
        """All its rows, the newest last."""
        return json.loads("\n".join(lines(
            "ledger", "--store", self.store, "--json")))["rows"]

    def charges(self):
        return [row for row in self.ledger() if row["what"] == "charge"]


def files(folder):
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*")
                  if f.is_file())


class Command(Releases):
    def test_a_dry_run_spends_nothing(self):
        before = self.ledger()
        text = "\n".join(lines(*self.words("--dry-run")))
        for part in ("Columns of stays", "id: identifies", "nights: 10 values",
                     "rho 0.5", "aim, at most", "a model of at most 1 MB",
                     "ward,nights: 30 cells"):
            self.assertIn(part, text)
        self.assertEqual(self.ledger(), before)
        self.assertFalse((self.folder / "store/releases").exists() and
                         any(f.name.endswith(".partial") for f in
                             (self.folder / "store/releases").iterdir()))

    def test_a_dry_run_asks_the_budget(self):
        """What a run would be refused, it is refused as well, with the same words;
        but not what the store has already."""
        price = ("--rho", "1e6")
        dry, real = (run(*self.words(*more, price=price)) for more in (
            ("--dry-run",), ("--out", str(self.out()))))
        self.assertEqual((dry.returncode, dry.stdout), (real.returncode, b""))
        self.assertNotEqual(dry.returncode, 0)
        self.assertIn(b"the common budget (of all analysts) does not suffice",
                      dry.stderr)
        self.assertEqual(dry.stderr, real.stderr)

    def test_a_release_of_all_the_budget_is_there_when_the_budget_is_gone(self):
        store = str(self.folder / "poor")
        policy = (self.folder / "policy.yaml").read_text(encoding="utf-8")
        (self.folder / "poor.yaml").write_text(policy.replace(
            "epsilon: 1000", "epsilon: 1"), encoding="utf-8")
        lines("init", str(self.folder / "poor.yaml"), "--store", store)
        words = ("release", "--store", store, "--table", "stays", "--rho", "0.02")
        lines(*words, "--out", str(self.out()))
        self.assertIn("already paid", "\n".join(lines(*words, "--dry-run")))
        done = run(*words, "--dry-run", "--columns", "ward")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"does not suffice", done.stderr)

    def test_a_second_run_is_free_and_the_same(self):
        first, said = self.release(price=("--epsilon", "0.7", "--delta", "1e-9"))
        self.assertEqual(said[0], str(first))
        self.assertEqual(said[1], "Cost: epsilon 0.7, delta 0.000000001")
        self.assertRegex(said[2], r"^Receipt \d+:[0-9a-f]{64}$")
        before = self.ledger()
        text = "\n".join(lines(*self.words(
            "--dry-run", price=("--epsilon", "0.7", "--delta", "1e-9"))))
        self.assertIn("already paid", text)
        second, said = self.release(price=("--epsilon", "0.7", "--delta", "1e-9"))
        self.assertEqual(said, [str(second),
                                "The store had this release: no cost."])
        self.assertEqual(self.ledger(), before)
        self.assertEqual(files(first), files(second))
        for name in files(first):
            self.assertTrue(filecmp.cmp(first / name, second / name, False), name)

    def test_files(self):
        out, _ = self.release("--rows", "123", price=("--rho", "0.61"))
        tables = [f"tables/{name}.{kind}" for name in (
            "1-ward-nights", "index") for kind in ("csv", "parquet")]
        self.assertEqual(files(out), sorted([
            "report.html", "report.json", "schema.sql", "synopsis.custos",
            "synthetic.csv", "synthetic.parquet", *tables]))
        with open(out / "synthetic.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 123)
        self.assertEqual(list(rows[0]), ["id", "ward", "nights"])

    def test_methods_columns_and_workloads(self):
        workload = self.folder / "workload"
        workload.write_text("# these matter\nage,smoker\ncity\n")
        out, _ = self.release(
            "--columns", "smoker, age, city", "--workload", str(workload),
            "--method", "mst", table="people")
        self.assertEqual([f for f in files(out) if f.endswith(".csv")],
                         ["synthetic.csv", "tables/1-age-smoker.csv",
                          "tables/2-city.csv", "tables/index.csv"])
        info = "\n".join(lines("synopsis", "info", str(out / "synopsis.custos")))
        self.assertIn("method     mst", info)
        text = "\n".join(lines(*self.words(
            "--dry-run", "--columns", COLUMNS, "--workload", "all-3way",
            table="people")))
        self.assertIn("city,age,smoker: 1800 cells", text)
        self.assertIn("a model of at most 80 MB", text)

    def test_refusals(self):
        out = str(self.out())
        before = self.ledger()
        for more, says in (
                (("--rows", "0"), "--rows is a number from 1"),
                (("--rows", "x"), "--rows is a number from 1"),
                (("--rows", "-5"), "--rows is a number from 1"),
                (("--rows", "5x"), "--rows is a number from 1"),
                (("--method", "best"), "there is no method 'best'"),
                (("--columns", "ward,wrd"), "stays has no column 'wrd'"),
                (("--workload", "all-9way"), "all-9way"),
                (("--nonsense",), "--nonsense"),
                (("--epsilon", "1"), "one price"),
                (("--delta", "1e-9"), "no delta")):
            self.refused(*self.words("--out", out, *more), says=says)
        self.refused(*self.words("--out", out, table="people"),
                     says="column note of people has no public domain")
        self.refused(*self.words("--out", out, table="nobody"), says="nobody")
        self.refused(*self.words("--out", out, price=()), says="one price")
        self.refused(*self.words("--out", out, price=("--rho", "x")), says="rho")
        self.refused(*self.words("--out", out, price=("--rho", "1e-19")),
                     says="too small")
        self.refused(*self.words(), says="release needs --out, or --dry-run")
        self.refused("release", "--store", self.store, "--out", out,
                     says="release needs --table")
        self.refused(*self.words("--out", self.store + "/x"),
                     says="is inside the store")
        self.refused(*self.words("--out", str(self.folder)), says="exists already")
        done = run(*self.words("--out", out, price=("--rho", "1e6")))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"does not suffice", done.stderr)
        self.assertEqual(self.ledger(), before)
        self.assertFalse(os.path.exists(out) or os.path.exists(out + ".partial"))

    def test_an_interrupted_run_leaves_its_charge_and_nothing_else(self):
        out = self.out()
        words = self.words("--out", str(out), "--columns", COLUMNS, "--workload",
                           "all-3way", table="people", price=("--rho", "7"))
        before = len(self.charges())
        with subprocess.Popen([CUSTOS, *words], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            limit = time.monotonic() + 60
            while len(self.charges()) == before:
                self.assertLess(time.monotonic(), limit)
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
            self.assertEqual((process.returncode, said), (-signal.SIGINT, b""))
        self.assertFalse(out.exists())
        self.assertEqual(len(self.charges()), before + 1)
        self.assertEqual(run("ledger", "verify", "--store", self.store).returncode, 0)

    def test_progress_is_for_terminals(self):
        """On a terminal, work of more than two seconds shows a bar, which is removed,
        whether or not the output goes there too; elsewhere there is nothing (lines()
        checks it)."""
        for whole, rho in ((False, "5"), (True, "6")):
            with self.subTest(whole=whole):
                text, seconds = self.watch(whole, rho)
                self.assertGreater(seconds, 2)
                self.assertRegex(text, r"\d+ % [█░]{40} .* left")

    def watch(self, whole, rho):
        """What a terminal has shown when a bar has come, and after how long."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminals here: {error}")
        os.set_blocking(ours, False)
        words = self.words("--out", str(self.out()), "--columns", COLUMNS,
                           "--workload", "all-3way", table="people",
                           price=("--rho", rho))
        child = subprocess.Popen([CUSTOS, *words], stderr=theirs,
                                 stdout=theirs if whole else subprocess.DEVNULL)
        os.close(theirs)
        text, began = b"", time.monotonic()
        while child.poll() is None and b" left" not in text:
            time.sleep(0.05)
            try:
                text += os.read(ours, 65536)
            except (BlockingIOError, OSError):
                pass
        seconds = time.monotonic() - began
        child.kill()
        child.wait()
        os.close(ours)
        return text.decode(), seconds


class Price(Releases):
    def recompute(self, out):
        """The epsilon that custos account finds for the steps that the synopsis lists."""
        info = "\n".join(lines("synopsis", "info", str(out / "synopsis.custos")))
        command = info.split("(row zCDP)\n")[1].replace("\\\n", " ")
        words = shlex.split(command)
        self.assertEqual(words[:3], ["custos", "account", "compose"])
        rows = json.loads("\n".join(lines(*words[1:], "--json")))["rows"]
        delta = words[words.index("--delta") + 1]
        return delta, next(float(r["epsilon"]) for r in rows if r["name"] == "zCDP")

    def test_the_steps_cost_what_was_charged_and_no_more(self):
        for method in (("aim",), ("mst",), ("aim", "--columns", "ward"),
                       ("mst", "--columns", "ward")):
            for price in (("--epsilon", "0.3", "--delta", "1e-8"), ("--rho", "0.11")):
                with self.subTest(method=method, price=price):
                    out, _ = self.release("--method", *method, price=price)
                    delta, steps = self.recompute(out)
                    charge = self.charges()[-1]
                    paid = json.loads("\n".join(lines(
                        "account", "convert", "--from", "zcdp", "--amount",
                        charge["rho"], "--to", "approx", "--to-delta", delta,
                        "--json")))["rows"][0]["value"]
                    self.assertLessEqual(steps, float(paid))
                    self.assertLess(float(paid) - steps, 1e-9)


class Report(Releases):
    def test_it_is_for_the_owner_alone(self):
        out, said = self.release(price=("--rho", "0.21"))
        self.assertIn("NOT PRIVATE", said[3])
        page = pathlib.Path(said[4])
        self.assertEqual(page.name, "private-report.html")
        self.assertEqual(page.parent.parent, self.folder / "store/reports")
        for file in page.parent.iterdir():
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        for folder in (page.parent, page.parent.parent):
            self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        text = page.read_text(encoding="utf-8")
        self.assertIn(f"{2 * PEOPLE} true", text)
        self.assertFalse(any("private" in name for name in files(out)))
        for name in files(out):
            self.assertNotIn(b"NOT PRIVATE", (out / name).read_bytes(), name)

    def test_a_copy_goes_where_the_owner_says_but_not_to_what_is_published(self):
        out, copy = self.out(), self.folder / "mine"
        words = self.words("--out", str(out), price=("--rho", "0.22"))
        for inside in (out, out / "r", out / "x" / "r", f"{out}.partial",
                       self.folder / "store" / ".." / out.name / "r"):
            self.refused(*words, "--report", str(inside),
                         says="is inside the folder to publish")
        published, _ = self.release(price=("--rho", "0.24"))
        stored = next((self.folder / "store/releases").iterdir())
        (self.folder / "link").symlink_to(published)
        for inside, says in (
                (self.folder, "exists already"),
                (self.store, "is inside the store"),
                (f"{self.store}/mine", "is inside the store"),
                (f"{self.store}/releases/mine", "is inside the store"),
                (stored / "mine", "is inside the store"),
                (published / "mine", "is inside a folder of a release"),
                (published / "tables/mine", "is inside a folder of a release"),
                (published / "new/mine", "is inside a folder of a release"),
                (self.folder / "link/mine", "is inside a folder of a release")):
            self.refused(*words, "--report", str(inside), says=says)
        self.assertFalse(out.exists())
        said = lines(*words, "--report", str(copy))
        self.assertEqual(said[4], str(copy / "private-report.html"))
        self.assertEqual(stat.S_IMODE(copy.stat().st_mode), 0o700)
        self.assertEqual([stat.S_IMODE(f.stat().st_mode) for f in copy.iterdir()],
                         [0o600, 0o600])
        # Of a stored release too.
        again = self.folder / "mine again"
        lines(*self.words("--out", str(self.out()), "--report", str(again),
                          price=("--rho", "0.22")))
        for name in files(copy):
            self.assertTrue(filecmp.cmp(copy / name, again / name, False))

    def test_no_request_reaches_it(self):
        _, said = self.release(price=("--rho", "0.23"))
        page = pathlib.Path(said[4])
        token = re.search(r"custos_[0-9a-f]{64}", "\n".join(lines(
            "owner", "token", "--store", self.store))).group()
        server = Server(self.store)
        self.addCleanup(server.stop)
        for path in ("/private-report.html", f"/reports/{page.parent.name}/{page.name}",
                     f"/../reports/{page.parent.name}/{page.name}",
                     f"/v1/reports/{page.parent.name}/{page.name}",
                     f"/%2e%2e/reports/{page.parent.name}/{page.name}"):
            reply = call(server.http, "GET", path, token=token)
            self.assertNotIn(b"NOT PRIVATE", reply.bytes)

    def test_nothing_published_has_the_true_number_of_rows(self):
        """There are as many synthetic rows as the noisy tables say."""
        totals = set()
        for k in range(8):
            out, _ = self.release(price=("--rho", f"0.0{k + 1}1"))
            with open(out / "synthetic.csv", encoding="utf-8") as file:
                totals.add(len(file.readlines()) - 1)
        # Deviations of 3 and more: all 8 exact has a chance below 10^-6.
        self.assertNotEqual(totals, {2 * PEOPLE})


class Loading(Releases):
    """Rows of all types, in CSV and Parquet, in both engines."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = cls.folder / "made"
        lines("release", "--store", cls.store, "--table", "people", "--rho", "20",
              "--columns", COLUMNS, "--method", "mst", "--rows", "3000", "--out",
              str(cls.made))
        cls.schema = (cls.made / "schema.sql").read_text(encoding="utf-8")

    def test_schema(self):
        for line in ('"id" bigint NOT NULL,', '"city" text CHECK ("city" IN (',
                     '"age" bigint NOT NULL CHECK ("age" BETWEEN 0 AND 119)',
                     '"smoker" boolean,', '"weight" double precision CHECK',
                     '"pay" numeric(', '"since" date CHECK',
                     '"came" timestamp NOT NULL CHECK'):
            self.assertIn(line, self.schema)

    def test_duckdb(self):
        """By schema.sql, and into a table like the original's file."""
        def true(sql):
            return f"SELECT CASE WHEN ({sql}) THEN 1 ELSE error('no') END"

        made = f"'{self.made}/synthetic"
        load = f"COPY people FROM {made}.csv' (HEADER)"
        same = (f"SELECT count(*) FROM (FROM people EXCEPT ALL FROM {made}.parquet')")
        duckdb(
            ":memory:", self.schema, load,
            true("SELECT count(*) = 3000 FROM people"),
            true(f"SELECT bool_and({DOMAIN}) FROM people"),
            true(f"({same}) = 0"),
            f"CREATE TABLE original AS SELECT {COLUMNS} FROM "
            f"read_csv('{self.folder}/people.csv')",
            f"INSERT INTO original FROM {made}.parquet'",
            *[true(f"SELECT count(*) BETWEEN 300 AND 900 FROM people WHERE "
                   f"{name} IS NULL") for name in
              ("city", "smoker", "weight", "pay", "since")],
            true("SELECT count(DISTINCT id) = 3000 FROM people"))

    def test_duckdb_refuses_what_does_not_fit(self):
        for row in ("1, 'Bergen', 5, NULL, NULL, NULL, NULL, '2024-05-05'",
                    "1, 'Oslo', NULL, NULL, NULL, NULL, NULL, '2024-05-05'",
                    "1, 'Oslo', 120, NULL, NULL, NULL, NULL, '2024-05-05'"):
            with self.assertRaises(AssertionError):
                duckdb(":memory:", self.schema, f"INSERT INTO people VALUES ({row})")

    def test_postgresql(self):
        with Postgres() as server:
            server.ask(stdin=self.schema)
            rows = (self.made / "synthetic.csv").read_text(encoding="utf-8")
            server.ask("\\copy people FROM STDIN (FORMAT csv, HEADER)", stdin=rows)
            self.assertEqual(server.ask(
                f"SELECT count(*), bool_and({DOMAIN}) FROM people"), ["3000|t"])
            self.assertEqual(server.ask(
                "SELECT count(*) FROM people WHERE num_nulls(id, age, came) > 0"),
                ["0"])
            nulls = server.ask("SELECT count(*) - count(city), count(*) - "
                               "count(smoker), count(*) - count(pay) FROM people")
            for n in nulls[0].split("|"):
                self.assertTrue(300 < int(n) < 900, nulls)
            self.assertEqual(server.ask(
                "SELECT string_agg(data_type, ',' ORDER BY ordinal_position) FROM "
                "information_schema.columns WHERE table_name = 'people'"),
                ["bigint,text,bigint,boolean,double precision,numeric,date,"
                 "timestamp without time zone"])
            done = server.psql("INSERT INTO people SELECT 1, 'Bergen', 5, NULL, "
                               "NULL, NULL, NULL, '2024-05-05'")
            self.assertIn("check constraint", done.stderr)


if __name__ == "__main__":
    unittest.main()
