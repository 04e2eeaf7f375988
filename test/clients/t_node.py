"""node-postgres: see client.js."""
import subprocess
import unittest

from client import DEPS, HERE, ClientCase, need_command, skip

NODE = need_command("node")
MODULES = DEPS / "node/node_modules"
if not MODULES.exists():
    skip("node-postgres")


class Node(ClientCase):
    def test_all_of_it(self):
        done = subprocess.run(
            [NODE, str(HERE / "client.js"), str(MODULES), self.url()],
            check=False, text=True, timeout=60, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"),
                         done.stderr)


if __name__ == "__main__":
    unittest.main()
