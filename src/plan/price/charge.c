/*
 * The charge of a plan: the composition of its stages. Epsilon and its delta are
 * the exact sums of shares; rho is the sum of the rho of each mechanism, rounded
 * up, and its delta the sum of those up to which they hold.
 *
 * THEOREM  plan-charge
 *   Parts that are (epsilon_i, delta_i)-DP and gamma_i-approximate rho_i-zCDP
 *   are, together, (sum epsilon_i, sum delta_i)-DP and (sum gamma_i)-approximate
 *   (sum rho_i)-zCDP: sequential composition of releases from the same data that
 *   are fixed in advance. Discrete Gaussian noise has gamma_i = 0, and so has
 *   Laplace noise, whose rho is that of laplace-rho. Where
 *   groups are chosen first, the choice is one more release, and the parts are
 *   those of the groups it showed: adaptive composition; likewise where a bound
 *   selection chose the bound on rows (bound-race), or a range was found
 *   (range-found). An (epsilon, delta)-DP
 *   release satisfies, delta-approximately, the rho of a pure epsilon-DP one:
 *   gamma_i = delta_i. Parts that share a Gaussian (plan-joint) are one release
 *   of the sum of their shares.
 * SOURCE   Dwork, Roth 2014, theorem 3.16; Bun, Steinke 2016,
 *          arXiv:1605.02065, lemmas 1.7 and 8.2; doc/proofs/groups-chosen.md,
 *          doc/proofs/laplace-rho.md
 * NEEDS    part-add-remove or part-change-one for every part.
 * GIVES    plan->charge, each amount rounded up.
 * FAILS    CUSTOS_EINTERNAL if the shares exceed the price: no plan has them.
 * TESTED   charge_adds_the_parts worked_examples_cost_what_the_sources_say
 *          charge_of_gaussians_has_no_delta_in_rho
 */
#include "account/convert.h"
#include "account/laplace.h"
#include "num/batch.h"
#include "num/rat_round.h"
#include "plan/part/quantile.h"
#include "plan/work.h"

/* The rho of a Gaussian: D2^2 / (2 sigma^2), with sigma rounded down. */
static custos_status
gauss_rho(const struct part *part, rat *rho, custos_err *err)
{
    custos_status st;
    rat sigma;

    rat_init(&sigma);
    st = rat_read_positive(custos_mech_facts(part->mech)->scale, "sigma",
                           &sigma, err);
    if (!st) {
        rat_mul(&sigma, &sigma, &sigma);
        rat_add(&sigma, &sigma, &sigma);
        rat_div(rho, &part->l2_squared, &sigma);
    }
    rat_clear(&sigma);
    return st;
}

/* The epsilon of the release that the part belongs to: its own, or that of all
   parts that share a Gaussian with it, for the first of them; else 0. */
static void
release_epsilon(const struct plan *p, const struct part *part, rat *epsilon)
{
    bool first = true;

    rat_set(epsilon, &part->epsilon);
    if (!part->joint)
        return;
    rat_set_i64(epsilon, 0, 1);
    for (size_t i = 0; i < p->n_parts; i++) {
        if (!p->parts[i].joint || p->parts[i].owner != part->owner)
            continue;
        if (first && &p->parts[i] != part)
            return;
        first = false;
        rat_add(epsilon, epsilon, &p->parts[i].epsilon);
    }
}

static void
add_epsilon(const rat *epsilon, rat *sum, rat *squares)
{
    rat x;

    rat_init(&x);
    rat_mul(&x, epsilon, epsilon);
    rat_add(squares, squares, &x);
    rat_add(sum, sum, epsilon);
    rat_clear(&x);
}

/* The sum of the epsilons of all stages, and that of their squares, which is an
   upper bound for quantiles: these are two releases. */
static void
epsilons_of(const struct plan *p, rat *sum, rat *squares)
{
    rat x;

    rat_init(&x);
    rat_set_i64(sum, 0, 1);
    rat_set_i64(squares, 0, 1);
    for (size_t i = 0; i < p->n_stages; i++) {
        const struct stage *s = &p->stages[i];

        if (s->kind == STAGE_GROUPS)
            add_epsilon(&s->space->selection->epsilon, sum, squares);
        for (size_t k = 0; k < s->n_parts; k++) {
            release_epsilon(p, &s->parts[k], &x);
            add_epsilon(&x, sum, squares);
        }
    }
    rat_clear(&x);
}

