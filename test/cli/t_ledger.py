"""`custos ledger` and `custos budget` on a small store."""
import json
import os
import pathlib
import shutil
import sqlite3
import tempfile
import unittest

from command import CommandCase, lines, run
from people import PEOPLE

POLICY = PEOPLE + """\
analysts:
  ana: {budget: {epsilon: 0.25, delta: 1e-7},
        window: {epsilon: 0.15, days: 7}}
  bo: {}
"""


class Ledger(CommandCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.store = str(self.folder / "store")
        (self.folder / "policy.yaml").write_text(POLICY)
        (self.folder / "people.csv").write_text(
            "id,age\n" + "".join(f"{i},{i % 90}\n" for i in range(50)))
        lines("init", str(self.folder / "policy.yaml"), "--store", self.store)

    def ask(self, sql, *more):
        return run("query", "--store", self.store, sql, *more)

    def ledger(self, *more):
        return lines("ledger", *more, "--store", self.store)

    def budget(self, *more):
        return lines("budget", *more, "--store", self.store)

    def failed(self, *args, says, code=1):
        """Nothing on stdout; on stderr a sentence and at most a hint."""
        done = run(*args, "--store", self.store)
        self.assertEqual((done.returncode, done.stdout), (code, b""))
        self.assertIn(says, done.stderr.decode())
        self.assertRegex(done.stderr, rb"\Acustos: .+\n(hint: .+\n)?\Z")

    def test_rows(self):
        self.assertEqual(self.ask("SELECT count(*) FROM people").returncode, 0)
        self.assertEqual(self.ask("SELECT sum(age)\nFROM people WHERE age > 3",
                                  "--as", "bo").returncode, 0)
        rows = json.loads("".join(self.ledger("--json")))["rows"]
        self.assertEqual([r["row"] for r in rows],
                         list(range(1, len(rows) + 1)))
        self.assertEqual(rows[0]["what"], "open")
        charges = [r for r in rows if r["what"] == "charge"]
        self.assertEqual([r["who"] for r in charges], [None, "bo"])
        self.assertEqual(charges[0]["query"], "SELECT count(*) FROM people")
        self.assertEqual([r["epsilon"] for r in charges], ["0.1", "0.1"])
        table = self.ledger()
        self.assertEqual(len(table), len(rows) + 1)
        self.assertIn("SELECT sum(age) FROM people WHERE age > 3", table[-1])
        self.assertFalse(any(line != line.rstrip() for line in table))
        self.assertEqual(self.ledger(), self.ledger("list"))
        own = self.ledger("--as", "bo")
        self.assertEqual(len(own), 2)
        self.assertIn(" bo ", own[1])

    def test_recall(self):
        self.ask("SELECT count(*) FROM people")
        row = json.loads("".join(self.ledger("--json")))["rows"][-1]
        theorems = row["theorems"].split()
        self.assertTrue(theorems)
        for theorem in theorems:
            touched = json.loads(
                "".join(self.ledger("recall", theorem, "--json")))["rows"]
            self.assertEqual([r["row"] for r in touched], [row["row"]])
        told = self.ledger("recall", theorems[0])
        self.assertIn(f"1 answer rests on {theorems[0]}", told[-1])
        self.assertEqual(self.ledger("recall", "no-such-theorem"),
                         ["0 answers rest on no-such-theorem (doc/theorems.md "
                          "lists the ids of theorems)"])

    def test_verify(self):
        self.ask("SELECT count(*) FROM people")
        before = json.loads(self.ledger("verify", "--json")[0])
        shutil.copytree(self.store, self.folder / "copy")
        self.ask("SELECT sum(age) FROM people")
        after = json.loads(self.ledger("verify", "--json")[0])
        self.assertEqual(after["rows"], before["rows"] + 1)
        for receipt in (before["head"], after["head"]):
            told = self.ledger("verify", "--receipt", receipt)
            self.assertIn("The ledger is whole", told[0])
        self.store = str(self.folder / "copy")
        self.ledger("verify", "--receipt", before["head"])
        self.failed("ledger", "verify", "--receipt", after["head"],
                    says="older than this receipt")
        ledger = sqlite3.connect(self.folder / "copy/ledger.db")
        ledger.execute("UPDATE state SET epsilon = '0.01'")
        ledger.commit()
        ledger.close()
        self.failed("ledger", "verify", says="damaged")
        self.failed("budget", says="damaged")
        done = self.ask("SELECT sum(age) FROM people")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, b"")

    def test_budget(self):
        told = json.loads("".join(self.budget("--json")))
        self.assertEqual(told["common"]["left_epsilon"], "1")
        self.ask("SELECT count(*) FROM people", "--as", "ana")
        told = json.loads("".join(self.budget("--json")))
        self.assertEqual(told["common"]["spent"], "0.1")
        self.assertEqual(told["common"]["left_epsilon"], "0.9")
        ana, bo = told["analysts"]
        self.assertEqual(ana["own"]["spent"], "0.1")
        self.assertEqual(ana["left_epsilon"], "0.15")
        self.assertEqual(ana["remaining"]["epsilon"], "0.05")
        self.assertEqual(ana["window"]["left_epsilon"], "0.05")
        self.assertEqual(ana["window_days"], 7)
        self.assertEqual((bo["own"], bo["window"]), (None, None))
        table = self.budget()
        self.assertIn("The promise: epsilon 1, delta 0.000001", table[0])
        self.assertTrue(any("█" in line and "40 %" in line
                            for line in table))
        self.assertTrue(any("7 days" in line and "67 %" in line
                            for line in table))
        own = json.loads("".join(self.budget("--as", "ana", "--json")))
        self.assertEqual([a["name"] for a in own["analysts"]], ["ana"])
        done = self.ask("SELECT sum(age) FROM people", "--as", "ana")
        self.assertIn("your window", done.stderr.decode())
        self.assertEqual(json.loads("".join(self.budget("--json"))), told)

    def test_spent(self):
        """When the common budget is spent, the error says so."""
        for price in ("0.6", "0.4"):
            done = self.ask("SELECT count(*) FROM people WHERE age > "
                            + price[-1], "--epsilon", price)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.ask("SELECT sum(age) FROM people", "--as", "bo")
        self.assertIn("the common budget", done.stderr.decode())
        self.assertIn("0 is left", done.stderr.decode())

    def test_spent_or_not_enough(self):
        """If too little is left, the error says "does not suffice", not "is
        spent"."""
        self.ask("SELECT count(*) FROM people", "--as", "ana")
        done = self.ask("SELECT sum(age) FROM people", "--as", "ana",
                        "--epsilon", "0.2")
        self.assertEqual(
            (done.returncode, done.stderr.decode()),
            (3, "custos: your own budget does not suffice: this needs epsilon "
                "0.2, and 0.15 is left\n"))
        done = self.ask("SELECT sum(age) FROM people", "--as", "ana",
                        "--epsilon", "0.1")
        self.assertEqual(
            (done.returncode, done.stderr.decode()),
            (3, "custos: your window of 7 days does not suffice: this needs "
                "epsilon 0.1, and 0.05 is left; each charge counts for 7 "
                "days\n"))
        done = self.ask("SELECT sum(age) FROM people", "--epsilon", "0.95")
        self.assertIn("the common budget (of all analysts) does not suffice: "
                      "this needs epsilon 0.95, and 0.9 is left",
                      done.stderr.decode())

    def test_when_a_window_has_room_again(self):
        at = next(i for i, line in enumerate(self.budget())
                  if "7 days" in line)
        self.assertEqual(self.budget()[at + 2].strip(),
                         "each charge counts here for 7 days")
        about = " ".join(" ".join(lines("budget", "--help")).split())
        self.assertIn("a charge leaves it after that many days",
                      about)

    def put_in_force(self, policy):
        (self.folder / "policy.yaml").write_text(policy)
        lines("init", str(self.folder / "policy.yaml"), "--store", self.store)

    def test_a_lowered_budget(self):
        """If the budget is below what is spent, no promise is claimed."""
        self.ask("SELECT count(*) FROM people", "--epsilon", "0.6")
        for delta, currency in (("delta: 1e-6", "rho"), ("delta: 0", "epsilon")):
            self.put_in_force(POLICY.replace(
                "epsilon: 1, delta: 1e-6", "epsilon: 0.3, " + delta))
            told = " ".join(self.budget())
            self.assertIn("The budget was lowered below what is spent", told)
            self.assertRegex(told, f"cost {currency} [0-9.]+, and this promise "
                                   "allows [0-9.]+. It does not hold for them, "
                                   "and no private query is answered")
            self.assertNotIn("still keeps it", told)
            self.assertNotIn("times as likely", told)
            self.assertIn("left: epsilon 0", told)

    def test_a_cost_in_epsilon_that_counts_in_rho(self):
        """If the remainder falls by less than the cost, a line says why."""
        given = "\\epsilon 0.01\n" + "".join(
            f"SELECT count(*) AS n{i} FROM people;\n" for i in range(101))
        done = run("shell", "--store", self.store, stdin=given)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        told = [part.splitlines() for part in
                done.stdout.decode().split("Cost: ε 0.01. Remaining: ε ")[1:]]
        self.assertEqual(len(told), 101)
        left = [float(lines[0].rstrip(".")) for lines in told]
        for i in range(1, 101):
            by_rho = left[i - 1] - left[i] < 0.0099
            self.assertEqual(
                "  the budget counts in ρ, in which this cost 0.0000312499; "
                "remaining is the largest ε one more query may cost"
                in told[i],
                by_rho, told[i])
        self.assertTrue(by_rho)
        self.assertIn("The sum of epsilon, or of the deltas beside it, exceeds "
                      "the promise, but the sum of "
                      "rho, which grows more slowly, still keeps it",
                      " ".join(self.budget()))

    def test_refusals(self):
        at = ("--store", self.store)
        self.refused("ledger", "verfy", *at, says="did you mean verify?")
        self.refused("ledger", "frobnicate", *at, says="ledger --help")
        self.refused("ledger", "recall", *at, says="theorem")
        self.refused("ledger", "list", "me", *at, says="unexpected word")
        self.refused("ledger", "--receipt", "1:2", *at, says="for custos")
        self.refused("ledger", "verify", "--receipt", "1:2", *at,
                     says="not a receipt")
        self.refused("ledger", "verify", "--as", "ana", *at, says="--as")
        self.refused("budget", "me", *at, says="unexpected word")
        self.failed("budget", "--as", "nobody", says="no analyst named nobody",
                    code=2)
        os.unlink(self.folder / "store/ledger.db")
        for name in ("ledger.db-wal", "ledger.db-shm"):
            (self.folder / "store" / name).unlink(missing_ok=True)
        self.failed("ledger", "verify", says="no ledger")
        self.store = str(self.folder / "nowhere")
        self.failed("ledger", says="no store", code=2)


if __name__ == "__main__":
    unittest.main()
