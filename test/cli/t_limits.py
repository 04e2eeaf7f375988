"""Limits of `custos serve` with a real server: what one analyst may use, what
unauthenticated clients may use, clients that do not read, and a stop that
succeeds whatever runs. Each limit has an error message and a metric.
"""
import os
import pathlib
import re
import signal
import socket
import struct
import sys
import threading
import time
import unittest

from serving import POLICY, Server, Store, call, need_module

psycopg2 = need_module("psycopg2")

ROWS = 200000
ALL = "SELECT department FROM departments"  # public, some 12 MB
SLOW = ("SELECT count(*) FROM departments a JOIN departments b "
        "ON a.floor = b.floor")  # takes minutes
FLOORS = "SELECT max(floor) FROM departments"  # takes no time
COUNT = "SELECT count(*) FROM patients"


def setUpModule():
    store = Case.store = Store()
    unittest.addModuleCleanup(store.close)
    folder = pathlib.Path(store.folder.name)
    with open(folder / "departments.csv", "w", encoding="utf-8") as out:
        print("department,floor", file=out)
        for i in range(ROWS):
            print(f"{'x' * 40}{i},{i % 7}", file=out)
    store.custos("init", str(folder / "policy.yaml"))


def message(kind, body=b""):
    return kind + struct.pack(">I", len(body) + 4) + body


def query(sql):
    return message(b"Q", sql.encode() + b"\0")


class Raw:
    """A session that psycopg logged in and the test continues byte by byte."""

    def __init__(self, connection):
        self.connection = connection
        self.socket = socket.socket(fileno=os.dup(connection.fileno()))
        self.socket.setblocking(True)
        self.socket.settimeout(60)

    def send(self, *messages):
        self.socket.sendall(b"".join(messages))

    def until(self, kind):
        """Reads complete messages up to one of this kind: [(kind, body)]."""
        got, read = b"", []
        while True:
            while len(got) >= 5:
                n = struct.unpack(">I", got[1:5])[0] + 1
                if len(got) < n:
                    break
                read.append((got[:1], got[5:n]))
                got = got[n:]
                if read[-1][0] == kind:
                    return read
            more = self.socket.recv(1 << 20)
            if not more:
                return read
            got += more

    def close(self):
        self.socket.close()
        self.connection.close()


class Case(unittest.TestCase):
    store = None

    def serve(self, *words, **more):
        server = Server(self.store.path, *words, **more)
        self.addCleanup(lambda: server.process.poll() is None and
                        server.stop(signal.SIGKILL))
        return server

    def connect(self, server, who="ana"):
        connection = psycopg2.connect(
            host="127.0.0.1", port=server.pg, user=who, dbname="custos",
            password=self.store.passwords[who])
        connection.autocommit = True
        self.addCleanup(connection.close)
        return connection

    def raw(self, server, who="ana"):
        raw = Raw(self.connect(server, who))
        self.addCleanup(raw.close)
        return raw

    def ask(self, connection, sql):
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    def http(self, server, sql, who="ana"):
        return call(server.http, "POST", "/v1/query", {"sql": sql},
                    self.store.tokens[who])

    def metric(self, server, name):
        text = call(server.http, "GET", "/metrics",
                    token=self.store.tokens[""]).bytes.decode()
        return int(re.search(rf"^custos_{name} (\d+)$", text, re.M).group(1))

    def wait(self, fact, seconds=30):
        limit = time.monotonic() + seconds
        while not fact():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.02)

    def settle(self, server, running, waiting):
        """Waits until so many questions run and so many wait, and this lasts for a
        while: a question is read and planned before it waits for a process."""
        same = 0

        def fact():
            nonlocal same
            now = [self.metric(server, "questions_" + what)
                   for what in ("running", "waiting")]
            same = same + 1 if now == [running, waiting] else 0
            return same == 20
        self.wait(fact)


