/*
 * Which averages are shares, and how far one unit moves them.
 *
 * A mean as a sum over a count pays for both. A share is released as two numbers
 * instead, T for the rows with the value and R for the rest: a row is in one of
 * them, so that both get the noise that one of them would need. T/(T + R) has the
 * error of (1 - u) t - u r, where u is the share and t and r are the two noises;
 * for u <= 1/2 that is at most the error of one count, at the whole price.
 *
 * The sum of the same value, and the number of its rows, are read from the same
 * part, as T and T + R: to release them besides would take from the price of all.
 * With more than two shares a count of rows has a part of its own, which then has
 * less noise. In discovered groups it has one too: the partition selection may
 * release that count anyway.
 *
 * THEOREM  part-share
 *   Let a row add (v - lower, upper - v) to two numbers of its group, or nothing
 *   where v is NULL. Both are >= 0 and add up to w = upper - lower, so m rows
 *   move all numbers of all groups by at most m w in l1 and in l2. If a unit is
 *   replaced: by 2 m w in l1 and 2 (m w)^2 in l2 squared. If m = w = 1 and units
 *   are added or removed, at most one number changes.
 * SOURCE   doc/proofs/part-share.md
 * NEEDS    rank-bound or fold-bound, or the unit is the row (m = 1); v clamped to
 *          [lower, upper] and whole.
 * GIVES    l1 and l2 squared, exactly the largest there is. That v is one of two
 *          values is not needed.
 * FAILS    cannot.
 * TESTED   share_moves_as_one_count shares_equal_the_reference
 *          neighbours_differ_as_the_plan_says
 */
#include "plan/part/share.h"

#include "num/batch.h"
#include "plan/part/known_rows.h"
#include "sql/aggregates.h"

/* With more, a count of rows has a part of its own. */
enum { SHARES_COUNTED = 2 };

/* -------------------------------------------------------------- which are -- */

/* Is e a constant: 0, or the largest value of `of`; or NULL? */
static bool
is_end(const struct expr *e, const struct fact *of)
{
    const struct fact *f;

    if (!e || (e->kind == EXPR_LITERAL && e->value.type == TYPE_NULL))
        return true;
    f = fact_of(e);
    return f->known == KNOWN_DECLARED && rat_cmp(&f->lower, &f->upper) == 0 &&
           (rat_sign(&f->lower) == 0 || rat_cmp(&f->lower, &of->upper) == 0);
}

bool
share_is_of(const struct expr *e)
{
    const struct fact *f = fact_of(e);
    bool ends = e->kind == EXPR_CASE;

    if (e->kind == EXPR_CAST && data_type_is_number(e->type) &&
        data_type_is_number(e->args[0]->type))
        return share_is_of(e->args[0]);
    if (!data_type_is_number(e->type) || f->known != KNOWN_DECLARED ||
        rat_sign(&f->lower) != 0 || rat_sign(&f->upper) <= 0)
        return false;
    if (e->type == TYPE_INT && rat_cmp_i64(&f->upper, 1) == 0)
        return true;
    for (size_t i = 0; i < e->n_args && ends; i++)
        if (i % 2 == 1 || i + 1 == e->n_args)
            ends = is_end(e->args[i], f);
    return ends;
}

static enum aggregate_family
family_of(const struct plan *p, size_t i)
{
    return aggregates[p->aggregates[i].kind].family;
}

/* Is aggregate i the average of a share, and is there no variance of it? Where
   the number of rows is known, one count is enough. */
static bool
is_share(const struct work *w, size_t i)
{
    const struct plan *p = w->plan;

    if (family_of(p, i) != FAMILY_MEAN ||
        !share_is_of(p->aggregates[i].expr->args[0]) ||
        known_rows_of(w, p->aggregates[i].expr->args[0]))
        return false;
    for (size_t j = 0; j < p->n_aggregates; j++)
        if (family_of(p, j) == FAMILY_VARIANCE && parts_is_family(p, i, j))
            return false;
    return true;
}

/* -------------------------------------------------------------------- parts -- */

/* Adds the part of average i, for all sums and averages of its value. */
static custos_status
take_share(struct work *w, size_t i)
{
    struct plan *p = w->plan;
    struct part_value v = {.centred = false};
    const struct expr *e = p->aggregates[i].expr;
    custos_status st = parts_value(w, e, &v);
    struct part part = {.kind = PART_SHARE,
                        .of = e->args[0],
                        .owner = parts_owner(p, i),
                        .grid = v.grid,
                        .lower = v.lower,
                        .upper = v.upper,
                        .row_most = v.upper - v.lower};
    int share;

    if (st || v.lower != 0 || v.upper < 1) /* stated limits may exclude 0 */
        return st;
    share = parts_take(p, &part);
    for (size_t j = 0; j < p->n_aggregates; j++)
        if (parts_is_family(p, i, j))
            p->aggregates[j].share = share;
    return CUSTOS_OK;
}

/* Does count i, of rows or values, count the rows of the share? */
static bool
counts_share(const struct plan *p, size_t i, const struct part *share)
{
    const struct plan_aggregate *a = &p->aggregates[i];
    const struct expr *of = a->kind == AGG_COUNT ? a->expr->args[0] : NULL;

    if (a->kind != AGG_COUNT && a->kind != AGG_COUNT_ROWS)
        return false;
    if (share->upper != 1 || share->owner != parts_owner(p, i))
        return false;
    if (!of || !fact_of(of)->nullable)
        return !fact_of(share->of)->nullable;
    return expr_same(of, share->of);
}

static void
share_counts(struct plan *p)
{
    size_t n = p->n_parts;

    if (p->space.selection || n > SHARES_COUNTED)
        return;
    for (size_t i = 0; i < p->n_aggregates; i++)
        for (size_t k = 0; k < n && p->aggregates[i].share < 0; k++)
            if (counts_share(p, i, &p->parts[k]))
                p->aggregates[i].share = (int)k;
}

/* Runs before other parts are made. */
custos_status
share_parts(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_aggregates && !st; i++)
        if (p->aggregates[i].share < 0 && is_share(w, i))
            st = take_share(w, i);
    if (!st)
        share_counts(p);
    return st;
}

/* -------------------------------------------------------------- sensitivity -- */

void
share_move(const struct plan *p, bool change, struct part *part)
{
    rat x;

    rat_init(&x);
    rat_set_i128(&part->l1, part->row_most);
    rat_mul(&x, &part->l1, &part->l1);
    sensitivity_squares(p, part->space, &part->l2_squared);
    rat_mul(&part->l2_squared, &part->l2_squared, &x);
    rat_set_u64(&x, sensitivity_rows(p, part->space));
    rat_mul(&part->l1, &part->l1, &x);
    if (change) {
        rat_add(&part->l1, &part->l1, &part->l1);
        rat_add(&part->l2_squared, &part->l2_squared, &part->l2_squared);
    }
    part->one_cell = !change && p->rows == 1 && part->row_most == 1;
    rat_clear(&x);
}
