"""What every command prints as JSON conforms to src/contract/contract.txt, and has the
version; every verb that can print JSON is described there. (http_case.py checks the
replies of the server.)
"""
import json
import os
import pathlib
import subprocess
import unittest

from command import CUSTOS, run
from serving import Store, need_module

jsonschema = need_module("jsonschema")

SRC = pathlib.Path(os.environ.get("SRC", "."))
COUNT = "SELECT sex, count(*) AS n FROM patients GROUP BY sex"
LAPLACE = "laplace:epsilon=0.1:count=10"
GAUSS = "gaussian:sigma=20:count=50"

STORE = object()  # instead of a first word: the command works on the store

# For each command of the description, the words to run it with, and its standard input
# if it needs one (a text with an end of line).
RUNS = {
    "query --format json": [
        (STORE, "query", "--format", "json", COUNT),
        (STORE, "query", "--format", "json", COUNT),  # from the cache
        (STORE, "query", "--format", "json", "--as", "bob",
         "SELECT department, sum(cost), avg(cost) FROM visits "
         "GROUP BY department"),
        (STORE, "query", "--format", "json", "EXPLAIN " + COUNT),
        (STORE, "query", "--format", "json",
         "SELECT department, floor, floor > 1 AS up FROM departments"),
        (STORE, "query", "--format", "json", "--epsilon", "20",
         "SELECT median(since) AS d, avg(weight) AS w FROM patients")],
    "explain --format json": [
        (STORE, "explain", "--format", "json", COUNT),
        (STORE, "explain", "--format", "json", "--as", "bob", "--epsilon", "4",
         "SELECT count(*) FROM visits"),
        (STORE, "explain", "--format", "json", "SELECT floor FROM departments")],
    "query --file --format json": [
        (STORE, "query", "--file", "-", "--format", "json",
         COUNT + ";\nSELECT count(*) FROM visits;\n"),
        (STORE, "query", "--format", "json", "-f", "-", COUNT + "\n"),
        (STORE, "query", "--format", "json", "-f", "-",
         "SELECT floor FROM departments;" + COUNT + ";" + COUNT + ";\n")],
    "explain --file --format json": [
        (STORE, "explain", "-f", "-", "--format", "json",
         COUNT + ";\nSELECT count(*) FROM visits;\n"),
        (STORE, "explain", "-f", "-", "--format", "json", "--epsilon", "4",
         "SELECT floor FROM departments;\n")],
    "budget --json": [(STORE, "budget", "--json"),
                      (STORE, "budget", "--json", "--as", 'Zoë "Z"')],
    "ledger --json": [(STORE, "ledger", "--json"),
                      (STORE, "ledger", "--json", "--as", "nobody")],
    "ledger recall --json": [
        (STORE, "ledger", "recall", "laplace-discrete", "--json")],
    "ledger verify --json": [(STORE, "ledger", "verify", "--json")],
    "analyst list --json": [(STORE, "analyst", "list", "--json")],
    "analyst rotate --json": [
        (STORE, "analyst", "rotate", "bob", "--json", "--password",
         "correct horse\n"),
        (STORE, "analyst", "rotate", "bob", "--json", "--expires", "90d")],
    "analyst token --json": [
        (STORE, "analyst", "token", "ana", "--rotate", "--json")],
    "analyst add --json": [(STORE, "analyst", "revoke", "bob"),
                           (STORE, "analyst", "add", "bob", "--json")],
    "store vacuum --json": [(STORE, "store", "vacuum", "--json")],
    "risk --json": [
        ("risk", "--epsilon", "1/3", "--json"),
        ("risk", "--epsilon", "1", "--delta", "1e-6", "--n", "1000", "--json"),
        ("risk", "--mechanism", GAUSS, "--delta", "1e-6", "--json")],
    "audit --json": [
        ("audit", "--exec", "echo 1", "--claim", "1", "--samples", "300",
         "--json"),
        ("audit", "--exec", "awk 'END {print NR}'", "--claim", "20", "--delta",
         "0.1", "--samples", "300", "--pairs", "/dev/stdin", "--json",
         "1\n2\n\n1\n")],
    "noise --draws --json": [
        ("noise", law, f"--{name}", value, "--draws", "5", "--json")
        for law, name, value in [
            ("discrete-laplace", "scale", "1e3"), ("uniform", "n", "6"),
            ("discrete-gaussian", "sigma", "5/2"), ("bernoulli", "p", "1/3"),
            ("bernoulli-exp", "x", "0.5")]],
    "noise --json": [
        ("noise", "discrete-laplace", "--epsilon", "1/3", "--sensitivity", "1",
         "--json", "--error", "1\n-2\n"),
        ("noise", "discrete-gaussian", "--epsilon", "1", "--delta", "1e-6",
         "--sensitivity", "0.1", "--real", "--json", "0.5\n")],
    "account compose --json": [
        ("account", "compose", "--mechanism", LAPLACE, "--json"),
        ("account", "compose", "--mechanism", LAPLACE, "--mechanism", GAUSS,
         "--delta", "1e-6", "--json")],
    "account calibrate --json": [
        ("account", "calibrate", "--mechanism", LAPLACE, "--epsilon", "2",
         "--json"),
        ("account", "calibrate", "--mechanism", LAPLACE, "--epsilon", "1e-3",
         "--find", "count", "--json"),
        ("account", "calibrate", "--mechanism", LAPLACE, "--epsilon", "3",
         "--find", "count", "--json")],
    "account convert --json": [
        ("account", "convert", "--from", "zcdp", "--amount", "1/10", "--json"),
        ("account", "convert", "--from", "pure", "--amount", "1", "--to", "gdp",
         "--json")],
    "account group --json": [
        ("account", "group", "--epsilon", "0.5", "--delta", "1e-6", "--size",
         "3", "--json"),
        ("account", "group", "--rho", "0.01", "--size", "10", "--json"),
        ("account", "group", "--mechanism", GAUSS, "--delta", "1e-6", "--size",
         "3", "--json")],
    "account curve --json": [
        ("account", "curve", "--mechanism", GAUSS, "--points", "3", "--json")],
    "account plan --n --json": [
        ("account", "plan", "--n", "10000", "--epsilon", "1", "--json")],
    "account plan --json": [
        ("account", "plan", "--queries", "10", "--epsilon", "1", "--json"),
        ("account", "plan", "--error", "50", "--epsilon", "1", "--json"),
        ("account", "plan", "--queries", "10", "--error", "50", "--json")],
    "audit battery --json": [
        ("audit", "battery", "--quick", "--only", "noisy-hist-2", "--json")],
    "audit library --json": [
        ("audit", "library", "--ci", "--only", "laplace", "--only",
         "noise-gaussian", "--json")],
    "audit attack --json": [
        ("audit", "attack", "--json"),
        ("audit", "attack", "differencing", "--quick", "--json"),
        ("audit", "attack", "linkage", "--quick", "--json")],
}


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = Store()
        cls.addClassCleanup(cls.store.close)
        cls.schemas = json.loads(subprocess.run(
            [SRC / "tools/contract", "--commands"], check=True,
            capture_output=True).stdout)

    def printed(self, words):
        more = {}
        if "\n" in words[-1]:
            more["stdin"], words = words[-1], words[:-1]
        if words[0] is STORE:
            return self.store.custos(*words[1:], **more)
        done = run(*words, **more)
        self.assertEqual((done.returncode, done.stderr), (0, b""), words)
        return done.stdout.decode()

    def test_every_command(self):
        self.assertEqual(sorted(RUNS), sorted(self.schemas))
        for command, runs in RUNS.items():
            valid = jsonschema.Draft202012Validator(self.schemas[command])
            for words in runs:
                text = self.printed(words)
                if not {"--json", "json"} & set(words):
                    continue
                with self.subTest(words=words[1:]):
                    self.assertEqual(text[-1], "\n")
                    valid.validate(json.loads(text))

    def test_a_wrong_document_is_noticed(self):
        """Every member is checked: no document stays valid without it."""
        document = json.loads(self.store.custos("budget", "--json"))
        valid = jsonschema.Draft202012Validator(self.schemas["budget --json"])
        for name in document:
            short = {n: v for n, v in document.items() if n != name}
            self.assertFalse(valid.is_valid(short), name)
        self.assertFalse(valid.is_valid({**document, "more": 1}))
        self.assertFalse(valid.is_valid({**document, "version": 2}))
        document["common"]["spent"] = 0.5
        self.assertFalse(valid.is_valid(document))

    def test_every_verb_with_json_is_described(self):
        verbs = ["demo", "init", "query", "explain", "shell", "budget", "ledger",
                 "store", "backup", "restore", "analyst", "owner", "serve",
                 "noise", "risk", *(f"account {v}" for v in (
                     "compose", "calibrate", "plan", "convert", "group",
                     "curve")), *(f"policy {v}" for v in (
                         "check", "draft", "import")), "audit attack"]
        listed = subprocess.run([CUSTOS, "--help"], check=True,
                                capture_output=True, text=True).stdout
        for verb in verbs:
            self.assertIn(verb.split()[0], listed)
            help_text = "\n".join([run(*verb.split(), "--help").stdout.decode()])
            described = any(c.startswith(verb + " ") and c.endswith("--json")
                            for c in self.schemas)
            self.assertEqual("--json" in help_text, described, verb)


if __name__ == "__main__":
    unittest.main()
