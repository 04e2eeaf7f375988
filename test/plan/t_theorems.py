"""Every theorem that a golden plan names exists: a comment in the source has
its id."""
import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ["SRC"])
named = set()
for line in (root / "test/plan/golden.txt").read_text().splitlines():
    if line.startswith("rests on"):
        named.update(line.split()[2:])
stated = set()
for path in root.glob("src/*/**/*.[ch]"):
    stated.update(re.findall(r"THEOREM\s+([a-z][a-z0-9-]*)", path.read_text()))
missing = sorted(named - stated)
print(f"{len(named)} theorems named by plans, {len(missing)} not stated", *missing)
sys.exit(bool(missing) or len(named) < 10)
