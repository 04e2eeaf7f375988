"""custos audit curator: quiet on this command, loud on one with a fault."""
import json
import os
import pathlib
import stat
import tempfile
import unittest

from command import CUSTOS, CommandCase, run


def attack(*words):
    done = run("audit", "curator", "--json", *words)
    return done, json.loads(done.stdout) if done.stdout else None


class Quiet(unittest.TestCase):
    """False alarms: a difference of time needs 12 against 12 askings without
    overlap, 7e-7, after a first suspicion; one of numbers a Laplace variable
    beyond 14 scales twice."""

    def test_nothing_is_found_on_the_demo(self):
        done, said = attack("--demo", "--queries", "60", "--seed", "1")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(said["audit_curator_differences"], 0)
        self.assertEqual(said["findings"], [])
        self.assertEqual(said["seed"], 1)
        self.assertGreater(said["audit_curator_pairs"], 30)
        # All of these queries are generated: here is no standing corpus.
        self.assertLess(said["audit_curator_rejected"],
                        0.4 * said["audit_curator_queries"])
        self.assertGreater(said["audit_curator_expressions"],
                           2 * said["audit_curator_pairs"])

    def test_nothing_is_found_on_all_types(self):
        done, said = attack("--all-types", "--queries", "150", "--seed", "2")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(said["findings"], [])
        self.assertGreater(said["audit_curator_pairs"], 30)

    def test_several_tables_are_compared(self):
        """A sum and a count of every table, small ones and large ones; not
        a mean beside them."""
        with tempfile.TemporaryDirectory() as folder:
            asked = pathlib.Path(folder, "asked.txt")
            asked.write_text(
                "@ 100\nSELECT city, sex, count(*), sum(born) FROM "
                "patients GROUP BY CUBE (city, sex)\n\n"
                "@ 100\nSELECT city, sex, count(*), avg(born) FROM "
                "patients GROUP BY CUBE (city, sex)\n\n", encoding="utf-8")
            done, said = attack("--demo", "--replay", str(asked))
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(said["audit_curator_pairs"], 4)
        self.assertEqual(said["audit_curator_tables"], 2)


class Loud(unittest.TestCase):
    """A wrapper of the command that gives the second store three more people
    than the first one has."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def wrapper(self, text):
        file = self.path / "custos"
        file.write_text(f"#!/bin/sh\nreal={os.path.abspath(CUSTOS)}\n{text}\n",
                        encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return str(file)

    def test_a_fault_is_found_and_can_be_replayed(self):
        fake = self.wrapper(
            'case "$1 $2" in\n'
            'restore*) "$real" "$@" || exit\n'
            '  folder=$(dirname "$3"); echo "1050,1990,f,Rome,true\n'
            '1051,1990,f,Rome,true\n1052,1990,f,Rome,true" '
            '>>"$folder/0.csv"; exit 0;;\n'
            'esac\nexec "$real" "$@"')
        found = self.path / "found.txt"
        asked = self.path / "asked.txt"
        asked.write_text("# too far\n@ 100\nSELECT count(*),\n"
                         "count(DISTINCT city) FROM patients\n\n",
                         encoding="utf-8")
        done, said = attack("--demo", "--replay", str(asked), "--found",
                            str(found), "--server-binary", fake)
        self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
        self.assertEqual(said["audit_curator_differences"], 1)
        finding = said["findings"][0]
        self.assertEqual(finding["kind"], "one person moves a number too far")
        self.assertEqual(finding["query"], "SELECT count(*) FROM patients")
        self.assertIn("SELECT count(*) FROM patients\n", found.read_text())
        done, said = attack("--demo", "--replay", str(found),
                            "--server-binary", fake)
        self.assertEqual(done.returncode, 1)
        done, said = attack("--demo", "--replay", str(found))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_servers_that_start_slowly(self):
        """The time begins when they answer; nothing asked is no success."""
        fake = self.wrapper('[ "$1" = serve ] && sleep 1\nexec "$real" "$@"')
        done, said = attack("--demo", "--seconds", "1", "--server-binary", fake)
        if done.returncode:  # a very busy machine
            self.assertRegex(done.stderr.decode(), "no query was asked|rejected")
        else:
            self.assertGreater(said["audit_curator_pairs"], 0)


class Use(CommandCase):
    def test_wrong_use(self):
        self.refused("audit", "curator", "--seconds", "0", says="--seconds")
        self.refused("audit", "curator", "--seconds", "9", "--queries", "9",
                     says="--seconds and --queries")
        self.refused("audit", "curator", "--replay", "/nowhere/at/all",
                     says="cannot read /nowhere")
        for empty in ["/dev/null", self.remarks_only()]:
            for option in ["--replay", "--corpus"]:
                self.refused("audit", "curator", option, empty,
                             says=f"{empty} has no queries")
        self.refused("audit", "curator", "--replay", "/",
                     says="cannot read /: Is a directory")
        self.refused("audit", "curator", "--server-binary", "/nowhere",
                     says="--server-binary")
        self.refused("audit", "curator", "--policy", "a", "--store", "b",
                     says="--policy and --store")

    def remarks_only(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name, "remarks.txt")
        file.write_text("# nothing to ask\n\n@ 1\n\n", encoding="utf-8")
        return str(file)

    def test_findings_that_cannot_be_written(self):
        """That is said at once, not after an hour of attack."""
        for path in ["/no/such/folder/found.txt", "/"]:
            done = run("audit", "curator", "--seconds", "600", "--found", path)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertRegex(done.stderr.decode(),
                             rf"\Acustos: cannot write {path}: [^\n]+\n\Z")

    def test_nothing_found_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            found = pathlib.Path(folder, "found.txt")
            self.refused("audit", "curator", "--found", str(found),
                         "--seconds", "0", says="--seconds")
            done = run("audit", "curator", "--demo", "--queries", "3",
                       "--seed", "1", "--threads", "1", "--found", str(found))
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertRegex(done.stdout.decode(), "(?m)^No difference was found, "
                             "but only [0-9]+ queries were compared: that says "
                             "little.$")
            self.assertFalse(found.exists())


if __name__ == "__main__":
    unittest.main()
