"""The store, the server and its process tree for the load tests of this folder:
the demo's hospital with a large budget, two honest analysts and several hostile
ones.
"""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from command import run  # noqa: E402
from serving import Server, Store, call  # noqa: E402

__all__ = ["DemoStore", "Server", "call", "cpu_seconds", "machine_seconds",
           "run", "tree", "tree_mb", "zombies", "worker_pids"]

HONEST = ("ana", "bob")
HOSTILE = tuple(f"mal{i}" for i in range(8))

BUDGET = "budget: {epsilon: 1000000, delta: 1e-6, n: 20000}"
QUERY = ("query: {epsilon: 0.01, max_epsilon: 1000, delta: 1e-12, "
         "min_epsilon: 0, min_rho: 0}")
DIAGNOSES = """  diagnoses:
    public: true
    source: diagnoses.csv
    columns:
      code: {type: integer, nullable: false}
      title: {type: text, nullable: false}
"""
TITLE = "a" * 80
# Many values of one column make key images large.
TOWNS = ", ".join(f"T{i:03}" for i in range(250))
N_DIAGNOSES = 2000


class DemoStore(Store):
    """The demo's data and tables with other budgets and analysts, and a public
    table with long texts."""

    def __init__(self, people=20000, analysts=HONEST + HOSTILE,
                 overrun_rate=None):
        # pylint: disable=super-init-not-called
        self.folder = tempfile.TemporaryDirectory(prefix="custos-siege.")
        base = pathlib.Path(self.folder.name)
        demo, self.path = base / "demo", str(base / "store")
        done = run("demo", "--people", str(people), "--keep", str(demo))
        if done.returncode:
            raise AssertionError(done.stderr.decode())
        with open(demo / "diagnoses.csv", "w", encoding="ascii") as out:
            print("code,title", file=out)
            for i in range(N_DIAGNOSES):
                print(f"{i},{TITLE}{i:05}", file=out)
        policy = (demo / "policy.yaml").read_text(encoding="utf-8")
        policy = self.changed(policy, analysts)
        if overrun_rate is not None:
            policy += f"tripwire: {{overrun_rate: {overrun_rate}}}\n"
        (demo / "policy.yaml").write_text(policy, encoding="utf-8")
        self.custos("init", str(demo / "policy.yaml"))
        self.tokens, self.passwords = {}, {}
        for name in [*analysts, ""]:
            self.let_in(name)

    @staticmethod
    def changed(policy, analysts):
        policy = re.sub(r"(?m)^budget:.*$", BUDGET, policy)
        policy = re.sub(r"(?m)^query:.*$", QUERY, policy)
        policy = policy.replace("Vienna]", f"Vienna, {TOWNS}]")
        tables, _ = policy.split("analysts:\n")
        return (tables + DIAGNOSES + "analysts:\n" +
                "".join(f"  {name}: {{}}\n" for name in analysts))


# ---------------------------------------------------------------- processes --

def stat_of(pid):
    """Parent and state of a process; None if it has ended."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii",
                                                           errors="replace")
    except OSError:
        return None
    state, parent = text.rpartition(")")[2].split()[:2]
    return int(parent), state


def tree(root):
    """A process and all its descendants, with their states."""
    children = {}
    for name in os.listdir("/proc"):
        found = stat_of(name) if name.isdigit() else None
        if found:
            children.setdefault(found[0], []).append((int(name), found[1]))
    own = stat_of(root)
    whole = [(root, own[1])] if own else []
    for pid, _ in whole:
        whole += children.get(pid, [])
    return whole


def tree_mb(root):
    """Resident memory of all of them. Shared pages are counted in each process,
    so the sum is an upper bound."""
    total = 0
    for pid, _ in tree(root):
        try:
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                total += int(file.read().split()[1])
        except OSError:
            pass
    return total * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def cpu_seconds(root):
    """CPU time of a process, and of all its descendants, including those that
    have ended."""
    def times(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii",
                      errors="replace") as file:
                words = file.read().rpartition(")")[2].split()[11:15]
        except OSError:
            return 0.0, 0.0
        ticks = [int(w) / os.sysconf("SC_CLK_TCK") for w in words]
        return ticks[0] + ticks[1], ticks[2] + ticks[3]
    own, reaped = times(root)
    return own, reaped + sum(sum(times(pid)) for pid, _ in tree(root)[1:])


def machine_seconds():
    """CPU time of all processes of the machine."""
    with open("/proc/stat", encoding="ascii") as file:
        words = [int(w) for w in file.readline().split()[1:]]
    idle = words[3] + words[4]
    return (sum(words[:7]) - idle) / os.sysconf("SC_CLK_TCK")


def zombies(root):
    return [pid for pid, state in tree(root) if state == "Z"]


def worker_pids(root):
    """Children of the server that are workers."""
    found = []
    for pid, state in tree(root)[1:]:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if state != "Z" and b"worker" in words[1:2]:
            found.append(pid)
    return found
