"""A few seconds of what `make load` does for ten minutes; and tests that the
check finds planted faults."""
import unittest

from load import Load, load


class Kills(unittest.TestCase):
    def test_two_kills(self):
        run = load(3, 1, 6)
        self.assertEqual(run.violations, [])
        self.assertGreaterEqual(run.kills, 1)
        self.assertGreater(len(run.seen()), 20)
        self.assertGreater(sum(c.breaks for c in run.clients), 0)

    def test_it_would_see(self):
        run = Load(2)
        self.addCleanup(run.close)
        run.run(0.5, 1)
        run.check()
        self.assertEqual(run.violations, [])
        one = run.clients[0].seen[0]
        for forge, words in [
                (lambda: setattr(one, "receipt", "1:" + "0" * 64),
                 "no charge for"),
                (lambda: setattr(one, "sql", "SELECT 1"), "is for")]:
            kept = dict(vars(one))
            forge()
            run.check()
            vars(one).update(kept)
            self.assertIn(words, run.violations.pop())
            self.assertEqual(run.violations, [])


if __name__ == "__main__":
    unittest.main()
