/*
 * Turns aggregates into parts; equal parts are released once.
 *
 * A count needs one part: rows, non-null values, units or distinct values. An
 * avg needs a sum and a count, a variance also a sum of squares. A pair of values
 * needs those of both, and the sum of their products. Averages and variances sum value - centre, with the middle of the range as centre: then
 * one row moves the sum by at most half the range.
 *
 * A sum of a value that is also averaged is read from the average's parts, as
 * S + c N. With half range h, centre c and the same epsilon for both parts, its
 * error is proportional to sqrt(h^2 + c^2). An uncentred sum would have
 * row_most = |c| + h, which is never less, and would need a third part that
 * takes a third of the price. A sum without an average is uncentred: it needs
 * no count. An aggregate with an epsilon of its own shares no parts. Averages of
 * two values are shares, which have a part of their own (share.c).
 */
#include "plan/part/parts.h"

#include "base/ck.h"
#include "plan/part/known_rows.h"
#include "plan/part/marginals.h"
#include "plan/part/pair.h"
#include "plan/part/quantile.h"
#include "plan/part/running.h"
#include "plan/part/share.h"
#include "sql/aggregates.h"

enum {
    CEILING_LOG2 = 120,
    ROWS_LOG2 = 40,
    PARTS_PER_AGGREGATE = 3,
    PARTS_PER_PAIR = 6
};

static bool
is_variance(enum aggregate a)
{
    return aggregates[a].family == FAMILY_VARIANCE;
}

static bool
is_sum(enum aggregate a)
{
    return aggregates[a].family == FAMILY_SUM;
}

static bool
has_value(enum aggregate a)
{
    return is_sum(a) || aggregates[a].family == FAMILY_MEAN || is_variance(a);
}

int
parts_owner(const struct plan *p, size_t i)
{
    return p->aggregates[i].expr->epsilon.len > 0 ? (int)i : -1;
}

static bool
same_bound(const struct expr *a, const struct expr *b)
{
    return !a || !b ? !a && !b : expr_same(a, b);
}

bool
parts_is_family(const struct plan *p, size_t i, size_t j)
{
    const struct expr *a = p->aggregates[i].expr, *b = p->aggregates[j].expr;

    return has_value(p->aggregates[i].kind) &&
           has_value(p->aggregates[j].kind) &&
           parts_owner(p, i) == parts_owner(p, j) &&
           expr_same(a->args[0], b->args[0]) &&
           same_bound(a->lower, b->lower) && same_bound(a->upper, b->upper);
}

/* -------------------------------------------------------------- one part -- */

static bool
part_same(const struct part *a, const struct part *b)
{
    if (a->kind != b->kind || a->owner != b->owner || !a->of != !b->of)
        return false;
    if (a->of && !expr_same(a->of, b->of))
        return false;
    return a->lower == b->lower && a->upper == b->upper &&
           a->centre == b->centre && a->grid.base == b->grid.base &&
           a->grid.digits == b->grid.digits && running_same(a, b);
}

/* Parts of one value share its tree, so that it is computed once. */
static struct expr *
value_shared(const struct plan *p, struct expr *of)
{
    for (size_t i = 0; of && i + 1 < p->n_parts; i++)
        if (p->parts[i].of && expr_same(p->parts[i].of, of))
            return p->parts[i].of;
    return of;
}

int
parts_take(struct plan *p, const struct part *like)
{
    size_t i = 0;
    struct part *new;

    while (i < p->n_parts && !part_same(&p->parts[i], like))
        i++;
    if (i < p->n_parts)
        return (int)i;
    new = &p->parts[p->n_parts++];
    *new = *like;
    new->space = &p->space;
    new->of = value_shared(p, like->of);
    rat_init(&new->l1);
    rat_init(&new->l2_squared);
    rat_init(&new->epsilon);
    rat_init(&new->delta);
    rat_init(&new->rho);
    return (int)i;
}

