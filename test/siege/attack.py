"""What an attack is: a coroutine that runs one round, with a few helpers.

A round opens connections, does harm and ends by itself; what it left open is
then closed. Rounds repeat with pauses until the time is up. An attack counts
the outcomes of its requests, so that a siege can show that each attack really
ran. It keeps the receipt of every private answer, to be looked up in the
ledger.
"""
import asyncio
import collections
import contextlib
import json
import random
import time

from wire import Http, Pg, PgError, connect, drained

ROUND_SECONDS = 25
# Exceptions that a broken connection raises on this side.
BROKEN = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError,
          asyncio.TimeoutError, PgError, ValueError)

ATTACKS = {}


def attack(pause=1.0, seconds=ROUND_SECONDS):
    """Registers a round under its function's name, with the mean pause after it
    and its time limit."""
    def add(function):
        ATTACKS[function.__name__] = (function, pause, seconds)
        return function
    return add


class Attack:
    """One attack, from one address. `who` is the hostile analyst as whom it
    logs in, unless a round says otherwise."""

    def __init__(self, name, number, target):
        self.name, self.target = name, target
        self.round, self.pause, self.seconds = ATTACKS[name]
        self.dice = random.Random(f"{target['seed']} {name}")
        hostile = target["hostile"]
        self.who = hostile[number % len(hostile)]
        self.source = f"127.0.1.{number + 1}"
        self.seen = collections.Counter()
        self.receipts, self.slowest = [], 0.0
        self.opened = []

    # ---------------------------------------------------------- connections

    async def pg(self, who=None, password=None, **more):
        """A session that has logged in."""
        who = who or self.who
        link = await asyncio.wait_for(
            Pg.connect(self.target["pg"], who,
                       password or self.target["passwords"][who],
                       self.source, **more), ROUND_SECONDS)
        self.opened.append(link)
        self.seen["logins"] += 1
        return link

    async def raw(self, kind="pg", receive_bytes=0):
        """A connection on which nothing was sent yet."""
        cls = Pg if kind == "pg" else Http
        link = cls(await connect(self.target[kind], self.source,
                                 receive_bytes))
        self.opened.append(link)
        self.seen["connections"] += 1
        return link

    @property
    def token(self):
        return self.target["tokens"][self.who]

    def close(self):
        for link in self.opened:
            with contextlib.suppress(Exception):
                link.abort()
        del self.opened[:]

    # -------------------------------------------------------------- replies

    def note(self, result):
        """Counts a reply; keeps its receipt."""
        if result.error:
            self.seen[result.error.code or "error"] += 1
            if result.error.code in ("57014", "57P05"):
                self.seen["ended"] += 1
        else:
            self.seen["answers"] += 1
        if result.receipt and not result.error:
            self.receipts.append(result.receipt)
        return result

    async def ask(self, link, sql, seconds=15.0):
        """One statement and its reply; None if none came in time."""
        began = time.monotonic()
        try:
            link.send(sql if isinstance(sql, bytes) else _query(sql))
            return self.note(await asyncio.wait_for(link.ready(), seconds))
        except asyncio.TimeoutError:
            self.seen["no reply"] += 1
            return None
        finally:
            self.slowest = max(self.slowest, time.monotonic() - began)

    async def ask_later(self, link, sql, seconds=15.0):
        """A task that asks. It counts its own failure, because the code that
        started it may have ended by then."""
        async def one():
            try:
                return await self.ask(link, sql, seconds)
            except BROKEN as error:
                self.broke(error)
                return None
        return asyncio.create_task(one())

    def note_http(self, status, body=b""):
        self.seen[f"HTTP {status}"] += 1
        if status == 200 and body.startswith(b"{"):
            with contextlib.suppress(ValueError):
                got = json.loads(body)
                if got.get("kind") == "private" and got.get("receipt"):
                    self.receipts.append(got["receipt"])

    async def get(self, link, method, path, body=None, token=None,
                  seconds=15.0, headers=()):
        """One request and its reply; None if none came in time."""
        began = time.monotonic()
        try:
            status, data = await asyncio.wait_for(
                link.ask(method, path, body, token, headers), seconds)
            self.note_http(status, data)
            return status
        except asyncio.TimeoutError:
            self.seen["no reply"] += 1
            return None
        finally:
            self.slowest = max(self.slowest, time.monotonic() - began)

    # ----------------------------------------------------------------- runs

    async def together(self, works):
        """Runs all of them; a failure is counted and does not affect the
        others."""
        done = await asyncio.gather(*works, return_exceptions=True)
        for error in done:
            if isinstance(error, asyncio.CancelledError):
                raise error
            if isinstance(error, BaseException):
                self.broke(error)

    def broke(self, error):
        if not isinstance(error, BROKEN):
            raise error
        code = error.code if isinstance(error, PgError) else ""
        self.seen[f"broken {code or type(error).__name__}"] += 1

    async def once(self):
        self.seen["rounds"] += 1
        try:
            await asyncio.wait_for(self.round(self), self.seconds)
        except BROKEN as error:
            self.broke(error)
        finally:
            self.close()

    async def repeat(self, until):
        """Runs rounds until a time of the monotonic clock; at least one."""
        await asyncio.sleep(self.dice.random() * min(
            3.0, max(0.0, until - time.monotonic()) / 4))
        while time.monotonic() < until:
            await self.once()
            await asyncio.sleep(self.pause * (0.5 + self.dice.random()))


def _query(sql):
    data = sql.encode() + b"\0"
    return b"Q" + (len(data) + 4).to_bytes(4, "big") + data


async def drip(link, data, pause, most=1 << 30):
    """Sends a byte at a time."""
    for i in range(min(len(data), most)):
        link.send(data[i:i + 1])
        await drained(link.writer)
        await asyncio.sleep(pause)
