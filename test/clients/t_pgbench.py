"""pgbench in each of its query modes, with many clients at once."""
import pathlib
import re
import subprocess
import tempfile
import unittest

from client import ClientCase, need_command

PGBENCH = need_command("pgbench")

SCRIPT = """\\set floor random(1, 3)
SELECT count(*) FROM departments WHERE floor = :floor;
SELECT sex, count(*) FROM patients GROUP BY sex;
"""


class Pgbench(ClientCase):
    def test_every_way_of_asking(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "ask.sql"
            script.write_text(SCRIPT)
            for mode in ["simple", "extended", "prepared"]:
                done = subprocess.run(
                    [PGBENCH, "-n", "-M", mode, "-c", "4", "-j", "2", "-t",
                     "10", "-f", str(script)], check=False, text=True,
                    env=self.environment(), timeout=60,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                with self.subTest(mode=mode, said=done.stderr[-500:]):
                    self.assertEqual(done.returncode, 0)
                    self.assertEqual(
                        re.search(r"actually processed: (\S+)",
                                  done.stdout).group(1), "40/40")
                    self.assertIn("failed transactions: 0", done.stdout)


if __name__ == "__main__":
    unittest.main()
