/*
 * The list of candidate ranges of a value, and which values have one. The list
 * is a function of the value's type and of its declared range.
 */
#include "plan/part/range_list.h"

#include "num/batch.h"
#include "plan/part/range_selection.h"
#include "plan/part/share.h"
#include "plan/work.h"
#include "sql/aggregates.h"

enum {
    DECADES = 12,       /* from the smallest M to the end of the list */
    DEFAULT_LOG10 = 12, /* without a declared range: [-10^12, 10^12] */
    MEMBERS = 3,        /* of a decade: 1, 2, 5 */
};

/* 10^e */
static void
power_of_ten(rat *r, int e)
{
    grid_step((struct grid){10, -e}, r);
}

/* M number k: 1, 2 or 5 times a power of ten. */
static void
magnitude(rat *m, int first, int k)
{
    static const int digit[MEMBERS] = {1, 2, 5};
    rat x;

    rat_init(&x);
    power_of_ten(m, first + k / MEMBERS);
    rat_set_i64(&x, digit[k % MEMBERS], 1);
    rat_mul(m, m, &x);
    rat_clear(&x);
}

/* The exponent of the first M: DECADES below the end of the list, but for exact
   numbers not below their last digit. */
static int
first_exponent(const struct expr *e, const rat *far)
{
    int top = (int)(rat_log2_floor(far) * 30102 / 100000) - 1, finest;
    rat x;

    rat_init(&x);
    power_of_ten(&x, top);
    while (rat_cmp(&x, far) < 0) /* at most three times */
        power_of_ten(&x, ++top);
    rat_clear(&x);
    finest = e->type == TYPE_DECIMAL ? -fact_of(e)->scale : 0;
    top -= DECADES;
    return e->type != TYPE_REAL && top < finest ? finest : top;
}

void
range_limits(const struct expr *e, rat *lower, rat *upper)
{
    const struct fact *f = fact_of(e);

    power_of_ten(upper, DEFAULT_LOG10);
    rat_set_i64(lower, 0, 1);
    rat_sub(lower, lower, upper);
    if (f->known == KNOWN_DECLARED) {
        rat_set(lower, &f->lower);
        rat_set(upper, &f->upper);
    }
}

/* Sets `far` to the limit that is farther from 0. */
static void
far_end(const rat *lower, const rat *upper, rat *far)
{
    rat x;

    rat_init(&x);
    rat_abs(far, lower);
    rat_abs(&x, upper);
    if (rat_cmp(&x, far) > 0)
        rat_set(far, &x);
    rat_clear(&x);
}

/* The list as far as it is made: candidates `from` on go to low and high, at most
   `room` of them. */
struct list {
    size_t n, from, room;
    rat *low, *high;
};

static void
add_candidate(struct list *l, const rat *low, const rat *high)
{
    size_t i = l->n++;

    if (i < l->from || i - l->from >= l->room)
        return;
    rat_set(&l->low[i - l->from], low);
    rat_set(&l->high[i - l->from], high);
}

/* Adds the candidates of one M: [0, M] if the limits are on both sides of 0, and
   [-M, M], each cut to the limits. */
static void
add_candidates(struct list *l, const rat *limits, const rat *m)
{
    bool sides = rat_sign(&limits[0]) < 0 && rat_sign(&limits[1]) > 0;
    rat x[3];

    rats_init(x, 3);
    rat_sub(&x[0], &x[0], m);
    if (rat_cmp(&x[0], &limits[0]) < 0)
        rat_set(&x[0], &limits[0]);
    rat_set(&x[1], rat_cmp(m, &limits[1]) < 0 ? m : &limits[1]);
    if (sides)
        add_candidate(l, &x[2], &x[1]);
    if (rat_cmp(&x[0], &x[1]) < 0)
        add_candidate(l, &x[0], &x[1]);
    rats_clear(x, 3);
}

