"""`custos serve` with the real psql and psycopg: login, TLS, limits, cancel,
the owner's acts, and stopping."""
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import unittest

from command import CUSTOS, CommandCase, run
from serving import POLICY, Server, Store, call, need_module

psycopg2 = need_module("psycopg2")
COUNT = "SELECT count(*) FROM patients"


def psql(server, store, *texts, who="ana", password=None, more="", **env):
    words = [w for text in texts for w in ("-c", text)]
    done = subprocess.run(
        ["psql", "-X", "-q", "-A", "-t",
         f"host=127.0.0.1 port={server.pg} user={who} dbname=custos {more}",
         *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
        check=False, text=True,
        env={**os.environ, "PGPASSWORD": password or store.passwords[who],
             **env})
    return done


def connect(server, store, who="ana", **more):
    return psycopg2.connect(host="127.0.0.1", port=server.pg, user=who,
                            dbname="custos", password=store.passwords[who],
                            **more)


def setUpModule():
    Case.store = Store()
    unittest.addModuleCleanup(Case.store.close)


class Systemd(unittest.TestCase):
    """The messages to systemd for a unit of Type=notify."""

    def test_ready_alive_and_stopping(self):
        store = Store(people=10)
        self.addCleanup(store.close)
        path = f"{store.folder.name}/notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ours:
            ours.bind(path)
            ours.settimeout(60)
            server = Server(store.path, env={"NOTIFY_SOCKET": path,
                                             "WATCHDOG_USEC": "200000"})
            self.addCleanup(server.stop)
            self.assertEqual(ours.recv(100), b"READY=1")
            self.assertEqual(ours.recv(100), b"WATCHDOG=1")
            self.assertEqual(ours.recv(100), b"WATCHDOG=1")
            self.assertEqual(server.stop(), 0)
            said = ours.recv(100)
            while said == b"WATCHDOG=1":
                said = ours.recv(100)
            self.assertEqual(said, b"STOPPING=1")


class Case(unittest.TestCase):
    store = None

    def serve(self, *words):
        server = Server(self.store.path, *words)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server


class Sessions(Case):
    def test_an_answer_with_its_cost(self):
        server = self.serve()
        done = psql(server, self.store, "SET custos.epsilon = 2", COUNT, COUNT,
                    "SHOW custos.budget")
        self.assertEqual(done.returncode, 0, done.stderr)
        first, again, left = done.stdout.split("\n")[:3]
        self.assertAlmostEqual(int(first), 400, delta=30)
        self.assertEqual(first, again)
        self.assertRegex(left, r"epsilon [\d.]+ left")
        self.assertRegex(done.stderr, r"NOTICE:  cost epsilon 2; epsilon [\d.]+"
                                      r" left\nDETAIL:  count: within ±")
        self.assertIn("answered before: free", done.stderr)

    def test_the_last_of_price_and_accuracy_holds(self):
        server = self.serve()
        done = psql(server, self.store, "SET custos.epsilon = 3",
                    "SET custos.within = 5", "SHOW custos.epsilon",
                    "SHOW custos.within", COUNT, "SET custos.epsilon = 4",
                    "SHOW custos.within", COUNT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split("\n")[:2], ["", "5"])
        self.assertEqual(done.stdout.split("\n")[3], "")
        self.assertIn("within ±5 ", done.stderr)
        self.assertIn("cost epsilon 4; ", done.stderr)
        done = psql(server, self.store, "SET custos.epsilon = 3", "BEGIN",
                    "SET LOCAL custos.within = 5", "COMMIT",
                    "SHOW custos.epsilon", "SHOW custos.within")
        self.assertEqual(done.stdout.split("\n")[:2], ["3", ""])

    def test_explain_says_what_is_stored(self):
        server = self.serve()
        sql = "SELECT count(*) FROM patients WHERE born < 1963"
        says = "NOTICE:  this answer is stored: asking again costs nothing\n"
        self.assertNotIn("stored",
                         psql(server, self.store, "EXPLAIN " + sql).stderr)
        psql(server, self.store, sql)
        for _ in range(2):
            done = psql(server, self.store, "EXPLAIN " + sql)
            self.assertEqual(done.stderr, says)
            self.assertIn("price ", done.stdout)

    def test_what_is_left_is_what_can_be_spent(self):
        """An analyst whose window is spent is told that nothing is left."""
        server = self.serve()
        zoe = 'Zoë "Z"'
        ask = ["SET custos.epsilon = 0.5", COUNT, "SHOW custos.budget"]
        with connect(server, self.store, who=zoe) as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            for text in ask:
                cursor.execute(text)
            self.assertEqual(cursor.fetchone()[0], "epsilon 0 left; the window "
                             "has 0 left, the budget 0.5 of 1")
            with self.assertRaisesRegex(
                    psycopg2.Error, "your window of 7 days is spent: this needs "
                    "epsilon 0.5, and 0 is left; each charge counts for 7 days"):
                cursor.execute("SELECT count(*) FROM patients WHERE born > 9")

    def test_a_cost_that_counts_in_rho(self):
        """If the remainder does not fall by the cost, the notice says why."""
        store = Store(policy=POLICY.replace(
            "  ana: {}", "  ana: {budget: {epsilon: 1, delta: 1e-6}}").replace(
            "delta: 1e-6, n: 10000", "delta: 1e-5, n: 10000"))
        self.addCleanup(store.close)
        server = Server(store.path)
        self.addCleanup(server.stop)
        with connect(server, store) as connection:
            connection.autocommit = True
            cursor = connection.cursor()
            cursor.execute("SET custos.epsilon = 0.01")
            for i in range(101):
                cursor.execute(f"SELECT count(*) FROM patients WHERE born > {i}")
                if i == 0:
                    first = connection.notices[-1]
            last = connection.notices[-1]
        self.assertRegex(first, r"cost epsilon 0.01; epsilon 0.99 left\n")
        self.assertRegex(last, r"cost epsilon 0.01 \(rho 0.0000\d+, in which "
                               r"the budget counts\); epsilon 0.1\d+ left\n")

    def test_wrong_names_and_passwords_look_alike(self):
        server = self.serve()
        said = [psql(server, self.store, COUNT, who=who, password="wrong").stderr
                .replace(who, "WHO") for who in ("ana", "nobody")]
        self.assertIn("password authentication failed", said[0])
        self.assertEqual(re.sub(r"port \d+", "", said[0]),
                         re.sub(r"port \d+", "", said[1]))

    def test_guessing_is_slowed_down(self):
        server = self.serve()
        for _ in range(7):
            psql(server, self.store, COUNT, password="wrong")
        done = psql(server, self.store, COUNT)
        self.assertIn("too many failed logins", done.stderr)
        self.assertEqual(psql(server, self.store, COUNT, who="bob").returncode, 1)
        self.assertIn("no table", psql(server, self.store, COUNT, who="bob").stderr)

    def test_refusals_have_their_place(self):
        server = self.serve()
        done = psql(server, self.store, "SELECT sum(nothing) FROM patients",
                    more="options=-cclient_min_messages=warning")
        self.assertIn("LINE 1: SELECT sum(nothing)", done.stderr)
        for text, state in [("CREATE TABLE x (a int)", "0A000"),
                            ("COPY patients TO STDOUT", "0A000"),
                            ("SELECT (", "42601"), ("SHOW nothing", "42704")]:
            done = subprocess.run(
                ["psql", "-X", "-v", "VERBOSITY=sqlstate", "-c", text,
                 f"host=127.0.0.1 port={server.pg} user=ana dbname=x"],
                env={**os.environ, "PGPASSWORD": self.store.passwords["ana"]},
                stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False,
                text=True)
            self.assertEqual(done.stderr, f"ERROR:  {state}\n")

    def test_the_log_has_no_query_and_no_value(self):
        server = self.serve()
        psql(server, self.store,
             "SELECT count(*) FROM patients WHERE name = 'secretword'",
             "SELECT count(*) FROM nowhere_secretword")
        server.stop()
        said = server.said()
        self.assertIn("event=question", said)
        self.assertNotIn("secretword", said)
        self.assertNotIn("SELECT", said)

    def test_limits(self):
        server = self.serve("--max-per-analyst", "2", "--max-query", "1000",
                            "--max-message", "5000", "--login-seconds", "1")
        held = [connect(server, self.store) for _ in range(2)]
        with self.assertRaisesRegex(psycopg2.OperationalError,
                                    "too many connections for this analyst"):
            connect(server, self.store)
        with held[0].cursor() as cursor:
            with self.assertRaisesRegex(psycopg2.Error, "longer than 1000"):
                cursor.execute(COUNT + " " * 1000)
            held[0].rollback()
            cursor.execute(COUNT)
            with self.assertRaises(psycopg2.Error):
                cursor.execute(COUNT + " " * 6000)
        held[1].close()
        idle = socket.create_connection(("127.0.0.1", server.pg))
        idle.settimeout(10)
        self.assertIn(b"the login took too long", idle.recv(1000))
        idle.close()
        held[0].close()

    def test_another_cannot_cancel(self):
        server = self.serve()
        ana = connect(server, self.store)
        with socket.create_connection(("127.0.0.1", server.pg)) as link:
            link.sendall(struct.pack(">IIII", 16, 80877102,
                                     ana.info.backend_pid, 12345))
            self.assertEqual(link.recv(10), b"")
        with ana.cursor() as cursor:
            cursor.execute(COUNT)
            self.assertEqual(len(cursor.fetchall()), 1)
        ana.close()

    def test_cancel(self):
        """One worker is busy. A waiting question can be cancelled, which ends
        neither its session nor other questions."""
        server = self.serve("--workers", "1")
        many = [connect(server, self.store) for _ in range(40)]
        results = []

        def ask(connection, i):
            try:
                with connection.cursor() as cursor:
                    cursor.execute(f"SELECT count(*) FROM visits WHERE cost <> {i}")
                    results.append("answer")
            except psycopg2.extensions.QueryCanceledError as e:
                results.append(e.pgcode)
        threads = [threading.Thread(target=ask, args=(c, i))
                   for i, c in enumerate(many)]
        for thread in threads:
            thread.start()
        many[-1].cancel()
        for thread in threads:
            thread.join()
        self.assertGreaterEqual(results.count("answer"), 39)
        self.assertEqual(len(results), 40)
        many[-1].rollback()
        with many[-1].cursor() as cursor:
            cursor.execute(COUNT)
        for connection in many:
            connection.close()


class Owner(Case):
    def test_a_revoked_analyst_is_out_at_once(self):
        server = self.serve()
        ana = connect(server, self.store)
        ana.autocommit = True
        with ana.cursor() as cursor:
            cursor.execute(COUNT)
            self.store.custos("analyst", "revoke", "ana")
            time.sleep(0.3)  # a cached answer relies on a check of up to 0.25 s ago
            with self.assertRaises(psycopg2.Error):
                cursor.execute(COUNT)
        self.assertTrue(ana.closed)
        with self.assertRaisesRegex(psycopg2.OperationalError, "password"):
            connect(server, self.store)
        self.store.let_in("ana")
        connect(server, self.store).close()

    def test_cut_and_sessions(self):
        server = self.serve()
        ana = connect(server, self.store)
        said = self.store.custos("owner", "sessions")
        self.assertIn('"who":"ana"', said)
        self.store.custos("owner", "cut", "ana")
        with self.assertRaises(psycopg2.Error):
            with ana.cursor() as cursor:
                cursor.execute(COUNT)
        self.assertNotIn('"who":"ana"', self.store.custos("owner", "sessions"))

    def test_the_policy_changes_by_the_owners_reload(self):
        server = self.serve()
        policy = pathlib.Path(self.store.folder.name) / "policy.yaml"
        before = policy.read_text()
        policy.write_text(before.replace("max_epsilon: 50", "max_epsilon: 3"))
        try:
            ana = connect(server, self.store)
            ana.autocommit = True
            cursor = ana.cursor()
            cursor.execute("SET custos.epsilon = 5")
            cursor.execute("EXPLAIN " + COUNT)  # editing the file alone changes nothing
            self.store.custos("init", str(policy))
            with self.assertRaisesRegex(
                    psycopg2.Error, "the policy has changed\nHINT: +the owner "
                    "must run custos owner reload, or custos init again if no "
                    "server runs"):
                cursor.execute("SELECT count(*) FROM patients WHERE born < 7")
            server.process.send_signal(signal.SIGHUP)
            limit = time.monotonic() + 20
            while "event=reload" not in server.said() and \
                    time.monotonic() < limit:
                time.sleep(0.05)
            with self.assertRaises(psycopg2.Error):
                cursor.execute("EXPLAIN " + COUNT)
            ana.close()
        finally:
            policy.write_text(before)
            self.store.custos("init", str(policy))


def certify(folder, name):
    """Makes a self-signed certificate and its key."""
    cert, key = f"{folder}/{name}.cert.pem", f"{folder}/{name}.key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
         key, "-out", cert, "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=IP:127.0.0.1"],
        check=True, stderr=subprocess.DEVNULL)
    return cert, key


