"""Synthetic data by mbi (private-pgm), to compare with `synth`.

MST at epsilon 1, delta 1e-9 on the adult data below CUSTOS_DATA (../shared/data), by the
three steps of its paper (McKenna, Miklau, Sheldon 2021), each for a third of rho: measure
the columns and merge their rare codes, choose a tree of pairs, measure these. mbi fits
the model and draws the rows; it has no mechanisms itself. The noise is numpy's, which
suffices on public data only. Prints how to get mbi if it is not installed.

    synth_mbi_adult_mst_l1    as synth_adult_mst_l1: the mean l1 distance between the
                              shares of the data and of the rows, over all sets of
                              three columns (0 to 2), of all runs
    synth_mbi_adult_mst_s     median seconds of a run, without reading; most of them are
                              jax's, which compiles for each tree anew

    python3 bench/synth_mbi.py [RUNS]
"""
import argparse
import csv
import itertools
import json
import math
import os
import pathlib
import statistics
import sys
import time

# What mbi recommends.
os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_ENABLE_COMPILATION_CACHE", "0")
try:
    from mbi import Dataset, Domain, LinearMeasurement
    from mbi.estimation import MirrorDescent, minimum_variance_unbiased_total
    import numpy as np
except ImportError as error:
    print(f"synth_mbi: no mbi to compare with ({error}): pip install mbi")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("CUSTOS_DATA", ROOT.parent / "shared/data"))
RHO = 0.01497305 # epsilon 1, delta 1e-9
RARE = 3 # standard deviations of the noise
# Of mirror descent, as private-pgm's own MST has them.
STEPS_COLUMNS, STEPS = 1000, 5000


def read_adult():
    folder = DATA / "aim-adult"
    sizes = json.loads((folder / "adult-domain.json").read_text(encoding="utf-8"))
    with open(folder / "adult.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    codes = np.array(rows, dtype=int)
    return Dataset(dict(zip(header, codes.T)),
                   Domain(header, [sizes[name] for name in header]))


def counts(data, columns):
    return np.asarray(data.project(columns).datavector())


def measure(data, sets, rho):
    """Noisy tables of these sets of columns, for rho together."""
    sigma = math.sqrt(len(sets) / (2 * rho))
    tables = [counts(data, columns) for columns in sets]
    return [LinearMeasurement(x + np.random.normal(0, sigma, x.size), columns, sigma)
            for columns, x in zip(sets, tables)]


def merge_rare(table):
    """The new code of each code of a column: the rare ones share the last."""
    common = table.noisy_measurement >= RARE * table.stddev
    return np.where(common, np.cumsum(common) - 1, np.sum(common))


def choose_pairs(data, columns_alone, rho):
    """A tree of pairs, by Kruskal's algorithm: the exponential mechanism chooses each
    among those that join two components, by its distance from independence."""
    names = data.domain.attributes
    epsilon = math.sqrt(8 * rho / (len(names) - 1))
    alone = {name: counts(columns_alone, (name,)) for name in names}
    score = {(a, b): np.abs(counts(data, (a, b)) - np.outer(alone[a], alone[b]).ravel()
                            / columns_alone.total).sum()
             for a, b in itertools.combinations(names, 2)}
    component = {name: name for name in names}
    tree = []
    while len(tree) < len(names) - 1:
        among = [pair for pair in score if component[pair[0]] != component[pair[1]]]
        chances = [epsilon / 2 * score[pair] for pair in among]
        pair = among[np.argmax(chances + np.random.gumbel(size=len(among)))]
        tree.append(pair)
        old, new = (component[name] for name in pair)
        component = {name: new if c == old else c for name, c in component.items()}
    return tree


def mst(data, rho):
    columns = measure(data, [(name,) for name in data.domain], rho / 3)
    total = minimum_variance_unbiased_total(columns) # mbi finds none in merged ones
    merged = {table.clique[0]: merge_rare(table) for table in columns}
    columns = [table.compress(merged, data.domain) for table in columns]
    data = data.compress(merged)
    model = MirrorDescent().estimate(data.domain, columns, total, iters=STEPS_COLUMNS)
    pairs = measure(data, choose_pairs(data, model, rho / 3), rho / 3)
    model = MirrorDescent().estimate(data.domain, columns + pairs, total, iters=STEPS)
    return model.synthetic_data().decompress(merged)


def mean_distance(data, rows):
    return statistics.mean(
        np.abs(counts(data, three) / data.records
               - counts(rows, three) / rows.records).sum()
        for three in itertools.combinations(data.domain.attributes, 3))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=int, nargs="?", default=3)
    runs = parser.parse_args().runs
    if not (DATA / "aim-adult").exists():
        return
    data = read_adult()
    errors, seconds = [], []
    for _ in range(runs):
        before = time.perf_counter()
        rows = mst(data, RHO)
        seconds.append(time.perf_counter() - before)
        errors.append(mean_distance(data, rows))
        print(f"mbi: error {errors[-1]:.4f}, {seconds[-1]:.2f} s, {rows.records} rows",
              file=sys.stderr)
    print(f"bench: synth_mbi_adult_mst_l1 {statistics.mean(errors):.4g} l1")
    print(f"bench: synth_mbi_adult_mst_s {statistics.median(seconds):.4g} s")


if __name__ == "__main__":
    main()
