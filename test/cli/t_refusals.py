"""Whatever is wrong with the options or the input, `custos` rejects it the same
way: exit 2, one sentence on standard error, nothing on standard output.
"""
import unittest

from command import CommandCase, run

DRAWS = ("noise", "discrete-laplace", "--draws", "3")
LAPLACE = ("noise", "discrete-laplace", "--sensitivity", "1")
GAUSSIAN = ("noise", "discrete-gaussian", "--sensitivity", "1",
            "--epsilon", "1")
GOOD = (*LAPLACE, "--epsilon", "1")
NOT_NUMBERS = ("nan", "NaN", "inf", "-inf", "infinity", "1e999", "0x10", "1,5",
               " 1", "1 ", "one", "1/0", "--", "1e", "1\n2", "9" * 200)


class Refusals(CommandCase):
    def test_verbs(self):
        self.refused(says="no verb")
        self.refused("", says="no verb")
        self.refused("nosie", says="did you mean noise?")
        self.refused("frobnicate", says="custos --help")
        self.refused("help", "nosie", says="did you mean noise?")
        self.refused("--frobnicate", says="unknown option")
        self.refused("demo", "now")
        self.refused("demo", "--now", says="unknown option --now")

    def test_laws(self):
        self.refused("noise", says="needs a law")
        self.refused("noise", "laplace", "--scale", "1", "--draws", "1",
                     says="did you mean discrete-laplace?")
        self.refused("noise", "cauchy", "--scale", "1", "--draws", "1")
        self.refused("noise", "uniform", "bernoulli", "--n", "3",
                     "--draws", "1", says="unexpected word")
        self.refused("noise", "geometric", "--scale", "3", says="can only be drawn")

    def test_options(self):
        self.refused(*DRAWS, "--sclae", "1", says="did you mean --scale?")
        self.refused(*DRAWS, "--scale=1", "-n", "3", says="did you mean --n?")
        self.refused(*DRAWS, "--frobnicate", says="see custos noise --help")
        self.refused(*DRAWS, "--scale", says="--scale needs a value")
        self.refused(*DRAWS, "--scale=", says="--scale needs a value")
        self.refused(*DRAWS, "--scale", "--json", says="needs a value")
        self.refused(*DRAWS, "--scale", "1", "--scale", "2", says="twice")
        self.refused(*DRAWS, "--scale", "1", "--json=yes", says="no value")
        self.refused(*DRAWS, says="needs --scale")
        self.refused(*DRAWS, "--sigma", "1", says="--scale, not --sigma")
        self.refused(*DRAWS, "--" + "x" * 5000, "1", says="unknown option")
        self.refused(*DRAWS, "--\n\033[31m", "1", says="unknown option")
        self.refused(*DRAWS, "--", "--scale", "1", says="unexpected word")
        self.refused(*DRAWS, "--", *["1"] * 300, says="too many words")

    def test_release_options_are_not_for_draws(self):
        for more in (("--epsilon", "1"), ("--error",), ("--real",),
                     ("--sensitivity", "1"), ("--grid", "1"), ("--facts",)):
            self.refused(*DRAWS, "--scale", "1", *more, says=more[0])

    def test_counts_of_draws(self):
        for count in ("0", "-1", "1.5", "1e6", "ten", "nan", "+3", " 3",
                      "1000000000001", "9" * 40):
            self.refused("noise", "discrete-laplace", "--scale", "1",
                         "--draws", count, says="--draws")

    def test_numbers(self):
        for text in NOT_NUMBERS:
            self.refused(*DRAWS, "--scale", text)
            self.refused(*LAPLACE, "--epsilon", text)
            self.refused(*GAUSSIAN, "--delta", text)
            self.refused("noise", "discrete-laplace", "--epsilon", "1",
                         "--sensitivity", text)

    def test_ranges(self):
        for scale in ("0", "-1", "1e-7", "1e19", "9.5e-7"):
            self.refused(*DRAWS, "--scale", scale, says="scale must")
            self.refused("noise", "discrete-gaussian", "--draws", "1",
                         "--sigma", scale, says="sigma must")
        for p in ("-0.1", "1.1"):
            self.refused("noise", "bernoulli", "--p", p, "--draws", "1")
        for x in ("-1", "1048577"):
            self.refused("noise", "bernoulli-exp", "--x", x, "--draws", "1")
        for n in ("0", "-3", "2.5", "18446744073709551617"):
            self.refused("noise", "uniform", "--n", n, "--draws", "1")

    def test_promises(self):
        for epsilon in ("0", "-1", "-0.0", "0/5"):
            self.refused(*LAPLACE, "--epsilon", epsilon, says="epsilon")
        for delta in ("0", "1", "1.5", "-0.1"):
            self.refused(*GAUSSIAN, "--delta", delta, says="delta")
        for sensitivity in ("0", "-1"):
            self.refused("noise", "discrete-laplace", "--epsilon", "1",
                         "--sensitivity", sensitivity, says="sensitivity")
        self.refused(*LAPLACE, says="--epsilon")
        self.refused(*GOOD, "--scale", "3", says="give either")
        self.refused(*GOOD, "--delta", "1e-6", says="delta 0")
        self.refused(*GOOD, "--calibration", "exact")
        self.refused(*GAUSSIAN, says="two of")
        self.refused(*GAUSSIAN, "--delta", "1e-6", "--sigma", "3",
                     says="two of")
        self.refused("noise", "discrete-laplace", "--epsilon", "1",
                     says="--sensitivity is missing")
        self.refused(*GAUSSIAN, "--delta", "1e-6", "--sensitivity-squared",
                     "2", says="give either")

    def test_calibrations(self):
        self.refused(*GAUSSIAN, "--delta", "1e-6", "--calibration", "clasical",
                     says="did you mean classical?")
        self.refused(*GAUSSIAN, "--delta", "1e-6", "--calibration",
                     "classical", says="epsilon")  # needs epsilon < 1
        self.refused(*GOOD, "--changes", "two", says="--changes")

    def test_grids_and_limits(self):
        self.refused(*GOOD, "--grid", "1/4", says="--real")
        self.refused(*GOOD, "--real", "--grid", "1/3", says="power of two")
        self.refused(*GOOD, "--real", "--grid", "-1")
        self.refused(*GOOD, "--lower", "3", "--upper", "2")
        self.refused(*GOOD, "--upper", "9223372036854775808")

    def test_error_bars(self):
        for percent in ("0", "100", "101", "-5", "95%", "nan", "1e1", "",
                        "9.5.1", "99.9999999999999999"):
            self.refused(*GOOD, "--error", "--confidence=" + percent,
                         says="--confidence")
        self.refused(*GOOD, "--confidence", "90", says="--error")
        self.refused(*GOOD, "--simultaneous", says="--error")

    def test_values(self):
        for text, says in (
                ("", "no values"), ("\n", "line 1 of standard input is empty"),
                ("1\n\n2\n", "line 2"), ("1.5\n", "not a whole number"),
                ("nan\n", "not a whole"), ("12x", "not a whole"),
                ("1 2\n", "not a whole"), ("--1\n", "not a whole"),
                ("9223372036854775808", "64-bit"),
                ("-9223372036854775809", "64-bit"),
                ("9" * 400, "64-bit"), ("9" * 30 + "x", "not a whole"),
                ("1" * 401, "longer"), ("1\0\n", "NUL"), ("\xff\n", "line 1")):
            self.refused(*GOOD, stdin=text, says=says)
        for text in ("nan", "inf", "-Infinity", "0x1p3", "1,5", ".", "1e",
                     "e5", "1e999", "-1e400", "+-1"):
            self.refused(*GOOD, "--real", stdin=text)
        for text in ("1e308", "-1e37"):
            self.refused(*GOOD, "--real", "--grid", "1/2",
                         stdin="3\n" + text, says="value 2")

    def test_one_bad_line_among_many(self):
        self.refused(*GOOD, stdin="7\n" * 200000 + "seven\n",
                     says="line 200001")

    def test_messages_do_not_repeat_values(self):
        done = run(*GOOD, stdin="31337secret\n")
        self.assertNotIn(b"31337", done.stderr)


if __name__ == "__main__":
    unittest.main()
