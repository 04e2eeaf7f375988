#!/usr/bin/env python3
"""A private count, and draws of 128 bits, from Python with ctypes.

Loads the library that $CUSTOS_LIB names, else the installed one. Parameters are
text, so that no float rounds them; a draw that may need 128 bits is two words.
"""
import ctypes
import os
import sys

LIB = ctypes.CDLL(os.environ.get("CUSTOS_LIB", "libcustos.so.0"))
LAPLACE, INTS, DISCRETE_LAPLACE = 1, 1, 1


class Err(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("code", ctypes.c_int),
                ("at", ctypes.c_int), ("said", ctypes.c_char * 256),
                ("hint", ctypes.c_char * 256), ("noted", ctypes.c_char * 320)]


class MechOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("kind", ctypes.c_int),
                ("domain", ctypes.c_int), ("values", ctypes.c_size_t),
                ("epsilon", ctypes.c_char_p), ("delta", ctypes.c_char_p),
                ("sensitivity", ctypes.c_char_p),
                ("sensitivity_squared", ctypes.c_char_p),
                ("changes", ctypes.c_int), ("calibration", ctypes.c_int),
                ("scale", ctypes.c_char_p), ("grid", ctypes.c_char_p),
                ("lower", ctypes.c_char_p), ("upper", ctypes.c_char_p)]


class Wide(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_int64)]

    def __int__(self):
        return (self.high << 64) + self.low


class CustosError(Exception):
    pass


def call(name, *args):
    """Calls custos_NAME; raises CustosError with its message on failure."""
    err = Err(size=ctypes.sizeof(Err))
    if getattr(LIB, "custos_" + name)(*args, ctypes.byref(err)):
        raise CustosError(err.said.decode())


def private_count(exact, epsilon, rng):
    """(released, half width of the 95 % error bar)"""
    options = MechOptions(size=ctypes.sizeof(MechOptions), kind=LAPLACE,
                          domain=INTS, epsilon=epsilon.encode(),
                          sensitivity=b"1")
    mech, sealed = ctypes.c_void_p(), ctypes.c_void_p()
    released, error = ctypes.c_int64(), ctypes.c_double()
    try:
        call("mech_new", None, ctypes.byref(options), ctypes.byref(mech))
        call("seal_ints", None, ctypes.byref(ctypes.c_int64(exact)),
             ctypes.c_size_t(1), ctypes.byref(sealed))
        call("release_ints", mech, rng, sealed, ctypes.byref(released),
             ctypes.c_size_t(1))
        call("mech_error", mech, b"0.05", ctypes.c_size_t(1),
             ctypes.byref(error))
    finally:
        LIB.custos_sealed_free(sealed)
        LIB.custos_mech_free(mech)
    return released.value, error.value


def draws(scale, count, rng):
    noise, out = ctypes.c_void_p(), (Wide * count)()
    call("noise_new", None, DISCRETE_LAPLACE, scale.encode(),
         ctypes.byref(noise))
    try:
        call("noise_draw_wide", noise, rng, out, ctypes.c_size_t(count))
    finally:
        LIB.custos_noise_free(noise)
    return [int(x) for x in out]


def main():
    rng = ctypes.c_void_p()
    call("rng_new", ctypes.byref(rng))
    try:
        released, error = private_count(1834, "0.5", rng)
        print(f"{released} ± {error:.0f} (95%)")
        print("noise of scale 2^60:", *draws(str(2 ** 60), 3, rng))
        try:
            private_count(1834, "0", rng)
        except CustosError as failure:
            print("rejected:", failure)
            if "epsilon" not in str(failure):
                sys.exit("the message does not name epsilon")
        else:
            sys.exit("epsilon 0 was not rejected")
    finally:
        LIB.custos_rng_free(rng)


if __name__ == "__main__":
    main()
