"""Attacks over HTTP: by clients without a token, and by analysts with one."""
import asyncio
import os

from attack import attack, drip
from attacks_sql import SLOW_PUBLIC, explosive
from wire import drained, request

LARGE = ("SELECT a.title, b.title FROM diagnoses a, diagnoses b "
         "WHERE a.code < 50")


# --------------------------------------------------------------- strangers --

@attack(pause=0.5)
async def get_bodies(a):
    """Bodies of a megabyte with GET requests, without a token."""
    piece = b"x" * 65536

    async def one(path):
        link = await a.raw("http")
        link.send(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                  "Content-Length: 1048576\r\n\r\n".encode())
        for _ in range(15):
            link.send(piece)
            await drained(link.writer, 3)
            await asyncio.sleep(0.05)
        await asyncio.sleep(3)
        a.seen["sent"] += 1
    await a.together([one(path) for path in
                      ["/v1/health", "/v1/schema", "/", "/none"] * 10])


@attack(pause=0.5)
async def slow_headers(a):
    """Headers at a byte a second, on forty connections."""
    async def one():
        await drip(await a.raw("http"), b"GET /v1/health HTTP/1.1\r\nX-" +
                   b"x" * 100, 1.0, most=15)
    await a.together([one() for _ in range(40)])


@attack(pause=0.5)
async def slow_body(a):
    """Bodies at a byte a second, with and without a token."""
    async def one(token):
        link = await a.raw("http")
        whole = request("POST", "/v1/query", {"sql": "SELECT 1" * 99}, token)
        at = whole.index(b"\r\n\r\n") + 4
        link.send(whole[:at])
        await drip(link, whole[at:], 1.0, most=12)
    await a.together([one(a.token if i % 2 else None) for i in range(30)])


