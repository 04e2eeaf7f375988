"""Named sources of a policy: their tables are imported like those of files."""
import pathlib
import tempfile
import unittest

from command import CommandCase, lines
from duck import duckdb

POLICY = """\
custos: 2
budget: {epsilon: 10}
sources:
  archive: {engine: duckdb, file: archive.duckdb}
tables:
  people: {from: archive, source_table: "All People", unit: id,
    columns: {id: {type: integer}}}
  towns: {from: archive, public: true, columns: {name: {type: text}}}
  colours: {source: colours.csv, public: true, columns: {name: {type: text}}}
"""


class Sources(CommandCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        self.store = str(self.folder / "store")
        (self.folder / "colours.csv").write_text("name\nred\n")

    def write(self, text):
        path = self.folder / "policy.yaml"
        path.write_text(text)
        return str(path)

    def query(self, sql):
        return lines("query", "--store", self.store, "--format", "csv", sql)

    def test_tables_of_a_source(self):
        duckdb(self.folder / "archive.duckdb",
               'CREATE TABLE "All People" AS SELECT range AS id FROM range(9)',
               "CREATE TABLE towns AS SELECT 'Oslo' AS name")
        path = self.write(POLICY)
        self.assertIn("can be used", "\n".join(lines("policy", "check", path)))
        lines("init", path, "--store", self.store)
        self.assertEqual(self.query("SELECT name FROM towns"),
                         ["name", "Oslo"])
        self.assertEqual(self.query("SELECT name FROM colours"),
                         ["name", "red"])

    def test_a_missing_source(self):
        path = self.write(POLICY)
        self.assertIn("Note: the source of table 'towns' does not exist or is "
                      f"not readable here: {self.folder}/archive.duckdb",
                      lines("policy", "check", path))
        self.refused("init", path, "--store", self.store,
                     says="archive.duckdb does not exist")


if __name__ == "__main__":
    unittest.main()
