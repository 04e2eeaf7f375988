"""What the console needs from the HTTP API besides answers: the history of
spending, the chain verified and hashed again from JSON alone, and the owner's
routes. An analyst, a page of another origin or a revoked token must fail here.
"""
import concurrent.futures
import copy
import hashlib
import http.client
import json
import pathlib
import re
import select
import shutil
import signal
import socket
import sqlite3
import tempfile
import threading
import unittest

from decimal import Decimal

from http_case import HttpCase
from serving import POLICY, Server, Store, call, need_module

psycopg2 = need_module("psycopg2")

ZOE = 'Zoë "Z"'
JSON = {"Content-Type": "application/json"}
LOOKS = ["/v1/owner/policy", "/v1/owner/analysts", "/v1/owner/data",
         "/v1/owner/health"]
MINE = LOOKS + ["/v1/owner/reload", "/v1/budget/history", "/v1/ledger/verify"]
ACTS = [("/v1/owner/analysts", {"act": "rotate", "name": "ana"}),
        ("/v1/owner/reload", {})]


def hash_of(row):
    """A row's hash, as /v1/openapi.json says it is made."""
    def integer(x):
        return (x % 2 ** 64).to_bytes(8, "little")

    def part(data):
        return integer(len(data)) + data

    def text(name):
        return part((row[name] or "").encode())

    return hashlib.sha256(
        part(b"custos ledger row, format %d" % (2 if row["delta_rho"] else 1))
        + part(bytes.fromhex(row["before"]))
        + integer(row["row"]) + integer(int(row["time_us"]))
        + b"".join(text(name) for name in [
            "what", "who", "query", "plan", "theorems", "words", "epsilon",
            "rho", "delta"])
        + (text("delta_rho") if row["delta_rho"] else b"")
        + integer(row["data_version"]) + part(bytes.fromhex(row["policy"]))
        + text("version")).hexdigest()


