/*
 * Quantiles: which ranks of which value, on which grid, at which price, and
 * how long error bars have to be.
 *
 * THEOREM  quantile-groups
 *   Let a unit have at most m values after bounding, in any groups, and let
 *   the quantiles of every group be released by quantile-tree for v values per
 *   unit. A group in which y values come or go costs at most epsilon y / v, so
 *   all groups together cost epsilon, as one group does. This holds under
 *   add/remove with v = m; under change-one in one group with v = m; and under
 *   change-one over several groups with v = 2 m, counted as values that come or
 *   go.
 * SOURCE   doc/proofs/quantile-groups.md
 * NEEDS    rank-bound or fold-bound, or the unit is the row; a list of groups
 *          that is fixed, or chosen first (groups-chosen); values clamped and
 *          on a public grid (part-clamp).
 * GIVES    epsilon of the part, a third of it for each of three releases.
 * FAILS    with a reason, from public facts alone.
 * TESTED   quantile_loss_is_by_value quantile_price_is_by_value
 *          quantile_values_of_neighbours_differ_little
 *
 * THEOREM  quantile-bar
 *   Let e be the error of quantile-error for beta/2 and off >= e + 1, and add
 *   off copies of each end of the range to the n values. With probability
 *   1 - beta the quantile of rank p, interpolated or not, is between the values
 *   released for the places p n - off and p n + off.
 * SOURCE   doc/proofs/quantile-groups.md
 * NEEDS    quantile-error; fewer than 2^32 - 2 off values in a group.
 * GIVES    part->quantiles->off, the same for all ranks.
 * FAILS    CUSTOS_ERANGE: a bar of 2^20 places or more is not worth its
 *          price.
 * TESTED   quantiles_cover quantiles_of_few_values_cover
 */
#include "plan/part/quantile.h"

#include "sql/aggregates.h"

#include <stdio.h>

#include "num/batch.h"
#include "num/rat_round.h"
#include "plan/part/parts.h"

enum {
    WIDTH_LOG2 = 61, /* how far an end of a range may be from 0, in steps:
                        quantiles take ranges up to 2^62 wide */
    DIGITS_LEAST = -400,
    OFF_LOG2 = 20,
    BAR_MARGIN = 1, /* for interpolation */
    RELEASES = 3,
    NUMBER_MAX = 512,
};

size_t
part_width(const struct part *part)
{
    return part->kind == PART_QUANTILES ? RELEASES * part->quantiles->n : 1;
}

void
quantile_clear(struct part *part)
{
    if (!part->quantiles)
        return;
    custos_quantile_free(part->quantiles->at);
    custos_quantile_free(part->quantiles->low);
    custos_quantile_free(part->quantiles->high);
    part->quantiles->at = NULL;
    part->quantiles->low = NULL;
    part->quantiles->high = NULL;
}

/* ------------------------------------------------------------------ part -- */

/* Uses the value's own grid, or a coarser one where the range has too many
   steps. */
static bool
lay_grid(struct part *part, const rat *lower, const rat *upper)
{
    const i128 most = (i128)1 << WIDTH_LOG2;

    while (!range_steps(lower, part->grid, &part->lower) ||
           !range_steps(upper, part->grid, &part->upper) ||
           part->lower < -most || part->upper > most) {
        if (part->grid.digits < DIGITS_LEAST)
            return false;
        if (part->grid.digits == 0)
            part->grid.base = 2;
        part->grid.digits--;
    }
    return true;
}

custos_status
quantile_part(struct work *w, size_t i, struct part *like)
{
    const struct expr *e = w->plan->aggregates[i].expr;
    struct expr *x = e->args[0];
    custos_status st;
    rat lower, upper;

    if (e->lower && !data_type_is_number(x->type))
        return custos_fail_at(
            w->err, CUSTOS_EINVAL, e->lower->at,
            "contribution bounds are numbers, but %s is of type %s",
            work_text(w, x), data_type_name(x->type));
    rat_init(&lower);
    rat_init(&upper);
    st = limits_find(w, e, &lower, &upper);
    *like = (struct part){.kind = PART_QUANTILES, .of = x, .row_most = 1};
    if (!st) {
        like->grid = grid_of_value(w, x, &lower, &upper);
        if (!lay_grid(like, &lower, &upper))
            st = custos_fail_at(w->err, CUSTOS_EOVERFLOW, e->at,
                                "the range of %s is too wide for quantiles",
                                work_text(w, x));
    }
    rat_clear(&lower);
    rat_clear(&upper);
    return st;
}

