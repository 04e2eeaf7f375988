"""PostgreSQL's JDBC driver: see Client.java."""
import os
import subprocess
import unittest

from client import HERE, ClientCase, need_command, skip

JAVA = need_command("java")
DRIVER = "/usr/share/java/postgresql.jar"
if not os.path.exists(DRIVER):
    skip("the JDBC driver")


class Jdbc(ClientCase):
    def test_all_of_it(self):
        url = (f"jdbc:postgresql://127.0.0.1:{self.server.pg}/custos"
               f"?user=ana&password={self.store.passwords['ana']}")
        for more in ["", "&binaryTransfer=true&prepareThreshold=1",
                     "&preferQueryMode=simple"]:
            done = subprocess.run(
                [JAVA, "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp",
                 DRIVER, str(HERE / "Client.java"), url + more], check=False,
                text=True, timeout=120, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)
            with self.subTest(more=more, said=done.stdout + done.stderr):
                self.assertEqual(done.returncode, 0)
                self.assertTrue(done.stdout.endswith("done\n"))


if __name__ == "__main__":
    unittest.main()
