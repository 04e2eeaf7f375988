"""What the clients in other languages share: where the library is, and what they
expect of it. A library built with a sanitizer cannot be loaded by Python."""
import math
import os
import pathlib
import sys

SRC = pathlib.Path(os.environ["SRC"])
LIBRARY = pathlib.Path(os.environ["BUILD"]) / "src/libcustos.so.0"
HEADER = SRC / "include/custos.h"
SYMBOLS = (SRC / "test/abi/symbols.txt").read_text().split()


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def load(how):
    """The library, loaded by how(path)."""
    code = LIBRARY.read_bytes()
    if b"__asan_init" in code or b"__tsan_init" in code:
        skip("Python cannot load a library that was built with a sanitizer")
    return how(str(LIBRARY))


def gauss_delta(mu, epsilon):
    """delta of Gaussian noise whose mean moves by mu deviations."""
    def tail(x):
        return math.erfc(x / math.sqrt(2)) / 2
    return (tail(epsilon / mu - mu / 2)
            - math.exp(epsilon) * tail(epsilon / mu + mu / 2))


def curve(losses, masses, infinite, epsilon):
    """delta of a privacy-loss distribution that arrays describe."""
    return infinite + math.fsum(-p * math.expm1(epsilon - x)
                                for x, p in zip(losses, masses) if x > epsilon)
