"""A server with default limits under every attack of attacks_*.py at once,
while two honest analysts ask a charged question every second and log in again
every few seconds, through PostgreSQL and HTTP. What must hold:

  * every honest question is answered, and every honest login takes at most a
    second;
  * the 99th percentile of honest answer times is at most three times that of
    the idle server, measured just before;
  * the memory of the whole process tree stays below a bound that follows from
    the limits, and is printed;
  * no cancel is lost;
  * on SIGTERM, still attacked, the server ends within --stop-seconds;
  * every private answer, of honest and hostile analysts, has its charge in the
    ledger, and the chain of the ledger verifies.

The attacks are bounded in number and rate: each has a fixed number of
connections and pauses between its rounds, and they share two processes at nice
10. So on a machine with two processors the attackers' own CPU use starves
neither the server nor the honest clients, which run in a separate process: what
the honest clients lose, they lose inside the server. All connections are on
loopback; attackers use other addresses (127.0.1.x) than honest clients
(127.0.0.1), since a limit per address may block an attacker's address.
Everything ends by itself.

    python3 test/siege/siege.py [--seconds 600] [--only NAME,...] [--each]

SIEGE_SECONDS has the same meaning as --seconds. With --each every attack runs
alone against a new server, and one line says what it did.
"""
import argparse
import asyncio
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import attackers  # noqa: F401 pylint: disable=unused-import
from attack import ATTACKS
from honest import Honest, percentile
from sites import (HONEST, HOSTILE, DemoStore, Server, call, cpu_seconds,
                   machine_seconds, run, tree_mb)

HERE = os.path.dirname(os.path.abspath(__file__))
PROCESSES = 2
SAMPLE_SECONDS = 0.3

RATIO_MOST = 3
LOGIN_MOST = 1.0  # seconds
OTHERS_MOST = 0.3  # cores
# The siege is aborted if the process tree uses more than this share of the
# memory that was free: other processes must not suffer.
GUARD_PART = 0.6


def serve_default(option, missing):
    """The default of an option, as in `custos serve --help`."""
    said = run("serve", "--help").stdout.decode()
    found = re.search(rf"{option} .*?\((\d+)[ \w]*\)", said, re.S)
    return int(found.group(1)) if found else missing


def physical_mb():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20


def available_mb():
    with open("/proc/meminfo", encoding="ascii") as file:
        return int(re.search(r"MemAvailable:\s+(\d+)", file.read()).group(1)
                   ) >> 10


def memory_bound():
    """The terms of the bound on the memory of the process tree, in MB, from the
    default limits (serve_limits_default)."""
    analysts = len(HONEST) + len(HOSTILE)
    threads = 16 * os.cpu_count()
    return {
        "server at rest": 256,
        "workers, half of the machine's": physical_mb() // 2,
        "one free reply of 16 MB for each thread": 16 * threads,
        "sessions": serve_default("--max-connections", 2000) // 16,
        "replies not read, 64 MB an analyst": 64 * analysts,
        "prepared statements, 128 MB an analyst": 128 * analysts,
    }


# ------------------------------------------------------------------ attackers --

