"""The examples in doc/analyst.md are true: asked in order, of the store that
the page makes, each prints what is shown, up to noise.

A `sql` block is a question, an empty line and the beginning of its answer. In
each row of the table of rejected questions, the left one is rejected and the
right one is accepted.
"""
import re
import subprocess
import tempfile
import unittest

from command import CUSTOS
from t_readme import SRC, shown_in, within

PAGE = (SRC / "doc/analyst.md").read_text()
BLOCK = re.compile(r"^```(sql|console)\n(.*?)^```$", re.S | re.M)
ROW = re.compile(r"^\| `(SELECT .*?)` \| `(SELECT .*?)` \|$", re.M)

# The error bars of these depend on released values or on the range that is found.
RATIO = re.compile(r"avg|invoices|stddev|variance|median|percentile|min\(|max\(|round| / |corr")


def bars(text):
    return re.findall(r"± [\d,.]+", text)


class Guide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def shell(self, command):
        command = command.replace("build/custos", f'"{CUSTOS}"')
        command = command.replace("examples/", f"{SRC}/examples/")
        return subprocess.run(
            ["sh", "-c", command], check=False, cwd=self.folder.name,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(self, *words):
        return subprocess.run(
            [CUSTOS, *words], check=False, cwd=self.folder.name,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def commands(self, text):
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            done = self.shell(command)
            printed = done.stdout.decode()
            with self.subTest(command=command):
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                self.assertTrue(
                    shown_in([*shown.splitlines(), "…"],
                             printed.splitlines()), printed)
                self.assertTrue(within(bars(shown), bars(printed)), printed)

    def question(self, text):
        sql, _, shown = text.partition("\n\n")
        done = self.ask("query", "--store", "guide", " ".join(sql.split("\n")))
        printed = (done.stdout or done.stderr).decode()
        with self.subTest(sql=sql):
            self.assertTrue(shown)
            self.assertTrue(
                shown_in([*shown.splitlines(), "…"], printed.splitlines()),
                f"shown:\n{shown}printed:\n{printed}")
            if done.returncode or sql.startswith("EXPLAIN"):
                self.assertIn(shown.rstrip(), printed)
            elif not RATIO.search(sql):
                self.assertTrue(within(bars(shown), bars(printed)), printed)
        return done.returncode

    def test_in_order(self):
        """All blocks of the page, then the table."""
        asked = refused = 0
        for found in BLOCK.finditer(PAGE):
            if found.group(1) == "console":
                self.commands(found.group(2))
                continue
            asked += 1
            refused += self.question(found.group(2)) != 0
        self.assertGreaterEqual(asked, 30)
        self.assertEqual(refused, 2)
        rows = ROW.findall(PAGE)
        self.assertGreaterEqual(len(rows), 10)
        for left, right in rows:
            with self.subTest(left=left):
                self.assertEqual(
                    self.ask("explain", "--store", "guide", left).returncode,
                    2)
            with self.subTest(right=right):
                self.assertEqual(
                    self.ask("explain", "--store", "guide", right).returncode,
                    0)


if __name__ == "__main__":
    unittest.main()
