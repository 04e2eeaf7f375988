/*
 * Numbers: whole numbers exactly, others as doubles, each with its interval.
 */
#include <math.h>

#include "base/ck.h"
#include "plan/evaluate_parts.h"
#include "plan/work.h"

struct span {
    double low, high;
};

static struct span
span_of(const struct value *v)
{
    double x = datum_double(&v->datum);

    if (v->certainty == BARRED)
        return (struct span){v->low, v->high};
    return (struct span){x, x};
}

static struct span
span_mul(struct span a, struct span b)
{
    double p[4] = {a.low * b.low, a.low * b.high, a.high * b.low,
                   a.high * b.high};
    struct span r = {p[0], p[0]};

    for (int i = 1; i < 4; i++) {
        r.low = fmin(r.low, p[i]);
        r.high = fmax(r.high, p[i]);
    }
    return r;
}

static struct span
span_abs(struct span a)
{
    if (a.low >= 0)
        return a;
    if (a.high <= 0)
        return (struct span){-a.high, -a.low};
    return (struct span){0, fmax(-a.low, a.high)};
}

/* Half away from 0, as PostgreSQL rounds decimals. */
static double
round_at(double x, double digits)
{
    double ten = pow(10, digits), y = round(x * ten) / ten;

    return isfinite(y) ? y : x;
}

/*
 * The value of a call as a double, and its interval where all arguments have
 * one. False: it has no value. A call of one argument does not use b.
 */
static bool
real_call(const struct expr *e, const struct value *v, double *x,
          struct span *span)
{
    double p = datum_double(&v[0].datum);
    double q = e->n_args > 1 ? datum_double(&v[1].datum) : 0;
    struct span a = span_of(&v[0]), b = span_of(&v[e->n_args > 1]);

    switch (e->call) {
    case CALL_NEG:
        *x = -p;
        *span = (struct span){-a.high, -a.low};
        break;
    case CALL_ADD:
        *x = p + q;
        *span = (struct span){a.low + b.low, a.high + b.high};
        break;
    case CALL_SUB:
        *x = p - q;
        *span = (struct span){a.low - b.high, a.high - b.low};
        break;
    case CALL_MUL:
        *x = p * q;
        *span = span_mul(a, b);
        break;
    case CALL_DIV:
        if (q == 0)
            return false;
        *x = p / q;
        *span = b.low > 0 || b.high < 0
                    ? span_mul(a, (struct span){1 / b.high, 1 / b.low})
                    : (struct span){-INFINITY, INFINITY};
        break;
    case CALL_ABS:
        *x = fabs(p);
        *span = span_abs(a);
        break;
    case CALL_ROUND:
        *x = round_at(p, q);
        *span = (struct span){round_at(a.low, q), round_at(a.high, q)};
        break;
    case CALL_FLOOR:
        *x = floor(p);
        *span = (struct span){floor(a.low), floor(a.high)};
        break;
    case CALL_CEIL:
        *x = ceil(p);
        *span = (struct span){ceil(a.low), ceil(a.high)};
        break;
    case CALL_SIGN:
        *x = (p > 0) - (p < 0);
        *span = (struct span){(a.low > 0) - (a.low < 0),
                              (a.high > 0) - (a.high < 0)};
        break;
    default: return false;
    }
    return isfinite(*x);
}

/* The same on whole numbers. False: it has no value, or it does not fit. */
static bool
whole_call(const struct expr *e, const struct value *v, i128 *n)
{
    i128 p = v[0].datum.n, q = e->n_args > 1 ? v[1].datum.n : 0;

    switch (e->call) {
    case CALL_NEG: return !__builtin_sub_overflow((i128)0, p, n);
    case CALL_ADD: return !__builtin_add_overflow(p, q, n);
    case CALL_SUB: return !__builtin_sub_overflow(p, q, n);
    case CALL_MUL: return !__builtin_mul_overflow(p, q, n);
    case CALL_DIV:
        if (q == 0 || __builtin_sub_overflow((i128)0, p, n))
            return false;
        *n = p / q;
        return true;
    case CALL_MOD:
        if (q == 0)
            return false;
        *n = q == -1 ? 0 : p % q;
        return true;
    case CALL_ABS:
        *n = p;
        return p >= 0 || !__builtin_sub_overflow((i128)0, p, n);
    case CALL_SIGN: *n = (p > 0) - (p < 0); return true;
    case CALL_ROUND:
    case CALL_FLOOR:
    case CALL_CEIL: *n = p; return true;
    default: return false;
    }
}

static bool
all_whole(const struct expr *e, const struct value *v)
{
    for (size_t i = 0; i < e->n_args; i++)
        if (v[i].datum.scale != 0)
            return false;
    return true;
}

