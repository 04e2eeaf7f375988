"""`custos serve --synopsis`: any PostgreSQL client and HTTP can ask a synopsis, and
catalogs list its table; no store, no budget."""
import glob
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from command import run
from serving import Server, call, need_module

psycopg = need_module("psycopg")

FILE = str(pathlib.Path(os.environ.get("SRC", ".")) / "test/cli/visits.custos")


class ServeSynopsis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tmp = tempfile.TemporaryDirectory()
        cls.server = Server(FILE, source="--synopsis",
                            env={"TMPDIR": cls.tmp.name})
        cls.server.out.seek(0)
        cls.said = cls.server.out.read().decode()
        cls.token = cls.said.split("token")[1].split()[0]

    @classmethod
    def tearDownClass(cls):
        ended = cls.server.stop(signal.SIGTERM)
        left = glob.glob(cls.tmp.name + "/*")
        cls.tmp.cleanup()
        assert ended == 0 and not left, (ended, left)

    def psql(self, *texts):
        words = [word for text in texts for word in ("-c", text)]
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p",
             str(self.server.pg), "-U", "public", "custos", *words],
            env={**os.environ, "PGPASSWORD": "public"}, text=True, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)

    def test_psql(self):
        done = self.psql("SELECT ward, count(*) FROM visits GROUP BY ward")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split("|")[0] for line in
                          done.stdout.splitlines()],
                         ["cardiology", "emergency", "hospice", "oncology",
                          "surgery"])
        self.assertIn("answered from released values: free", done.stderr)
        self.assertRegex(done.stderr, r"count: within ±\d+")

    def test_catalog(self):
        self.assertIn("public|visits|table", self.psql(r"\dt").stdout)
        self.assertIn("smoker|boolean", self.psql(r"\d visits").stdout)

    def test_refusals(self):
        for sql, says in (("SELECT wrd FROM visits", "did you mean ward"),
                          ("SELECT corr(age, cost) FROM visits",
                           "does not answer this aggregate"),
                          ("SELECT * FROM visits", "no rows to show")):
            done = self.psql(sql)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)

    def test_hostile_questions(self):
        """They are refused at once, and the server goes on."""
        many = "".join(f", {i}" for i in range(1, 71))
        long = ", ".join(f"sum(age % 50 + EXTRACT(doy FROM day) + {i})"
                          for i in range(800))
        before = time.monotonic()
        for sql, says in ((f"SELECT greatest(count(*){many}) FROM visits",
                           "cannot compute this expression"),
                          (f"SELECT {long} FROM visits", "too many steps")):
            done = self.psql(sql)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)
        self.assertLess(time.monotonic() - before, 20)
        self.assertEqual(self.psql("SELECT 1").stdout, "1\n")

    def test_parameters(self):
        with psycopg.connect(host="127.0.0.1", port=self.server.pg,
                             user="public", password="public",
                             dbname="custos") as connection:
            found = connection.execute(
                "SELECT count(*) FROM visits WHERE ward = %s", ["surgery"])
            self.assertEqual(found.fetchall(), [(566,)])

    def test_http(self):
        answer = call(self.server.http, "POST", "/v1/query",
                      {"sql": "SELECT count(*) FROM visits"}, self.token).json
        cell = answer["rows"][0][0]
        self.assertLessEqual(int(cell["low"]), int(cell["value"]))
        self.assertLessEqual(int(cell["value"]), int(cell["high"]))
        self.assertEqual(answer["kind"], "released")
        plan = call(self.server.http, "POST", "/v1/explain",
                    {"sql": "SELECT count(*) FROM visits"}, self.token).json
        self.assertTrue(plan["released"])
        self.assertNotIn("exact", " ".join(plan["plan"]))
        schema = call(self.server.http, "GET", "/v1/schema",
                      token=self.token).json
        self.assertEqual([(t["name"], t["released"]) for t in schema["tables"]],
                         [("visits", True)])

    def test_a_store_beside_it_is_refused(self):
        done = run("serve", "--store", "x", "--synopsis", FILE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"exclude each other", done.stderr)

    def test_explain(self):
        done = self.psql("EXPLAIN SELECT count(*) FROM visits")
        self.assertIn("noisy values released earlier: free, with error bars",
                      done.stdout)
        self.assertNotIn("exact", done.stdout + done.stderr)

    def test_strangers(self):
        self.assertEqual(call(self.server.http, "POST", "/v1/query",
                              {"sql": "SELECT 1"}, "custos_" + 64 * "0").status,
                         401)


if __name__ == "__main__":
    unittest.main()
