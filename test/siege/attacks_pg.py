"""Attacks on the PostgreSQL protocol: by clients that cannot log in, and by
analysts who break its rules or do not read.
"""
import asyncio
import os
import struct

from attack import attack, drip
from wire import (CANCEL, STARTUP, SYNC, TLS, bind, connect, drained, execute,
                  message, parse, query, startup)

LARGE = ("SELECT a.title, b.title FROM diagnoses a, diagnoses b "
         "WHERE a.code < 100")  # 37 MB


# --------------------------------------------------------------- strangers --

@attack(pause=0.5)
async def slow_startup(a):
    """First packets at a byte a second, on forty connections."""
    async def one():
        await drip(await a.raw(), startup("ana"), 1.0, most=15)
    await a.together([one() for _ in range(40)])


@attack(pause=0.5)
async def garbage_pg(a):
    """Bytes that are not a first packet: noise, TLS, HTTP, wrong lengths."""
    texts = [os.urandom(500), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc" + b"x" * 99,
             b"GET / HTTP/1.1\r\n\r\n", struct.pack(">II", 0x7fffffff, STARTUP),
             struct.pack(">II", 4, STARTUP), struct.pack(">II", 0, 0),
             struct.pack(">II", 8, 0x00020000), struct.pack(">II", 8, TLS) * 99,
             struct.pack(">II", 9, STARTUP) + b"\0" + b"p" * 4096,
             startup("ana") * 20, b"\0" * 10000]

    async def one(text):
        link = await a.raw()
        link.send(text)
        await drained(link.writer)
        await asyncio.wait_for(link.reader.read(1000), 3)
        a.seen["replies"] += 1
    await a.together([one(text) for text in texts])


@attack(pause=0.5)
async def connection_flood(a):
    """Three hundred silent connections from one address."""
    async def one():
        await a.raw()
    await a.together([one() for _ in range(300)])
    await asyncio.sleep(5)


@attack(pause=0.5)
async def login_wrong(a):
    """Wrong passwords for the names of honest analysts."""
    async def one(who):
        await a.pg(who, password="wrong")
    for _ in range(5):
        await a.together([one(who) for who in ("ana", "bob") * 3])
        await asyncio.sleep(0.2)


@attack(pause=0.5)
async def login_unknown(a):
    """Unknown names, a different one each time."""
    async def one():
        await a.pg(f"n{a.dice.randrange(1 << 60):x}", password="wrong")
    for _ in range(5):
        await a.together([one() for _ in range(10)])
        await asyncio.sleep(0.2)


@attack(pause=0.5)
async def login_abandoned(a):
    """Logins that stop after the server's first SCRAM message."""
    async def one():
        link = await a.raw()
        link.send(startup("ana"))
        await link.read()
        link.send(message(b"p", "SCRAM-SHA-256",
                          struct.pack(">I", 32) + b"n,,n=,r=" + b"x" * 24))
        await link.read()
        a.seen["half logins"] += 1
    await a.together([one() for _ in range(40)])
    await asyncio.sleep(4)


@attack(pause=0.2)
async def cancel_guess(a):
    """Cancel requests with guessed keys, for random sessions."""
    async def one(pid):
        key = os.urandom(a.dice.choice([4, 4, 32, 256]))
        _, writer = await connect(a.target["pg"], a.source)
        body = struct.pack(">II", CANCEL, pid) + key
        writer.write(struct.pack(">I", len(body) + 4) + body)
        await drained(writer)
        writer.close()
        a.seen["guesses"] += 1
    for _ in range(10):
        await a.together([one(a.dice.randrange(1 << 16)) for _ in range(20)])
        await asyncio.sleep(0.1)


# ---------------------------------------------------------- broken sessions --

@attack(pause=0.5)
async def half_messages(a):
    """Messages that begin and do not end, after a login."""
    heads = [b"Q\x00\x0f\xff\xffSELECT", b"P\x00\x00\xff\xffs\0SELECT 1",
             b"Q\x7f\xff\xff\xff", b"Q\x00\x00\x00\x03", b"B\x00\x00\x10\x00p"]

    async def one(head):
        link = await a.pg()
        link.send(head)
        await drained(link.writer)
        await asyncio.sleep(3)
    await a.together([one(head) for head in heads])


@attack(pause=0.5)
async def bind_huge(a):
    """Counts of parameters, formats and types that are far too large."""
    texts = [parse("", "SELECT 1", [23] * 65535),
             message(b"B", "", "", struct.pack(">HH", 0, 65535)),
             message(b"B", "", "", struct.pack(">H", 65535) + b"\0\1" * 65535),
             parse("", "SELECT code FROM diagnoses WHERE code = $65535"),
             parse("", "SELECT code FROM diagnoses WHERE title = $1")
             + bind("", "", [b"x" * 900000]) + execute(""),
             message(b"B", "", "", struct.pack(">HHI", 0, 1, 0xfffffffe)),
             message(b"E", "", struct.pack(">I", 0xffffffff))]

    async def one(text):
        await a.ask(await a.pg(), text + SYNC)
    await a.together([one(text) for text in texts])


@attack(pause=0.5)
async def unsupported(a):
    """COPY data, function calls and unknown message types."""
    async def one(text):
        link = await a.pg()
        await a.ask(link, text + SYNC, seconds=3)
    await a.together([one(text) for text in [
        message(b"d", b"x" * 100000) * 5, message(b"c"), message(b"f", "no"),
        message(b"F", b"\0" * 20), message(b"z", b"what"), query("COPY "
                "patients TO STDOUT"), message(b"p", "SCRAM-SHA-256"),
        message(b"H") * 1000]])


@attack(pause=0.5)
async def sync_flood(a):
    """Tens of thousands of Syncs whose replies are not read."""
    link = await a.pg(receive_bytes=4096)
    link.writer.transport.pause_reading()
    for _ in range(40):
        link.send(SYNC * 2000)
        await drained(link.writer, 5)
    a.seen["sent whole"] += 1
    await asyncio.sleep(2)


@attack(pause=1)
async def unread_replies(a):
    """Twenty-five large replies that nobody reads."""
    async def one(i):
        link = await a.pg(receive_bytes=4096)
        link.writer.transport.pause_reading()
        link.send(query(f"{LARGE} -- {i}"))
        a.seen["asked"] += 1
        await asyncio.sleep(12)
    await a.together([one(i) for i in range(25)])


@attack(pause=1)
async def slow_reader(a):
    """Large replies read at a byte a second."""
    async def one(i):
        link = await a.pg(receive_bytes=4096)
        link.writer.transport.pause_reading()
        link.send(query(f"{LARGE} LIMIT {100000 + i}"))
        for _ in range(12):
            link.writer.transport.resume_reading()
            await link.reader.readexactly(1)
            link.writer.transport.pause_reading()
            await asyncio.sleep(1)
        a.seen["read slowly"] += 1
    await a.together([one(i) for i in range(8)])


@attack(pause=0.2)
async def reconnect_storm(a):
    """Logs in, asks nothing and leaves, over and over."""
    async def one():
        for _ in range(10):
            link = await a.pg()
            await link.end()
    await a.together([one() for _ in range(4)])


@attack(pause=1)
async def session_flood(a):
    """A hundred idle sessions of one analyst."""
    async def one():
        await a.pg()
    for _ in range(10):
        await a.together([one() for _ in range(10)])
    await asyncio.sleep(5)
