"""The tests run with the pinned DuckDB, and the page that explains the choice
names it. Facts tested with another version hold for that version only.
"""
import ctypes
import os
import pathlib
import platform
import re
import unittest

SRC = pathlib.Path(os.environ.get("SRC", "."))
LOCK = SRC / "packaging/duckdb.lock"
PAGE = SRC / "doc/decisions/duckdb-version.md"


def pinned():
    """Versions by machine: {"x86_64": "1.5.6", ...}, "any" is the header's."""
    rows = [line.split() for line in LOCK.read_text().splitlines()
            if line and not line.startswith("#")]
    return {machine: version.split("-")[0]
            for _, version, machine, _ in rows}


class Pinned(unittest.TestCase):
    def test_library(self):
        library = ctypes.CDLL(str(SRC / "deps/duckdb/libduckdb.so"))
        library.duckdb_library_version.restype = ctypes.c_char_p
        self.assertEqual(library.duckdb_library_version().decode(),
                         "v" + pinned()[platform.machine()])

    def test_lock_is_the_one_that_was_fetched(self):
        self.assertEqual((SRC / "deps/duckdb/lock").read_text(),
                         LOCK.read_text())

    def test_page(self):
        table = re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", PAGE.read_text(),
                           re.MULTILINE)
        self.assertEqual(dict(table), pinned())


if __name__ == "__main__":
    unittest.main()
