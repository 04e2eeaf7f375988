"""A bad disk, wrong permissions, damaged files, concurrent processes: a clear
message, exit 1 or 2, and nothing is lost.
"""
import fcntl
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import unittest
from fractions import Fraction
from pathlib import Path

from hospital import CUSTOS, Hospital, run, spent

QUICK = bool(os.environ.get("CUSTOS_QUICK"))
COUNT = "SELECT count(*) FROM people"
NOBODY = 65534


def limited(size):
    """Limits the size of files, as if the disk were full for this process."""
    def apply():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return {"preexec_fn": apply, "restore_signals": False}


def in_namespace(script, *args):
    """Runs a script in its own mount namespace, or skips the test."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        raise unittest.SkipTest("mounts need root")
    probe = subprocess.run(["unshare", "-m", "mount", "--bind", "/tmp", "/tmp"],
                           check=False, stderr=subprocess.DEVNULL)
    if probe.returncode:
        raise unittest.SkipTest("mounts are not allowed here")
    return subprocess.run(["unshare", "-m", "sh", "-euc", script, "sh", *args],
                          check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)


class StoreCase(unittest.TestCase):
    def setUp(self):
        self.hospital = Hospital(budget="1", own="0.5", people=200)
        self.store = self.hospital.store
        self.addCleanup(self.hospital.remove)

    def made(self):
        done = self.hospital.init()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.answered()

    def answered(self, sql=COUNT, *args):
        done = self.hospital.query(sql, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, done, says="", codes=(1, 2)):
        """There is no answer, one sentence for people, and at most a hint."""
        said = re.search(r"^custos: .+\n(hint: .+\n)?\Z", done.stderr, re.M)
        error = said[0] if said else ""
        with self.subTest(error=done.stderr, out=done.stdout):
            self.assertIn(done.returncode, codes)
            self.assertEqual(done.stdout, "")
            self.assertTrue(error)
            self.assertLess(len(error), 600)
            for word in ("errno", "sqlite", "SQL logic", "duckdb error"):
                self.assertNotIn(word, error)
            self.assertIn(says, error)

    def failed(self, done, says=""):
        """As refused(), where the machine and not the question is at fault."""
        self.refused(done, says, codes=(1,))

    def whole(self, receipt=None):
        """The ledger verifies, and no more is spent than the budget. Returns
        its rows."""
        done = self.hospital.verify(*(["--receipt", receipt] if receipt
                                      else []))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.hospital.rows()
        self.assertLessEqual(spent(rows), self.hospital.budget)
        return rows


class DiskFull(StoreCase):
    def test_query(self):
        """With too little disk space a query fails, with enough it is answered,
        and never without a charge."""
        self.made()
        first = spent(self.whole())
        answers = refusals = 0
        sizes = [0, 1, 4096, 20000, 40000, 70000, 100000, 150000, 300000]
        for i, size in enumerate(sizes[::2] if QUICK else sizes):
            done = self.hospital.query(f"SELECT sum(age) AS q{i} FROM people",
                                       **limited(size))
            if done.returncode == 0:
                answers += 1
                self.assertEqual(json.loads(done.stdout)["stored"], False)
            else:
                refusals += 1
                self.failed(done)
            # a charge without an answer may remain: there are no refunds
            total = spent(self.whole())
            self.assertGreaterEqual(total - first, answers * Fraction("0.01"))
            self.assertLessEqual(total - first,
                                 (answers + refusals) * Fraction("0.01"))
        self.assertGreater(refusals, 0)
        self.assertGreater(answers, 0)
        self.assertFalse(self.answered("SELECT avg(age) FROM people")["stored"])

    def test_first_init(self):
        for size in (0, 4096, 100000, 600000):
            self.failed(self.hospital.init(**limited(size)))
            # a half-made store, if any, answers nothing
            self.assertNotEqual(self.hospital.query(COUNT).returncode, 0)
        self.made()
        self.assertEqual(os.listdir(self.store / "tmp"), [])

    def test_second_init(self):
        self.made()
        before = self.answered()
        self.hospital.write_people(5000)
        for size in (0, 4096, 100000, 600000):
            self.failed(self.hospital.init(**limited(size)))
            again = self.answered()
            self.assertTrue(again["stored"])
            self.assertEqual(again["rows"], before["rows"])
        self.whole(before["receipt"])
        self.assertEqual(self.hospital.init().returncode, 0)
        self.assertFalse(self.answered()["stored"])

    def test_a_small_disk(self):
        """A file system without a free byte."""
        self.made()
        self.answered()
        rows = self.whole()
        script = """
            mount -t tmpfs -o size=4m none "$1/mnt"
            cp -a "$1/store" "$1/mnt/store"
            dd if=/dev/zero of="$1/mnt/fill" bs=1k 2>/dev/null || true
            for i in 1 2 3 4 5 6 7 8 9; do
                "$2" query --store "$1/mnt/store" \
                    "SELECT sum(age) AS n$i FROM people" >"$1/out" && continue
                echo refused
            done
            rm "$1/mnt/fill"
            "$2" ledger verify --store "$1/mnt/store" >&2
            "$2" query --store "$1/mnt/store" \
                "SELECT sum(age) AS n0 FROM people" >"$1/out"
            echo answered"""
        (self.hospital.folder / "mnt").mkdir()
        done = in_namespace(script, str(self.hospital.folder),
                            os.path.abspath(CUSTOS))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("refused", done.stdout)
        self.assertIn("answered", done.stdout)
        self.assertIn("The ledger is whole", done.stderr)
        self.assertEqual(self.whole(), rows)


class ReadOnly(StoreCase):
    def test_read_only_disk(self):
        self.made()
        rows = self.whole()
        script = """
            mount --bind "$1" "$1"
            mount -o remount,ro,bind "$1"
            store="$1/store" custos="$2"
            shift 2
            exec "$custos" "$@" --store "$store"
        """

        def on_it(*args):
            return in_namespace(script, str(self.hospital.folder),
                                os.path.abspath(CUSTOS), *args)

        self.failed(on_it("query", "SELECT sum(age) FROM people"),
                    "the store is read-only: nothing can be charged")
        self.failed(on_it("init", str(self.hospital.policy)))
        # what needs no charge still works
        for args, says in ((("query", COUNT), "Cached: no cost"),
                           (("explain", "SELECT sum(age) FROM people"),
                            "sensitivity"),
                           (("budget",), "0.99"), (("ledger",), "charge"),
                           (("ledger", "verify"), "")):
            done = on_it(*args)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(says, done.stdout)
        self.assertEqual(self.whole(), rows)
        self.answered("SELECT sum(age) FROM people")


class Permissions(StoreCase):
    def test_open_to_others(self):
        self.made()
        for name in ("", "secret", "current", "data", "tmp", "policy", "lock"):
            path = self.store / name
            mode = path.stat().st_mode & 0o777
            for wide in (0o040, 0o004, 0o001):
                path.chmod(mode | wide)
                self.refused(self.hospital.query(COUNT), "others may access")
            path.chmod(mode)
        self.whole()
        self.answered()

    def test_made_for_the_owner_alone(self):
        self.made()
        self.answered("SELECT avg(age) FROM people")
        for folder, folders, files in os.walk(self.store):
            for name in folders + files + ["."]:
                mode = (Path(folder) / name).stat().st_mode
                self.assertEqual(mode & 0o077, 0, (folder, name))

    def test_of_another_user(self):
        self.made()
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.hospital.folder.chmod(0o755)

        def other():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        try:
            done = run("--version", preexec_fn=other)
        except (OSError, subprocess.SubprocessError):
            self.skipTest("the command cannot be run by others")
        if done.returncode:
            self.skipTest("the command cannot be run by others")
        self.refused(self.hospital.query(COUNT, preexec_fn=other))
        # a folder that others may read is an error in itself
        self.store.chmod(0o755)
        self.refused(self.hospital.query(COUNT, preexec_fn=other))
        self.refused(self.hospital.init(preexec_fn=other))
        self.store.chmod(0o700)
        self.whole()


class Damage(StoreCase):
    def test_ledger(self):
        """A damaged byte is noticed, or was not in use."""
        self.made()
        for i in range(5):
            last = self.answered(f"SELECT count(*) AS q{i} FROM people")
        rows = self.whole(last["receipt"])
        with sqlite3.connect(self.store / "ledger.db") as base:
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        base.close()
        path = self.store / "ledger.db"
        good = path.read_bytes()
        dice = random.Random(3)
        noticed = 0
        for _ in range(8 if QUICK else 60):
            bad = bytearray(good)
            bad[dice.randrange(len(bad))] ^= 1 << dice.randrange(8)
            path.write_bytes(bad)
            done = self.hospital.verify("--receipt", last["receipt"])
            if done.returncode:
                noticed += 1
                self.failed(done)
            else:
                self.assertEqual(self.hospital.rows(), rows)
            done = self.hospital.query("SELECT sum(age) FROM people")
            if done.returncode:
                self.failed(done)
            for name in ("ledger.db-wal", "ledger.db-shm"):
                (self.store / name).unlink(missing_ok=True)
        self.assertGreater(noticed, 0)
        path.write_bytes(good)
        self.assertEqual(self.whole(last["receipt"]), rows)

    def test_no_ledger(self):
        """Losing the ledger does not restore the budget."""
        self.made()
        last = self.answered()
        for path in self.store.glob("ledger.db*"):
            path.rename(self.hospital.folder / path.name)
        self.failed(self.hospital.query(COUNT), "ledger")
        self.failed(self.hospital.verify(), "ledger")
        self.failed(self.hospital.init(), "ledger")
        for path in self.hospital.folder.glob("ledger.db*"):
            path.rename(self.store / path.name)
        self.whole(last["receipt"])

    def test_put_back_from_a_backup(self):
        self.made()
        copy = self.hospital.folder / "copy"
        done = run("backup", "--store", str(self.store), str(copy))
        self.assertEqual(done.returncode, 0, done.stderr)
        last = self.answered("SELECT sum(age) FROM people")
        shutil.rmtree(self.store)
        copy.rename(self.store)
        self.whole()
        self.failed(self.hospital.verify("--receipt", last["receipt"]),
                     "older")

    def test_garbage_for_a_ledger(self):
        self.made()
        for path in self.store.glob("ledger.db-*"):
            path.unlink()
        for data in (b"", b"not a ledger\n" * 1000, b"SQLite format 3\0"):
            (self.store / "ledger.db").write_bytes(data)
            (self.store / "ledger.db").chmod(0o600)
            self.failed(self.hospital.query(COUNT))
            self.failed(self.hospital.verify())

    def test_data(self):
        self.made()
        charges = spent(self.whole())
        data = next((self.store / "data").glob("*.duckdb"))
        good = data.read_bytes()
        data.unlink()
        self.failed(self.hospital.query(COUNT))
        for bad in (b"", good[:5000], b"x" * len(good)):
            data.write_bytes(bad)
            data.chmod(0o600)
            self.failed(self.hospital.query("SELECT sum(age) FROM people"))
        self.assertEqual(spent(self.whole()), charges)
        data.write_bytes(good)
        self.assertTrue(self.answered()["stored"])

    def test_pointer_and_secret(self):
        self.made()
        for name, bads in (("current", (b"", b"1\n", b"9 1\n", b"1 9\n",
                                        b"x y\n", b"1 1" * 100)),
                           ("secret", (b"", b"short")),
                           ("format", (b"", b"custos store x\n"))):
            path = self.store / name
            good = path.read_bytes()
            for bad in bads:
                path.write_bytes(bad)
                self.failed(self.hospital.query("SELECT avg(age) FROM people"))
            path.unlink()
            self.refused(self.hospital.query(COUNT))
            path.write_bytes(good)
            path.chmod(0o600)
        self.whole()
        self.answered()


class Versions(StoreCase):
    def test_newer_store(self):
        self.made()
        (self.store / "format").write_text("custos store 2\n")
        self.refused(self.hospital.query(COUNT), "newer custos")
        self.refused(self.hospital.init(), "newer custos")
        (self.store / "format").write_text("custos store 1\n")
        self.answered()

    def test_newer_ledger(self):
        self.made()
        base = sqlite3.connect(self.store / "ledger.db")
        base.execute("PRAGMA user_version = 1000")
        base.close()
        self.refused(self.hospital.query(COUNT), "newer")
        self.refused(self.hospital.verify(), "newer")


class NoStore(StoreCase):
    def test_nothing_there(self):
        self.refused(self.hospital.query(COUNT), "there is no store")
        self.refused(self.hospital.verify(), "there is no store")

    def test_something_else_there(self):
        self.store.mkdir(mode=0o700)
        self.refused(self.hospital.query(COUNT), "there is no store")
        (self.store / "thesis.txt").write_text("years of work")
        self.refused(self.hospital.query(COUNT), "there is no store")
        done = self.hospital.init()
        self.assertIn(done.returncode, (1, 2))
        self.assertIn("not empty", done.stderr)
        self.assertEqual(os.listdir(self.store), ["thesis.txt"])

    def test_a_file(self):
        self.store.write_text("no folder")
        self.assertNotEqual(self.hospital.query(COUNT).returncode, 0)
        self.assertNotEqual(self.hospital.init().returncode, 0)
        self.assertEqual(self.store.read_text(), "no folder")

    def test_no_source(self):
        (self.hospital.folder / "people.csv").unlink()
        self.refused(self.hospital.init(), "people")


class Together(StoreCase):
    def test_two_inits(self):
        self.made()
        with open(self.store / "import", "r+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.refused(self.hospital.init(), "another import")
            self.answered("SELECT sum(age) FROM people")
        self.assertEqual(self.hospital.init().returncode, 0)

    def test_made_after_a_failure(self):
        """After a failed first init the next one makes the store."""
        people = self.hospital.folder / "people.csv"
        text = people.read_text()
        people.write_text(text + "1,2,3,4,5\n")
        self.refused(self.hospital.init(), "2: more values than the 3")
        people.write_text(text)
        done = self.hospital.init()
        self.assertEqual(done.stdout.split()[0], "made", done.stderr)
        self.assertEqual(self.hospital.init().stdout.split()[0], "updated")

    def test_inits_in_a_race(self):
        words = [CUSTOS, "init", str(self.hospital.policy), "--store",
                 str(self.store)]
        both = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True,
                                 stderr=subprocess.PIPE) for _ in range(3)]
        done = [(p.communicate()[1], p.returncode) for p in both]
        self.assertTrue(any(code == 0 for _, code in done), done)
        for error, code in done:
            if code:
                self.assertIn("another import", error)
        self.whole()
        self.answered()

    def test_policy_changed_under_a_shell(self):
        self.made()
        with subprocess.Popen([CUSTOS, "shell", "--format", "json", "--store",
                               str(self.store)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as shell:
            def ask(sql):
                shell.stdin.write(sql + ";\n\\budget\n")
                shell.stdin.flush()
                text = ""
                while not text.endswith("left\n"):
                    text += shell.stdout.readline()
                return text[:text.rindex("  epsilon")]
            first = ask("SELECT count(*) AS a FROM people")
            self.assertIn('"stored":false', first)
            # editing the file alone changes nothing
            self.hospital.write_policy("3", "0.5")
            self.assertIn('"rows"', ask("SELECT count(*) AS b FROM people"))
            self.assertEqual(self.hospital.init().returncode, 0)
            before = spent(self.whole())
            late = ask("SELECT count(*) AS c FROM people")
            shell.stdin.close()
            errors = shell.stderr.read()
        # nothing more is charged under the old policy; the error says so
        self.assertEqual(late, "")
        self.assertIn("policy", errors)
        self.assertEqual(spent(self.hospital.rows()), before)
        new = self.answered("SELECT count(*) AS d FROM people")
        self.assertEqual(Fraction(new["remaining"]["epsilon"]) + spent(
            self.hospital.rows()), 3)


if __name__ == "__main__":
    unittest.main()
