"""An honest analyst during a siege: asks a new charged question at fixed
intervals, logs in again every few seconds, and records the replies and their
times.
"""
import asyncio
import itertools
import json
import time

from attack import BROKEN
from wire import Http, Pg, PgError

RENEW_SECONDS = 5
# After this many seconds a question counts as not answered.
PATIENCE = 30
PRICE = "0.01"

numbers = itertools.count(3000000)


class Answer:
    """A private answer as the asker received it."""

    def __init__(self, who, sql, receipt, seconds):
        self.who, self.sql = who, sql
        self.receipt, self.seconds = receipt, seconds


class Honest:
    """One analyst with one protocol. If the connection breaks, the question
    counts as not answered; the next one is asked on a new connection."""

    def __init__(self, server, store, who, by_http):
        self.server, self.store, self.who = server, store, who
        self.by_http = by_http
        self.link, self.renew_at = None, 0.0
        self.answers, self.missing, self.logins = [], [], []
        self.login_failures = []

    async def log_in(self):
        """Closes the old connection and logs in on a new one."""
        if self.link:
            self.link.abort()
            self.link = None
        began = time.monotonic()
        if self.by_http:
            link = await Http.connect(self.server.http)
            status, _ = await link.ask("GET", "/v1/me",
                                       token=self.store.tokens[self.who])
            if status != 200:
                link.abort()
                raise PgError(str(status), "login by HTTP")
        else:
            link = await Pg.connect(self.server.pg, self.who,
                                    self.store.passwords[self.who])
        self.link = link
        self.renew_at = time.monotonic() + RENEW_SECONDS
        self.logins.append(time.monotonic() - began)

    async def question(self, sql):
        """Asks a question; returns its receipt."""
        if self.by_http:
            status, body = await self.link.ask(
                "POST", "/v1/query", {"sql": sql, "epsilon": PRICE},
                self.store.tokens[self.who])
            if status != 200:
                raise PgError(str(status), body[:200])
            return json.loads(body)["receipt"]
        got = await self.link.ask(sql)
        if got.error:
            raise got.error
        return got.receipt

    async def once(self):
        sql = f"SELECT count(*) FROM patients WHERE born <> {next(numbers)}"
        if not self.link or time.monotonic() > self.renew_at:
            try:
                await asyncio.wait_for(self.log_in(), PATIENCE)
            except BROKEN as error:
                self.login_failures.append(repr(error))
                self.missing.append(f"{self.who}: login: {error!r}")
                return
        began = time.monotonic()
        try:
            receipt = await asyncio.wait_for(self.question(sql), PATIENCE)
        except BROKEN as error:
            self.missing.append(f"{self.who}: {sql}: {error!r}")
            self.link.abort()
            self.link = None
            return
        self.answers.append(Answer(self.who, sql, receipt,
                                   time.monotonic() - began))

    async def repeat(self, start, every, until):
        """Asks at start, start + every, ... by the monotonic clock."""
        due = start
        while due < until():
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if due >= until():
                break
            await self.once()
            # a question that took longer than the interval delays the next
            due = max(due + every, time.monotonic())


def percentile(values, part):
    """The value below which this part (0 to 1) of the values lies."""
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]
