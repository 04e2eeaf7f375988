"""custos account: the worked examples of the papers, tables, JSON, pictures,
and rejected input.
"""
import json
import math
import os
import pathlib
import tempfile
import unittest
from fractions import Fraction
import xml.etree.ElementTree as ET

from command import CommandCase, lines, run

SVG = "{http://www.w3.org/2000/svg}"


def json_of(*args):
    return json.loads("\n".join(lines(*args, "--json")))


def rows(*args):
    """name -> row of account compose."""
    return {row["name"]: row for row in
            json_of("account", "compose", *args)["rows"]}


def m(*mechanisms):
    return [part for name in mechanisms for part in ("--mechanism", name)]


class Words(CommandCase):
    def test_refusals_name_the_option(self):
        """Errors name the command's option, such as --delta, not the library's
        field."""
        plan = m("laplace:epsilon=0.1")
        for args, says in (
                (("compose", *plan, "--delta", "2"), "--delta must lie"),
                (("calibrate", *plan, "--epsilon", "-1"),
                 "--epsilon must be above 0"),
                (("calibrate", *plan, "--epsilon", "1", "--delta", "x"),
                 "--delta must be a number"),
                (("convert", "--from", "pure", "--amount", "1", "--to",
                  "approx", "--to-delta", "2"), "--to-delta must lie"),
                (("convert", "--from", "rdp", "--amount", "1", "--order",
                  "0"), "--order must"),
                (("group", "--rho", "-1", "--size", "2"), "--rho must"),
                (("group", "--epsilon", "1", "--delta", "1", "--size", "2"),
                 "--delta must"),
                (("group", *plan, "--delta", "2", "--size", "2"),
                 "--delta must"),
                (("plan", "--n", "100", "--epsilon", "1", "--delta", "2"),
                 "--delta must"),
                (("plan", "--queries", "100", "--error", "1", "--delta", "2"),
                 "--delta must")):
            self.refused("account", *args, says="custos: " + says)

    def test_usage_goes_on(self):
        """The continuation line of a usage text is not shown as a command."""
        text = lines("account", "calibrate", "--help")
        self.assertIn("      [--delta NUMBER] [--find noise|count]", text)
        self.assertFalse([line for line in text if "custos  " in line])


