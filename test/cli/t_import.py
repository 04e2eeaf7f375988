"""The exact messages of `custos init` about dirty files; and a failed init
leaves nothing behind, or the old store as it was.
"""
import hashlib
import json
import os
import pathlib
import struct
import tempfile
import unittest

from command import run

HEAD = "custos: 1\nbudget: {epsilon: 10}\ntables:\n"
TAIL = ("custos: nothing was imported: a column or table may lose at most 5 % "
        "(--max-loss)\n  hint: change the policy or the source, or import "
        "without what is lost with --accept-loss\n")
DATES = "write dates as YYYY-MM-DD in the source, or set type: text"
NUMBERS = "write numbers like 1234.5 in the source, or set type: text"
LIST = "change values: to what the source has, or correct the source"
EPOCH = ("set type: integer with a range, or write dates as YYYY-MM-DD in the "
         "source")
DECIMAL = "{type: decimal, scale: 2, range: [0, 9000]}"
CITY = "{type: text, values: [Rome, Oslo]}"
DATE = "{type: date}"

# column declaration, values in the source, how many are lost, the first lost
# one, what is said about it, what was recognised, hint
DIRTY = (
    (DECIMAL, ("1,5", "12,75"), 2, "1,5", "cannot be read as decimal",
     "a decimal comma", NUMBERS),
    (DECIMAL, ("1.234,50", "3"), 1, "1.234,50", "cannot be read as decimal",
     "a decimal comma", NUMBERS),
    (DECIMAL, ("1,234.50", "2"), 1, "1,234.50", "cannot be read as decimal",
     "thousands separators", NUMBERS),
    ("{type: integer}", ("1 234", "2"), 1, "1 234", "cannot be read as integer",
     "thousands separators", NUMBERS),
    ("{type: integer}", ("1,234", "2,345"), 2, "1,234",
     "cannot be read as integer", "a decimal comma or thousands separators",
     NUMBERS),
    ("{type: integer}", ("1.5", "2"), 1, "1.5", "cannot be read as integer",
     "numbers with a fraction",
     "set type: decimal with a scale, or type: real"),
    ("{type: real}", ("€5", "€6"), 2, "€5", "cannot be read as real",
     "numbers with a unit or currency",
     "write the number alone in the source, or set type: text"),
    ("{type: real}", ("NA", "6"), 1, "NA", "cannot be read as real",
     "a mark for a missing value",
     "leave the field empty in the source, or accept that they become NULL "
     "with --accept-loss"),
    ("{type: integer}", ("abc", "6"), 1, "abc", "cannot be read as integer",
     None, NUMBERS),
    (DATE, ("25.06.2024", "01.02.2024"), 2, "25.06.2024",
     "cannot be read as date", "day.month.year", DATES),
    (DATE, ("05/06/2024", "25/06/2024"), 2, "05/06/2024",
     "cannot be read as date", "day/month/year", DATES),
    (DATE, ("05/06/2024", "06/25/2024"), 2, "05/06/2024",
     "cannot be read as date", "month/day/year", DATES),
    (DATE, ("05/06/2024", "2024-06-25"), 1, "05/06/2024",
     "cannot be read as date", "day/month/year or month/day/year", DATES),
    (DATE, ("05/06/24", "25/06/24"), 2, "05/06/24", "cannot be read as date",
     "dates with a year of two digits", DATES),
    (DATE, ("20240625", "20240626"), 2, "20240625", "cannot be read as date",
     "YYYYMMDD", DATES),
    (DATE, ("1719273600", "1719360000"), 2, "1719273600",
     "cannot be read as date", "seconds since 1970", EPOCH),
    ("{type: timestamp}", ("1719273600123", "1719360000456"), 2,
     "1719273600123", "cannot be read as timestamp", "milliseconds since 1970",
     EPOCH),
    ("{type: timestamp}", ("noon", "2024-06-25 12:00:00"), 1, "noon",
     "cannot be read as timestamp", None,
     "write timestamps as YYYY-MM-DD HH:MM:SS in the source, or set type: "
     "text"),
    ("{type: boolean}", ("f", "m"), 1, "m", "cannot be read as boolean",
     "a sex, of which f is read as false",
     "set type: text with values:, such as [f, m]"),
    ("{type: boolean}", ("ja", "nein"), 2, "ja", "cannot be read as boolean",
     "yes and no in other words",
     "write true or false in the source, or set type: text with values:"),
    ("{type: boolean}", ("7", "yes"), 1, "7", "cannot be read as boolean",
     None,
     "write true or false in the source, or set type: text with values:"),
    (CITY, ("ROME", "oslo"), 2, "ROME", "are not in the list of values",
     "listed values but for case", LIST),
    (CITY, ("Rome ", " Oslo"), 2, "Rome ", "are not in the list of values",
     "listed values but for spaces", LIST),
    (CITY, ("ROME", " Oslo"), 2, "ROME", "are not in the list of values",
     "listed values but for case and spaces", LIST),
    (CITY, ("Rome", "Bergen"), 1, "Bergen", "are not in the list of values",
     None, "add the missing values to values:, or remove values:"),
    ("{type: integer, values: [1, 2]}", ("1", "3"), 1, "3",
     "are not in the list of values", None,
     "add the missing values to values:, or remove values:"),
    ("{type: text, max_bytes: 3}", ("abc", "abcd"), 1, "abcd",
     "have more than max_bytes: 3", None, "set a larger max_bytes:"),
    # counted once although the row is dropped too
    ("{type: date, nullable: false}", ("05/06/2024", "25/06/2024"), 2,
     "05/06/2024", "cannot be read as date", "day/month/year", DATES),
)

