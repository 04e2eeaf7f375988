"""custos audit: programs and shared objects, what is refuted and what is not, exit
codes, reports, refusals. False alarms: every audit of a correct mechanism here has
level 1e-6; the other assertions hold for any coins.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ET

from command import CUSTOS, CommandCase, lines, run

SRC = pathlib.Path(os.environ.get("SRC", "."))
EXAMPLES = SRC / "examples/audit"
LIMITS = "An audit refutes and never proves"

# Prints as many noisy counts as are wanted: two-sided geometric noise, epsilon 1/2.
COUNT = """
import math, os, random, sys
n = len(sys.stdin.readlines())
draw = random.SystemRandom().random
geometric = lambda: math.floor(math.log(1 - draw()) / -0.5)
try:
    for i in range(int(os.environ["CUSTOS_AUDIT_OUTPUTS"])):
        print(n + geometric() - geometric())
except BrokenPipeError:
    os._exit(0)
"""


def words(done):
    return " ".join(done.stdout.decode().split())


class Programs(CommandCase):
    def test_naive_laplace_is_refuted(self):
        """The example of the help, with fewer outputs. A textbook Laplace with scale
        10 leaves bits that only an empty sum can leave."""
        with tempfile.TemporaryDirectory() as folder:
            pairs = pathlib.Path(folder, "pairs")
            pairs.write_text("1\n\n--\n")
            done = run("audit", "--exec", f"awk -f {EXAMPLES}/naive.awk",
                       "--claim", "0.1", "--samples", "1200", "--search",
                       "1500", "--ignore-time", "--pairs", str(pairs), "--json")
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        found = json.loads(done.stdout)
        self.assertTrue(found["refuted"])
        self.assertGreater(float(found["epsilon"]), 0.4)
        self.assertGreater(found["hits"], found["other_hits"])
        self.assertEqual((found["samples"], found["level"]),
                         (1200, "0.050000000000000003"))

    def test_count_is_quiet_at_its_claim_and_refuted_below(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "count.py")
            program.write_text(COUNT)
            audit = ("audit", "--exec", f"python3 {program}", "--rows", "1",
                     "--samples", "8000", "--search", "4000", "--ci")
            done = run(*audit, "--claim", "0.5")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn("NOT REFUTED", words(done))
            self.assertIn(LIMITS, words(done))
            done = run(*audit, "--claim", "0.2")
            self.assertEqual(done.returncode, 1)
            self.assertIn("The claim is false: epsilon is at least 0.",
                          words(done))
            self.assertIn(LIMITS, words(done))

    def test_constant_programs_show_nothing(self):
        done = run("audit", "--exec", "echo 1", "--claim", "0", "--samples",
                   "100", "--search", "100", "--rows", "1", "--ignore-time")
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_an_interrupted_audit_ends_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            started = pathlib.Path(folder, "started")
            with subprocess.Popen(
                    [CUSTOS, "audit", "--claim", "1", "--exec",
                     f"echo $$ >{started}.new; mv {started}.new {started}; "
                     "exec sleep 1000"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as audit:
                limit = time.monotonic() + 60
                while not started.exists():
                    self.assertLess(time.monotonic(), limit)
                    time.sleep(0.01)
                audit.send_signal(signal.SIGINT)
                self.assertEqual(audit.wait(timeout=60), -signal.SIGINT)
            program = pathlib.Path("/proc", started.read_text().strip(), "cmdline")
            while program.exists() and program.read_bytes(): # a zombie has none
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.01)

    def test_everything_visible_counts(self):
        """Status, text, text beside numbers, standard error, how a number is
        written, length and the end of a run by a timeout."""
        for program in ("read x && exit 3; echo 1", "read x || exit 3; echo 1",
                        "if read x; then echo yes; else echo no; fi",
                        "if read x; then echo n=1; else echo m=1; fi",
                        "read x && echo few rows >&2; echo 1",
                        "read x && echo 7 >&2; echo 1",
                        "if read x; then echo 1.0; else echo 1; fi",
                        "if read x; then echo 01; else echo 1; fi",
                        "read x && echo 1 2; echo 1",
                        "read x && kill -9 $$; echo 1"):
            with self.subTest(program=program):
                done = run("audit", "--exec", program, "--claim", "1",
                           "--samples", "60", "--search", "64", "--rows",
                           "1", "--range", "1:1", "--ignore-time", "--whole")
                self.assertEqual(done.returncode, 1, done)
        done = run("audit", "--exec", "read x && sleep 9; echo 1", "--claim",
                   "0.1", "--samples", "16", "--search", "16", "--rows", "1",
                   "--range", "1:1", "--timeout", "0.01")
        self.assertIn(done.returncode, (0, 1))  # it ends

    def test_run_time_counts(self):
        done = run("audit", "--exec", "read x && sleep 0.02; echo 1",
                   "--claim", "1", "--rows", "1", "--range", "1:1",
                   "--samples", "40", "--search", "64", "--json")
        found = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1, found)
        self.assertIn("time", found["feature"])

    def test_seconds_are_kept(self):
        start = time.monotonic()
        run("audit", "--exec", "yes 1", "--claim", "1", "--seconds", "3")
        self.assertLess(time.monotonic() - start, 6)  # of a busy machine

    def test_run_again(self):
        """The line at the end is a command with the same result."""
        audit = ("audit", "--exec", "echo 'it is' \"$(wc -l)\"", "--claim",
                 "1", "--samples", "60", "--search", "64", "--rows", "1",
                 "--ignore-time", "--json")
        done = run(*audit)
        self.assertEqual(done.returncode, 1)
        first = json.loads(done.stdout)
        self.assertTrue(first["again"].startswith("custos audit --exec"))
        again = subprocess.run(
            ["sh", "-c", 'custos() { "$CUSTOS" "$@" --json; }; '
             + first["again"]], capture_output=True, check=False,
            env=os.environ | {"CUSTOS": os.environ.get("CUSTOS",
                                                       "build/custos")})
        second = json.loads(again.stdout)
        for name in ("seconds",):
            first.pop(name), second.pop(name)
        self.assertEqual(first, second)


class Objects(CommandCase):
    def test_example(self):
        """The commands in the example's first comment, as they stand there but
        for the size and the level of the audit."""
        text = (EXAMPLES / "object.c").read_text()
        compile_line = re.search(r"^ \*     (cc .*)$", text, re.M)[1]
        audits = re.findall(r"^ \*     custos (audit .*?)  +# (.*)$", text, re.M)
        self.assertEqual([says for _, says in audits],
                         ["nothing refuted", "refuted"])
        size = ["--rows", "1", "--samples", "40000", "--ci"]
        with tempfile.TemporaryDirectory() as folder:
            shared = f"{folder}/object.so"
            build = compile_line.replace("object.so", shared)
            build = build.replace("cc", os.environ.get("CC", "cc"), 1)
            subprocess.run(build, shell=True, check=True, cwd=EXAMPLES)
            for words, says in audits:
                words = words.replace("./object.so", shared).split()
                done = run(*words, *size)
                self.assertEqual((done.returncode, done.stderr),
                                 (int(says == "refuted"), b""))
            subprocess.run(f"{build} -DBROKEN", shell=True, check=True,
                           cwd=EXAMPLES)
            done = run("audit", "--object", shared, "--claim", "5",
                       "--ignore-time", *size)
            self.assertEqual(done.returncode, 1)


class Mechanisms(CommandCase):
    def test_by_name(self):
        audit = ("audit", "laplace", "--epsilon", "0.5", "--samples", "40000",
                 "--ci", "--json")
        done = run(*audit)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        found = json.loads(done.stdout)
        self.assertAlmostEqual(float(found["claim"]["epsilon"]), 0.5)
        self.assertIn("custos audit laplace --epsilon 0.5", found["again"])
        done = run(*audit, "--claim", "0.2")
        self.assertEqual(done.returncode, 1)
        self.assertGreater(float(json.loads(done.stdout)["epsilon"]), 0.2)

    def test_own_delta(self):
        """A claim without delta keeps that of the mechanism."""
        done = run("audit", "gaussian", "--epsilon", "1", "--claim", "1",
                   "--samples", "20000", "--ci", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        delta = float(json.loads(done.stdout)["claim"]["delta"])
        self.assertAlmostEqual(delta / 1e-5, 1)

    def test_list(self):
        names = [line.split()[0] for line in lines("audit", "--list")]
        self.assertIn("laplace", names)
        self.assertEqual(len(names), len(set(names)))


class Reports(CommandCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            page, picture = f"{folder}/report.html", f"{folder}/event.svg"
            done = run("audit", "--exec", "wc -l # <&>", "--claim", "1",
                       "--samples", "100", "--search", "256", "--rows", "1",
                       "--ignore-time", "--html", page, "--svg", picture)
            self.assertEqual(done.returncode, 1)
            root = ET.parse(picture).getroot()
            self.assertTrue(root.tag.endswith("svg"))
            text = pathlib.Path(page).read_text()
            self.assertEqual(sorted(os.listdir(folder)),
                             ["event.svg", "report.html"])
        for part in ("REFUTED", LIMITS, "wc -l # &lt;&amp;&gt;", "<svg",
                     "custos audit --exec"):
            self.assertIn(part, text)
        self.assertNotIn("<script", text)
        self.assertNotRegex(text, r"(src|href)=")

    def test_a_file_that_cannot_be_written(self):
        """That is said at once, not after the audit."""
        start = time.monotonic()
        done = run("audit", "--exec", "echo 1", "--claim", "1", "--seconds",
                   "60", "--html", "/no/such/folder/report.html")
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"cannot write /no/such/folder/report.html", done.stderr)


class Refusals(CommandCase):
    def test_refusals(self):
        program = ("audit", "--exec", "echo 1")
        claim = (*program, "--claim", "1")
        for args, says in [
            (("audit",), "--exec COMMAND or --object FILE"),
            (("audit", "--exec", "x", "--object", "y", "--claim", "1"),
             "give either --exec or --object"),
            (program, "--claim"),
            ((*claim, "--mu", "1"), "--mu stands instead of"),
            ((*program, "--claim", "-1"), "--claim must be"),
            ((*program, "--claim", "nan"), "--claim must be"),
            ((*claim, "--delta", "2"), "--delta must be"),
            ((*claim, "--level", "0"), "--level must be"),
            ((*claim, "--level", "0.2"), "--level must be"),
            ((*claim, "--level", "0.01", "--ci"), "either --ci or --level"),
            ((*claim, "--samples", "0"), "--samples must be"),
            ((*claim, "--samples", "1.5"), "--samples must be"),
            ((*claim, "--threads", "0"), "--threads must be"),
            ((*claim, "--seed", "-1"), "--seed must be"),
            ((*claim, "--seconds", "x"), "--seconds must be"),
            ((*claim, "--range", "5"), "LOW:HIGH, two numbers"),
            ((*claim, "--range", "2:1"), "LOW must not be above HIGH"),
            ((*claim, "--rows", "0"), "by commas, not 0"),
            ((*claim, "--rows", "1,,2"), "--rows must be"),
            ((*claim, "--rows", "1,2,3,4,5,6,7,8,9"), "--rows must be"),
            ((*claim, "--adjacency", "near"), "--adjacency must be"),
            ((*claim, "--timeout", "0"), "--timeout must be"),
            ((*claim, "--pairs", "/no/such/file"), "--pairs: cannot read /no/such/file"),
            ((*claim, "--pairs", "/dev/null"), "one data set"),
            ((*claim, "--pairs", "x", "--rows", "1"), "not for --pairs"),
            ((*claim, "--epsilon", "1"), "--epsilon and --rho are for"),
            (("audit", "laplac"), "did you mean laplace?"),
            (("audit", "laplac", "--epsilon", "1"), "did you mean laplace?"),
            (("audit", "--epsilon", "1", "laplac"), "did you mean laplace?"),
            (("audit", "querry"), "did you mean query?"),
            (("audit", "querry", "SELECT 1", "--store", "x"),
             "did you mean query?"),
            (("audit", "curater", "--found", "x"), "did you mean curator?"),
            (("audit", "batery", "--quick"), "did you mean battery?"),
            (("audit", "atack"), "did you mean attack?"),
            (("audit", "zzzzzz"), "there is no custos audit zzzzzz"),
            (("audit", "laplace", "gaussian"), "unexpected word gaussian"),
            (("audit", "laplace", "--exec", "echo 1"), "give one of"),
            (("audit", "laplace", "--rows", "1"), "--rows is for"),
            (("audit", "laplace", "--epsilon", "x"), "epsilon"),
            (("audit", "laplace", "--rho", "1"), "laplace has no rho"),
            (("audit", "laplace", "--delta", "1e-5"), "laplace has no delta"),
            (("audit", "gaussian-rho", "--epsilon", "1"),
             "gaussian-rho has no epsilon"),
            (("audit", "--exec", "exit 3", "--claim", "1"), "status 3"),
            (("audit", "--exec", "no-such-program", "--claim", "1"),
             "no-such-program"),
            (("audit", "--object", "/no/such.so", "--claim", "1"),
             "/no/such.so"),
            (("audit", "--object", "x", "--claim", "1", "--whole"), "--exec"),
        ]:
            self.refused(*args, says=says)

    def test_help(self):
        text = "\n".join(lines("audit", "--help"))
        self.assertIn("refutes and never proves", text)
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))
        for option in re.findall(r"^  --([a-z-]+)", text, re.M):
            self.assertGreater(len(option), 1)


if __name__ == "__main__":
    unittest.main()