/* ----------------------------------------------------------------- ranks -- */

static const struct datum *
rank_of(const struct plan *p, size_t aggregate)
{
    return &p->aggregates[aggregate].expr->args[1]->value;
}

static bool
reads_part(const struct plan *p, size_t aggregate, size_t part)
{
    return aggregate_is_quantile(p->aggregates[aggregate].kind) &&
           p->aggregates[aggregate].rows == (int)part;
}

/* The index of an aggregate's rank among the distinct ranks of its part. */
static size_t
rank_place(const struct plan *p, size_t aggregate, size_t part)
{
    size_t place = 0;

    for (size_t i = 0; i < p->n_aggregates; i++) {
        bool first = reads_part(p, i, part) &&
                     datum_cmp(rank_of(p, i), rank_of(p, aggregate)) < 0;

        for (size_t j = 0; j < i && first; j++)
            first = !reads_part(p, j, part) ||
                    datum_cmp(rank_of(p, i), rank_of(p, j)) != 0;
        place += first;
    }
    return place;
}

static const char *
rank_text(struct work *w, const struct datum *rank)
{
    const char *text = NULL;
    struct buf b;

    buf_init(&b, NULL, NUMBER_MAX);
    datum_write(rank, &b);
    if (!b.failed)
        text = arena_copy(w->a, (str){buf_text(&b), b.len});
    buf_clear(&b);
    return text;
}

static custos_status
part_ranks(struct work *w, size_t part)
{
    struct plan *p = w->plan;
    struct part_quantiles *q = arena_take(w->a, 1, sizeof *q);

    if (q)
        q->rank = arena_take(w->a, p->n_aggregates, sizeof(char *));
    if (!q || !q->rank)
        return work_no_memory(w);
    for (size_t i = 0; i < p->n_aggregates; i++) {
        struct plan_aggregate *a = &p->aggregates[i];

        if (!reads_part(p, i, part))
            continue;
        a->rank = rank_place(p, i, part);
        q->rank[a->rank] = rank_text(w, rank_of(p, i));
        if (!q->rank[a->rank])
            return work_no_memory(w);
        q->n = a->rank + 1 > q->n ? a->rank + 1 : q->n;
    }
    p->parts[part].quantiles = q;
    return CUSTOS_OK;
}

custos_status
quantile_ranks(struct work *w)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < w->plan->n_parts && !st; i++)
        if (w->plan->parts[i].kind == PART_QUANTILES)
            st = part_ranks(w, i);
    return st;
}

/* ------------------------------------------------------------ mechanisms -- */

/* What the three releases of a part have in common. */
struct release {
    custos_quantile_options o;
    char epsilon[NUMBER_MAX];
};

static custos_status
release_init(struct work *w, const struct part *part, struct release *r)
{
    const struct plan *p = w->plan;
    bool change = w->policy->adjacency == CUSTOS_CHANGE_ONE;
    bool several = change && (part->space->cells > 1 || part->space->selection);
    bool fits;
    rat third;

    r->o = (custos_quantile_options){
        .size = sizeof r->o,
        .adjacency = several ? CUSTOS_ADD_REMOVE : w->policy->adjacency,
        .values_per_unit = several ? 2 * p->rows : p->rows,
        .lower = (int64_t)part->lower,
        .upper = (int64_t)part->upper,
        .ranks = part->quantiles->n,
        .rank = part->quantiles->rank,
        .epsilon = r->epsilon,
    };
    rat_init(&third);
    rat_set_i64(&third, 1, RELEASES);
    rat_mul(&third, &third, &part->epsilon);
    fits = rat_write_into(&third, r->epsilon, NUMBER_MAX);
    rat_clear(&third);
    if (!fits)
        return custos_fail(w->err, CUSTOS_EINVAL,
                           "epsilon has too many digits for this query");
    return CUSTOS_OK;
}