# file name, content, message; {0} is the folder
BROKEN = (
    ("d.csv", b"id,x,x\n1,2,3\n",
     "{0}/d.csv, line 1: column 'x' is named twice\nhint: rename one of them"),
    ("d.csv", b"id,x,X\n1,2,3\n",
     "{0}/d.csv, line 1: columns 'x' and 'X' differ only in case\nhint: rename one "
     "of them"),
    ("d.csv", b"id,X\n1,2\n",
     "{0}/d.csv has no column 'x', but one named 'X'\nhint: write \"X\" in the "
     "policy (line 10)"),
    ("d.csv", b"id,y\n1,2\n",
     "{0}/d.csv has no column 'x', which the policy names (line 10)"),
    ("d.csv", b"",
     "{0}/d.csv is empty: its first line must name the columns"),
    ("d.csv", None, "the source {0}/d.csv does not exist or is not readable"),
    ("d.csv", b"id,x\n1,2\n3\n",
     "table 'd': {0}/d.csv, line 3: fewer values than the 2 that the first "
     "line names"),
    ("d.csv", b"id,x\n1,\xe4\n",
     "{0}/d.csv, line 2: it is not UTF-8"),
    ("d.parquet", b"PAR1" + bytes(100),
     "{0}/d.parquet is not complete: the end of the Parquet file is missing\n"
     "hint: copy or export it again"),
    ("d.parquet", b"id,x\n1,2\n",
     "{0}/d.parquet is not a Parquet file\nhint: export it again, or set its format "
     "in the policy"),
    ("d.duckdb", bytes(8) + b"DUCK" + struct.pack("<Q", 99) + bytes(32) +
     b"v9.0.0".ljust(4096 - 52, b"\0"),
     "{0}/d.duckdb was written by a newer DuckDB v9.0.0 than custos reads\n"
     "hint: export its tables to Parquet"),
    ("d.duckdb", b"id,x\n1,2\n",
     "{0}/d.duckdb cannot be opened as a DuckDB file"),
)


def listing(folder):
    """Every file below a folder, with the hash of its content."""
    found = {}
    for path, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.join(path, name)] = "folder"
        for name in files:
            full = os.path.join(path, name)
            with open(full, "rb") as f:
                found[full] = hashlib.sha256(f.read()).hexdigest()
    return found


