"""A few kills like the thousand of `make crash`; and tests that the
check finds planted faults.
"""
import copy
import os
import unittest

from crash import Report, Run, crash, question

# A machine that runs all tests at once is slow; `make crash` allows 2 s.
AT_ONCE = 20


class Kills(unittest.TestCase):
    def test_kills(self):
        kills = 8 if os.environ.get("CUSTOS_QUICK") else 30
        report = crash(kills, seed=7, at_once=AT_ONCE)
        self.assertEqual(report.violations, [])
        self.assertGreaterEqual(report.kills, kills)
        self.assertGreater(report.answers, 0)


class Forgeries(unittest.TestCase):
    """The check finds faults that are planted by hand."""

    def setUp(self):
        self.run_ = Run(1, 0, Report(AT_ONCE))
        self.hospital = self.run_.hospital
        self.addCleanup(self.hospital.remove)
        self.assertEqual(self.hospital.init().returncode, 0)
        self.run_.opens_at_once()
        self.run_.opens_at_once()
        self.assertEqual(len(self.run_.fresh), 1)
        self.assertEqual(len(self.run_.stored), 1)
        self.run_.check()
        self.assertEqual(self.run_.report.violations, [])

    def seen(self, words):
        self.run_.violation = self.run_.report.violations.append
        self.run_.check()
        self.assertIn(words, " ".join(self.run_.report.violations))

    def test_an_answer_without_a_charge(self):
        _, text, answer = next(iter(self.run_.fresh.values()))
        self.run_.fresh["9:00"] = ("", text, {**answer, "receipt": "9:00"})
        self.seen("no charge for 9:00")

    def test_the_charge_of_another(self):
        receipt, (_, text, answer) = next(iter(self.run_.fresh.items()))
        self.run_.fresh[receipt] = ("ana", text, answer)
        self.seen("another charge")

    def test_a_stored_answer_that_differs(self):
        who, text, answer = self.run_.stored[0]
        other = copy.deepcopy(answer)
        cell = other["rows"][0][0]
        cell["value"] = str(int(cell["value"]) + 1)
        self.run_.stored[0] = (who, text, other)
        self.seen("stored answer differs")

    def test_a_budget_that_is_exceeded(self):
        self.hospital.budget = 0
        self.seen("all spent 1/100")

    def test_a_charge_that_was_lost(self):
        path = self.hospital.store / "ledger.db-wal"
        data = path.read_bytes()
        (self.hospital.store / "ledger.db-shm").unlink()
        path.write_bytes(data[:data.find(question(0).encode()) - 200])
        self.seen("no charge for")


if __name__ == "__main__":
    unittest.main()
