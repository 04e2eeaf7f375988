"""The log of a real server after questions on which the engine failed: it has
the analyst, the status and a cause from a fixed list, but no value, no line of
a file and no text of a query or of the engine.

An attached file provokes the failures: its bytes change while size, time and
inode stay the same, and the engine's error quotes the line. A visible change
would be rejected before the charge.
"""
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import unittest

from command import CUSTOS
from serving import Server, Store, call

SECRET = "qzxattached"
POLICY = """\
custos: 1
budget: {epsilon: 1000}
tables:
  people:
    source: people.csv
    attach: true
    unit: id
    rows_per_unit: 1
    max_rows: 100
    columns:
      id: {type: integer}
      city: {type: text, values: [oslo, rome]}
analysts:
  ana: {}
  bob: {}
  'Zoë "Z"': {}
"""
BAD = f'id,city\n1,oslo\n2,"{SECRET} 4711,rome\n3,x,y,z\n'
GOOD = "id,city\n1,oslo\n2,rome\n3,rome\n4,"
GOOD += "x" * (len(BAD) - len(GOOD) - 1) + "\n"
LINE = re.compile(
    r'time=\S+ event=[a-z ]+( [a-z]+=(\d+|\S+|"([^"\\]|\\.)*"))*')
WORDS = re.compile(r"select|count|where|city|oslo|people|error:|line \d|duckdb"
                   r"|sniff|delim|quote", re.I)


class Log(unittest.TestCase):
    def setUp(self):
        self.store = self.make()
        self.addCleanup(self.store.close)
        self.server = Server(self.store.path)
        self.addCleanup(self.server.log.close)
        self.addCleanup(self.server.stop)

    @staticmethod
    def make():
        class Attached(Store):
            def __init__(self):
                super().__init__(policy=POLICY)

            def custos(self, *words, **more):
                people = pathlib.Path(self.folder.name) / "people.csv"
                if not people.exists():
                    people.write_text(GOOD)
                if words[0] == "init":  # the city of id 4 is not in values
                    words += ("--accept-loss",)
                return super().custos(*words, **more)
        return Attached()

    def ask(self, who, sql):
        return call(self.server.http, "POST", "/v1/query", {"sql": sql},
                    self.store.tokens[who])

    def psql(self, who, sql):
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-c", sql, "host=127.0.0.1 "
             f"port={self.server.pg} user={who} dbname=custos"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
            check=False, text=True,
            env={**os.environ, "PGPASSWORD": self.store.passwords[who]})

    def test_failures_say_no_value(self):
        good = self.ask("ana", "SELECT count(*) FROM people")
        self.assertEqual(good.status, 200, good.bytes)
        people = pathlib.Path(self.store.folder.name) / "people.csv"
        was = people.stat()
        people.write_text(BAD)
        changed = self.ask("ana", "SELECT count(*) FROM people WHERE id > 1")
        self.assertIn(b"has changed since custos init", changed.bytes)
        os.utime(people, ns=(was.st_atime_ns, was.st_mtime_ns))
        bad = self.ask("bob", "SELECT city, count(*) FROM people WHERE "
                       "id <> 4711 GROUP BY city")
        self.assertEqual(bad.status, 500, bad.bytes)
        self.assertIn(b"could not be completed", bad.bytes)
        bad = self.psql("ana", "SELECT count(*) FROM people WHERE id > 4711")
        self.assertIn("could not be completed", bad.stderr)
        self.server.stop()
        log = self.server.said()
        failed = [line for line in log.splitlines() if "cause=" in line]
        self.assertEqual(len(failed), 2, log)
        self.assertIn('by="http" who="bob"', failed[0])
        self.assertRegex(failed[1], r'pg=\d+ who="ana"')
        for line in failed:
            self.assertIn('cause="csv"', line)
        self.assertNotIn("noted", log)
        self.assertNotIn(SECRET, log)
        for line in log.splitlines():
            rest = line.partition(" event=")[2]
            self.assertRegex(line, LINE)
            self.assertNotIn("4711", rest)
            if rest.startswith("question"):
                self.assertIsNone(WORDS.search(rest), line)


class Unread(unittest.TestCase):
    """Nobody reads standard error: the server still serves, and can be
    stopped."""

    def test_a_full_pipe_stops_nothing(self):
        store = Store(people=10)
        self.addCleanup(store.close)
        ours, theirs = os.pipe()
        self.addCleanup(os.close, ours)
        fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
        process = subprocess.Popen(
            [CUSTOS, "serve", "--store", store.path, "--pg", "none",
             "--http", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        port = int(re.search(rb'http="\S*:(\d+)"', os.read(ours, 4096)).group(1))
        for _ in range(100):
            bad = call(port, "POST", "/v1/query", {"sql": "SELECT nothing"},
                       store.tokens["ana"])
            self.assertEqual(bad.status, 404, bad.bytes)
        self.assertEqual(call(port, "GET", "/v1/health").status, 200)
        counts = call(port, "GET", "/metrics", token=store.tokens[""]).bytes
        self.assertIn(b"custos_log_lines_dropped_total 0", counts)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
