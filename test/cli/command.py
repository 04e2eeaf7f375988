"""Shared by the tests of the command: how to run it, and how it must fail."""
import os
import subprocess
import unittest

CUSTOS = os.environ.get("CUSTOS", "build/custos")


def run(*args, stdin="", **more):
    """Runs custos; stdin is text or bytes."""
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    return subprocess.run([CUSTOS, *args], input=data, check=False,
                          stdout=more.pop("stdout", subprocess.PIPE),
                          stderr=subprocess.PIPE, timeout=240, **more)


def lines(*args, stdin=""):
    """The lines that a run without failure prints."""
    done = run(*args, stdin=stdin)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{args}: {done.returncode} {done.stderr!r}")
    return done.stdout.decode().splitlines()


class CommandCase(unittest.TestCase):
    def refused(self, *args, stdin="1\n", says=""):
        """Exit 2, nothing on stdout; on stderr a sentence and at most a hint."""
        done = run(*args, stdin=stdin)
        error = done.stderr.decode("utf-8", "replace")
        with self.subTest(args=args, stdin=stdin[:40], error=error):
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, b"")
            self.assertRegex(error, r"\Acustos: [^\n]+\n(hint: [^\n]+\n)?\Z")
            self.assertLess(len(error), 600)
            self.assertIn(says, error)
