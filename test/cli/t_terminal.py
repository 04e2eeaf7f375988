"""The command as a person at a terminal sees it: help, demo, colour, progress.
"""
import glob
import os
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest

from command import CUSTOS, CommandCase, lines, run

ESCAPE = re.compile(r"\033\[[0-9;]*[mK]")


def open_terminal():
    """Both ends of a terminal; skips in a chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no pseudo-terminals here: {error}")


def in_terminal(*args, env=None):
    """What custos writes to a terminal on its standard output."""
    ours, theirs = open_terminal()
    child = subprocess.Popen([CUSTOS, *args], stdout=theirs,
                             stdin=subprocess.DEVNULL,
                             env={**os.environ, "TERM": "xterm", **(env or {})})
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    return child.wait(), text.decode()


class Help(CommandCase):
    def test_help_is_for_80_columns_and_has_examples(self):
        for args in (("--help",), ("help",), ("-h",), ("noise", "--help"),
                     ("help", "noise"), ("demo", "--help"), ("noise", "-h"),
                     ("noise", "uniform", "--help", "--nonsense")):
            text = lines(*args)
            self.assertIn("Examples", text)
            self.assertLessEqual(max(map(len, text)), 80, args)
        verbs = re.findall(r"^  ([a-z]+)  ", "\n".join(lines("--help")), re.M)
        self.assertIn("release", verbs)
        for verb in verbs:
            text = lines(verb, "--help")
            self.assertLessEqual(max(map(len, text)), 80, verb)

    def test_noise_says_that_it_keeps_no_budget(self):
        self.assertIn("KEEPS NO BUDGET", "\n".join(lines("noise", "--help")))

    def test_version(self):
        self.assertRegex(lines("--version")[0], r"^custos \d+\.\d+\.\d+$")

    def test_examples_of_the_help_run(self):
        for verb in ((), ("noise",)):
            text = "\n".join(lines("help", *verb)).split("Examples")[1]
            commands = re.sub(r"\\\n\s*", "", text).strip().splitlines()
            self.assertGreater(len(commands), 2)
            for command in commands:
                done = subprocess.run(
                    ["sh", "-c", command.replace("custos ", '"$CUSTOS" ')],
                    env={**os.environ, "CUSTOS": CUSTOS}, check=False,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr), (0, b""),
                                 command)
                self.assertTrue(done.stdout)


def demo(people=2000):
    return lines("demo", "--people", str(people))


class Shell(CommandCase):
    """The prompt, which asks before it charges a query with a warning."""

    def talk(self, store, *lines_typed):
        """What the shell shows to somebody who types these lines."""
        ours, theirs = open_terminal()
        child = subprocess.Popen(
            [CUSTOS, "shell", "--store", store], stdin=theirs, stdout=theirs,
            stderr=theirs, env={**os.environ, "TERM": "dumb", "HOME": store})
        os.close(theirs)
        os.set_blocking(ours, False)
        text, end = "", time.monotonic() + 60
        for typed, until in lines_typed:
            os.write(ours, typed.encode() + b"\n")
            seen = len(text)
            while until not in text[seen:] and time.monotonic() < end:
                time.sleep(0.02)
                try:
                    text += os.read(ours, 65536).decode(errors="replace")
                except BlockingIOError:
                    pass
                except OSError:
                    break
            self.assertIn(until, text[seen:])
        self.assertEqual(child.wait(timeout=60), 0)
        os.close(ours)
        return text

    def test_it_asks_before_it_charges_a_query_with_a_warning(self):
        sql = "SELECT count(*) FROM patients WHERE sex = 'female';"
        with tempfile.TemporaryDirectory() as folder:
            run("demo", "--people", "300", "--keep", folder + "/h")
            run("init", folder + "/h/policy.yaml", "--store", folder + "/s")
            text = self.talk(folder + "/s", (sql, "[y/N]"),
                             ("n", "not asked"), (sql, "[y/N]"), ("y", "Cost"),
                             (sql, "Cached"), ("\\q", ""))
        self.assertEqual(text.count(
            "warning: 'female' is not among the public values of sex"), 4)


class Demo(CommandCase):
    def test_demo_fits_80_columns_without_colour(self):
        text = demo()
        self.assertLessEqual(max(map(len, text)), 80)
        self.assertNotIn("\033", "\n".join(text))

    def test_demo_tells_the_whole_story(self):
        text = "\n".join(demo())
        for fact in ("ε = 1, δ = 1e-9", "Cached: no cost",
                     "at most 8 rows of each patient_id count",
                     "rejected: the rows of patients are private",
                     "rejected: one query may cost an epsilon of at most 0.5",
                     "5 charges"):
            self.assertIn(fact, text)
        bars = re.findall(r"█*├?─*●─*┤? +-?[\d,]+ ± 30$", text, re.M)
        self.assertEqual(len(bars), 6)

    def test_data_are_fixed_and_noise_is_not(self):
        exact, released = set(), set()
        for _ in range(2):
            text = "\n".join(demo(100))
            exact.add(re.search(r"Bergen \d+, Lisbon .*", text).group())
            released.add(tuple(re.findall(r"(-?[\d,]+) ± 30$", text, re.M)))
        self.assertEqual(len(exact), 1)
        # Two runs agree in all six values (scale 10) with P below 0.05^6.
        self.assertGreater(len(released), 1)

    def test_kept_files_are_a_store(self):
        with tempfile.TemporaryDirectory() as folder:
            there = os.path.join(folder, "hospital")
            lines("demo", "--people", "100", "--keep", there)
            text = lines("query", "--store", there + "/store", "--epsilon",
                         "0.1", "--format", "csv",
                         "SELECT count(*) FROM patients")
            self.assertEqual(text[0], "count,count_low,count_high")
            low, high = map(int, text[1].split(",")[1:])
            self.assertEqual(high - low, 60)

    def test_an_interrupted_demo_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            with subprocess.Popen([CUSTOS, "demo"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL,
                                  env=os.environ | {"TMPDIR": folder}) as demo:
                limit = time.monotonic() + 60
                while not glob.glob(f"{folder}/custos-demo.*/*"):
                    self.assertLess(time.monotonic(), limit)
                    time.sleep(0.01)
                demo.send_signal(signal.SIGINT)
                self.assertEqual(demo.wait(timeout=60), -signal.SIGINT)
            while os.listdir(folder):
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.05)

    def test_colour_follows_terminal_and_no_color(self):
        command = ("demo", "--people", "100")
        code, text = in_terminal(*command)
        self.assertEqual(code, 0)
        self.assertRegex(text, ESCAPE)
        rows = ESCAPE.sub("", text).replace("\r", "").splitlines()
        self.assertLessEqual(max(map(len, rows)), 80)
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\033", in_terminal(*command, env=env)[1])


class Waiting(CommandCase):
    def test_a_terminal_on_stdin_is_told_what_is_awaited(self):
        ours, theirs = open_terminal()
        child = subprocess.Popen(
            [CUSTOS, "noise", "discrete-laplace", "--epsilon", "1",
             "--sensitivity", "1"], stdin=theirs, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        os.write(ours, b"12\n\x04")
        out, err = child.communicate(timeout=60)
        os.close(ours)
        os.close(theirs)
        self.assertRegex(out, rb"^-?\d+\n$")
        self.assertIn(b"one number per line", err)

    def test_wrong_options_do_not_wait_for_input(self):
        ours, theirs = os.pipe()  # nothing is ever written to it
        done = subprocess.run(
            [CUSTOS, "noise", "discrete-laplace", "--epsilon", "0",
             "--sensitivity", "1"], stdin=ours, check=False, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(ours)
        os.close(theirs)
        self.assertEqual(done.returncode, 2)

    def watch(self, stdout, seconds):
        """What a long run writes to a terminal on its standard error."""
        ours, theirs = open_terminal()
        os.set_blocking(ours, False)
        child = subprocess.Popen(
            [CUSTOS, "noise", "uniform", "--n", "6", "--draws",
             "1000000000000"], stdout=stdout, stderr=theirs)
        os.close(theirs)
        text, end = b"", time.monotonic() + seconds
        while time.monotonic() < end and b"s left" not in text:
            time.sleep(0.05)
            try:
                text += os.read(ours, 65536)
            except BlockingIOError:
                pass
        child.kill()
        child.wait()
        os.close(ours)
        return text.decode()

    def test_long_work_shows_its_progress(self):
        text = self.watch(subprocess.DEVNULL, 30)
        self.assertRegex(text, r"  0 % ░{40} \d+ s left")

    def test_short_work_shows_none(self):
        ours, theirs = open_terminal()
        subprocess.run([CUSTOS, "noise", "uniform", "--n", "6", "--draws",
                        "100000"], stdout=subprocess.DEVNULL, stderr=theirs,
                       check=True)
        os.close(theirs)
        os.set_blocking(ours, False)
        try:
            self.assertEqual(os.read(ours, 100), b"")
        except OSError:
            pass  # closed and empty
        os.close(ours)


if __name__ == "__main__":
    unittest.main()
