"""The tripwire of the real command and the real server: a failure after the
charge suspends the analyst, further ones the store, until `custos owner
resume`. This survives restarts and holds for both protocols and the command
line.
"""
import http.client
import json
import pathlib
import re
import threading
import time
import unittest

from command import run
from serving import POLICY, Server, Store, call

SAID = "private queries are suspended"

# Takes seconds on any machine: there are nearly a million groups.
SLOW = ("SELECT since, floor(weight / 2), count(*), sum(weight) FROM patients "
        "WHERE born <> {} GROUP BY 1, 2")
LITTLE = "0.01"
ZOE = 'Zoë "Z"'


class Tripwire(unittest.TestCase):
    def setUp(self):
        self.store = Store(policy=POLICY)
        self.addCleanup(self.store.close)
        self.server = None
        self.addCleanup(self.end)
        self.serve()

    def serve(self, *words):
        self.server = Server(self.store.path, "--no-response-steps", *words)
        self.addCleanup(self.server.log.close)

    def end(self):
        if self.server:
            self.server.stop()
            self.server = None

    def ask(self, who, sql, epsilon="0.5"):
        return call(self.server.http, "POST", "/v1/query",
                    {"sql": sql, "epsilon": epsilon}, self.store.tokens[who])

    def query(self, who, sql):
        """Asks with the command line instead."""
        more = ["--as", who] if who else []
        done = run("query", sql, "--epsilon", "0.5", "--store", self.store.path,
                   *more)
        return done.returncode, done.stderr.decode()

    def data(self):
        return pathlib.Path(self.store.path) / "data/1.duckdb"

    def damage(self):
        """Overwrites the pages that the engine has not read yet with zeros. The
        server's only worker process has already opened the data; a new one could
        not open it any more."""
        self.end()
        self.serve("--workers", "1")
        self.assertEqual(
            self.ask("ana", "SELECT count(*) FROM patients", LITTLE).status, 200)
        self.kept = self.data().read_bytes()
        with open(self.data(), "r+b") as file:
            file.seek(3 * 4096)
            file.write(bytes(len(self.kept) - 3 * 4096))

    def mend(self):
        self.end()
        with open(self.data(), "r+b") as file:
            file.write(self.kept)
        self.serve()

    def mark(self, row):
        """Writes the mark that a process leaves if it crashes while it works on
        the question that this row charged."""
        with open(pathlib.Path(self.store.path) / "crashes", "a",
                  encoding="ascii") as file:
            file.write(f"{row}\n")

    def status(self):
        return json.loads(self.store.custos("owner", "status"))

    def metric(self, name):
        text = call(self.server.http, "GET", "/metrics",
                    token=self.store.tokens[""]).bytes.decode()
        return int(re.search(rf"^custos_{name} (\d+)$", text, re.M).group(1))

    def assert_suspended(self, who, sql):
        reply = self.ask(who, sql)
        self.assertEqual(reply.status, 403, reply.bytes)
        self.assertIn(SAID, reply.error["message"])

    def assert_suspended_everywhere(self, who, sql):
        self.assert_suspended(who, sql)
        code, said = self.query(who, sql)
        self.assertEqual(code, 2)
        self.assertIn(SAID, said)

    def test_the_first_suspends_the_analyst(self):
        self.assertEqual(
            self.ask("ana", "SELECT count(*) FROM patients").status, 200)
        self.assertEqual(self.status()["suspended"], "")
        self.damage()
        failed = self.ask("ana", "SELECT sum(weight) FROM patients")
        self.assertEqual(failed.status, 500, failed.bytes)
        bug = r'event=tripwire who="ana" row=\d+ .*BUG'
        self.assertRegex(self.server.says(bug), bug)
        self.assertEqual(self.metric("tripwire_failures_total"), 1)
        self.assertEqual(self.metric("failures_since_resume"), 1)
        self.assertEqual(self.metric("all_suspended"), 0)
        status = self.status()
        self.assertEqual(status["suspended"], "ana")
        self.assertEqual(status["failures_since_resume"], 1)
        self.assertFalse(status["all_suspended"])
        self.assert_suspended("ana", "SELECT sum(born) FROM patients")
        self.assertEqual(self.metric("tripwire_refusals_total"), 1)
        self.mend()  # a restart does not lift the suspension
        self.assert_suspended_everywhere("ana", "SELECT sum(born) FROM patients")
        for sql in ["SELECT count(*) FROM patients",
                    "EXPLAIN SELECT sum(born) FROM patients",
                    "SELECT floor FROM departments"]:
            self.assertEqual(self.ask("ana", sql).status, 200, sql)
        self.assertEqual(
            self.ask("bob", "SELECT sum(cost) FROM visits").status, 200)
        # resume with a running server
        self.assertIn("all suspensions lifted; 1 failure since the last resume",
                      self.store.custos("owner", "resume"))
        self.assertRegex(self.store.custos("ledger", "--json"),
                         r"custos \d+\.\d+\.\d+ \(\S+\), DuckDB v\d+\.\d+")
        self.assertEqual(self.status()["suspended"], "")
        self.assertEqual(
            self.ask("ana", "SELECT sum(born) FROM patients").status, 200)

    def test_the_third_suspends_the_store(self):
        self.damage()
        failed = self.ask("ana", "SELECT sum(weight) FROM patients")
        self.assertEqual(failed.status, 500, failed.bytes)
        failed = self.ask("bob", "SELECT sum(cost) FROM visits")
        self.assertEqual(failed.status, 500, failed.bytes)
        self.assertFalse(self.status()["all_suspended"])
        failed = self.ask(ZOE, "SELECT sum(cost) FROM visits")
        self.assertEqual(failed.status, 500, failed.bytes)
        self.assertTrue(self.status()["all_suspended"])
        self.mend()
        self.assertEqual(self.metric("tripwire_failures_total"), 0)
        self.assertEqual(self.metric("failures_since_resume"), 3)
        self.assertEqual(self.metric("all_suspended"), 1)
        code, said = self.query("", "SELECT count(*) FROM visits")
        self.assertEqual(code, 2)
        self.assertIn(SAID, said)
        # resume without a server
        self.end()
        self.store.custos("owner", "resume")
        self.assertEqual(self.query("", "SELECT count(*) FROM visits"), (0, ""))
        self.assertEqual(self.query("ana", "SELECT sum(born) FROM patients"),
                         (0, ""))
        self.assertIn("whole", self.store.custos("ledger", "verify"))
        rows = self.store.custos("ledger")
        self.assertEqual(rows.count("failure"), 3)
        self.assertEqual(rows.count("resume"), 1)

    def test_a_crash_is_loud_at_the_next_charge(self):
        self.assertEqual(
            self.ask("ana", "SELECT count(*) FROM patients").status, 200)
        rows = json.loads(self.store.custos("ledger", "--json"))["rows"]
        charge = [r["row"] for r in rows if r["what"] == "charge"][-1]
        self.mark(charge)
        self.assertEqual(
            self.ask("bob", "SELECT count(*) FROM visits").status, 200)
        bug = rf"event=tripwire row={charge} crashes=1 .*BUG"
        self.assertRegex(self.server.says(bug), bug)
        self.assertEqual(self.status()["suspended"], "ana")
        self.store.custos("owner", "resume")

    def test_a_mark_of_nobody_suspends_all(self):
        self.mark(999999)
        self.assert_suspended("bob", "SELECT sum(cost) FROM visits")
        self.assertEqual(self.metric("all_suspended"), 1)
        self.assertIn("cleared", self.store.custos("owner", "resume"))
        self.assertEqual(
            self.ask("bob", "SELECT sum(cost) FROM visits").status, 200)
        self.assertEqual(self.metric("all_suspended"), 0)

    def test_two_overruns_suspend(self):
        self.end()
        self.serve("--max-seconds", "1")
        for i, year in enumerate([1950, 1951]):
            reply = self.ask("ana", SLOW.format(year), LITTLE)
            self.assertEqual(reply.status, 504, reply.bytes)
            limit = time.monotonic() + 60
            while self.metric("tripwire_overruns_total") == i and \
                    time.monotonic() < limit:
                time.sleep(0.05)
            self.assertEqual(self.metric("tripwire_overruns_total"), i + 1)
            self.assertEqual(self.status()["suspended"], "ana" if i else "")
        self.assertEqual(self.metric("tripwire_failures_total"), 0)
        self.assert_suspended("ana", "SELECT count(*) FROM patients")
        self.store.custos("owner", "resume")
        self.assertEqual(
            self.ask("ana", "SELECT count(*) FROM patients").status, 200)

    def test_who_hangs_up_does_not_trip(self):
        c = http.client.HTTPConnection("127.0.0.1", self.server.http,
                                       timeout=0.5)
        with self.assertRaises(TimeoutError):
            c.request("POST", "/v1/query", body=json.dumps(
                {"sql": SLOW.format(1950), "epsilon": LITTLE}),
                headers={"Content-Type": "application/json", "Authorization":
                         f"Bearer {self.store.tokens['ana']}"})
            c.getresponse()
        c.close()
        limit = time.monotonic() + 60
        while self.status()["running"] and time.monotonic() < limit:
            time.sleep(0.05)
        self.assertEqual(self.metric("cancels_total"), 1)
        self.assertEqual(self.status()["suspended"], "")
        self.assertEqual(self.metric("tripwire_failures_total"), 0)

    def test_a_server_that_is_killed_does_not_trip(self):
        asked = threading.Thread(target=self.ask_and_ignore)
        asked.start()
        limit = time.monotonic() + 30
        while not self.status()["running"] and time.monotonic() < limit:
            time.sleep(0.01)
        time.sleep(0.3)
        self.server.process.kill()
        self.server.process.wait()
        asked.join()
        self.serve()
        self.assertEqual(self.status()["suspended"], "")
        self.assertEqual(
            self.ask("ana", "SELECT count(*) FROM patients").status, 200)

    def ask_and_ignore(self):
        try:
            self.ask("ana", SLOW.format(1950), LITTLE)
        except OSError:
            pass


if __name__ == "__main__":
    unittest.main()