class Attackers:
    """The processes that attack, and what they report at their end."""

    def __init__(self, server, store, names, seconds, seed):
        target = {"pg": server.pg, "http": server.http, "seconds": seconds,
                  "passwords": {n: store.passwords[n] for n in HOSTILE},
                  "tokens": {n: store.tokens[n] for n in HOSTILE},
                  "hostile": HOSTILE, "seed": seed}
        self.processes = []
        for i in range(min(PROCESSES, len(names))):
            self.processes.append(subprocess.Popen(
                [sys.executable, os.path.join(HERE, "attackers.py")],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            self.processes[-1].stdin.write(json.dumps(
                {**target, "attacks": names[i::PROCESSES]}) + "\n")
            self.processes[-1].stdin.flush()

    def end(self):
        """The reports of all attacks."""
        reports = []
        for process in self.processes:
            try:
                said, _ = process.communicate(timeout=60)
                reports += json.loads(said)
            except (subprocess.TimeoutExpired, ValueError) as error:
                process.kill()
                process.wait()
                reports.append({"name": "?", "who": "", "seen": {},
                                "receipts": [], "slowest": 0, "cpu": 0,
                                "fault": repr(error)})
        return reports


# ---------------------------------------------------------------------- siege --

class Siege:
    """One server, attacked once."""

    def __init__(self, store, names, seconds, seed, idle_seconds, options=()):
        self.store, self.names, self.seconds = store, names, seconds
        self.seed, self.idle_seconds = seed, idle_seconds
        self.server = Server(store.path, *options, times=True)
        self.clients, self.idle = [], []
        self.peak_mb, self.died = 0.0, None
        self.guard_mb = GUARD_PART * available_mb()
        self.stop_took, self.reports = None, []
        self.lags, self.cpu = [0.0], (0.0, 0.0, 0.0)
        self.uncharged, self.chain = None, None
        self.late = {}

    def honest(self):
        return [Honest(self.server, self.store, who, by_http)
                for who in HONEST for by_http in (False, True)]

    async def watch(self):
        """Watches the memory of the process tree, and whether the server
        lives."""
        while True:
            self.peak_mb = max(self.peak_mb, await asyncio.to_thread(
                tree_mb, self.server.process.pid))
            if self.server.process.poll() is not None:
                self.died = f"it ended with {self.server.process.returncode}"
            elif self.peak_mb > self.guard_mb:
                self.died = f"its memory passed {self.guard_mb:.0f} MB"
            if self.died:
                return
            await asyncio.sleep(SAMPLE_SECONDS)

    async def watch_lag(self):
        """Measures how late this process itself is, which limits how precisely
        it can time the server."""
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            self.lags.append(time.monotonic() - began - 0.01)

    def cpu_used(self):
        """CPU time of the server, its workers and the machine."""
        return (*cpu_seconds(self.server.process.pid), machine_seconds())

    def cpu_others(self):
        """Cores used by processes outside this siege."""
        return (self.cpu[2] - self.cpu[0] - self.cpu[1] - self.cpu_attackers()
                - time.process_time() / (self.seconds + self.idle_seconds))

    def cpu_attackers(self):
        return sum(r["cpu"] for r in self.reports) / self.seconds

    async def ask_for(self, clients, seconds, every):
        """Asks honest questions, the clients in turn, until the time is up."""
        start = time.monotonic()
        end = start + seconds

        def until():
            return 0 if self.died else end
        await asyncio.gather(*(
            c.repeat(start + every * i / len(clients), every, until)
            for i, c in enumerate(clients)))

    async def run(self):
        self.idle, self.clients = self.honest(), self.honest()
        watching = asyncio.create_task(self.watch())
        await self.ask_for(self.idle, self.idle_seconds, 0.5)
        enemies = Attackers(self.server, self.store, self.names,
                            self.seconds + 120, self.seed)
        lagging = asyncio.create_task(self.watch_lag())
        before = self.cpu_used()
        try:
            # Each analyst alternates between the protocols: one question a
            # second.
            await self.ask_for(self.clients, self.seconds, 2.0)
            watching.cancel()
            lagging.cancel()
            self.cpu = [(b - a) / self.seconds for a, b in zip(
                before, self.cpu_used())]
            self.late = await asyncio.to_thread(self.late_questions)
            self.stop_took = await asyncio.to_thread(self.stop)
        finally:
            self.reports = await asyncio.to_thread(enemies.end)

    def late_questions(self):
        """How many questions, honest and hostile, ran out of time, and how many
        were not begun in time, by the server's metrics."""
        if self.died:
            return {}
        said = call(self.server.http, "GET", "/metrics",
                    token=self.store.tokens[""]).bytes.decode()
        return {word: int(re.search(rf"^custos_{name}_total (\d+)$", said,
                                    re.M).group(1))
                for word, name in (("overruns", "tripwire_overruns"),
                                   ("delayed", "questions_delayed"))}

    def stop(self):
        """Seconds until the server ended after SIGTERM; None if it had to be
        killed."""
        if self.died:
            self.server.process.kill()
            self.server.process.wait()
            return None
        began = time.monotonic()
        self.server.process.send_signal(signal.SIGTERM)
        try:
            self.server.process.wait(
                serve_default("--stop-seconds", 30) + 15)
        except subprocess.TimeoutExpired:
            self.server.process.kill()
            self.server.process.wait()
            return None
        return time.monotonic() - began

    # ----------------------------------------------------------------- after

    def answers(self):
        return [a for c in self.clients + self.idle for a in c.answers]

    def check_ledger(self):
        """Counts answers without their charge, and verifies the chain."""
        done = run("ledger", "verify", "--store", self.store.path)
        self.chain = done.returncode == 0
        rows = json.loads(
            self.store.custos("ledger", "list", "--json"))["rows"]
        charges = {r["receipt"]: r for r in rows if r["what"] == "charge"}
        bad = 0
        for a in self.answers():
            row = charges.get(a.receipt)
            bad += row is None or (row["who"], row["query"]) != (a.who, a.sql)
        for report in self.reports:
            for receipt in report["receipts"]:
                row = charges.get(receipt)
                bad += row is None or row["who"] not in HOSTILE
        self.uncharged = bad

    def figures(self):
        """All measurements, with names and units."""
        idle = [a.seconds for c in self.idle for a in c.answers]
        busy = [a.seconds for c in self.clients for a in c.answers]
        logins = [s for c in self.clients for s in c.logins]
        idle99 = percentile(idle, 0.99) if idle else float("nan")
        busy99 = percentile(busy, 0.99) if busy else float("inf")
        return {
            "answers": (len(busy), "answers"),
            "missing": (sum(len(c.missing) for c in self.clients), "answers"),
            "idle_p99": (1000 * idle99, "ms"),
            "p99": (1000 * busy99, "ms"),
            "p99_over_idle": (busy99 / idle99, "ratio"),
            "login_slowest": (max(logins, default=float("inf")), "s"),
            "memory": (self.peak_mb, "MB"),
            "memory_bound": (sum(memory_bound().values()), "MB"),
            "stop": (float("inf") if self.stop_took is None
                     else self.stop_took, "s"),
            "cancels_lost": (sum(r["seen"].get("cancels lost", 0)
                                 for r in self.reports), "cancels"),
            "hostile_answers": (sum(len(r["receipts"]) for r in self.reports),
                                "answers"),
            "uncharged": (self.uncharged, "answers"),
            **{word: (n, "questions") for word, n in self.late.items()},
            "chain_whole": (int(bool(self.chain)), "of 1"),
            "attacks": (len(self.names), "attacks"),
            # Who used the CPU, and how late the honest process itself was.
            "cpu_server": (self.cpu[0], "cores"),
            "cpu_workers": (self.cpu[1], "cores"),
            "cpu_attackers": (self.cpu_attackers(), "cores"),
            "cpu_others": (self.cpu_others(), "cores"),
            "client_lag_p99": (1000 * percentile(self.lags, 0.99), "ms"),
        }

    def violations(self, timed):
        """What must hold and did not. The times of answers and logins are
        judged only if `timed`: nothing else may use the machine then."""
        f = {name: value for name, (value, _) in self.figures().items()}
        stop_most = serve_default("--stop-seconds", 30)
        found = [
            (self.died, f"the server did not last: {self.died}"),
            (f["missing"], f"{f['missing']} honest answers are missing, "
             f"such as {[m for c in self.clients for m in c.missing][:2]}"),
            (not f["answers"], "no honest question was asked"),
            (timed and not f["p99_over_idle"] <= RATIO_MOST,
             f"honest answers take {f['p99_over_idle']:.1f} times as long"),
            (timed and f["login_slowest"] > LOGIN_MOST,
             f"a login took {f['login_slowest']:.1f} s"),
            (f["memory"] > f["memory_bound"],
             f"the tree had {f['memory']:.0f} MB"),
            (f["stop"] > stop_most, f"SIGTERM took {f['stop']:.1f} s"),
            (not self.died and self.server.process.returncode,
             f"the server ended with {self.server.process.returncode}"),
            (f["cancels_lost"], f"{f['cancels_lost']} cancels were lost"),
            (f["uncharged"] != 0, f"{f['uncharged']} answers are not charged"),
            (not self.chain, "the ledger does not verify"),
        ] + [(r["fault"], f"{r['name']}: {r['fault']}") for r in self.reports
             ] + [(not reached(r), f"{r['name']} did not reach the server")
                  for r in self.reports]
        return [words for bad, words in found if bad]

    def close(self):
        if self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.wait()


def reached(report):
    """Whether an attack got anything but rejected connections."""
    return any(n for what, n in report["seen"].items()
               if what != "rounds" and "Refused" not in what)


def siege(store, names, seconds, seed, idle_seconds, options=()):
    """Runs and checks; returns the result."""
    one = Siege(store, names, seconds, seed, idle_seconds, options)
    try:
        asyncio.run(one.run())
        one.check_ledger()
    finally:
        one.close()
    return one


# --------------------------------------------------------------------- report --

def print_reports(one):
    for r in sorted(one.reports, key=lambda r: r["name"]):
        words = ", ".join(f"{k} {v}" for k, v in sorted(r["seen"].items()))
        print(f"  {r['name']:18} {words}; slowest {r['slowest']:.1f} s")


def print_figures(one):
    for name, mb in memory_bound().items():
        print(f"  bound: {name} {mb} MB")
    for name, (value, unit) in one.figures().items():
        shown = value if isinstance(value, int) else f"{value:.3g}"
        print(f"bench: siege_{name} {shown} {unit}")


def each(store, names, given):
    """Runs every attack alone; returns how many did harm."""
    harmful = 0
    for name in names:
        one = siege(store, [name], given.seconds, given.seed, 5)
        found = one.violations(True)
        harmful += bool(found)
        f = {key: value for key, (value, _) in one.figures().items()}
        print(f"{name:18} p99 {f['p99']:.0f} ms of {f['idle_p99']:.0f}, "
              f"login {f['login_slowest']:.2f} s, {f['memory']:.0f} MB, "
              f"stop {f['stop']:.1f} s: {'; '.join(found) or 'withstood'}")
        if given.verbose:
            print_reports(one)
        sys.stdout.flush()
    return harmful


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--seconds", type=float, default=float(
        os.environ.get("SIEGE_SECONDS", "600")))
    words.add_argument("--people", type=int, default=20000)
    words.add_argument("--seed", type=int, default=random.getrandbits(32))
    words.add_argument("--only", default="")
    words.add_argument("--each", action="store_true")
    words.add_argument("--verbose", action="store_true")
    words.add_argument("--log", help="where to keep the server's log")
    given = words.parse_args()
    names = [n for n in given.only.split(",") if n] or list(ATTACKS)
    print(f"seed {given.seed}; {len(names)} attacks", flush=True)
    store = DemoStore(given.people)
    try:
        if given.each:
            sys.exit(each(store, names, given) > 0)
        one = siege(store, names, given.seconds, given.seed,
                    min(60, given.seconds / 2))
    finally:
        store.close()
    found = one.violations(True)
    if given.log:
        pathlib.Path(given.log).write_text(one.server.said(), encoding="utf-8")
    print_reports(one)
    for what in found:
        print(f"violation: {what}")
    if one.cpu_others() > OTHERS_MOST:
        print("other processes use the machine: times say little")
    print_figures(one)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
