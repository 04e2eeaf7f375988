"""Small clients of both protocols for the load tests of this folder.

They use raw sockets under asyncio, so that a test can stop in the middle of a
message, read slowly or not at all, and connect from any loopback address.
Nothing here connects beyond loopback.
"""
import asyncio
import base64
import functools
import hashlib
import hmac
import json
import os
import re
import socket
import struct

HOST = "127.0.0.1"
RECEIPT = re.compile(r"\b\d+:[0-9a-f]{64}\b")
READ_LIMIT = 1 << 16

STARTUP, CANCEL, TLS = 0x00030000, 80877102, 80877103


class PgError(Exception):
    """An ErrorResponse, by its SQLSTATE."""

    def __init__(self, code, text):
        super().__init__(f"{code} {text}")
        self.code, self.text = code, text


async def connect(port, source=None, receive_bytes=0):
    """A stream to the server, from a given loopback address."""
    link = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        link.setblocking(False)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if receive_bytes:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        if source:
            link.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
            link.bind((source, 0))
        await asyncio.get_running_loop().sock_connect(link, (HOST, port))
        return await asyncio.open_connection(sock=link, limit=READ_LIMIT)
    except BaseException:
        link.close()
        raise


# ------------------------------------------------------------- PostgreSQL --

def message(kind, *parts):
    """One message: bytes as they are, texts with a final NUL."""
    body = b"".join(p if isinstance(p, bytes) else p.encode() + b"\0"
                    for p in parts)
    return kind + struct.pack(">I", len(body) + 4) + body


def startup(user, **settings):
    words = {"user": user, "database": "custos", **settings}
    body = struct.pack(">I", STARTUP) + b"".join(
        f"{k}\0{v}\0".encode() for k, v in words.items()) + b"\0"
    return struct.pack(">I", len(body) + 4) + body


def query(sql):
    return message(b"Q", sql)


def parse(name, sql, types=()):
    return message(b"P", name, sql, struct.pack(f">H{len(types)}I",
                                                len(types), *types))


def bind(portal, name, values=()):
    body = struct.pack(">HH", 0, len(values))
    for value in values:
        body += struct.pack(">I", len(value)) + value
    return message(b"B", portal, name, body + struct.pack(">H", 0))


def execute(portal, rows=0):
    return message(b"E", portal, struct.pack(">I", rows))


def describe(kind, name):
    return message(b"D", kind, name)


def close(kind, name):
    return message(b"C", kind, name)


SYNC = message(b"S")
TERMINATE = message(b"X")


@functools.lru_cache(maxsize=64)
def salted(password, salt, rounds):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, rounds)


def scram_proof(password, first_bare, first, nonce_seen):
    """The client's last SCRAM message, in reply to the server's first one."""
    said = dict(p.split("=", 1) for p in first.decode().split(","))
    key = salted(password, base64.b64decode(said["s"]), int(said["i"]))
    client = hmac.digest(key, b"Client Key", "sha256")
    if not said["r"].startswith(nonce_seen):
        raise PgError("08P01", "another nonce")
    last = f"c=biws,r={said['r']}"
    signed = ",".join([first_bare, first.decode(), last]).encode()
    mark = hmac.digest(hashlib.sha256(client).digest(), signed, "sha256")
    proof = bytes(a ^ b for a, b in zip(client, mark))
    return f"{last},p={base64.b64encode(proof).decode()}".encode()


def fields(body):
    """The fields of an ErrorResponse or NoticeResponse, by letter."""
    return {part[:1].decode(): part[1:].decode("utf-8", "replace")
            for part in body.split(b"\0") if part}


class Result:
    """The reply to one statement."""

    def __init__(self):
        self.rows, self.n_rows, self.bytes = [], 0, 0
        self.error, self.receipt, self.stored = None, None, False


