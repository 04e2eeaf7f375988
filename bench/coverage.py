"""Measures how often the error bars of complete answers contain the exact value.

Every answer comes from `custos query`, so all of the path is measured: three data
sets, Laplace noise (a price in epsilon) and Gaussian noise (in rho), about 10^4
values each. The exact values are computed here from the same files; each person
has one row, so nothing is lost by bounding. Averages, ratios, variances and medians
are judged in groups whose size exceeds four deviations of its noise. Answers without
an interval count as covered. Values of one answer can share noise (marginals, and the
variance and average of one group), and values of several answers about one group share
the group; else they are independent, with a sampling deviation of 0.2 %.

    cover_KIND_SET_NOISE    per cent, and the range that it should be in

The range is 95 +- 1 for counts, sums, averages and marginals, whose noise has a
scale of 10 steps or more; one-sided for the others, whose bars may cover more:
ratios 94 and more, variances and medians 95 and more. 4 sampling deviations
(0.9 at 10^4 values) are allowed besides.

    python3 bench/coverage.py [--values 10000] [--kind KIND ...]
"""
import argparse
import collections
import csv
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("CUSTOS_DATA", ROOT.parent / "shared/data"))
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
    return [(draw.randrange(1000), draw.randrange(100),
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
                             "AGEP", "RAC1P")


def ask(store, sql, price, keys):
    """Rows of an answer: the keys, and the interval; None: it has none."""
    done = subprocess.run(
        [CUSTOS, "query", "--store", store, "--format", "csv", *price, sql],
        check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"coverage: {sql}: {done.stderr}")
    for row in list(csv.reader(done.stdout.splitlines()))[1:]:
        key = tuple(int(cell) if cell else None for cell in row[:keys])
        ends = row[keys + 1:keys + 3]
        yield key, tuple(map(float, ends)) if all(ends) else None


def covered(store, sql, price, exact, values):
    """The share of intervals that contain the exact value, of so many."""
    name, at = price
    inside = total = run = 0
    keys = len(next(iter(exact)))
    while total < values:
        run += 1 # another price is another question, so its noise is new
        for key, ends in ask(store, sql, (name, f"{at + run * 1e-9:.9f}"), keys):
            if key in exact:
                low, high = ends or (-math.inf, math.inf)
                slack = 1e-9 * max(1, abs(exact[key]))
                inside += low - slack <= exact[key] <= high + slack
                total += 1
        if sys.stderr.isatty():
            print(f"\r{sql[:60]}: {min(total, values)} of {values} ", end="",
                  file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return inside / total, total


def kinds_of(rows, most):
    """For each kind: its query, prices paid for how many parts, the exact values by
    key, and the least and largest coverage."""
    size, total = collections.Counter(), collections.Counter()
    groups, marginals = collections.defaultdict(list), collections.Counter()
    for k, g, x in rows:
        size[k] += 1
        total[k] += x
        groups[g].append(x)
        for key in ((k, None), (None, g), (None, None)):
            marginals[key] += 1
    keys = range(most[0] + 1)
    large = {(g,): v for g, v in groups.items() if len(v) >= LEAST_ROWS}
    means = {g: sum(v) / len(v) for g, v in large.items()}
    for k in keys:
        marginals[k, None] += 0
    by_k, by_g = "SELECT k, {} FROM t GROUP BY k", "SELECT g, {} FROM t GROUP BY g"
    yield "count", by_k.format("count(*)"), 1, {(k,): size[k] for k in keys}, 94, 96
    yield "sum", by_k.format("sum(x)"), 1, {(k,): total[k] for k in keys}, 94, 96
    yield "avg", by_g.format("avg(x)"), 2, means, 94, 96
    yield ("marginals", "SELECT k, g, count(*) FROM t GROUP BY GROUPING SETS "
           "((k), (g), ())", 1, dict(marginals), 94, 96)
    yield "ratio", by_g.format("2.0 * sum(x) / count(*)"), 2, {
        g: 2 * m for g, m in means.items()}, 94, 100
    yield "variance", by_g.format("var_pop(x)"), 2, {
        g: sum((x - means[g]) ** 2 for x in v) / len(v)
        for g, v in large.items()}, 95, 100
    yield "median", by_g.format("median(x)"), 2, {
        g: sorted(v)[(len(v) - 1) // 2] for g, v in large.items()}, 95, 100


def judge(name, rows, values, wanted):
    most = [max(r[i] for r in rows) for i in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        with open(at / "t.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([("k", "g", "x"), *rows])
        (at / "policy.yaml").write_text(
            POLICY.format(n=len(rows), k=most[0], g=most[1], x=most[2]))
        store = str(at / "store")
        subprocess.run([CUSTOS, "init", str(at / "policy.yaml"), "--store", store],
                       check=True, stdout=subprocess.DEVNULL)
        for noise, (option, *prices) in PRICES.items():
            for kind, sql, parts, exact, least, largest in kinds_of(rows, most):
                if wanted and kind not in wanted:
                    continue
                share, n = covered(store, sql, (option, prices[parts - 1]), exact,
                                   values)
                slack = 400 * math.sqrt(0.05 * 0.95 / n)
                print(f"bench: cover_{kind}_{name}_{noise} {100 * share:.2f} % "
                      f"({least - slack:.1f} .. {min(largest + slack, 100):.1f})",
                      flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=int, default=10000)
    parser.add_argument("--kind", nargs="*", default=[])
    given = parser.parse_args()
    for name, rows in data_sets():
        judge(name, rows, given.values, given.kind)


if __name__ == "__main__":
    main()
