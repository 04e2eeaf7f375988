"""Kills custos release at random instants and checks what is left.

Each run has a price of its own, so that its charge can be told from the others. After
each kill:

  * the folder is not there, or it is complete: the same files, byte for byte, as the
    release in the store;
  * every release in the store has a charge;
  * the next run leaves nothing unfinished in the store, whoever left it;
  * the same request, run again to its end, is free if the store has the release, and
    is charged once more if not.

At the end the ledger verifies.

    python3 test/crash/release.py [--kills 200] [--seed N]
"""
import argparse
import filecmp
import os
import random
import signal
import subprocess
import sys
import time

from hospital import CUSTOS, Hospital, run, seconds


class Releases:
    """A store, releases from it, and what was seen to be wrong."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.hospital = Hospital()
        self.hospital.write_policy("1000, delta: 1e-3", "1") # room for a rho
        policy = self.hospital.policy
        policy.write_text(policy.read_text().replace(
            "unit: id\n", "unit: id\n    rows_per_unit: 1\n").replace(
                "min_rho: 0", "min_rho: 0, max_rho: 1").replace(
                    "custos: 1", "custos: 2\nadjacency: add-remove"))
        done = self.hospital.init()
        if done.returncode:
            raise AssertionError(done.stderr)
        self.number = 0
        self.violations = []
        self.seen = {"nothing": 0, "charged": 0, "stored": 0, "complete": 0}
        self.duration = seconds(self.release, *self.next())[1]

    def next(self):
        """The price and the folder of the next request."""
        self.number += 1
        return f"0.{self.number:06}", self.hospital.folder / f"out{self.number}"

    def words(self, rho, out):
        return [CUSTOS, "release", "--store", str(self.hospital.store), "--table",
                "people", "--rho", rho, "--out", str(out)]

    def release(self, rho, out):
        done = run(*self.words(rho, out)[1:])
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout

    def charges(self, rho):
        """How many there are at this price."""
        return sum(row["what"] == "charge" and row["rho"].rstrip("0") == rho.rstrip("0")
                   for row in self.hospital.rows())

    def stored(self):
        """The names of the store's releases."""
        folder = self.hospital.store / "releases"
        if not folder.exists():
            return set()
        return {f.name for f in folder.iterdir() if f.suffix != ".partial"}

    def wrong(self, words):
        self.violations.append(f"release {self.number}: {words}")

    def same(self, a, b):
        """Do two folders have the same files?"""
        names = [sorted(str(f.relative_to(top)) for f in top.rglob("*") if f.is_file())
                 for top in (a, b)]
        return names[0] == names[1] and all(
            filecmp.cmp(a / n, b / n, shallow=False) for n in names[0])

    def kill_one(self):
        rho, out = self.next()
        before = self.stored()
        process = subprocess.Popen(self.words(rho, out), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(self.dice.uniform(0, self.duration * 1.1))
        process.send_signal(self.dice.choice([signal.SIGKILL, signal.SIGINT]))
        process.wait()
        new, charged = self.stored() - before, self.charges(rho)
        self.check(rho, out, new, charged)

    def check(self, rho, out, new, charged):
        if len(new) > charged or charged > 1:
            self.wrong(f"{charged} charges, {len(new)} releases in the store")
        if out.exists():
            if not new or not self.same(
                    out, self.hospital.store / "releases" / next(iter(new))):
                self.wrong("the folder is not the release of the store")
        self.seen["complete" if out.exists() else "stored" if new
                  else "charged" if charged else "nothing"] += 1
        again = out.with_suffix(".again") if out.exists() else out
        said = self.release(rho, again)
        if ("no cost" in said) != bool(new):
            self.wrong(f"{len(new)} releases in the store, and then: {said}")
        if self.charges(rho) != charged + (not new):
            self.wrong("the second run was not charged once, or not free")
        if out.with_name(again.name + ".partial").exists():
            self.wrong("a complete run left an unfinished folder")
        if any(f.suffix == ".partial"
               for f in (self.hospital.store / "releases").iterdir()):
            self.wrong("a complete run left what others had not finished")

    def close(self):
        done = self.hospital.verify()
        if done.returncode:
            self.wrong(done.stderr)
        self.hospital.remove()


def kill(kills, seed, show=False):
    """Kills that many runs; returns the finished test."""
    test = Releases(seed)
    try:
        for i in range(kills):
            test.kill_one()
            if show and os.isatty(2):
                print(f"\r  {i + 1} of {kills}", end="", file=sys.stderr)
    finally:
        test.close()
    return test


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    test = kill(given.kills, given.seed, show=True)
    for words in test.violations:
        print(words)
    print(f"{given.kills} kills: {test.seen}, {len(test.violations)} violations")
    sys.exit(bool(test.violations))


if __name__ == "__main__":
    main()
