"""custos risk: its numbers against the formulas, its picture point by point,
and rejected input.
"""
import json
import math
import os
import pathlib
import stat
import statistics
import tempfile
import unittest
import xml.etree.ElementTree as ET

from command import CommandCase, lines, run

SVG = "{http://www.w3.org/2000/svg}"
LEFT, RIGHT, TOP, BOTTOM = 84, 720 - 28, 92, 520 - 68


def json_of(*args):
    return json.loads("\n".join(lines("risk", *args, "--json")))


def tradeoff(epsilon, delta, fpr):
    return max(0, 1 - delta - math.exp(epsilon) * fpr,
               math.exp(-epsilon) * (1 - delta - fpr))


class Risk(CommandCase):
    def test_numbers(self):
        got = json_of("--epsilon", "1", "--delta", "1e-6", "--n", "100000")
        e = math.e
        self.assertAlmostEqual(float(got["advantage"]),
                               (e - 1 + 2e-6) / (e + 1), places=14)
        self.assertAlmostEqual(float(got["posterior"]), e / (1 + e))
        self.assertAlmostEqual(float(got["posterior_least"]), 1 / (1 + e))
        self.assertAlmostEqual(float(got["utility_factor"]), e)
        self.assertEqual(got["exposed"], "0.1")
        self.assertFalse(got["delta_too_large"])
        for point in got["corners"]:
            true = tradeoff(1, 1e-6, float(point["fpr"]))
            self.assertAlmostEqual(float(point["fnr"]), true, places=14)

    def test_sentences(self):
        text = "\n".join(lines("risk", "--epsilon", "1", "--delta", "1e-6",
                               "--n", "100000"))
        for said in ("at most 73.11 %", "most 13.6 %", "at most 2.719",
                     "0.1 of 100000", "probability 1e-6", "at least 26.89 %",
                     "false positive rate"):
            self.assertIn(said, " ".join(text.split()))
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))
        text = "\n".join(lines("risk", "--epsilon", "0.1"))
        self.assertIn("Any belief moves by at most 0.2", text)
        self.assertNotIn("Chance", text)

    def test_epsilon_is_told_as_it_was_given(self):
        """A long text is not truncated before its exponent."""
        for zeros in (40, 60):
            hundred = "1." + zeros * "0" + "e2"
            self.assertEqual(json_of("--epsilon", hundred)["epsilon"], hundred)
            self.assertIn("What epsilon 100 and",
                          lines("risk", "--epsilon", hundred)[0])

    def test_rounding_does_not_flatter(self):
        """Rounded numbers never show less risk than the exact bound."""
        for epsilon in ("0.01", "0.37", "2.5", "7"):
            e = float(epsilon)
            text = " ".join(" ".join(lines("risk", "--epsilon",
                                           epsilon)).split())
            guess = float(text.split("right with at most ")[1].split(" ")[0])
            self.assertGreaterEqual(guess / 100 + 1e-15,
                                    math.exp(e) / (1 + math.exp(e)))
            found = float(text.split("finds at most ")[1].split(" ")[0])
            self.assertGreaterEqual(found / 100 + 1e-15,
                                    1 - tradeoff(e, 0, 0.05))
            least = float(text.split("at least ")[1].split(" ")[0])
            self.assertLessEqual(least / 100, 1 / (1 + math.exp(e)) + 1e-15)

    def test_mechanisms(self):
        """The curve is that of the plan, not that of a single (epsilon,
        delta)."""
        mu = math.sqrt(50) / 20
        got = json_of("--mechanism", "gaussian:sigma=20:count=50", "--delta",
                      "1e-6")
        true = math.erf(mu / 2 / math.sqrt(2))
        self.assertGreaterEqual(float(got["advantage"]), true - 1e-12)
        self.assertLess(float(got["advantage"]), true * 1.001)
        self.assertAlmostEqual(float(got["epsilon"]), 1.54374, places=3)
        normal = statistics.NormalDist()
        line = [(float(p["fpr"]), float(p["fnr"])) for p in got["corners"]]
        for (x1, y1), (x2, y2) in zip(line, line[1:]):
            for part in (0.25, 0.5, 0.75):
                x, y = x1 + part * (x2 - x1), y1 + part * (y2 - y1)
                if 0 < x < 1:  # nor above the truth between points
                    true = normal.cdf(normal.inv_cdf(1 - x) - mu)
                    self.assertLessEqual(y, true + 1e-12)
                    self.assertGreater(y, true - 2e-3)

    def test_advantage_of_little_noise(self):
        """The promise at epsilon 0 counts even if its delta exceeds one
        half."""
        got = json_of("--mechanism", "laplace:epsilon=8", "--delta", "1e-6")
        true = 1 - math.exp(-4)
        self.assertGreaterEqual(float(got["advantage"]), true)
        self.assertLess(float(got["advantage"]), true + 2e-3)

    def test_delta_above_1_over_n(self):
        args = ("risk", "--epsilon", "1", "--delta", "1e-5", "--n", "100000")
        self.refused(*args, says="--delta")
        text = " ".join(lines(*args, "--force"))
        self.assertIn("delta promises nothing", " ".join(text.split()))
        self.assertTrue(json_of(*args[1:], "--force")["delta_too_large"])

    def test_refusals(self):
        for bad in ("-1", "nan", "inf", "x", "1e999", "1025"):
            self.refused("risk", "--epsilon", bad, says="epsilon")
        for bad in ("-1", "1", "1.5", "nan", "x"):
            self.refused("risk", "--epsilon", "1", "--delta", bad,
                         says="delta")
        for bad in ("0", "-1", "1.5", "nan", "1e30"):
            self.refused("risk", "--epsilon", "1", "--n", bad,
                         says="custos: --n must")
        for bad in ("0", "1", "2", "-1", "nan"):
            self.refused("risk", "--epsilon", "1", "--prior", bad,
                         says="prior")
        self.refused("risk", says="--epsilon")
        self.refused("risk", "--epsilon", "1", "--mechanism",
                     "laplace:epsilon=1", says="give either")
        self.refused("risk", "--mechanism", "laplace:epsilon=1",
                     says="--delta")
        self.refused("risk", "--mechanism", "cauchy", "--delta", "1e-6",
                     says="cauchy")
        self.refused("risk", "now", "--epsilon", "1", says="now")


