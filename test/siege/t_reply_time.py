"""Tests that `make reply-time` finds planted differences. With CUSTOS_LONG they
also run it, with 150 replies of each kind instead of ten thousand."""
import os
import unittest

import ks
from pairs import ABSENT, PRESENT, corpus, person
from reply_time import Samples, reply_time, test_can_fail

REPLIES = 60 if os.environ.get("CUSTOS_QUICK") else 150


class Comparisons(unittest.TestCase):
    def test_the_law_of_kolmogorov(self):
        # Smirnov's table, to four digits.
        for x, p in [(1.2238, 0.1), (1.3581, 0.05), (1.6276, 0.01),
                     (1.9495, 0.001)]:
            self.assertAlmostEqual(ks.tail(x) / p, 1, places=3)
        self.assertEqual(ks.tail(0.0), 1.0)

    def test_the_statistic(self):
        self.assertEqual(ks.statistic([1, 2, 3], [1, 2, 3]), 0)
        self.assertEqual(ks.statistic([1, 2], [3, 4]), 1)
        self.assertEqual(ks.statistic([1, 1, 1, 2], [1, 2, 2, 2]), 0.5)

    def test_it_can_fail(self):
        self.assertTrue(test_can_fail())

    def judged(self, samples):
        return " ".join(samples.judge())

    def test_one_query_among_many_is_seen(self):
        samples = Samples("forged")
        for i in range(4000):
            samples.add(f"q{i % 40}", PRESENT, i // 40 % 7, None)
            samples.add(f"q{i % 40}", ABSENT, i // 40 % 7, None)
        self.assertEqual(samples.judge(), [])
        samples.times["q3"][PRESENT] = [9] * 100
        self.assertIn("forged, q3", self.judged(samples))

    def test_nothing_but_errors_is_seen(self):
        samples = Samples("forged")
        for arm in (PRESENT, ABSENT):
            samples.add("q", arm, 1, "42501")
        self.assertIn("too few answers", self.judged(samples))

    def test_failures_of_one_arm_are_seen(self):
        samples = Samples("forged")
        for i in range(40):
            samples.add("q", PRESENT, 1, "57014" if i % 2 else None)
            samples.add("q", ABSENT, 1, "57014" if i % 2 else None)
        self.assertNotIn("forged, q", self.judged(samples))
        samples.failed["q"][ABSENT] = 0
        self.assertIn("forged, q: 20 of 40 and 0 of 40 fail",
                      self.judged(samples))

    def test_the_law_of_fisher(self):
        # The lady tasting tea: 4 of 4 against 0 of 4 has probability 1/70 on
        # either side.
        self.assertAlmostEqual(ks.compare_counts(4, 4, 0, 4), 2 / 70)
        self.assertEqual(ks.compare_counts(0, 9, 0, 9), 1.0)
        self.assertLess(ks.compare_counts(100, 10000, 10, 10000), 1e-15)


class Pairs(unittest.TestCase):
    def test_the_corpora_are_read(self):
        queries = corpus("errors.txt") + corpus("time.txt")
        self.assertGreater(len(queries), 100)
        self.assertGreater(sum("$P" in q.sql for q in queries), 100)
        self.assertIn("0.01", {q.price for q in queries})

    def test_only_one_of_a_pair_is_there(self):
        self.assertEqual(person(0, PRESENT), 1007)
        self.assertEqual(person(0, ABSENT), 1008)
        self.assertEqual(person(499, ABSENT) % 4, 0)


@unittest.skipUnless(os.environ.get("CUSTOS_LONG"),
                     "takes minutes of an idle machine: make reply-time")
class Server(unittest.TestCase):
    def test_replies_of_both_arms_look_alike(self):
        # other tests use the machine, so more queries are killed because their
        # time is up
        self.assertEqual(reply_time(REPLIES, 4, 7, errors_most=0.9), [])


if __name__ == "__main__":
    unittest.main()
