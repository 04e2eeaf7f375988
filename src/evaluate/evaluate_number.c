/*
 * Numbers: whole numbers exactly, others as doubles, each with its interval.
 */
#include <math.h>

#include "base/ck.h"
#include "evaluate/evaluate_parts.h"

static struct number
number_of(const struct value *v)
{
    double x = datum_double(&v->datum);

    if (v->certainty == BARRED)
        return (struct number){x, v->low, v->high};
    return (struct number){x, x, x};
}

/* --------------------------------------------------------------- reals -- */

bool
real_neg(const struct number *a, const struct number *b, struct number *out)
{
    (void)b;
    *out = (struct number){-a->x, -a->high, -a->low};
    return true;
}

bool
real_add(const struct number *a, const struct number *b, struct number *out)
{
    *out = (struct number){a->x + b->x, a->low + b->low, a->high + b->high};
    return true;
}

bool
real_sub(const struct number *a, const struct number *b, struct number *out)
{
    *out = (struct number){a->x - b->x, a->low - b->high, a->high - b->low};
    return true;
}

bool
real_mul(const struct number *a, const struct number *b, struct number *out)
{
    double p[4] = {a->low * b->low, a->low * b->high, a->high * b->low,
                   a->high * b->high};

    *out = (struct number){a->x * b->x, p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        out->low = fmin(out->low, p[i]);
        out->high = fmax(out->high, p[i]);
    }
    return true;
}

bool
real_div(const struct number *a, const struct number *b, struct number *out)
{
    const struct number inverse = {1, 1 / b->high, 1 / b->low};

    if (b->x == 0)
        return false;
    *out = (struct number){0, -INFINITY, INFINITY};
    if (b->low > 0 || b->high < 0)
        real_mul(a, &inverse, out);
    out->x = a->x / b->x;
    return true;
}

bool
real_abs(const struct number *a, const struct number *b, struct number *out)
{
    (void)b;
    *out = (struct number){fabs(a->x), a->low, a->high};
    if (a->high <= 0) {
        out->low = -a->high;
        out->high = -a->low;
    } else if (a->low < 0) {
        out->low = 0;
        out->high = fmax(-a->low, a->high);
    }
    return true;
}

/*
 * Monotone functions, whose interval is that between the values at its ends.
 * An end outside of the domain is that of the domain.
 */
bool
real_sqrt(const struct number *a, const struct number *b, struct number *out)
{
    (void)b;
    *out = (struct number){sqrt(a->x), sqrt(fmax(a->low, 0)),
                           sqrt(fmax(a->high, 0))};
    return a->x >= 0;
}

bool
real_ln(const struct number *a, const struct number *b, struct number *out)
{
    (void)b;
    *out = (struct number){log(a->x), a->low > 0 ? log(a->low) : -INFINITY,
                           a->high > 0 ? log(a->high) : INFINITY};
    return a->x > 0;
}

bool
real_exp(const struct number *a, const struct number *b, struct number *out)
{
    (void)b;
    *out = (struct number){exp(a->x), exp(a->low), exp(a->high)};
    return true;
}

/* For a base above 0, it is monotone in each argument: its extremes are at
   corners. So it is for a whole exponent from 0 on, but for even ones at 0. */
bool
real_power(const struct number *a, const struct number *b, struct number *out)
{
    bool whole = b->low == b->high && b->x >= 0 && b->x == trunc(b->x);
    double p[4] = {pow(a->low, b->low), pow(a->low, b->high),
                   pow(a->high, b->low), pow(a->high, b->high)};

    *out = (struct number){pow(a->x, b->x), p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        out->low = fmin(out->low, p[i]);
        out->high = fmax(out->high, p[i]);
    }
    if (whole && fmod(b->x, 2) == 0 && b->x > 0 && a->low < 0 && a->high > 0)
        out->low = 0;
    if (a->low <= 0 && !whole) {
        out->low = -INFINITY;
        out->high = INFINITY;
    }
    return !isnan(out->x);
}

/* A call of whole numbers only. */
bool
real_none(const struct number *a, const struct number *b, struct number *out)
{
    (void)a, (void)b, (void)out;
    return false;
}

