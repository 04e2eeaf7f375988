/*
 * Quantiles: which ranks of which value, on which grid, at which price, and
 * with which mechanisms.
 *
 * THEOREM  quantile-groups
 *   Let a unit have at most m values after bounding, in any groups, and let
 *   the boxes or quantiles of every group be drawn by quantile-tree for v values
 *   per unit. A group in which y values come or go costs at most epsilon y / v,
 *   so all groups together cost epsilon, as one group does. This holds under
 *   add/remove with v = m; under change-one in one group with v = m; and under
 *   change-one over several groups with v = 2 m, counted as values that come or
 *   go. The counts of all groups together change by m in l1, by m^2 in squared
 *   l2; under change-one by 2 m and 2 m^2.
 * SOURCE   doc/proofs/quantile-groups.md
 * NEEDS    rank-bound or fold-bound, or the unit is the row; a list of groups
 *          that is fixed, or chosen first (groups-chosen); values clamped and
 *          on a public grid (part-clamp).
 * GIVES    epsilon or rho of the part: quantile_box_percent() for the boxes and
 *          the rest for the counts, or all of it for quantiles without error
 *          bars.
 * FAILS    with a reason, from public facts alone.
 * TESTED   quantile_loss_is_by_value quantile_price_is_by_value
 *          quantile_values_of_neighbours_differ_little
 */
#include "plan/part/quantile.h"

#include "sql/aggregates.h"

#include <stdio.h>

#include "account/convert.h"
#include "mech/quantile_box.h"
#include "num/batch.h"
#include "num/ival_more.h"
#include "num/rat_round.h"
#include "plan/part/parts.h"

enum {
    WIDTH_LOG2 = 61, /* how far an end of a range may be from 0, in steps:
                        quantiles take ranges up to 2^62 wide */
    DIGITS_LEAST = -400,
    REACH_LOG2 = 20,
    NUMBER_MAX = 512,
    ROOT_BITS = 256,
};

size_t
part_width(const struct part *part)
{
    const struct part_quantiles *q = part->quantiles;

    if (part->kind != PART_QUANTILES)
        return part_numbers(part);
    return q->counts ? box_numbers(q->n) : q->n;
}

