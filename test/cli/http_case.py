"""Shared by the tests of the HTTP API: a server, and requests whose replies are
checked against /v1/openapi.json and searched for private data.
"""
import re
import unittest

from serving import POLICY, Server, Store, call, need_module, table_values

jsonschema = need_module("jsonschema")

# Words of engines and libraries that no reply may contain.
ENGINE = re.compile(
    rb"duckdb|sqlite|binder|catalog error|conversion error|pg_query|hugeint"
    rb"|libmicrohttpd|gnutls|segfault|\.c:\d", re.I)

# Statuses that need a full queue, a dead disk or a broken engine; other tests
# cover them.
RARE = {"500", "503", "504"}

# Statuses that mean the same at every path; the tests need not see them at every
# path.
OFTEN = {"400", "403", "404", "406", "409", "413", "415", "421", "429"}

ALLOWANCE = 300  # ms


class HttpCase(unittest.TestCase):
    times = False  # whether to test with public reply times
    policy = POLICY

    @classmethod
    def setUpClass(cls):
        cls.store = Store(policy=cls.policy)
        words = ["--reply-allowance", str(ALLOWANCE)] if cls.times else []
        cls.server = Server(cls.store.path, *words, times=cls.times)
        cls.addClassCleanup(cls.store.close)
        cls.addClassCleanup(cls.server.stop)
        cls.values = [v.encode() for v in table_values(cls.store.folder.name)]
        cls.document = call(cls.server.http, "GET", "/v1/openapi.json").json
        cls.resolver = jsonschema.RefResolver("", cls.document)
        cls.seen = set()

    def call(self, method, path, body=None, who=None, headers=None):
        """One request; its reply is checked against /v1/openapi.json."""
        token = self.store.tokens[who] if who is not None else None
        reply = call(self.server.http, method, path, body, token, headers)
        self.check(method, path, reply)
        return reply

    def check(self, method, path, reply):
        self.assertIsNone(ENGINE.search(reply.bytes), reply.bytes[:300])
        for value in self.values:
            self.assertNotIn(value, reply.bytes)
        self.assertEqual(reply.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(reply.headers["Cache-Control"], "no-store")
        self.assertIn("default-src 'none'",
                      reply.headers["Content-Security-Policy"])
        self.assertNotIn("Access-Control-Allow-Origin", reply.headers)
        place = self.document["paths"].get(path.partition("?")[0])
        if place is None or method == "OPTIONS":
            return
        status = str(reply.status)
        how = "post" if method == "POST" else "get"
        described = {s: self.resolved(r) for s, r in place.get(
            how, next(iter(place.values())))["responses"].items()}
        self.assertIn(status, described, f"{method} {path} {reply.bytes[:200]}")
        self.seen.add((path.partition("?")[0], status))
        if method == "HEAD":
            self.assertEqual(reply.bytes, b"")
            return
        kind = reply.headers["Content-Type"].partition(";")[0]
        self.assertIn(kind, described[status]["content"])
        if kind == "application/json":
            schema = described[status]["content"][kind]["schema"]
            jsonschema.Draft202012Validator(
                schema, resolver=self.resolver).validate(reply.json)

    def resolved(self, reply):
        """A reply of the document, which may stand in its components."""
        name = reply.get("$ref", "").rpartition("/")[2]
        return self.document["components"]["responses"][name] if name else reply

    def ask(self, sql, who="ana", **more):
        return self.call("POST", "/v1/query", {"sql": sql, **more}, who)

    def refused(self, status, code, reply):
        self.assertEqual(reply.status, status, reply.bytes)
        self.assertEqual(reply.error["code"], code)
        return reply.error

    def all_seen(self, paths):
        """Every status that /v1/openapi.json lists was seen, except RARE and
        OFTEN."""
        missing = [(path, status) for path in paths
                   for place in self.document["paths"][path].values()
                   for status in place["responses"]
                   if status not in RARE | OFTEN
                   and (path, status) not in self.seen]
        self.assertEqual(missing, [])
