"""`custos analyst` and `custos owner` on a small store."""
import base64
import hashlib
import hmac
import json
import pathlib
import shutil
import sqlite3
import stat
import tempfile
import time
import unittest

from command import CommandCase, lines, run
from people import PEOPLE

POLICY = PEOPLE + """\
analysts:
  ana: {}
  bo: {}
"""


def stored_key(password, verifier):
    """The StoredKey that a password gives with a verifier's salt, and the one
    in the verifier."""
    _, terms, keys = verifier.split("$")
    count, salt = terms.split(":")
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(),
                                 base64.b64decode(salt), int(count))
    client = hmac.digest(salted, b"Client Key", "sha256")
    return (base64.b64encode(hashlib.sha256(client).digest()).decode(),
            keys.split(":")[0])


class Doors(CommandCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.store = self.folder / "store"
        (self.folder / "policy.yaml").write_text(POLICY)
        (self.folder / "people.csv").write_text("id,age\n1,2\n")
        self.init()

    def init(self):
        lines("init", str(self.folder / "policy.yaml"), "--store",
              str(self.store))

    def analyst(self, *args, **more):
        return lines("analyst", *args, "--store", str(self.store), **more)

    def no_analyst(self, *args, says, stdin=""):
        self.refused("analyst", *args, "--store", str(self.store), stdin=stdin,
                     says=says)

    def doors(self):
        db = sqlite3.connect(self.store / "ledger.db")
        try:
            return {name: (verifier, token) for name, verifier, token in
                    db.execute("SELECT doors.name, verifier, hash FROM doors "
                               "JOIN tokens ON tokens.name = doors.name "
                               "AND access = 0 ORDER BY tokens.seq")}
        finally:
            db.close()

    def add(self, verb, name):
        return json.loads(self.analyst(verb, name, "--json")[0])

    def assert_opens(self, given):
        verifier, token = self.doors()[given["name"]]
        self.assertEqual(*stored_key(given["password"], verifier))
        self.assertEqual(hashlib.sha256(given["token"].encode()).digest(),
                         token)
        self.assertRegex(given["token"], "^custos_[0-9a-f]{64}$")
        self.assertRegex(given["password"], "^[a-z2-9]{20}$")

    def test_secrets_are_shown_once_and_kept_hashed(self):
        first = self.add("add", "ana")
        self.assert_opens(first)
        second = self.add("rotate", "ana")
        self.assert_opens(second)
        self.assertNotEqual(first["token"], second["token"])
        self.assertNotEqual(first["password"], second["password"])
        for path in self.store.rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                for secret in (first, second):
                    self.assertNotIn(secret["token"].encode(), data)
                    self.assertNotIn(secret["password"].encode(), data)
                self.assertEqual(stat.S_IMODE(path.stat().st_mode) & 0o77, 0)
        self.analyst("revoke", "ana")
        self.assertEqual(self.doors(), {})

    def test_acts_are_rows(self):
        self.analyst("add", "ana")
        self.analyst("rotate", "ana")
        self.analyst("revoke", "ana")
        lines("owner", "token", "--store", str(self.store))
        rows = json.loads("".join(
            lines("ledger", "--json", "--store", str(self.store))))["rows"]
        told = [(row["what"], row["words"]) for row in rows][-4:]
        self.assertEqual(told, [("add", "ana"), ("rotate", "ana"),
                                ("revoke", "ana"), ("add", "owner")])
        lines("ledger", "verify", "--store", str(self.store))

    def test_password_from_standard_input(self):
        told = self.analyst("add", "ana", "--password",
                            stdin="correct horse\nmore")
        self.assertNotIn("correct horse", " ".join(told))
        verifier, _ = self.doors()["ana"]
        self.assertEqual(*stored_key("correct horse", verifier))
        for bad in ("", "\n", "caf\u00e9\n", "x" * 1100 + "\n"):
            done = run("analyst", "add", "bo", "--password", "--store",
                       str(self.store), stdin=bad)
            self.assertEqual(done.returncode, 2, bad)
        self.assertNotIn("bo", self.doors())

    def test_refusals(self):
        self.no_analyst("add", "eve", says="no analyst named eve")
        self.no_analyst("rotate", "ana", says="add issues them")
        self.no_analyst("revoke", "ana", says="no password")
        self.no_analyst("add", says="needs add")
        self.no_analyst("add", "", says="owner token")
        self.no_analyst("drop", "ana", says="no custos analyst drop")
        self.no_analyst("list", "ana", says="list")
        self.analyst("add", "ana")
        self.no_analyst("add", "ana", says="rotate issues new ones")

    def test_list_says_who_was_revoked(self):
        self.analyst("add", "bo")
        self.analyst("revoke", "bo")
        told = "\n".join(self.analyst("list"))
        self.assertRegex(told, r"(?m)^bo +revoked$")
        self.assertRegex(told, r"(?m)^ana +no password yet$")
        self.analyst("add", "bo")
        self.assertRegex("\n".join(self.analyst("list")),
                         r"(?m)^bo +can log in$")

    def test_list(self):
        self.analyst("add", "ana")
        states = {one["name"]: one["state"] for one in
                  self.analysts()}
        self.assertEqual(states, {"ana": "can log in",
                                  "bo": "no password yet"})
        (self.folder / "policy.yaml").write_text(
            POLICY.replace("  ana: {}\n", ""))
        self.init()
        told = "\n".join(self.analyst("list"))
        self.assertRegex(told, "ana +not in the policy")
        self.analyst("revoke", "ana")

    def analysts(self):
        return json.loads("".join(self.analyst("list", "--json")))["analysts"]

    def tokens(self, name):
        for one in self.analysts():
            if one["name"] == name:
                return one

    def test_a_second_token(self):
        """The old token stays valid until its grace period ends or --end-old
        ends it."""
        first = self.add("add", "ana")
        self.no_analyst("token", "ana", says="--rotate")
        self.no_analyst("token", "bo", "--rotate", says="no password")
        second = json.loads(self.analyst("token", "ana", "--rotate", "--json",
                                         "--expires", "90d")[0])
        self.assertIsNone(second["password"])
        self.assertIsNotNone(second["expires"])
        self.assertNotEqual(first["token"], second["token"])
        seen = self.tokens("ana")
        self.assertEqual([t["expires"] is None for t in seen["tokens"]],
                         [False, True])
        self.assertIn("old token still valid", self.analyst("list")[0])
        self.analyst("token", "ana", "--end-old")
        self.assertEqual(len(self.tokens("ana")["tokens"]), 1)
        self.no_analyst("token", "ana", "--end-old", says="no older token")
        done = run("analyst", "token", "ana", "--rotate", "--grace", "7d",
                   "--store", str(self.store))
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"warning: the new token never expires, unlike the old",
                      done.stderr)
        seen = self.tokens("ana")
        self.assertEqual([t["expires"] is None for t in seen["tokens"]],
                         [True, False])
        self.assertRegex(self.analyst("list")[0],
                         r"can log in; old token until 2\d{3}-")
        for bad in ("7", "d", "-1d", "1w", "99999d", "1d2"):
            self.no_analyst("token", "ana", "--rotate", "--grace", bad,
                            says="must be a length of time")

    def test_a_lost_expiry_is_told(self):
        """A new password and token do not inherit the expiry of the old
        ones."""
        at = ("--store", str(self.store))
        self.analyst("add", "ana", "--expires", "9d")
        done = run("analyst", "rotate", "ana", *at)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, b"^custos: warning: the new password and "
                         b"token never expire, unlike the old ones\nhint: .*"
                         b"--expires.*\n$")
        for verb in ("token", "metrics-token"):
            lines("owner", verb, "--expires", "9d", *at)
            lines("owner", verb, "--expires", "9d", *at)
            done = run("owner", verb, *at)
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"warning: the new token never expires, unlike the "
                          b"old one", done.stderr)
            lines("owner", verb, *at)

    def test_expiry_is_listed(self):
        self.analyst("add", "ana", "--expires", "1s")
        self.assertRegex(self.analyst("list")[0],
                         r"; password until .*; token until ")
        time.sleep(1.1)
        self.assertIn("expired", self.analyst("list")[0])
        self.assertIsNone(self.tokens("bo")["password_expires"])

    def test_owner(self):
        token = lines("owner", "token", "--store", str(self.store))[0].split()
        self.assertEqual(self.doors()[""],
                         ("", hashlib.sha256(token[1].encode()).digest()))
        again = lines("owner", "token", "--store", str(self.store))[0].split()
        self.assertNotEqual(token, again)
        lines("owner", "token", "--revoke", "--store", str(self.store))
        self.assertEqual(self.doors(), {})
        self.refused("owner", "reload", "--store", str(self.store),
                     says="no server of yours")
        self.refused("owner", "cut", "--store", str(self.store), says="cut")
        self.refused("owner", "relaod", "--store", str(self.store),
                     says="did you mean reload")


if __name__ == "__main__":
    unittest.main()