static double
sign_of(double x)
{
    return (x > 0) - (x < 0);
}

bool
real_sign(const struct number *a, const struct number *b, struct number *out)
{
    (void)b;
    *out = (struct number){sign_of(a->x), sign_of(a->low), sign_of(a->high)};
    return true;
}

/* Half away from 0, as PostgreSQL rounds decimals. */
static double
round_at(double x, double digits)
{
    double ten = pow(10, digits), y = round(x * ten) / ten;

    return isfinite(y) ? y : x;
}

/* b is the number of digits; for a call without it, 0. */
bool
real_round(const struct number *a, const struct number *b, struct number *out)
{
    *out = (struct number){round_at(a->x, b->x), round_at(a->low, b->x),
                           round_at(a->high, b->x)};
    return true;
}

/*
 * The value of a call as a double, and its interval where all arguments have
 * one. False: it has no value.
 */
static bool
real_call(const struct expr *e, const struct value *v, struct number *out)
{
    const struct evaluator *call = &evaluators[e->call];
    struct number a = number_of(&v[0]), b = {0};

    if (e->n_args > 1)
        b = number_of(&v[1]);
    if (call->round)
        *out = (struct number){call->round(a.x), call->round(a.low),
                               call->round(a.high)};
    else if (!call->real(&a, &b, out))
        return false;
    return isfinite(out->x);
}

/* -------------------------------------------------------- whole numbers -- */

/* Each is false if the result has no value, or does not fit. */

bool
whole_neg(i128 a, i128 b, i128 *out)
{
    (void)b;
    return !__builtin_sub_overflow((i128)0, a, out);
}

bool
whole_add(i128 a, i128 b, i128 *out)
{
    return !__builtin_add_overflow(a, b, out);
}

bool
whole_sub(i128 a, i128 b, i128 *out)
{
    return !__builtin_sub_overflow(a, b, out);
}

