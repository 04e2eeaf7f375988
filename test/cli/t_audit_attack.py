"""`custos audit attack`: names, exit codes, text, JSON and pictures. What the attacks
find is tested in test/audit.
"""
import glob
import json
import os
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

from command import CommandCase, lines, run

NAMES = ["floating-point", "reconstruction", "differencing", "averaging",
         "linkage", "timing"]
SVG = "{http://www.w3.org/2000/svg}"


def attack(*args):
    """The only attack of the JSON that a run prints."""
    document = json.loads("\n".join(lines("audit", "attack", *args, "--json")))
    (only,) = document["attacks"]
    return only


class Attacks(CommandCase):
    def test_list(self):
        listed = [line.split()[0] for line in lines("audit", "attack")]
        self.assertEqual(listed, [*NAMES, "all"])
        document = json.loads("\n".join(lines("audit", "attack", "--json")))
        self.assertEqual([a["name"] for a in document["attacks"]], NAMES)

    def test_mistakes(self):
        def refused(*args, says):
            self.refused("audit", "attack", *args, says=says)

        refused("reconstruct", says="did you mean reconstruction?")
        refused("nothing-like-it", says="custos audit attack lists them")
        refused("linkage", "timing", says="give one attack")
        refused("linkage", "--seed", "-1", says="--seed must be a whole number")
        refused("linkage", "--seed", "18446744073709551616", says="--seed must")
        refused("linkage", "--epsilon", "0", says="epsilon must be above 0")
        refused("linkage", "--epsilon", "much", says="epsilon must be a number")
        refused("timing", "--epsilon", "1", says="timing takes no --epsilon")
        refused("all", "--svg", "x.svg", says="--svg needs one attack")

    def test_all(self):
        """All at once; each has its text. Afterwards no folder is left."""
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "TMPDIR": folder}
            done = run("audit", "attack", "all", env=env)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(glob.glob(folder + "/*"), [])
        text = done.stdout.decode()
        for name in NAMES:
            self.assertIn(f"({name})\n", text)
        self.assertRegex(text, r"exact counts +100\.0 %")
        self.assertRegex(text, r"custos, reworded: \d+ answers, then refused")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_no_room_for_a_store(self):
        done = run("audit", "attack", "averaging", "--quick",
                   env={**os.environ, "TMPDIR": "/no/such/folder"})
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"hint: set TMPDIR", done.stderr)

    def test_seed(self):
        """The same seed makes the same secrets; another makes others."""
        first, again, other = (
            attack("linkage", "--quick", "--seed", seed)["rows"][2]["hits"]
            for seed in ("1", "1", "2"))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_shares(self):
        for row in attack("differencing", "--quick")["rows"]:
            self.assertEqual(float(row["value"]), row["hits"] / row["of"])
            self.assertLessEqual(float(row["low"]), float(row["value"]))
            self.assertLessEqual(float(row["value"]), float(row["high"]))
            self.assertEqual(row["allowed"] is None, row["server"] != "custos")

    def test_budget(self):
        """The ceiling follows epsilon: e^3/(1 + e^3) = 0.95257."""
        row = attack("differencing", "--quick", "--epsilon", "3")["rows"][-1]
        self.assertAlmostEqual(float(row["allowed"]), 0.952574, 5)
        # 10,000 guesses; P < 1e-9 that they are off by 0.015.
        self.assertAlmostEqual(float(row["value"]), 0.952574, delta=0.015)

    def test_pictures(self):
        """Well-formed, without scripts; every curve or bar has its label, and the
        texts lie within the picture."""
        for name in ("floating-point", "differencing", "linkage", "timing"):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "attack.svg")
                found = attack(name, "--quick", "--svg", str(path))
                self.assertEqual(os.listdir(folder), ["attack.svg"])
                svg = xml.etree.ElementTree.parse(path).getroot()
            texts = [t.text for t in svg.iter(SVG + "text")]
            self.assertIn(found["title"], texts)
            bars = [r["who"] for r in found["rows"][:5]]
            for label in [c["label"] for c in found["curves"]] or bars:
                self.assertIn(label, texts)
            self.assertFalse(list(svg.iter(SVG + "script")))
            for t in svg.iter(SVG + "text"):
                if "x" in t.attrib:
                    self.assertTrue(0 <= float(t.get("x")) <= 720, t.text)
                    self.assertTrue(0 <= float(t.get("y")) <= 520, t.text)
        done = run("audit", "attack", "linkage", "--quick", "--svg",
                   "/no/such/folder/x.svg")
        self.assertEqual((done.returncode, done.stdout), (1, b""))


if __name__ == "__main__":
    unittest.main()
