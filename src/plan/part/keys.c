/*
 * Keys of GROUP BY. Where every key is public, every group appears, even if it
 * is empty, and which groups there are reveals nothing. Otherwise groups are
 * discovered in the data, and which are shown is a release (select.c).
 *
 * THEOREM  group-parallel
 *   Let the groups be a fixed list, and let every row be in at most one group.
 *   Then the sensitivity of the vector of all groups' sums is what one unit
 *   adds to all groups together. Noise of that scale on each group is one
 *   release, not one for every group.
 * SOURCE   McSherry 2009, theorem 4; doc/proofs/part-sensitivity.md
 * NEEDS    keys from policy and query alone; a row outside the list is in no
 *          group, or in the one for NULL.
 * GIVES    plan->space.cells, fixed before any data is read.
 * FAILS    CUSTOS_EUNSUPPORTED (no public keys, and no delta for partition
 *          selection; a key of doubles or of units), CUSTOS_EOVERFLOW (more
 *          groups than the policy allows), CUSTOS_EINVAL (a key that is always
 *          NULL). All from public facts.
 * TESTED   groups_cost_one_charge keys_come_from_public_facts
 */
#include <assert.h>

#include "base/ck.h"
#include "plan/part/domain.h"
#include "plan/part/marginals.h"
#include "plan/work.h"

static custos_status
too_many(struct work *w, const struct expr *e)
{
    return custos_fail_at(
        w->err, CUSTOS_EOVERFLOW, e->at,
        "%s makes more groups than the policy allows, %llu" HINT
        "group by something coarser",
        work_text(w, e), (unsigned long long)w->policy->max_groups);
}

/* Without a delta no discovered group can be shown. */
static custos_status
no_keys(struct work *w, const struct expr *e)
{
    return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                          "the policy does not list the values of %s, and "
                          "without a delta none can be chosen" HINT
                          "ask the owner for a query delta or to declare the "
                          "values, or group by CASE",
                          work_text(w, e));
}

/* Doubles cannot be keys: which of them are equal is not exact. */
static custos_status
no_reals(struct work *w, const struct expr *e)
{
    return custos_fail_at(
        w->err, CUSTOS_EUNSUPPORTED, e->at,
        "%s is not an exact number and cannot be grouped by" HINT
        "group by CAST(... AS numeric(9,2)), for example, or by floor(...)",
        work_text(w, e));
}

static custos_status
no_people(struct work *w, const struct expr *e)
{
    return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                          "%.*s names the protected units: each group would be "
                          "one of them, and is never shown" HINT
                          "group by something "
                          "that many share",
                          SHOWN(e->name));
}

/* A key whose values are discovered in the data. NULL is one of them. */
static custos_status
key_private(struct work *w, struct key *k)
{
    const struct expr *e = k->expr;

    if (rat_sign(&w->delta) <= 0)
        return no_keys(w, e);
    if (expr_is_double(e))
        return no_reals(w, e);
    if (e->kind == EXPR_COLUMN && w->from->columns[e->slot].names == w->policy)
        return no_people(w, e);
    k->kind = KEY_PRIVATE;
    k->scale = e->type == TYPE_DECIMAL ? fact_of(e)->scale : 0;
    k->null_group = true;
    return select_start(w);
}

/* The values are public, but too many to show: partition selection instead. */
static custos_status
key_wide(struct work *w, struct key *k)
{
    return rat_sign(&w->delta) > 0 ? key_private(w, k) : too_many(w, k->expr);
}

/* A range of whole numbers: a value's group is computed, not looked up. */
static custos_status
key_whole(struct work *w, struct key *k)
{
    const struct fact *f = fact_of(k->expr);
    i128 last = 0;
    size_t n;

    CUSTOS_REQUIRE(rat_floor_i128(&f->lower, &k->from) &&
                   rat_floor_i128(&f->upper, &last));
    if (last - k->from >= (i128)w->policy->max_groups)
        return key_wide(w, k);
    n = (size_t)(last - k->from) + 1;
    k->kind = KEY_WHOLE;
    if (effort_take(w->options->effort, n))
        k->values = arena_take(w->a, n, sizeof *k->values);
    if (!k->values)
        return work_no_memory(w);
    for (size_t i = 0; i < n; i++)
        k->values[i] = (struct datum){.type = TYPE_INT, .n = k->from + (i128)i};
    k->n = n;
    k->null_group = f->nullable;
    return CUSTOS_OK;
}

const struct expr *
key_in_period(const struct key *k)
{
    return domain_is_period(k->expr) ? k->expr->args[0] : k->expr;
}

static int64_t
number_of(enum period p, const struct datum *v)
{
    int64_t days = (int64_t)v->n;
    int hour = 0;

    if (v->type == TYPE_TIMESTAMP)
        days = period_day_of(days, &hour);
    return period_number(p, days, hour);
}

/* Makes k a KEY_PERIOD if its values are consecutive periods: then a value's
   group is computed, not looked up. */
