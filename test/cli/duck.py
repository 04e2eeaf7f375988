"""DuckDB files for tests of the command."""
import ctypes
import os
import pathlib

SRC = pathlib.Path(os.environ.get("SRC", "."))


def duckdb(path, *statements):
    """Runs statements on a DuckDB file; path may be ":memory:"."""
    library = ctypes.CDLL(str(SRC / "deps/duckdb/libduckdb.so"))
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    assert not library.duckdb_open(str(path).encode(), ctypes.byref(database))
    assert not library.duckdb_connect(database, ctypes.byref(connection))
    for sql in statements:
        assert not library.duckdb_query(connection, sql.encode(), None), sql
    library.duckdb_disconnect(ctypes.byref(connection))
    library.duckdb_close(ctypes.byref(database))
