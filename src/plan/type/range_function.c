/*
 * Ranges of ln, exp, sqrt and power, enclosed by MPFR and moved outwards for
 * the rounding of the C library, whose results are within 2 units in the last
 * place (doc/proofs/real-enclosure.md). A logarithm has a range whatever its
 * argument is: the doubles above 0 begin at 2^-1074 and end below 2^1024.
 */
#include "num/ival.h"
#include "num/rat_round.h"
#include "plan/type/range.h"
#include "plan/work.h"

enum {
    BITS = 128,
    LOG_LEAST = -745, /* of ln 2^-1074 */
    LOG_MOST = 710,   /* of ln 2^1024 */
    EXP_MOST = 700,   /* exp of more may be infinite */
    WHOLE_POWER_MOST = 64,
};

/* Sets *out to an end of f(x), rounded outwards. */
static void
enclose(void (*f)(ival *r, const ival *a), const rat *x, bool up, rat *out)
{
    ival v;

    ival_init(&v, BITS);
    ival_set_rat(&v, x);
    f(&v, &v);
    if (up)
        ival_up(&v, out);
    else
        ival_down(&v, out);
    ival_clear(&v);
}

static void
set_range(struct fact *f, int64_t lower, int64_t upper)
{
    rat_set_i64(&f->lower, lower, 1);
    rat_set_i64(&f->upper, upper, 1);
    f->known = KNOWN_DECLARED;
}

/* Is x at least `least`, declared so? */
static bool
is_declared_above(const struct fact *x, int sign)
{
    return x->known == KNOWN_DECLARED && rat_sign(&x->lower) >= sign;
}

void
range_log(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    struct fact *f = fact_of(e);

    f->nullable = f->nullable || !is_declared_above(a, 1);
    set_range(f, LOG_LEAST, LOG_MOST);
    if (a->known == KNOWN_NOTHING)
        return;
    if (rat_sign(&a->upper) <= 0) { /* always NULL */
        set_range(f, 0, 0);
        return;
    }
    if (rat_cmp_i64(&a->upper, 1) >= 0)
        enclose(ival_log, &a->upper, true, &f->upper);
    else
        rat_set_i64(&f->upper, 0, 1);
    if (rat_sign(&a->lower) > 0)
        enclose(ival_log, &a->lower, false, &f->lower);
    else if (e->args[0]->type == TYPE_INT)
        rat_set_i64(&f->lower, 0, 1);
    range_slack(f);
}

void
range_root(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    struct fact *f = fact_of(e);

    f->nullable = f->nullable || !is_declared_above(a, 0);
    rat_set_i64(&f->lower, 0, 1);
    f->floor = true;
    f->known = a->known;
    if (f->known == KNOWN_NOTHING)
        return;
    rat_set_i64(&f->upper, 0, 1);
    if (rat_sign(&a->lower) > 0)
        enclose(ival_sqrt, &a->lower, false, &f->lower);
    if (rat_sign(&a->upper) > 0)
        enclose(ival_sqrt, &a->upper, true, &f->upper);
    range_slack(f);
}

/* One end of exp(x); false: it may be infinite. */
static bool
exp_end(const rat *x, bool up, rat *out)
{
    if (rat_cmp_i64(x, EXP_MOST) > 0)
        return false;
    if (rat_cmp_i64(x, -EXP_MOST) < 0)
        rat_set_i64(out, up ? 1 : 0, 1);
    else
        enclose(ival_exp, x, up, out);
    return true;
}

void
range_exp(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    struct fact *f = fact_of(e);

    rat_set_i64(&f->lower, 0, 1);
    f->floor = true;
    f->known = a->known;
    if (f->known == KNOWN_NOTHING || !exp_end(&a->lower, false, &f->lower) ||
        !exp_end(&a->upper, true, &f->upper)) {
        f->known = KNOWN_NOTHING;
        f->nullable = true;
        f->loose = e;
        rat_set_i64(&f->lower, 0, 1);
        return;
    }
    f->nullable = f->nullable || f->known != KNOWN_DECLARED;
    range_slack(f);
}

