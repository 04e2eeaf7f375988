/*
 * The plan of a range selection: its candidates in steps, its mechanism, and the
 * plans that may follow.
 */
#include "plan/part/range_selection.h"

#include "num/batch.h"
#include "num/ival.h"
#include "num/rat_round.h"
#include "plan/explain/words.h"
#include "plan/part/follow.h"
#include "plan/part/range_list.h"
#include "plan/work.h"

enum {
    SHARE = 5, /* the range selection gets 1/SHARE of the price */
    NUMBER_MAX = 512,
    ROOT_BITS = 128,
    REAL_LOG2 = 60, /* of the steps of a real between its limits */
    PENALTY_LOG2 = 40,
};

/* ----------------------------------------------------------------- price -- */

custos_status
range_selection_share(struct work *w)
{
    rat rest;

    if (w->options->within.len > 0)
        return custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                           "the range of %s is found from the data, and the "
                           "error depends on it" HINT
                           "state epsilon, or limits: "
                           "contribution_bounds_per_row => (low, high)",
                           work_text(w, w->plan->ranged));
    rat_init(&rest);
    rat_set_i64(&rest, SHARE - 1, SHARE);
    rat_mul(&w->plan->epsilon, &w->plan->epsilon, &rest);
    rat_mul(&w->plan->rho, &w->plan->rho, &rest);
    rat_mul(&w->own, &w->own, &rest);
    for (size_t i = 0; i < w->n_shares; i++)
        rat_mul(&w->shares[i], &w->shares[i], &rest);
    rat_clear(&rest);
    return CUSTOS_OK;
}

/* epsilon^2 / 8, and the epsilon that has this rho, rounded down. */
static void
rho_of(const rat *epsilon, rat *rho)
{
    rat x;

    rat_init(&x);
    rat_set_i64(&x, 1, 8);
    rat_mul(rho, epsilon, epsilon);
    rat_mul(rho, rho, &x);
    rat_clear(&x);
}

static void
epsilon_of(const rat *rho, rat *epsilon)
{
    char text[RAT_DECIMAL_MAX];
    ival root;
    rat x;

    rat_init(&x);
    rat_set_i64(&x, 8, 1);
    rat_mul(&x, &x, rho);
    ival_init(&root, ROOT_BITS);
    ival_set_rat(&root, &x);
    ival_sqrt(&root, &root);
    ival_down(&root, &x);
    rat_decimal(&x, RAT_DOWN, text);
    CUSTOS_REQUIRE(!rat_read(text, "epsilon", epsilon, NULL));
    ival_clear(&root);
    rat_clear(&x);
}

/* The least whole number of units whose weight is e^-1 or less. */
static bool
set_penalty(struct range_selection *r)
{
    i128 n = 0;
    bool fits;
    rat x;

    rat_init(&x);
    rat_set_i64(&x, r->scores == CUSTOS_SCORES_MONOTONE ? 1 : 2, 1);
    rat_div(&x, &x, &r->share);
    fits = rat_ceil_i128(&x, &n) && n < (i128)1 << PENALTY_LOG2;
    r->penalty = (int64_t)n;
    rat_clear(&x);
    return fits;
}

/* Sets epsilon, rho and penalty from the price of the plan that follows, which
   is (SHARE - 1)/SHARE of the whole. */
static custos_status
set_price(arena *a, struct range_selection *r, const struct plan *first,
          custos_err *err)
{
    custos_select_facts facts = CUSTOS_SELECT_FACTS_INIT;
    custos_select_options o;
    char text[NUMBER_MAX];
    rat part;

    rat_init(&part);
    rat_set_i64(&part, 1, SHARE - 1);
    rat_mul(&r->share, &first->epsilon, &part);
    rat_mul(&r->rho, &first->rho, &part);
    if (first->in_rho)
        epsilon_of(&r->rho, &r->share);
    else
        rho_of(&r->share, &r->rho);
    rat_clear(&part);
    r->scores = first->policy->adjacency == CUSTOS_CHANGE_ONE
                    ? CUSTOS_SCORES_GENERAL
                    : CUSTOS_SCORES_MONOTONE;
    if (!rat_write_into(&r->share, text, sizeof text))
        return custos_fail(err, CUSTOS_EINVAL,
                           "%s has too many digits for "
                           "this query",
                           first->in_rho ? "rho" : "epsilon");
    r->epsilon = arena_copy(a, str_of(text));
    if (!r->epsilon)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    o = range_selection_options(r);
    if (rat_sign(&r->share) <= 0 || !set_penalty(r))
        return custos_fail(err, CUSTOS_ERANGE,
                           "this %s is too small for a range to be found" HINT
                           "ask for a larger one, or state limits: "
                           "contribution_bounds_per_row => (low, high)",
                           first->in_rho ? "rho" : "epsilon");
    if (custos_select_report(&o, &facts, NULL))
        return custos_fail(
            err, CUSTOS_ERANGE,
            "this %s is too small or too large for a range to be found" HINT
            "ask for another one, or state limits: "
            "contribution_bounds_per_row => (low, high)",
            first->in_rho ? "rho" : "epsilon");
    return CUSTOS_OK;
}