/* Counts rows; if `of` may be NULL, only rows where it is not. */
static int
part_count(struct plan *p, struct expr *of, int owner)
{
    struct part part = {.kind = PART_ROWS,
                        .owner = owner,
                        .grid = {10, 0},
                        .upper = 1,
                        .row_most = 1};

    if (of && fact_of(of)->nullable) {
        part.kind = PART_VALUES;
        part.of = of;
    }
    return parts_take(p, &part);
}

/* The count that the sums of aggregate i belong to, of rows where the typed value
   is not NULL: a part, unless the policy states it. */
static void
take_count(struct work *w, size_t i, struct expr *of)
{
    struct plan *p = w->plan;
    struct plan_aggregate *a = &p->aggregates[i];

    a->counted = known_rows_of(w, of);
    if (a->counted)
        p->known_rows = w->known_rows;
    else
        a->rows = part_count(p, of, parts_owner(p, i));
}

static int
part_units(struct plan *p, int owner)
{
    struct part part = {.kind = PART_UNITS,
                        .owner = owner,
                        .grid = {10, 0},
                        .upper = 1,
                        .row_most = 1};

    return parts_take(p, &part);
}

/*
 * How many values there can be; 0: not known. A truth value has two. For other
 * types the number is known only for a stored column, where the import keeps
 * every value in its domain. Which values an expression has depends on how the
 * engine computes it.
 */
static uint64_t
values_there(const struct work *w, const struct expr *of)
{
    const struct policy_column *c;
    i128 n = 0;

    if (of->type == TYPE_BOOL)
        return 2;
    if (of->kind != EXPR_COLUMN || !w->from->columns[of->slot].stored)
        return 0;
    c = &w->table->columns[of->slot];
    if (c->n_values > 0)
        return c->n_values;
    if (c->has_range && (c->type == TYPE_INT || c->type == TYPE_DATE))
        n = c->upper.n - c->lower.n + 1;
    return n < INT64_MAX ? (uint64_t)n : 0;
}

static int
part_distinct(struct work *w, struct expr *of, int owner)
{
    struct part part = {.kind = PART_DISTINCT,
                        .of = of,
                        .owner = owner,
                        .grid = {10, 0},
                        .upper = 1,
                        .domain = values_there(w, of),
                        .row_most = 1};

    return parts_take(w->plan, &part);
}

static int
part_sum(struct plan *p, struct expr *of, const struct part_value *v,
         enum part_kind kind, int owner)
{
    struct part part = {.kind = kind,
                        .of = of,
                        .owner = owner,
                        .grid = v->grid,
                        .lower = v->lower,
                        .upper = v->upper,
                        .centre = v->centre,
                        .row_most = v->most};

    if (kind == PART_SQUARES)
        part.row_most = v->most * v->most; /* 2^48 at most: grid_lay */
    return parts_take(p, &part);
}

/* ----------------------------------------------------------- aggregates -- */

static i128
farther_from_zero(i128 most, i128 x)
{
    return x > most ? x : -x > most ? -x : most;
}

/*
 * The largest number of rows times the largest row must be below 2^120: a sum
 * that exceeds 128 bits would overflow on some data and not on other data.
 * Engines may add values up before they subtract the centre, so the ends of the
 * range count too. An import does not check attached tables against their
 * max_rows, so at least 2^40 rows are assumed.
 */
static custos_status
check_ceiling(struct work *w, const struct part *part, const struct expr *e)
{
    i128 rows =
             farther_from_zero((i128)1 << ROWS_LOG2, (i128)w->table->max_rows),
         most;

    most = farther_from_zero(farther_from_zero(part->row_most, part->lower),
                             part->upper);
    if (!ck_mul_i128(rows, most, &most) || most >= (i128)1 << CEILING_LOG2)
        return custos_fail_at(w->err, CUSTOS_EOVERFLOW, e->at,
                              "a sum of %s over the largest number of rows "
                              "would exceed 2^120" HINT
                              "state narrower contribution bounds",
                              work_text(w, e));
    return CUSTOS_OK;
}

