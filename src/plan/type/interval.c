/*
 * Exact interval arithmetic on rationals: the smallest interval that contains
 * every result, for independent operands. (For a % b it may be larger.)
 */
#include "num/batch.h"
#include "num/rat_round.h"
#include "plan/type/range.h"

void
range_cover(struct fact *f, const rat *low, const rat *high, bool first)
{
    if (first || rat_cmp(low, &f->lower) < 0)
        rat_set(&f->lower, low);
    if (first || rat_cmp(high, &f->upper) > 0)
        rat_set(&f->upper, high);
}

void
range_add(struct fact *f, const struct fact *a, const struct fact *b)
{
    rat_add(&f->lower, &a->lower, &b->lower);
    rat_add(&f->upper, &a->upper, &b->upper);
}

void
range_sub(struct fact *f, const struct fact *a, const struct fact *b)
{
    rat_sub(&f->lower, &a->lower, &b->upper);
    rat_sub(&f->upper, &a->upper, &b->lower);
}

void
range_neg(struct fact *f, const struct fact *a)
{
    rat zero;

    rat_init(&zero);
    rat_sub(&f->lower, &zero, &a->upper);
    rat_sub(&f->upper, &zero, &a->lower);
    rat_clear(&zero);
}

void
range_abs(struct fact *f, const struct fact *a)
{
    rat x;

    rat_init(&x);
    if (rat_sign(&a->lower) >= 0) {
        rat_set(&f->lower, &a->lower);
        rat_set(&f->upper, &a->upper);
    } else if (rat_sign(&a->upper) <= 0) {
        range_neg(f, a);
    } else {
        rat_set(&f->lower, &x);
        rat_abs(&x, &a->lower);
        rat_set(&f->upper, rat_cmp(&x, &a->upper) > 0 ? &x : &a->upper);
    }
    rat_clear(&x);
}

/* Extends f to cover (x op y) where x is either end of a. */
static void
cover_ends(struct fact *f, const struct fact *a, const rat *y,
           void (*op)(rat *, const rat *, const rat *), bool first)
{
    rat x;

    rat_init(&x);
    op(&x, &a->lower, y);
    range_cover(f, &x, &x, first);
    op(&x, &a->upper, y);
    range_cover(f, &x, &x, false);
    rat_clear(&x);
}

/* Bilinear and monotone operations have their extremes where both operands are
   at an end. */
void
range_mul(struct fact *f, const struct fact *a, const struct fact *b)
{
    cover_ends(f, a, &b->lower, rat_mul, true);
    cover_ends(f, a, &b->upper, rat_mul, false);
}

void
range_square(struct fact *f, const struct fact *a)
{
    range_abs(f, a);
    rat_mul(&f->lower, &f->lower, &f->lower);
    rat_mul(&f->upper, &f->upper, &f->upper);
}

bool
range_div(struct fact *f, const struct fact *a, const struct fact *b)
{
    if (rat_sign(&b->lower) <= 0 && rat_sign(&b->upper) >= 0)
        return false;
    cover_ends(f, a, &b->lower, rat_div, true);
    cover_ends(f, a, &b->upper, rat_div, false);
    return true;
}

static void
divide_whole(rat *r, const rat *a, const rat *b)
{
    rat_div(r, a, b);
    rat_trunc(r, r);
}

void
range_div_whole(struct fact *f, const struct fact *a, const struct fact *b)
{
    bool first = true;
    rat one, low, high;

    rat_init(&low);
    rat_init(&high);
    rat_init(&one);
    rat_set(&f->lower, &low); /* if b is always 0, the result is NULL */
    rat_set(&f->upper, &low);
    rat_set_i64(&one, 1, 1);
    if (rat_cmp(&b->upper, &one) >= 0) {
        rat_set(&low, rat_cmp(&b->lower, &one) > 0 ? &b->lower : &one);
        cover_ends(f, a, &low, divide_whole, first);
        cover_ends(f, a, &b->upper, divide_whole, false);
        first = false;
    }
    rat_set_i64(&one, -1, 1);
    if (rat_cmp(&b->lower, &one) <= 0) {
        rat_set(&high, rat_cmp(&b->upper, &one) < 0 ? &b->upper : &one);
        cover_ends(f, a, &high, divide_whole, first);
        cover_ends(f, a, &b->lower, divide_whole, false);
    }
    rat_clear(&one);
    rat_clear(&low);
    rat_clear(&high);
}

/* a % b has the sign of a; |a % b| <= |a| and |a % b| < |b|. */
void
range_mod(struct fact *f, const struct fact *a, const struct fact *b)
{
    rat x[3];

    rats_init(x, 3);
    rat_abs(&x[0], &b->lower);
    rat_abs(&x[1], &b->upper);
    if (rat_cmp(&x[1], &x[0]) > 0)
        rat_set(&x[0], &x[1]);
    rat_set_i64(&x[1], 1, 1);
    rat_sub(&x[0], &x[0], &x[1]); /* |result| <= max |b| - 1 */
    if (rat_sign(&x[0]) < 0)
        rat_set(&x[0], &x[2]);
    rat_sub(&x[1], &x[2], &x[0]);
    if (rat_sign(&a->lower) < 0)
        rat_set(&f->lower, rat_cmp(&a->lower, &x[1]) > 0 ? &a->lower : &x[1]);
    else
        rat_set(&f->lower, &x[2]);
    if (rat_sign(&a->upper) > 0)
        rat_set(&f->upper, rat_cmp(&a->upper, &x[0]) < 0 ? &a->upper : &x[0]);
    else
        rat_set(&f->upper, &x[2]);
    rats_clear(x, 3);
}

void
range_round(struct fact *f, const struct fact *a, int digits)
{
    rat half, unit;

    rat_init(&half);
    rat_init(&unit);
    rat_set_i64(&half, 1, 2);
    rat_set_i64(&unit, 10, 1);
    for (int i = 0; i < digits; i++)
        rat_div(&half, &half, &unit);
    rat_sub(&f->lower, &a->lower, &half);
    rat_places_up(&f->lower, &f->lower, (unsigned)digits);
    rat_add(&f->upper, &a->upper, &half);
    rat_places_down(&f->upper, &f->upper, (unsigned)digits);
    rat_clear(&half);
    rat_clear(&unit);
}

void
range_round_double(struct fact *f, const struct fact *a, int digits)
{
    struct fact wide = {.known = a->known};

    rat_init(&wide.lower);
    rat_init(&wide.upper);
    rat_set(&wide.lower, &a->lower);
    rat_set(&wide.upper, &a->upper);
    range_slack(&wide);
    range_round(f, &wide, digits);
    rat_clear(&wide.lower);
    rat_clear(&wide.upper);
}
