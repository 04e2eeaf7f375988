"""`custos audit query`: quiet on an honest store, loud if less is claimed than
what an answer costs; what is wrong is said; nothing is left behind.

The audits run at level 1e-6, so that is how often the quiet one fails by chance.
"""
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from command import CUSTOS, CommandCase, run
from people import PEOPLE

# Everybody has more orders than count. Which ones do must not differ between
# neighbours, or their sums would differ in more than one person.
POLICY = PEOPLE + """  orders:
    source: orders.csv
    unit: buyer
    rows_per_unit: 1
    max_rows: 1000
    columns:
      buyer: {type: integer, nullable: false}
      price: {type: integer, range: [0, 1000]}
"""
SUM = "SELECT sum(price) FROM orders"
COUNT = "SELECT count(*) FROM people"
SHORT = ["--targets", "1", "--people", "50", "--samples", "256", "--ci",
         "--threads", "16"]


# A command whose server holds every reply back for a while if the store has
# person 1050, the first target of an audit with 50 other people. Its server is the
# real one behind a relay.
LATE = """#!{python}
import os, re, signal, socket, subprocess, sys, threading, time
words = ["{custos}", *sys.argv[1:]]
if words[1] != "serve":
    os.execv(words[0], words)
folder = os.path.dirname(words[words.index("--store") + 1])
with open(folder + "/0.csv", "rb") as table:
    late = 0.06 if re.search(rb"^1050,", table.read(), re.M) else 0
server = subprocess.Popen(words, stderr=subprocess.PIPE)
def end(*_):
    server.terminate()
    server.wait()
    os._exit(0)
signal.signal(signal.SIGTERM, end)
def relay(source, to, seconds):
    while data := source.recv(65536):
        time.sleep(seconds)
        to.sendall(data)
    to.shutdown(socket.SHUT_WR)
def start(*args):
    threading.Thread(target=relay, args=args, daemon=True).start()
def meet(listener, port):
    while True:
        client = listener.accept()[0]
        behind = socket.create_connection(("127.0.0.1", port))
        for end in (client, behind):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        start(client, behind, 0)
        start(behind, client, late)
for line in server.stderr:
    at = re.search(rb'event=listen pg="127.0.0.1:([0-9]+)"', line)
    if at:
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        line = line.replace(at[1], b"%d" % listener.getsockname()[1], 1)
        threading.Thread(target=meet, args=(listener, int(at[1])),
                         daemon=True).start()
    sys.stderr.buffer.write(line)
    sys.stderr.buffer.flush()
end()
"""