/*
 * Numbers in an answer are at most 10^36. An aggregate that could exceed that
 * is refused above the charge, for example a sum over 2^40 rows or a variance.
 */
static custos_status
check_shown(struct work *w, const struct expr *e, const rat *lower,
            const rat *upper)
{
    enum { DIGITS = 36 };
    bool fits;
    rat far, most;

    rat_init(&far);
    rat_init(&most);
    rat_abs(&far, lower);
    rat_abs(&most, upper);
    if (rat_cmp(&far, &most) < 0)
        rat_set(&far, &most);
    rat_set_pow2(&most, is_sum(e->aggregate) ? ROWS_LOG2 : 0);
    if (is_variance(e->aggregate))
        rat_set(&most, &far);
    rat_mul(&far, &far, &most);
    grid_step((struct grid){10, -DIGITS}, &most);
    fits = rat_cmp(&far, &most) <= 0;
    rat_clear(&far);
    rat_clear(&most);
    if (fits)
        return CUSTOS_OK;
    return custos_fail_at(
        w->err, CUSTOS_EOVERFLOW, e->at,
        "%s could exceed 10^%d, the limit for numbers in an answer" HINT
        "divide %s by some power of ten, or state narrower contribution bounds",
        work_text(w, e), DIGITS, work_text(w, e->args[0]));
}

custos_status
parts_value(struct work *w, const struct expr *e, struct part_value *v)
{
    custos_status st;
    rat lower, upper;

    rat_init(&lower);
    rat_init(&upper);
    st = limits_find(w, e, &lower, &upper);
    if (!st)
        st = check_shown(w, e, &lower, &upper);
    if (!st) {
        v->grid = grid_of_value(w, e->args[0], &lower, &upper);
        if (!grid_lay(v, &lower, &upper, 2 * w->table->rows_per_unit))
            st = custos_fail_at(w->err, CUSTOS_EOVERFLOW, e->at,
                                "the range of %s is too wide to be summed",
                                work_text(w, e->args[0]));
    }
    rat_clear(&lower);
    rat_clear(&upper);
    return st;
}

static custos_status
parts_of_value(struct work *w, size_t i)
{
    struct plan *p = w->plan;
    struct plan_aggregate *a = &p->aggregates[i];
    struct expr *x = a->expr->args[0];
    int owner = parts_owner(p, i);
    struct part_value v = {.centred = known_rows_of(w, x)};
    custos_status st;

    for (size_t j = 0; j < p->n_aggregates; j++)
        if (parts_is_family(p, i, j)) {
            v.centred = v.centred || !is_sum(p->aggregates[j].kind);
            v.squared = v.squared || is_variance(p->aggregates[j].kind);
        }
    st = parts_value(w, a->expr, &v);
    if (st)
        return st;
    a->sum = part_sum(p, x, &v, PART_SUM, owner);
    if (v.centred)
        take_count(w, i, x);
    if (is_variance(a->kind))
        a->squares = part_sum(p, x, &v, PART_SQUARES, owner);
    st = check_ceiling(w, &p->parts[a->sum], a->expr);
    if (!st && a->squares >= 0)
        st = check_ceiling(w, &p->parts[a->squares], a->expr);
    return st;
}

/* ----------------------------------------------------------------- pairs -- */

/* Lays the grid of one value of a pair: `of`, which may be masked, with the range
   of x. */
static custos_status
pair_value(struct work *w, const struct expr *e, struct expr *x,
           struct expr *of, struct part_value *v)
{
    struct expr one = *e;
    struct expr *args[] = {x};
    custos_status st;
    rat lower, upper;

    one.args = args;
    one.n_args = 1;
    rat_init(&lower);
    rat_init(&upper);
    st = limits_find(w, &one, &lower, &upper);
    if (!st) {
        v->grid = grid_of_value(w, of, &lower, &upper);
        if (!grid_lay(v, &lower, &upper, 2 * w->table->rows_per_unit))
            st = custos_fail_at(w->err, CUSTOS_EOVERFLOW, e->at,
                                "the range of %s is too wide to be summed",
                                work_text(w, x));
    }
    rat_clear(&lower);
    rat_clear(&upper);
    return st;
}

