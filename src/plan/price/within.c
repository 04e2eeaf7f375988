/*
 * Asking by accuracy: the least price at which every value is within the
 * distance asked for, at 95 %. The error of counts and sums over public keys is
 * a function of the price alone, so the price is public. The error of a ratio
 * also depends on the number of rows, which is not public.
 *
 * Prices are multiples of 10^-9. Error bars do not grow with epsilon, so
 * bisection finds the least price that passes.
 */
#include "num/batch.h"
#include "num/rat_round.h"
#include "plan/price/choose.h"
#include "sql/aggregates.h"

#define STEPS_PER_ONE INT64_C(1000000000)

struct search {
    struct work *w;
    rat distance;
    rat delta; /* of one part; 0: only Laplace is tried */
    custos_status st;
};

static custos_status
check_aggregates(struct work *w)
{
    const struct plan *p = w->plan;

    for (size_t i = 0; i < p->space.n_keys; i++)
        if (p->space.keys[i].kind == KEY_PRIVATE)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, p->space.keys[i].expr->at,
                "which groups of %s are shown depends on the price, and how "
                "many there are is not public" HINT
                "state epsilon, or group by public values",
                work_text(w, p->space.keys[i].expr));
    for (size_t i = 0; i < p->n_aggregates; i++) {
        enum aggregate_family family = aggregates[p->aggregates[i].kind].family;

        if (family == FAMILY_QUANTILE)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, p->aggregates[i].expr->at,
                "how exact a quantile is depends on how close the values lie, "
                "which is not public" HINT "state epsilon");
        if (family == FAMILY_RUNNING)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, p->aggregates[i].expr->at,
                "a running count cannot be asked by accuracy: each of its "
                "values has an error of its own" HINT "state epsilon or rho");
        if ((family == FAMILY_MEAN && !p->aggregates[i].counted) ||
            family == FAMILY_VARIANCE)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, p->aggregates[i].expr->at,
                "how exact an average or variance is depends on the number of "
                "rows, which is not public" HINT
                "ask for sum and count, or state epsilon");
        if (family == FAMILY_PAIR)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, p->aggregates[i].expr->at,
                "how exact %s is depends on the values, which are not "
                "public" HINT "state epsilon",
                work_text(w, p->aggregates[i].expr));
    }
    return CUSTOS_OK;
}

/* What the number of a part is divided by before it is shown: the number of rows
   if it is only in means of known rows. */
static uint64_t
divisor_of(const struct plan *p, size_t part)
{
    for (size_t i = 0; i < p->n_aggregates; i++) {
        const struct plan_aggregate *a = &p->aggregates[i];
        bool mean = a->counted && aggregates[a->kind].family == FAMILY_MEAN;

        if (a->rows == (int)part || a->share == (int)part ||
            (a->sum == (int)part && !mean))
            return 1;
    }
    return p->known_rows > 0 ? p->known_rows : 1;
}

static bool
part_passes(struct search *s, size_t i)
{
    struct part *part = &s->w->plan->parts[i];
    struct work *w = s->w;
    custos_err ignored = CUSTOS_ERR_INIT;
    custos_status st = choose_part(w, part, &s->delta, w->at_once, &ignored);
    bool near;
    rat bar, step;

    if (st == CUSTOS_ERANGE)
        return false; /* such noise could not be drawn */
    if (st) {
        s->st =
            custos_fail(w->err, st, "%s" HINT "%s", ignored.said, ignored.hint);
        return false;
    }
    rat_init(&bar);
    rat_init(&step);
    rat_set_i128(&bar, part->bar);
    grid_step(part->grid, &step);
    rat_mul(&bar, &bar, &step);
    rat_set_u64(&step, divisor_of(w->plan, i));
    rat_div(&bar, &bar, &step);
    near = rat_cmp(&bar, &s->distance) <= 0;
    rat_clear(&bar);
    rat_clear(&step);
    return near;
}

static bool
price_passes(struct search *s, int64_t price)
{
    struct plan *p = s->w->plan;
    bool all = !s->st;

    rat_set_i64(&p->epsilon, price, STEPS_PER_ONE);
    if (all && split_make(s->w))
        all = false; /* UNREACHABLE: a split of a price cannot fail */
    for (size_t i = 0; i < p->n_parts && all; i++)
        all = part_passes(s, i);
    return all;
}

/* The least price in (low, high] that passes; high does, low does not. */
static int64_t
bisect_price(struct search *s, int64_t low, int64_t high)
{
    while (high - low > 1 && !s->st) {
        int64_t middle = low + (high - low) / 2;

        if (price_passes(s, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static custos_status
too_dear(struct work *w)
{
    return custos_fail(w->err, CUSTOS_EDENIED,
                       "to be within %.*s at 95 %% costs more than an epsilon "
                       "of %.*s, the policy's cap for one query",
                       SHOWN(w->options->within),
                       SHOWN(w->policy->max_epsilon));
}

/* The policy's max_epsilon in multiples of 10^-9, rounded down. */
static custos_status
read_cap(struct work *w, int64_t *cap)
{
    const char *text = arena_copy(w->a, w->policy->max_epsilon);
    custos_status st;
    uint64_t n = 0;
    rat r, steps;

    if (!text)
        return work_no_memory(w);
    rat_init(&r);
    rat_init(&steps);
    st = rat_read_positive(text, "max_epsilon", &r, w->err);
    rat_set_i64(&steps, STEPS_PER_ONE, 1);
    rat_mul(&r, &r, &steps);
    if (!st && (!rat_floor_u64(&r, &n) || n > INT64_MAX / 2))
        n = INT64_MAX / 2;
    *cap = (int64_t)n;
    rat_clear(&r);
    rat_clear(&steps);
    return st;
}

/* Searches with Laplace, which is quick; then for a lower price with Gaussians
   too. */
static custos_status
search_price(struct search *s)
{
    struct work *w = s->w;
    custos_status st;
    int64_t cap = 0, price;
    bool found;
    rat share;

    st = read_cap(w, &cap);
    if (st)
        return st;
    found = cap > 0 && price_passes(s, cap);
    price = found ? bisect_price(s, 0, cap) : cap;
    if (rat_sign(&w->delta) > 0 && cap > 0 && !s->st) {
        rat_init(&share);
        rat_set_i64(&share, 1, w->plan->n_parts);
        rat_mul(&s->delta, &w->delta, &share);
        rat_clear(&share);
        found = found || price_passes(s, cap);
        if (found)
            price = bisect_price(s, 0, price);
    }
    if (s->st)
        return s->st;
    if (!found)
        return too_dear(w);
    rat_set_i64(&w->plan->epsilon, price, STEPS_PER_ONE);
    return split_make(w);
}

custos_status
within_make(struct work *w)
{
    const char *text = arena_copy(w->a, w->options->within);
    struct search s = {.w = w};
    custos_status st;

    if (!text)
        return work_no_memory(w);
    rat_init(&s.distance);
    rat_init(&s.delta);
    st = rat_read_positive(text, "within", &s.distance, w->err);
    if (!st)
        st = check_aggregates(w);
    if (w->options->jointly)
        w->at_once = plan_values(w->plan);
    if (!st)
        st = search_price(&s);
    rat_clear(&s.distance);
    rat_clear(&s.delta);
    return st;
}
