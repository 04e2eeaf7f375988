"""Measures the server's throughput and memory, with pgbench on loopback.

    serve_cached_qps     cached answers per second, 32 clients
    serve_charged_qps    new questions per second, each charged on disk before
                         it is answered, with public reply times; 64 clients,
                         since each waits until its reply may leave
    serve_grouped_qps    the same for a query with GROUP BY and public groups
    serve_p99_over_p50   ratio of these percentiles of the charged reply times
    serve_overruns       questions that were killed because their time was up
    serve_delayed        questions that were not begun because they were late
    serve_idle1000_mb    memory that 1,000 idle connections add to the process
    serve_worker_mb      memory of an idle worker process (PSS)
    serve_replaced_ms    from the death of the only worker for short questions
                         to the answer of the next such question

    python3 bench/serve.py [--seconds 10]
"""
import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test/cli"))

from serving import Server, Store, call, need_module  # noqa: E402

psycopg2 = need_module("psycopg2")

CLIENTS = {"cached": 32, "charged": 64}
CACHED = "SELECT count(*) FROM patients;\n"
GROUPED = """\\set x random(1, 1000000000)
SELECT sex, count(*) FROM patients WHERE born <> :x GROUP BY sex;
"""
CHARGED = """\\set x random(1, 1000000000)
SELECT count(*) FROM patients WHERE born <> :x;
"""


def pgbench(server, store, script, seconds, kind="charged", log=None):
    """Transactions per second and, with `log`, their sorted times in ms."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "ask.sql"
        path.write_text(script)
        more = ["-l"] if log else []
        done = subprocess.run(
            ["pgbench", "-n", "-M", "prepared", "-c", str(CLIENTS[kind]), "-j", "2",
             "-T", str(seconds), "-f", str(path), *more],
            check=False, text=True, cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PGHOST": "127.0.0.1",
                 "PGPORT": str(server.pg), "PGUSER": "ana",
                 "PGPASSWORD": store.passwords["ana"],
                 "PGDATABASE": "custos",
                 "PGOPTIONS": "-c custos.epsilon=0.001 "
                              "-c client_min_messages=warning"})
        # exit code 2: a question failed and its client ended
        if done.returncode not in (0, 2) or "tps = " not in done.stdout:
            raise RuntimeError(done.stderr)
        times = [int(line.split()[2]) / 1000
                 for name in pathlib.Path(folder).glob("pgbench_log*")
                 for line in name.read_text().splitlines()]
    rate = float(re.search(r"tps = ([\d.]+)", done.stdout).group(1))
    return rate, sorted(times)


def resident_mb(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


def children(process):
    return [int(pid) for pid in subprocess.run(
        ["pgrep", "-P", str(process.pid)], text=True, stdout=subprocess.PIPE,
        check=True).stdout.split()]


def worker_mb(process):
    """The mean memory (PSS) of the server's worker processes."""
    sizes = [int(re.search(r"Pss:\s+(\d+) kB", pathlib.Path(
        f"/proc/{child}/smaps_rollup").read_text()).group(1)) / 1024
             for child in children(process)]
    return sum(sizes) / len(sizes)


def replaced_ms(store):
    """The median time from killing all workers to the next answer."""
    server = Server(store.path, "--workers", "1")
    times = []
    try:
        connection = psycopg2.connect(
            host="127.0.0.1", port=server.pg, user="ana",
            password=store.passwords["ana"], dbname="custos")
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("SET custos.epsilon = 0.001")
            for i in range(20):
                time.sleep(1)
                for child in children(server.process):
                    os.kill(child, signal.SIGKILL)
                began = time.monotonic()
                time.sleep(0.005)  # lets the server notice their death
                cursor.execute("SELECT count(*) FROM patients "
                               f"WHERE born <> -{i}")
                times.append(1000 * (time.monotonic() - began))
        connection.close()
    finally:
        server.stop()
    return statistics.median(times)


def metric(server, store, name):
    text = call(server.http, "GET", "/metrics", token=store.tokens[""]).bytes
    return int(re.search(rf"^custos_{name} (\d+)$", text.decode(),
                         re.M).group(1))


def idle(server, store):
    """Memory that 1,000 idle sessions add, each logged in."""
    before = resident_mb(server.process)
    held = [psycopg2.connect(
        host="127.0.0.1", port=server.pg, user="ana",
        password=store.passwords["ana"], dbname="custos")
            for _ in range(1000)]
    after = resident_mb(server.process)
    for connection in held:
        connection.close()
    return after - before


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--seconds", type=int, default=10)
    seconds = words.parse_args().seconds
    store = Store(people=2000)
    server = Server(store.path, times=True)
    try:
        worker = worker_mb(server.process)
        pgbench(server, store, CACHED, 1, "cached")
        cached, _ = pgbench(server, store, CACHED, seconds, "cached")
        charged, times = pgbench(server, store, CHARGED, seconds, log=True)
        grouped, _ = pgbench(server, store, GROUPED, seconds)
        late = metric(server, store, "tripwire_overruns_total")
        delayed = metric(server, store, "questions_delayed_total")
        more = idle(server, store)
        server.stop()
        replaced = replaced_ms(store)
    finally:
        if server.process.poll() is None:
            server.stop()
        store.close()
    p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    print(f"cached   {cached:10.0f} answers a second\n"
          f"charged  {charged:10.0f} answers a second, "
          f"p50 {p50:.1f} ms, p99 {p99:.1f} ms\n"
          f"grouped  {grouped:10.0f} answers a second\n"
          f"idle     {more:10.1f} MB for 1,000 connections")
    print(f"bench: serve_cached_qps {cached:.0f} q/s")
    print(f"bench: serve_charged_qps {charged:.0f} q/s")
    print(f"bench: serve_grouped_qps {grouped:.0f} q/s")
    print(f"bench: serve_overruns {late} questions")
    print(f"bench: serve_delayed {delayed} questions")
    print(f"bench: serve_worker_mb {worker:.1f} MB")
    print(f"bench: serve_replaced_ms {replaced:.0f} ms")
    print(f"bench: serve_p99_over_p50 {p99 / p50:.2f} ratio")
    print(f"bench: serve_idle1000_mb {more:.1f} MB")


if __name__ == "__main__":
    main()
