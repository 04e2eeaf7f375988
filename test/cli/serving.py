"""Shared by the tests of the server: a small store, a server on free loopback
ports, and an HTTP client.

The data is made so that a reply that contains any of it is noticed: names begin
with a mark, and no two are equal.
"""
import http.client
import importlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from command import CUSTOS, run

DEBIAN = "/usr/bin/python3"  # has Debian's modules, whatever python3 is first in PATH

PEOPLE = 400
MARK = "qzx"
FIRST_ID = 700000000000001  # too long to be part of a number by chance

POLICY = """\
custos: 1
budget: {epsilon: 100000, delta: 1e-6, n: 10000}
query: {epsilon: 1, max_epsilon: 50, delta: 1e-9, min_epsilon: 0, min_rho: 0}
tables:
  patients:
    source: patients.csv
    unit: id
    max_rows: 10000
    comment: Everybody who came in
    columns:
      id: {type: integer}
      sex: {type: text, values: [f, m], nullable: false, comment: as the register has it}
      born: {type: integer, range: [1900, 2025]}
      weight: {type: decimal, scale: 1, range: [0, 200], find_range: true}
      since: {type: date, range: [2000-01-01, 2025-12-31]}
      name: {type: text}
  visits:
    source: visits.csv
    unit: patient_id
    rows_per_unit: 4
    max_rows: 40000
    columns:
      patient_id: {type: integer, references: patients.id}
      department: {type: text, values: [heart, bones, eyes], nullable: false}
      cost: {type: decimal, scale: 2, range: [0, 5000]}
      came: {type: timestamp, range: ["2024-01-01 00:00:00", "2025-12-31 23:59:59"]}
  departments:
    public: true
    source: departments.csv
    columns:
      department: {type: text}
      floor: {type: integer}
views:
  dear: {sql: "SELECT patient_id, cost FROM visits WHERE cost > 1000", comment: Visits that cost much}
analysts:
  ana: {}
  bob: {budget: {epsilon: 3, delta: 1e-8}, tables: {visits: [department, cost]}}
  "Zoë \\"Z\\"": {budget: {epsilon: 1, delta: 1e-8}, window: {epsilon: 0.5, days: 7}}
"""


def skip(what):
    print(f"skipped: {what} is not installed; ./setup --test brings it")
    sys.exit(77)


def need_module(name):
    """Imports a module; if this Python lacks it, runs again with Debian's
    Python."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN) and \
                os.path.exists(DEBIAN):
            os.execv(DEBIAN, [DEBIAN, *sys.argv])
        return skip(f"Python's {name}")


def fill(folder, people=PEOPLE):
    """Writes the tables."""
    made = random.Random(7)
    folder = pathlib.Path(folder)
    with open(folder / "patients.csv", "w", encoding="utf-8") as out:
        print("id,sex,born,weight,since,name", file=out)
        for i in range(people):
            print(FIRST_ID + 13 * i, made.choice("fm"), made.randint(1930, 2020),
                  made.randint(400, 1200) / 10,
                  f"20{made.randint(0, 25):02}-0{made.randint(1, 9)}-11",
                  f"{MARK}{i:05}", sep=",", file=out)
    with open(folder / "visits.csv", "w", encoding="utf-8") as out:
        print("patient_id,department,cost,came", file=out)
        for _ in range(2 * people):
            print(FIRST_ID + 13 * made.randrange(people),
                  made.choice(["heart", "bones", "eyes"]),
                  made.randint(100, 490000) / 100,
                  f"202{made.randint(4, 5)}-0{made.randint(1, 9)}-17 10:30:00",
                  sep=",", file=out)
    (folder / "departments.csv").write_text(
        "department,floor\nheart,1\nbones,2\neyes,2\n")


def table_values(folder):
    """Texts of the private tables that no reply may contain."""
    rows = (pathlib.Path(folder) / "patients.csv").read_text().split()[1:]
    return [row.split(",")[-1] for row in rows] + \
        [row.split(",")[0] for row in rows]


class Store:
    """A folder with data, a policy, a store and the analysts' credentials."""

    def __init__(self, people=PEOPLE, policy=POLICY):
        self.folder = tempfile.TemporaryDirectory()
        self.path = str(pathlib.Path(self.folder.name) / "store")
        fill(self.folder.name, people)
        (pathlib.Path(self.folder.name) / "policy.yaml").write_text(policy)
        self.custos("init", f"{self.folder.name}/policy.yaml")
        self.tokens, self.passwords = {}, {}
        for name in ["ana", "bob", 'Zoë "Z"', ""]:
            self.let_in(name)

    def custos(self, *words, **more):
        done = run(*words, "--store", self.path, **more)
        if done.returncode or done.stderr:
            raise AssertionError(f"{words}: {done.returncode} {done.stderr!r}")
        return done.stdout.decode()

    def let_in(self, name):
        """A password and a token for an analyst, or a token for the owner."""
        said = self.custos(*(["analyst", "add", name] if name
                             else ["owner", "token"]))
        self.tokens[name] = re.search(r"custos_[0-9a-f]{64}", said).group()
        found = re.search(r"password\s+(\S+)", said)
        self.passwords[name] = found.group(1) if found else None

    def close(self):
        self.folder.cleanup()


class Server:
    """`custos serve` on free ports; stop() ends it.

    Replies leave as soon as they can, because on a busy machine a question
    could miss its fixed reply time by chance. Tests of these times pass
    times=True and choose an allowance that every machine meets.
    """

    def __init__(self, store, *words, pg=0, http=0, env=None,
                 host="127.0.0.1", times=False, source="--store"):
        if not times and "--no-response-steps" not in words:
            words = ("--no-response-steps", *words)
        self.log, self.out = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [CUSTOS, "serve", source, store, "--pg", f"127.0.0.1:{pg}",
             "--http", f"{host}:{http}", *words],
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.log, env={**os.environ, **(env or {})})
        self.pg = self.http = None
        limit = time.monotonic() + 60
        while self.http is None and time.monotonic() < limit:
            if self.process.poll() is not None:
                raise AssertionError(f"custos serve ended: {self.said()}")
            found = re.search(r"event=listen.*", self.said())
            for kind, port in re.findall(r"(pg|http)=\S*?:(\d+)", self.said()):
                setattr(self, kind, int(port))
            time.sleep(0 if found else 0.01)
        if self.http is None:
            raise AssertionError(f"custos serve does not listen: {self.said()}")

    def said(self):
        self.log.seek(0)
        return self.log.read().decode()

    def says(self, pattern):
        """Returns the server's log once it contains the pattern, or after 30 s.
        (The server writes its log with a short delay.)"""
        limit = time.monotonic() + 30
        while not re.search(pattern, self.said()) and time.monotonic() < limit:
            time.sleep(0.01)
        return self.said()

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(timeout=60)


class Reply:
    def __init__(self, got):
        self.status = got.status
        self.headers = got.headers
        self.bytes = got.read()

    @property
    def json(self):
        return json.loads(self.bytes)

    @property
    def error(self):
        return self.json["error"]


def call(port, method, path, body=None, token=None, headers=None, tls=None):
    """One request on a connection of its own."""
    kind = http.client.HTTPSConnection if tls else http.client.HTTPConnection
    more = {"context": tls} if tls else {}
    connection = kind("127.0.0.1", port, timeout=60, **more)
    headers = dict(headers or {})
    if token:
        headers.setdefault("Authorization", f"Bearer {token}")
    if isinstance(body, (dict, list)):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    try:
        connection.request(method, path, body=body, headers=headers)
        return Reply(connection.getresponse())
    finally:
        connection.close()
