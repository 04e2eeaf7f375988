"""The man pages name every option of the command and every function of the
library, and no others; mandoc finds no problems in custos(1) and libcustos(3).
"""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from command import lines

SRC = pathlib.Path(os.environ.get("SRC", "."))
COMMAND = (SRC / "doc/custos.1.scd").read_text()
SERVE = (SRC / "doc/custos-serve.8.scd").read_text()
AUDIT = (SRC / "doc/custos-audit.1.scd").read_text()
LIBRARY = (SRC / "doc/libcustos.3.scd").read_text()
HEADER = (SRC / "include/custos.h").read_text()


class Man(unittest.TestCase):
    def test_options(self):
        known = {"help", "version"}
        verbs = [(verb,) for verb in (
            "noise", "demo", "risk", "init", "query", "explain", "shell",
            "backup", "restore", "store", "budget", "analyst", "owner", "release")]
        verbs += [("policy", verb) for verb in (
            "draft", "check", "import", "migrate")]
        verbs += [("synopsis", verb) for verb in ("query", "info")]
        verbs += [("ledger", verb) for verb in ("list", "verify", "recall")]
        verbs += [("account", verb) for verb in (
            "compose", "calibrate", "plan", "convert", "group", "curve")]
        for verb in verbs:
            text = "\n".join(lines(*verb, "--help"))
            known |= set(re.findall(r"^  --([a-z-]+)", text, re.M))
        self.assertGreater(len(known), 15)
        told = set(re.findall(r"\*--([a-z-]+)=?\*", COMMAND)) - {"name"}
        self.assertEqual(told, known)

    def test_synopsis_of_owner(self):
        """Every subcommand of `custos owner` is in the synopsis."""
        acts = set(re.findall(r"^  custos owner ([a-z-]+)",
                              "\n".join(lines("owner", "--help")), re.M))
        self.assertIn("metrics-token", acts)
        synopsis = COMMAND.split("# SYNOPSIS")[1].split("# DESCRIPTION")[0]
        told = re.findall(r"^\*custos owner (.*)\[", synopsis, re.M)
        self.assertLessEqual(acts, set(re.findall("[a-z-]+", " ".join(told))))

    def test_options_of_serve(self):
        text = "\n".join(lines("serve", "--help"))
        known = set(re.findall(r"^  --([a-z-]+)", text, re.M)) - {"help"}
        self.assertEqual(set(re.findall(r"\*--([a-z-]+)\*", SERVE)), known)

    def test_options_of_audit(self):
        text = "\n".join(lines("audit", "--help"))
        verbs = text.split("\nVerbs\n")[1].split("\nOptions\n")[0] \
            if "\nVerbs\n" in text else ""
        for verb in re.findall(r"^  ([a-z-]+) ", verbs, re.M):
            text += "\n" + "\n".join(lines("audit", verb, "--help"))
        known = set(re.findall(r"^  --([a-z-]+)", text, re.M)) | {"help"}
        self.assertEqual(set(re.findall(r"\*--([a-z-]+)\*", AUDIT)), known)

    def test_laws(self):
        text = "\n".join(lines("noise", "--help"))
        for law in re.findall(r"^\*([a-z-]+)\*(?:, \*([a-z-]+)\*)?$",
                              COMMAND.split("## Laws")[1].split("##")[0],
                              re.M):
            for name in filter(None, law):
                self.assertIn(name, text)

    def test_functions(self):
        code = re.sub(r"/\*.*?\*/", "", HEADER, flags=re.S)
        declared = set()
        for found in re.finditer(r"CUSTOS_API[^;{]*?\b(custos_[a-z0-9_]+)\(",
                                 code):
            declared.add(found.group(1))
        self.assertGreater(len(declared), 30)
        self.assertEqual(
            set(re.findall(r"\*(custos_[a-z0-9_]+)\*",
                           LIBRARY.split("# FUNCTIONS")[1])), declared)

    def test_header_and_exports_agree(self):
        """The library exports exactly the functions that its page names."""
        library = pathlib.Path(os.environ.get("BUILD", "build"),
                               "src/libcustos.so")
        found = subprocess.run(["nm", "-D", "--defined-only", library],
                               stdout=subprocess.PIPE, check=True).stdout
        exported = set(re.findall(r" T (custos_[a-z0-9_]+)",
                                  found.decode()))
        told = set(re.findall(r"\*(custos_[a-z0-9_]+)\*",
                              LIBRARY.split("# FUNCTIONS")[1]))
        self.assertEqual(told, exported)

    @unittest.skipUnless(shutil.which("scdoc") and shutil.which("mandoc"),
                         "needs scdoc and mandoc")
    def test_lint(self):
        for text in (COMMAND, LIBRARY):
            page = subprocess.run(["scdoc"], input=text.encode(), check=True,
                                  stdout=subprocess.PIPE).stdout
            done = subprocess.run(["mandoc", "-Tlint", "-W", "warning"],
                                  input=page, stdout=subprocess.PIPE,
                                  check=False)
            # scdoc writes more paragraph macros than are needed.
            self.assertEqual([line for line in done.stdout.splitlines()
                              if b"skipping paragraph macro: PP" not in line],
                             [])


if __name__ == "__main__":
    unittest.main()
