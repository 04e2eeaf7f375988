"""The HTTP API of a real server: every route, and what is rejected and how.
Every reply conforms to /v1/openapi.json and contains no private data.
"""
import csv
import decimal
import http.client
import io
import json
import pathlib
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

from http_case import ENGINE, HttpCase
from serving import MARK, Server, Store, call

COUNT = "SELECT sex, count(*) AS n FROM patients GROUP BY sex"

# Metrics: questions that a worker thread has, and questions that wait for one.
WORK = ("questions_running", "questions_waiting")

# Tested in t_http_owner.py, like everything below /v1/owner.
ELSEWHERE = {"/v1/budget/history", "/v1/ledger/verify"}


class Http(HttpCase):
    # ---------------------------------------------------------------- query

    def test_an_answer(self):
        got = self.ask(COUNT, epsilon="0.5").json
        self.assertEqual([c["name"] for c in got["columns"]], ["sex", "n"])
        self.assertEqual([c["type"] for c in got["columns"]],
                         ["text", "integer"])
        self.assertEqual([c["key"] for c in got["columns"]], [True, False])
        self.assertEqual([r[0] for r in got["rows"]],
                         [{"value": "f"}, {"value": "m"}])
        for _, n in got["rows"]:
            self.assertLessEqual(int(n["low"]), int(n["value"]))
            self.assertLessEqual(int(n["value"]), int(n["high"]))
            self.assertLess(abs(int(n["value"]) - 200), 100)
        self.assertEqual(got["kind"], "private")
        self.assertEqual(got["cost"]["epsilon"], "0.5")
        self.assertEqual(got["cost"]["delta"], "0")
        self.assertFalse(got["stored"])
        self.assertIn("at most 1 row of each id counts", got["remarks"])

    def test_the_same_again_is_free(self):
        first = self.ask(COUNT, epsilon="0.25").json
        again = self.ask(COUNT, epsilon="0.25").json
        self.assertTrue(again["stored"])
        self.assertEqual(again["rows"], first["rows"])
        self.assertEqual(again["receipt"], first["receipt"])

    def test_numbers_or_texts_for_amounts(self):
        for epsilon in ["0.125", 0.125]:
            got = self.ask(COUNT, epsilon=epsilon).json
            self.assertEqual(got["cost"]["epsilon"], "0.125")
        got = self.ask(COUNT, within=40).json
        self.assertLess(float(got["cost"]["epsilon"]), 0.2)

    def test_parameters(self):
        sql = "SELECT count(*) FROM visits WHERE department = $1 AND cost < $2"
        got = self.ask(sql, params=["heart", 2000.5])
        self.assertEqual(got.status, 200, got.bytes)
        self.refused(400, "EINVAL", self.ask(sql, params=["heart"]))
        self.refused(400, "EINVAL", self.ask(sql, params=["heart", "dear"]))

    def test_a_warned_query_can_be_stopped_before_its_charge(self):
        body = {"sql": "SELECT count(*) FROM patients WHERE sex = 'F'",
                "epsilon": "0.03125"}
        said = "'F' is not among the public values of sex; nearest: 'f'"
        got = self.call("POST", "/v1/explain", body, "ana").json
        self.assertEqual(got["warnings"], [said])
        before = self.call("GET", "/v1/budget", who="ana").json
        reply = self.call("POST", "/v1/query", {**body, "cautious": True},
                          "ana")
        self.refused(400, "EINVAL", reply)
        self.assertEqual(reply.error["message"], said)
        self.assertEqual(self.call("GET", "/v1/budget", who="ana").json,
                         before)
        got = self.call("POST", "/v1/query", {**body, "cautious": False},
                        "ana").json
        self.assertEqual(got["warnings"], [said])

    def test_public_tables_are_free_and_exact(self):
        got = self.ask("SELECT department, floor FROM departments "
                       "ORDER BY department").json
        self.assertEqual([[c["value"] for c in r] for r in got["rows"]],
                         [["bones", "2"], ["eyes", "2"], ["heart", "1"]])
        self.assertEqual((got["kind"], got["receipt"]), ("public", None))
        self.assertEqual(got["cost"]["epsilon"], "0")

    def test_a_public_part_that_fails_costs_nothing(self):
        part = ("SELECT stddev_pop(CAST(floor AS double precision){}) AS x "
                "FROM departments")
        asked = "SELECT count(*) AS n FROM patients JOIN ({}) AS q ON x >= 0"
        before = self.call("GET", "/v1/budget", who="ana").json
        reply = self.ask(asked.format(part.format(" * 1e35" * 6)),
                         epsilon="0.125")
        self.assertEqual(reply.status, 400, reply.bytes)
        self.assertIn("public tables cannot be computed",
                      reply.error["message"])
        after = self.call("GET", "/v1/budget", who="ana").json
        self.assertEqual(after, before)
        # the same worker still answers a query that can be computed
        reply = self.ask(asked.format(part.format("")), epsilon="0.125")
        self.assertEqual(reply.status, 200, reply.bytes)
        self.assertEqual(reply.json["cost"]["epsilon"], "0.125")

    def test_dates_and_decimals_are_exact_texts(self):
        got = self.ask("SELECT median(since) AS d, avg(weight) AS w "
                       "FROM patients", epsilon=20).json
        day, weight = got["rows"][0]
        self.assertRegex(day["value"], r"^\d{4}-\d\d-\d\d$")
        self.assertRegex(weight["value"], r"^\d+\.\d+$")

    def test_csv(self):
        body = {"sql": COUNT, "epsilon": "0.375"}
        for path, head in [("/v1/query?format=csv", {}),
                           ("/v1/query", {"Accept": "text/csv"})]:
            got = self.call("POST", path, body, "ana", head)
            rows = list(csv.reader(io.StringIO(got.bytes.decode())))
            self.assertEqual(rows[0], ["sex", "n", "n_low", "n_high"])
            self.assertEqual([r[0] for r in rows[1:]], ["f", "m"])
            self.assertEqual(got.headers["Custos-Epsilon"], "0.375")
            self.assertRegex(got.headers["Custos-Receipt"], r"^\d+:[0-9a-f]+$")
        self.assertEqual(got.headers["Custos-Stored"], "true")

    # ---------------------------------------------------------------- batches

    def batch(self, *queries, path="/v1/batch", **more):
        return self.call("POST", path, {"queries": list(queries), **more},
                         "ana")

    def test_a_batch(self):
        one = {"sql": "SELECT count(*) FROM patients WHERE weight < 50",
               "epsilon": "0.0625"}
        two = {"sql": "SELECT count(*) FROM visits WHERE cost < $1",
               "params": [1000], "epsilon": 0.125}
        public = {"sql": "SELECT department FROM departments"}
        plans = self.batch(one, two, public, one, path="/v1/batch/explain")
        self.assertEqual(plans.status, 200, plans.bytes)
        self.assertEqual(plans.json["cost"]["epsilon"], "0.1875")
        self.assertEqual([p["stored"] for p in plans.json["plans"]],
                         [False, False, False, True])
        spent = self.call("GET", "/v1/budget", who="ana").json
        got = self.batch(one, two, public, one)
        self.assertEqual(got.status, 200, got.bytes)
        self.assertEqual(got.json["cost"]["epsilon"], "0.1875")
        answers = got.json["answers"]
        self.assertEqual([a["stored"] for a in answers],
                         [False, False, False, True])
        self.assertEqual([a["kind"] for a in answers],
                         ["private", "private", "public", "private"])
        self.assertEqual(answers[0]["rows"], answers[3]["rows"])
        rows = [int(a["receipt"].split(":")[0]) for a in answers[:2]]
        self.assertEqual(rows[1], rows[0] + 1)
        after = self.call("GET", "/v1/budget", who="ana").json
        self.assertEqual(after["analysts"][0]["charges"],
                         spent["analysts"][0]["charges"] + 2)
        # all of it is cached now, and by single queries too
        again = self.batch(one, two, public, one).json
        self.assertEqual(again["cost"]["epsilon"], "0")
        self.assertEqual([a["rows"] for a in again["answers"]],
                         [a["rows"] for a in answers])
        self.assertTrue(self.ask(one["sql"], epsilon="0.0625").json["stored"])
        self.assertEqual(after, self.call("GET", "/v1/budget", who="ana").json)

    def test_a_batch_is_charged_as_a_whole_or_not_at_all(self):
        good = {"sql": "SELECT count(*) FROM patients WHERE weight < 51",
                "epsilon": "0.0625"}
        before = self.call("GET", "/v1/budget", who="ana").json
        for queries, status, code, says in (
                ([good, {"sql": "SELECT count(*) FROM nowhere"}], 404, "ENAME",
                 "query 2: "),
                ([{"sql": "SELECT"}, good], 400, "ESYNTAX", "query 1: "),
                ([good, good, {"sql": "EXPLAIN SELECT 1"}], 400,
                 "EUNSUPPORTED", "query 3: EXPLAIN"),
                ([good, {"sql": "BEGIN"}], 400, "EUNSUPPORTED", "query 2: "),
                ([good, {"sql": "x" * 70000}], 400, "EOVERFLOW", "query 2: "),
                ([good, {"sql": ""}], 400, "EINVAL", "query 2: "),
                ([good, 7], 400, "EINVAL", "query 2: "),
                ([good] * 65, 400, "EOVERFLOW", "65 queries"),
                ([], 400, "EINVAL", "queries")):
            reply = self.batch(*queries)
            self.assertEqual((reply.status, reply.error["code"]),
                             (status, code), reply.bytes)
            self.assertIn(says, reply.error["message"])
            self.assertEqual(
                before, self.call("GET", "/v1/budget", who="ana").json)
        spent = self.call("GET", "/v1/budget", who="bob").json
        reply = self.call("POST", "/v1/batch", {"queries": [
            {"sql": f"SELECT count(*) FROM visits WHERE cost < {i}",
             "epsilon": "0.9"} for i in range(4)]}, "bob")
        self.assertIn("your own budget", self.refused(
            409, "ESPENT", reply)["message"])
        self.assertEqual(spent, self.call("GET", "/v1/budget", who="bob").json)
        warned = {"sql": "SELECT count(*) FROM patients WHERE sex = 'F'",
                  "epsilon": "0.015625"}
        reply = self.batch(good, warned, cautious=True)
        self.refused(400, "EINVAL", reply)
        self.assertIn("query 2: 'F' is not among", reply.error["message"])
        self.assertEqual(before,
                         self.call("GET", "/v1/budget", who="ana").json)
        self.assertEqual(self.batch(good).status, 200)

    # -------------------------------------------------------------- explain

    def test_explain_costs_nothing(self):
        before = self.call("GET", "/v1/budget", who="ana").json
        got = self.call("POST", "/v1/explain",
                        {"sql": COUNT, "epsilon": "0.5"}, "ana").json
        self.assertEqual(got["cost"]["epsilon"], "0.5")
        self.assertEqual([c["name"] for c in got["columns"]], ["sex", "n"])
        self.assertEqual([c["within"] for c in got["columns"]], [None, "6"])
        self.assertTrue(any("Laplace" in line for line in got["plan"]))
        self.assertIn("at most 1 row of each id counts", got["remarks"])
        self.assertIsNotNone(got["remaining"])
        same = self.call("POST", "/v1/explain",
                         {"sql": "explain " + COUNT, "epsilon": "0.5"}, "ana")
        self.assertEqual(same.json, got)
        after = self.call("GET", "/v1/budget", who="ana").json
        self.assertEqual(before, after)

    def test_what_is_unknown_before_is_null(self):
        got = self.call("POST", "/v1/explain",
                        {"sql": "SELECT avg(born), sum(born) "
                                "FROM patients"}, "ana").json
        self.assertEqual([c["within"] is None for c in got["columns"]],
                         [True, False])
        got = self.call("POST", "/v1/explain",
                        {"sql": "SELECT sum(weight) FROM patients"},
                        "ana").json
        self.assertEqual([c["within"] for c in got["columns"]], [None])

    def test_a_range_is_found_once(self):
        sql = "SELECT sum(weight) FROM patients"
        before = self.call("GET", "/v1/budget", who="ana").json
        got = self.ask(sql, epsilon=5).json
        self.assertEqual(got["cost"]["epsilon"], "5")
        self.assertRegex("\n".join(got["remarks"]),
                         r"the range \[-?\d+, \d+\] of weight was found from the "
                         "data, for an epsilon of 1 within the price")
        after = self.call("GET", "/v1/budget", who="ana").json
        self.assertNotEqual(before, after)
        same = self.ask(sql, epsilon=5).json
        self.assertEqual((same["rows"], same["remarks"]),
                         (got["rows"], got["remarks"]))
        self.assertEqual(self.call("GET", "/v1/budget", who="ana").json, after)

    def test_explain_points_into_what_was_sent(self):
        sql = "SELECT count(*) FROM patients WHERE nobody = 1"
        for text in [sql, "EXPLAIN " + sql]:
            got = self.call("POST", "/v1/explain", {"sql": text}, "ana")
            error = self.refused(404, "ENAME", got)
            self.assertEqual(error["position"], text.index("nobody") + 1)

    # --------------------------------------------------------------- errors

    def test_errors_have_a_place_in_characters(self):
        sql = "SELECT 'äöü€', count(*) FROM patients WHERE nobody = 1"
        error = self.refused(404, "ENAME", self.ask(sql))
        self.assertEqual(error["position"], sql.index("nobody") + 1)
        self.assertEqual(error["sqlstate"], "42704")

    def test_refusals(self):
        for status, code, sql in [
                (400, "ESYNTAX", "SELEC 1"),
                (400, "EINVAL", ""),
                (404, "ENAME", "SELECT count(*) FROM nothing"),
                (400, "EUNSUPPORTED", "SELECT * FROM patients"),
                (400, "EUNSUPPORTED", "DROP TABLE patients"),
                (400, "ESYNTAX", "SELECT 1; SELECT 2"),
                (400, "EUNSUPPORTED", "SELECT pg_sleep(1)")]:
            with self.subTest(sql=sql):
                self.refused(status, code, self.ask(sql))

    def test_what_is_not_granted_is_not_there(self):
        """A hidden name and one that does not exist get the same words."""
        for hidden, none in [
                ("SELECT count(*) FROM patients",
                 "SELECT count(*) FROM patientz"),
                ("SELECT count(*) FROM visits WHERE came IS NULL",
                 "SELECT count(*) FROM visits WHERE camf IS NULL")]:
            a, b = self.ask(hidden, "bob"), self.ask(none, "bob")
            self.assertEqual(a.status, b.status)
            self.assertEqual(
                a.error["message"].replace("patients", "patientz")
                .replace("came", "camf"), b.error["message"])

    def test_a_spent_budget(self):
        sql = "SELECT department, count(*) FROM visits GROUP BY department"
        self.assertEqual(self.ask(sql, "bob", epsilon="2.5").status, 200)
        self.refused(409, "ESPENT", self.ask(sql, "bob", epsilon="2.6"))
        own = self.call("GET", "/v1/budget", who="bob").json["analysts"][0]
        self.assertEqual(own["own"]["spent"], "2.5")
        self.assertEqual(own["left_epsilon"], "0.5")

    def test_bad_bodies(self):
        deep = b'{"sql":' + b"[" * 5000 + b"]" * 5000 + b"}"
        for body in [b"", b"{", b"null", b"[]", b"1", b'"sql"', b"{}",
                     b'{"sql":1}', b'{"sql":null}', b'{"sql":"SELECT 1"}x',
                     b'{"sql":"a","sql":"b"}', b'{"sql":"SELECT 1","x":1}',
                     b'{"sql":"SELECT 1","epsilon":true}',
                     b'{"sql":"SELECT count(*) FROM patients",'
                     b'"epsilon":"NaN"}',
                     b'{"sql":"SELECT count(*) FROM patients",'
                     b'"epsilon":1e99999}',
                     b'{"sql":"SELECT count(*) FROM patients","epsilon":-1}',
                     b'{"sql":"SELECT count(*) FROM patients","epsilon":0}',
                     b'{"sql":"SELECT 1","jointly":"yes"}',
                     b'{"sql":"SELECT 1","cautious":1}',
                     b'{"sql":"SELECT 1","params":{}}',
                     b'{"sql":"SELECT 1","params":[[1]]}',
                     b'{"sql":"\\u0000"}', b'{"sql":"\\ud800"}',
                     b'{"sql":"\xff\xfe"}', b"\xef\xbb\xbf{}", deep]:
            with self.subTest(body=body[:60]):
                got = self.call("POST", "/v1/query", body, "ana",
                                {"Content-Type": "application/json"})
                self.assertEqual(got.status, 400, got.bytes)

    # ---------------------------------------------------------- credentials

    def test_no_token_no_answer(self):
        for method, path in [("POST", "/v1/query"), ("POST", "/v1/explain"),
                             ("POST", "/v1/batch"),
                             ("POST", "/v1/batch/explain"),
                             ("GET", "/v1/budget"), ("GET", "/v1/schema"),
                             ("GET", "/v1/ledger"), ("GET", "/metrics"),
                             ("GET", "/v1/me"), ("GET", "/v1/risk")]:
            body = {"sql": COUNT} if method == "POST" else None
            for head in [{}, {"Authorization": ""},
                         {"Authorization": "Bearer"},
                         {"Authorization": "Basic YW5hOmFuYQ=="}]:
                got = self.call(method, path, body, headers=head)
                self.refused(401, "TOKEN", got)
                self.assertTrue(
                    got.headers["WWW-Authenticate"].startswith("Bearer"))

    def test_what_is_open(self):
        self.assertEqual(self.call("GET", "/v1/health").json["status"], "ok")
        self.assertEqual(self.document["openapi"][:4], "3.1.")

    def test_deep_health_is_the_owners(self):
        got = self.call("GET", "/v1/health/deep", who="").json
        self.assertEqual(got["status"], "ok")
        self.assertTrue(got["ledger"]["ok"])
        self.assertGreater(got["ledger"]["free_bytes"], 0)
        self.assertTrue(got["worker"]["ok"])
        self.refused(403, "OWNER",
                     self.call("GET", "/v1/health/deep", who="ana"))
        self.assertEqual(self.call("GET", "/v1/health/deep").status, 401)

    def test_metrics_are_the_owners(self):
        self.refused(403, "OWNER", self.call("GET", "/metrics", who="ana"))
        self.ask(COUNT)
        text = self.call("GET", "/metrics", who="").bytes.decode()
        self.assertRegex(text, r"\ncustos_uptime_seconds \d+\n")
        self.assertRegex(text, r"\ncustos_questions_waiting 0\n")
        self.assertRegex(
            text, r'\ncustos_http_replies_total{status="200"} \d+\n')
        self.assertRegex(
            text, r'\ncustos_http_errors_total{code="OWNER"} \d+\n')
        for line in text.splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) custos_\w+ .+"
                             r'|custos_\w+({\w+="[^"]*"})? \d+)$')

    # --------------------------------------------------- schema and budgets

    def test_schema(self):
        got = self.call("GET", "/v1/schema", who="ana").json
        tables = {t["name"]: t for t in got["tables"]}
        self.assertEqual(sorted(tables), ["departments", "patients", "visits"])
        columns = {c["name"]: c for c in tables["patients"]["columns"]}
        self.assertEqual(columns["sex"]["values"], ["f", "m"])
        self.assertEqual(columns["sex"]["comment"], "as the register has it")
        self.assertEqual(columns["weight"]["range"],
                         {"low": "0.0", "high": "200.0"})
        self.assertEqual(columns["weight"]["scale"], 1)
        self.assertTrue(columns["id"]["unit"])
        self.assertEqual(tables["visits"]["unit"],
                         {"row": False, "rows_per_unit": 4,
                          "groups_per_unit": 4,
                          "rows_per_unit_and_group": 4,
                          "column": "patient_id"})
        self.assertEqual(tables["visits"]["columns"][0]["references"],
                         {"table": "patients", "column": "id"})
        self.assertTrue(tables["departments"]["public"])
        self.assertTrue(columns["weight"]["find_range"])
        self.assertFalse(columns["born"]["find_range"])
        self.assertEqual([v["name"] for v in got["views"]], ["dear"])
        self.assertEqual([(c["name"], c["type"], c["unit"])
                          for c in got["views"][0]["columns"]],
                         [("patient_id", "integer", True),
                          ("cost", "decimal", False)])

    def test_schema_shows_what_is_granted(self):
        got = self.call("GET", "/v1/schema", who="bob")
        self.assertNotIn(b"patient", got.bytes)
        self.assertNotIn(b"dear", got.bytes)
        names = [c["name"] for c in got.json["tables"][-1]["columns"]]
        self.assertEqual(names, ["department", "cost"])

    def test_budgets(self):
        own = self.call("GET", "/v1/budget", who="ana").json
        self.assertIsNone(own["common"])
        self.assertEqual([a["name"] for a in own["analysts"]], ["ana"])
        window = self.call("GET", "/v1/budget", who='Zoë "Z"').json
        self.assertEqual(window["analysts"][0]["window_days"], 7)
        self.assertEqual(window["analysts"][0]["window"]["left_epsilon"],
                         "0.5")
        everything = self.call("GET", "/v1/budget", who="").json
        self.assertEqual(everything["common"]["epsilon"], "100000")
        self.assertEqual([a["name"] for a in everything["analysts"]],
                         ["ana", "bob", 'Zoë "Z"'])

    def test_spent_is_the_sum_of_the_rows(self):
        self.ask("SELECT avg(weight) FROM patients WHERE born < 1960",
                 epsilon="0.125")
        told = self.call("GET", "/v1/budget", who="ana").json
        self.assertIsNone(told["spent"])
        rows = self.call("GET", "/v1/ledger?limit=1000", who="ana").json["rows"]
        for currency, spent in told["analysts"][0]["spent"].items():
            self.assertEqual(
                sum(decimal.Decimal(r[currency]) for r in rows
                    if r["epsilon"]), decimal.Decimal(spent))

    # --------------------------------------------------------------- ledger

    def test_ledger_pages(self):
        for i in range(5):
            self.ask(f"SELECT count(*) FROM patients WHERE born < {1950 + i}")
        whole = self.call("GET", "/v1/ledger?limit=1000", who="ana").json
        self.assertIsNone(whole["next"])
        self.assertTrue(all(r["who"] == "ana" for r in whole["rows"]))
        pages, start = [], 0
        while start is not None:
            page = self.call("GET", f"/v1/ledger?from={start}&limit=2",
                             who="ana").json
            self.assertLessEqual(len(page["rows"]), 2)
            pages += page["rows"]
            start = page["next"]
        # rows for cached answers are written a little later
        self.assertEqual(pages[:len(whole["rows"])], whole["rows"])

    def test_an_answers_receipt_is_in_the_ledger(self):
        got = self.ask("SELECT count(*) FROM patients WHERE born < 1999").json
        row = int(got["receipt"].partition(":")[0])
        for who in ["ana", ""]:
            page = self.call("GET", f"/v1/ledger?from={row}&limit=1",
                             who=who).json["rows"][0]
            self.assertEqual(page["receipt"], got["receipt"])
            self.assertEqual(page["epsilon"], got["cost"]["epsilon"])
            self.assertIn("1999", page["query"])

    def test_the_ledger_of_another_is_the_owners(self):
        self.ask("SELECT count(*) FROM visits", "bob", epsilon="0.1")
        self.assertNotIn(
            b"bob", self.call("GET", "/v1/ledger", who="ana").bytes)
        self.refused(403, "OWNER",
                     self.call("GET", "/v1/ledger?analyst=bob", who="ana"))
        rows = self.call("GET", "/v1/ledger?analyst=bob", who="").json["rows"]
        self.assertTrue(rows and all(r["who"] == "bob" for r in rows))
        by = self.call("GET", "/v1/ledger?theorem=laplace-discrete", who="")
        self.assertTrue(all("laplace-discrete" in r["theorems"]
                            for r in by.json["rows"]))

    def test_bad_arguments(self):
        for more in ["from=x", "from=-1", "limit=0", "limit=1001", "limit=1.5",
                     "from=99999999999999999999999", "x=1", "from=1&from=2"]:
            self.refused(400, "ARGUMENT",
                         self.call("GET", f"/v1/ledger?{more}", who="ana"))

    # ------------------------------------------------------ HTTP by the book

    def test_methods(self):
        for path, place in self.document["paths"].items():
            allowed = ("GET, HEAD, " * ("get" in place)
                       + "POST, " * ("post" in place) + "OPTIONS")
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH",
                           "OPTIONS"]:
                if method in allowed.split(", ") and method != "OPTIONS":
                    continue
                got = self.call(method, path, b"", "")
                self.assertEqual(got.status,
                                 204 if method == "OPTIONS" else 405)
                self.assertEqual(got.headers["Allow"], allowed)

    def test_head_is_get_without_its_body(self):
        for path in ["/v1/health", "/v1/schema", "/v1/openapi.json", "/v1/me",
                     "/v1/risk", "/v1/learn"]:
            head = self.call("HEAD", path, who="ana")
            got = self.call("GET", path, who="ana")
            self.assertEqual(head.status, 200)
            self.assertEqual(head.headers["Content-Length"],
                             str(len(got.bytes)))

    def test_not_found(self):
        for path in ["/v1", "/v1/query/", "/v2/query", "/v1/%00",
                     "/../etc/passwd", "/v1/health/..%2f"]:
            got = self.call("GET", path, who="ana")
            self.refused(404, "NOT_FOUND", got)

    def test_forms_and_types(self):
        self.refused(415, "TYPE", self.call(
            "POST", "/v1/query", b"sql=1", "ana",
            {"Content-Type": "application/x-www-form-urlencoded"}))
        for path in ["/v1/schema", "/v1/budget", "/v1/ledger", "/v1/health"]:
            self.refused(406, "ACCEPT", self.call(
                "GET", path, None, "ana", {"Accept": "image/png"}))

    def test_bodies_have_a_limit(self):
        long = json.dumps({"sql": "SELECT 1 " + " " * (32 << 20)}).encode()
        head = {"Content-Type": "application/json"}
        got = self.call("POST", "/v1/query", b"{}", "ana",
                        {**head, "Content-Length": str(1 << 40)})
        self.refused(413, "LENGTH", got)
        got = self.call("POST", "/v1/query", long, "ana", head)
        self.refused(413, "LENGTH", got)
        chunks = (long[i:i + 65536] for i in range(0, len(long), 65536))
        got = self.call("POST", "/v1/query", chunks, "ana", head)
        self.refused(413, "LENGTH", got)

    def test_long_queries_are_refused(self):
        sql = "SELECT count(*) FROM patients WHERE " + "born > 1 AND " * 20000
        got = self.ask(sql + "true")
        self.assertEqual(got.status, 400)

    # ------------------------------------------------- clients of other kinds

    def raw(self, data):
        with socket.create_connection(("127.0.0.1", self.server.http)) as s:
            s.settimeout(1)  # it may wait for more data and never reply
            try:  # it may hang up before everything is sent
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            try:
                return s.recv(1 << 16)
            except OSError:
                return b""

    def test_nonsense(self):
        for data in [b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00" * 20,
                     b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 100 + b"\r\n\r\n",
                     b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n",
                     b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: -5\r\n\r\n",
                     b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
                     b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"]:
            got = self.raw(data)
            self.assertNotRegex(got, rb"^HTTP/1.\d 200")
            self.assertIsNone(ENGINE.search(got.split(b"\r\n\r\n")[-1]))
        self.assertEqual(self.call("GET", "/v1/health").status, 200)

    def test_a_body_is_framed_once(self):
        """A body whose end is ambiguous could hide a second request."""
        hidden = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for frames in [b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                       b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                       b"Content-Length: 5\r\nContent-Length: 0\r\n",
                       b"Transfer-Encoding: xchunked\r\n",
                       b"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n",
                       b"Content-Length: 5\r\nHost: 127.0.0.1\r\n"]:
            got = self.raw(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n" + frames +
                           b"\r\n0\r\n\r\n" + hidden)
            self.assertRegex(got, rb"^HTTP/1.1 400 ", frames)
            self.assertEqual(got.count(b"HTTP/1.1 "), 1, got)
            self.assertIn(b"Connection: close", got)

    def test_other_names_are_not_answered(self):
        """A request for the host name of another site that resolves to this
        server (DNS rebinding) is rejected."""
        for path in ["/", "/v1/health", "/v1/query", "/metrics", "/nowhere"]:
            got = call(self.server.http, "GET", path, token=self.store.tokens[""],
                       headers={"Host": f"evil.example:{self.server.http}"})
            self.assertEqual(got.status, 421, got.bytes)
            self.assertEqual(got.error["code"], "HOST")
        for name in ["localhost", "127.0.0.1", "[::1]", "a.localhost:1"]:
            got = call(self.server.http, "GET", "/v1/health",
                       headers={"Host": name})
            self.assertEqual(got.status, 200, got.bytes)

    def test_slow_clients_hold_nobody(self):
        """A question is answered while many requests never end."""
        slow = [socket.create_connection(("127.0.0.1", self.server.http))
                for _ in range(60)]
        for i, s in enumerate(slow):
            s.sendall(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                      b"Content-Type: application/json\r\n"
                      b"Authorization: Bearer "
                      + self.store.tokens["ana"].encode()
                      + b"\r\nContent-Length: 100\r\n" + b"\r\n{" * (i % 2))
        self.assertEqual(self.ask(COUNT).status, 200)
        for s in slow:
            s.close()

    def test_who_hangs_up_has_paid(self):
        sql = "SELECT count(*) FROM visits WHERE cost < 4321"
        body = json.dumps({"sql": sql}).encode()
        with socket.create_connection(("127.0.0.1", self.server.http)) as s:
            s.sendall(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                      b"Content-Type: application/json\r\n"
                      b"Authorization: Bearer "
                      + self.store.tokens["ana"].encode()
                      + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        limit = time.monotonic() + 20
        while b"4321" not in self.call("GET", "/v1/ledger?limit=1000",
                                       who="ana").bytes:
            self.assertLess(time.monotonic(), limit)
        self.assertEqual(self.ask(COUNT).status, 200)

    def test_one_connection_for_many(self):
        ask = (b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with socket.create_connection(("127.0.0.1", self.server.http)) as s:
            s.settimeout(20)
            s.sendall(ask * 5)
            got = b""
            while got.count(b'"status":"ok"') < 5:
                more = s.recv(1 << 16)
                self.assertTrue(more)
                got += more

    def test_zz_the_document_is_whole(self):
        """Every status that /v1/openapi.json lists was seen. (Its name makes
        this the last test.)"""
        self.all_seen(p for p in self.document["paths"]
                      if p not in ELSEWHERE and not p.startswith("/v1/owner"))


class Doors(unittest.TestCase):
    """Each test has its own server, because it changes who may connect."""

    @classmethod
    def setUpClass(cls):
        cls.store = Store(people=50)
        cls.addClassCleanup(cls.store.close)

    def test_names_are_allowed_by_the_owner(self):
        server = Server(self.store.path, "--http-host", "a.example",
                        "--http-host", "b.example")
        self.addCleanup(server.stop)
        for name, status in [("a.example", 200), ("B.example:80", 200),
                             ("c.example", 421)]:
            got = call(server.http, "GET", "/v1/health",
                       headers={"Host": name})
            self.assertEqual(got.status, status, got.bytes)
        self.assertIn(b'custos_http_errors_total{code="HOST"} 1',
                      call(server.http, "GET", "/metrics",
                           token=self.store.tokens[""]).bytes)

    def test_wrong_tokens_make_one_wait(self):
        server = Server(self.store.path)
        self.addCleanup(server.stop)
        seen = []
        for i in range(12):
            got = call(server.http, "GET", "/v1/schema",
                       token=f"custos_{i:064x}")
            seen.append(got.status)
        self.assertEqual(seen[:6], [401] * 6)
        self.assertEqual(seen[-1], 429)
        self.assertGreaterEqual(int(got.headers["Retry-After"]), 1)
        good = call(server.http, "GET", "/v1/schema",
                    token=self.store.tokens["ana"])
        self.assertEqual(good.status, 200)
        self.assertEqual(call(server.http, "GET", "/v1/health").status, 200)
        self.assertNotIn("custos_00", server.said())

    def test_a_crowd_that_says_nothing_keeps_nobody_out(self):
        server = Server(self.store.path, "--max-connections", "80")
        self.addCleanup(server.stop)
        crowd = []
        for _ in range(150):
            crowd.append(socket.create_connection(("127.0.0.1", server.http)))
            crowd[-1].sendall(b"GET /v1/health HTTP/1.1\r\nHo")
            self.addCleanup(crowd[-1].close)
        before = time.monotonic()
        self.assertEqual(call(server.http, "GET", "/v1/health").status, 200)
        self.assertLess(time.monotonic() - before, 20)  # below the 30 s for sending a request

    def test_a_token_ends_when_it_is_revoked(self):
        server = Server(self.store.path)
        self.addCleanup(server.stop)
        token = self.store.tokens["bob"]
        self.assertEqual(
            call(server.http, "GET", "/v1/schema", token=token).status, 200)
        self.store.custos("analyst", "revoke", "bob")
        self.assertEqual(
            call(server.http, "GET", "/v1/schema", token=token).status, 401)

    def test_a_metrics_token_sees_metrics_alone(self):
        server = Server(self.store.path)
        self.addCleanup(server.stop)

        def given(*words):
            return re.search("custos_[0-9a-f]{64}",
                             self.store.custos("owner", *words)).group()

        def status(token, path, method="GET", body=None):
            return call(server.http, method, path, body, token).status

        first = given("metrics-token")
        for path in ("/metrics", "/v1/health", "/v1/health/deep"):
            self.assertEqual(status(first, path), 200, path)
        for path in ("/v1/budget", "/v1/me", "/v1/ledger", "/v1/schema",
                     "/v1/owner/policy", "/v1/owner/health",
                     "/v1/ledger/verify", "/v1/risk"):
            self.assertEqual(status(first, path), 403, path)
        self.assertEqual(status(first, "/v1/query", "POST", {"sql": COUNT}), 403)
        self.assertEqual(status(first, "/v1/owner/reload", "POST", {}), 403)
        second = given("metrics-token")
        self.assertEqual(status(first, "/metrics"), 200)
        self.assertEqual(status(second, "/metrics"), 200)
        given("metrics-token", "--grace", "1s")
        self.assertEqual(status(first, "/metrics"), 401)
        self.until(lambda: status(second, "/metrics") == 401)
        self.store.custos("owner", "metrics-token", "--revoke")
        self.assertEqual(status(self.store.tokens[""], "/metrics"), 200)

    def test_two_tokens_at_once(self):
        server = Server(self.store.path)
        self.addCleanup(server.stop)

        def status(token):
            return call(server.http, "GET", "/v1/me", token=token).status

        old = self.store.tokens["ana"]
        new = re.search("custos_[0-9a-f]{64}", self.store.custos(
            "analyst", "token", "ana", "--rotate")).group()
        self.assertEqual([status(old), status(new)], [200, 200])
        self.store.custos("analyst", "token", "ana", "--end-old")
        self.assertEqual([status(old), status(new)], [401, 200])
        self.store.tokens["ana"] = new

    def test_full_and_slow(self):
        """One question runs and one waits while another process holds the
        ledger. The next is told to try again later, and the waiting one that it
        took too long."""
        server = Server(self.store.path, "--threads", "1", "--max-waiting",
                        "1", "--max-seconds", "5")  # half of the ledger's wait
        self.addCleanup(server.stop)
        replies = {}

        def ask(i):
            body = {"sql": f"SELECT count(*) FROM visits WHERE cost <> {i}.25"}
            replies[i] = call(server.http, "POST", "/v1/query", body,
                              self.store.tokens["ana"])
            self.assertIsNone(ENGINE.search(replies[i].bytes))

        def metric(name):
            said = call(server.http, "GET", "/metrics",
                        token=self.store.tokens[""]).bytes.decode()
            return int(re.search(rf"^custos_{name} (\d+)", said, re.M)[1])

        ask(0)  # completes all one-time set-up
        self.assertEqual(replies[0].status, 200)
        held = sqlite3.connect(f"{self.store.path}/ledger.db",
                               isolation_level=None)
        held.execute("BEGIN EXCLUSIVE")
        try:
            threads = [threading.Thread(target=ask, args=[i]) for i in (1, 2)]
            # The second may wait only once the first no longer does.
            for thread, work in zip(threads, WORK):
                thread.start()
                self.until(lambda work=work: metric(work) == 1, replies)
            ask(3)
            self.assertEqual(replies[3].status, 503)
            self.assertEqual(replies[3].error["code"], "BUSY")
            self.assertEqual(replies[3].headers["Retry-After"], "1")
            threads[1].join()
            self.assertEqual(replies[2].status, 504, replies[2].bytes)
            self.assertEqual(replies[2].error["code"], "SLOW")
            self.assertNotIn(1, replies)  # it still has the only worker thread
        finally:
            held.execute("ROLLBACK")
            held.close()
        threads[0].join()
        self.assertIn(replies[1].status, (200, 504))

    def until(self, done, seen=None):
        for _ in range(600):
            if done():
                return
            time.sleep(0.05)
        self.fail(f"it does not come; seen: {seen}")

    def test_half_a_request_is_hung_up_on(self):
        server = Server(self.store.path, "--login-seconds", "1")
        self.addCleanup(server.stop)
        with socket.create_connection(("127.0.0.1", server.http)) as link:
            link.settimeout(60)
            link.sendall(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                         b"Content-Type: application/json\r\n"
                         b"Authorization: Bearer "
                         + self.store.tokens["ana"].encode()
                         + b"\r\nContent-Length: 50\r\n\r\n{\"sql\"")
            self.assertEqual(link.recv(1000), b"")

    def test_tls(self):
        with tempfile.TemporaryDirectory() as folder:
            cert, key = f"{folder}/cert.pem", f"{folder}/key.pem"
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                 "-subj", "/CN=localhost", "-addext",
                 "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
                check=True, stderr=subprocess.DEVNULL)
            server = Server(self.store.path, "--tls-cert", cert, "--tls-key",
                            key)
            self.addCleanup(server.stop)
            trust = ssl.create_default_context(cafile=cert)
            got = call(server.http, "POST", "/v1/query", {"sql": COUNT},
                       self.store.tokens["ana"], tls=trust)
            self.assertEqual(got.status, 200)
            self.assertIn("Strict-Transport-Security", got.headers)
            old = ssl.create_default_context(cafile=cert)
            old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
            old.maximum_version = ssl.TLSVersion.TLSv1_1
            old.set_ciphers("DEFAULT:@SECLEVEL=0")
            with self.assertRaises(OSError):
                call(server.http, "GET", "/v1/health", tls=old)
            with self.assertRaises(Exception):
                call(server.http, "GET", "/v1/health")

    def test_it_ends_when_told(self):
        server = Server(self.store.path)
        self.assertEqual(call(server.http, "GET", "/v1/health").status, 200)
        self.assertEqual(server.stop(), 0)
        log = server.said()
        self.assertNotIn(MARK, log)
        self.assertNotIn("SELECT", log)

    def test_who_asks_on_while_it_ends_is_refused(self):
        """Kept-alive connections outlive the worker threads for a moment."""
        server = Server(self.store.path)
        kept = [http.client.HTTPConnection("127.0.0.1", server.http, timeout=60)
                for _ in range(4)]
        for connection in kept:
            connection.request("GET", "/v1/health")
            connection.getresponse().read()
        server.process.send_signal(signal.SIGTERM)
        while "event=stop" not in server.said():
            time.sleep(0.01)
        for i, connection in enumerate(kept):
            time.sleep(0.1 * (i > 0))
            try:
                connection.request(
                    "POST", "/v1/query", b'{"sql": "SELECT 1"}',
                    {"Authorization": f"Bearer {self.store.tokens['ana']}",
                     "Content-Type": "application/json"})
                self.assertIn(connection.getresponse().status, [200, 400, 503])
            except (ConnectionError, http.client.HTTPException):
                pass  # the server had ended
            connection.close()
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