class Compose(CommandCase):
    def test_worked_examples(self):
        """Gaboardi's examples: 8 thresholds cost 8 eps, 3 attributes 3 eps, a
        histogram 2 eps under change-one and 1 eps under add/remove."""
        eight = rows(*m("laplace:epsilon=0.1:count=8"))
        self.assertEqual(eight["basic"]["epsilon"], "0.8")
        three = rows(*m("laplace:epsilon=0.1:count=3"))
        self.assertEqual(three["basic"]["epsilon"], "0.3")
        for adjacency, cost in (("change-one", "0.2"), ("add-remove", "0.1")):
            bins = rows(*m("laplace:epsilon=0.1:count=8"), "--parallel",
                        "--promise", adjacency)
            self.assertEqual(bins["parallel"]["epsilon"], cost)

    def test_parallel_needs_prices_under_add_remove(self):
        """Sums over [90,100]: changing within a part moves one sum by 10,
        changing the part moves two sums by 100."""
        self.refused("account", "compose", "--parallel", "--adjacency",
                     "change-one",
                     *m("laplace:scale=100:sensitivity=10:count=8"),
                     says="added to or removed from its part")
        parts = rows(*m("laplace:scale=100:sensitivity=100:count=8"),
                     "--parallel", "--promise", "change-one")
        self.assertEqual(parts["parallel"]["epsilon"], "2")
        self.refused("account", "compose", "--parallel", "--promise", "both",
                     *m("laplace:epsilon=1"), says="--promise must be")
        self.refused("account", "compose", "--promise", "change-one",
                     *m("laplace:epsilon=1"), says="needs --parallel")

    def test_root_against_sum(self):
        """Advanced composition grows with the root of the count."""
        few = rows(*m("laplace:epsilon=0.001:count=1000"), "--delta", "1e-6")
        many = rows(*m("laplace:epsilon=0.001:count=100000"), "--delta",
                    "1e-6")
        ratio = {name: float(many[name]["epsilon"]) /
                 float(few[name]["epsilon"]) for name in ("basic", "advanced")}
        self.assertAlmostEqual(ratio["basic"], 100)
        self.assertLess(ratio["advanced"], 15)
        self.assertGreater(ratio["advanced"], 9.9)

    def test_the_issue_s_example(self):
        got = rows(*m("laplace:epsilon=0.1:count=100",
                      "gaussian:sigma=20:count=50"), "--delta", "1e-6")
        self.assertEqual(list(got), ["basic", "advanced", "KOV15", "zCDP",
                                     "RDP", "GDP", "PLD, at least",
                                     "PLD, at most"])
        low = float(got["PLD, at least"]["epsilon"])
        high = float(got["PLD, at most"]["epsilon"])
        self.assertLess(low, high)
        self.assertLess(high - low, 2e-3)
        self.assertEqual([n for n, r in got.items() if r["tightest"]],
                         ["PLD, at most"])
        for name, row in got.items():
            self.assertTrue(row["source"], name)
            self.assertTrue(row["theorem"], name)
            if row["epsilon"] is None:
                self.assertTrue(row["reason"])
            elif row["bound"] == "upper":
                self.assertGreaterEqual(float(row["epsilon"]), low)

    def test_every_row_where_it_applies(self):
        got = rows(*m("gaussian:sigma=50:count=1000"), "--delta", "1e-5")
        self.assertAlmostEqual(float(got["GDP"]["epsilon"]), 2.594383381,
                               places=8)
        got = rows(*m("generic:epsilon=0.1:count=30"), "--delta", "1e-6")
        kov, pld = (float(got[n]["epsilon"]) for n in ("KOV15",
                                                       "PLD, at most"))
        self.assertAlmostEqual(kov, pld, places=3)
        self.assertLess(kov, 3)

    def test_table(self):
        text = lines("account", "compose",
                     *m("laplace:epsilon=0.1:count=100"), "--delta", "1e-6")
        self.assertEqual(sum("tightest" in line for line in text), 1)
        self.assertTrue(all(len(line) <= 100 for line in text))

    def test_delta_0(self):
        got = rows(*m("laplace:epsilon=0.25:count=4"))
        self.assertEqual(got["basic"]["epsilon"], "1")
        self.assertTrue(got["basic"]["tightest"])
        self.assertIsNone(got["PLD, at most"]["epsilon"])

    def test_fallbacks_are_told(self):
        got = rows(*m("discrete-gaussian:sigma=9:sensitivity-squared=2"),
                   "--delta", "1e-6")
        self.assertIn("several numbers", got["PLD, at most"]["reason"])
        self.assertIsNotNone(got["zCDP"]["epsilon"])
        got = rows(*m("laplace:epsilon=0.1:count=9223372036854775807"),
                   "--delta", "1e-6")
        self.assertIn("2^40", got["PLD, at most"]["reason"])