/* ----------------------------------------------------------------- power -- */

/* Extends f by base^y, base > 0; false: it may be infinite. */
static bool
cover_power(const rat *base, const rat *y, int sign, struct fact *f, bool first)
{
    rat low, high, limit;
    ival x, by;
    bool fits;

    rat_init(&low);
    rat_init(&high);
    rat_init(&limit);
    ival_init(&x, BITS);
    ival_init(&by, BITS);
    ival_set_rat(&x, base);
    ival_log(&x, &x);
    ival_set_rat(&by, y);
    ival_mul(&x, &x, &by);
    ival_down(&x, &low);
    ival_up(&x, &high);
    fits = rat_cmp_i64(&high, EXP_MOST) <= 0 && exp_end(&low, false, &low) &&
           exp_end(&high, true, &high);
    if (fits && sign < 0) {
        rat_set(&limit, &low);
        rat_sub(&low, &low, &low);
        rat_sub(&low, &low, &high);
        rat_sub(&high, &high, &high);
        rat_sub(&high, &high, &limit);
    }
    if (fits)
        range_cover(f, &low, &high, first);
    ival_clear(&x);
    ival_clear(&by);
    rat_clear(&low);
    rat_clear(&high);
    rat_clear(&limit);
    return fits;
}

/* Is y one whole number, from 1 to WHOLE_POWER_MOST? */
static bool
is_whole_power(const struct fact *y, bool *even)
{
    rat x;
    bool whole;

    rat_init(&x);
    rat_floor(&x, &y->lower);
    whole = rat_cmp(&y->lower, &y->upper) == 0 && rat_cmp(&x, &y->lower) == 0 &&
            rat_cmp_i64(&x, 1) >= 0 && rat_cmp_i64(&x, WHOLE_POWER_MOST) <= 0;
    for (int i = 2; whole && i <= WHOLE_POWER_MOST; i += 2)
        if (rat_cmp_i64(&x, i) == 0)
            *even = true;
    rat_clear(&x);
    return whole;
}

/* Extends f by the corners over one end of the base. */
static bool
cover_base(const rat *base, const struct fact *y, bool even, struct fact *f,
           bool first)
{
    rat zero, size;
    bool good = true;

    rat_init(&zero);
    rat_init(&size);
    rat_abs(&size, base);
    if (rat_sign(base) == 0) { /* the exponents are above 0 */
        range_cover(f, &zero, &zero, first);
    } else {
        int sign = rat_sign(base) < 0 && !even ? -1 : 1;

        good = cover_power(&size, &y->lower, sign, f, first) &&
               cover_power(&size, &y->upper, sign, f, false);
    }
    rat_clear(&zero);
    rat_clear(&size);
    return good;
}

void
range_power(struct expr *e)
{
    const struct fact *x = fact_of(e->args[0]), *y = fact_of(e->args[1]);
    struct fact *f = fact_of(e);
    bool even = false, whole, good;

    f->known = x->known < y->known ? x->known : y->known;
    f->nullable = f->nullable || f->known != KNOWN_DECLARED;
    if (f->known == KNOWN_NOTHING)
        return;
    whole = is_whole_power(y, &even);
    good = whole || rat_sign(&x->lower) > 0 ||
           (rat_sign(&x->lower) == 0 && rat_sign(&y->lower) > 0);
    good = good && cover_base(&x->lower, y, even, f, true) &&
           cover_base(&x->upper, y, even, f, false);
    if (good && even && rat_sign(&x->lower) < 0 && rat_sign(&x->upper) > 0)
        rat_set_i64(&f->lower, 0, 1);
    if (!good) {
        f->known = KNOWN_NOTHING;
        f->nullable = true;
        f->loose = e;
        return;
    }
    range_slack(f);
}
