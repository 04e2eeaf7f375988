"""The examples in README.md and doc/ are true: commands in `console` blocks run
and print what is shown, up to noisy numbers; C compiles and runs; links are not
broken.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from command import CUSTOS

SRC = pathlib.Path(os.environ.get("SRC", ".")).resolve()
BUILD = pathlib.Path(os.environ.get("BUILD", "build")).resolve()
PAGES = [SRC / "README.md", SRC / "doc/guide.md", SRC / "doc/README.md",
         SRC / "doc/audit-attacks.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.S | re.M)

# Not run here: these install files, need installed files or run the tests.
NOT_RUN = re.compile(r"^(make install|make test|cc )")


def blocks(language):
    for page in PAGES:
        for found in BLOCK.finditer(page.read_text()):
            if found.group(1) == language:
                yield page.name, found.group(2)


def examples():
    """(page, command, lines shown) of every console block."""
    for page, text in blocks("console"):
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            yield page, command, shown.splitlines()


def shape(line):
    """A line without what depends on noise: numbers and bars."""
    line = re.sub(r"[█├─●┤]+", "BAR", line)
    line = re.sub(r"-?\d[\d,.]*", "N", line)
    return " ".join(line.split())


def run(command, folder):
    """Runs a command as a reader would, in a separate folder and with fewer
    people."""
    command = command.replace("make demo", "build/custos demo --people 20000")
    command = command.replace("build/custos", '"$CUSTOS"')
    return subprocess.run(
        ["sh", "-c", command], check=False, cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "CUSTOS": CUSTOS, "SRC": str(SRC)})


# The output of these does not depend on noise.
EXACT = re.compile(r"build/custos (account|explain|risk) ")


def within(few, many):
    """Whether few is a subsequence of many."""
    rest = iter(many)
    return all(one in rest for one in few)


# Whether an interval has two equal sides depends on the noise.
INTERVAL = re.compile(r" \(-?[\d,.]+ \.\. -?[\d,.]+\)")


def shown_in(shown, printed):
    """Whether the shapes agree; a line … matches any lines."""
    shown = [INTERVAL.sub(" ± 1", line) for line in shown]
    printed = [INTERVAL.sub(" ± 1", line) for line in printed]
    want = "".join("(?:.*\n)*?" if line == "…"
                   else re.escape(shape(line)) + "\n" for line in shown)
    return re.fullmatch(want, "".join(shape(x) + "\n" for x in printed))


class Readme(unittest.TestCase):
    def test_commands(self):
        """Commands print what the page shows. Error bars of counts and sums do
        not depend on noise and must be equal."""
        ran = checked = exact = 0
        with tempfile.TemporaryDirectory() as folder:
            for page, command, shown in examples():
                if NOT_RUN.match(command):
                    continue
                done = run(command, folder)
                printed = done.stdout.decode().splitlines()
                bars = [bar for line in shown
                        for bar in re.findall(r"± [\d,.]+", line)]
                with self.subTest(page=page, command=command):
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    self.assertTrue(shown_in(shown, printed), "\n".join(
                        ["shown:", *shown, "printed:", *printed]))
                    self.assertTrue(within(bars, re.findall(
                        r"± [\d,.]+", done.stdout.decode())), bars)
                    if EXACT.match(command):
                        self.assertTrue(within(
                            [line for line in shown if line != "…"], printed),
                            "\n".join(["shown:", *shown, "printed:", *printed]))
                        exact += 1
                ran += 1
                checked += bool(bars)
        self.assertGreaterEqual(ran, 8)
        self.assertGreaterEqual(checked, 4)
        self.assertGreaterEqual(exact, 2)

    def test_nothing_that_exists_is_still_to_come(self):
        """The guide names filters and odometers, and no page says "not yet" of
        them."""
        guide = (SRC / "doc/guide.md").read_text()
        header = (SRC / "include/custos.h").read_text()
        for name in ("custos_filter_new", "custos_odometer_new"):
            self.assertIn(f"`{name}`", guide)
            self.assertIn(f"{name}(", header)
        for page in [*PAGES, SRC / "doc/admin.md", SRC / "doc/analyst.md",
                     SRC / "doc/console.md", SRC / "THREATS.md"]:
            self.assertNotRegex(
                page.read_text(),
                r"(?i)\b(not (implemented|supported|available|there)|keeps? no "
                r"\w+ of it|will come) yet\b|\bnot yet (implemented|supported|"
                r"available|there)\b|keeps no account of it yet", page.name)

    def test_the_shape_can_disagree(self):
        self.assertTrue(shown_in(["…", "3 ± 6 (95%)"], ["x", "-1 ± 6 (95%)"]))
        self.assertFalse(shown_in(["3 ± 6 (95%)"], ["3 ± 6 (90%) or so"]))
        self.assertFalse(shown_in(["3"], ["3", "4"]))

    def test_c(self):
        if b"__asan_init" in (BUILD / "src/libcustos.so").read_bytes():
            self.skipTest("a sanitized library needs a sanitized program")
        programs = list(blocks("c"))
        self.assertTrue(programs)
        for page, text in programs:
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder, "program")
                pathlib.Path(folder, "program.c").write_text(text)
                subprocess.run(
                    [os.environ.get("CC", "cc"), "-Wall", "-Wextra", "-Werror",
                     f"-I{SRC}/include", f"{program}.c", "-o", program,
                     f"-L{BUILD}/src", "-lcustos",
                     f"-Wl,-rpath,{BUILD}/src"], check=True)
                said = subprocess.run([program], stdout=subprocess.PIPE,
                                      check=True).stdout
                self.assertRegex(said, rb"^\d+\n$", page)
                # Noise of scale 2 exceeds 200 once in e^100 runs.
                self.assertLess(abs(int(said) - 1834), 200)

    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
                if "://" not in target and target != "theorems.md":
                    self.assertTrue((page.parent / target).exists(),
                                    f"{page.name}: {target}")


if __name__ == "__main__":
    unittest.main()