class Refusals(CommandCase):
    def test_mechanisms(self):
        for bad, says in (("laplace:epsilon=-1", "epsilon"),
                          ("laplace:epsilon=nan", "epsilon"),
                          ("laplace:epsilon=0", "epsilon"),
                          ("laplace:epsilon=1:count=0", "count"),
                          ("laplace:epsilon=1:count=9223372036854775809",
                           "count"),
                          ("laplace:epsilon=1:count=-3", "count"),
                          ("laplace:epsilon=1:count=1.5", "count"),
                          ("laplace:epsilon=1:epsilon=1", "twice"),
                          ("laplace:sigma=1", "sigma"),
                          ("laplace", "epsilon"),
                          ("gaussian:sigma=1:sample=2", "sample"),
                          ("generic:epsilon=1:delta=1", "delta"),
                          ("cauchy:scale=1", "cauchy"),
                          ("", "mechanism"),
                          ("laplace:epsilon", "epsilon")):
            for verb in ("compose", "curve"):
                self.refused("account", verb, *m(bad), "--delta", "1e-6",
                             says=says)
            self.refused("account", "calibrate", *m(bad), "--epsilon", "1",
                         says=says)

    def test_numbers(self):
        one = m("laplace:epsilon=1")
        for bad in ("-1", "1", "2", "nan", "inf", "1e999", "x", "1/0"):
            self.refused("account", "compose", *one, "--delta", bad,
                         says="delta")
            self.refused("account", "calibrate", *one, "--epsilon", "1",
                         "--delta", bad, says="delta")
            self.refused("account", "group", "--epsilon", "1", "--size", "2",
                         "--delta", bad, says="delta")
        for bad in ("0", "-1", "nan", "x", "1e-300"):
            self.refused("account", "calibrate", *one, "--epsilon", bad,
                         says="epsilon")
        for bad in ("0", "-1", "1.5", "9223372036854775808", "1e3", "two"):
            self.refused("account", "group", "--epsilon", "1", "--size", bad,
                         says="--size")
        for bad in ("0", "1", "202", "-2", "x"):
            self.refused("account", "curve", *one, "--points", bad,
                         says="--points")
        self.refused("account", "compose", *one, "--delta", "1e-6", "--width",
                     "0", says="width")

    def test_options(self):
        self.refused("account", says="account --help")
        self.refused("account", "compse", says="did you mean compose?")
        self.refused("account", "frobnicate", says="account --help")
        self.refused("account", "compose", says="--mechanism")
        self.refused("account", "compose", "now", *m("laplace:epsilon=1"),
                     says="now")
        self.refused("account", "compose", *m("laplace:epsilon=1"),
                     "--adjacency", "both", says="--adjacency")
        self.refused("account", "calibrate", *m("laplace:epsilon=1"),
                     says="--epsilon")
        self.refused("account", "calibrate", *m("laplace:epsilon=1"),
                     "--epsilon", "1", "--find", "peace", says="--find")
        self.refused("account", "calibrate",
                     *m("generic:epsilon=1:delta=0.1"), "--epsilon", "1",
                     "--delta", "1e-6", says="no amount of noise")
        self.refused("account", "convert", "--amount", "1", says="--from")
        self.refused("account", "convert", "--from", "zdcp", "--amount", "1",
                     says="did you mean zcdp?")
        self.refused("account", "convert", "--from", "zcdp", says="--amount")
        self.refused("account", "convert", "--from", "rdp", "--amount", "1",
                     says="order")
        self.refused("account", "group", "--size", "3", says="--epsilon")
        self.refused("account", "group", "--rho", "1", "--delta", "0.1",
                     "--size", "3", says="--delta")
        self.refused("account", "plan", says="--n")
        self.refused("account", "plan", "--n", "0", "--epsilon", "1",
                     says="--n")
        self.refused("account", "plan", "--n", "nan", "--epsilon", "1",
                     says="--n")
        self.refused("account", "plan", "--n", "10", "--epsilon", "-1",
                     says="--epsilon")
        self.refused("account", "plan", "--n", "10", "--epsilon", "1",
                     "--delta", "1", says="delta")