class Tls(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cert, cls.key = certify(cls.store.folder.name, "first")

    def test_tls_is_required_and_bound(self):
        server = self.serve("--tls-cert", self.cert, "--tls-key", self.key)
        done = psql(server, self.store, COUNT,
                    more=f"sslmode=verify-full sslrootcert={self.cert} "
                         "channel_binding=require")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = psql(server, self.store, COUNT, more="sslmode=disable")
        self.assertIn("requires TLS", done.stderr)
        done = psql(server, self.store, COUNT, password="wrong",
                    more="sslmode=require")
        self.assertIn("password authentication failed", done.stderr)

    def test_old_versions_and_plain_bytes_are_refused(self):
        server = self.serve("--tls-cert", self.cert, "--tls-key", self.key)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        for bytes_after in (b"", b"x"):
            with socket.create_connection(("127.0.0.1", server.pg)) as link:
                link.settimeout(10)
                link.sendall(struct.pack(">II", 8, 80877103) + bytes_after)
                said = link.recv(1000)
                if bytes_after:
                    self.assertEqual(said[:1], b"E")
                    continue
                self.assertEqual(said, b"S")
                with self.assertRaises((ssl.SSLError, ConnectionError, OSError)):
                    old.wrap_socket(link)

    def meets(self, server, cert, good=True):
        """A client that trusts only this certificate can connect to both
        listeners."""
        done = psql(server, self.store, COUNT,
                    more=f"sslmode=verify-full sslrootcert={cert} "
                         "channel_binding=require")
        self.assertEqual(done.returncode == 0, good, done.stderr)
        trust = ssl.create_default_context(cafile=cert)
        if good:
            got = call(server.http, "GET", "/v1/health", tls=trust)
            self.assertEqual(got.status, 200)
        else:
            with self.assertRaises(ssl.SSLError):
                call(server.http, "GET", "/v1/health", tls=trust)

    def test_reload_reads_certificates_again(self):
        folder = self.store.folder.name
        second = certify(folder, "second")
        cert, key = f"{folder}/now.cert.pem", f"{folder}/now.key.pem"

        def put(a, b):
            shutil.copy(a, cert)
            shutil.copy(b, key)

        def reload():
            return run("owner", "reload", "--store", self.store.path)

        put(self.cert, self.key)
        server = self.serve("--tls-cert", cert, "--tls-key", key)
        self.meets(server, self.cert)
        ana = connect(server, self.store, sslmode="require")
        kept = http.client.HTTPSConnection(
            "127.0.0.1", server.http, timeout=30,
            context=ssl.create_default_context(cafile=self.cert))
        kept.request("GET", "/v1/health")
        self.assertEqual(kept.getresponse().read()[:1], b"{")
        put(*second)
        self.meets(server, self.cert)
        done = reload()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.meets(server, second[0])
        self.meets(server, self.cert, good=False)
        # Existing connections continue.
        kept.request("GET", "/v1/health")
        self.assertEqual(kept.getresponse().read()[:1], b"{")
        kept.close()
        with ana.cursor() as cursor:
            cursor.execute(COUNT)
        ana.close()
        # Files that do not match are reported and change nothing.
        for a, b, says in [(self.cert, second[1], "fits the certificate"),
                           (second[1], second[1], "--tls-cert"),
                           ("/dev/null", second[1], "--tls-cert")]:
            put(a, b)
            done = reload()
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(says, (done.stdout + done.stderr).decode())
            self.meets(server, second[0])
        # A signal reloads as well, and the server then stops cleanly.
        put(self.cert, self.key)
        server.process.send_signal(signal.SIGHUP)
        for _ in range(100):
            if "event=reload " in server.said():
                break
            time.sleep(0.1)
        self.meets(server, self.cert)
        self.assertEqual(server.stop(), 0)

    def test_files_that_do_not_fit(self):
        done = run("serve", "--store", self.store.path, "--pg", "127.0.0.1:0",
                   "--http", "none", "--tls-cert", self.key, "--tls-key",
                   self.key)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"--tls-cert", done.stderr)


