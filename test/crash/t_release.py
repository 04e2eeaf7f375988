"""A few of the kills that `make crash` does 200 times."""
import unittest

from release import kill


class Kills(unittest.TestCase):
    def test_ten_kills(self):
        test = kill(10, 3)
        self.assertEqual(test.violations, [])
        self.assertEqual(sum(test.seen.values()), 10)


if __name__ == "__main__":
    unittest.main()
