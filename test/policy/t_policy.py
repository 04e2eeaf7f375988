"""custos policy draft, check, import, migrate: the commands as an owner uses them."""
import os
import pathlib
import subprocess
import sys
import tempfile

SRC = pathlib.Path(os.environ.get("SRC", "."))
sys.path.insert(0, str(SRC / "test/cli"))

import unittest  # noqa: E402

from command import CUSTOS, CommandCase, lines, run  # noqa: E402
from duck import duckdb  # noqa: E402

EXAMPLE = SRC / "examples/hospital/policy.yaml"
METADATA = SRC / "fuzz/corpus/policy/smartnoise.yaml"


UNREAD = ("The sources were not read; custos init checks that they have these "
          "columns.")


def missing(path, table, source):
    """The note about a source that does not exist."""
    return (f"Note: the source of table '{table}' does not exist or is not "
            f"readable here: {path.parent}/{source}")


class Policy(CommandCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def spoilt(self, old, new):
        text = EXAMPLE.read_text()
        self.assertIn(old, text)
        return self.write("policy.yaml", text.replace(old, new, 1))

    def line(self, piece):
        """The number of the example's line that contains this piece."""
        return EXAMPLE.read_text().split(piece)[0].count("\n") + 1

    def test_help(self):
        text = "\n".join(lines("policy", "--help"))
        for verb in ("draft", "check", "import", "migrate"):
            self.assertIn(verb, text)
            self.assertIn(f"custos policy {verb} FILE",
                          "\n".join(lines("policy", verb, "--help")))
        self.assertIn("policy", "\n".join(lines("--help")))
        self.refused("policy", says="needs a verb")
        self.refused("policy", "drfat", says="did you mean draft")
        self.refused("policy", "zzzzz", says="see custos policy")

    # ---- check

    def test_check_of_the_example(self):
        self.assertEqual(
            lines("policy", "check", str(EXAMPLE)),
            [f"{EXAMPLE} can be used: 3 tables, 2 analysts, 0 dangers, "
             "0 remarks.",
             missing(EXAMPLE, "patients", "patients.parquet"),
             missing(EXAMPLE, "visits", "visits.parquet"),
             missing(EXAMPLE, "departments", "departments.csv"), UNREAD])

    def test_check_names_missing_sources(self):
        """Missing sources are no failure: they may be on another machine."""
        path = self.spoilt("source: visits.parquet",
                           f"source: {self.folder}/none.parquet")
        self.write("departments.csv", "")
        told = lines("policy", "check", path)
        self.assertIn(" can be used: ", told[0])
        self.assertEqual(told[1:], [
            missing(pathlib.Path(path), "patients", "patients.parquet"),
            missing(pathlib.Path(path), "visits", "none.parquet"), UNREAD])
        many = self.spoilt("source: visits.parquet", "source: v*.parquet")
        self.assertNotIn("'visits'", "\n".join(lines("policy", "check", many)))
        near = subprocess.run([os.path.abspath(CUSTOS), "policy", "check",
                               "policy.yaml"], cwd=self.folder, check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        self.assertIn("readable here: patients.parquet\n", near)
        self.assertNotIn("departments.csv", near)
        done = run("init", path, "--store", path + ".store")
        self.assertIn("does not exist or is not readable",
                      done.stderr.decode())

    def test_check_tells_dangers(self):
        path = self.spoilt("  epsilon: 1\n", "  epsilon: 20\n")
        done = run("policy", "check", path)
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        text = done.stdout.decode()
        self.assertIn(f"{path}, line {self.line('  epsilon: 1')}: danger: "
                      "epsilon 20 is above 10", text)
        self.assertIn("1 danger, 0 remarks.", text)

    def test_check_gives_advice(self):
        path = self.spoilt(", range: [34, 42]", "")
        text = lines("policy", "check", path)
        self.assertIn(f"line {self.line('temperature')}: column 'temperature' "
                      "has no range", text[0])
        self.assertIn("0 dangers, 1 remark.", text[-5])

    def test_check_refuses(self):
        self.refused("policy", "check", self.spoilt("unit: id", "unti: id"),
                     says=f"policy.yaml, line {self.line('unit: id')}: there is "
                          "no key 'unti' in a table; did you mean unit?")
        self.refused("policy", "check", self.spoilt("delta: 1e-9",
                                                    "delta: 1e-6"),
                     says=f"line {self.line('delta: 1e-9')}: delta is 1/n or "
                          "more")
        self.refused("policy", "check", says="reads one file")
        self.refused("policy", "check", "a", "b", says="reads one file")
        self.refused("policy", "check", str(self.folder / "none"),
                     says="cannot open")
        self.refused("policy", "check", str(self.folder), says="cannot read")
        huge = self.write("huge", " " * (1 << 20) + "\n")
        self.refused("policy", "check", huge, says="larger than")

    def todos(self, path):
        """All questions of a draft are listed, each with its line."""
        done = run("policy", "check", path)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        with open(path, encoding="utf-8") as text:
            want = [i + 1 for i, line in enumerate(text) if ": TODO" in line]
        self.assertEqual(
            [line.split(":")[:3] for line in
             done.stderr.decode().splitlines()],
            [["custos", f" {path}, line {i}", " this TODO is still open; only "
              "the owner of the data knows the answer; the comment beside it "
              "has the question"] for i in want])

    def test_check_lists_all_mistakes(self):
        path = self.write("policy.yaml", """custos: 2
adjacency: remove
budget: {epsilon: -1}
tables:
  a:
    source: a.txt
    unit: nobody
    rows_per_unit: 0
    columns:
      x: {type: number}
      y: {type: integer, range: [3, 1]}
      z: {type: integer}
  b:
    columns: {x: {typ: integer}}
analysts: {ana: {tables: [nothing]}}
""")
        done = run("policy", "check", path)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        text = done.stderr.decode()
        self.assertEqual(
            [line.split(":")[1] for line in text.splitlines()],
            [f" {path}, line {i}" for i in (2, 3, 6, 8, 10, 11, 14)])
        # mistakes that follow from these are reported after these are fixed
        self.assertNotIn("nobody", text)
        self.assertNotIn("nothing", text)

    # ---- import

    def test_import(self):
        text = "\n".join(lines("policy", "import", str(METADATA)))
        self.assertIn("  mytable: # of \"MySchema\"\n", text)
        path = self.folder / "policy.yaml"
        self.assertEqual(lines("policy", "import", str(METADATA),
                               "--output", str(path)), [])
        self.assertEqual(path.read_text(), text + "\n")
        self.todos(str(path))
        self.refused("policy", "import", str(METADATA), "--output", str(path),
                     says="cannot create")
        self.assertEqual(path.read_text(), text + "\n")
        self.refused("policy", "import", self.write("m.yaml", "a: 1\n"),
                     says="m.yaml, line 1: database 'a' must be a map")
        self.refused("policy", "import", says="reads one file")

    # ---- migrate

    def test_migrate(self):
        """A policy of format 1 is read with a remark; its migration has none,
        and all its comments."""
        text = EXAMPLE.read_text()
        old = self.write("old.yaml", text.replace("custos: 2", "custos: 1"))
        line = self.line("custos: 2")
        self.assertIn(f"{old}, line {line}: the file has format 1",
                      lines("policy", "check", old)[0])
        done = run("policy", "migrate", old)
        self.assertEqual((done.returncode, done.stdout.decode(), done.stderr),
                         (0, text, b""))
        new = self.folder / "new.yaml"
        self.assertEqual(lines("policy", "migrate", old, "--output", str(new)),
                         [])
        self.assertEqual(new.read_text(), text)
        self.assertIn("0 dangers, 0 remarks.",
                      lines("policy", "check", str(new))[0])
        self.assertEqual(run("policy", "migrate", str(new)).stdout,
                         new.read_bytes())
        self.refused("policy", "migrate", old, "--output", str(new),
                     says="cannot create")
        later = self.write("later.yaml",
                           text.replace("custos: 2", "custos: 3"))
        for verb in ("migrate", "check"):
            self.refused("policy", verb, later,
                         says=f"line {line}: this custos reads policies of "
                              "formats 1 to 2, not 3")
        self.refused("init", later, "--store", str(self.folder / "store"),
                     says="formats 1 to 2, not 3")
        self.refused("policy", "migrate", says="reads one file")

    # ---- draft

    def test_draft(self):
        secret = "Xylophanes"
        csv = self.write("Visits 2024.csv",
                         f"patient_id,Name,cost\n1,{secret},3.5\n")
        done = run("policy", "draft", csv)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = done.stdout.decode()
        self.assertNotIn(secret, text)
        self.assertIn("\n  visits_2024:\n", text)
        self.assertIn(f"    source: \"{csv}\"\n", text)
        for column in ("patient_id", "\"Name\"", "cost"):
            self.assertIn(f"\n      {column}: {{type: TODO}}", text)
        path = self.write("policy.yaml", text)
        self.todos(path)
        answers = iter(["1", "1e-9", "1000", "patient_id", "5", "integer",
                        "text", "real"])
        while ": TODO" in text:
            text = text.replace(": TODO", ": " + next(answers), 1)
        done = run("policy", "check", self.write("policy.yaml", text))
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_draft_of_parquet_and_duckdb(self):
        store, parquet = self.folder / "h.duckdb", self.folder / "p.parquet"
        duckdb(store, "CREATE TABLE visits (p_id BIGINT, cost DECIMAL(9, 2), "
                      "day DATE, seen TIMESTAMP, ok BOOLEAN, w DOUBLE, "
                      "x BLOB, \"As Is\" VARCHAR)",
               "INSERT INTO visits VALUES (1, 2, DATE '2020-01-01', NULL, "
               "true, 0.5, NULL, 'Xylophanes')")
        duckdb(":memory:", f"COPY (SELECT 1 AS id, 'Xylophanes' AS name) "
                           f"TO '{parquet}' (FORMAT parquet)")
        text = "\n".join(lines("policy", "draft", f"{store}:visits",
                               str(parquet)))
        self.assertNotIn("Xylophanes", text)
        for line in ("visits:", f"source: {store}", "source_table: visits",
                     "p_id: {type: integer}",
                     "cost: {type: decimal, scale: 2}",
                     "day: {type: date}", "seen: {type: timestamp}",
                     "ok: {type: boolean}", "w: {type: real}",
                     "# left out, of a type that is not read: x",
                     "\"As Is\": {type: text}", "references: p.id",
                     "name: {type: text}"):
            self.assertIn(f" {line}", text)
        self.refused("policy", "draft", f"{store}:none", says="h.duckdb")

    def test_draft_does_not_see_values(self):
        """Files with the same header have the same draft."""
        drafts = set()
        for rows in ("1,a,2\n", "x,2020-01-01,\n", ""):
            csv = self.write("t.csv", "id,b,c\n" + rows)
            drafts.add(run("policy", "draft", csv).stdout)
        self.assertEqual(len(drafts), 1)

    def test_draft_refuses(self):
        self.refused("policy", "draft", says="needs at least one file")
        self.refused("policy", "draft", "x.xlsx", says="unknown file format")
        self.refused("policy", "draft", "x.duckdb", says="does not exist")
        self.refused("policy", "draft", str(self.folder / "none.csv"),
                     says="none.csv")

    def test_draft_of_a_whole_duckdb_file(self):
        store = self.folder / "h.duckdb"
        duckdb(store, "CREATE TABLE \"Visits\" (patient_id BIGINT, cost DOUBLE)",
               "CREATE TABLE patients (id BIGINT)",
               "CREATE SCHEMA other", "CREATE TABLE other.hidden (x BIGINT)")
        text = "\n".join(lines("policy", "draft", str(store)))
        self.assertEqual(text.count("    source: "), 2)
        self.assertIn("\n    source_table: Visits\n", text)
        self.assertIn("\n    source_table: patients\n", text)
        self.assertIn("# ? references: patients.id", text)
        self.assertEqual(
            "\n".join(lines("policy", "draft", f"{store}:Visits",
                            f"{store}:patients")), text)
        empty = self.folder / "e.duckdb"
        duckdb(empty, "SELECT 1")
        self.refused("policy", "draft", str(empty), says="has no tables")

    def test_output_to_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run(
                [os.environ.get("CUSTOS", "build/custos"), "policy", "import",
                 str(METADATA)], stdout=full, stderr=subprocess.PIPE,
                check=False)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
