"""A client in Python by ctypes, with structs declared by hand as the header has
them. It needs no 128-bit type: wide numbers are two words."""
import ctypes
import unittest
from ctypes import (POINTER, byref, c_char, c_char_p, c_double, c_int, c_int64,
                    c_size_t, c_uint64, c_void_p, sizeof)

from client import SYMBOLS, curve, gauss_delta, load

LIB = load(ctypes.CDLL)
NUMBER_MAX = 32
LAPLACE, WIDE, ADD_REMOVE, DISCRETE_LAPLACE, BINARY_TREE = 1, 3, 1, 1, 3
OK, EINVAL, ERANGE, EOVERFLOW, ESPENT = 0, 1, 3, 4, 8


class Struct(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields):
        super().__init__(size=sizeof(self), **fields)


class Err(Struct):
    _fields_ = [("size", c_size_t), ("code", c_int), ("at", c_int),
                ("said", c_char * 256), ("hint", c_char * 256),
                ("noted", c_char * 320)]


class MechOptions(Struct):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("domain", c_int),
                ("values", c_size_t), ("epsilon", c_char_p),
                ("delta", c_char_p), ("sensitivity", c_char_p),
                ("sensitivity_squared", c_char_p), ("changes", c_int),
                ("calibration", c_int), ("scale", c_char_p),
                ("grid", c_char_p), ("lower", c_char_p), ("upper", c_char_p)]


class SumsOptions(Struct):
    _fields_ = [("size", c_size_t), ("method", c_int), ("elements", c_size_t),
                ("epsilon", c_char_p), ("delta", c_char_p),
                ("sensitivity", c_char_p)]


class Interval(Struct):
    _fields_ = [("size", c_size_t), ("low", c_char * NUMBER_MAX),
                ("high", c_char * NUMBER_MAX), ("theorem", c_char_p),
                ("source", c_char_p), ("reason", c_char_p)]


class OldInterval(Struct):
    """What an older header may have had: only the bounds."""
    _fields_ = Interval._fields_[:3]


class Wide(ctypes.Structure):
    _fields_ = [("low", c_uint64), ("high", c_int64)]

    @classmethod
    def of(cls, x):
        return cls(x & 2 ** 64 - 1, x >> 64)

    def __int__(self):
        return (self.high << 64) + self.low


class Handle:
    """A handle, freed at the end of a `with`."""

    def __init__(self, kind, make, *args):
        self.free = getattr(LIB, f"custos_{kind}_free")
        self.at = c_void_p()
        call(make, *args, byref(self.at))

    def __enter__(self):
        return self.at

    def __exit__(self, *_):
        self.free(self.at)


def status(name, *args, err=None):
    return getattr(LIB, "custos_" + name)(*args, byref(err) if err else None)


def call(name, *args):
    err = Err()
    if status(name, *args, err=err):
        raise ValueError(err.said.decode())


def seal(*values):
    return Handle("sealed", "seal_wide", None,
                  (Wide * len(values))(*map(Wide.of, values)),
                  c_size_t(len(values)))