def resident_mb(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


class Analysts(Case):
    def test_requests_a_minute(self):
        server = self.serve("--analyst-requests", "5")
        ana, bob = self.connect(server), self.connect(server, "bob")
        for _ in range(5):
            self.ask(ana, "SHOW custos.budget")
        with self.assertRaisesRegex(psycopg2.Error,
                                    "more than 5 requests in a minute"):
            self.ask(ana, "SHOW custos.budget")
        self.ask(ana, "SHOW TimeZone")  # answered by the session itself
        got = self.http(server, COUNT)  # counts towards the same limit
        self.assertEqual((got.status, got.error["code"]), (429, "RATE"))
        self.assertGreater(int(got.headers["Retry-After"]), 0)
        self.ask(bob, "SHOW custos.budget")
        self.assertEqual(self.metric(server, "requests_refused_total"), 2)

    def test_rows_of_the_ledger(self):
        small = Store(policy=POLICY.replace(
            "tables:", "storage: {ledger_bytes: 4000}\ntables:", 1))
        self.addCleanup(small.close)
        server = Server(small.path)
        self.addCleanup(server.stop)
        got = [call(server.http, "POST", "/v1/query",
                    {"sql": f"{COUNT} WHERE born <> {i}"}, small.tokens["ana"])
               for i in range(20)]
        self.assertEqual(got[0].status, 200)
        refused = [reply for reply in got if reply.status != 200]
        self.assertIn("all the room in the ledger",
                      refused[0].error["message"])
        text = call(server.http, "GET", "/metrics",
                    token=small.tokens[""]).bytes.decode()
        self.assertIn(f"custos_ledger_room_refusals_total {len(refused)}\n",
                      text)

    def test_questions_that_wait(self):
        """One process is busy for minutes. One more free question may wait,
        further ones may not. Private questions, logins, the owner's requests and
        what a session answers itself still work."""
        server = self.serve("--workers", "1", "--analyst-waiting", "1")
        busy, waits, third = (self.raw(server) for _ in range(3))
        busy.send(query(SLOW))
        self.settle(server, 1, 0)
        waits.send(query(FLOORS))
        self.settle(server, 1, 1)
        third.send(query(FLOORS))
        said = third.until(b"Z")
        self.assertIn(b"too many of your questions are waiting", said[0][1])
        got = self.http(server, FLOORS)
        self.assertEqual((got.status, got.error["code"]), (429, "SHARE"))
        self.assertEqual(self.metric(server, "busy_share_total"), 2)
        self.assertEqual(self.http(server, COUNT).status, 200)
        bob = self.connect(server, "bob")  # a login
        self.ask(bob, "SHOW TimeZone")
        # the cancel is processed and frees the worker
        busy.connection.cancel()
        self.assertIn(b"57014", busy.until(b"Z")[0][1])
        self.assertEqual(waits.until(b"Z")[-1][0], b"Z")
        self.assertEqual(len(self.ask(bob, "SELECT count(*) FROM visits")), 1)

    def test_cancels_at_any_moment_are_heard(self):
        server = self.serve("--threads", "2")
        ana = self.raw(server)
        for i in range(30):
            ana.send(query(SLOW))
            time.sleep(i * 0.0007)
            while True:  # a cancel before the question begins has no effect
                ana.connection.cancel()
                ana.socket.settimeout(1)
                try:
                    said = ana.until(b"Z")
                    break
                except TimeoutError:
                    continue
            ana.socket.settimeout(60)
            self.assertIn(b"57014", said[0][1])

    def test_replies_that_nobody_reads(self):
        server = self.serve("--analyst-unread", str(6 << 20))
        lazy, ana = self.raw(server), self.connect(server)
        bob = self.connect(server, "bob")
        lazy.send(query(ALL))
        self.wait(lambda: self.metric(server, "message_bytes") > 6 << 20)
        with self.assertRaisesRegex(psycopg2.Error, "read the replies first"):
            self.ask(ana, COUNT)
        got = self.http(server, COUNT)
        self.assertEqual((got.status, got.error["code"]), (429, "UNREAD"))
        self.ask(ana, "SHOW TimeZone")
        self.ask(bob, "SELECT count(*) FROM visits")
        self.assertGreaterEqual(self.metric(server, "unread_refused_total"), 2)
        read = lazy.until(b"Z")
        self.assertEqual(sum(kind == b"D" for kind, _ in read), ROWS)
        self.assertEqual(len(self.ask(ana, COUNT)), 1)
        self.assertLess(self.metric(server, "message_bytes"), 1 << 20)

    def test_replies_that_are_too_long(self):
        server = self.serve("--max-reply", "100000")
        ana = self.connect(server)
        with self.assertRaisesRegex(psycopg2.Error, "ask for fewer rows"):
            self.ask(ana, ALL)
        got = self.http(server, ALL)
        self.assertEqual(got.status, 400)
        self.assertIn("fewer rows", got.error["hint"])
        self.assertEqual(len(self.ask(ana, ALL + " LIMIT 10")), 10)

    def test_prepared_statements(self):
        server = self.serve("--analyst-prepared", "300000")
        first, second = self.raw(server), self.raw(server)

        def prepare(raw, n):
            raw.send(*(message(b"P", b"s%d\0SHOW TimeZone\0\0\0" % i)
                       for i in range(n)), message(b"S"))
            return [body for kind, body in raw.until(b"Z") if kind == b"E"]
        self.assertEqual(prepare(first, 20), [])
        said = prepare(second, 100)
        self.assertIn(b"your sessions hold", said[0])
        self.assertGreater(self.metric(server, "prepared_bytes"), 200000)
        first.close()
        second.close()
        self.wait(lambda: self.metric(server, "prepared_bytes") == 0)

    def test_a_chain_of_fetches(self):
        """Each FETCH reads from the portal of the previous FETCH; every portal
        is closed after use."""
        server = self.serve()
        ana = self.raw(server)
        ana.send(query("BEGIN; DECLARE c CURSOR FOR " + ALL))
        ana.until(b"Z")
        before, size = b"c", resident_mb(server.process)
        for i in range(20000):
            name = b"p%d" % i
            ana.send(message(b"P", b"s\0FETCH 1 FROM %s\0\0\0" % before),
                     message(b"B", name + b"\0s\0" + b"\0" * 6),
                     message(b"C", b"Ss\0"),
                     message(b"C", b"P" + before + b"\0") if i else b"")
            before = name
            if i % 100 == 0:
                ana.send(message(b"S"))
                self.assertNotIn(b"E", [k for k, _ in ana.until(b"Z")])
        self.assertLess(resident_mb(server.process) - size, 40)
        ana.close()
        self.ask(self.connect(server), "SHOW TimeZone")
        self.assertEqual(server.stop(), 0)


class Loop(Case):
    def test_long_texts_are_not_read_by_the_loop(self):
        """The only thread holds a question until its reply time. A long text
        waits for the thread; meanwhile the loop still does its own work."""
        server = self.serve("--threads", "1", "--reply-allowance", "3000",
                            times=True)
        busy, long = self.raw(server), self.raw(server)
        bob = self.connect(server, "bob")
        busy.send(query(COUNT + " WHERE born <> 7"))
        self.wait(lambda: self.metric(server, "questions_running") == 1)
        long.send(query("SELECT " + "1," * 1200))
        self.wait(lambda: self.metric(server, "questions_waiting") == 1)
        self.ask(bob, "SHOW TimeZone")
        self.assertEqual(self.metric(server, "questions_waiting"), 1)
        busy.until(b"Z")
        self.assertIn(b"C42601", long.until(b"Z")[0][1])


class Strangers(Case):
    def open(self, server):
        link = socket.create_connection(("127.0.0.1", server.pg))
        link.settimeout(30)
        self.addCleanup(link.close)
        return link

    def test_of_one_address(self):
        server = self.serve("--address-strangers", "4")
        links = [self.open(server) for _ in range(7)]
        for link in links[:3]:
            self.assertIn(b"too many clients", link.recv(1000))
        self.assertEqual(self.metric(server, "strangers_evicted_total"), 3)
        self.connect(server)

    def test_in_all(self):
        server = self.serve("--max-strangers", "5")
        links = [self.open(server) for _ in range(8)]
        for link in links[:3]:
            self.assertIn(b"too many clients", link.recv(1000))
        self.connect(server)

    def test_the_address_with_most(self):
        """Many clients from some addresses, which have sent one byte each, do
        not evict a slow client from another address."""
        server = self.serve("--max-strangers", "6")
        for i in range(6):
            link = socket.create_connection(("127.0.0.1", server.pg),
                                            source_address=(f"127.0.0.{2 + i % 2}", 0))
            self.addCleanup(link.close)
            link.sendall(b"\0")
        honest = self.open(server)
        for _ in range(3):
            self.addCleanup(socket.create_connection(
                ("127.0.0.1", server.pg), source_address=("127.0.0.2", 0)).close)
        time.sleep(0.2)
        honest.sendall(struct.pack(">II", 8, 80877103))  # may I use TLS?
        self.assertEqual(honest.recv(1), b"N")

    def test_http_who_came_first_goes(self):
        """Connections that do not read their replies are evicted; a new connection
        that sends its request later is not."""
        server = self.serve("--max-connections", "40")
        for i in range(36):
            link = socket.create_connection(("127.0.0.1", server.http),
                                            source_address=(f"127.0.0.{2 + i % 9}", 0))
            self.addCleanup(link.close)
            link.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 200)
        time.sleep(0.5)
        honest = socket.create_connection(("127.0.0.1", server.http))
        self.addCleanup(honest.close)
        honest.settimeout(30)
        for i in range(5):
            self.addCleanup(socket.create_connection(
                ("127.0.0.1", server.http), source_address=(f"127.0.0.{20 + i}", 0)).close)
        time.sleep(0.5)
        honest.sendall(b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        self.assertIn(b" 200 ", honest.recv(1000))

    def test_http_of_one_address(self):
        server = self.serve("--address-strangers", "4")
        links = []
        for _ in range(12):
            link = socket.create_connection(("127.0.0.1", server.http))
            link.settimeout(30)
            self.addCleanup(link.close)
            links.append(link)
            link.sendall(b"GET /v1/health HTTP/1.1\r\n")  # and nothing more
            time.sleep(0.02)
        self.assertEqual(links[0].recv(1000), b"")
        self.assertEqual(self.http(server, COUNT).status, 200)
        self.assertGreater(self.metric(server, "strangers_evicted_total"), 4)

    def test_logins_a_minute(self):
        server = self.serve("--address-logins", "4")
        self.connect(server)
        for _ in range(3):
            with self.assertRaisesRegex(psycopg2.Error, "authentication failed"):
                psycopg2.connect(host="127.0.0.1", port=server.pg, user="eve",
                                 password="x", dbname="x")
        with self.assertRaisesRegex(psycopg2.Error, "too many logins"):
            psycopg2.connect(host="127.0.0.1", port=server.pg, user="mal",
                             password="x", dbname="x")
        self.connect(server)  # not counted: ana has logged in from here before
        self.assertEqual(self.metric(server, "logins_refused_total"), 1)

    def test_bodies_that_nobody_wants(self):
        server = self.serve()
        small = call(server.http, "GET", "/v1/health", b"x" * 1000)
        self.assertEqual(small.status, 200)
        size = resident_mb(server.process)
        for head in [b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n",
                     b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Type: application/json\r\n"]:
            links = []
            for _ in range(40):
                link = socket.create_connection(("127.0.0.1", server.http))
                link.settimeout(30)
                self.addCleanup(link.close)
                links.append(link)
                link.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
                try:
                    for _ in range(16):  # a megabyte
                        link.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                except OSError:
                    continue
            for link in links:
                with self.assertRaises(OSError):  # the server hung up
                    while link.recv(65536):
                        pass
                    raise OSError
        self.assertLess(resident_mb(server.process) - size, 20)
        long = socket.create_connection(("127.0.0.1", server.http))
        self.addCleanup(long.close)
        long.sendall(b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n"
                     b"Content-Length: 1000000\r\n\r\n")
        self.assertIn(b" 413 ", long.recv(1000))


class Readers(Case):
    def test_who_does_not_read_is_hung_up_on(self):
        server = self.serve("--send-seconds", "1")
        lazy = self.raw(server)
        lazy.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
        lazy.send(query(ALL))
        self.wait(lambda: self.metric(server, "slow_readers_total") == 1)
        web = socket.create_connection(("127.0.0.1", server.http))
        self.addCleanup(web.close)
        body = b'{"sql": "%s"}' % ALL.encode()
        web.sendall(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                    b"Content-Type: application/json\r\nAuthorization: Bearer "
                    + self.store.tokens["ana"].encode() +
                    b"\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        self.wait(lambda: self.metric(server, "slow_readers_total") == 2)
        self.wait(lambda: self.metric(server, "message_bytes") < 1 << 20)

    def test_who_reads_slowly_is_waited_for(self):
        server = self.serve("--send-seconds", "2")
        slow = self.raw(server)
        slow.send(query(ALL))
        got, began = b"", time.monotonic()
        while time.monotonic() - began < 7:
            got += slow.socket.recv(150000)
            time.sleep(0.1)
        while not got.endswith(message(b"Z", b"I")):
            more = slow.socket.recv(1 << 20)
            self.assertTrue(more, "hung up on")
            got += more
        self.assertEqual(self.metric(server, "slow_readers_total"), 0)


class End(Case):
    def test_a_stop_in_time_whatever_runs(self):
        server = self.serve("--stop-seconds", "4", "--workers", "4")
        busy = [self.raw(server) for _ in range(4)]
        for raw in busy:
            raw.send(query(SLOW))
        asked = threading.Thread(target=self.http_ends, args=(server,))
        asked.start()
        self.wait(lambda: self.metric(server, "questions_running") >= 2)
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 6)
        asked.join()

    def http_ends(self, server):
        try:
            self.http(server, SLOW)
        except OSError:
            pass

    def test_a_second_signal_ends_it_at_once(self):
        server = self.serve("--stop-seconds", "100")
        busy = self.raw(server)
        busy.send(query(SLOW))
        self.wait(lambda: self.metric(server, "questions_running") == 1)
        server.process.send_signal(signal.SIGTERM)
        self.wait(lambda: "event=stop" in server.said())
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