bool
whole_mul(i128 a, i128 b, i128 *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

bool
whole_div(i128 a, i128 b, i128 *out)
{
    if (b == 0 || __builtin_sub_overflow((i128)0, a, out))
        return false;
    *out = a / b;
    return true;
}

bool
whole_mod(i128 a, i128 b, i128 *out)
{
    if (b == 0)
        return false;
    *out = b == -1 ? 0 : a % b;
    return true;
}

bool
whole_abs(i128 a, i128 b, i128 *out)
{
    *out = a;
    return a >= 0 || whole_neg(a, b, out);
}

bool
whole_sign(i128 a, i128 b, i128 *out)
{
    (void)b;
    *out = (a > 0) - (a < 0);
    return true;
}

/* A call whose value is never a whole number. */
bool
whole_none(i128 a, i128 b, i128 *out)
{
    (void)a, (void)b, (void)out;
    return false;
}

/* A whole number is rounded already. */
bool
whole_same(i128 a, i128 b, i128 *out)
{
    (void)b;
    *out = a;
    return true;
}

/* --------------------------------------------------------------- values -- */

static bool
all_whole(const struct expr *e, const struct value *v)
{
    for (size_t i = 0; i < e->n_args; i++)
        if (v[i].datum.scale != 0)
            return false;
    return true;
}

static void
set_certainty(const struct expr *e, const struct value *v,
              const struct number *n, struct value *out)
{
    enum certainty worst = CERTAIN;

    for (size_t i = 0; i < e->n_args; i++)
        worst = v[i].certainty > worst ? v[i].certainty : worst;
    if (worst == BARRED && !(isfinite(n->low) && isfinite(n->high)))
        worst = UNCERTAIN;
    out->certainty = worst;
    out->low = n->low;
    out->high = n->high;
}

/* Days: date - date, date +- whole number. */
static bool
of_dates(const struct expr *e, const struct value *v, struct value *out)
{
    struct number a, b, days;

    if ((e->call != CALL_ADD && e->call != CALL_SUB) ||
        (v[0].datum.type != TYPE_DATE && v[1].datum.type != TYPE_DATE))
        return false;
    a = number_of(&v[0]);
    b = number_of(&v[1]);
    out->datum = (struct datum){.type = e->type};
    out->datum.n = e->call == CALL_ADD ? v[0].datum.n + v[1].datum.n
                                       : v[0].datum.n - v[1].datum.n;
    if (e->type == TYPE_DATE &&
        (out->datum.n < DATE_FIRST || out->datum.n > DATE_LAST))
        out->datum = (struct datum){.type = TYPE_NULL};
    (void)evaluators[e->call].real(&a, &b, &days);
    set_certainty(e, v, &days, out);
    return true;
}

bool
evaluate_rounds(const struct expr *e)
{
    bool rounds = expr_is_double(e);

    for (size_t i = 0; i < e->n_args && e->kind == EXPR_CALL; i++)
        rounds = rounds || (evaluators[e->call].numeric &&
                            e->args[i]->type == TYPE_DECIMAL);
    return rounds;
}

static bool
any_null(const struct expr *e, const struct value *v)
{
    for (size_t i = 0; i < e->n_args; i++)
        if (v[i].datum.type == TYPE_NULL)
            return true;
    return false;
}

bool
value_number(arena *a, const struct expr *e, const struct value *v,
             struct value *out)
{
    struct number n = {0, -INFINITY, INFINITY};
    bool real;

    (void)a;
    if (any_null(e, v) || of_dates(e, v, out))
        return true;
    real = real_call(e, v, &n);
    if (e->type == TYPE_INT && e->call == CALL_DIV) {
        n.low = trunc(n.low); /* as the exact quotient is */
        n.high = trunc(n.high);
    }
    if (e->type == TYPE_INT && all_whole(e, v)) {
        struct datum d = {.type = TYPE_INT};

        if (evaluators[e->call].whole(v[0].datum.n,
                                      e->n_args > 1 ? v[1].datum.n : 0, &d.n))
            out->datum = d;
    } else if (real) {
        out->datum = datum_of_double(n.x);
        if (e->type == TYPE_INT && out->datum.scale == 0 &&
            out->datum.type != TYPE_NULL)
            out->datum.type = TYPE_INT;
    }
    set_certainty(e, v, &n, out);
    return true;
}

/* least and greatest skip NULL. */
bool
value_extreme(arena *a, const struct expr *e, const struct value *v,
              struct value *out)
{
    bool greatest = e->call == CALL_GREATEST, known = true, any = false;
    struct number best = {0, 0, 0};

    (void)a;
    for (size_t i = 0; i < e->n_args; i++) {
        struct number n;
        int order;

        if (v[i].datum.type == TYPE_NULL)
            continue;
        n = number_of(&v[i]);
        known = known && v[i].certainty != UNCERTAIN;
        order = any ? datum_cmp(&v[i].datum, &out->datum) : 0;
        if (!any || (greatest ? order > 0 : order < 0))
            out->datum = v[i].datum;
        if (!any)
            best = n;
        best.low = greatest ? fmax(best.low, n.low) : fmin(best.low, n.low);
        best.high =
            greatest ? fmax(best.high, n.high) : fmin(best.high, n.high);
        any = true;
    }
    if (known) {
        set_certainty(e, v, &best, out);
    } else {
        out->certainty = UNCERTAIN;
        out->low = best.low;
        out->high = best.high;
    }
    return true;
}

/* 0 below the lower end, count + 1 at or above the upper end. */
bool
value_bucket(arena *a, const struct expr *e, const struct value *v,
             struct value *out)
{
    const struct number any = {0, -INFINITY, INFINITY};
    double x = datum_double(&v[0].datum), low = datum_double(&v[1].datum);
    double high = datum_double(&v[2].datum), count = datum_double(&v[3].datum);
    double bucket = floor((x - low) / (high - low) * count) + 1;

    (void)a;
    if (any_null(e, v))
        return true;
    bucket = fmax(0, fmin(bucket, count + 1));
    out->datum = (struct datum){.type = TYPE_INT, .n = (i128)bucket};
    set_certainty(e, v, &any, out);
    return true;
}
