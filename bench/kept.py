"""Measures how many rows the bound on a unit's rows keeps after WHERE.

Every person has visits of which some pass WHERE, and at most ROWS of a person's
rows count. The answer to a join and to IN (SELECT ...), at an epsilon at which
noise does not matter, as a ratio to what the bound allows: the sum over people of
min(passing, ROWS). One join is along a declared reference, two on a column that is only
seen to be unique, with the condition in WHERE and in ON. Beside it the same with `bound: before-where`, the old way.

    kept_SHAPE_SET          after WHERE
    kept_SHAPE_SET_before   bounded by rank among all rows

    python3 bench/kept.py
"""
import csv
import os
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CUSTOS = os.environ.get("CUSTOS", str(ROOT / "build/custos"))
ROWS = 20
PEOPLE = 2000

POLICY = """custos: 2
budget: {{epsilon: 100000, delta: 1e-9, n: 2000}}
query: {{epsilon: 1000, max_epsilon: 1000}}
tables:
  people:
    source: people.csv
    max_rows: 3000
    unit: id
    columns:
      id: {{type: integer, nullable: false}}
  visits:
    source: visits.csv
    max_rows: 1000000
    unit: person
    rows_per_unit: {rows}
    bound: {bound}
    columns:
      person: {{type: integer, references: people.id}}
      kind: {{type: integer, references: kinds.number, nullable: false}}
  kinds:
    source: kinds.csv
    public: true
    columns:
      number: {{type: integer}}
      wanted: {{type: boolean}}
  sorts:                              # as kinds, but nothing references it
    source: kinds.csv
    public: true
    columns:
      number: {{type: integer}}
      wanted: {{type: boolean}}
"""

QUERIES = {
    "join": "SELECT count(*) FROM visits JOIN kinds ON kind = number WHERE wanted",
    "undeclared": "SELECT count(*) FROM visits JOIN sorts ON kind = number WHERE wanted",
    "on": "SELECT count(*) FROM visits JOIN sorts ON kind = number AND wanted",
    "in": "SELECT count(*) FROM visits "
          "WHERE kind IN (SELECT number FROM kinds WHERE wanted)",
}


def data_sets():
    """For each person how many rows there are, and how many of them pass."""
    draw = random.Random(3)
    yield "rare", [(200, 10)] * PEOPLE
    yield "half", [(50, 25)] * PEOPLE
    yield "uneven", [(rows, draw.randrange(rows + 1)) for rows in
                     (1 + int(draw.paretovariate(1)) % 300 for _ in range(PEOPLE))]


def answers(people, bound):
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        with open(at / "people.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["id"], *([i] for i in range(PEOPLE))])
        (at / "kinds.csv").write_text(
            "number,wanted\n" + "".join(f"{k},{k == 0}\n" for k in range(10)))
        with open(at / "visits.csv", "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(("person", "kind"))
            for i, (rows, passing) in enumerate(people):
                out.writerows((i, 0 if k < passing else 1 + k % 9)
                              for k in range(rows))
        (at / "policy.yaml").write_text(POLICY.format(rows=ROWS, bound=bound))
        store = str(at / "store")
        subprocess.run([CUSTOS, "init", str(at / "policy.yaml"), "--store", store],
                       check=True, stdout=subprocess.DEVNULL)
        for shape, sql in QUERIES.items():
            done = subprocess.run(
                [CUSTOS, "query", "--store", store, "--format", "csv", sql],
                check=True, text=True, stdout=subprocess.PIPE)
            yield shape, float(done.stdout.splitlines()[1].split(",")[0])


def main():
    for name, people in data_sets():
        most = sum(min(passing, ROWS) for _, passing in people)
        for bound, suffix in (("after-where", ""), ("before-where", "_before")):
            for shape, seen in answers(people, bound):
                print(f"bench: kept_{shape}_{name}{suffix} {seen / most:.3f} ratio",
                      flush=True)


if __name__ == "__main__":
    main()
