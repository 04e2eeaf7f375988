/*
 * R2T (Dong, Fang, Yi, Tao, Machanavajjhala 2022) compares truncated sums, each
 * with noise of its own, so that L bounds cost L shares of the price. Here
 * every row has one unit, so it is enough to count the units that have more
 * rows than the bound. One unit moves all these counts in the same direction,
 * by at most 1; by the sparse vector technique one share pays for all of them,
 * and the noise does not grow with the bound. As with R2T, the error is
 * proportional to the largest number of rows of a unit, divided by epsilon, but
 * with a factor of ln L instead of L ln L.
 */
#include "plan/part/bound_selection.h"

#include "account/convert.h"
#include "mech/sparse.h"
#include "num/batch.h"
#include "num/rat_round.h"
#include "plan/explain/words.h"
#include "plan/part/follow.h"
#include "plan/work.h"

enum {
    SHARE = 4,  /* the bound selection gets 1/SHARE of the price */
    FEW = 6,    /* T = FEW scales: e^-6 (1 + 6) < 2 % */
    BEYOND = 8, /* see bound-race: e^-8 (1 + 8) 10 < 5 % */
    NUMBER_MAX = 512,
};

/* ------------------------------------------------------------- relations -- */

/* cut: the relation above cuts r to its rows per unit. */
static void
walk_cuts(const struct relation *r, bool cut, bound_selection_each each,
          void *ctx)
{
    bool sides = false, left = false, right = false;

    if (!r || r->as->is_public)
        return;
    if (cut && r->raced)
        each(ctx, r);
    switch (r->kind) {
    case RELATION_TABLE:
    case RELATION_PUBLIC: return;
    case RELATION_FILTER:
    case RELATION_EXTEND: sides = cut && !r->raced; break;
    case RELATION_JOIN:
        sides = r->meeting == MEET_UNIT || r->meeting == MEET_EITHER;
        left = r->left->renumbered || r->meeting == MEET_MANY;
        right = r->right->renumbered || r->meeting == MEET_MANY;
        break;
    case RELATION_UNION:
    case RELATION_UNITS: sides = true; break;
    }
    walk_cuts(r->left, sides || left, each, ctx);
    walk_cuts(r->right, sides || right, each, ctx);
    for (size_t i = 0; i < r->n_branches; i++)
        walk_cuts(r->branches[i], sides, each, ctx);
}

void
bound_selection_walk(const struct relation *from, bound_selection_each each,
                     void *ctx)
{
    walk_cuts(from, true, each, ctx);
}

static void
note_found(void *ctx, const struct relation *r)
{
    bool *found = ctx;

    (void)r;
    *found = true;
}

bool
bound_selection_is_open(const struct relation *from)
{
    bool found = false;

    bound_selection_walk(from, note_found, &found);
    return found;
}

/* ----------------------------------------------------------------- price -- */

custos_status
bound_selection_share(struct work *w)
{
    rat rest;

    if (w->options->within.len > 0)
        return custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                           "the bound on rows per unit of %.*s is chosen from "
                           "the data, and the error depends on it" HINT
                           "state epsilon or max_rows_contributed, or ask the "
                           "owner for rows_per_unit",
                           SHOWN(relation_shown(w->from)));
    rat_init(&rest);
    rat_set_i64(&rest, SHARE - 1, SHARE);
    rat_mul(&w->plan->epsilon, &w->plan->epsilon, &rest);
    rat_mul(&w->own, &w->own, &rest);
    for (size_t i = 0; i < w->n_shares; i++)
        rat_mul(&w->shares[i], &w->shares[i], &rest);
    rat_clear(&rest);
    return CUSTOS_OK;
}

/* times * scale, rounded up; false past 2^62. */
static bool
scales_up(const rat *scale, int64_t times, int64_t *out)
{
    bool fits;
    i128 n = 0;
    rat x;

    rat_init(&x);
    rat_set_i64(&x, times, 1);
    rat_mul(&x, &x, scale);
    fits = rat_ceil_i128(&x, &n) && n < (i128)1 << 62;
    *out = (int64_t)n;
    rat_clear(&x);
    return fits;
}

