"""`custos release` from outside: what it costs, what it refuses, what it leaves behind,
and that the rows it makes load where the original loads."""
import csv
import filecmp
import html
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
  odd:
    source: stays.csv
    unit: id
    rows_per_unit: 3
    columns:
      id: {type: integer}
      ward: {type: text, values: [a, b, c, "d\\u009b[2J"]}
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

    def test_consistent_tables_are_free_whenever_they_are_asked_for(self):
        for method in ("tables", "mst"):
            with self.subTest(method=method):
                words = ("--method", method, "--columns", "city,age,smoker")
                price = ("--rho", "0.003")
                first, said = self.release(*words, "--consistent", table="people",
                                           price=price)
                self.assertEqual(said[1], "Cost: rho 0.003. The common budget counts in rho alone "
                                          "from now on.")
                before = self.ledger()
                plain, said = self.release(*words, table="people", price=price)
                self.assertIn("no cost", said[1])
                again, said = self.release(*words, "--consistent", table="people",
                                           price=price)
                self.assertIn("no cost", said[1])
                self.assertEqual(self.ledger(), before)
                self.assertEqual(files(first), files(again))
                self.assertEqual(
                    files(plain), [f for f in files(first) if "consistent/" not in f])
                for name in files(first):
                    self.assertTrue(filecmp.cmp(first / name, again / name, False))
                self.check_consistent(first, method == "tables")

    def check_consistent(self, folder, negative):
        """No cell is negative, even if unbiased ones are; tables agree on smokers."""
        def cells(kind, name):
            with open(folder / kind / name, encoding="utf-8") as file:
                return list(csv.DictReader(file))

        smokers = []
        for name in ("2-city-smoker.csv", "3-age-smoker.csv"):
            if negative and "age" in name:
                self.assertLess(min(float(row["estimate"])
                                    for row in cells("tables", name)), 0)
            rows = cells("consistent", name)
            self.assertEqual(len(rows), len(cells("tables", name)))
            for row in rows:
                self.assertGreaterEqual(float(row["estimate"]), 0)
                self.assertEqual(row["standard_error"], "")
            smokers.append(sum(float(row["estimate"]) for row in rows
                               if row["smoker"] == "true"))
        self.assertAlmostEqual(smokers[0], smokers[1], delta=0.001)

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

    def test_the_price_can_be_computed_again(self):
        """The command that info shows adds up to the price, whatever was measured."""
        for method in ("aim", "mst", "tables"):
            for columns in ("ward,nights", "ward"):
                out, _ = self.release("--method", method, "--columns", columns,
                                      price=("--epsilon", "0.7", "--delta", "1e-9"))
                said = "\n".join(lines("synopsis", "info",
                                       str(out / "synopsis.custos")))
                command = said.split("row zCDP)")[1].replace("\\\n", " ").split()
                self.assertEqual(command[:3], ["custos", "account", "compose"])
                rows = json.loads("\n".join(lines(*command[1:], "--json")))
                with self.subTest(method=method, columns=columns, rows=rows):
                    again = [float(row["epsilon"]) for row in rows["rows"]
                             if row["name"].startswith("zCDP")]
                    self.assertEqual(len(again), 1)
                    self.assertLess(again[0], 0.7001)
                    self.assertGreater(again[0], 0.69)

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
        self.refused(*self.words("--out", out, table="odd"),
                     says="a declared value of column ward has a control character")
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

    def check_theorems(self, out, charge, method):
        """Those of the method, in the ledger and in the synopsis."""
        names = ["residual-marginals"] if method == "tables" else [
            "marginal-price", "selection-price"]
        for name in ("residual-marginals", "marginal-price", "selection-price"):
            self.assertEqual(name in charge["theorems"], name in names, name)
        self.assertIn(charge["theorems"].encode(),
                      (out / "synopsis.custos").read_bytes())

    def test_the_steps_cost_what_was_charged_and_no_more(self):
        for method in (("aim",), ("mst",), ("tables",), ("aim", "--columns", "ward"),
                       ("mst", "--columns", "ward")):
            for price in (("--epsilon", "0.3", "--delta", "1e-8"), ("--rho", "0.11")):
                with self.subTest(method=method, price=price):
                    out, _ = self.release("--method", *method, price=price)
                    delta, steps = self.recompute(out)
                    charge = self.charges()[-1]
                    self.check_theorems(out, charge, method[0])
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


# A policy takes no reals as keys.
KEYS = {"boolean": ["true", "false"], "integer": ["5", "6"], "decimal": ["1.50", "2.25"],
        "text": ["a", "b, c"], "date": ["2020-02-29", "2021-01-01"],
        "timestamp": ["2020-02-29 01:02:03", "2021-01-01 00:00:00"]}

