"""A PostgreSQL server of one test, which listens on a socket in its own folder."""
import contextlib
import glob
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

from serving import skip


def find_program(name):
    """A server's program, which Debian keeps out of PATH."""
    found = shutil.which(name) or next(
        iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))[::-1]), None)
    return found or skip("PostgreSQL's server")


class Postgres:
    """`with Postgres() as server`; server.psql(...) asks it."""

    def __init__(self):
        self.programs = {name: find_program(name) for name in ("initdb", "postgres")}
        if not shutil.which("psql"):
            skip("psql")
        # PostgreSQL does not run as root.
        self.user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.stack = contextlib.ExitStack()
        self.folder = pathlib.Path(self.stack.enter_context(
            tempfile.TemporaryDirectory(prefix="pg.", dir="/tmp")))

    def start(self, program, *words):
        more = {"user": self.user} if os.geteuid() == 0 else {}
        return subprocess.Popen([self.programs[program], *words],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, cwd=self.folder, **more)

    def __enter__(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.user)
        data = str(self.folder / "data")
        assert self.start("initdb", "-D", data, "-U", "test", "-A", "trust", "-E",
                          "UTF8", "--no-sync").wait() == 0
        self.server = self.start(
            "postgres", "-D", data, "-k", str(self.folder), "-c",
            "listen_addresses=", "-c", "fsync=off")
        self.stack.callback(self.stop)
        limit = time.monotonic() + 60
        while self.psql("SELECT 1").returncode:
            assert time.monotonic() < limit and self.server.poll() is None
            time.sleep(0.05)
        return self

    def stop(self):
        self.server.terminate()
        self.server.wait(timeout=60)

    def __exit__(self, *why):
        self.stack.close()

    def psql(self, *texts, stdin=""):
        """Runs statements, each as one of its own; rows come without ornament."""
        words = [word for text in texts for word in ("-c", text)]
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h",
             str(self.folder), "-U", "test", "postgres", *words],
            input=stdin, text=True, check=False, timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(self, *texts, **more):
        """As psql; the lines, of a run that does not fail."""
        done = self.psql(*texts, **more)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout.splitlines()
