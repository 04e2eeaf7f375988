/*
 * A price in rho: discrete Gaussian noise that is charged in rho alone.
 *
 * No epsilon bounds such a release, so its charge has an infinite epsilon. A
 * budget that has counted one admits by its sum of rho from then on, and a
 * budget without a delta, which has no such sum, admits none. The owner
 * therefore decides whether it is allowed (max_rho).
 *
 * THEOREM  price-in-rho
 *   Let each part of a plan get discrete Gaussian noise of its share rho_i, or
 *   boxes and counts that cost rho_i together (quantile-counts), and let the
 *   shares add up to rho. The plan is rho-zCDP, with no delta, and is
 *   epsilon-DP for no epsilon. Charged as (infinity, rho, 0), it leaves the
 *   promise of every budget that admits it as it was.
 * SOURCE   Bun, Steinke 2016, arXiv:1605.02065, lemma 1.7 (shares add up);
 *          doc/proofs/filter-best-of-both.md, where epsilon_i may be infinite:
 *          the sum of epsilon is then above its limit for good, so that only
 *          transcripts within the limit of rho remain.
 * NEEDS    gauss-rho and part-add-remove or part-change-one for every part; no
 *          release of the plan is priced in epsilon (rho_check).
 * GIVES    plan->charge.
 * FAILS    CUSTOS_EDENIED, CUSTOS_EINVAL, CUSTOS_EUNSUPPORTED before the charge.
 * TESTED   a_price_in_rho_is_charged_in_rho_alone
 *          a_price_in_rho_spends_the_epsilon_lane
 */
#include "num/batch.h"
#include "plan/explain/words.h"
#include "plan/work.h"

/* A price in rho is offered from this many released values on: with few, the
   error bars of Laplace are not much longer. */
enum { VALUES_MANY = 32 };

/* Rejects what is priced in epsilon: by accuracy, or for one aggregate. */
static custos_status
check_currency(struct work *w)
{
    const struct plan *p = w->plan;

    if (w->options->within.len > 0)
        return custos_fail(w->err, CUSTOS_EINVAL,
                           "ask by rho or by accuracy, not by both" HINT
                           "an accuracy is priced in epsilon");
    if (w->q->options.delta.len > 0)
        return custos_fail(w->err, CUSTOS_EINVAL,
                           "a price in rho has no delta" HINT
                           "leave out delta, or state epsilon");
    for (size_t i = 0; i < p->n_aggregates; i++)
        if (p->aggregates[i].expr->epsilon.len > 0)
            return custos_fail_at(
                w->err, CUSTOS_EINVAL, p->aggregates[i].expr->at,
                "an aggregate cannot have an epsilon of its own where the "
                "query is priced in rho");
    return CUSTOS_OK;
}

custos_status
rho_check(struct work *w)
{
    const struct plan *p = w->plan;
    custos_status st = check_currency(w);

    if (st)
        return st;
    if (p->raced)
        return custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                           "the bound on rows per unit of %.*s is chosen from "
                           "the data, which is priced in epsilon" HINT
                           "state epsilon or max_rows_contributed, or ask the "
                           "owner for rows_per_unit",
                           SHOWN(relation_shown(w->from)));
    for (size_t i = 0; i < p->space.n_keys; i++)
        if (p->space.keys[i].kind == KEY_PRIVATE)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, p->space.keys[i].expr->at,
                "the groups of %s are discovered in the data, which is priced "
                "in epsilon" HINT "state epsilon, or group by public values",
                work_text(w, p->space.keys[i].expr));
    return CUSTOS_OK;
}

/* ----------------------------------------------------------------- offer -- */

/* Is there something to offer: many values with Laplace noise, and a rho that
   the policy allows? */
static bool
can_offer(const struct plan *p)
{
    bool can = p->policy->max_rho.len > 0 && !p->in_rho && !p->raised &&
               !p->space.selection && !p->marginals &&
               plan_values(p) >= VALUES_MANY;
    rat cap;

    for (size_t i = 0; i < p->n_parts; i++)
        can = can && p->parts[i].kind != PART_QUANTILES &&
              !p->parts[i].running && p->parts[i].owner < 0 &&
              p->parts[i].mech_kind == CUSTOS_LAPLACE;
    if (!can)
        return false;
    rat_init(&cap);
    can = !rat_read(p->policy->max_rho.ptr, "max_rho", &cap, NULL) &&
          rat_cmp(&p->rho, &cap) <= 0;
    rat_clear(&cap);
    return can;
}

/* The variance of a part's noise at its share of the plan's rho, over that of
   its Laplace noise: D2^2 / (2 rho) over 2 (D1 / epsilon)^2. */
static void
variance_ratio(const struct plan *p, size_t i, rat *ratio)
{
    const struct part *part = &p->parts[i];
    rat x;

    rat_init(&x);
    rat_div(ratio, &part->epsilon, &part->l1);
    rat_mul(ratio, ratio, ratio);
    rat_mul(ratio, ratio, &part->l2_squared);
    split_rho(p, i, &x);
    rat_div(ratio, ratio, &x);
    rat_set_i64(&x, 1, 4);
    rat_mul(ratio, ratio, &x);
    rat_clear(&x);
}

/* By how many percent the noise of every part would deviate less, rounded
   down. */
static int
percent_less(const struct plan *p)
{
    int least = 99;
    rat x[2];

    rats_init(x, 2);
    for (size_t i = 0; i < p->n_parts; i++) {
        variance_ratio(p, i, &x[0]);
        for (; least > 0; least--) {
            rat_set_i64(&x[1], 100 - least, 100);
            rat_mul(&x[1], &x[1], &x[1]);
            if (rat_cmp(&x[0], &x[1]) <= 0)
                break;
        }
    }
    rats_clear(x, 2);
    return least;
}

void
rho_offer(const struct plan *p, struct buf *out)
{
    int less = can_offer(p) ? percent_less(p) : 0;

    if (less <= 0)
        return;
    buf_add_text(out, "in rho     asked at rho ");
    words_number(&p->rho, out);
    buf_printf(out,
               ", which it also costs now, its noise would deviate %d %% less; "
               "but no epsilon bounds such a price\n",
               less);
}
