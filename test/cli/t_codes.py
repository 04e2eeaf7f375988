"""One mistake has one code: made through the command, HTTP or PostgreSQL, it
gives the exit code, HTTP status or SQLSTATE of the same custos_status."""
import http.client
import json
import pathlib
import re
import unittest

from command import run
from serving import Server, Store, call, need_module

psycopg2 = need_module("psycopg2")

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODES = dict(re.findall(r"\[CUSTOS_(E\w+)\] = (\d+)",
                        (ROOT / "src/wire/http_code.c").read_text()))
STATUS = {name: (sqlstate, int(CODES[name])) for name, sqlstate in re.findall(
    r'X\((E\w+), \d+, "(\w+)",', (ROOT / "include/custos.h").read_text())}

# The exit codes of src/cli/cli.h: 2 for wrong input, 3 for a spent budget, 1 for
# everything else.
EXITS = {**dict.fromkeys(STATUS, 1), **dict.fromkeys(
    ["EINVAL", "EPARSE", "ERANGE", "EOVERFLOW", "ESYNTAX", "EUNSUPPORTED",
     "ENAME", "EDENIED", "EPOLICY"], 2), "ESPENT": 3}

# what, status, who asks, the text, its epsilon
FACTS = [
    ("no such table", "ENAME", "ana", "SELECT count(*) FROM nowhere", "1"),
    ("no such view", "ENAME", "ana", "SELECT count(*) FROM cheap", "1"),
    ("no such column", "ENAME", "ana", "SELECT sum(height) FROM patients", "1"),
    ("a column without FROM", "ENAME", "ana", "SELECT age", "1"),
    ("a table without a grant", "ENAME", "bob",
     "SELECT count(*) FROM patients", "1"),
    ("a column without a grant", "ENAME", "bob",
     "SELECT count(came) FROM visits", "1"),
    ("not SQL", "ESYNTAX", "ana", "SELEC 1", "1"),
    ("two statements", "ESYNTAX", "ana",
     "SELECT count(*) FROM patients; SELECT count(*) FROM visits", "1"),
    ("a text that is too long", "EOVERFLOW", "ana",
     "SELECT count(*) FROM patients" + " " * 70000, "1"),
    ("a statement that changes data", "EUNSUPPORTED", "ana",
     "DELETE FROM patients", "1"),
    ("an unknown function", "EUNSUPPORTED", "ana",
     "SELECT count(*) FROM patients WHERE md5(sex) = 'x'", "1"),
    ("a price above the policy's", "EDENIED", "ana",
     "SELECT count(*) FROM patients", "51"),
    ("a price that is not a number", "EPARSE", "ana",
     "SELECT count(*) FROM patients", "much"),
    ("a budget that does not suffice", "ESPENT", "bob",
     "SELECT count(*) FROM visits", "4"),
]


