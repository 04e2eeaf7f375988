"""doc/release.md is true: its commands, run in order, print what the page shows, up to
noise. Its psql without a host asks a PostgreSQL server of the test.
"""
import shutil
import unittest

from document import PageCase
from postgres import Postgres
from serving import skip
from t_readme import SRC

if not shutil.which("psql"):
    skip("psql")

PAGE = (SRC / "doc/release.md").read_text()


class Release(PageCase):
    def test_in_order(self):
        with Postgres() as server:
            self.env |= {"PGHOST": str(server.folder), "PGUSER": "test",
                         "PGDATABASE": "postgres"}
            self.assertGreaterEqual(self.run_page(PAGE), 18)


if __name__ == "__main__":
    unittest.main()
