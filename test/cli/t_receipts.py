"""Receipts exported by a real server: to a file, to syslog by UDP and TCP, by
HTTP. Missed receipts are sent later, charges do not wait, and restoring the
ledger from an older copy is detected.
"""
import http.server
import pathlib
import re
import shutil
import socket
import subprocess
import threading
import time
import unittest

from command import CUSTOS
from serving import Server, Store, call

RECEIPT = re.compile(rb"\b\d+:[0-9a-f]{64}\b")


class Post(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.statuses.pop(0) if self.server.statuses else 204
        if status == 204:
            self.server.got.append((self.path, body))
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


class Receipts(unittest.TestCase):
    def setUp(self):
        self.store = Store(people=20)
        self.addCleanup(self.store.close)
        self.folder = pathlib.Path(self.store.folder.name)
        self.n = 0

    def serve(self, where):
        server = Server(self.store.path, "--export-receipts", where)
        self.addCleanup(server.log.close)
        self.addCleanup(server.stop)
        return server

    def ask(self, server):
        self.n += 1
        sql = f"SELECT count(*) FROM patients WHERE born > {1900 + self.n}"
        got = call(server.http, "POST", "/v1/query", {"sql": sql},
                   self.store.tokens["ana"])
        self.assertEqual(got.status, 200, got.bytes)
        return got.json["receipt"].encode()

    def until(self, done):
        limit = time.monotonic() + 60
        while not done():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)

    def verify(self, path, code=0):
        done = subprocess.run([CUSTOS, "ledger", "verify", "--store",
                               self.store.path, "--against", str(path)],
                              check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def metrics(self, server):
        return call(server.http, "GET", "/metrics",
                    token=self.store.tokens[""]).bytes

    def test_a_file_has_every_row_and_shows_a_rollback(self):
        path = self.folder / "receipts"
        server = self.serve(f"file:{path}")
        first = self.ask(server)
        self.until(lambda: first in path.read_bytes())
        server.stop()
        copy = self.folder / "older"
        shutil.copytree(self.store.path, copy)
        server = self.serve(f"file:{path}")
        receipts = [self.ask(server) for _ in range(3)]
        self.until(lambda: receipts[-1] in path.read_bytes())
        # the counter is raised after the receipts are written
        self.until(lambda: b"\ncustos_receipts_exported_total 0\n" not in
                   self.metrics(server))
        self.assertRegex(self.metrics(server),
                         rb"\ncustos_receipts_exported_total [1-9]")
        self.assertRegex(self.metrics(server),
                         rb"\ncustos_receipts_lag_rows \d+\n")
        server.stop()
        found = RECEIPT.findall(path.read_bytes())
        numbers = [int(r.split(b":")[0]) for r in found]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertIn("all receipts of the file match", self.verify(path))
        # restored from the older copy: rows are missing, then differ
        shutil.rmtree(self.store.path)
        shutil.copytree(copy, self.store.path)
        self.assertIn("restored from an older copy", self.verify(path, 1))
        server = self.serve(f"file:{path}")
        self.assertIn("does not have the last row",
                      server.says("does not have the last row"))
        for _ in range(6):
            last = self.ask(server)
        self.until(lambda: last in path.read_bytes())
        server.stop()
        self.assertIn("is not the one that was exported", self.verify(path, 1))

    def test_syslog_by_udp(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
            ours.bind(("127.0.0.1", 0))
            ours.settimeout(60)
            server = self.serve(f"syslog:127.0.0.1:{ours.getsockname()[1]}")
            want, said = self.ask(server), b""
            while want not in said:
                said = ours.recv(2000)
                self.assertRegex(said, rb"^<134>1 - - custos \d+ receipt - "
                                 rb"\d+:[0-9a-f]{64} \d{4}-\d\d-\d\dT")
            (self.folder / "syslog").write_bytes(b"Nov 17 host " + said + b"\n")
            self.verify(self.folder / "syslog")

    def test_syslog_by_tcp(self):
        with socket.create_server(("127.0.0.1", 0)) as ours:
            ours.settimeout(60)
            server = self.serve(f"syslog+tcp:127.0.0.1:{ours.getsockname()[1]}")
            want, said = self.ask(server), b""
            while want not in said:
                link, _ = ours.accept()
                with link:
                    link.settimeout(60)
                    while more := link.recv(1 << 16):
                        said += more
            length, _, rest = said.partition(b" ")
            self.assertTrue(rest[:int(length)].startswith(b"<134>1 "), said)

    def test_http_gets_later_what_it_missed(self):
        ours = http.server.HTTPServer(("127.0.0.1", 0), Post)
        ours.got, ours.statuses = [], [503, 500]
        thread = threading.Thread(target=ours.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(ours.server_close)
        self.addCleanup(ours.shutdown)
        server = self.serve(f"http://127.0.0.1:{ours.server_port}/receipts")
        want = [self.ask(server) for _ in range(3)]  # although two exports fail
        self.until(lambda: want[-1] in b"".join(b for _, b in ours.got))
        self.assertEqual({path for path, _ in ours.got}, {"/receipts"})
        for receipt in want:
            self.assertIn(receipt, b"".join(b for _, b in ours.got))
        counts = call(server.http, "GET", "/metrics",
                      token=self.store.tokens[""]).bytes
        self.assertRegex(counts, rb"\ncustos_receipts_failed_total 2\n")

    def test_a_place_that_is_not_there_holds_nobody(self):
        server = self.serve("syslog+tcp:127.0.0.1:1")
        for _ in range(3):
            self.ask(server)
        self.assertEqual(server.stop(), 0)
        self.assertIn("receipts cannot be exported", server.said())

    def test_what_is_no_place_is_refused(self):
        for where in ("nowhere", "syslog:host", "file:"):
            done = subprocess.run([CUSTOS, "serve", "--store", self.store.path,
                                   "--export-receipts", where], check=False,
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--export-receipts", done.stderr)


if __name__ == "__main__":
    unittest.main()