class Codes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = Store()
        cls.addClassCleanup(cls.store.close)
        cls.server = Server(cls.store.path)
        cls.addClassCleanup(cls.server.stop)

    def command(self, *words, stdin=""):
        """The exit code of a command that fails, with output on standard error
        only."""
        done = run(*words, "--store", self.store.path, stdin=stdin)
        self.assertEqual(done.stdout, b"")
        self.assertTrue(done.stderr.startswith(b"custos: "), done.stderr)
        return done.returncode

    def http(self, method, path, body=None, who="ana"):
        got = call(self.server.http, method, path, body, self.store.tokens[who])
        return got.status, got.error["sqlstate"], got.error["code"]

    def one(self, status, got):
        """Status, SQLSTATE and code of an HTTP reply all belong to this
        custos_status."""
        sqlstate, code = STATUS[status]
        self.assertEqual(got, (code, sqlstate, status))

    def connect(self, who="ana", password=None):
        return psycopg2.connect(
            host="127.0.0.1", port=self.server.pg, user=who, dbname="custos",
            password=password or self.store.passwords[who])

    def sqlstate(self, who, sql, epsilon):
        connection = self.connect(who)
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                with self.assertRaises(psycopg2.Error) as caught:
                    cursor.execute("SET custos.epsilon = %s", (epsilon,))
                    cursor.execute(sql)
            return caught.exception.pgcode
        finally:
            connection.close()

    def test_questions(self):
        for what, status, who, sql, epsilon in FACTS:
            with self.subTest(what=what):
                for verb, path in [("query", "/v1/query"),
                                   ("explain", "/v1/explain")]:
                    if (status, verb) == ("ESPENT", "explain"):
                        continue  # EXPLAIN costs nothing
                    self.assertEqual(
                        self.command(verb, "--as", who, "--epsilon", epsilon,
                                     sql), EXITS[status])
                    self.one(status, self.http(
                        "POST", path, {"sql": sql, "epsilon": epsilon}, who))

    def test_questions_of_postgresql(self):
        for what, status, who, sql, epsilon in FACTS:
            if what == "two statements":
                continue  # PostgreSQL's protocol allows several in one text
            with self.subTest(what=what):
                self.assertEqual(self.sqlstate(who, sql, epsilon),
                                 STATUS[status][0])

    def test_an_analyst_whom_the_policy_does_not_have(self):
        count = "SELECT count(*) FROM patients"
        for name in ["nobody", "x" * 300]:
            for words in [("query", "--as", name, count),
                          ("explain", "--as", name, count),
                          ("shell", "--as", name), ("budget", "--as", name),
                          ("analyst", "add", name),
                          ("analyst", "rotate", name),
                          ("analyst", "token", name, "--rotate"),
                          ("analyst", "token", name, "--end-old"),
                          ("analyst", "revoke", name)]:
                with self.subTest(words=words[:3]):
                    self.assertEqual(self.command(*words), EXITS["ENAME"])
            for act in ["add", "rotate", "revoke"]:
                self.one("ENAME", self.http("POST", "/v1/owner/analysts",
                                            {"act": act, "name": name}, ""))

    def test_strangers_are_not_told_who_exists(self):
        said = set()
        for who in ["ana", "nobody", "x" * 60]:
            with self.assertRaises(psycopg2.OperationalError) as caught:
                self.connect(who, "wrong")
            said.add(str(caught.exception).replace(who, "NAME"))
        self.assertEqual(len(said), 1, said)
        for token in ["custos_" + "0" * 64, "nonsense"]:
            got = call(self.server.http, "GET", "/v1/schema", token=token)
            self.assertEqual((got.status, got.error["sqlstate"]),
                             (STATUS["EAUTH"][1], STATUS["EAUTH"][0]))

    def test_a_token_that_ends_while_the_body_comes(self):
        """The request is rejected, whatever it asked for."""
        body = json.dumps({"sql": "SELECT count(*) FROM visits"}).encode()
        for path in ["/v1/query", "/v1/explain"]:
            token = self.store.tokens["bob"]
            link = http.client.HTTPConnection("127.0.0.1", self.server.http,
                                              timeout=60)
            link.putrequest("POST", path)
            for name, value in [("Authorization", f"Bearer {token}"),
                                ("Content-Type", "application/json"),
                                ("Content-Length", str(len(body)))]:
                link.putheader(name, value)
            link.endheaders(body[:5])
            # Once another request is answered, the head of this one has been
            # read.
            self.http_ok("/v1/schema", "ana")
            self.store.custos("analyst", "revoke", "bob")
            link.send(body[5:])
            got = link.getresponse()
            error = json.loads(got.read())["error"]
            self.assertEqual((got.status, error["code"], error["sqlstate"]),
                             (401, "TOKEN", "28P01"), path)
            link.close()
            self.store.let_in("bob")

    def http_ok(self, path, who):
        got = call(self.server.http, "GET", path, token=self.store.tokens[who])
        self.assertEqual(got.status, 200, got.bytes)


class Reload(unittest.TestCase):
    def test_a_broken_policy(self):
        store = Store(people=10)
        self.addCleanup(store.close)
        server = Server(store.path)
        self.addCleanup(server.stop)
        last = max((pathlib.Path(store.path) / "policy").iterdir())
        last.write_text("custos: 1\ntables: 3\n")
        done = run("owner", "reload", "--store", store.path)
        self.assertEqual((done.returncode, done.stdout),
                         (EXITS["EPOLICY"], b""), done.stderr)
        checked = run("policy", "check", str(last))
        self.assertEqual(checked.returncode, EXITS["EPOLICY"])
        got = call(server.http, "POST", "/v1/owner/reload", {},
                   store.tokens[""])
        self.assertEqual((got.error["sqlstate"], got.status),
                         STATUS["EPOLICY"])
        self.assertIn(got.error["message"].encode(), done.stderr)


if __name__ == "__main__":
    unittest.main()