/* How many places from the quantile the ends of its bar must be. */
static custos_status
find_off(struct work *w, const custos_quantile *q, size_t n, uint64_t *off)
{
    custos_status st = CUSTOS_OK;
    char beta[32];

    snprintf(beta, sizeof beta, "1/%zu", 40 * plan_levels(w->plan));
    *off = 0;
    for (size_t i = 0; i < n && !st; i++) {
        uint64_t one = 0;

        st = custos_quantile_error(q, i, beta, 0, &one, w->err);
        *off = one > *off ? one : *off;
    }
    *off += BAR_MARGIN;
    if (!st && *off >> OFF_LOG2)
        st = custos_fail(
            w->err, CUSTOS_ERANGE,
            "at this epsilon a quantile could lie a million values off" HINT
            "ask for a larger epsilon, or for fewer rows per unit "
            "(max_rows_contributed)");
    return st;
}

/*
 * How many places from the end ranks 0 and 1 are released. At the end itself,
 * all points between the extreme value and the end of the range would be
 * equally likely; there are at most w, the number of points of the range. With
 * each place further in, their weight shrinks by a factor of e^rate, where rate
 * is epsilon / (6 * levels * values per unit); after (ln w + 2) / rate places
 * it is negligible.
 */
static uint64_t
find_inside(const struct part *part, const custos_quantile *q,
            uint64_t per_unit)
{
    uint64_t inside = 0;
    rat x[3];

    rats_init(x, 3);
    rat_set_i128(&x[0], part->upper - part->lower + 1);
    rat_set_i64(&x[0], 7 * (rat_log2_floor(&x[0]) + 4), 10); /* ln 2 < 7/10 */
    rat_set_u64(&x[1], per_unit);
    rat_mul(&x[0], &x[0], &x[1]);
    rat_set_i64(
        &x[1],
        (int64_t)2 * RELEASES * (int64_t)custos_quantile_report(q)->levels, 1);
    rat_mul(&x[0], &x[0], &x[1]);
    rat_div(&x[0], &x[0], &part->epsilon);
    if (!rat_floor_u64(&x[0], &inside) || inside >> OFF_LOG2)
        inside = (uint64_t)1 << OFF_LOG2;
    rats_clear(x, 3);
    return inside + 1;
}

/* Moves ranks 0 and 1 inside by q->inside places; no other rank moves. */
static void
shift_inside(const struct part_quantiles *q, int64_t *shift)
{
    for (size_t i = 0; i < q->n; i++)
        shift[i] = !strcmp(q->rank[i], "0")   ? (int64_t)q->inside
                   : !strcmp(q->rank[i], "1") ? -(int64_t)q->inside
                                              : 0;
}

static void
shift_all(size_t n, int64_t by, int64_t *shift)
{
    for (size_t i = 0; i < n; i++)
        shift[i] = by;
}

custos_status
quantile_choose(struct work *w, struct part *part)
{
    struct part_quantiles *q = part->quantiles;
    int64_t *shift = arena_take(w->a, q->n, sizeof *shift);
    custos_quantile *plain = NULL;
    struct release r = {.o = {.size = 0}};
    custos_status st = shift ? release_init(w, part, &r) : work_no_memory(w);

    quantile_clear(part);
    if (!st)
        st = work_spend(w, EFFORT_QUANTILE + EFFORT_RANK * q->n);
    if (!st)
        st = custos_quantile_new(NULL, &r.o, &plain, w->err);
    if (!st)
        st = find_off(w, plain, q->n, &q->off);
    if (!st) {
        q->inside = find_inside(part, plain, r.o.values_per_unit);
        r.o.shift = shift;
        shift_inside(q, shift);
        st = custos_quantile_new(NULL, &r.o, &q->at, w->err);
    }
    r.o.pad = q->off;
    if (!st) {
        shift_all(q->n, -(int64_t)q->off, shift);
        st = custos_quantile_new(NULL, &r.o, &q->low, w->err);
    }
    if (!st) {
        shift_all(q->n, (int64_t)q->off, shift);
        st = custos_quantile_new(NULL, &r.o, &q->high, w->err);
    }
    custos_quantile_free(plain);
    part->theorem = "quantile-tree";
    part->bar = (i128)q->off;
    return st;
}

custos_status
quantile_rho(const struct part *part, rat *rho, custos_err *err)
{
    custos_status st = rat_read_positive(
        custos_quantile_report(part->quantiles->at)->rho, "rho", rho, err);
    rat x;

    rat_init(&x);
    rat_set_i64(&x, RELEASES, 1);
    rat_mul(rho, rho, &x);
    rat_clear(&x);
    return st;
}
