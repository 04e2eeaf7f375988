"""doc/admin.md is true: its commands, run in order, print what the page shows,
up to numbers, secrets and times.
"""
import re
import shutil
import subprocess
import unittest

from command import CUSTOS
from document import PageCase
from serving import skip
from t_readme import SRC

for program in ["psql", "curl", "openssl"]:
    if not shutil.which(program):
        skip(program)

PAGE = (SRC / "doc/admin.md").read_text()


class Admin(PageCase):
    def test_clients_that_the_build_does_not_install(self):
        """The page says how to install the clients that it uses but `make` does
        not install."""
        setup = (SRC / "setup").read_text()
        brought = re.search(r'^packages="(.*?)"', setup, re.S | re.M).group(1)
        self.assertNotIn("postgresql-client", brought)
        self.assertNotIn("curl", brought.split())
        first = PAGE.split("## 2.")[0]
        for package in ("postgresql-client", "curl"):
            self.assertIn(f"apt-get install {package}", first)

    def test_in_order(self):
        self.assertGreaterEqual(self.run_page(PAGE, not_run={"make"}), 18)

    def test_the_policy_shown_is_the_demos(self):
        part = re.search(r"```yaml\n(.*?)```", PAGE, re.S).group(1)
        subprocess.run([CUSTOS, "demo", "--people", "1000", "--keep", "x"],
                       check=True, cwd=self.folder, stdout=subprocess.DEVNULL)
        with open(f"{self.folder}/x/policy.yaml", encoding="utf-8") as file:
            self.assertIn(part, file.read())


if __name__ == "__main__":
    unittest.main()
