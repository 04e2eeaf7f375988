/*
 * Grids: the public spacing on which values are stored and summed.
 *
 * The step is a power of two for reals, a power of ten for decimals, 1 for
 * whole numbers. The scale of noise is limited to 2^60 steps. So where one unit
 * could change a sum by more than 2^48 steps, the step is made larger, and the
 * plan says so.
 */
#include "num/rat_round.h"
#include "plan/part/parts.h"
#include "plan/work.h"

enum {
    STEPS_LOG2 = 30,   /* steps of a real, from 0 to the far end of its range */
    DECIMALS_MAX = 9,  /* decimals with more digits get the grid of reals */
    CHANGE_LOG2 = 48,  /* the most that one unit may change a sum, in steps */
    DIGITS_LOG2 = 400, /* binary digits: no range needs more */
};

/* The grid 2^-d with at most 2^30 steps from 0 to the far end of the range. */
static struct grid
grid_binary(const rat *lower, const rat *upper)
{
    struct grid g = {2, 0};
    rat far, other;
    long e;

    rat_init(&far);
    rat_init(&other);
    rat_abs(&far, lower);
    rat_abs(&other, upper);
    if (rat_cmp(&other, &far) > 0)
        rat_set(&far, &other);
    if (rat_sign(&far) > 0) {
        e = rat_log2_floor(&far);
        rat_set_pow2(&other, e);
        e += rat_cmp(&other, &far) < 0; /* the least e with far <= 2^e */
        if (e < -DIGITS_LOG2)
            e = -DIGITS_LOG2;
        g.digits = (int)(STEPS_LOG2 - e);
    }
    rat_clear(&far);
    rat_clear(&other);
    return g;
}

struct grid
grid_of_column(const struct policy_column *c)
{
    struct grid g = {10, 0};
    struct fact f = {.known = KNOWN_NOTHING};

    if (c->type == TYPE_DECIMAL)
        g.digits = c->scale;
    if (c->type != TYPE_REAL)
        return g;
    rat_init(&f.lower);
    rat_init(&f.upper);
    range_column(&f, c);
    if (f.known == KNOWN_DECLARED)
        g = grid_binary(&f.lower, &f.upper);
    rat_clear(&f.lower);
    rat_clear(&f.upper);
    return g;
}

struct grid
grid_of_value(const struct work *w, const struct expr *e, const rat *lower,
              const rat *upper)
{
    const struct fact *f = fact_of(e);
    struct grid g = {10, 0};

    if (e->kind == EXPR_COLUMN && f->known == KNOWN_DECLARED)
        return grid_of_column(&w->table->columns[e->slot]);
    if (e->type == TYPE_DECIMAL)
        g.digits = f->scale;
    if (e->type == TYPE_REAL ||
        (e->type == TYPE_DECIMAL && f->scale > DECIMALS_MAX))
        g = grid_binary(lower, upper);
    return g;
}

/* Can noise hide `rows` rows that add most^power each? */
static bool
is_fine(i128 most, int power, uint64_t rows)
{
    bool fine;
    rat all, limit, x;

    rat_init(&all);
    rat_init(&limit);
    rat_init(&x);
    rat_set_i128(&x, most);
    rat_set_i128(&all, (i128)rows);
    for (int i = 0; i < power; i++)
        rat_mul(&all, &all, &x);
    rat_set_pow2(&limit, CHANGE_LOG2);
    fine = rat_cmp(&all, &limit) <= 0;
    rat_clear(&all);
    rat_clear(&limit);
    rat_clear(&x);
    return fine;
}

static i128
distance(i128 a, i128 b)
{
    return a < b ? b - a : a - b;
}

/* Sets limits, centre and the most that one row adds, in steps of v->grid. */
static bool
set_steps(struct part_value *v, const rat *lower, const rat *upper)
{
    i128 low, high;

    if (!range_steps(lower, v->grid, &v->lower) ||
        !range_steps(upper, v->grid, &v->upper))
        return false;
    v->centre = 0;
    if (v->centred)
        v->centre = v->lower + (v->upper - v->lower) / 2;
    low = distance(v->lower, v->centre);
    high = distance(v->upper, v->centre);
    v->most = low > high ? low : high;
    if (v->most < 1)
        v->most = 1;
    return true;
}

bool
grid_lay(struct part_value *v, const rat *lower, const rat *upper,
         uint64_t rows)
{
    int power = v->squared ? 2 : 1;

    while (!set_steps(v, lower, upper) || !is_fine(v->most, power, rows)) {
        if (v->grid.digits < -DIGITS_LOG2)
            return false;
        if (v->grid.digits == 0) /* grow by 2, not 10: loses less */
            v->grid.base = 2;
        v->grid.digits--;
    }
    return true;
}