class Picture(CommandCase):
    def test_curve(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "curve.svg")
            lines("risk", "--epsilon", "1", "--delta", "0.1", "--svg",
                  str(path))
            root = ET.parse(path).getroot()
            self.assertEqual(os.listdir(folder), ["curve.svg"])
            mask = os.umask(0)
            os.umask(mask)
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o666 & ~mask)
        blind, curve = root.findall(SVG + "polyline")
        for x, y in (point.split(",") for point in
                     curve.get("points").split()):
            fpr = (float(x) - LEFT) / (RIGHT - LEFT)
            fnr = (BOTTOM - float(y)) / (BOTTOM - TOP)
            self.assertAlmostEqual(fnr, tradeoff(1, 0.1, fpr), delta=2e-4)
        corners = [p.split(",") for p in curve.get("points").split()]
        # both ends, the point of equal errors, and where fnr becomes 0
        self.assertEqual(len(corners), 4)
        self.assertAlmostEqual(
            (float(corners[1][0]) - LEFT) / (RIGHT - LEFT),
            0.9 / (1 + math.e), delta=2e-5)
        self.assertEqual(blind.get("points"),
                         f"{LEFT:.2f},{TOP:.2f} {RIGHT:.2f},{BOTTOM:.2f}")
        words = [t.text for t in root.iter(SVG + "text")]
        self.assertIn("false positive rate: absent, but accused", words)
        self.assertIn("0.2", words)
        self.assertNotIn("-0", words)

    def test_a_failed_picture_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("risk", "--epsilon", "1", "--svg", folder)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertEqual(os.listdir(folder), [])
            self.assertEqual(os.listdir(os.path.dirname(folder)).count(
                os.path.basename(folder) + "."), 0)


if __name__ == "__main__":
    unittest.main()
