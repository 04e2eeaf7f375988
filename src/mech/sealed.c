/*
 * Sealed values: copied in, changed in place by one mechanism, then wiped.
 *
 * Every value has a cell of 128 bits from the start. So a release can work in
 * place, and need not allocate memory after the data was touched.
 */
#include "mech/sealed.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/wide.h"
#include "mech/i128.h"

struct custos_sealed {
    custos_alloc alloc;
    enum sealed_kind kind;
    bool taken;
    size_t n;
    i128 *values;
};

const char *
sealed_kind_words(enum sealed_kind kind)
{
    if (kind == SEALED_WIDE)
        return "wide ints";
    return kind == SEALED_INTS ? "ints" : "reals";
}

/* Makes a handle whose cells the caller fills. */
static custos_status
sealed_new(const custos_alloc *alloc, enum sealed_kind kind, const void *values,
           size_t n, custos_sealed **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_sealed *s;

    if (!values || n == 0 || !out)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a sealed handle needs at least one value");
    s = alloc_take(&hooks, 1, sizeof *s);
    if (s)
        s->values = alloc_take(&hooks, n, sizeof *s->values);
    if (!s || !s->values) {
        alloc_give(&hooks, s, 1, sizeof *s);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    s->alloc = hooks;
    s->kind = kind;
    s->n = n;
    *out = s;
    return CUSTOS_OK;
}

/* Copies reals as their bits, like ints. */
static custos_status
seal_words(const custos_alloc *alloc, enum sealed_kind kind, const void *values,
           size_t n, custos_sealed **out, custos_err *err)
{
    custos_status st = sealed_new(alloc, kind, values, n, out, err);
    const char *from = values;

    for (size_t i = 0; i < n && !st; i++) {
        int64_t value;

        memcpy(&value, from + i * sizeof value, sizeof value);
        (*out)->values[i] = value;
    }
    return st;
}

custos_status
custos_seal_ints(const custos_alloc *alloc, const int64_t *values, size_t n,
                 custos_sealed **out, custos_err *err)
{
    return seal_words(alloc, SEALED_INTS, values, n, out, err);
}

custos_status
custos_seal_reals(const custos_alloc *alloc, const double *values, size_t n,
                  custos_sealed **out, custos_err *err)
{
    return seal_words(alloc, SEALED_REALS, values, n, out, err);
}

custos_status
custos_seal_wide(const custos_alloc *alloc, const custos_wide *values, size_t n,
                 custos_sealed **out, custos_err *err)
{
    custos_status st = sealed_new(alloc, SEALED_WIDE, values, n, out, err);

    for (size_t i = 0; i < n && !st; i++)
        (*out)->values[i] = wide_value(values[i]);
    return st;
}

custos_status
seal_i128(const custos_alloc *alloc, const i128 *values, size_t n,
          custos_sealed **out, custos_err *err)
{
    custos_status st = sealed_new(alloc, SEALED_WIDE, values, n, out, err);

    if (!st)
        memcpy((*out)->values, values, n * sizeof *values);
    return st;
}

void
custos_sealed_free(custos_sealed *sealed)
{
    custos_alloc hooks;

    if (!sealed)
        return;
    hooks = sealed->alloc;
    alloc_give(&hooks, sealed->values, sealed->n, sizeof *sealed->values);
    alloc_give(&hooks, sealed, 1, sizeof *sealed);
}

custos_status
sealed_check(const custos_sealed *s, enum sealed_kind kind, size_t n,
             custos_err *err)
{
    if (!s || s->kind != kind)
        return custos_fail(err, CUSTOS_EINVAL, "the release needs sealed %s",
                           sealed_kind_words(kind));
    if (s->n != n)
        /* The number of sealed values may be private, like a number of keys. */
        return custos_fail(err, CUSTOS_EINVAL,
                           "the release is of %zu values, but another number "
                           "is sealed",
                           n);
    if (s->taken)
        return custos_fail(err, CUSTOS_ETAKEN, "%s",
                           custos_status_words(CUSTOS_ETAKEN));
    return CUSTOS_OK;
}

custos_status
sealed_open(custos_sealed *s, enum sealed_kind kind, size_t n, i128 **values,
            custos_err *err)
{
    custos_status st = sealed_check(s, kind, n, err);

    if (st)
        return st;
    s->taken = true;
    *values = s->values;
    return CUSTOS_OK;
}

void
sealed_wipe(custos_sealed *s)
{
    wipe(s->values, s->n * sizeof *s->values);
}