class Case(CommandCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.policy = str(self.folder / "policy.yaml")
        pathlib.Path(self.policy).write_text(POLICY, encoding="utf-8")
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.env = {**os.environ, "TMPDIR": str(self.temporary)}

    def audit(self, *words):
        """The exit code and the report; nothing may be left behind."""
        done = run("audit", "query", *words, "--policy", self.policy,
                   env=self.env)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(done.stderr, b"")
        return done.returncode, done.stdout.decode()


class Audits(Case):
    def test_an_honest_store_is_quiet(self):
        code, said = self.audit(SUM, "--epsilon", "1", *SHORT)
        self.assertEqual(code, 0, said)
        self.assertIn("NOT REFUTED", said)
        self.assertIn("Claimed     epsilon 1\n", said)  # what EXPLAIN says
        # Either audit may come nearer to a refutation, by chance.
        self.assertRegex(" ".join(said.split()),
                         "(reply times|the contents of replies) were audited "
                         "apart, with 256 replies of each neighbour: nothing")

    def test_a_claim_below_the_price_is_refuted(self):
        code, said = self.audit(COUNT, "--epsilon", "4", "--claim", "0.0001",
                                "--seed", "7", "--ignore-time", "--json",
                                *SHORT)
        self.assertEqual(code, 1, said)
        said = json.loads(said)
        self.assertTrue(said["refuted"])
        self.assertGreater(float(said["epsilon"]), 0.5)
        self.assertLess(float(said["epsilon"]), 4)
        self.assertIn("--seed 7", said["again"])
        # One neighbour has the person, the other does not.
        pair = sorted([said["pair"]["a"], said["pair"]["b"]],
                      key=lambda data: data["rows"])
        self.assertEqual(pair[0], {
            "rows": 0, "values": "only the people whom all stores have"})
        self.assertGreater(pair[1]["rows"], 1)
        self.assertRegex(pair[1]["values"],
                         r"\Athe same people and target person 1, who has \d+ "
                         r"rows? in people: \(id \d+, age \w+\).*; \d+ rows? "
                         r"in orders: \(buyer \d+, price \d+\)")
        self.assertIn(f"'{COUNT}'", said["again"])

    def test_a_late_reply_is_seen(self):
        """A server that answers later if a person is in the store: what replies
        contain is private, their times are not. All its replies are 60 ms late,
        so only a machine that stalls for most of them could hide it."""
        late = self.folder / "late"
        late.write_text(LATE.replace("{python}", sys.executable)
                        .replace("{custos}", os.path.abspath(CUSTOS)),
                        encoding="utf-8")
        late.chmod(late.stat().st_mode | stat.S_IXUSR)
        code, said = self.audit(
            COUNT, "--epsilon", "0.1", "--targets", "1", "--people", "50",
            "--ci", "--samples", "64", "--time-samples", "256", "--threads",
            "8", "--server-binary", str(late), "--json")
        self.assertEqual(code, 1, said)
        said = json.loads(said)
        self.assertEqual(said["feature"], "the run time in seconds")
        self.assertGreater(float(said["epsilon"]), 0.5)
        self.assertGreater(said["pair"]["a"]["rows"]
                           + said["pair"]["b"]["rows"], 0)
        self.assertIn("the contents of replies were audited apart", said["note"])
        self.assertIn("nothing refuted", said["note"])

    def test_run_again(self):
        """The command that is printed has sizes and no seconds, so it runs the
        same audit on any machine, and prints itself."""
        code, said = self.audit(COUNT, "--epsilon", "1", "--seconds", "60",
                                "--samples", "90", "--search", "130",
                                "--time-samples", "70", "--targets", "1",
                                "--people", "50", "--threads", "16", "--ci",
                                "--json")
        self.assertEqual(code, 0, said)
        first = json.loads(said)
        self.assertRegex(
            first["again"], r" --people 50 --ci --threads 16 --samples 90 "
            r"--search 130 --time-samples 70 --time-search 130 --seed \d+\Z")
        self.assertNotIn("--seconds", first["again"])
        again = subprocess.run(
            ["sh", "-c", 'custos() { "$CUSTOS" "$@" --json; }; '
             + first["again"]], capture_output=True, check=False,
            env=self.env | {"CUSTOS": CUSTOS})
        self.assertEqual((again.returncode, again.stderr), (0, b""))
        self.assertEqual(json.loads(again.stdout)["again"], first["again"])

    def test_errors_and_groups_are_outputs(self):
        """The policy has a pure budget, so groups cannot be discovered: the
        query is rejected before it costs anything."""
        for sql, says in [
                ("SELECT age FROM people", "the query is rejected: "),
                ("SELECT 1", "no claim to audit"),
                ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) "
                 "count(*) FROM people", "leave the price out of the query")]:
            done = run("audit", "query", sql, *SHORT, "--epsilon", "1",
                       "--policy", self.policy, env=self.env)
            self.assertEqual(done.returncode, 2, done)
            self.assertEqual(done.stdout, b"")
            self.assertIn(says, done.stderr.decode())
            self.assertEqual(list(self.temporary.iterdir()), [])

    def test_an_interrupted_audit_leaves_nothing(self):
        with subprocess.Popen(
                [CUSTOS, "audit", "query", COUNT, "--policy", self.policy,
                 "--seconds", "100"], env=self.env,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE) as audit:
            limit = time.monotonic() + 60
            while not list(self.temporary.glob("*/log")):
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.02)
            audit.send_signal(signal.SIGINT)
            audit.wait(timeout=60)
            limit = time.monotonic() + 60
            while list(self.temporary.iterdir()):
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.05)
        self.assertEqual(self.users(), [])

    def users(self):
        """Processes that still work in the temporary folder."""
        found = []
        for _ in range(100):
            found = []
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    words = path.read_bytes()
                except OSError:
                    continue
                if str(self.temporary).encode() in words:
                    found.append(words)
            if not found:
                break
            time.sleep(0.1)
        return found


class Usage(Case):
    def test_a_report_that_cannot_be_written(self):
        """That is said at once, not after the audit."""
        for option in ["--html", "--svg"]:
            done = run("audit", "query", COUNT, "--policy", self.policy,
                       option, "/no/such/folder/report", env=self.env)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertIn(b"cannot write /no/such/folder/report", done.stderr)

    def test_what_is_wrong_is_said(self):
        at = ["--policy", self.policy]
        self.refused("audit", "query", *at, says="needs one SQL text")
        self.refused("audit", "query", COUNT, "again", *at,
                     says="needs one SQL text")
        self.refused("audit", "query", COUNT, *at, "--store", "x",
                     says="either --store or --policy")
        self.refused("audit", "query", COUNT, "--store", "/no/store",
                     says="/no/store")
        self.refused("audit", "query", COUNT, "--policy", "/no/policy",
                     says="/no/policy")
        self.refused("audit", "query", COUNT, *at, "--rho", "1",
                     says="does not allow prices in rho")
        self.refused("audit", "query", COUNT, *at, "--rho", "1", "--epsilon",
                     "1", says="either --epsilon or --rho")
        self.refused("audit", "query", COUNT, *at, "--epsilon", "0",
                     says="--epsilon must be")
        self.refused("audit", "query", COUNT, *at, "--delta", "0.1",
                     says="--delta belongs to --claim")
        self.refused("audit", "query", COUNT, *at, "--targets", "9",
                     says="--targets must be")
        self.refused("audit", "query", COUNT, *at, "--time-samples", "0",
                     says="--time-samples must be")
        self.refused("audit", "query", COUNT, *at, "--time-search", "9",
                     "--ignore-time", says="--ignore-time leaves no use for")
        self.refused("audit", "query", COUNT, *at, "--server-binary",
                     "/nowhere", says="--server-binary: /nowhere cannot be")
        self.refused("audit", "query", COUNT, *at, "--people", "0",
                     says="--people must be")


if __name__ == "__main__":
    unittest.main()
