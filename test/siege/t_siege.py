"""Twenty seconds of what `make siege` does for ten minutes; and tests that it
finds planted faults. Other tests may run at the same time, so the times of
answers and logins are not judged, and the server has no public reply times: on
a busy machine a late question would be killed and its analyst suspended.
"""
import json
import os
import unittest

from attack import ATTACKS
from honest import percentile
from siege import siege
from sites import DemoStore

SECONDS = 8 if os.environ.get("CUSTOS_QUICK") else 20

# Attacks that must be among the registered ones.
NAMED = {"like_public", "catalog_slow", "catalog_replace", "fetch_chain",
         "explain_explosive", "cancel_random", "unread_replies", "get_bodies",
         "bad_sql"}


class Attacks(unittest.TestCase):
    def test_there_are_enough(self):
        self.assertLessEqual(NAMED, set(ATTACKS))
        self.assertGreaterEqual(len(ATTACKS), len(NAMED) + 20)

    def test_percentiles(self):
        self.assertEqual(percentile(range(200), 0.99), 198)
        self.assertEqual(percentile([3], 0.99), 3)


class Smoke(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = DemoStore(2000)
        cls.addClassCleanup(cls.store.close)
        cls.one = siege(cls.store, list(ATTACKS), SECONDS, 7, 3,
                        ("--no-response-steps",))

    def test_the_server_withstands(self):
        self.assertEqual(self.one.violations(timed=False), [],
                         json.dumps(self.one.figures()))
        self.assertTrue(all(c.answers for c in self.one.clients))

    def test_it_would_see(self):
        kept = dict(vars(self.one))
        answer = self.one.clients[0].answers[0]
        client = self.one.clients[0]
        for name, forged, words in [
                ("died", "it ended with -11", "did not last"),
                ("peak_mb", 1e6, "the tree had"),
                ("stop_took", None, "SIGTERM took"),
                ("chain", False, "does not verify")]:
            setattr(self.one, name, forged)
            self.assertIn(words, " ".join(self.one.violations(False)))
            vars(self.one).update(kept)
        client.missing.append("ana: forged")
        self.assertIn("missing", " ".join(self.one.violations(False)))
        client.missing.pop()
        receipt, answer.receipt = answer.receipt, "1:" + "0" * 64
        self.one.check_ledger()
        self.assertEqual(self.one.uncharged, 1)
        answer.receipt = receipt
        self.one.check_ledger()
        self.assertEqual(self.one.uncharged, 0)


if __name__ == "__main__":
    unittest.main()
