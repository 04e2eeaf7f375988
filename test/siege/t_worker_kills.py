"""A few kills, where `make worker-kills` makes a thousand; and tests that it
finds planted faults."""
import os
import unittest

from worker_kills import Asked, check, worker_kills

KILLS = 10 if os.environ.get("CUSTOS_QUICK") else 40


class Kills(unittest.TestCase):
    def test_a_killed_worker_costs_one_question(self):
        one = worker_kills(KILLS, 8, seed=7)
        self.assertEqual(one.violations, [])
        self.assertGreaterEqual(one.killed, KILLS)
        self.assertGreater(sum(a.answered for a in one.asked()), 20)


class Forgeries(unittest.TestCase):
    """The check finds faults that are planted by hand."""

    def setUp(self):
        self.one = Asked("ana", "q1", False)
        self.one.answered, self.one.receipt = True, "1:aa"
        self.free = Asked("ana", "q2", True)
        self.free.answered = True
        self.failed = Asked("bob", "q3", False)
        self.failed.error = "58000"
        self.asked = [self.one, self.free, self.failed]
        self.rows = [
            {"what": "charge", "receipt": "1:aa", "who": "ana", "query": "q1"},
            {"what": "charge", "receipt": "2:bb", "who": "bob", "query": "q3"},
            {"what": "init", "receipt": "0:00", "who": "", "query": ""}]

    def seen(self, words):
        self.assertIn(words, " ".join(check(self.asked, self.rows)))

    def test_nothing_is_wrong(self):
        self.assertEqual(check(self.asked, self.rows), [])

    def test_an_answer_without_a_charge(self):
        self.one.receipt = "9:ff"
        self.seen("without its charge: q1")
        del self.rows[0]
        self.one.receipt = "1:aa"
        self.seen("without its charge: q1")

    def test_a_charge_without_a_reply(self):
        self.failed.error = None
        self.seen("no reply to q3")
        del self.asked[2]
        self.seen("nobody's question: q3")

    def test_a_charge_to_another(self):
        self.rows[1]["who"] = "ana"
        self.seen("to another: q3")

    def test_a_second_charge(self):
        self.rows.append({**self.rows[0], "receipt": "3:cc"})
        self.seen("charged twice: q1")


if __name__ == "__main__":
    unittest.main()