class Verbs(CommandCase):
    def test_group(self):
        got = json_of("account", "group", "--epsilon", "0.5", "--delta",
                      "1e-6", "--size", "3")
        self.assertEqual(got["epsilon"], "1.5")
        self.assertLessEqual(float(got["delta"]), 3 * math.e * 1e-6)
        self.assertAlmostEqual(float(got["delta_textbook"]),
                               3 * math.e * 1e-6, places=18)
        self.assertEqual(got["theorem"], "group-approx")
        text = " ".join(lines("account", "group", "--epsilon", "0.5",
                              "--delta", "1e-6", "--size", "3"))
        self.assertIn("epsilon 1.5, delta 5.36701e-6", text)
        self.assertIn("group-approx", text)
        self.assertEqual(json_of("account", "group", "--rho", "0.01",
                                 "--size", "10")["rho"], "1")

    def test_group_of_a_plan(self):
        plan = m("gaussian:sigma=10")
        got = json_of("account", "group", *plan, "--delta", "1e-6", "--size",
                      "3")
        one = rows(*m("gaussian:sigma=10:sensitivity=3"), "--delta", "1e-6")
        self.assertAlmostEqual(float(got["epsilon"]),
                               float(one["GDP"]["epsilon"]), places=3)
        text = " ".join(lines("account", "group",
                              *m("discrete-gaussian:sigma=10"), "--delta",
                              "1e-6", "--size", "3"))
        self.assertIn("compose-zcdp", text)
        self.assertIn("several numbers", text)
        self.refused("account", "group", *plan, "--size", "3", says="--delta")
        self.refused("account", "group", *plan, "--size", "3", "--rho", "1",
                     says="one of --epsilon")
        self.refused("account", "group", *m("gaussian:sigma=1:sample=0.1"),
                     "--size", "3", "--delta", "1e-6", says="sample")

    def test_convert(self):
        got = json_of("account", "convert", "--from", "pure", "--amount", "1")
        value = {row["to"]: row.get("value") for row in got["rows"]}
        self.assertEqual(value["pure"], "1")
        self.assertAlmostEqual(float(value["zcdp"]), math.tanh(0.5))
        self.assertLess(float(value["approx"]), 1)
        got = json_of("account", "convert", "--from", "zcdp", "--amount",
                      "0.1", "--to", "approx", "--to-delta", "1e-6")
        self.assertEqual(len(got["rows"]), 1)
        self.assertLess(float(got["rows"][0]["value"]),
                        0.1 + 2 * math.sqrt(0.1 * math.log(1e6)))
        text = "\n".join(lines("account", "convert", "--from", "zcdp",
                               "--amount", "0.1"))
        self.assertIn("–", text)

    def test_calibrate(self):
        got = json_of("account", "calibrate",
                      *m("gaussian:sigma=1:count=50"), "--epsilon", "1",
                      "--delta", "1e-6")
        self.assertLessEqual(float(got["epsilon"]), 1)
        back = rows(*m(*got["mechanisms"]), "--delta", "1e-6")
        self.assertLess(float(back["GDP"]["epsilon"]), 1)
        self.assertGreater(float(back["GDP"]["epsilon"]), 0.999)
        got = json_of("account", "calibrate", *m("laplace:epsilon=0.1"),
                      "--epsilon", "1", "--find", "count")
        self.assertEqual(got["count"], "10")
        text = lines("account", "calibrate", *m("laplace:epsilon=1:count=10"),
                     "--epsilon", "1")
        self.assertIn("Multiply all noise by 10:", text[0])

    def test_plan_laws(self):
        """n queries about n people have an error of about 3 n/eps each. If the
        error may be as large as the sampling error, the number of queries grows
        as sqrt(n), and with a delta as n."""
        small, large = (json_of("account", "plan", "--n", n, "--epsilon", "1")
                        for n in ("10000", "1000000"))
        for got in (small, large):
            last = got["rows"][-1]
            self.assertEqual(last["queries"], got["n"])
            share = float(last["laplace_error"]) / float(got["n"])
            self.assertAlmostEqual(share, math.log(20), places=2)
        pure = [float(got["queries_pure"]) for got in (small, large)]
        approx = [float(got["queries_approx"]) for got in (small, large)]
        self.assertAlmostEqual(pure[1] / pure[0], 10, delta=0.5)
        self.assertAlmostEqual(approx[1] / approx[0], 100, delta=1)
        text = lines("account", "plan", "--n", "10000", "--epsilon", "1")
        self.assertTrue(all(len(line) <= 80 for line in text))

    def test_plan_reads_fractions(self):
        self.assertEqual(
            json_of("account", "plan", "--queries", "10", "--epsilon", "1/2"),
            json_of("account", "plan", "--queries", "10", "--epsilon", "0.5"))
        for bad in ("1/0", "1/", "/2", "1/2/3", " 1"):
            self.refused("account", "plan", "--queries", "10", "--epsilon",
                         bad, says="--epsilon")

    def test_plan_inverts(self):
        error = json_of("account", "plan", "--queries", "100", "--epsilon",
                        "1")
        for kind in ("pure", "approx"):
            queries = json_of("account", "plan", "--error", error[kind],
                              "--epsilon", "1")
            self.assertAlmostEqual(float(queries[kind]), 100, delta=0.2)
            budget = json_of("account", "plan", "--error", error[kind],
                             "--queries", "100")
            self.assertAlmostEqual(float(budget[kind]), 1, delta=2e-3)

    def test_help(self):
        for verb in ("compose", "calibrate", "plan", "convert", "group",
                     "curve"):
            text = lines("account", verb, "--help")
            self.assertEqual(text, lines("help", "account", verb))
            self.assertTrue(all(len(line) <= 80 for line in text), verb)
            self.assertIn("Examples", text)
        self.assertIn("Verbs", lines("account", "--help"))