/* The parts of a count, both sums and the sum of products. *x and *y are set to
   the values where the other is not NULL. */
static custos_status
pair_parts(struct work *w, size_t i, struct expr *of[2], struct part_value v[2])
{
    struct plan *p = w->plan;
    struct plan_aggregate *a = &p->aggregates[i];
    struct expr *y = a->expr->args[0], *x = a->expr->args[1], *z;
    struct part_value at_z = {.centred = false};
    int owner = parts_owner(p, i);
    custos_status st;

    v[0] = v[1] = (struct part_value){.centred = true, .squared = true};
    st = pair_masked(w, x, y, &of[0]);
    if (!st)
        st = pair_masked(w, y, x, &of[1]);
    if (!st)
        st = pair_value(w, a->expr, x, of[0], &v[0]);
    if (!st)
        st = pair_value(w, a->expr, y, of[1], &v[1]);
    if (!st)
        st = pair_product(w, x, &v[0], y, &v[1], &z);
    if (!st)
        st = pair_value(w, a->expr, z, z, &at_z);
    if (!st)
        st = check_shown(w, a->expr, &fact_of(z)->lower, &fact_of(z)->upper);
    if (st)
        return st;
    take_count(w, i, z);
    a->sum = part_sum(p, of[0], &v[0], PART_SUM, owner);
    a->sum_y = part_sum(p, of[1], &v[1], PART_SUM, owner);
    a->product = part_sum(p, z, &at_z, PART_SUM, owner);
    st = check_ceiling(w, &p->parts[a->sum], a->expr);
    if (!st)
        st = check_ceiling(w, &p->parts[a->sum_y], a->expr);
    return st ? st : check_ceiling(w, &p->parts[a->product], a->expr);
}

/* Of a covariance. */
static custos_status
parts_of_product(struct work *w, size_t i)
{
    struct part_value v[2];
    struct expr *of[2];

    return pair_parts(w, i, of, v);
}

/* Takes the squares of one of the two values. */
static custos_status
pair_squares(struct work *w, size_t i, struct expr *of,
             const struct part_value *v, int *squares)
{
    struct plan *p = w->plan;

    *squares = part_sum(p, of, v, PART_SQUARES, parts_owner(p, i));
    return check_ceiling(w, &p->parts[*squares], p->aggregates[i].expr);
}

/* Of a line, which needs the squares of x. */
static custos_status
parts_of_line(struct work *w, size_t i)
{
    struct part_value v[2];
    struct expr *of[2];
    custos_status st = pair_parts(w, i, of, v);

    return st ? st
              : pair_squares(w, i, of[0], &v[0],
                             &w->plan->aggregates[i].squares);
}

/* Of a correlation, which needs those of both. */
static custos_status
parts_of_moments(struct work *w, size_t i)
{
    struct plan_aggregate *a = &w->plan->aggregates[i];
    struct part_value v[2];
    struct expr *of[2];
    custos_status st = pair_parts(w, i, of, v);

    if (!st)
        st = pair_squares(w, i, of[0], &v[0], &a->squares);
    return st ? st : pair_squares(w, i, of[1], &v[1], &a->squares_y);
}

static custos_status
parts_of_quantile(struct work *w, size_t i)
{
    struct plan *p = w->plan;
    struct part like;
    custos_status st = quantile_part(w, i, &like);

    if (st)
        return st;
    like.owner = parts_owner(p, i);
    p->aggregates[i].rows = parts_take(p, &like);
    return CUSTOS_OK;
}

static custos_status
parts_of_rows(struct work *w, size_t i)
{
    struct plan *p = w->plan;

    p->aggregates[i].rows = part_count(p, NULL, parts_owner(p, i));
    return CUSTOS_OK;
}

