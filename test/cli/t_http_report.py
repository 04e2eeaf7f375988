"""What the API says about promises: who asks, what budget a question would leave,
what the answers so far mean, and the small example for newcomers (/v1/learn).
"""
import math
import unittest
from decimal import Decimal
from fractions import Fraction

from http_case import ALLOWANCE, HttpCase

COUNT = "SELECT count(*) FROM visits"


def success(epsilon, delta=0.0):
    """The largest probability that a test is right at even odds, by the
    formula."""
    e = math.exp(epsilon)
    return (1 + (e - 1 + 2 * delta) / (e + 1)) / 2


class Tell(HttpCase):
    times = True

    def explain(self, sql, who="ana", **more):
        return self.call("POST", "/v1/explain", {"sql": sql, **more}, who)

    def get(self, path, who="ana"):
        return self.call("GET", path, who=who)

    # ------------------------------------------------------------------- me

    def test_me(self):
        for who in ["ana", "bob", 'Zoë "Z"']:
            got = self.get("/v1/me", who).json
            self.assertEqual((got["name"], got["owner"]), (who, False))
        got = self.get("/v1/me", "").json
        self.assertEqual((got["name"], got["owner"]), (None, True))
        self.assertEqual(got["version"], self.get("/v1/health").json["version"])

    # -------------------------------------------------------------- explain

    def test_after_is_what_remains_after(self):
        for who, epsilon in [("ana", "0.125"), ("bob", "0.37"), ("", "3"),
                             ('Zoë "Z"', "0.11")]:
            told = self.explain(COUNT, who, epsilon=epsilon).json
            self.assertFalse(told["stored"])
            paid = self.ask(COUNT, who, epsilon=epsilon).json
            self.assertEqual(told["after"], paid["remaining"], who)
            again = self.explain(COUNT, who, epsilon=epsilon).json
            self.assertTrue(again["stored"])
            self.assertEqual(again["after"], again["remaining"])
            self.assertEqual(again["after"], paid["remaining"])
            self.assertTrue(self.ask(COUNT, who, epsilon=epsilon)
                            .json["stored"])

    def test_the_time_of_a_reply_is_told(self):
        got = self.explain(COUNT, "ana", epsilon="0.0421").json
        # class times are k/8 * 2^j * 100/64 ms, k = 8 ... 15, rounded up to 1 us
        self.assertIn(round(got["reply_seconds"] * 1e6) - ALLOWANCE * 1000,
                      [-(-eighths * 100000 * double // 512)
                       for double in (1, 2, 4, 8)
                       for eighths in range(8, 16)])
        self.assertRegex(got["plan"][-1], r"^answers in \d+(\.\d)? m?s$")
        self.assertEqual(self.ask(COUNT, "ana", epsilon="0.0421").status, 200)
        again = self.explain(COUNT, "ana", epsilon="0.0421").json
        self.assertIsNone(again["reply_seconds"])  # leaves at once
        free = self.explain("SELECT floor FROM departments", "ana").json
        self.assertIsNone(free["reply_seconds"])

    def test_what_cannot_be_paid_leaves_nothing(self):
        got = self.explain(COUNT, 'Zoë "Z"', epsilon="0.9").json
        self.assertIsNone(got["after"])  # the window has only 0.5
        self.assertIsNotNone(got["remaining"])
        self.refused(409, "ESPENT",
                     self.ask(COUNT, 'Zoë "Z"', epsilon="0.9"))

    def test_public_questions_leave_all(self):
        self.refused(404, "ENAME", self.explain(
            "SELECT floor FROM departments", "bob"))  # not granted
        got = self.explain("SELECT floor FROM departments", "ana").json
        self.assertEqual(got["after"], got["remaining"])
        self.assertFalse(got["stored"])

    def test_stored_is_of_who_asks_alone(self):
        sql = "SELECT count(*) FROM visits WHERE department = $1"
        more = {"params": ["heart"], "epsilon": "0.07"}
        self.ask(sql, "ana", **more)
        self.assertTrue(self.explain(sql, "ana", **more).json["stored"])
        for who in ["bob", ""]:
            self.assertFalse(self.explain(sql, who, **more).json["stored"])
        for other in [{"params": ["eyes"], "epsilon": "0.07"},
                      {"params": ["heart"], "epsilon": "0.08"}]:
            self.assertFalse(self.explain(sql, "ana", **other).json["stored"])
        filled = sql.replace("$1", "'heart'")
        self.assertTrue(self.explain("EXPLAIN " + filled, "ana",
                                     epsilon="0.07").json["stored"])

    def charges(self):
        rows = self.get("/v1/ledger?limit=1000", "").json["rows"]
        return [r["row"] for r in rows if r["what"] == "charge"]

    def test_to_explain_is_not_to_ask(self):
        before = self.charges()
        for _ in range(3):
            got = self.explain(COUNT, "bob", epsilon="0.0625").json
            self.assertFalse(got["stored"])
        self.assertEqual(self.charges(), before)

    # ----------------------------------------------------------------- risk

    def test_risk_of_a_promise(self):
        for epsilon, delta in [("1", None), ("0.1", "1e-6"), ("0", "0.25"),
                               ("3", "1/8"), ("1024", None), ("0", None)]:
            path = f"/v1/risk?epsilon={epsilon}" + \
                (f"&delta={delta}" if delta else "")
            got = self.get(path).json
            d = float(Fraction(delta or "0"))
            true = success(float(epsilon), d) if float(epsilon) < 700 else 1
            self.assertGreaterEqual(float(got["success"]), true - 1e-15)
            self.assertAlmostEqual(float(got["success"]), true, places=12)
            self.assertEqual(float(got["delta"]), d)
            self.assertIn("at most", got["sentences"][0])
            corners = [(float(c["fpr"]), float(c["fnr"]))
                       for c in got["corners"]]
            self.assertEqual(corners,
                             sorted(corners, key=lambda c: (c[0], -c[1])))
            self.assertEqual((corners[0][0], corners[-1]), (0, (1, 0)))
            best = min(x + y for x, y in corners)  # least sum of both errors
            self.assertAlmostEqual(1 - best / 2, true, places=12)

    def test_risk_of_answers(self):
        """The risk from all answers to the analyst who asks; for the owner,
        from all answers."""
        before = self.get("/v1/risk", "").json
        spent = Decimal(0)
        for epsilon in ["0.011", "0.012", "0.013"]:
            self.ask(COUNT, "bob", epsilon=epsilon)
        for row in self.get("/v1/ledger?limit=1000", "bob").json["rows"]:
            spent += Decimal(row["epsilon"] or 0)  # cached: none
        got = self.get("/v1/risk", "bob").json
        self.assertGreater(float(got["success"]), 0.5)
        self.assertLessEqual(float(got["success"]),
                             success(float(spent)) + 1e-12)
        self.assertIn("sees all answers to this analyst so far, and no "
                      "others, can tell whether you took part with at most",
                      got["sentences"][0])
        everybody = self.get("/v1/risk", "").json
        self.assertIn("sees all answers so far can tell",
                      everybody["sentences"][0])
        self.assertGreater(float(everybody["success"]),
                           float(before["success"]))
        self.assertGreaterEqual(float(everybody["success"]),
                                float(got["success"]))
        again = self.ask(COUNT, "bob", epsilon="0.011").json
        self.assertTrue(again["stored"])  # it reveals nothing new
        self.assertEqual(self.get("/v1/risk", "bob").json, got)

    def test_nonsense_is_refused_by_a_sentence(self):
        for arguments in ["epsilon=", "epsilon=nan", "epsilon=inf",
                          "epsilon=-1", "epsilon=1e999", "epsilon=1025",
                          "epsilon=" + "9" * 200, "epsilon=0x10",
                          "epsilon=1%20", "epsilon=1,5", "epsilon=%C3%A4",
                          "epsilon=1/0", "epsilon=1&delta=", "delta=1e-6",
                          "delta=0&epsilon=", "epsilon=1&delta=1",
                          "epsilon=1&delta=-1", "epsilon=1&delta=nan",
                          "epsilon", "epsilon=<script>"]:
            with self.subTest(arguments=arguments):
                got = self.get("/v1/risk?" + arguments)
                self.assertEqual(got.status, 400, got.bytes)
                self.assertIn(got.error["code"], ["EPARSE", "ERANGE"])
        for arguments in ["epsilon=1&epsilon=1", "x=1", "epsilon=1&x=1",
                          "epsilon=1&delta=0&delta=0", "Epsilon=1",
                          "&".join(f"a{i}=1" for i in range(30))]:
            self.refused(400, "ARGUMENT", self.get("/v1/risk?" + arguments))
            self.refused(400, "ARGUMENT", self.get("/v1/learn?" + arguments))
        self.refused(400, "ARGUMENT", self.get("/v1/me?who=bob"))
        self.refused(400, "ARGUMENT", self.get("/v1/learn?delta=0"))

    # ---------------------------------------------------------------- learn

    def test_learn(self):
        for epsilon in ["0.01", "0.5", "1", "10", "1/3"]:
            got = self.get(f"/v1/learn?epsilon={epsilon}", None).json
            e = float(got["epsilon"])
            yes = sum(p["answer"] for p in got["people"])
            self.assertEqual((got["with"], got["without"]), (yes, yes - 1))
            self.assertIn({"name": got["person"], "answer": True},
                          got["people"])
            values = got["values"]
            self.assertEqual(values, list(range(values[0], values[-1] + 1)))
            for name, at in [("p_with", yes), ("p_without", yes - 1)]:
                law = [float(p) for p in got[name]]
                self.assertEqual(len(law), len(values))
                self.assertGreaterEqual(sum(law), 0.999)
                self.assertLessEqual(sum(law), 1 + 1e-12)
                for v, p in zip(values, law):
                    true = math.tanh(e / 2) * math.exp(-e * abs(v - at))
                    self.assertAlmostEqual(p / true, 1, places=12)
            self.assertAlmostEqual(float(got["risk"]["success"]), success(e),
                                   places=14)
        self.assertEqual(self.get("/v1/learn", None).json["epsilon"], "1")

    def test_learn_has_its_bounds(self):
        for bad in ["0.0099", "10.1", "0", "-1", "1e400", "1e-400", "1e999"]:
            got = self.get(f"/v1/learn?epsilon={bad}", None)
            self.assertEqual(got.status, 400)
            self.assertIn("epsilon must", got.error["message"])
        for bad in ["", "nan", "inf", "0x1", "1%20", "9" * 4000]:
            self.refused(400, "EPARSE",
                         self.get(f"/v1/learn?epsilon={bad}", None))

    def test_methods(self):
        for path, who in [("/v1/me", "ana"), ("/v1/risk", "ana"),
                          ("/v1/learn", None)]:
            head = self.call("HEAD", path, who=who)
            self.assertEqual(head.status, 200)
            self.assertGreater(int(head.headers["Content-Length"]), 10)
            asked = self.call("OPTIONS", path, who=who)
            self.assertEqual((asked.status, asked.headers["Allow"]),
                             (204, "GET, HEAD, OPTIONS"))
            self.refused(405, "METHOD", self.call("POST", path, {}, who))
            self.refused(406, "ACCEPT",
                         self.call("GET", path, who=who,
                                   headers={"Accept": "text/csv"}))
        for path in ["/v1/me", "/v1/risk", "/v1/risk?epsilon=1"]:
            self.refused(401, "TOKEN", self.get(path, None))


if __name__ == "__main__":
    unittest.main()