@attack(pause=0.5)
async def garbage_http(a):
    """Bytes that are not requests: noise, TLS, PostgreSQL, endless lines."""
    texts = [os.urandom(500), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc" + b"x" * 99,
             b"\0\0\0\x08\x04\xd2\x16\x2f", b"GET " + b"/" * 60000,
             b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 5000,
             b"POST /v1/query HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
             b"POST /v1/query HTTP/1.1\r\nHost: x\r\nContent-Length: "
             b"99999999999999999999\r\n\r\n",
             b"GET /v1/health HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
             b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"]

    async def one(text):
        link = await a.raw("http")
        link.send(text)
        await drained(link.writer, 3)
        await asyncio.wait_for(link.reader.read(1000), 3)
        a.seen["replies"] += 1
    await a.together([one(text) for text in texts])


@attack(pause=0.5)
async def huge_headers(a):
    """Thousands of headers, and one of a megabyte."""
    async def one(lines):
        link = await a.raw("http")
        link.send(b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        for line in lines:
            link.send(line)
            await drained(link.writer, 3)
        link.send(b"\r\n")
        status, _ = await asyncio.wait_for(link.reply(), 5)
        a.note_http(status)
    await a.together([one([b"X-%d: %s\r\n" % (i, b"y" * 50)
                           for i in range(2000)]),
                      one([b"X: ", *[b"z" * 32768] * 32, b"\r\n"]),
                      one([b"Cookie: a=b\r\n"] * 500)])


@attack(pause=0.5)
async def chunked_endless(a):
    """Chunked bodies that never end."""
    async def one(token, path):
        link = await a.raw("http")
        head = request("POST", path, None, token, [
            "Content-Type: application/json", "Transfer-Encoding: chunked"])
        link.send(head)
        for _ in range(80):
            link.send(b"8000\r\n" + b" " * 0x8000 + b"\r\n")
            await drained(link.writer, 3)
            await asyncio.sleep(0.05)
        a.seen["sent"] += 1
    await a.together([one(a.token if i % 2 else None,
                          "/v1/query" if i % 4 < 2 else "/v1/health")
                      for i in range(12)])


@attack(pause=0.5)
async def pipelining(a):
    """Hundreds of pipelined requests whose replies are not read at once."""
    for text, n in [(request("GET", "/v1/health"), 300),
                    (request("GET", "/v1/openapi.json"), 100),
                    (request("GET", "/v1/schema", token=a.token), 100)]:
        link = await a.raw("http", receive_bytes=4096)
        link.writer.transport.pause_reading()
        link.send(text * n)
        await asyncio.sleep(2)
        link.writer.transport.resume_reading()
        for _ in range(20):
            status, _ = await asyncio.wait_for(link.reply(), 5)
            a.note_http(status)


@attack(pause=0.5)
async def tokens_wrong(a):
    """Guessed tokens, on several routes."""
    async def one(path):
        link = await a.raw("http")
        for _ in range(10):
            await a.get(link, "GET", path, seconds=5,
                        token=f"custos_{a.dice.getrandbits(256):064x}")
            await asyncio.sleep(0.05)
    await a.together([one(path) for path in [
        "/v1/me", "/v1/budget", "/v1/ledger", "/metrics", "/v1/owner/health"]])


@attack(pause=0.5)
async def open_routes(a):
    """Routes that are open to all, as often as possible."""
    async def one(path):
        link = await a.raw("http")
        for i in range(30):
            await a.get(link, "GET", path.format(i + 1), seconds=5)
            await asyncio.sleep(0.02)
    await a.together([one(path) for path in [
        "/v1/health", "/v1/openapi.json", "/v1/learn?epsilon=0.{}", "/",
        "/v1/learn?epsilon=1e-{}"]])


@attack(pause=0.2)
async def http_connections(a):
    """Three hundred silent connections from one address."""
    async def one():
        await a.raw("http")
    await a.together([one() for _ in range(300)])
    await asyncio.sleep(5)


# ---------------------------------------------------------------- analysts --

@attack(pause=0.5)
async def routes_flood(a):
    """Budget, ledger, history and verification, over and over."""
    async def one(path):
        link = await a.raw("http")
        for _ in range(15):
            await a.get(link, "GET", path, token=a.token)
            await asyncio.sleep(0.02)
    await a.together([one(path) for path in [
        "/v1/budget", "/v1/ledger?limit=1000", "/v1/budget/history",
        "/v1/ledger/verify", "/v1/schema", "/v1/risk?epsilon=1", "/v1/me"]])


@attack(pause=0.5)
async def http_explain(a):
    """EXPLAINs that are very expensive to plan, over HTTP."""
    async def one(i):
        link = await a.raw("http")
        await a.get(link, "POST", "/v1/explain",
                    {"sql": explosive(i)}, a.token)
    await a.together([one(a.dice.randrange(250)) for _ in range(3)])


@attack(pause=0.5)
async def http_batches(a):
    """Batches of many queries that are very expensive to plan, and of too many."""
    async def one(path, n):
        link = await a.raw("http")
        await a.get(link, "POST", path,
                    {"queries": [{"sql": explosive(i)} for i in range(n)]},
                    a.token)
    await a.together([one(path, n) for path in ("/v1/batch",
                                                "/v1/batch/explain")
                      for n in (64, 200)])


@attack(pause=1)
async def http_slow(a):
    """Slow free queries over HTTP whose clients hang up."""
    async def one(sql):
        link = await a.raw("http")
        await a.get(link, "POST", "/v1/query", {"sql": sql}, a.token, 8.0)
    await a.together([one(f"{SLOW_PUBLIC} WHERE a.code <> {i}")
                      for i in range(8)])


@attack(pause=1)
async def http_unread(a):
    """Large replies over HTTP that nobody reads."""
    async def one(i):
        link = await a.raw("http", receive_bytes=4096)
        link.writer.transport.pause_reading()
        link.send(request("POST", "/v1/query",
                          {"sql": f"{LARGE} AND b.code <> {i}"}, a.token))
        a.seen["asked"] += 1
        await asyncio.sleep(10)
    await a.together([one(i) for i in range(10)])


@attack(pause=0.2)
async def http_charged(a):
    """New private queries over HTTP as fast as they are answered."""
    async def one():
        link = await a.raw("http")
        for _ in range(20):
            n = a.dice.randrange(1 << 30)
            await a.get(link, "POST", "/v1/query", {
                "sql": f"SELECT count(*) FROM visits WHERE nights <> {n}"},
                        a.token)
    await a.together([one() for _ in range(4)])
