"""A private sum by another library, to be audited: OpenDP's Laplace mechanism.

    custos audit --exec 'python3 peer.py' --claim 0.5 --range 0:10
    custos audit --exec 'python3 peer.py sensitivity' --claim 0.5 --range 0:10
    custos audit --exec 'python3 peer.py scale' --claim 0.5 --range 0:10

Values are clamped to 0..10, so one person moves the sum by at most 10, and
epsilon 1/2 needs noise of scale 20. The library is right; the two misuses are
ours: `sensitivity` forgets the 10, `scale` passes epsilon where the scale belongs.

Prints as many independent outputs as CUSTOS_AUDIT_OUTPUTS asks for, one a line
with every digit: Python starts once, not for every output. Needs `pip install
opendp`.
"""
import os
import sys

import opendp.prelude as dp

EPSILON, HIGH = 0.5, 10.0
SCALE = {"correct": HIGH / EPSILON, "sensitivity": 1 / EPSILON,
         "scale": EPSILON}

dp.enable_features("contrib")
use = sys.argv[1] if len(sys.argv) > 1 else "correct"
total = sum(min(max(float(line), 0.0), HIGH) for line in sys.stdin)
laplace = dp.m.make_laplace(dp.atom_domain(T=float, nan=False),
                            dp.absolute_distance(T=float), scale=SCALE[use])
try:
    for _ in range(int(os.environ.get("CUSTOS_AUDIT_OUTPUTS", "1"))):
        print(repr(laplace(total)), flush=False)
except BrokenPipeError:  # enough
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