class End(Case):
    def test_a_graceful_stop(self):
        server = self.serve()
        ana = connect(server, self.store)
        self.assertEqual(server.stop(), 0)
        self.assertIn("event=stopped", server.said())
        with self.assertRaisesRegex(psycopg2.Error, "stopping|closed"):
            with ana.cursor() as cursor:
                cursor.execute(COUNT)

    def test_questions_that_run_are_answered(self):
        server = self.serve("--workers", "2")
        many = [connect(server, self.store) for _ in range(10)]
        for connection in many:
            # otherwise libpq drops an error between BEGIN and the query
            connection.autocommit = True
        results = []

        def ask(connection, i):
            try:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT department, avg(cost) FROM visits "
                                   f"WHERE cost <> {i}.5 GROUP BY department")
                    results.append(len(cursor.fetchall()))
            except psycopg2.Error as e:
                results.append(str(e))
        threads = [threading.Thread(target=ask, args=(c, i))
                   for i, c in enumerate(many)]
        for thread in threads:
            thread.start()
        time.sleep(0.05)
        self.assertEqual(server.stop(), 0)
        for thread in threads:
            thread.join()
        for result in results:
            if result != 3:
                self.assertRegex(result, "stopping")

    def test_drain(self):
        server = self.serve()
        ana = connect(server, self.store)
        self.store.custos("owner", "drain")
        with self.assertRaises(psycopg2.OperationalError):
            connect(server, self.store)
        with ana.cursor() as cursor:
            cursor.execute(COUNT)
        ana.close()
        self.assertEqual(server.process.wait(timeout=20), 0)

    def test_kill_and_start_again(self):
        server = self.serve()
        psql(server, self.store, "SET custos.epsilon = 1.5", COUNT)
        server.stop(signal.SIGKILL)
        server = self.serve()
        left = psql(server, self.store, "SHOW custos.budget").stdout
        self.assertLessEqual(float(left.split()[1]), 100000 - 1.5)
        self.store.custos("ledger", "verify")


class Refusals(CommandCase):
    def test_where_it_may_listen(self):
        at = ("serve", "--store", Case.store.path)
        self.refused(*at, "--pg", "0.0.0.0:0", says="reached from other machines")
        self.refused(*at, "--pg", "none", "--http", "0.0.0.0:0",
                     says="reached from other machines")
        self.refused(*at, "--pg", "0.0.0.0:0", "--insecure-listen",
                     says="reached from other machines")
        self.refused(*at, "--pg", "nonsense", says="not an address")
        self.refused(*at, "--pg", "none", "--http", "none", says="nobody")
        self.refused(*at, "--tls-cert", "x", says="given together")
        self.refused(*at, "--workers", "0", says="whole number")
        self.refused(*at, "word", says="unexpected word")
        with subprocess.Popen(
                [CUSTOS, *at, "--pg", "0.0.0.0:0", "--http", "none",
                 "--insecure-listen", "--i-know-this-is-not-private"],
                stderr=subprocess.PIPE, text=True) as told_twice:
            self.assertIn("event=listen", told_twice.stderr.readline())
            told_twice.terminate()
            told_twice.stderr.read()
            self.assertEqual(told_twice.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
