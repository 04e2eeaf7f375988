"""Shared by the tests of real clients: a server on a small store, and how to
reach it. Each client has its own test file, so that a client that is not
installed is reported in one line.
"""
import os
import pathlib
import shutil
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from serving import (MARK, Server, Store, need_module,  # noqa: E402,F401
                     skip)

DEPS = HERE.parent.parent / "deps"

COUNT = "SELECT sex, count(*) AS n FROM patients GROUP BY sex"


def need_command(name):
    return shutil.which(name) or skip(name)


class ClientCase(unittest.TestCase):
    """A server for all tests of a class. The analyst ana may ask everything, bob
    little."""

    serve = ()

    @classmethod
    def setUpClass(cls):
        cls.store = Store()
        cls.addClassCleanup(cls.store.close)
        cls.server = Server(cls.store.path, *cls.serve)
        cls.addClassCleanup(cls.server.stop)

    def url(self, who="ana", scheme="postgresql"):
        return (f"{scheme}://{who}:{self.store.passwords[who]}"
                f"@127.0.0.1:{self.server.pg}/custos")

    def environment(self, who="ana"):
        """The environment for programs that use libpq."""
        return {**os.environ, "PGHOST": "127.0.0.1",
                "PGPORT": str(self.server.pg), "PGUSER": who,
                "PGPASSWORD": self.store.passwords[who],
                "PGDATABASE": "custos"}

    def near(self, rows):
        """The rows are those of COUNT: two, with about 200 people each."""
        self.assertEqual([row[0] for row in rows], ["f", "m"])
        for row in rows:
            self.assertLess(abs(row[1] - 200), 100)