static custos_status
parts_of_values(struct work *w, size_t i)
{
    struct plan *p = w->plan;
    struct plan_aggregate *a = &p->aggregates[i];

    a->rows = part_count(p, a->expr->args[0], parts_owner(p, i));
    return CUSTOS_OK;
}

static custos_status
parts_of_distinct(struct work *w, size_t i)
{
    struct plan *p = w->plan;
    struct plan_aggregate *a = &p->aggregates[i];
    int owner = parts_owner(p, i);

    a->rows = outputs_counts_units(w, a->expr)
                  ? part_units(p, owner)
                  : part_distinct(w, a->expr->args[0], owner);
    return CUSTOS_OK;
}

static custos_status
parts_of_running(struct work *w, size_t i)
{
    struct part part = {.kind = PART_ROWS,
                        .owner = -1,
                        .grid = {10, 0},
                        .upper = 1,
                        .row_most = 1};
    custos_status st = running_part(w, i, &part);

    if (!st)
        w->plan->aggregates[i].rows = parts_take(w->plan, &part);
    return st;
}

static const struct {
    custos_status (*make)(struct work *w, size_t i);
} rules[N_AGGREGATES] = {
#define ROW(id, ...) [AGG_##id] = {__VA_ARGS__},
#define PARTS(rule) rule
#include "sql/aggregates.def"
};

/* Bars that hold at once: of what has a bar that the plan alone determines, over
   groups whose number it knows. */
static custos_status
check_bars(struct work *w)
{
    const struct plan *p = w->plan;

    if (w->q->options.bars.len == 0)
        return CUSTOS_OK;
    if (p->space.selection)
        return custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                           "bars = simultaneous is for groups whose values are "
                           "public" HINT "leave it out");
    for (size_t i = 0; i < p->n_aggregates; i++) {
        enum aggregate_family family = aggregates[p->aggregates[i].kind].family;

        if (family != FAMILY_COUNT && family != FAMILY_SUM &&
            family != FAMILY_RUNNING)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, p->aggregates[i].expr->at,
                "bars = simultaneous is for counts, sums and running "
                "counts" HINT
                "leave it out, or ask for %s in a query of its own",
                work_text(w, p->aggregates[i].expr));
    }
    return CUSTOS_OK;
}

custos_status
parts_make(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;

    if (p->marginals)
        st = marginals_check(w);
    else if (w->q->options.table_error.len > 0)
        st = custos_fail(w->err, CUSTOS_EINVAL,
                         "table_error is for GROUPING SETS, ROLLUP and "
                         "CUBE" HINT "leave it out");
    if (st)
        return st;
    if (p->n_aggregates > PLAN_PARTS_MAX / PARTS_PER_AGGREGATE)
        return custos_fail_at(
            w->err, CUSTOS_EOVERFLOW,
            p->aggregates[PLAN_PARTS_MAX / PARTS_PER_AGGREGATE].expr->at,
            "one query may ask for at most %d aggregates",
            PLAN_PARTS_MAX / PARTS_PER_AGGREGATE);
    p->parts =
        arena_take(w->a, p->n_aggregates * PARTS_PER_PAIR, sizeof *p->parts);
    if (!p->parts)
        return work_no_memory(w);
    if (!p->marginals)
        st = share_parts(w);
    for (size_t i = 0; i < p->n_aggregates && !st; i++) {
        if (p->aggregates[i].share < 0)
            st = rules[p->aggregates[i].kind].make(w, i);
        if (!st && p->n_parts > PLAN_PARTS_MAX)
            st = custos_fail_at(w->err, CUSTOS_EOVERFLOW,
                                p->aggregates[i].expr->at,
                                "one query may release at most %d numbers for "
                                "each group",
                                (int)PLAN_PARTS_MAX);
    }
    if (!st)
        st = check_bars(w);
    if (!st && p->marginals)
        return marginals_parts(w);
    return st ? st : quantile_ranks(w);
}
