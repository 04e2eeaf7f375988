"""psql: login, listings, questions, notices, errors with their position."""
import subprocess
import unittest

from client import COUNT, MARK, ClientCase, need_command

PSQL = need_command("psql")


class Psql(ClientCase):
    def psql(self, *commands, who="ana", **more):
        words = [w for c in commands for w in ("-c", c)]
        return subprocess.run(
            [PSQL, "-X", "-w", *words], check=False, text=True, timeout=60,
            env={**self.environment(who), **more}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def good(self, *commands, **more):
        done = self.psql(*commands, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ERROR", done.stderr)
        self.assertNotIn(MARK, done.stdout + done.stderr)
        return done

    def test_a_question(self):
        done = self.good(COUNT)
        self.assertRegex(done.stdout, r" sex \| +n *\n-+\+-+\n f   \| +\d+\n")
        self.assertIn("(2 rows)", done.stdout)
        self.assertRegex(done.stderr, r"NOTICE: .*(?i:cost)")
        self.assertRegex(done.stderr, r"\d+:[0-9a-f]{64}")

    def test_an_array_of_percentiles(self):
        done = self.good(
            "SELECT sex, percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP "
            "(ORDER BY weight) AS q FROM patients GROUP BY 1 ORDER BY 1")
        number = r"-?[\d.]+"
        self.assertRegex(done.stdout, r" sex \| +q *\n-+\+-+\n"
                         rf" f   \| {{{number},{number},{number}}}\n")
        for i in range(1, 4):
            self.assertRegex(done.stderr, rf"q\[{i}\]: within ±")

    def test_login(self):
        done = self.psql("SELECT 1", PGPASSWORD="wrong")
        self.assertEqual(done.returncode, 2)
        self.assertIn("password authentication failed", done.stderr)
        nobody = self.psql("SELECT 1", PGUSER="nobody")
        self.assertEqual(done.stderr.replace('"ana"', '"nobody"'),
                         nobody.stderr)

    def test_lists(self):
        for command, shows in [
                (r"\dt", ["patients", "visits", "departments"]),
                (r"\dt+", ["patients", "Everybody who came in"]),
                (r"\dv", ["dear"]),
                (r"\d", ["patients", "dear"]),
                (r"\dn", ["public"]),
                (r"\l", ["custos"]),
                (r"\df", []),
                (r"\du", []),
                (r"\di", []),
                (r"\dT", []),
                (r"\dp", []),
                (r"\conninfo", ["connected to database"]),
                (r"\d patients", ["sex", "born", "weight", "numeric",
                                  "since", "date"]),
                (r"\d+ patients", ["as the register has it"]),
                (r"\d visits", ["patient_id", "came", "timestamp"]),
                (r"\d dear", ["patient_id", "cost"])]:
            with self.subTest(command=command):
                done = self.good(command)
                for word in shows:
                    self.assertIn(word, done.stdout + done.stderr)

    def test_lists_show_what_is_granted(self):
        for command in [r"\d", r"\dt+", r"\d+ visits", r"\dv", r"\d *",
                        "SELECT table_name, column_name FROM "
                        "information_schema.columns WHERE table_schema = "
                        "'public'"]:
            done = self.psql(command, who="bob")
            self.assertNotIn("patient", done.stdout + done.stderr)
            self.assertNotIn("came", done.stdout + done.stderr)
            self.assertNotIn("dear", done.stdout + done.stderr)

    def test_a_plan(self):
        done = self.good("EXPLAIN " + COUNT)
        self.assertIn("Laplace", done.stdout)

    def test_gdesc_describes_and_asks_nothing(self):
        done = subprocess.run(
            [PSQL, "-X", "-w"], check=False, text=True, timeout=60,
            env=self.environment(), input="SELECT count(*) AS people, "
            "median(since) AS day FROM patients \\gdesc\n",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"people \| bigint")
        self.assertRegex(done.stdout, r"day +\| date")

    def test_settings(self):
        done = self.good("SET custos.epsilon = 0.125", COUNT,
                         "SHOW custos.epsilon", "SHOW custos.budget")
        self.assertIn("0.125", done.stdout)
        self.assertIn("0.125", done.stderr)

    def test_errors_have_a_place(self):
        done = self.psql("SELECT count(*) FROM patients WHERE nobody = 1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("LINE 1: SELECT count(*) FROM patients WHERE nobody",
                      done.stderr)
        self.assertRegex(done.stderr, r"\n +\^")

    def test_what_there_is_not_is_refused_politely(self):
        for sql in ["COPY patients TO STDOUT", "CREATE TABLE x (y int)",
                    "DROP TABLE patients", "INSERT INTO patients VALUES (1)",
                    "DELETE FROM patients", "SELECT * FROM patients",
                    "LISTEN x", "VACUUM", "SELECT pg_read_file('/etc/passwd')"]:
            done = self.psql(sql)
            self.assertEqual(done.returncode, 1, sql)
            self.assertIn("ERROR:", done.stderr)
            self.assertNotIn(MARK, done.stdout + done.stderr)

    def test_transactions(self):
        done = self.good("BEGIN", COUNT, "COMMIT")
        self.assertIn("COMMIT", done.stdout)
        done = self.psql("BEGIN; SELECT nothing FROM nowhere; COMMIT")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
