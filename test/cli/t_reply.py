"""Public reply times of the real server: the reply of a charged question leaves
at a moment fixed before the data is read. Until then neither EXPLAIN nor
hanging up reveals whether the work is done.
"""
import http.client
import json
import threading
import time
import unittest

from serving import Server, Store, call

ALLOWANCE = 1500  # ms; every machine is faster than that


class Replies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = Store()
        cls.server = Server(cls.store.path, "--reply-allowance", str(ALLOWANCE),
                            times=True)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.server.log.close()
        cls.store.close()

    def post(self, path, sql):
        return call(self.server.http, "POST", path, {"sql": sql},
                    self.store.tokens["ana"])

    def is_stored(self, sql):
        reply = self.post("/v1/explain", sql)
        self.assertEqual(reply.status, 200, reply.bytes)
        return reply.json["stored"]

    def hang_up(self, sql, after):
        """Asks, and hangs up after so many seconds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.http)
        connection.request("POST", "/v1/query", json.dumps({"sql": sql}), {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {self.store.tokens['ana']}"})
        time.sleep(after)
        connection.close()

    def test_it_leaves_at_its_time(self):
        began = time.monotonic()
        reply = self.post("/v1/query", "SELECT count(*) FROM patients")
        self.assertEqual(reply.status, 200, reply.bytes)
        self.assertGreaterEqual(time.monotonic() - began, ALLOWANCE / 1000)

    def test_explain_says_when(self):
        reply = self.post("/v1/explain", "SELECT count(*) + 1 FROM patients")
        self.assertGreater(reply.json["reply_seconds"], ALLOWANCE / 1000)

    def test_nothing_is_kept_before_it_leaves(self):
        sql = "SELECT sum(born) FROM patients"
        got = []
        asks = threading.Thread(
            target=lambda: got.append(self.post("/v1/query", sql)))
        asks.start()
        time.sleep(ALLOWANCE / 1000 / 2)  # its work takes milliseconds
        self.assertFalse(self.is_stored(sql))
        self.assertEqual(got, [])
        asks.join()
        self.assertEqual(got[0].status, 200, got[0].bytes)
        self.assertTrue(self.is_stored(sql))

    def test_a_batch_leaves_at_one_time(self):
        """That of its last query; until then nothing of it is kept."""
        queries = [{"sql": f"SELECT sum(born) + {i} FROM patients"}
                   for i in (7, 8)] + [{"sql": "SELECT 1"}]
        body, token = {"queries": queries}, self.store.tokens["ana"]
        got = []

        def ask():
            reply = call(self.server.http, "POST", "/v1/batch", body, token)
            got.append((reply, time.monotonic()))
        plan = call(self.server.http, "POST", "/v1/batch/explain", body, token)
        self.assertGreater(plan.json["reply_seconds"], 2 * ALLOWANCE / 1000)
        began = time.monotonic()
        asks = threading.Thread(target=ask)
        asks.start()
        time.sleep(1.5 * ALLOWANCE / 1000)
        self.assertFalse(self.is_stored(queries[0]["sql"]))
        asks.join()
        reply, ended = got[0]
        self.assertEqual(reply.status, 200, reply.bytes)
        self.assertGreaterEqual(ended - began, 2 * ALLOWANCE / 1000)
        self.assertEqual(len(reply.json["answers"]), 3)
        for query in queries[:2]:
            self.assertTrue(self.is_stored(query["sql"]))

    def test_who_hangs_up_leaves_nothing(self):
        sql = "SELECT sum(born) + 1 FROM patients"
        self.hang_up(sql, ALLOWANCE / 1000 / 2)
        time.sleep(ALLOWANCE / 1000)
        self.assertFalse(self.is_stored(sql))


if __name__ == "__main__":
    unittest.main()
