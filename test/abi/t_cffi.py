"""A client in Python by cffi. Its declarations are the whole public header, as it
is: cffi knows no 128-bit type, so the header must have none."""
import os
import re
import subprocess
import unittest

from client import HEADER, SYMBOLS, curve, gauss_delta, load, skip

try:
    import cffi
except ImportError:
    skip("python3-cffi is not installed for this Python")


def declarations():
    """The header after the preprocessor, without those of the system."""
    text = re.sub(r"^#include.*$", "", HEADER.read_text(), flags=re.M)
    return subprocess.run(
        [os.environ.get("CC", "cc"), "-E", "-P", "-U__GNUC__", "-x", "c", "-"],
        input=text.replace("NULL", "((void *)0)"), text=True, check=True,
        stdout=subprocess.PIPE).stdout


FFI = cffi.FFI()
FFI.cdef(declarations())
LIB = load(FFI.dlopen)


def text(chars):
    return FFI.string(chars).decode()


def sized(name):
    """A new struct that begins with its size."""
    made = FFI.new(f"custos_{name} *")
    made.size = FFI.sizeof(made[0])
    return made


def call(name, *args):
    err = sized("err")
    if getattr(LIB, "custos_" + name)(*args, err):
        raise ValueError(text(err.said))


def handle(kind, make, *args):
    """A new handle, which is freed when Python forgets it."""
    out = FFI.new(f"custos_{kind} **")
    call(make, *args, out)
    return FFI.gc(out[0], getattr(LIB, f"custos_{kind}_free"))


def plan(*mechanisms):
    made = handle("plan", "plan_new", FFI.NULL, LIB.CUSTOS_ADD_REMOVE)
    for mechanism in mechanisms:
        call("plan_add", made, mechanism.encode())
    return made


def options(name, **given):
    """An options struct, and what keeps its texts alive."""
    made, kept = sized(name), []
    for key, value in given.items():
        if isinstance(value, str):
            kept.append(FFI.new("char[]", value.encode()))
            value = kept[-1]
        setattr(made, key, value)
    return made, kept


class Client(unittest.TestCase):
    def test_symbols(self):
        """Every function that the library exports is declared, and found."""
        for name in SYMBOLS:
            self.assertTrue(callable(getattr(LIB, name)), name)

    def test_wide_release(self):
        values, n = [2 ** 100, -2 ** 100, 5], 3
        how, kept = options("mech_options", kind=LIB.CUSTOS_LAPLACE,
                            domain=LIB.CUSTOS_WIDE, values=n, epsilon="1",
                            sensitivity="1")
        words = [(x & 2 ** 64 - 1, x >> 64) for x in values]
        sealed = handle("sealed", "seal_wide", FFI.NULL,
                        FFI.new("custos_wide[]", words), n)
        mech = handle("mech", "mech_new", FFI.NULL, how)
        out, bar = FFI.new("custos_wide[]", n), FFI.new("int64_t *")
        call("release_wide", mech, handle("rng", "rng_new"), sealed, out, n)
        call("mech_error_i64", mech, b"1e-9", n, bar)
        for got, exact in zip(out, values):
            self.assertLessEqual(abs((got.high << 64) + got.low - exact),
                                 bar[0])
        self.assertEqual(text(LIB.custos_mech_facts(mech).theorem),
                         "laplace-discrete")
        self.assertTrue(kept)

    def test_pld(self):
        one = handle("pld", "pld_new", plan("gaussian:sigma=2"))
        pld = handle("pld", "pld_self_compose", one, 4)  # mu = 1
        at, n = sized("interval"), 2001
        call("pld_epsilon", pld, b"1e-6", FFI.NULL, at)
        low, high = float(text(at.low)), float(text(at.high))
        self.assertLessEqual(gauss_delta(1, high), 1e-6 * (1 + 1e-9))
        self.assertGreaterEqual(gauss_delta(1, low), 1e-6 * (1 - 1e-9))
        losses, masses = FFI.new("double[]", n), FFI.new("double[]", n)
        infinite = FFI.new("double *")
        call("pld_arrays", pld, b"1e-6", losses, masses, n, infinite)
        for epsilon in 0, 2, 4:
            exact = gauss_delta(1, epsilon)
            got = curve(losses, masses, infinite[0], epsilon)
            self.assertGreaterEqual(got, exact * (1 - 1e-12))
            self.assertLess(got, exact * 1.05)
        again = handle("pld", "pld_of_arrays", FFI.NULL, LIB.CUSTOS_ADD_REMOVE,
                       losses, masses, n, infinite[0])
        call("pld_epsilon", again, b"1e-6", FFI.NULL, at)
        self.assertGreaterEqual(float(text(at.high)), low)

    def test_facts(self):
        how, _ = options("select_options", epsilon="0.5")
        facts = sized("select_facts")
        call("select_report", how, facts)
        self.assertEqual(text(facts.scale), "4")
        how, _ = options("sparse_options", answers=1, epsilon="1")
        sparse = handle("sparse", "sparse_new", FFI.NULL, how,
                        handle("rng", "rng_new"))
        self.assertEqual(text(LIB.custos_sparse_report(sparse).epsilon), "1")

    def test_vectors(self):
        how, _ = options("rr_options", kind=LIB.CUSTOS_RR_TWO_COINS)
        rr, room = handle("rr", "rr_new", FFI.NULL, how), 1024
        estimates = FFI.new("char[]", 2 * room)
        call("rr_estimate", rr, FFI.new("uint64_t[]", [40, 60]), 2, 100,
             estimates, room)
        self.assertEqual(text(estimates), "0.3")
        self.assertEqual(text(estimates + room), "0.7")

    def test_messages(self):
        with self.assertRaisesRegex(ValueError, "epsilon of laplace must be above 0"):
            plan("laplace:epsilon=0")
        bound = FFI.new("custos_bound *")  # without its size
        with self.assertRaisesRegex(ValueError, "must have its size"):
            call("convert_budget", b"1", b"1e-6", LIB.CUSTOS_IN_ZCDP, FFI.NULL,
                 bound)


unittest.main(verbosity=2)
