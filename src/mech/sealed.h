/*
 * How mechanisms open sealed values. Reading a value always breaks the seal:
 * opening marks it as taken, even if something fails afterwards.
 */
#ifndef MECH_SEALED_H
#define MECH_SEALED_H

#include "base/base.h"
#include "custos.h"

enum sealed_kind {
    SEALED_INTS = CUSTOS_INTS,
    SEALED_REALS = CUSTOS_REALS,
    SEALED_WIDE = CUSTOS_WIDE,
};

/* "ints", "reals" or "wide ints", for messages. */
const char *sealed_kind_words(enum sealed_kind kind);

/*
 * THEOREM  sealed-once
 *   A sealed handle gives out its content at most once, so at most one release
 *   is computed from it.
 * SOURCE   doc/proofs/sealed-once.md
 * NEEDS    one thread at a time on a handle.
 * GIVES    *values: n cells to work in, owned by s and wiped when s is freed.
 *          A cell holds an int, wide or not, or the bits of a double.
 * FAILS    CUSTOS_EINVAL (s is NULL, of another kind, or holds another number
 *          of values; the seal is not broken), CUSTOS_ETAKEN.
 * TESTED   sealed_opens_once sealed_refuses_what_it_is_not
 */
CUSTOS_MUST_USE custos_status sealed_open(custos_sealed *s,
                                          enum sealed_kind kind, size_t n,
                                          i128 **values, custos_err *err);

/* Whether sealed_open would succeed; does not break the seal. */
CUSTOS_MUST_USE custos_status sealed_check(const custos_sealed *s,
                                           enum sealed_kind kind, size_t n,
                                           custos_err *err);

/* Wipes the content of an opened seal. */
void sealed_wipe(custos_sealed *s);

#endif