/* least and greatest skip NULL. */
static void
evaluate_extreme(const struct expr *e, const struct value *v, struct value *out)
{
    bool greatest = e->call == CALL_GREATEST, known = true, any = false;
    struct span span = {0, 0};

    for (size_t i = 0; i < e->n_args; i++) {
        struct span s;
        int order;

        if (v[i].datum.type == TYPE_NULL)
            continue;
        s = span_of(&v[i]);
        known = known && v[i].certainty != UNCERTAIN;
        order = any ? datum_cmp(&v[i].datum, &out->datum) : 0;
        if (!any || (greatest ? order > 0 : order < 0))
            out->datum = v[i].datum;
        if (!any)
            span = s;
        span.low = greatest ? fmax(span.low, s.low) : fmin(span.low, s.low);
        span.high =
            greatest ? fmax(span.high, s.high) : fmin(span.high, s.high);
        any = true;
    }
    out->low = span.low;
    out->high = span.high;
    out->certainty = known ? BARRED : UNCERTAIN;
}

/* 0 below the lower end, count + 1 at or above the upper end. */
static void
width_bucket(const struct value *v, struct value *out)
{
    double x = datum_double(&v[0].datum), low = datum_double(&v[1].datum);
    double high = datum_double(&v[2].datum), count = datum_double(&v[3].datum);
    double bucket = floor((x - low) / (high - low) * count) + 1;

    bucket = fmax(0, fmin(bucket, count + 1));
    out->datum = (struct datum){.type = TYPE_INT, .n = (i128)bucket};
    out->certainty = UNCERTAIN;
}

static void
set_certainty(const struct expr *e, const struct value *v, struct span span,
              struct value *out)
{
    enum certainty worst = CERTAIN;

    for (size_t i = 0; i < e->n_args; i++)
        worst = v[i].certainty > worst ? v[i].certainty : worst;
    if (worst == BARRED && !(isfinite(span.low) && isfinite(span.high)))
        worst = UNCERTAIN;
    out->certainty = worst;
    out->low = span.low;
    out->high = span.high;
}

/* Days: date - date, date +- whole number. */
static bool
of_dates(const struct expr *e, const struct value *v, struct value *out)
{
    struct span a, b, span;

    if ((e->call != CALL_ADD && e->call != CALL_SUB) ||
        (v[0].datum.type != TYPE_DATE && v[1].datum.type != TYPE_DATE))
        return false;
    a = span_of(&v[0]);
    b = span_of(&v[1]);
    out->datum = (struct datum){.type = e->type};
    out->datum.n = e->call == CALL_ADD ? v[0].datum.n + v[1].datum.n
                                       : v[0].datum.n - v[1].datum.n;
    if (e->type == TYPE_DATE &&
        (out->datum.n < DATE_FIRST || out->datum.n > DATE_LAST))
        out->datum = (struct datum){.type = TYPE_NULL};
    span = e->call == CALL_ADD ? (struct span){a.low + b.low, a.high + b.high}
                               : (struct span){a.low - b.high, a.high - b.low};
    set_certainty(e, v, span, out);
    return true;
}

static bool
is_numeric_call(enum call call)
{
    return (call >= CALL_NEG && call <= CALL_GREATEST) ||
           call == CALL_WIDTH_BUCKET;
}

bool
evaluate_rounds(const struct expr *e)
{
    bool rounds = expr_is_double(e);

    for (size_t i = 0; i < e->n_args && e->kind == EXPR_CALL; i++)
        rounds = rounds ||
                 (is_numeric_call(e->call) && e->args[i]->type == TYPE_DECIMAL);
    return rounds;
}

bool
evaluate_number(const struct expr *e, const struct value *v, struct value *out)
{
    struct span span = {-INFINITY, INFINITY};
    double x = 0;
    bool real;

    if (!is_numeric_call(e->call))
        return false;
    if (e->call == CALL_LEAST || e->call == CALL_GREATEST) {
        evaluate_extreme(e, v, out);
        if (out->certainty == BARRED)
            set_certainty(e, v, (struct span){out->low, out->high}, out);
        return true;
    }
    for (size_t i = 0; i < e->n_args; i++)
        if (v[i].datum.type == TYPE_NULL)
            return true; /* NULL, as *out is */
    if (of_dates(e, v, out))
        return true;
    if (e->call == CALL_WIDTH_BUCKET) {
        width_bucket(v, out);
        set_certainty(e, v, span, out);
        return true;
    }
    real = real_call(e, v, &x, &span);
    if (e->type == TYPE_INT && all_whole(e, v)) {
        struct datum d = {.type = TYPE_INT};

        if (whole_call(e, v, &d.n))
            out->datum = d;
    } else if (real) {
        out->datum = datum_of_double(x);
        if (e->type == TYPE_INT && out->datum.scale == 0 &&
            out->datum.type != TYPE_NULL)
            out->datum.type = TYPE_INT;
    }
    set_certainty(e, v, span, out);
    return true;
}