FITTING = """\
custos: 2
adjacency: add-remove
budget: {epsilon: 1000, delta: 1e-4, n: 1000}
query: {epsilon: 1, delta: 1e-9}
tables:
  "My Table, # 1":
    source: odd.csv
    unit: id
    rows_per_unit: 1
    columns:
      id: {type: integer, nullable: false}
      "a,b": {type: text, values: ["", x, "y#z"], nullable: false}
      'say "a"': {type: boolean}
      age: {type: integer, range: [0, 400]}
      age_from: {type: integer, range: [0, 1]}
      estimate: {type: integer, range: [0, 1]}
  pay:
    source: pay.csv
    unit: id
    rows_per_unit: 1
    columns:
      id: {type: integer, nullable: false}
      city: {type: text, values: [Oslo, Rome], nullable: false}
      pay: {type: decimal, scale: 2, range: [0, 1000]}
      low: {type: integer, range: [0, 999], nullable: false}
      high: {type: integer, range: [0, 999], nullable: false}
    constraints:
      - city <> 'Rome' OR pay < 485
      - low <= high
""" + "".join(f"""\
  by_{kind}:
    source: by_{kind}.csv
    unit: id
    rows_per_unit: 1
    columns:
      id: {{type: integer, nullable: false}}
      k: {{type: {kind}{", scale: 2" if kind == "decimal" else ""}, nullable: false}}
      v: {{type: integer, range: [0, 9], nullable: false}}
  of_{kind}:
    source: of_{kind}.csv
    unit: id
    rows_per_unit: 1
    columns:
      id: {{type: integer, nullable: false}}
      k: {{type: {kind}{", scale: 2" if kind == "decimal" else ""}, references: by_{kind}.k}}
      v: {{type: integer, range: [0, 9], nullable: false}}
""" for kind in KEYS) + """\
views:
  twins: {sql: 'SELECT city, low AS "Low", high AS low FROM pay'}
"""


