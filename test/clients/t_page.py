"""The programs in doc/analyst.md that connect to a server run unchanged except
for the ports; PGPASSWORD and TOKEN come from the environment."""
import re
import subprocess
import unittest

from client import HERE, ClientCase, need_module
from serving import DEBIAN

need_module("psycopg")
need_module("sqlalchemy")

PAGE = (HERE.parent.parent / "doc/analyst.md").read_text()
PART = re.search(r"^## Connect with your tool\n(.*?)^## ", PAGE,
                 re.S | re.M).group(1)
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.S | re.M)


class Page(ClientCase):
    def test_every_program(self):
        ran = 0
        for kind, text in BLOCK.findall(PART):
            text = text.replace("6432", str(self.server.pg))
            text = text.replace("8080", str(self.server.http))
            done = subprocess.run(
                ["sh" if kind == "sh" else DEBIAN, "-c", text], check=False,
                text=True, timeout=60, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**self.environment(), "TOKEN": self.store.tokens["ana"]})
            ran += 1
            with self.subTest(text=text, said=done.stderr):
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stdout, r"\d\d")
        self.assertEqual(ran, 4)


if __name__ == "__main__":
    unittest.main()