/* Adds rho and the deltas of one part to those of the plan. */
static custos_status
add_part(struct plan *p, const struct part *part, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat rho;

    if (part->served || p->in_rho)
        return CUSTOS_OK; /* the selection pays for it, or the price in rho */
    rat_init(&rho);
    if (part->mech_kind == CUSTOS_GAUSSIAN)
        st = gauss_rho(part, &rho, err);
    else if (part->kind == PART_QUANTILES)
        st = quantile_rho(p, part, &rho, err);
    else
        laplace_rho_up(&part->epsilon, &part->l1, &part->l2_squared, &rho);
    rat_add(&p->rho, &p->rho, &rho);
    rat_add(&p->delta, &p->delta, &part->delta);
    if (part->mech_kind != CUSTOS_GAUSSIAN) /* whose rho holds with no delta */
        rat_add(&p->delta_rho, &p->delta_rho, &part->delta);
    rat_clear(&rho);
    return st;
}

/* Adds rho and the deltas of one stage to those of the plan. A selection of
   groups pays its delta for both prices. */
static custos_status
add_stage(struct plan *p, const struct stage *s, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (s->kind == STAGE_GROUPS) {
        rat rho;

        rat_init(&rho);
        pure_rho_up(&s->space->selection->epsilon, &rho);
        rat_add(&p->rho, &p->rho, &rho);
        rat_add(&p->delta, &p->delta, &s->space->selection->delta);
        rat_add(&p->delta_rho, &p->delta_rho, &s->space->selection->delta);
        rat_clear(&rho);
    }
    for (size_t i = 0; i < s->n_parts && !st; i++)
        st = add_part(p, &s->parts[i], err);
    return st;
}

/*
 * Sets only the currencies that the ledger's filter counts in. The others stay
 * unbounded: computing them takes longer than the rest of a small plan.
 */
static void
set_amounts(struct plan *p, const rat *squares)
{
    struct charge *c = &p->charge;

    c->epsilon = c->epsilon_squared = AMOUNT_INFINITE;
    if (!p->in_rho) {
        c->epsilon = amount_from_rat_up(&p->epsilon, AMOUNT_LOSS);
        c->epsilon_squared = amount_from_rat_up(squares, AMOUNT_LOSS);
    }
    c->rho = amount_from_rat_up(&p->rho, AMOUNT_LOSS);
    c->delta = amount_from_rat_up(&p->delta, AMOUNT_DELTA);
    c->delta_rho = amount_from_rat_up(&p->delta_rho, AMOUNT_DELTA);
    c->mu_squared = AMOUNT_INFINITE;
    for (size_t i = 0; i < CHARGE_ORDERS; i++)
        c->loss[i] = AMOUNT_INFINITE;
}

custos_status
charge_make(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;
    rat sum, squares;

    if (!p->in_rho) /* else it is the price, to which the shares add up */
        rat_set_i64(&p->rho, 0, 1);
    rat_set_i64(&p->delta, 0, 1);
    rat_set_i64(&p->delta_rho, 0, 1);
    for (size_t i = 0; i < p->n_stages && !st; i++)
        st = add_stage(p, &p->stages[i], w->err);
    if (st)
        return st;
    rat_init(&sum);
    rat_init(&squares);
    epsilons_of(p, &sum, &squares);
    if (!p->in_rho && rat_cmp(&sum, &p->epsilon) > 0)
        st = custos_fail(w->err, CUSTOS_EINTERNAL,
                         "the stages of a plan cost more than its price");
    else
        set_amounts(p, &squares);
    rat_clear(&sum);
    rat_clear(&squares);
    return st;
}

static void
raise_to(rat *to, const rat *x)
{
    if (rat_cmp(x, to) > 0)
        rat_set(to, x);
}

/* What the selection costs, plus the maximum of each amount over the plans that
   may follow. Whichever follows, this is the charge. */
void
charge_selection(struct plan *p, const rat *epsilon, const rat *rho)
{
    size_t n;
    struct plan *const *next = plan_next(p, &n);
    rat sum, x, squares;

    rat_init(&sum);
    rat_init(&x);
    rat_init(&squares);
    for (size_t i = 0; i < n; i++) {
        raise_to(&p->epsilon, &next[i]->epsilon);
        raise_to(&p->rho, &next[i]->rho);
        raise_to(&p->delta, &next[i]->delta);
        raise_to(&p->delta_rho, &next[i]->delta_rho);
        epsilons_of(next[i], &sum, &x);
        raise_to(&squares, &x);
    }
    rat_add(&p->epsilon, &p->epsilon, epsilon);
    rat_add(&p->rho, &p->rho, rho);
    rat_mul(&x, epsilon, epsilon);
    rat_add(&squares, &squares, &x);
    set_amounts(p, &squares);
    for (size_t i = 0; i < n; i++)
        next[i]->charge = p->charge;
    rat_clear(&sum);
    rat_clear(&x);
    rat_clear(&squares);
}
