"""Named sources of a policy: their tables are imported like those of files.
Secrets come from files that only their owner can read, and are found nowhere
else.
"""
import os
import pathlib
import tempfile
import unittest

from command import CommandCase, lines, run
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
SECRET = "Xylophanes tersa \'9"


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

    def encrypted(self):
        """An encrypted archive, its key in archive.key, and the policy. (The
        engine can write such a file only without a good source of nonces,
        which is enough here.)"""
        quoted = SECRET.replace("'", "''")
        duckdb(":memory:", "SET force_mbedtls_unsafe = true",
               f"ATTACH '{self.folder}/archive.duckdb' AS a "
               f"(ENCRYPTION_KEY '{quoted}')",
               'CREATE TABLE a."All People" AS SELECT range AS id '
               "FROM range(9)",
               "CREATE TABLE a.towns AS SELECT 'Oslo' AS name", "DETACH a")
        self.key = self.folder / "archive.key"
        self.key.write_text(SECRET + "\n")
        self.key.chmod(0o600)
        return self.write(POLICY.replace(
            "file: archive.duckdb",
            "file: archive.duckdb, secret_file: archive.key"))

    def nowhere(self, *runs):
        """Neither what these runs print nor the store has the secret."""
        for done in runs:
            self.assertNotIn(SECRET[:10], (done.stdout + done.stderr).decode())
        for place, _, files in os.walk(self.store):
            for name in files:
                data = (pathlib.Path(place) / name).read_bytes()
                self.assertNotIn(SECRET[:10].encode(), data, name)

    def test_an_encrypted_source(self):
        path = self.encrypted()
        checked = run("policy", "check", path)
        self.assertNotIn(b"secret", checked.stdout)
        done = run("init", path, "--store", self.store)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.key.unlink()  # only the import needs it
        self.assertEqual(self.query("SELECT name FROM towns"),
                         ["name", "Oslo"])
        at = ("--store", self.store)
        self.nowhere(checked, done,
                     run("explain", *at, "SELECT count(*) FROM people"),
                     run("query", *at, "SELECT count(*) FROM people"),
                     run("query", *at, "SELECT * FROM "
                                       "information_schema.tables"),
                     run("shell", *at, stdin="\\d\n"),
                     run("ledger", "list", *at))

    def test_secrets_that_are_rejected(self):
        path = self.encrypted()
        at = ("init", path, "--store", self.store)
        self.key.chmod(0o640)
        said = f"others may access the secret file {self.key}"
        self.assertIn(f"Note: {said}; run chmod 600 on it",
                      lines("policy", "check", path))
        self.refused(*at, says=said)
        self.key.chmod(0o600)
        self.key.write_text(SECRET + "0")
        self.refused(*at, says="archive.duckdb cannot be opened as a DuckDB "
                               "file with the key in its secret_file")
        self.nowhere(run(*at))
        self.key.unlink()
        self.refused(*at, says="does not exist or is not readable")
        self.assertFalse(os.path.exists(self.store))


if __name__ == "__main__":
    unittest.main()
