/*
 * Decimals and reals as whole steps of their column's grid: their range, and g<i>
 * of the view.
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

/* c<i>, a decimal, as a whole number of steps of its last digit. */
static const struct term *
decimal_steps(struct builder *b, const struct policy_column *c,
              const struct term *value, i128 lower, i128 upper)
{
    int low = digits_of(lower), high = digits_of(upper);
    int digits = low > high ? low : high;
    const struct term *scaled, *text;
    bool short_digits;
    i128 scale = 1;

    digits = digits > c->scale ? digits : c->scale;
    short_digits = digits + c->scale + 1 <= DIGITS_NARROW;
    if (!short_digits && !view_is_narrow(c)) {
        text = term_call(b, TERM_REPLACE, term_cast(b, value, STORED(TEXT)),
                         term_text(b, str_of(".")), term_text(b, str_of("")),
                         NULL);
        return term_cast(b, text, STORED(I128));
    }
    (void)power(10, c->scale, &scale); /* at most DIGITS_NARROW digits */
    if (short_digits) {                /* 64 bits throughout */
        scaled = term_binary(
            b, term_cast(b, value, STORED_DECIMAL(digits, c->scale)),
            TERM_TIMES,
            term_cast(b, term_number(b, scale),
                      STORED_DECIMAL(c->scale + 1, 0)));
        return term_cast(b, scaled, STORED(I64));
    }
    scaled = term_binary(
        b, term_cast(b, value, STORED_DECIMAL(DIGITS_WIDE, c->scale)),
        TERM_TIMES, term_number(b, scale));
    return term_cast(b, scaled, STORED(I128));
}

/* A real is scaled by a power of two, which is exact. */
static const struct term *
real_steps(struct builder *b, const struct policy_column *c,
           const struct term *value, struct store_type wide)
{
    struct grid g = grid_of_column(c);
    const struct term *step = term_call(
        b, TERM_POWER, term_cast(b, term_number(b, g.base), STORED(F64)),
        term_number(b, g.digits), NULL);
    const struct term *scaled = term_binary(b, value, TERM_TIMES, step);

    return term_cast(b, term_call(b, TERM_ROUND, scaled, NULL), wide);
}

const struct term *
view_stepped(struct builder *b, const struct policy_column *c, size_t i)
{
    const struct term *value = term_name(b, NULL, "c%zu", i), *steps;
    i128 lower = 0, upper = 0, far = (i128)1 << 60;
    struct store_type type, wide;

    (void)view_steps(c, &lower, &upper);
    type = lower >= INT32_MIN && upper <= INT32_MAX   ? STORED(I32)
           : lower >= INT64_MIN && upper <= INT64_MAX ? STORED(I64)
                                                      : STORED(I128);
    wide = lower > -far && upper < far ? STORED(I64) : STORED(I128);
    steps = c->type == TYPE_REAL ? real_steps(b, c, value, wide)
                                 : decimal_steps(b, c, value, lower, upper);
    steps = term_call(b, TERM_LEAST, steps, term_whole(b, upper, wide), NULL);
    steps =
        term_call(b, TERM_GREATEST, steps, term_whole(b, lower, wide), NULL);
    return term_if(b, term_present(b, value), term_cast(b, steps, type));
}
