"""Measures how often the error bars of complete answers contain the exact value.

Every answer comes from `custos query`, so all of the path is measured: three data
sets, Laplace noise (a price in epsilon) and Gaussian noise (in rho), about 10^4
values each. The exact values are computed here from the same files; each person
has one row, so nothing is lost by bounding. Averages are judged in groups whose
size exceeds four deviations of its noise. The sampling deviation is 0.2 %.

    cover_count_SET_NOISE   counts, likewise cover_sum_... and cover_avg_...

    python3 bench/coverage.py [--values 10000]
"""
import argparse
import collections
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared/data"
CUSTOS = os.environ.get("CUSTOS", str(ROOT / "build/custos"))
# The prices, and the least size of a group whose average is judged: its noise
# deviates by 14 rows at epsilon 0.2 (half of it pays for the count), by 10 in rho.
PRICES = {"laplace": ("--epsilon", 0.1, 0.2), "gauss": ("--rho", 0.005, 0.01)}
LEAST_ROWS = 60

POLICY = """custos: 2
budget: {{epsilon: 1000000, delta: 1e-9, n: {n}}}
query: {{epsilon: 1, max_epsilon: 1, max_rho: 1, min_epsilon: 0, min_rho: 0}}
tables:
  t:
    source: t.csv
    max_rows: 200000
    unit: row
    columns:
      k: {{type: integer, range: [0, {k}], nullable: false}}
      g: {{type: integer, range: [0, {g}], nullable: false}}
      x: {{type: integer, range: [0, {x}], nullable: false}}
"""


def made_rows():
    draw = random.Random(17)
    return [(draw.randrange(1000), draw.randrange(20),
             min(1000, int(draw.expovariate(1 / 150)))) for _ in range(50000)]


def rows_of(path, k, g, x):
    """The columns g and x of a file, and k, whose last factor is its own key."""
    with open(DATA / path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sizes = [max(int(r[name]) for r in rows) + 1 for name in k[1:]]
    out = []
    for r in rows:
        key = int(r[k[0]])
        for name, size in zip(k[1:], sizes):
            key = key * size + int(r[name])
        out.append((key, int(r[g]), int(r[x])))
    return out


def data_sets():
    yield "made", made_rows()
    if DATA.exists():
        yield "adult", rows_of("adult/adult.csv", ("age", "education-num"),
                               "age", "hours-per-week")
        yield "acs", rows_of("nist-acs/tx2019.csv", ("AGEP", "RAC1P", "SEX"),
                             "RAC1P", "AGEP")


def ask(store, sql, price):
    done = subprocess.run(
        [CUSTOS, "query", "--store", store, "--format", "csv", *price, sql],
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"coverage: {sql}: {done.stderr}")
    for row in list(csv.reader(done.stdout.splitlines()))[1:]:
        yield int(row[0]), *(float(cell) for cell in row[1:4])


def covered(store, sql, price, exact, values):
    """The share of intervals that contain the exact value, of so many."""
    name, at = price
    inside = total = run = 0
    while total < values:
        run += 1 # another price is another question, so its noise is new
        for key, _, low, high in ask(store, sql, (name, f"{at + run * 1e-9:.9f}")):
            if key in exact:
                inside += low - 1e-9 <= exact[key] <= high + 1e-9
                total += 1
        if sys.stderr.isatty():
            print(f"\r{sql[:60]}: {min(total, values)} of {values} ", end="",
                  file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return inside / total


def judge(name, rows, values):
    most = [max(r[i] for r in rows) for i in range(3)]
    size, total = collections.Counter(), collections.Counter()
    means = collections.defaultdict(list)
    for k, g, x in rows:
        size[k] += 1
        total[k] += x
        means[g].append(x)
    keys = range(most[0] + 1)
    large = {g: sum(v) / len(v) for g, v in means.items() if len(v) >= LEAST_ROWS}
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        with open(at / "t.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("k", "g", "x"), *rows])
        (at / "policy.yaml").write_text(
            POLICY.format(n=len(rows), k=most[0], g=most[1], x=most[2]))
        store = str(at / "store")
        subprocess.run([CUSTOS, "init", str(at / "policy.yaml"), "--store", store],
                       check=True, stdout=subprocess.DEVNULL)
        for noise, (option, one, two) in PRICES.items():
            for kind, sql, price, exact in (
                    ("count", "SELECT k, count(*) FROM t GROUP BY k", one,
                     {k: size[k] for k in keys}),
                    ("sum", "SELECT k, sum(x) FROM t GROUP BY k", one,
                     {k: total[k] for k in keys}),
                    ("avg", "SELECT g, avg(x) FROM t GROUP BY g", two, large)):
                share = covered(store, sql, (option, price), exact, values)
                print(f"bench: cover_{kind}_{name}_{noise} {100 * share:.2f} %",
                      flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=int, default=10000)
    values = parser.parse_args().values
    for name, rows in data_sets():
        judge(name, rows, values)


if __name__ == "__main__":
    main()