class Pg:
    """One session. Tests that misbehave use `reader` and `writer` directly."""

    def __init__(self, stream):
        self.reader, self.writer = stream
        self.pid, self.key = 0, b""

    @classmethod
    async def connect(cls, port, user, password, source=None,
                      receive_bytes=0, **settings):
        """Connects and logs in."""
        self = cls(await connect(port, source, receive_bytes))
        try:
            await self.log_in(user, password, settings)
        except BaseException:
            self.abort()
            raise
        return self

    async def log_in(self, user, password, settings):
        self.send(startup(user, **settings))
        nonce = base64.b64encode(os.urandom(18)).decode()
        bare = f"n=,r={nonce}"
        while True:
            kind, body = await self.read()
            if kind == b"R":
                step = struct.unpack(">I", body[:4])[0]
                if step == 10:
                    first = ("n,," + bare).encode()
                    self.send(message(b"p", "SCRAM-SHA-256",
                                      struct.pack(">I", len(first)) + first))
                elif step == 11:
                    self.send(message(b"p", scram_proof(
                        password, bare, body[4:], nonce)))
            elif kind == b"K":
                self.pid, self.key = struct.unpack(">I", body[:4])[0], body[4:]
            elif kind == b"E":
                said = fields(body)
                raise PgError(said.get("C", ""), said.get("M", ""))
            elif kind == b"Z":
                return

    def send(self, data):
        self.writer.write(data)

    async def read(self):
        """The next message: its letter and its body."""
        head = await self.reader.readexactly(5)
        size = struct.unpack(">I", head[1:])[0] - 4
        return head[:1], await self.reader.readexactly(size)

    async def ready(self, keep=1):
        """Everything before the next ReadyForQuery."""
        got = Result()
        while True:
            kind, body = await self.read()
            got.bytes += len(body) + 5
            if kind == b"D":
                got.n_rows += 1
                if got.n_rows <= keep:
                    got.rows.append(body)
            elif kind == b"E":
                said = fields(body)
                got.error = PgError(said.get("C", ""), said.get("M", ""))
            elif kind == b"N":
                said = fields(body)
                words = f"{said.get('M', '')} {said.get('D', '')}"
                found = RECEIPT.search(words)
                got.receipt = found.group() if found else got.receipt
                got.stored = got.stored or "answered before" in words
            elif kind == b"Z":
                return got

    async def ask(self, sql, keep=1):
        """One simple query; its error is in the result."""
        self.send(query(sql))
        return await self.ready(keep)

    async def cancel(self, port, source=None, key=None):
        _, writer = await connect(port, source)
        key = self.key if key is None else key
        body = struct.pack(">II", CANCEL, self.pid) + key
        writer.write(struct.pack(">I", len(body) + 4) + body)
        await drained(writer)
        writer.close()

    async def end(self):
        self.send(TERMINATE)
        await drained(self.writer)
        self.writer.close()

    def abort(self):
        self.writer.transport.abort()


async def drained(writer, seconds=10):
    await asyncio.wait_for(writer.drain(), seconds)


# ------------------------------------------------------------------- HTTP --

def request(method, path, body=None, token=None, headers=()):
    """One request as bytes; a body that is not bytes is sent as JSON."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body is not None:
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
            lines.append("Content-Type: application/json")
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


class Http:
    """One kept-alive connection."""

    def __init__(self, stream):
        self.reader, self.writer = stream

    @classmethod
    async def connect(cls, port, source=None, receive_bytes=0):
        return cls(await connect(port, source, receive_bytes))

    def send(self, data):
        self.writer.write(data)

    async def reply(self):
        """Status and body of the next reply."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if found:
            return status, await self.reader.readexactly(int(found.group(1)))
        if b"chunked" in head.lower():
            return status, await self.chunks()
        return status, b""

    async def chunks(self):
        whole = b""
        while True:
            size = int(await self.reader.readuntil(b"\r\n"), 16)
            whole += (await self.reader.readexactly(size + 2))[:-2]
            if not size:
                return whole

    async def ask(self, method, path, body=None, token=None, headers=()):
        self.send(request(method, path, body, token, headers))
        return await self.reply()

    async def query(self, sql, token, **more):
        """POST /v1/query: the status and the reply's object."""
        status, body = await self.ask("POST", "/v1/query",
                                      {"sql": sql, **more}, token)
        return status, json.loads(body)

    async def end(self):
        self.writer.close()

    def abort(self):
        self.writer.transport.abort()