custos_select_options
range_selection_options(const struct range_selection *r)
{
    return (custos_select_options){.size = sizeof(custos_select_options),
                                   .rule = CUSTOS_EXPONENTIAL,
                                   .scores = r->scores,
                                   .epsilon = r->epsilon};
}

/* ------------------------------------------------------------ candidates -- */

/* The grid on which the value is compared: fine enough for the narrowest
   candidate, and that of the store where steps are stored. */
static struct grid
compared_on(const struct plan *p, const struct expr *e, const rat *lower,
            const rat *upper)
{
    struct grid g = {10, e->type == TYPE_DECIMAL ? fact_of(e)->scale : 0};
    rat x;

    if (e->kind == EXPR_COLUMN && fact_of(e)->known == KNOWN_DECLARED)
        return grid_of_column(&p->table->columns[e->slot]);
    if (e->type != TYPE_REAL)
        return g;
    rat_init(&x);
    rat_sub(&x, upper,
            lower); /* at least the farther limit, or there is no 0 */
    g = (struct grid){2, (int)(REAL_LOG2 - rat_log2_floor(&x))};
    rat_clear(&x);
    return g;
}

/* Sets the value, and *n candidates in its steps. */
static bool
set_candidates(struct range_selection *r, size_t *n)
{
    const struct plan *p = r->plans[0];
    bool fits;
    rat low[RANGES_MAX], high[RANGES_MAX];

    rats_init(low, RANGES_MAX);
    rats_init(high, RANGES_MAX);
    range_limits(p->ranged, &low[0], &high[0]);
    r->value = (struct part){
        .kind = PART_SUM, .grid = compared_on(p, p->ranged, &low[0], &high[0])};
    fits = range_steps(&low[0], r->value.grid, &r->value.lower) &&
           range_steps(&high[0], r->value.grid, &r->value.upper);
    *n = range_count(p->ranged);
    range_list(p->ranged, 0, *n, low, high);
    for (size_t i = 0; i < *n && fits; i++)
        fits = range_steps(&low[i], r->value.grid, &r->lower[i]) &&
               range_steps(&high[i], r->value.grid, &r->upper[i]);
    rats_clear(low, RANGES_MAX);
    rats_clear(high, RANGES_MAX);
    return fits;
}

/* ----------------------------------------------------------------- plans -- */

void
range_selection_clear(struct range_selection *r)
{
    if (!r)
        return;
    follow_plans_free(r->plans, &r->n);
    rat_clear(&r->share);
    rat_clear(&r->rho);
}

/* The plan with candidate i. */
static custos_status
plan_with(const struct follow_query *f, size_t i, struct plan **out,
          custos_err *err)
{
    return plan_assuming(f->a, f->q, f->p, f->options, bounds_asked(f->q), i,
                         out, err);
}

static custos_status
make_plans(const struct follow_query *f, struct range_selection *r,
           custos_err *err)
{
    custos_status st;
    size_t most;

    if (!set_candidates(r, &most))
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the declared range is too wide for a range to be "
                           "found in it");
    st = follow_plans_make(f, plan_with, most, r->plans, &r->n, err);
    r->value.of = r->plans[r->n - 1]->ranged;
    return st;
}

custos_status
range_selection_make(arena *a, struct query *q, const struct policy *p,
                     const struct plan_options *options, struct plan *first,
                     struct plan **out, custos_err *err)
{
    static const char *const theorems[] = {"range-found",
                                           "exponential-by-inversion"};
    struct range_selection *r = arena_take(a, 1, sizeof *r);
    struct plan *all = NULL;
    custos_status st;

    if (!r) {
        plan_free(first);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    rat_init(&r->share);
    rat_init(&r->rho);
    r->plans[r->n++] = first;
    st = set_price(a, r, first, err);
    if (!st)
        st = make_plans(&(struct follow_query){a, q, p, options}, r, err);
    if (!st) {
        all = follow_new(a,
                         &(struct stage){.kind = STAGE_RANGE,
                                         .ranges = r,
                                         .next = r->plans,
                                         .n_next = r->n},
                         theorems, COUNT_OF(theorems));
        if (!all)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    if (st) {
        range_selection_clear(r);
        return st;
    }
    charge_selection(all, &r->share, &r->rho);
    *out = all;
    return CUSTOS_OK;
}

/* ----------------------------------------------------------------- words -- */

void
range_selection_words(const struct range_selection *r, size_t i,
                      struct buf *out)
{
    buf_add_text(out, "[");
    words_value(&r->value, r->lower[i], out);
    buf_add_text(out, ", ");
    words_value(&r->value, r->upper[i], out);
    buf_add_text(out, "]");
}

void
range_selection_remark(const struct range_selection *r, size_t taken,
                       struct buf *out)
{
    buf_add_text(out, "the range ");
    range_selection_words(r, taken, out);
    buf_add_text(out, " of ");
    words_expr_shown(r->value.of, out);
    buf_add_text(out, " was found from the data, for ");
    if (r->plans[0]->in_rho) {
        buf_add_text(out, "a rho of ");
        words_number(&r->rho, out);
    } else {
        buf_add_text(out, "an epsilon of ");
        words_number(&r->share, out);
    }
    buf_add_text(out, " within the price: values outside are clamped, which "
                      "error bars leave out");
}