class Owner(HttpCase):
    def act(self, act, name, who=""):
        return self.call("POST", "/v1/owner/analysts",
                         {"act": act, "name": name}, who)

    def rows(self):
        rows, start = [], 0
        while start is not None:
            page = self.call("GET", f"/v1/ledger?limit=7&from={start}",
                             who="").json
            rows += page["rows"]
            start = page["next"]
        return rows

    def line(self, who, by=""):
        lines = self.call("GET", "/v1/budget/history", who=by).json["lines"]
        return next(line for line in lines if line["who"] == who)

    # -------------------------------------------------------------- history

    def test_spending_as_it_grew(self):
        before = Decimal((self.line("ana")["points"] or [{"spent": 0}])[-1]["spent"])
        for i, epsilon in enumerate(["0.1", "0.2", "0.3"]):
            self.ask(f"SELECT count(*) FROM patients WHERE born < {1960 + i}",
                     epsilon=epsilon)
        points = self.line("ana")["points"][-3:]
        self.assertEqual([Decimal(p["spent"]) - before for p in points],
                         [Decimal(x) for x in ["0.1", "0.3", "0.6"]])
        charges = {r["row"]: r for r in self.rows() if r["what"] == "charge"}
        for p in points:
            self.assertEqual(p["time"], charges[p["row"]]["time"])

    def test_the_last_point_is_the_balance(self):
        self.ask("SELECT count(*) FROM visits", "bob", epsilon="0.25")
        balance = self.call("GET", "/v1/budget", who="").json
        common = self.line(None)
        self.assertEqual(common["points"][-1]["spent"],
                         balance["common"]["spent"])
        self.assertEqual((common["currency"], common["limit"]),
                         (balance["common"]["currency"],
                          balance["common"]["limit"]))
        bob = self.line("bob")
        own = balance["analysts"][1]["own"]
        self.assertEqual(bob["points"][-1]["spent"], own["spent"])
        self.assertEqual(bob["limit"], own["limit"])

    def test_an_analyst_sees_one_line(self):
        self.ask("SELECT count(*) FROM patients WHERE born < 1977")
        got = self.call("GET", "/v1/budget/history", who="ana").json["lines"]
        self.assertEqual([line["who"] for line in got], ["ana"])
        self.assertIsNone(got[0]["limit"])
        self.assertEqual(got[0], self.line("ana"))
        everybody = self.call("GET", "/v1/budget/history", who="").json
        self.assertEqual([line["who"] for line in everybody["lines"]],
                         [None, "ana", "bob", ZOE])
        self.assertEqual(self.line(ZOE)["points"], [])

    # --------------------------------------------------------------- verify

    def test_the_chain_from_json_alone(self):
        self.ask("SELECT department, count(*) FROM visits GROUP BY department")
        self.ask("SELECT count(*) FROM patients WHERE sex <> 'ä€😀'")
        rows = self.rows()
        before = "0" * 64
        for i, row in enumerate(rows, 1):
            self.assertEqual((row["row"], row["before"]), (i, before))
            before = hash_of(row)
            self.assertEqual(row["receipt"], f"{i}:{before}")
        head = self.call("GET", "/v1/ledger/verify", who="").json["head"]
        self.assertGreaterEqual(int(head.partition(":")[0]), len(rows))
        for name in ["time_us", "words", "who", "policy", "version", "before"]:
            changed = dict(rows[-1])
            changed[name] = {"time_us": "1"}.get(name, "00" * 32)
            self.assertNotEqual(hash_of(changed), before, name)

    def test_a_page_of_one_analyst_can_be_hashed_too(self):
        self.ask("SELECT count(*) FROM visits", "bob", epsilon="0.125")
        got = self.call("GET", "/v1/ledger?analyst=bob", who="").json["rows"]
        for row in got:
            self.assertEqual(row["receipt"], f"{row['row']}:{hash_of(row)}")

    def test_analysts_get_nothing_of_the_chain(self):
        self.ask("SELECT count(*) FROM patients WHERE born < 1978")
        row = self.call("GET", "/v1/ledger", who="ana").json["rows"][-1]
        for name in ["time_us", "policy", "before"]:
            self.assertNotIn(name, row)
        got = self.call("GET", "/v1/ledger/verify", who="ana").json
        self.assertTrue(got["ok"])
        self.assertIsNone(got["rows"])
        self.assertIsNone(got["head"])
        self.assertNotRegex(got["said"], r"\d")
        self.ask("SELECT count(*) FROM patients WHERE born < 1979", "ana")
        self.assertEqual(
            self.call("GET", "/v1/ledger/verify", who="bob").json, got)

    def test_new_rows_are_hashed_when_asked(self):
        self.call("GET", "/v1/ledger/verify", who="")
        self.ask("SELECT count(*) FROM patients WHERE born < 1981")
        got = self.call("GET", "/v1/ledger/verify", who="").json
        self.assertTrue(got["ok"])
        self.assertEqual(got["head"], self.rows()[got["rows"] - 1]["receipt"])
        self.assertRegex(got["said"], r"\d+ s ago, .* since follow")

    # -------------------------------------------------------------- reading

    def test_policy(self):
        got = self.call("GET", "/v1/owner/policy", who="").json
        self.assertEqual(got["text"], POLICY)
        self.assertEqual(got["hash"],
                         hashlib.sha256(POLICY.encode()).hexdigest())
        self.assertFalse(got["waiting"])
        terms = [r for r in self.rows() if r["what"] == "terms"][-1]
        self.assertEqual(got["since"], terms["time"])
        self.assertEqual(terms["policy"], got["hash"])
        self.assertRegex(got["sentences"][-1],
                         r"^The policy can be used: 3 tables, 3 analysts, ")
        self.assertTrue(all(re.match(r"line \d+: .*\.$", s)
                            for s in got["sentences"][:-1]))

    def test_analysts(self):
        got = self.call("GET", "/v1/owner/analysts", who="").json
        self.assertEqual([a["name"] for a in got["analysts"]],
                         ["ana", "bob", ZOE])
        self.assertEqual((got["acts"], got["why_not"]), (True, None))
        budgets = self.call("GET", "/v1/budget", who="").json["analysts"]
        self.assertEqual([a["budget"] for a in got["analysts"]], budgets)
        for a in got["analysts"]:
            self.assertTrue(a["password"] and a["token"] and a["since"])

    def test_data(self):
        got = self.call("GET", "/v1/owner/data", who="").json["versions"]
        self.assertEqual([(v["version"], v["in_force"]) for v in got],
                         [(1, True)])
        self.assertEqual([(t["name"], t["public"]) for t in got[0]["tables"]],
                         [("patients", False), ("visits", False),
                          ("departments", True)])

    def test_health(self):
        got = self.call("GET", "/v1/owner/health", who="").json
        self.assertFalse(got["stopping"])
        self.assertEqual(got["running"], 0)  # this request is not counted
        self.assertGreaterEqual(got["ledger_rows"], 6)
        self.assertEqual(
            got["version"], self.call("GET", "/v1/health").json["version"])
        self.assertEqual(
            got["policy"], hashlib.sha256(POLICY.encode()).hexdigest())

    # ----------------------------------------------------------------- acts

    def test_secrets_are_given_changed_and_taken(self):
        first = self.store.tokens[ZOE]
        got = self.act("rotate", ZOE).json
        self.assertEqual(got["name"], ZOE)
        self.assertRegex(got["password"], r"^[a-z2-9]{20}$")
        self.assertRegex(got["token"], r"^custos_[0-9a-f]{64}$")

        def status(token):
            return call(self.server.http, "GET", "/v1/schema",
                        token=token).status

        self.assertEqual((status(first), status(got["token"])), (401, 200))
        gone = self.act("revoke", ZOE).json
        self.assertIsNone(gone["password"])
        self.assertIsNone(gone["token"])
        self.assertEqual(status(got["token"]), 401)
        seen = self.call("GET", "/v1/owner/analysts", who="").json["analysts"]
        self.assertEqual([seen[2][x] for x in ["password", "token", "since"]],
                         [False, False, None])
        again = self.act("add", ZOE).json
        self.store.tokens[ZOE] = again["token"]
        self.assertEqual(status(again["token"]), 200)
        acts = [(r["what"], r["words"]) for r in self.rows()
                if r["row"] >= int(got["receipt"].partition(":")[0])
                and r["what"] in {"rotate", "revoke", "add"}]
        self.assertEqual(acts[:3], [(x, ZOE)
                                    for x in ["rotate", "revoke", "add"]])
        for secret in [got["password"], got["token"], again["token"],
                       again["password"]]:
            self.assertNotIn(secret, self.server.said())
            self.assertNotIn(secret, json.dumps(self.rows()))

    def test_names_and_acts_that_are_none(self):
        length = len(self.rows())
        for status, code, name in [
                (404, "ENAME", "nobody"), (404, "ENAME", "ANA"),
                (404, "ENAME", "ana "), (404, "ENAME", "ana\ncut bob"),
                (404, "ENAME", "'; DROP TABLE doors; --"),
                (404, "ENAME", '"ana"'), (404, "ENAME", "Zoe\u0308 \"Z\""),
                (404, "ENAME", "\u202eana"), (404, "ENAME", "😀" * 50),
                (404, "ENAME", "x" * 300), (400, "EINVAL", "")]:
            with self.subTest(name=name):
                self.refused(status, code, self.act("rotate", name))
        self.refused(404, "ENAME", self.act("revoke", "nobody"))
        self.refused(404, "ENAME", self.act("revoke", "x" * 300))
        self.refused(400, "EINVAL", self.act("revoke", ""))
        self.refused(400, "EINVAL", self.act("add", "ana"))
        self.refused(400, "EINVAL", self.act("drop", "ana"))
        for body in [b"", b"{}", b"[]", b"null", b'{"act":"add"}',
                     b'{"name":"ana"}', b'{"act":1,"name":"ana"}',
                     b'{"act":"add","name":["ana"]}',
                     b'{"act":"add","name":"ana","password":"x"}',
                     b'{"act":"add","act":"add","name":"ana"}',
                     b'{"act":"add","name":"a\\u0000b"}',
                     b'{"act":"add","name":"\xff"}']:
            with self.subTest(body=body):
                got = self.call("POST", "/v1/owner/analysts", body, "", JSON)
                self.assertEqual(got.status, 400, got.bytes)
        for body in [b"", b"[]", b'{"force":true}', b"{}x"]:
            got = self.call("POST", "/v1/owner/reload", body, "", JSON)
            self.assertEqual(got.status, 400, got.bytes)
        again = [r for r in self.rows()[length:] if r["what"] != "given again"]
        self.assertEqual(again, [])

    def test_two_at_once(self):
        """Of concurrent adds exactly one succeeds. Every concurrent rotate
        returns a credential, and only the one written last is valid."""
        self.act("revoke", "bob")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            added = list(pool.map(lambda _: self.act("add", "bob"), range(8)))
            turned = list(pool.map(lambda _: self.act("rotate", "bob"),
                                   range(8)))
        self.assertEqual(sorted(r.status for r in added), [200] + [400] * 7)
        self.assertEqual([r.status for r in turned], [200] * 8)
        last = max((r.json for r in turned),
                   key=lambda r: int(r["receipt"].partition(":")[0]))
        holds = [r.json["token"] for r in turned if call(
            self.server.http, "GET", "/v1/schema",
            token=r.json["token"]).status == 200]
        self.assertEqual(holds, [last["token"]])
        self.store.tokens["bob"] = last["token"]

    def test_acts_while_it_reloads(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            reloads = [pool.submit(self.call, "POST", "/v1/owner/reload", {},
                                   "") for _ in range(3)]
            turned = [pool.submit(self.act, "rotate", "bob")
                      for _ in range(6)]
            asked = [pool.submit(self.ask, "SELECT count(*) FROM patients "
                                 f"WHERE born < {1901 + i}") for i in range(6)]
        for one in reloads + turned + asked:
            self.assertEqual(one.result().status, 200, one.result().bytes)
        last = max((r.result().json for r in turned),
                   key=lambda r: int(r["receipt"].partition(":")[0]))
        self.store.tokens["bob"] = last["token"]
        self.assertEqual(self.call("GET", "/v1/schema", who="bob").status, 200)
        self.assertEqual(reloads[0].result().json["data_version"], 1)
        self.assertTrue(self.call("GET", "/v1/ledger/verify", who="").json["ok"])

    # ------------------------------------------------------- who may not act

    def test_owner_routes_are_the_owners(self):
        length = len(self.rows())
        for who in ["ana", "bob", ZOE]:
            for path in LOOKS:
                self.refused(403, "OWNER", self.call("GET", path, who=who))
            for path, body in ACTS:
                self.refused(403, "OWNER", self.call("POST", path, body, who))
        for path in LOOKS + ["/v1/budget/history", "/v1/ledger/verify"]:
            self.refused(401, "TOKEN", self.call("GET", path))
        for path, body in ACTS:
            self.refused(401, "TOKEN", self.call("POST", path, body))
        again = [r for r in self.rows()[length:] if r["what"] != "given again"]
        self.assertEqual(again, [])

    def test_pages_of_other_origins_cannot_act(self):
        """A page of another origin cannot send JSON without a preflight request,
        whose reply allows nothing; and a cookie is not accepted as a token."""
        other = {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
        for path, body in ACTS:
            data = json.dumps(body).encode()
            for kind in ["text/plain", "application/x-www-form-urlencoded",
                         "multipart/form-data; boundary=x", "text/json",
                         "application/jsonp", ""]:
                got = self.call("POST", path, data, "",
                                {**other, "Content-Type": kind})
                self.refused(415, "TYPE", got)
            got = self.call("OPTIONS", path, None, None, {
                **other, "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers":
                "authorization, content-type"})
            self.assertEqual(got.status, 204)
            self.assertFalse([h for h in got.headers
                              if h.lower().startswith("access-control")])
            token = self.store.tokens[""]
            for head in [{"Cookie": f"token={token}; Authorization=Bearer "
                          f"{token}"}, {"X-Authorization": f"Bearer {token}"}]:
                self.refused(401, "TOKEN", self.call(
                    "POST", path, data, None, {**other, **JSON, **head}))
                self.refused(401, "TOKEN", self.call(
                    "GET", "/v1/owner/policy", None, None, head))

    def test_zz_the_document_is_whole(self):
        """Every status that /v1/openapi.json lists was seen. (Its name makes
        this the last test.)"""
        for path in MINE:
            self.refused(405, "METHOD", self.call("PUT", path, b"", ""))
        self.all_seen(MINE)


class Stores(unittest.TestCase):
    """Each test has its own copy of a store, because it changes the store."""

    @classmethod
    def setUpClass(cls):
        cls.first = Store(people=50)
        cls.addClassCleanup(cls.first.close)

    def setUp(self):
        self.store = copy.copy(self.first)
        self.store.tokens = dict(self.first.tokens)
        self.store.path = tempfile.mkdtemp(dir=self.first.folder.name) + "/s"
        shutil.copytree(self.first.path, self.store.path)

    def serve(self, *words, **more):
        server = Server(self.store.path, *words, **more)
        self.addCleanup(server.log.close)
        self.addCleanup(server.stop)
        return server

    def get(self, server, path, who=""):
        return call(server.http, "GET", path, token=self.store.tokens[who])

    def act(self, server, body, path="/v1/owner/analysts"):
        return call(server.http, "POST", path, body, self.store.tokens[""])

    def test_off_loopback_acts_are_the_commands(self):
        server = self.serve("--insecure-listen", "--i-know-this-is-not-private",
                            host="0.0.0.0")
        for path, body in ACTS:
            got = self.act(server, body, path)
            self.assertEqual((got.status, got.error["code"]), (403, "ACT"))
            self.assertIn("custos analyst", got.error["hint"])
        got = self.get(server, "/v1/owner/analysts").json
        self.assertFalse(got["acts"])
        self.assertIn("custos analyst", got["why_not"])
        self.assertEqual(self.get(server, "/v1/owner/health").status, 200)

    def test_a_token_that_went_while_the_body_came(self):
        server = self.serve()
        token = self.store.tokens[""]
        body = b'{"act":"rotate","name":"ana"}'
        with socket.create_connection(("127.0.0.1", server.http)) as s:
            s.sendall(b"POST /v1/owner/analysts HTTP/1.1\r\nHost: localhost\r\n"
                      b"Content-Type: application/json\r\n"
                      b"Authorization: Bearer " + token.encode()
                      + b"\r\nContent-Length: %d\r\n\r\n" % len(body))
            # answered only after the head of the other request has been read
            self.assertEqual(self.get(server, "/v1/owner/data").status, 200)
            self.store.let_in("")
            s.sendall(body)
            self.assertRegex(s.recv(1 << 16), rb"^HTTP/1.1 401 ")
        self.assertEqual(self.get(server, "/v1/schema", "ana").status, 200)
        self.assertEqual(call(server.http, "GET", "/v1/owner/policy",
                              token=token).status, 401)

    def test_sessions_end_with_their_password(self):
        server = self.serve()

        def enter(password):
            return psycopg2.connect(host="127.0.0.1", port=server.pg,
                                    user="ana", password=password,
                                    dbname="custos")

        new = self.act(server, {"act": "rotate", "name": "ana"}).json
        session = enter(new["password"])
        self.addCleanup(session.close)
        said = self.store.custos("owner", "sessions")
        self.assertIn('"who":"ana"', said)
        self.act(server, {"act": "revoke", "name": "ana"})
        said = self.store.custos("owner", "sessions")
        self.assertNotIn('"who":"ana"', said)
        with self.assertRaises(psycopg2.Error):
            session.cursor().execute("SELECT count(*) FROM patients")
        with self.assertRaises(psycopg2.Error):
            enter(new["password"])

    def test_who_says_nothing_at_the_socket_keeps_nobody_out(self):
        server = self.serve()
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(f"{self.store.path}/owner.sock")
            self.assertEqual(self.get(server, "/v1/owner/health").status, 200)
            self.assertEqual(silent.recv(1), b"")

    def test_it_ends_while_the_owner_asks(self):
        """No request waits at the owner's socket for an event loop that has
        ended."""
        server = self.serve()

        def look():
            try:
                self.get(server, "/v1/owner/health")
            except (OSError, http.client.HTTPException):
                pass  # the server had ended

        threads = [threading.Thread(target=look) for _ in range(4)]
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(f"{self.store.path}/owner.sock")
            for t in threads:
                t.start()
            while b"questions_running 4" not in self.get(
                    server, "/metrics").bytes and not select.select(
                        [silent], [], [], 0)[0]:
                pass  # on a slow machine the server may hang up before
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(timeout=25), 0)
        for t in threads:
            t.join()

    def test_a_policy_waits_for_reload(self):
        server = self.serve()
        folder = pathlib.Path(self.store.folder.name)
        text = POLICY.replace("  bob: {", "  bea: {}\n  bob: {")
        text = re.sub(r'\n  "Zo.*', "", text)
        (folder / "policy.yaml").write_text(text)
        self.store.custos("init", str(folder / "policy.yaml"))
        policy = self.get(server, "/v1/owner/policy").json
        self.assertTrue(policy["waiting"])
        self.assertEqual(policy["text"], POLICY)
        got = self.act(server, {}, "/v1/owner/reload")
        self.assertEqual((got.status, got.json["data_version"]), (200, 2))
        policy = self.get(server, "/v1/owner/policy").json
        self.assertFalse(policy["waiting"])
        self.assertEqual(policy["text"], text)
        analysts = self.get(server, "/v1/owner/analysts").json["analysts"]
        self.assertEqual([(a["name"], a["token"], a["budget"] is None)
                          for a in analysts],
                         [("ana", True, False), ("bea", False, False),
                          ("bob", True, False), (ZOE, True, True)])
        self.assertEqual(self.get(server, "/v1/schema", ZOE).status, 401)
        self.assertEqual(
            self.act(server, {"act": "rotate", "name": ZOE}).status, 404)
        self.assertEqual(
            self.act(server, {"act": "revoke", "name": ZOE}).status, 200)
        self.assertEqual(
            self.act(server, {"act": "add", "name": "bea"}).status, 200)
        data = self.get(server, "/v1/owner/data").json["versions"]
        self.assertEqual([v["version"] for v in data if v["in_force"]], [2])

    def test_a_policy_that_is_broken_stays_out(self):
        server = self.serve()
        last = max((pathlib.Path(self.store.path) / "policy").iterdir())
        last.write_text("custos: 1\ntables: 3\n")
        got = self.act(server, {}, "/v1/owner/reload")
        self.assertEqual((got.status, got.error["code"]), (400, "EPOLICY"))
        self.assertEqual(self.get(server, "/v1/schema", "ana").status, 200)

    def ask(self, server, i):
        got = call(server.http, "POST", "/v1/query",
                   {"sql": f"SELECT count(*) FROM patients WHERE born < {i}"},
                   self.store.tokens["ana"])
        self.assertEqual(got.status, 200, got.bytes)

    def change(self, sql, *values):
        """Changes the ledger without its triggers, as anybody with the file
        could."""
        with sqlite3.connect(f"{self.store.path}/ledger.db") as db:
            db.execute("DROP TRIGGER IF EXISTS chain_no_update")
            db.execute("DROP TRIGGER IF EXISTS chain_no_delete")
            db.execute(sql, values)
        db.close()

    def test_a_changed_row_is_found(self):
        server = self.serve()
        self.ask(server, 1950)
        self.change("UPDATE chain SET query = 'SELECT 1' WHERE kind = 'charge'")
        got = self.get(server, "/v1/ledger/verify").json
        self.assertFalse(got["ok"])
        self.assertIn("row 8 is not what its hash says", got["said"])
        self.assertIsNone(got["head"])
        for _ in range(3):
            said = self.get(server, "/v1/ledger/verify", "bob").json
            self.assertFalse(said["ok"])
            self.assertNotRegex(said["said"], r"\d")

    def test_a_row_that_came_changed_is_found_without_all_the_others(self):
        server = self.serve()
        self.assertTrue(self.get(server, "/v1/ledger/verify").json["ok"])
        self.ask(server, 1950)
        self.change("UPDATE chain SET query = 'SELECT 1' WHERE kind = 'charge'")
        got = self.get(server, "/v1/ledger/verify").json
        self.assertFalse(got["ok"])
        self.assertIn("row 8", got["said"])

    def test_a_ledger_put_back_is_found(self):
        server = self.serve()
        self.ask(server, 1950)
        self.assertEqual(
            self.get(server, "/v1/ledger/verify").json["rows"], 8)
        self.change("DELETE FROM chain WHERE kind = 'charge'")
        got = self.get(server, "/v1/ledger/verify").json
        self.assertFalse(got["ok"])
        self.assertIn("older", got["said"])


if __name__ == "__main__":
    unittest.main()