/* Sets the noise scale b for the share, and from it T and T + 8b. */
static custos_status
set_noise(arena *a, struct bound_selection *r, custos_err *err)
{
    custos_sparse_options o = {
        .size = sizeof o, .answers = 1, .moves = CUSTOS_SCORES_MONOTONE};
    struct sparse_scales scales;
    custos_status st;
    struct buf text;

    buf_init(&text, NULL, NUMBER_MAX);
    rat_write(&r->share, &text);
    r->epsilon =
        text.failed ? NULL : arena_copy(a, (str){buf_text(&text), text.len});
    buf_clear(&text);
    if (!r->epsilon)
        return custos_fail(err, CUSTOS_EINVAL,
                           "epsilon has too many digits for this query");
    sparse_scales_init(&scales);
    o.epsilon = r->epsilon;
    st = sparse_scales_read(&scales, &o, err);
    if (!st)
        rat_set(&r->scale, &scales.query);
    sparse_scales_clear(&scales);
    if (st)
        return st;
    if (rat_log2_floor(&r->scale) < -20 || rat_log2_floor(&r->scale) >= 57 ||
        !scales_up(&r->scale, FEW, &r->few) ||
        !scales_up(&r->scale, FEW + BEYOND, &r->most))
        return custos_fail(
            err, CUSTOS_ERANGE,
            "at this epsilon no bound on rows can be chosen" HINT
            "ask for another epsilon, or state max_rows_contributed");
    return CUSTOS_OK;
}

/* ----------------------------------------------------------------- plans -- */

void
bound_selection_clear(struct bound_selection *r)
{
    if (!r)
        return;
    follow_plans_free(r->plans, &r->n);
    rat_clear(&r->share);
    rat_clear(&r->rho);
    rat_clear(&r->scale);
}

/* The plan with bound i. */
static custos_status
plan_with(const struct follow_query *f, size_t i, struct plan **out,
          custos_err *err)
{
    return plan_assuming(f->a, f->q, f->p, f->options, (uint64_t)1 << i, 0, out,
                         err);
}

custos_status
bound_selection_make(arena *a, struct query *q, const struct policy *p,
                     const struct plan_options *options, struct plan *first,
                     struct plan **out, custos_err *err)
{
    struct bound_selection *r = arena_take(a, 1, sizeof *r);
    struct plan *all = NULL;
    custos_status st;

    if (!r) {
        plan_free(first);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    rat_init(&r->share);
    rat_init(&r->rho);
    rat_init(&r->scale);
    r->plans[r->n++] = first;
    /* first->epsilon is (SHARE - 1)/SHARE of the price */
    rat_set_i64(&r->scale, 1, SHARE - 1);
    rat_mul(&r->share, &first->epsilon, &r->scale);
    st = set_noise(a, r, err);
    if (!st)
        st = follow_plans_make(&(struct follow_query){a, q, p, options},
                               plan_with, BOUND_SELECTION_MAX, r->plans, &r->n,
                               err);
    if (!st) {
        static const char *const theorems[] = {"bound-race",
                                               "sparse-vector-lattice"};

        all = follow_new(a,
                         &(struct stage){.kind = STAGE_BOUND,
                                         .bounds = r,
                                         .next = r->plans,
                                         .n_next = r->n},
                         theorems, COUNT_OF(theorems));
        if (!all)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    if (st) {
        bound_selection_clear(r);
        return st;
    }
    pure_rho_up(&r->share, &r->rho);
    charge_selection(all, &r->share, &r->rho);
    *out = all;
    return CUSTOS_OK;
}

void
bound_selection_remark(const struct bound_selection *r, struct buf *out)
{
    buf_add_text(out,
                 "this bound was chosen from the data, for an epsilon of ");
    words_number(&r->share, out);
    buf_printf(out,
               " within the price: with 95 %% probability at most %lld units "
               "have more rows",
               (long long)r->most);
}
