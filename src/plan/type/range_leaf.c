/*
 * Where ranges begin: types, literals, columns, casts; and steps of a grid.
 */
#include "num/rat_round.h"
#include "plan/type/range.h"
#include "plan/work.h"

void
range_of_type(struct fact *f, enum data_type type)
{
    f->known = KNOWN_NOTHING;
    f->floor = f->ceiling = false;
    if (type != TYPE_INT)
        return;
    f->known = KNOWN_TYPE;
    rat_set_i64(&f->lower, INT64_MIN, 1);
    rat_set_i64(&f->upper, INT64_MAX, 1);
}

void
grid_step(struct grid g, rat *step)
{
    rat base;

    rat_set_i64(step, 1, 1);
    if (g.base == 2) {
        rat_set_pow2(step, -g.digits);
        return;
    }
    rat_init(&base);
    rat_set_i64(&base, 10, 1);
    for (int i = 0; i < g.digits; i++)
        rat_div(step, step, &base);
    for (int i = 0; i > g.digits; i--)
        rat_mul(step, step, &base);
    rat_clear(&base);
}

bool
range_steps(const rat *x, struct grid g, i128 *steps)
{
    bool fits;
    rat r, half;

    rat_init(&r);
    rat_init(&half);
    grid_step(g, &r);
    rat_div(&r, x, &r);
    rat_set_i64(&half, 1, 2);
    rat_add(&r, &r, &half);
    fits = rat_floor_i128(&r, steps) && *steps < (i128)1 << 120 &&
           *steps > -((i128)1 << 120);
    rat_clear(&r);
    rat_clear(&half);
    return fits;
}

/* ---------------------------------------------------------------- leaves -- */

static void
datum_rat(const struct datum *d, rat *r)
{
    struct grid g = {10, d->scale};
    rat step;

    rat_init(&step);
    grid_step(g, &step);
    rat_set_i128(r, d->n);
    rat_mul(r, r, &step);
    rat_clear(&step);
}

static bool
has_range(enum data_type type)
{
    return data_type_is_number(type) || type == TYPE_DATE ||
           type == TYPE_TIMESTAMP;
}

void
range_literal(struct expr *e)
{
    struct fact *f = fact_of(e);

    f->nullable = e->value.type == TYPE_NULL;
    f->known = KNOWN_NOTHING;
    if (f->nullable) { /* NULL in every row: [0, 0] holds */
        f->known = KNOWN_DECLARED;
        return;
    }
    f->scale = e->value.scale;
    if (!has_range(e->value.type))
        return;
    f->known = KNOWN_DECLARED;
    datum_rat(&e->value, &f->lower);
    rat_set(&f->upper, &f->lower);
    if (e->value.type == TYPE_REAL)
        range_outward(f);
}

void
range_column(struct fact *f, const struct policy_column *c)
{
    f->nullable = c->nullable;
    range_of_type(f, c->type);
    if (c->has_range && has_range(c->type)) {
        f->known = KNOWN_DECLARED;
        datum_rat(&c->lower, &f->lower);
        datum_rat(&c->upper, &f->upper);
        if (c->type == TYPE_REAL)
            range_outward(f);
    } else if (c->n_values > 0 && has_range(c->type)) {
        rat x;

        f->known = KNOWN_DECLARED;
        rat_init(&x);
        for (size_t i = 0; i < c->n_values; i++) {
            datum_rat(&c->values[i], &x);
            range_cover(f, &x, &x, i == 0);
        }
        rat_clear(&x);
        if (c->type == TYPE_REAL)
            range_outward(f);
    }
}

/* ----------------------------------------------------------------- casts -- */

/* The range of a cast to whole numbers: NULL for values outside 64 bits. */
static void
cut_to_type(struct fact *f)
{
    rat low, high;

    rat_init(&low);
    rat_init(&high);
    rat_set_i64(&low, INT64_MIN, 1);
    rat_set_i64(&high, INT64_MAX, 1);
    if (rat_cmp(&f->lower, &low) < 0 || rat_cmp(&f->upper, &high) > 0) {
        f->nullable = true;
        range_of_type(f, TYPE_INT);
    }
    rat_clear(&low);
    rat_clear(&high);
}

