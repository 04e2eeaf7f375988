/*
 * Decimals and reals as whole steps of their column's grid: their range, and g<i>
 * of the view as engine text.
 */
#include "base/base.h"
#include "base/ck.h"
#include "engine/import/view.h"
#include "plan/plan.h"

enum { STEPS_DIGITS_MAX = 34 };

static bool
power(int base, int digits, i128 *out)
{
    *out = 1;
    for (int i = 0; i < digits; i++)
        if (!ck_mul_i128(*out, base, out))
            return false;
    return true;
}

/* Divides, and rounds half away from zero. Needs den > 0. */
static i128
divide_near(i128 n, i128 den)
{
    i128 q = n / den, rest = n % den;

    if (rest < 0)
        rest = -rest;
    if (rest >= den - rest)
        q += n < 0 ? -1 : 1;
    return q;
}

/* d in steps of g, rounded to the nearest step. */
static bool
steps_of(const struct datum *d, struct grid g, i128 *out)
{
    i128 up, down, scale, n = d->n;

    if (!power(g.base, g.digits > 0 ? g.digits : 0, &up) ||
        !power(g.base, g.digits < 0 ? -g.digits : 0, &down) ||
        !power(10, d->type == TYPE_INT ? 0 : d->scale, &scale) ||
        !ck_mul_i128(n, up, &n) || !ck_mul_i128(down, scale, &down))
        return false;
    *out = divide_near(n, down);
    return true;
}

bool
view_steps(const struct policy_column *c, i128 *lower, i128 *upper)
{
    struct grid g = grid_of_column(c);

    return c->has_range && data_type_is_number(c->type) &&
           steps_of(&c->lower, g, lower) && steps_of(&c->upper, g, upper);
}

bool
view_has_steps(const struct policy_column *c)
{
    i128 lower, upper, limit;

    return (c->type == TYPE_DECIMAL || c->type == TYPE_REAL) &&
           view_steps(c, &lower, &upper) &&
           power(10, STEPS_DIGITS_MAX, &limit) && -limit < lower &&
           upper < limit;
}

bool
view_is_narrow(const struct policy_column *c)
{
    struct grid one = {10, c->scale};
    i128 lower, upper, limit;

    return c->has_range && c->scale <= DIGITS_NARROW &&
           steps_of(&c->lower, one, &lower) &&
           steps_of(&c->upper, one, &upper) &&
           power(10, DIGITS_NARROW, &limit) && -limit < lower && upper < limit;
}

/* The number of digits of |n|, at least 1. */
static int
digits_of(i128 n)
{
    int digits = 1;

    for (; n > 9 || n < -9; n /= 10)
        digits++;
    return digits;
}

/* Prints c<i>, a decimal, as a whole number of steps of its last digit. */
static void
decimal_steps(const struct policy_column *c, size_t i, i128 lower, i128 upper,
              struct buf *out)
{
    int low = digits_of(lower), high = digits_of(upper);
    int digits = low > high ? low : high;

    digits = digits > c->scale ? digits : c->scale;
    if (digits + c->scale + 1 <= DIGITS_NARROW) /* 64 bits throughout */
        buf_printf(out,
                   "CAST(CAST(c%zu AS DECIMAL(%d,%d)) * CAST(1%.*s AS "
                   "DECIMAL(%d,0)) AS BIGINT)",
                   i, digits, c->scale, c->scale, "000000000000000000",
                   c->scale + 1);
    else if (view_is_narrow(c))
        buf_printf(out, "CAST(CAST(c%zu AS DECIMAL(38,%d)) * 1%.*s AS HUGEINT)",
                   i, c->scale, c->scale, "000000000000000000");
    else
        buf_printf(
            out, "CAST(replace(CAST(c%zu AS VARCHAR), '.', '') AS HUGEINT)", i);
}

/* A real is scaled by a power of two, which is exact. */
void
view_stepped(const struct policy_column *c, size_t i, struct buf *out)
{
    struct grid g = grid_of_column(c);
    char least[41], most[41];
    i128 lower = 0, upper = 0, far = (i128)1 << 60;
    const char *type, *wide;

    (void)view_steps(c, &lower, &upper);
    custos_int_write(lower, least);
    custos_int_write(upper, most);
    type = lower >= INT32_MIN && upper <= INT32_MAX   ? "INTEGER"
           : lower >= INT64_MIN && upper <= INT64_MAX ? "BIGINT"
                                                      : "HUGEINT";
    wide = lower > -far && upper < far ? "BIGINT" : "HUGEINT";
    buf_printf(out, "CASE WHEN c%zu IS NOT NULL THEN CAST(greatest(least(", i);
    if (c->type == TYPE_REAL)
        buf_printf(out, "CAST(round(c%zu * pow(CAST(%d AS DOUBLE), %d)) AS %s)",
                   i, g.base, g.digits, wide);
    else
        decimal_steps(c, i, lower, upper, out);
    buf_printf(out, ", CAST('%s' AS %s)), CAST('%s' AS %s)) AS %s) END", most,
               wide, least, wide, type);
}
