"""Prices in rho, by every way of asking: the command, the shell, PostgreSQL and
HTTP. Each test has a store of its own, because the first such price changes what
the budget counts in.
"""
import json
import os
import subprocess
import unittest

from command import run
from http_case import HttpCase
from serving import POLICY, Server, Store

ALLOWED = POLICY.replace("custos: 1", "custos: 2") \
    .replace("max_epsilon: 50", "max_epsilon: 50, max_rho: 8") \
    .replace("days: 7", "days: 7, delta: 0")
COUNT = "SELECT sex, count(*) AS n FROM patients GROUP BY sex"
OPTION = COUNT.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY "
                                 "OPTIONS(rho = 0.5)")


def store_for(case, policy=ALLOWED):
    store = Store(people=50, policy=policy)
    case.addCleanup(store.close)
    return store


class Command(unittest.TestCase):
    def refused(self, store, *words, says, code=2):
        done = run("query", "--store", store.path, *words)
        self.assertIn(says, done.stderr.decode())
        self.assertEqual((done.returncode, done.stdout), (code, b""))

    def test_a_question(self):
        store = store_for(self)
        said = store.custos("query", "--rho", "0.5", COUNT)
        self.assertIn("Cost: ρ 0.5. Remaining: ε ", said)
        self.assertIn("± 2\n", said)  # sigma 1
        again = store.custos("query", "--rho", "1/2", COUNT)
        self.assertIn("Cached: no cost.", again)
        self.assertEqual(said.splitlines()[:3], again.splitlines()[:3])
        other = store.custos("query", "--rho", "0.25", COUNT)
        self.assertIn("Cost: ρ 0.25.", other)
        got = json.loads(store.custos("query", "--format", "json", OPTION))
        self.assertEqual(got["cost"],
                         {"epsilon": "infinity", "rho": "0.5", "delta": "0"})
        common = json.loads(store.custos("budget", "--json"))["common"]
        self.assertEqual((common["currency"], common["spent"]),
                         ("rho", "1.25"))
        self.assertEqual((common["epsilon"], common["delta"]),
                         ("100000", "0.000001"))
        self.assertIn("rho 1.25 of", store.custos("budget"))
        store.custos("ledger", "verify")
        self.assertRegex(store.custos("ledger"),
                         r" epsilon +rho +delta +query\n(.*\n)*"
                         r".* charge +infinity +0[.]5 +0 +SELECT")
        rows = json.loads(store.custos("ledger", "--json"))["rows"]
        charged = [row for row in rows if row["rho"] == "0.5"]
        self.assertEqual([row["epsilon"] for row in charged], ["infinity"] * 2)
        self.assertIn("price-in-rho", charged[0]["theorems"])

    def test_a_shared_answer(self):
        """Its cost is that of the answer that somebody else paid for."""
        store = store_for(self, ALLOWED.replace(
            "max_rho: 8", "max_rho: 8, share_answers: true"))
        for who in ("ana", 'Zoë "Z"'):
            said = store.custos("query", "--as", who, "--epsilon", "0.01", COUNT)
            self.assertRegex(said, r"Cost: ε 0[.]01[.] Remaining")
            self.assertTrue(said.replace("\n", "").isprintable(), said)

    def test_explain(self):
        store = store_for(self)
        said = store.custos("explain", "--rho", "0.5", COUNT)
        self.assertIn("Gaussian, sigma 1; ", said)
        self.assertIn("price      rho 0.5, delta 0", said)
        self.assertIn("only its sum of rho counts", said)
        offer = store.custos("explain", "SELECT born, count(*) FROM patients "
                                        "GROUP BY born")
        self.assertIn("in rho     asked at rho ", offer)
        self.assertIn("% less; but no epsilon bounds such a price", offer)

    def test_the_shell_takes_no_price_that_is_not_one(self):
        store = store_for(self)
        for price, says in (("", "\\rho needs a number"),
                            ("0.5" + "0" * 70 + "e-2",
                             "the price has too many digits")):
            done = run("shell", "--store", store.path,
                       stdin=f"\\rho {price}\n".encode())
            self.assertIn(says, done.stderr.decode())

    def test_the_shell(self):
        store = store_for(self)
        said = store.custos("shell", "--rho", "0.5",
                            stdin=f"{COUNT};\n\\epsilon 2\n{COUNT};\n"
                                  f"\\rho 0.25\n{COUNT};\n")
        costs = [line.split("Cost: ")[1].split(".  ")[0].split(". ")[0]
                 for line in said.splitlines() if "Cost: " in line]
        self.assertEqual(costs, ["ρ 0.5", "ε 2", "ρ 0.25"])

    def test_refusals(self):
        store = store_for(self)
        one = "give one of --epsilon, --rho and --within"
        self.refused(store, "--rho", "1", "--epsilon", "1", COUNT, says=one)
        self.refused(store, "--rho", "1", "--within", "9", COUNT, says=one)
        self.refused(store, "--epsilon", "1", OPTION, says="not in both")
        self.refused(store, "--rho", "9", COUNT,
                     says="one query may cost a rho of at most 8")
        self.refused(store, "--as", 'Zoë "Z"', "--rho", "0.0001",
                     "SELECT count(*) FROM patients", code=3,
                     says="your window of 7 days has no delta")
        common = json.loads(store.custos("budget", "--json"))["common"]
        self.assertEqual(common["charges"], 0)
        store = store_for(self, POLICY)
        self.refused(store, "--rho", "1", COUNT,
                     says="the policy does not allow prices in rho")


class Sessions(unittest.TestCase):
    def test_set(self):
        store = store_for(self)
        server = Server(store.path)
        self.addCleanup(server.stop)
        texts = ["SET custos.epsilon = 3", "SET custos.rho = 0.5", COUNT,
                 "SHOW custos.epsilon", "SHOW custos.rho",
                 "SET custos.within = 5", "SHOW custos.rho"]
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t",
             f"host=127.0.0.1 port={server.pg} user=ana dbname=custos",
             *[w for text in texts for w in ("-c", text)]],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
            check=False, text=True,
            env={**os.environ, "PGPASSWORD": store.passwords["ana"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split("\n")[2:], ["", "0.5", "", ""])
        self.assertRegex(done.stderr, r"NOTICE:  cost rho 0.5; epsilon [\d.]+ "
                                      r"left\nDETAIL:  n: within ±2 ")


class Http(HttpCase):
    policy = ALLOWED

    def test_a_field(self):
        got = self.ask(COUNT, rho=0.5).json
        self.assertEqual(got["cost"],
                         {"epsilon": "infinity", "rho": "0.5", "delta": "0"})
        self.assertTrue(self.ask(COUNT, rho="1/2").json["stored"])
        csv = self.call("POST", "/v1/query?format=csv",
                        {"sql": COUNT, "rho": "0.25"}, "ana")
        self.assertEqual(csv.headers["Custos-Epsilon"], "infinity")
        self.assertEqual(csv.headers["Custos-Rho"], "0.25")
        plan = self.call("POST", "/v1/explain", {"sql": COUNT, "rho": "0.125"},
                         "ana").json
        self.assertEqual(plan["cost"]["rho"], "0.125")
        self.assertIsNotNone(plan["after"])
        risk = self.call("GET", "/v1/risk", who="").json
        self.assertNotEqual(risk["epsilon"], "infinity")
        error = self.refused(400, "EINVAL", self.ask(COUNT, rho=1, epsilon=1))
        self.assertIn("not in both", error["message"])


if __name__ == "__main__":
    unittest.main()
