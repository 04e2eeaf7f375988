/*
 * Whole-number error bars for callers without i128: as two words, or as an
 * int64_t if they fit.
 */
#include "base/error.h"
#include "base/wide.h"
#include "mech/i128.h"

/* Writes an error bar of 128 bits; *out is unchanged if st is a failure. */
static custos_status
write_wide(custos_status st, i128 bar, custos_wide *out)
{
    if (!st)
        *out = wide_of(bar);
    return st;
}

static custos_status
write_i64(custos_status st, i128 bar, int64_t *out, custos_err *err)
{
    if (st)
        return st;
    if (bar > INT64_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the error bar needs more than 64 bits");
    *out = (int64_t)bar;
    return CUSTOS_OK;
}

static custos_status
check_out(const void *out, custos_err *err)
{
    return out ? CUSTOS_OK
               : custos_fail(err, CUSTOS_EINVAL,
                             "the half width must not be NULL");
}

custos_status
custos_noise_error_wide(const custos_noise *noise, const char *beta, size_t n,
                        custos_wide *m, custos_err *err)
{
    i128 bar = 0;
    custos_status st = check_out(m, err);

    if (!st)
        st = noise_error_i128(noise, beta, n, &bar, err);
    return write_wide(st, bar, m);
}

custos_status
custos_noise_error_i64(const custos_noise *noise, const char *beta, size_t n,
                       int64_t *m, custos_err *err)
{
    i128 bar = 0;
    custos_status st = check_out(m, err);

    if (!st)
        st = noise_error_i128(noise, beta, n, &bar, err);
    return write_i64(st, bar, m, err);
}

custos_status
custos_mech_error_wide(const custos_mech *mech, const char *beta, size_t n,
                       custos_wide *half_width, custos_err *err)
{
    i128 bar = 0;
    custos_status st = check_out(half_width, err);

    if (!st)
        st = mech_error_i128(mech, beta, n, &bar, err);
    return write_wide(st, bar, half_width);
}

custos_status
custos_mech_error_i64(const custos_mech *mech, const char *beta, size_t n,
                      int64_t *half_width, custos_err *err)
{
    i128 bar = 0;
    custos_status st = check_out(half_width, err);

    if (!st)
        st = mech_error_i128(mech, beta, n, &bar, err);
    return write_i64(st, bar, half_width, err);
}

custos_status
custos_sums_error_wide(const custos_sums *sums, size_t t, const char *beta,
                       custos_wide *half_width, custos_err *err)
{
    i128 bar = 0;
    custos_status st = check_out(half_width, err);

    if (!st)
        st = sums_error_i128(sums, t, beta, &bar, err);
    return write_wide(st, bar, half_width);
}

custos_status
custos_sums_error_i64(const custos_sums *sums, size_t t, const char *beta,
                      int64_t *half_width, custos_err *err)
{
    i128 bar = 0;
    custos_status st = check_out(half_width, err);

    if (!st)
        st = sums_error_i128(sums, t, beta, &bar, err);
    return write_i64(st, bar, half_width, err);
}
