"""`custos synopsis` from outside. visits.custos was written by the first version that
had synopses: it must stay readable."""
import csv
import hashlib
import io
import json
import os
import pathlib
import tempfile
import unittest

from command import CommandCase, lines, run

FILE = str(pathlib.Path(os.environ.get("SRC", ".")) / "test/cli/visits.custos")


def query(sql, *options):
    return lines("synopsis", "query", FILE, sql, *options)


class Synopsis(CommandCase):
    def test_table(self):
        self.assertEqual(query("SELECT smoker, count(*), avg(age) FROM visits "
                               "GROUP BY smoker ORDER BY 2 DESC LIMIT 2"), [
            "  smoker                   count         avg",
            "  true    1,297 (1,266 .. 1,324)  51.1 \u00b1 5.9",
            "  false               1,235 \u00b1 23  47.7 \u00b1 6.1",
            "",
            "  95 % error bars. No cost."])

    def test_csv(self):
        text = "\n".join(query("SELECT sex, count(*) AS n FROM visits GROUP BY "
                               "sex", "--format", "csv"))
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["sex"] for row in rows], ["female", "male"])
        for row in rows:
            self.assertLessEqual(int(row["n_low"]), int(row["n"]))
            self.assertLessEqual(int(row["n"]), int(row["n_high"]))

    def test_json(self):
        answer = json.loads("\n".join(query(
            "SELECT sex, ward, day, count(*) FROM visits WHERE day < "
            "'2026-02-01' GROUP BY 1, 2, 3 LIMIT 1", "--format", "json")))
        self.assertIn("model alone", " ".join(answer["remarks"]))

    def test_info(self):
        text = "\n".join(lines("synopsis", "info", FILE))
        for part in ("epsilon 1, delta 0.000000001", "marginal-price",
                     "sex, smoker", "at most 1 row count", "10 runs"):
            self.assertIn(part, text)

    def test_refusals(self):
        ask = ("synopsis", "query", FILE)
        self.refused(*ask, "SELECT wrd FROM visits", says="did you mean ward")
        self.refused(*ask, "SELECT ward FROM visits", says="no rows to show")
        self.refused(*ask, "SELECT 1", "--format", "xml", says="format")
        self.refused(*ask, says="needs a file and one SQL question")
        self.refused("synopsis", "info", says="needs a file")
        self.refused("synopsis", says="needs a verb")
        self.refused("synopsis", "info", FILE + "x", says="No such file")

    def changed(self, was, now):
        """What info says of FILE with other bytes and their checksum."""
        data = pathlib.Path(FILE).read_bytes()[:-32]
        self.assertEqual(data.count(was), 1)
        data = data.replace(was, now)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "changed.custos"
            path.write_bytes(data + hashlib.sha256(data).digest())
            return run("synopsis", "info", str(path))

    def test_facts_of_strangers(self):
        """What a file says of its price goes into a command to paste: numbers alone."""
        self.assertEqual(self.changed(b"\x160.000000001",
                                      b"\x160.000000002").returncode, 0)
        for now in (b"\x160;touch /tmp", b"\x16$(touch /tm"):
            done = self.changed(b"\x160.000000001", now)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout, b"")
            self.assertIn(b"is damaged", done.stderr)
        # rows of a unit: 1, in a number whose lowest bit is the sign
        for rows in (b"\x00", b"\x80" * 5 + b"\x20"):
            done = self.changed(b"\x0epatient\x02", b"\x0epatient" + rows)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"is damaged", done.stderr)

    def test_damage(self):
        data = bytearray(pathlib.Path(FILE).read_bytes())
        data[900] ^= 1
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "damaged.custos"
            path.write_bytes(data)
            done = run("synopsis", "info", str(path))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"its checksum is wrong", done.stderr)


if __name__ == "__main__":
    unittest.main()