class Curve(CommandCase):
    def test_points(self):
        got = json_of("account", "curve", *m("gaussian:sigma=20:count=50"),
                      "--points", "9")["points"]
        self.assertEqual(len(got), 9)
        mu = math.sqrt(50) / 20

        def phi(x):
            return math.erfc(-x / math.sqrt(2)) / 2
        self.assertEqual(got[-1]["delta"], "1e-9")
        self.assertEqual([p["epsilon_low"] for p in got].count("0"), 1)
        self.assertAlmostEqual(float(got[0]["delta"]), 2 * phi(mu / 2) - 1,
                               delta=1e-4)
        for point in got:
            for side, key in ((1, "epsilon_low"), (-1, "epsilon_high")):
                e = float(point[key])
                delta = (phi(mu / 2 - e / mu) -
                         math.exp(e) * phi(-mu / 2 - e / mu))
                if e > 0:
                    self.assertGreater(side * delta * (1 + side * 1e-6),
                                       side * float(point["delta"]))
                    self.assertLess(abs(delta / float(point["delta"]) - 1),
                                    0.1)

    def test_delta_is_told_as_it_was_given(self):
        """A long text is not truncated, which would change the number: 1e-35
        would become 0, and at delta 0 no Gaussian has an epsilon."""
        for delta in ("0." + 34 * "0" + "1", "1/1000000000",
                      "1." + 40 * "0" + "e-7"):
            got = json_of("account", "curve", *m("gaussian:sigma=3"),
                          "--points", "5", "--delta", delta)["points"]
            self.assertEqual(got[-1]["delta"], delta)
            inner = [float(p["delta"]) for p in got[:-1]]
            self.assertEqual(inner, sorted(inner, reverse=True))
            self.assertLess(inner[-1], 1e-2)
            self.assertGreater(inner[-1], float(Fraction(delta)))

    def test_svg(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "curve.svg")
            lines("account", "curve", *m("laplace:epsilon=0.1:count=10"),
                  "--svg", str(path), "--points", "9")
            root = ET.parse(path).getroot()
            self.assertEqual(root.tag, SVG + "svg")
            curves = root.findall(SVG + "polyline")
            self.assertEqual(len(curves), 2)
            self.assertEqual(len(curves[1].get("points").split()), 9)
            self.assertEqual(os.listdir(folder), ["curve.svg"])

    def test_no_curve_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("account", "curve", *m("laplace:epsilon=1"), "--svg",
                       folder + "/none/curve.svg")
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.refused("account", "curve",
                         *m("generic:epsilon=1:delta=0.5"), "--svg",
                         folder + "/curve.svg", says="no curve")
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