static void
make_list(const struct expr *e, struct list *l)
{
    rat x[4]; /* the limits, the end of the list, M */
    int first;

    rats_init(x, 4);
    range_limits(e, &x[0], &x[1]);
    far_end(&x[0], &x[1], &x[2]);
    first = first_exponent(e, &x[2]);
    for (int k = 0; l->n < l->from + l->room && rat_cmp(&x[3], &x[2]) < 0;
         k++) {
        magnitude(&x[3], first, k);
        if (rat_cmp(&x[3], &x[2]) > 0)
            rat_set(&x[3], &x[2]);
        add_candidates(l, x, &x[3]);
    }
    rats_clear(x, 4);
}

void
range_list(const struct expr *e, size_t from, size_t room, rat *low, rat *high)
{
    struct list l = {.from = from, .room = room, .low = low, .high = high};

    make_list(e, &l);
}

size_t
range_count(const struct expr *e)
{
    struct list l = {.from = RANGES_MAX};

    make_list(e, &l);
    return l.n < RANGES_MAX ? l.n : RANGES_MAX;
}

/* ------------------------------------------------------------- which values -- */

/* Is the range of some column of e to be found, and does every other one have a
   range? Only texts need none: their lengths and values have limits. */
static bool
columns_allow(const struct work *w, const struct expr *e, bool *some)
{
    bool allowed = true;

    if (e->kind == EXPR_COLUMN) {
        const struct policy_column *c = &w->table->columns[e->slot];

        *some = *some || c->find_range;
        return c->find_range || c->has_range || c->n_values > 0 ||
               c->type == TYPE_BOOL || c->type == TYPE_TEXT;
    }
    for (size_t i = 0; i < e->n_args && allowed; i++)
        allowed = !e->args[i] || columns_allow(w, e->args[i], some);
    return allowed;
}

/* A column with a declared range may have a narrower one. */
static bool
may_be_found(const struct work *w, const struct expr *aggregate)
{
    const struct expr *x = aggregate->n_args > 0 ? aggregate->args[0] : NULL;
    enum aggregate_family family = aggregates[aggregate->aggregate].family;
    bool some = false;

    if ((family != FAMILY_SUM && family != FAMILY_MEAN &&
         family != FAMILY_VARIANCE && family != FAMILY_QUANTILE) ||
        aggregate->lower || aggregate->upper || !data_type_is_number(x->type))
        return false;
    if (fact_of(x)->known == KNOWN_DECLARED)
        return x->kind == EXPR_COLUMN &&
               w->table->columns[x->slot].find_range && !share_is_of(x);
    return columns_allow(w, x, &some) && some;
}

bool
range_is_found(const struct work *w, const struct expr *aggregate)
{
    return w->plan->ranged && may_be_found(w, aggregate) &&
           expr_same(w->plan->ranged, aggregate->args[0]);
}

custos_status
range_find(struct work *w)
{
    struct plan *p = w->plan;

    for (size_t i = 0; i < p->n_aggregates; i++) {
        const struct expr *e = p->aggregates[i].expr;

        if (!may_be_found(w, e))
            continue;
        if (p->ranged && !expr_same(p->ranged, e->args[0]))
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, e->at,
                "the ranges of %s and %s would both be found from the "
                "data" HINT "ask for one of them, or state limits: "
                "contribution_bounds_per_row => (low, high)",
                work_text(w, p->ranged), work_text(w, e->args[0]));
        p->ranged = e->args[0];
    }
    if (!p->ranged)
        return CUSTOS_OK;
    if (p->raced)
        return custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                           "the range of %s and the bound on rows per unit of "
                           "%.*s would both be chosen from the data" HINT
                           "state one of them: contribution_bounds_per_row or "
                           "max_rows_contributed",
                           work_text(w, p->ranged),
                           SHOWN(relation_shown(w->from)));
    range_list(p->ranged, w->range, 1, &w->range_lower, &w->range_upper);
    return CUSTOS_OK;
}