void
range_as_timestamp(struct fact *f)
{
    rat day;

    rat_init(&day);
    rat_set_i64(&day, DAY_US, 1);
    rat_mul(&f->lower, &f->lower, &day);
    rat_mul(&f->upper, &f->upper, &day);
    rat_clear(&day);
}

static void
cast_days(struct fact *f, enum data_type from, enum data_type to)
{
    rat day;

    if (from == to)
        return;
    if (to == TYPE_TIMESTAMP) {
        range_as_timestamp(f);
        return;
    }
    rat_init(&day);
    rat_set_i64(&day, DAY_US, 1);
    rat_div(&f->lower, &f->lower, &day);
    rat_floor(&f->lower, &f->lower);
    rat_div(&f->upper, &f->upper, &day);
    rat_floor(&f->upper, &f->upper);
    rat_clear(&day);
}

static void
copy_ends(struct fact *f, const struct fact *a)
{
    f->known = a->known;
    f->floor = a->floor;
    f->ceiling = a->ceiling;
    rat_set(&f->lower, &a->lower);
    rat_set(&f->upper, &a->upper);
}

/* A numeric(p, s) is below 10^(p - s); a larger value becomes NULL. */
static void
cut_to_digits(struct fact *f, int precision, int scale)
{
    rat most, least, step;

    rat_init(&most);
    rat_init(&least);
    rat_init(&step);
    grid_step((struct grid){10, scale}, &step);
    grid_step((struct grid){10, scale - precision}, &most);
    rat_sub(&most, &most, &step);
    rat_sub(&least, &least, &most);
    if (f->known == KNOWN_NOTHING || rat_cmp(&f->lower, &least) < 0 ||
        rat_cmp(&f->upper, &most) > 0)
        f->nullable = true;
    if (f->known != KNOWN_NOTHING) {
        rat_clamp(&f->lower, &least, &most);
        rat_clamp(&f->upper, &least, &most);
    }
    rat_clear(&most);
    rat_clear(&least);
    rat_clear(&step);
}

/* A cast from one type of number to another. */
static void
cast_number(struct expr *e, const struct fact *a)
{
    const struct expr *x = e->args[0];
    struct fact *f = fact_of(e);
    int digits = e->type == TYPE_DECIMAL ? f->scale : 0;

    f->nullable = f->nullable || a->known != KNOWN_DECLARED;
    if (a->known == KNOWN_NOTHING && e->type == TYPE_INT)
        return;
    copy_ends(f, a);
    if (e->type == TYPE_REAL) {
        f->scale = x->type == TYPE_DECIMAL ? a->scale : 0;
        if (!expr_is_double(x))
            range_as_double(f);
        f->scale = 0;
        return;
    }
    if (digits > 0 && expr_is_double(x))
        range_round_double(f, a, digits);
    else
        range_round(f, a, digits);
    if (e->type == TYPE_INT)
        cut_to_type(f);
    else
        cut_to_digits(f, e->cast_precision, e->cast_scale);
}

void
range_cast(struct expr *e)
{
    const struct expr *x = e->args[0];
    struct fact *f = fact_of(e);
    const struct fact *a = fact_of(x);
    bool number = data_type_is_number(x->type);

    f->nullable = a->nullable || (x->type == TYPE_TEXT && e->type != TYPE_TEXT);
    f->loose = a->loose;
    range_of_type(f, e->type);
    if (x->type == TYPE_BOOL && e->type == TYPE_INT) {
        f->known = KNOWN_DECLARED;
        rat_set_i64(&f->lower, 0, 1);
        rat_set_i64(&f->upper, 1, 1);
        return;
    }
    if (number && e->type != TYPE_TEXT && e->type != TYPE_BOOL) {
        cast_number(e, a);
        return;
    }
    if (has_range(x->type) && has_range(e->type)) {
        copy_ends(f, a);
        cast_days(f, x->type, e->type);
    }
}