static void
key_periods(struct key *k)
{
    const bool is_period = domain_is_period(k->expr);
    const enum period p =
        is_period ? (enum period)(k->expr->call - CALL_TRUNC_YEAR) : PERIOD_DAY;
    int64_t from;

    static_assert(CALL_TRUNC_QUARTER - CALL_TRUNC_YEAR == PERIOD_QUARTER &&
                      CALL_TRUNC_MONTH - CALL_TRUNC_YEAR == PERIOD_MONTH &&
                      CALL_TRUNC_WEEK - CALL_TRUNC_YEAR == PERIOD_WEEK &&
                      CALL_TRUNC_DAY - CALL_TRUNC_YEAR == PERIOD_DAY &&
                      CALL_TRUNC_HOUR - CALL_TRUNC_YEAR == PERIOD_HOUR,
                  "periods in the order of date_trunc's calls");
    if (!is_period && k->expr->type != TYPE_DATE)
        return;
    from = number_of(p, &k->values[0]);
    for (size_t i = 1; i < k->n; i++)
        if (number_of(p, &k->values[i]) != from + (int64_t)i)
            return;
    k->kind = KEY_PERIOD;
    k->period = p;
    k->from = from;
}

static custos_status
key_listed(struct work *w, struct key *k, bool *found)
{
    struct domain d = {.a = w->a,
                       .effort = w->options->effort,
                       .table = w->table,
                       .room = (size_t)w->policy->max_groups};
    enum domain_result how = domain_find(&d, k->expr);

    if (how == DOMAIN_LARGE) {
        *found = true;
        return key_wide(w, k);
    }
    if (how == DOMAIN_NO_MEMORY)
        return work_no_memory(w);
    *found = how == DOMAIN_FOUND;
    k->kind = KEY_LISTED;
    k->values = d.values;
    k->n = d.n;
    k->null_group = d.null;
    if (*found && d.n == 0)
        return custos_fail_at(
            w->err, CUSTOS_EINVAL, k->expr->at,
            "%s is NULL in every row and cannot be grouped by",
            work_text(w, k->expr));
    if (*found)
        key_periods(k);
    return CUSTOS_OK;
}

static custos_status
key_make(struct work *w, struct key *k)
{
    const struct expr *e = k->expr;
    const struct policy_column *c =
        e->kind == EXPR_COLUMN ? &w->table->columns[e->slot] : NULL;
    bool found = false;
    custos_status st;

    k->column = c ? e->slot : -1;
    if (c && c->n_values > 0 && w->from->columns[e->slot].stored) {
        k->kind = KEY_STORED;
        k->values = c->values; /* in the order of output */
        k->n = c->n_values;
        k->null_group = c->nullable;
        return CUSTOS_OK;
    }
    if (c && e->type == TYPE_INT && fact_of(e)->known == KNOWN_DECLARED)
        return key_whole(w, k);
    st = key_listed(w, k, &found);
    if (st || found)
        return st;
    if (e->type == TYPE_INT && fact_of(e)->known == KNOWN_DECLARED)
        return key_whole(w, k);
    return key_private(w, k);
}

/*
 * The plans of a bound selection differ only in the rows per unit. So the
 * values of a key are found once, if it is over the columns of one table of the
 * policy. (The ranges of a subquery's aggregates per unit do depend on the
 * bound.)
 */
static bool
key_recall(struct work *w, struct key *k, custos_status *st)
{
    const struct plan_keys_made *made = w->options->keys_made;
    struct expr *e = k->expr;

    for (size_t i = 0; made && i < made->n; i++) {
        if (made->columns[i] != w->table->columns ||
            !expr_same(made->keys[i].expr, e))
            continue;
        if (made->keys[i].kind == KEY_PRIVATE) {
            *st = key_private(w, k);
        } else {
            *k = made->keys[i];
            k->expr = e;
        }
        return true;
    }
    return false;
}

static void
key_remember(struct work *w, const struct key *k)
{
    struct plan_keys_made *made = w->options->keys_made;

    if (!made || made->n == PLAN_KEYS_MAX)
        return;
    made->columns[made->n] = w->table->columns;
    made->keys[made->n++] = *k;
}

/* Sets the number of groups. All groups of public keys are shown, so a query
   with more than the policy's max_groups is refused. Of discovered groups at
   most max_groups are shown. */
static custos_status
count_cells(struct work *w)
{
    struct plan *p = w->plan;
    uint64_t cells = 1;

    if (p->marginals)
        return marginals_lay(w);

    for (size_t i = 0; i < p->space.n_keys && !p->space.selection; i++) {
        const struct key *k = &p->space.keys[i];

        if (!ck_mul_u64(cells, (uint64_t)k->n + k->null_group, &cells) ||
            cells > w->policy->max_groups)
            return too_many(w, k->expr);
    }
    p->space.cells =
        (size_t)(p->space.selection ? w->policy->max_groups : cells);
    return CUSTOS_OK;
}

custos_status
keys_make(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->space.n_keys && !st; i++) {
        st = types_set(w, p->space.keys[i].expr, CONTEXT_ROWS);
        if (!st && !key_recall(w, &p->space.keys[i], &st)) {
            st = key_make(w, &p->space.keys[i]);
            if (!st)
                key_remember(w, &p->space.keys[i]);
        }
    }
    return st ? st : count_cells(w);
}
