"""A store and a backup that an earlier version made: they open, their chains
verify, their answers are free, and the store's token is valid.

store-0.1.tar.xz has both, made by the last version before modules were renamed:
three people, two answers (with bound selection), and the analyst ana with a
password and a token.
"""
import json
import pathlib
import tarfile
import tempfile
import unittest

from command import lines, run
from serving import Server, call

RECEIPT = "6:d7e08d5ced86ab624e46fc1cc9369bc2d386c844f4b2d06749da51eb8f13a329"
TOKEN = "custos_c2feec18274bec4a08752ba85a1750ea33829a24eff67e8791d8541c48375379"
CITIES = "SELECT city, count(*) FROM people GROUP BY city"
MADE = pathlib.Path(__file__).parent / "store-0.1.tar.xz"


class Previous(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        with tarfile.open(MADE) as tar:
            tar.extractall(made.name)
        self.store = f"{made.name}/store"
        self.backup = f"{made.name}/bk"

    def verified(self, store):
        return " ".join(lines("ledger", "verify", "--store", store))

    def is_cached(self, store):
        done = run("query", "--store", store, "--as", "ana", "--format", "json",
                   CITIES)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertTrue(answer["stored"], answer)
        self.assertEqual(len(answer["rows"]), 3)

    def test_a_store(self):
        self.assertIn(RECEIPT, self.verified(self.store))
        self.is_cached(self.store)
        self.assertIn("epsilon 2 of 10", " ".join(
            lines("budget", "--store", self.store)))

    def test_a_backup(self):
        restored = f"{self.store}-restored"
        done = run("restore", self.backup, "--store", restored)
        self.assertEqual(done.returncode, 0, done.stderr)
        # the restore is a row of its own
        self.assertIn("The ledger is whole: 7 rows", self.verified(restored))
        self.is_cached(restored)

    def test_a_credential(self):
        server = Server(self.store)
        self.addCleanup(server.log.close)
        self.addCleanup(server.stop)
        reply = call(server.http, "POST", "/v1/query", {"sql": CITIES}, TOKEN)
        self.assertEqual(reply.status, 200, reply.bytes)
        self.assertTrue(reply.json["stored"])


if __name__ == "__main__":
    unittest.main()