class Fitting(CommandCase):
    """What is released fits the policy, whatever its names, keys and constraints."""

    @classmethod
    def make(cls, folder, seed):
        """A store of data that depend on the seed."""
        made = random.Random(seed)
        folder.mkdir()
        tables = {
            "odd": ["id,\"a,b\",\"say \"\"a\"\"\",age,age_from,estimate"] +
                   [f'{i},{made.choice([chr(34) * 2, "x", "y#z"])},true,'
                    f"{made.randrange(400)},1,{made.randrange(2)}" for i in range(200)],
            "pay": ["id,city,pay,low,high"] +
                   [f"{i},{made.choice(['Oslo', 'Rome'])},{made.randint(440, 530)},"
                    f"{made.randrange(999)},{made.randrange(999)}" for i in range(400)]}
        for kind, values in KEYS.items():
            texts = [f'"{value}"' for value in values]
            tables[f"by_{kind}"] = ["id,k,v"] + [
                f"{i},{text},{made.randrange(9)}" for i, text in enumerate(texts)]
            tables[f"of_{kind}"] = [*tables[f"by_{kind}"], "9,,3"]
        for name, rows in tables.items():
            (folder / f"{name}.csv").write_text("\n".join(rows) + "\n")
        (folder / "policy.yaml").write_text(FITTING)
        lines("init", str(folder / "policy.yaml"), "--store", str(folder / "store"))

    @classmethod
    def setUpClass(cls):
        cls.tmp = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.tmp.cleanup)
        cls.folder = pathlib.Path(cls.tmp.name)
        cls.make(cls.folder / "one", 1)

    def words(self, table, *more, store="one", method="mst", rho="5"):
        return ["release", "--store", str(self.folder / store / "store"), "--table",
                table, "--rho", rho, "--method", method, *more]

    def release(self, table, *more, rows=500, **which):
        out = self.folder / f"{table}-{len(list(self.folder.iterdir()))}"
        lines(*self.words(table, "--rows", str(rows), "--out", str(out), *more, **which))
        return out

    def load(self, out, table, *checks, options="HEADER"):
        """The rows of both files, in DuckDB, fit schema.sql."""
        name = '"' + table.replace('"', '""') + '"'
        duckdb(":memory:", (out / "schema.sql").read_text(),
               f"COPY {name} FROM '{out}/synthetic.csv' ({options})",
               f"INSERT INTO {name} FROM '{out}/synthetic.parquet'",
               *[f"SELECT CASE WHEN ({sql}) THEN 1 ELSE error('no') END FROM {name}"
                 for sql in ("count(*) = 1000", *checks)])

    def test_keys_of_every_type(self):
        for kind, values in KEYS.items():
            for table in (f"by_{kind}", f"of_{kind}"):
                with self.subTest(table=table):
                    out = self.release(table)
                    distinct = 2 if kind == "boolean" else 500
                    if table == "of_boolean": # a category
                        self.load(out, table)
                        continue
                    self.load(out, table, f"count(DISTINCT k) = {distinct}",
                              "count(DISTINCT id) = 500")
                    self.assertNotIn(",,", (out / "synthetic.csv").read_text())
                    # The original's rows, NULLs included, fit as well.
                    duckdb(":memory:", (out / "schema.sql").read_text(),
                           f"COPY {table} FROM '{self.folder}/one/{table}.csv' (HEADER)")

    def test_postgresql_loads_keys(self):
        with Postgres() as server:
            for kind in KEYS:
                out = self.release(f"by_{kind}", rho="6")
                server.ask(stdin=(out / "schema.sql").read_text())
                server.ask(f"\\copy by_{kind} FROM STDIN (FORMAT csv, HEADER)",
                           stdin=(out / "synthetic.csv").read_text())
                self.assertEqual(server.ask(f"SELECT count(*) FROM by_{kind}"), ["500"])

    def test_no_row_fails_a_constraint(self):
        for method in ("mst", "aim"):
            out = self.release("pay", method=method, rows=20000)
            with open(out / "synthetic.csv", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            near = [r for r in rows if r["city"] == "Rome" and r["pay"] and
                    470 < float(r["pay"]) < 485]
            self.assertEqual(len(rows), 20000)
            self.assertGreater(len(near), 50)
            for r in rows:
                self.assertTrue(r["city"] != "Rome" or not r["pay"] or
                                float(r["pay"]) < 485, r)
                self.assertLessEqual(int(r["low"]), int(r["high"]))
            close = sum(int(r["high"]) - int(r["low"]) < 8 for r in rows)
            self.assertGreater(close, 50)

    def test_names_that_differ_in_case_are_refused(self):
        before = lines("ledger", "--store", str(self.folder / "one/store"))
        self.refused(*self.words("twins", "--out", str(self.folder / "no")),
                     says="columns Low and low of twins differ in nothing but case")
        self.assertEqual(lines("ledger", "--store", str(self.folder / "one/store")),
                         before)

    def test_odd_names_and_empty_texts(self):
        workload = self.folder / "workload"
        workload.write_text('"a,b",age # two\n"say ""a"""\nage, age_from, estimate\n')
        out = self.release("My Table, # 1", "--columns",
                           '"a,b", "say ""a""",id,age,age_from,estimate',
                           "--workload", str(workload))
        # In DuckDB "" is NULL unless it is told otherwise; PostgreSQL knows them apart.
        self.load(out, "My Table, # 1", """count(*) FILTER ("a,b" = '') > 100""",
                  options="HEADER, ALLOW_QUOTED_NULLS false")
        with self.assertRaises(AssertionError):
            self.load(out, "My Table, # 1")
        with open(out / "tables/3-age-age_from-estimate.csv", encoding="utf-8") as file:
            self.assertEqual(file.readline(), "age_from,age_to,age_from_,estimate,"
                                              "estimate_,standard_error\n")
        self.assertTrue((out / "tables/1-a_b-age.parquet").exists())
        with Postgres() as server:
            server.ask(stdin=(out / "schema.sql").read_text())
            page = html.unescape((out / "report.html").read_text())
            copy = re.search(r"psql -f schema.sql -c ('.*HEADER')", page).group(1)
            server.ask(shlex.split(copy)[0].replace("synthetic.csv", "STDIN"),
                       stdin=(out / "synthetic.csv").read_text())
            self.assertEqual(server.ask('SELECT count(*) FROM "My Table, # 1"'), ["500"])
        query = re.search(r"custos (synopsis query .*?)</pre>", page).group(1)
        words = [str(out / word) if word == "synopsis.custos" else word
                 for word in shlex.split(query)]
        self.assertIn("count", lines(*words)[0])

    def test_the_domain_is_never_read_from_the_data(self):
        """Other data under the same policy have the same forecast and schema."""
        self.make(self.folder / "two", 2)
        for table in ("pay", "My Table, # 1", "of_date"):
            said = [lines(*self.words(table, "--dry-run", store=store))
                    for store in ("one", "two")]
            self.assertEqual(said[0], said[1])
            made = [self.release(table, rho="7", store=store)
                    for store in ("one", "two")]
            self.assertEqual(*[(out / "schema.sql").read_bytes() for out in made])


if __name__ == "__main__":
    unittest.main()
