"""What the API tells of promises: who asks, what a question would leave, what
answers so far mean, and the toy of newcomers.
"""
import math
import unittest
from decimal import Decimal

from http_case import HttpCase

COUNT = "SELECT count(*) FROM visits"


def success(epsilon, delta=0.0):
    """The most that a test is right at even odds, by the formula."""
    e = math.exp(epsilon)
    return (1 + (e - 1 + 2 * delta) / (e + 1)) / 2


class Tell(HttpCase):
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


if __name__ == "__main__":
    unittest.main()