class Client(unittest.TestCase):
    def test_symbols(self):
        for name in SYMBOLS:
            self.assertTrue(getattr(LIB, name))

    def test_wide_release(self):
        values = [2 ** 100, -2 ** 100, 0, 2 ** 63, -1]
        n = len(values)
        options = MechOptions(kind=LAPLACE, domain=WIDE, values=n,
                              epsilon=b"0.5", sensitivity=b"1")
        out, bar = (Wide * n)(), c_int64()
        with Handle("rng", "rng_new") as rng, \
                Handle("mech", "mech_new", None, byref(options)) as mech, \
                seal(*values) as sealed:
            call("release_wide", mech, rng, sealed, out, c_size_t(n))
            call("mech_error_i64", mech, b"1e-9", c_size_t(n), byref(bar))
        self.assertLess(0, bar.value)
        self.assertLess(bar.value, 100)
        for got, exact in zip(out, values):
            self.assertLessEqual(abs(int(got) - exact), bar.value)

    def test_wide_text(self):
        text = ctypes.create_string_buffer(41)
        LIB.custos_wide_write.argtypes = [Wide, c_char_p]
        for x in 0, 1, -1, 2 ** 64, -2 ** 64 + 5, 2 ** 127 - 1, -2 ** 127:
            length = LIB.custos_wide_write(Wide.of(x), text)
            self.assertEqual(text.value.decode(), str(x))
            self.assertEqual(length, len(str(x)))

    def test_draws(self):
        n = 1000
        with Handle("rng", "rng_new") as rng, \
                Handle("noise", "noise_new", None, DISCRETE_LAPLACE,
                       b"10") as noise:
            narrow, wide = (c_int64 * n)(), (Wide * n)()
            call("noise_draw_i64", noise, rng, narrow, c_size_t(n))
            call("noise_draw_wide", noise, rng, wide, c_size_t(n))
        for draws in list(narrow), list(map(int, wide)):
            self.assertLess(max(map(abs, draws)), 1000)  # e^-100 otherwise
            self.assertLess(min(draws), 0)
            self.assertLess(0, max(draws))
        with Handle("rng", "rng_new") as rng, \
                Handle("noise", "noise_new", None, DISCRETE_LAPLACE,
                       str(2 ** 60).encode()) as noise:
            err = Err()
            self.assertEqual(status("noise_draw_i64", noise, rng, narrow,
                                    c_size_t(1), err=err), ERANGE)
            self.assertEqual(err.hint, b"call custos_noise_draw_wide")

    def test_pld(self):
        n = 2001
        losses, masses = (c_double * n)(), (c_double * n)()
        infinite, at = c_double(), Interval()
        LIB.custos_pld_of_arrays.argtypes = [
            c_void_p, c_int, POINTER(c_double), POINTER(c_double), c_size_t,
            c_double, POINTER(c_void_p), c_void_p]
        with Handle("plan", "plan_new", None, ADD_REMOVE) as plan:
            call("plan_add", plan, b"gaussian:sigma=4")
            with Handle("pld", "pld_new", plan) as one, \
                    Handle("pld", "pld_self_compose", one,
                           c_uint64(16)) as pld:  # mu = 1
                call("pld_epsilon", pld, b"1e-6", None, byref(at))
                low, high = float(at.low), float(at.high)
                self.assertLessEqual(gauss_delta(1, high), 1e-6 * (1 + 1e-9))
                self.assertGreaterEqual(gauss_delta(1, low), 1e-6 * (1 - 1e-9))
                self.assertLess(high - low, 0.01)
                call("pld_arrays", pld, b"1e-6", losses, masses, c_size_t(n),
                     byref(infinite))
        for epsilon in 0, 1, 2, 3, 4:
            exact = gauss_delta(1, epsilon)
            got = curve(losses, masses, infinite.value, epsilon)
            self.assertGreaterEqual(got, exact * (1 - 1e-12))
            self.assertLess(got, exact * 1.05)
        with Handle("pld", "pld_of_arrays", None, ADD_REMOVE, losses, masses,
                    n, infinite) as again:
            call("pld_epsilon", again, b"1e-6", None, byref(at))
        self.assertGreaterEqual(float(at.high), low)
        self.assertLess(float(at.low), high + 0.05)

    def test_older_struct(self):
        """A struct of an older header gets what it knows, and no more."""
        new = Interval()
        block = (c_char * 256)(*([b"Z"] * 256))
        old = OldInterval.from_buffer(block)
        old.size = sizeof(OldInterval)
        with Handle("plan", "plan_new", None, ADD_REMOVE) as plan:
            call("plan_add", plan, b"laplace:epsilon=1")
            with Handle("pld", "pld_new", plan) as pld:
                call("pld_epsilon", pld, b"1e-3", None, byref(new))
                call("pld_epsilon", pld, b"1e-3", None, byref(old))
                self.assertEqual((old.low, old.high), (new.low, new.high))
                self.assertEqual(old.size, sizeof(OldInterval))
                self.assertEqual(bytes(block[sizeof(OldInterval):]),
                                 b"Z" * (256 - sizeof(OldInterval)))
                old.size = 0
                self.assertEqual(status("pld_epsilon", pld, b"1e-3", None,
                                        byref(old)), EINVAL)

    def test_stream(self):
        options = SumsOptions(method=BINARY_TREE, elements=3, epsilon=b"1")
        total, out, bar = 0, c_int64(), c_int64()
        LIB.custos_stream_sums.restype = c_void_p
        with Handle("rng", "rng_new") as rng, \
                Handle("stream", "stream_new", None, byref(options)) as stream:
            sums = c_void_p(LIB.custos_stream_sums(stream))
            call("sums_error_i64", sums, c_size_t(3), b"1e-9", byref(bar))
            for element in 1000, -300, 7, 1:
                with Handle("sealed", "seal_ints", None,
                            byref(c_int64(element)), c_size_t(1)) as sealed:
                    st = status("stream_add", stream, rng, sealed, byref(out),
                                c_size_t(1))
                if element == 1:
                    self.assertEqual(st, ESPENT)
                    break
                self.assertEqual(st, OK)
                total += element
                self.assertLess(abs(out.value - total), 2 * bar.value)

    def test_vectors(self):
        fpr = (c_char_p * 3)(b"0", b"0.5", b"1")
        fnr = (c_char * NUMBER_MAX * 3)()
        with Handle("risk", "risk_new", None, b"1", None) as risk:
            call("risk_fnr", risk, fpr, c_size_t(3), fnr)
        self.assertEqual([float(x.value) for x in fnr][::2], [1, 0])
        self.assertLess(0.18, float(fnr[1].value))  # (1 - 0.5) / e
        self.assertLess(float(fnr[1].value), 0.19)


unittest.main(verbosity=2)
