"""The process in which attacks run: it reads one line of JSON from standard
input, which says whom to attack and how, and prints the results as one line of
JSON.

It ends when its time is up or its standard input is closed, so that it does not
outlive the siege. It runs at nice 10, so that on a small machine the honest
clients and the server come first.
"""
import asyncio
import contextlib
import json
import os
import resource
import sys
import time

import attacks_http  # noqa: F401 pylint: disable=unused-import
import attacks_pg  # noqa: F401 pylint: disable=unused-import
import attacks_sql  # noqa: F401 pylint: disable=unused-import
from attack import ATTACKS, Attack

NICE = 10


async def wait_for_end(seconds):
    """Waits until standard input is closed, or this many seconds."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(reader.read(), seconds)


async def end_all(tasks):
    """Cancels everything until these tasks have ended. Once may not suffice: a
    wait_for whose awaitable ends at the moment of the cancel loses it."""
    waiting = set(tasks)
    while waiting:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        _, waiting = await asyncio.wait(waiting, timeout=1)


async def run(target):
    # A failure at the moment of a timeout was counted as a timeout.
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    until = time.monotonic() + target["seconds"]
    numbers = {name: i for i, name in enumerate(ATTACKS)}
    attacks = [Attack(name, numbers[name], target)
               for name in target["attacks"]]
    tasks = [asyncio.create_task(a.repeat(until)) for a in attacks]
    await wait_for_end(target["seconds"])
    await end_all(tasks)
    done = await asyncio.gather(*tasks, return_exceptions=True)
    return [{"name": a.name, "who": a.who, "seen": a.seen,
             "receipts": a.receipts, "slowest": a.slowest,
             "cpu": time.process_time() / len(attacks),
             "fault": repr(error) if isinstance(error, Exception) else None}
            for a, error in zip(attacks, done)]


def main():
    os.nice(NICE)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 65536), most))
    target = json.loads(sys.stdin.readline())
    print(json.dumps(asyncio.run(run(target))))


if __name__ == "__main__":
    main()
