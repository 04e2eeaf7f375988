"""Shared by the tests of pages: runs the commands of a page in order, and compares what
they print with what the page shows, up to numbers, secrets and times. Servers get free
ports.
"""
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from command import CUSTOS

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)


def shape(line):
    """A line without secrets, times and noisy numbers."""
    line = re.sub(r"custos_[0-9a-f]{64}|\d+:[0-9a-f]{64}", "SECRET", line)
    line = re.sub(r"^(password +)\S+", r"\1SECRET", line)
    line = re.sub(r"-?\d[\d,.:TZ-]*", "N", line)
    return " ".join(line.split())


def matches(shown, printed):
    """The shown lines occur in order; … matches any lines, or the rest of
    one."""
    at = 0
    loose = False
    for line in shown:
        if line == "…":
            loose = True
            continue
        want = shape(line.rstrip("…"))
        cut = line.endswith("…")
        while at < len(printed):
            got = shape(printed[at])
            at += 1
            if got.startswith(want) if cut else got == want:
                break
            if not loose:
                return False
        else:
            return False
        loose = False
    return loose or at == len(printed)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


class PageCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.ports = {"6432": free_port(), "8080": free_port()}
        self.env = dict(os.environ)
        self.servers = []
        self.addCleanup(self.end)

    def end(self):
        for server in self.servers:
            if server.poll() is None:
                server.send_signal(signal.SIGTERM)
            server.wait(timeout=60)

    def words(self, command):
        command = command.replace("build/custos", f'"{CUSTOS}"')
        for port, free in self.ports.items():
            command = command.replace(f":{port}", f":{free}")
            command = command.replace(f"-p {port}", f"-p {free}")
            command = command.replace(f"port={port}", f"port={free}")
        return command

    def serve(self, command):
        """Starts a server in the background; returns what it logs when it
        listens."""
        for server in self.servers:
            server.wait(timeout=60)
        log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
        self.addCleanup(log.close)
        self.servers.append(subprocess.Popen(
            ["sh", "-c", "exec " + self.words(command).rstrip("& ") +
             f" --pg 127.0.0.1:{self.ports['6432']}"
             f" --http 127.0.0.1:{self.ports['8080']}"],
            cwd=self.folder, stderr=log, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL))
        limit = time.monotonic() + 60
        text = ""
        while "event=listen" not in text and time.monotonic() < limit and \
                self.servers[-1].poll() is None:
            time.sleep(0.02)
            log.seek(0)
            text = log.read()
        return text

    def run_one(self, command):
        if command.endswith("&"):
            return 0, self.serve(command)
        done = subprocess.run(
            ["sh", "-c", self.words(command)], check=False, cwd=self.folder,
            env=self.env, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=120)
        for name, found in [("PGPASSWORD", r"^password +(\S+)"),
                            ("TOKEN", r"^token +(\S+)")]:
            secret = re.search(found, done.stdout, re.M)
            if secret:
                self.env[name] = secret.group(1)
        return done.returncode, done.stderr + done.stdout

    def run_page(self, page, not_run=()):
        """Runs its console blocks; returns how many commands there were."""
        ran = 0
        for block in BLOCK.findall(page):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, shown = part.partition("\n")
                if command in not_run:
                    continue
                code, printed = self.run_one(command)
                ran += 1
                with self.subTest(command=command):
                    self.assertEqual(code, 0, printed)
                    self.assertTrue(
                        matches(shown.rstrip().splitlines(),
                                printed.rstrip().splitlines()),
                        f"shown:\n{shown}\nprinted:\n{printed}")
        return ran
