"""The policy of a table of people, for tests of the command."""

PEOPLE = """custos: 1
adjacency: add-remove
budget: {epsilon: 1, delta: 1e-6, n: 1000}
query: {epsilon: 0.1}
tables:
  people:
    source: people.csv
    unit: id
    max_rows: 1000
    columns:
      id: {type: integer}
      age: {type: integer, range: [0, 120]}
"""