class Import(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(dir="/tmp", prefix="i")
        self.folder = pathlib.Path(self.temporary.name)
        self.store = str(self.folder / "store")

    def tearDown(self):
        self.temporary.cleanup()

    def policy(self, column, source="d.csv", more=""):
        (self.folder / "policy.yaml").write_text(
            HEAD + f"  d:\n    source: {self.folder}/{source}\n    unit: id\n"
            "    max_rows: 5000\n    columns:\n      id: {type: integer}\n"
            f"      x: {column}\n{more}")

    def source(self, values, name="d.csv"):
        rows = (f'{i},"{v}"\n' for i, v in enumerate(values))
        (self.folder / name).write_text("id,x\n" + "".join(rows))

    def init(self, *options):
        done = run("init", str(self.folder / "policy.yaml"), "--store",
                   self.store, *options)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def refused(self, said, *options, code=2):
        """init prints this message and changes nothing."""
        before = listing(self.folder)
        self.assertEqual(self.init(*options), (code, "", said))
        self.assertEqual(listing(self.folder), before)

    def test_dirty_columns(self):
        for column, values, lost, example, says, found, hint in DIRTY:
            with self.subTest(column=column, values=values):
                looks = f" (looks like {found})" if found else ""
                self.policy(column)
                self.source(values)
                self.refused(f"custos: d.x: {lost} of {len(values)} values "
                             f"{says}, e.g. '{example}'{looks}\n  hint: {hint}"
                             " (policy, line 10)\n" + TAIL)

    def test_dirty_columns_leave_the_old_store(self):
        self.policy("{type: integer}")
        self.source(("1", "2"))
        self.assertEqual(self.init()[0], 0)
        self.test_dirty_columns()
        self.test_broken_files()

    def test_broken_files(self):
        for name, content, says in BROKEN:
            with self.subTest(name=name, content=content):
                self.policy("{type: integer}", name)
                path = self.folder / name
                path.unlink(missing_ok=True)
                if content is not None:
                    path.write_bytes(content)
                failed = "opened as" in says
                self.refused(f"custos: {says.format(self.folder)}\n",
                             code=1 if failed else 2)

    def test_an_empty_folder_stays(self):
        os.mkdir(self.store)
        self.policy("{type: integer}")
        self.source(("x",))
        before = listing(self.folder)
        self.assertEqual(self.init()[0], 2)
        self.assertEqual(listing(self.folder), before)

    def test_report(self):
        self.policy("{type: date, range: [2020-01-01, 2025-12-31]}", more=(
            "      cost: {type: decimal, scale: 2, range: [0, 500]}\n"
            "      city: {type: text, values: [Rome, Oslo], nullable: false}\n"
        ))
        rows = [f"{i},2024-01-01,7,Rome" for i in range(2000)]
        rows[7] = "7,25/06/2024,7,Rome"
        rows[8] = "8,1999-01-01,612.5,Rome"
        rows[9] = "9,,7000,rome"
        rows[10] = ",2024-01-01,,Oslo"
        rows[11] = "11,2024-01-01,7,"
        (self.folder / "d.csv").write_text(
            "id,x,cost,city\n" + "\n".join(rows) + "\n")
        code, text, said = self.init()
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(text.splitlines()[1:-1], [
            "  d: 2,000 rows read, 1,997 kept, of 1,997 units; 1 belongs to no "
            "unit",
            "    x: 1 unreadable, now NULL, e.g. '25/06/2024' (looks like "
            "day/month/year)",
            "    x: 1 clamped to [2020-01-01, 2025-12-31], e.g. '1999-01-01'",
            "    cost: 2 clamped to [0, 500], e.g. '612.5'",
            "    city: 1 not in values, row dropped, e.g. 'rome' (looks like "
            "listed values but for case)",
            "    city: 1 empty, row dropped (nullable: false)"])
        for path, _, files in os.walk(self.store):  # values are printed, not stored
            for name in files:
                content = pathlib.Path(path, name).read_bytes()
                self.assertNotIn(b"25/06/2024", content, name)
        rows = json.loads(run("ledger", "--json", "--store",
                              self.store).stdout)["rows"]
        for row in rows:
            self.assertNotIn("clamped", str(row["words"]))
            self.assertNotIn("1997", str(row["words"]))

    def test_rows_are_lost_too(self):
        self.policy("{type: integer, nullable: false}")
        (self.folder / "d.csv").write_text("id,x\n1,1\n2,\n")
        self.refused("custos: d: 1 of 2 rows lack a value where the policy has "
                     "nullable: false (x)\n  hint: set nullable: true there, or "
                     "complete the source\n" + TAIL)
        (self.folder / "d.csv").write_text("id,x\n1,1\n,2\n")
        self.refused("custos: d: 1 of 2 rows belong to no unit\n  hint: "
                     "their column id is empty (policy, line 9)\n" + TAIL)
        self.policy("{type: integer}", more=(
            "  e:\n    source: e.csv\n    unit: of\n    columns:\n"
            "      of: {type: integer, references: d.id}\n"))
        (self.folder / "d.csv").write_text("id,x\n1,1\n")
        (self.folder / "e.csv").write_text("of\n1\n7\n")
        self.refused("custos: e: 1 of 2 rows belong to no unit\n  hint: "
                     "their column of is empty, has no match in d.id, or "
                     "matches a row that belongs to no unit (policy, line "
                     "15)\n" + TAIL)

    def test_attached_tables_are_refused_alike(self):
        self.policy(DATE)
        path = self.folder / "policy.yaml"
        path.write_text(path.read_text() + "    attach: true\n")
        self.source(("25/06/2024", "2024-01-01"))
        self.refused("custos: d.x: 1 of 2 values cannot be read as date, e.g. "
                     "'25/06/2024' (looks like day/month/year)\n  hint: "
                     f"{DATES} (policy, line 10)\n" + TAIL)
        code, text, said = self.init("--accept-loss")
        self.assertEqual((code, said), (0, ""))
        self.assertIn("  d: attached, read from its file in every query; 2 "
                      "rows read, 2 used\n    x: 1 unreadable, now NULL", text)

    def test_options(self):
        self.policy("{type: integer}")
        self.source(("1",) * 9 + ("x",))
        said = ("custos: d.x: 1 of 10 values cannot be read as integer, e.g. "
                f"'x'\n  hint: {NUMBERS} (policy, line 10)\n")
        self.refused(said + TAIL)
        self.refused(said + TAIL.replace("5 %", "9.9999 %"), "--max-loss",
                     "9.9999")
        for bad in ("x", "-1", "100.1", "5%"):
            self.refused("custos: --max-loss must be a percentage from 0 to "
                         f"100, not {bad}\n", f"--max-loss={bad}")
        self.refused("custos: give --max-loss or --accept-loss, not both\n",
                     "--max-loss", "10", "--accept-loss")
        for options in (["--max-loss", "10"], ["--accept-loss"]):
            code, text, said = self.init(*options)
            self.assertEqual((code, said), (0, ""))
            self.assertIn("  d: 10 rows read, 10 kept, of 10 units\n    x: 1 "
                          "unreadable, now NULL, e.g. 'x'\n", text)


if __name__ == "__main__":
    unittest.main()
