"""`custos noise` from outside: its draws follow their distributions, its
releases are on their grid and within their error bars, its JSON is valid.

The product has no seed, so these tests are statistical. ALPHA is the chance
that one check fails by accident, unless the check states another. There are
about twenty checks, so one run in 50,000 gives a false alarm.
"""
import bisect
import json
import math
import os
import unittest
from fractions import Fraction

from command import CommandCase, lines, run

ALPHA = 1e-6
DRAWS = 200000
LAPLACE = ("noise", "discrete-laplace", "--sensitivity", "1")


def gamma_q(a, x):
    """The regularised upper incomplete gamma function."""
    if x <= 0:
        return 1.0
    front = math.exp(-x + a * math.log(x) - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        k = a
        while abs(term) > abs(total) * 1e-16:
            k += 1
            term *= x / k
            total += term
        return 1 - front * total
    b = x + 1 - a
    c = 1e300
    d = h = 1 / b
    for i in range(1, 10000):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        h *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * h


def chi_square_p(values, cuts, below):
    """The p-value of a chi-square test of the values, in cells between ascending
    cuts; below(x) = P[draw < x]."""
    cuts = list(cuts)
    counts = [0] * (len(cuts) + 1)
    for value in values:
        counts[bisect.bisect_right(cuts, value)] += 1
    marks = [0.0, *map(below, cuts), 1.0]
    chi = 0.0
    for count, lo, hi in zip(counts, marks, marks[1:]):
        expected = (hi - lo) * len(values)
        assert expected > 20, "a cell too small for the chi-square law"
        chi += (count - expected) ** 2 / expected
    return gamma_q((len(counts) - 1) / 2, chi / 2)


def laplace_below(scale):
    q = math.exp(-1 / scale)

    def below(x):  # P[Y < x]
        if x <= 0:
            return q ** (1 - x) / (1 + q)
        return 1 - q ** x / (1 + q)
    return below


def gauss_below(sigma):
    reach = int(12 * sigma) + 2
    weights = [math.exp(-(x / sigma) ** 2 / 2) for x in range(-reach, reach)]
    total = math.fsum(weights)
    sums = [0.0]
    for weight in weights:
        sums.append(sums[-1] + weight / total)
    return lambda x: sums[x + reach]


def draws(law, *parameter, count=DRAWS):
    got = [int(x) for x in
           lines("noise", law, *parameter, "--draws", str(count))]
    assert len(got) == count
    return got


def outside_at_most(outside, n, p):
    """Whether a Binomial(n, p) is at least `outside` with P above ALPHA."""
    total = 0.0
    for k in range(outside, n + 1):
        total += math.exp(math.lgamma(n + 1) - math.lgamma(k + 1)
                          - math.lgamma(n - k + 1) + k * math.log(p)
                          + (n - k) * math.log1p(-p))
        if k > n * p + 20 * math.sqrt(n * p) + 20:
            break
    return total > ALPHA


class Laws(CommandCase):
    CUTS = list(range(-4000, 4001, 100))
    GAUSS_CUTS = list(range(-3000, 3001, 100))

    def test_discrete_laplace_at_1000(self):
        got = draws("discrete-laplace", "--scale", "1000")
        self.assertGreater(
            chi_square_p(got, self.CUTS, laplace_below(1000)), ALPHA)
        # The same check rejects a slightly different distribution.
        self.assertLess(
            chi_square_p(got, self.CUTS, laplace_below(1030)), ALPHA)

    def test_discrete_gaussian_at_1000(self):
        got = draws("discrete-gaussian", "--sigma", "1000")
        self.assertGreater(
            chi_square_p(got, self.GAUSS_CUTS, gauss_below(1000)), ALPHA)
        self.assertLess(
            chi_square_p(got, self.GAUSS_CUTS, gauss_below(1030)), ALPHA)

    def test_small_scales(self):
        cuts = list(range(-5, 7))
        self.assertGreater(chi_square_p(
            draws("two-sided-geometric", "--scale", "4/3"), cuts,
            laplace_below(4 / 3)), ALPHA)
        self.assertGreater(chi_square_p(
            draws("discrete-gaussian", "--sigma=2.5"), cuts,
            gauss_below(2.5)), ALPHA)

    def test_geometric(self):
        got = draws("geometric", "--scale", "10")
        self.assertGreater(chi_square_p(
            got, range(1, 70), lambda x: 1 - math.exp(-x / 10)), ALPHA)

    def test_coins_and_dice(self):
        for law, parameter, p in (("bernoulli", ("--p", "1/3"), 1 / 3),
                                  ("bernoulli-exp", ("--x", "2"),
                                   math.exp(-2))):
            got = draws(law, *parameter)
            self.assertLessEqual(set(got), {0, 1})
            self.assertGreater(
                chi_square_p(got, [1], lambda x, p=p: 1 - p), ALPHA)
        got = draws("uniform", "--n", "7")
        self.assertGreater(
            chi_square_p(got, range(1, 7), lambda x: x / 7), ALPHA)

    def test_ends_of_the_parameters(self):
        self.assertEqual(set(draws("bernoulli", "--p", "0", count=99)), {0})
        self.assertEqual(set(draws("bernoulli", "--p", "1", count=99)), {1})
        self.assertEqual(set(draws("uniform", "--n", "1", count=99)), {0})
        self.assertEqual(
            set(draws("discrete-laplace", "--scale", "1e-6", count=99)), {0})
        wide = draws("uniform", "--n", "18446744073709551616", count=999)
        self.assertTrue(all(0 <= x < 2 ** 64 for x in wide))
        self.assertGreater(max(wide), 2 ** 63)  # fails with P = 2^-999

    def test_draws_pass_64_bits(self):
        # P[|x| >= 2^63] = exp(-8) at scale 2^60: 67 of 200,000 expected.
        got = draws("discrete-laplace", "--scale", "1152921504606846976")
        beyond = sum(abs(x) >= 2 ** 63 for x in got)
        self.assertTrue(20 < beyond < 130, beyond)  # fails with P = 2e-11 for a Poisson(67)

    def test_two_runs_differ(self):
        first, second = (draws("uniform", "--n", "18446744073709551616",
                               count=2) for _ in range(2))
        self.assertNotEqual(first, second)


class Releases(CommandCase):
    def test_error_bars_cover(self):
        n = 50000
        for more, share in (((), 0.05), (("--confidence", "99.5"), 0.005)):
            got = lines(*LAPLACE, "--epsilon", "0.01", "--error", *more,
                        stdin="1000\n" * n)
            outside = 0
            for line in got:
                value, _, half, _ = line.split(maxsplit=3)
                outside += abs(int(value) - 1000) > int(half)
            self.assertEqual(len(got), n)
            self.assertTrue(outside_at_most(outside, n, share), outside)
            # Not too wide: they fail at least half as often as they may.
            self.assertGreater(outside, n * share / 2)

    def test_simultaneous_bars_cover_all(self):
        runs, failed = 300, 0
        for _ in range(runs):
            got = lines(*LAPLACE, "--epsilon", "0.1", "--error",
                        "--simultaneous", "--confidence", "80",
                        stdin="5\n" * 50)
            self.assertTrue(got[0].endswith("(80%, all at once)"))
            half = int(got[0].split()[2])
            failed += any(abs(int(x.split()[0]) - 5) > half for x in got)
        self.assertTrue(outside_at_most(failed, runs, 0.2), failed)
        # Not too wide: about 60 expected; P < 4e-8 for a Binomial(300, 0.15).
        self.assertGreater(failed, 15)

    def test_noise_has_the_scale_of_the_promise(self):
        got = lines(*LAPLACE, "--epsilon", "1/1000", stdin="7\n" * DRAWS)
        self.assertGreater(chi_square_p(
            [int(x) - 7 for x in got], Laws.CUTS, laplace_below(1000)), ALPHA)

    def test_reals_lie_on_the_grid(self):
        got = lines("noise", "discrete-laplace", "--real", "--grid", "1/1024",
                    "--sensitivity", "1/10", "--epsilon", "1",
                    stdin="36.65\n-0.1\n1e-3\n+2\n.5\n3.\n" * 1000)
        for line in got:
            self.assertEqual((Fraction(line) * 1024).denominator, 1, line)

    def test_default_grid_is_told_and_kept(self):
        told = json.loads(run("noise", "discrete-gaussian", "--real",
                              "--epsilon", "1", "--delta", "1e-6",
                              "--sensitivity", "0.1", "--json",
                              stdin="1\n2\n3\n").stdout)
        for value in told["values"]:
            steps = Fraction(value) / Fraction(told["grid"])
            self.assertEqual(steps.denominator, 1, value)

    def test_sums_stop_at_the_limits(self):
        edge = 2 ** 63 - 1
        got = lines(*LAPLACE, "--epsilon", "1e-15",
                    stdin=f"{edge}\n{-edge - 1}\n" * 100)
        self.assertTrue(all(-edge - 1 <= int(x) <= edge for x in got))
        # Half of all noise points outwards; that none does has P = 2^-100.
        self.assertIn(str(edge), got)
        got = lines(*LAPLACE, "--epsilon", "0.01", "--lower", "-5",
                    "--upper", "5", stdin="0\n" * 1000)
        self.assertEqual((min(map(int, got)), max(map(int, got))), (-5, 5))

    def test_forms_of_input(self):
        for text in ("1\n2", "1\r\n2\r\n", " 1 \n\t2\n", "+1\n-2\n"):
            self.assertEqual(
                len(lines(*LAPLACE, "--epsilon", "1", stdin=text)), 2)

    def test_facts(self):
        got = lines(*LAPLACE, "--epsilon", "0.5", "--facts", stdin="3\n")
        self.assertEqual(got[:3], [
            "# discrete-laplace on whole numbers, theorem laplace-discrete",
            "# epsilon 0.5, delta 0, sensitivity 1", "# scale 2, grid 1"])
        self.assertRegex(got[3], r"^-?\d+$")

    def test_the_promise_of_a_scale(self):
        told = json.loads(run(*LAPLACE, "--scale", "4", "--json",
                              stdin="3\n").stdout)
        self.assertEqual((told["epsilon"], told["delta"]), ("0.25", "0"))
        told = json.loads(run("noise", "discrete-gaussian", "--sigma", "5",
                              "--epsilon", "1", "--sensitivity", "1",
                              "--json", stdin="3\n").stdout)
        self.assertTrue(0 < float(told["delta"]) < 1e-6)


class Output(CommandCase):
    def test_json_of_draws(self):
        told = json.loads(run("noise", "uniform", "--n", "6", "--draws",
                              "5000", "--json").stdout)
        self.assertEqual((told["law"], told["n"]), ("uniform", "6"))
        self.assertEqual(len(told["draws"]), 5000)
        self.assertEqual(set(told["draws"]), set("012345"))

    def test_json_of_releases(self):
        done = run(*LAPLACE, "--epsilon", "1/3", "--json", "--error",
                   "--simultaneous", stdin="1\n2\n")
        told = json.loads(done.stdout)
        self.assertEqual(list(told), [
            "version", "law", "epsilon", "delta", "sensitivity", "scale", "grid",
            "theorem", "error", "confidence", "simultaneous", "values"])
        self.assertEqual(told["scale"], "3")
        self.assertIs(told["simultaneous"], True)
        self.assertEqual(len(told["values"]), 2)
        self.assertGreaterEqual(Fraction(told["epsilon"]), Fraction(1, 3))

    def test_a_full_disk_is_a_failure(self):
        for args, stdin in (
                (("noise", "uniform", "--n", "6", "--draws", "5"), ""),
                (("noise", "uniform", "--n", "6", "--draws", "5000000"), ""),
                ((*LAPLACE, "--epsilon", "1"), "1\n"),
                (("--help",), ""), (("--version",), ""), (("demo", "--people", "100"), ""),
                (("noise", "--help"), "")):
            with open("/dev/full", "wb") as full:
                done = run(*args, stdin=stdin, stdout=full)
            self.assertEqual(done.returncode, 1, args)
            self.assertRegex(done.stderr.decode(),
                             r"^custos: cannot write to standard output: "
                             r"[^\n]+\n$")

    def test_a_closed_pipe_is_silent(self):
        for restore in (True, False):  # with the default SIGPIPE, and with it ignored
            read, write = os.pipe()
            os.close(read)
            with os.fdopen(write, "wb") as pipe:
                done = run("noise", "uniform", "--n", "6", "--draws",
                           "1000000", stdout=pipe, restore_signals=restore)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr, b"")

    def test_locales_do_not_matter(self):
        env = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8",
               "LC_NUMERIC": "de_DE.UTF-8"}
        args = ("noise", "discrete-laplace", "--real", "--sensitivity", "0.5",
                "--epsilon", "0.5", "--grid", "0.25", "--error")
        done = run(*args, stdin="1.5\n", env=env)
        self.assertRegex(done.stdout.decode(), r"^-?[0-9.]+ ± [0-9.]+ \(95%\)")
        self.assertEqual(run(*args, stdin="1,5\n", env=env).returncode, 2)


if __name__ == "__main__":
    unittest.main()