void
quantile_clear(struct part *part)
{
    if (!part->quantiles)
        return;
    custos_quantile_free(part->quantiles->draws);
    custos_mech_free(part->quantiles->counts);
    part->quantiles->draws = NULL;
    part->quantiles->counts = NULL;
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

/* The noise of the counts of all ranks adds up, and in rho most of the length of
   the intervals of several ranks comes from it. */
int
quantile_box_percent(const struct plan *p, const struct part *part)
{
    return p->in_rho && part->quantiles->n > 1 ? 35 : 45;
}

static custos_status
too_long(const struct work *w)
{
    return custos_fail(w->err, CUSTOS_EINVAL,
                       "%s has too many digits for this query",
                       w->plan->in_rho ? "rho" : "epsilon");
}

/* What a unit can change: values that come or go. Under change-one over several
   groups, all of its values may leave a group and come to another one. */
static bool
moves_groups(const struct work *w, const struct part *part)
{
    return w->policy->adjacency == CUSTOS_CHANGE_ONE &&
           (part->space->cells > 1 || part->space->selection);
}

/*
 * The epsilon of `percent` of the part's price, as text, not rounded up. In rho
 * that is the e with e^2 / 8 L = rho (quantile-tree).
 */
static custos_status
draw_epsilon(struct work *w, const struct part *part, int percent, char *text)
{
    bool fits = true;
    ival root;
    rat x, y;

    rat_init(&x);
    rat_init(&y);
    rat_set_i64(&x, percent, 100);
    rat_mul(&x, &x, w->plan->in_rho ? &part->rho : &part->epsilon);
    if (w->plan->in_rho) {
        rat_set_i64(&y, 8 * (int64_t)quantile_levels(part->quantiles->n), 1);
        rat_mul(&x, &x, &y);
        ival_init(&root, ROOT_BITS);
        ival_set_rat(&root, &x);
        ival_sqrt(&root, &root);
        ival_down(&root, &x);
        rat_decimal(&x, RAT_DOWN, text);
        ival_clear(&root);
    } else {
        fits = rat_write_into(&x, text, NUMBER_MAX);
    }
    rat_clear(&x);
    rat_clear(&y);
    return fits ? CUSTOS_OK : too_long(w);
}

/* Counts at their share of the price: theorem quantile-groups. */
static custos_status
make_counts(struct work *w, struct part *part)
{
    bool change = w->policy->adjacency == CUSTOS_CHANGE_ONE;
    bool in_rho = w->plan->in_rho, fits;
    char price[NUMBER_MAX], sensitivity[NUMBER_MAX];
    custos_mech_options o = {.size = sizeof o,
                             .kind = in_rho ? CUSTOS_GAUSSIAN : CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .values = box_counts(part->quantiles->n),
                             .epsilon = in_rho ? NULL : price,
                             .rho = in_rho ? price : NULL,
                             .sensitivity = in_rho ? NULL : sensitivity,
                             .sensitivity_squared =
                                 in_rho ? sensitivity : NULL};
    rat x, y;

    rat_init(&x);
    rat_init(&y);
    rat_set_i64(&x, 100 - quantile_box_percent(w->plan, part), 100);
    rat_mul(&x, &x, in_rho ? &part->rho : &part->epsilon);
    fits = rat_write_into(&x, price, NUMBER_MAX);
    rat_set_u64(&x, w->plan->rows);
    if (in_rho)
        rat_mul(&x, &x, &x);
    rat_set_i64(&y, change ? 2 : 1, 1);
    rat_mul(&x, &x, &y);
    fits = fits && rat_write_into(&x, sensitivity, NUMBER_MAX);
    rat_clear(&x);
    rat_clear(&y);
    if (!fits)
        return too_long(w);
    return mechs_take(w->plan->mechs, &o, &part->quantiles->counts, w->err);
}

/*
 * How many places from the end ranks 0 and 1 are released. At the end itself,
 * all points between the extreme value and the end of the range would be
 * equally likely; there are at most w, the number of points of the range. With
 * each place further in, their weight shrinks by a factor of e^rate, where rate
 * is epsilon / (2 * levels * values per unit); after (ln w + 2) / rate places
 * it is negligible.
 */
static uint64_t
find_inside(const struct part *part, const custos_quantile_options *o)
{
    uint64_t inside = 0;
    rat x[3];

    rats_init(x, 3);
    rat_set_i128(&x[0], part->upper - part->lower + 1);
    rat_set_i64(&x[0], 7 * (rat_log2_floor(&x[0]) + 4), 10); /* ln 2 < 7/10 */
    rat_set_u64(&x[1], o->values_per_unit);
    rat_mul(&x[0], &x[0], &x[1]);
    rat_set_i64(&x[1], 2 * (int64_t)quantile_levels(o->ranks), 1);
    rat_mul(&x[0], &x[0], &x[1]);
    if (!rat_read(o->epsilon, "epsilon", &x[2], NULL) && rat_sign(&x[2]) > 0)
        rat_div(&x[0], &x[0], &x[2]);
    if (!rat_floor_u64(&x[0], &inside) || inside >> REACH_LOG2)
        inside = (uint64_t)1 << REACH_LOG2;
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

/* How many places values and ends are about off: a public number, to judge by
   whether an answer will be useful. Boxes also move ranks 0 and 1. */
static custos_status
set_reach(struct part *part, custos_err *err)
{
    struct part_quantiles *q = part->quantiles;
    uint64_t reach = 0, moved = q->inside, off = 0;
    custos_status st = CUSTOS_OK;

    part->bar = 0;
    for (size_t i = 0; i < q->n && !st; i++) {
        const struct node *node = &q->draws->nodes[i];
        uint64_t place =
            (uint64_t)(node->place < 0 ? -node->place : node->place);

        reach = node->reach > reach ? node->reach : reach;
        moved = place > moved ? place : moved;
        if (!q->counts)
            st = custos_quantile_error(q->draws, i, "1/20", 0, &off, err);
        part->bar = part->bar > (i128)off ? part->bar : (i128)off;
    }
    q->inside = moved;
    if (q->counts)
        part->bar = 2 * (i128)reach;
    return st;
}

static custos_status
too_far(struct work *w)
{
    return custos_fail(
        w->err, CUSTOS_ERANGE,
        "at this %s a quantile could lie a million values off" HINT
        "ask for a larger %s, or for fewer rows per unit "
        "(max_rows_contributed)",
        w->plan->in_rho ? "rho" : "epsilon",
        w->plan->in_rho ? "rho" : "epsilon");
}

static custos_status
make_draws(struct work *w, struct part *part, int64_t *shift)
{
    struct part_quantiles *q = part->quantiles;
    bool several = moves_groups(w, part);
    char epsilon[NUMBER_MAX];
    uint64_t around = 0;
    custos_quantile_options o = {
        .size = sizeof o,
        .adjacency = several ? CUSTOS_ADD_REMOVE : w->policy->adjacency,
        .values_per_unit = several ? 2 * w->plan->rows : w->plan->rows,
        .lower = (int64_t)part->lower,
        .upper = (int64_t)part->upper,
        .ranks = q->n,
        .rank = q->rank,
        .epsilon = epsilon,
        .shift = shift,
    };
    custos_status st = draw_epsilon(
        w, part, q->counts ? quantile_box_percent(w->plan, part) : 100,
        epsilon);

    if (!st && q->counts)
        st = box_around(q->counts, q->n, &around, w->err);
    if (st)
        return st == CUSTOS_ERANGE ? too_far(w) : st;
    q->inside = find_inside(part, &o);
    shift_inside(q, shift);
    return quantile_new_around(NULL, &o, around, &q->draws, w->err);
}

custos_status
quantile_choose(struct work *w, struct part *part)
{
    struct part_quantiles *q = part->quantiles;
    int64_t *shift = arena_take(w->a, q->n, sizeof *shift);
    custos_status st = shift ? CUSTOS_OK : work_no_memory(w);

    quantile_clear(part);
    if (!st)
        st = work_spend(w, EFFORT_QUANTILE + EFFORT_RANK * q->n);
    if (!st && w->q->options.quantile_bar.len == 0)
        st = make_counts(w, part);
    if (!st)
        st = make_draws(w, part, shift);
    if (!st)
        st = set_reach(part, w->err);
    if (st)
        return st;
    if (part->bar >> REACH_LOG2)
        return too_far(w);
    part->theorem = q->counts ? "quantile-counts" : "quantile-tree";
    return CUSTOS_OK;
}

custos_status
quantile_rho(const struct plan *p, const struct part *part, rat *rho,
             custos_err *err)
{
    const struct part_quantiles *q = part->quantiles;
    custos_status st = rat_read_positive(custos_quantile_report(q->draws)->rho,
                                         "rho", rho, err);
    rat x;

    if (st || !q->counts)
        return st;
    rat_init(&x);
    rat_set_i64(&x, 100 - quantile_box_percent(p, part), 100);
    rat_mul(&x, &x, &part->epsilon);
    pure_rho_up(&x, &x);
    rat_add(rho, rho, &x);
    rat_clear(&x);
    return CUSTOS_OK;
}
