/*
 * One Gaussian for several parts. Parts with an epsilon and a delta of their own
 * compose by sums; as one vector they compose by the squares of D/sigma, and k
 * equal parts need sigmas that are smaller by a factor of sqrt(k). Laplace
 * noise has no such gain, and is better for few numbers: the parts for which it
 * is keep it, and their share of epsilon.
 *
 * Which parts those are is found by trying: of the parts that could win by the
 * estimate of choose.c, with all of their epsilon, those whose error bar does
 * not become shorter leave, and the rest is tried again. Every outcome is
 * private, so the choice costs nothing; it uses public facts.
 *
 * THEOREM  plan-joint
 *   Let part i have l2 sensitivity D_i and get discrete Gaussian noise of
 *   variance at least D_i^2 / (2 rho w_i), where the w_i add up to 1. Let D^2 be
 *   the least D_i^2 / w_i, and let noise of variance v = D^2 / (2 rho) on a
 *   vector of sensitivity D be certified to be (epsilon, delta)-DP by
 *   gauss-vector. Then all parts together are (epsilon, delta)-DP, and they are
 *   rho-zCDP with no delta.
 * SOURCE   doc/proofs/gauss-vector.md, "Several releases at once"; Canonne,
 *          Kamath, Steinke 2020, arXiv:2004.00010, theorem 4 (rho).
 * NEEDS    part-add-remove or part-change-one for every part.
 * GIVES    shares of epsilon, delta and rho for each part, which add up to those
 *          of the joint release.
 * FAILS    as custos_mech_new; CUSTOS_ENOMEM.
 * TESTED   joint_is_certified_as_drawn joint_wins_where_it_is_better
 *          joint_is_charged_once
 */
#include "plan/price/joint.h"

#include "num/batch.h"
#include "num/rat_round.h"
#include "plan/price/choose.h"

enum {
    NUMBER_MAX = 512,
    ROUNDS = 3,       /* calibrations that are tried */
    SCALE_LOG2 = -50, /* a reported scale is rounded down by less than this
                         part of it: it has 17 digits */
};

struct joint {
    struct work *w;
    size_t n_values; /* at once */
    struct part *in[PLAN_PARTS_MAX];
    size_t n;
    custos_mech *mech[PLAN_PARTS_MAX];
    i128 bar[PLAN_PARTS_MAX];
    uint64_t weights; /* the sum of weight_in_rho */
    rat epsilon, rho;
    rat least; /* D^2 of the theorem */
    const rat *delta;
    const char *theorem;
};

/* The parts of an owner that get additive noise. None if one of them adds up its
   cells: its strategy was chosen for its own mechanism. */
static void
collect_parts(struct joint *j, int owner)
{
    struct plan *p = j->w->plan;

    for (size_t i = 0; i < p->n_parts; i++) {
        struct part *part = &p->parts[i];

        if (part->owner != owner)
            continue;
        if (part->running) {
            j->n = 0;
            return;
        }
        if (!part->served && part->kind != PART_QUANTILES)
            j->in[j->n++] = part;
    }
}

/* r = D_i^2 / w_i */
static void
weighted_square(const struct joint *j, size_t i, rat *r)
{
    rat w;

    rat_init(&w);
    rat_set_i64(&w, (int64_t)j->weights, j->in[i]->weight_in_rho);
    rat_mul(r, &j->in[i]->l2_squared, &w);
    rat_clear(&w);
}

/* Sets what follows from the list of parts. */
static void
add_up(struct joint *j)
{
    rat x;

    rat_init(&x);
    j->weights = 0;
    rat_set_i64(&j->epsilon, 0, 1);
    for (size_t i = 0; i < j->n; i++) {
        j->weights += j->in[i]->weight_in_rho;
        rat_add(&j->epsilon, &j->epsilon, &j->in[i]->epsilon);
    }
    for (size_t i = 0; i < j->n; i++) {
        weighted_square(j, i, &x);
        if (i == 0 || rat_cmp(&x, &j->least) < 0)
            rat_set(&j->least, &x);
    }
    rat_clear(&x);
}

static bool
can_win(const struct joint *j, size_t i)
{
    bool can;
    rat x;

    rat_init(&x);
    weighted_square(j, i, &x);
    can = choose_gauss_can_win(&x, &j->epsilon, j->delta, j->in[i]->bar);
    rat_clear(&x);
    return can;
}

/* Removes the parts that cannot win, until all that are left can. */
static void
drop_hopeless(struct joint *j)
{
    size_t before;

    do {
        size_t n = 0;

        before = j->n;
        add_up(j);
        for (size_t i = 0; i < before; i++)
            if (can_win(j, i))
                j->in[n++] = j->in[i];
        j->n = n;
    } while (j->n > 0 && j->n < before);
}

/* rho from the variance that is certified for sensitivity D. A larger variance
   keeps the certificate (gauss-vector). */
static custos_status
set_rho(struct joint *j, const custos_mech *mech, custos_err *err)
{
    custos_status st;
    rat sigma, x;

    rat_init(&sigma);
    rat_init(&x);
    st =
        rat_read_positive(custos_mech_facts(mech)->scale, "sigma", &sigma, err);
    if (!st) {
        rat_set_pow2(&x, SCALE_LOG2);
        rat_mul(&x, &x, &sigma);
        rat_add(&sigma, &sigma, &x); /* at least the sigma that is certified */
        rat_mul(&sigma, &sigma, &sigma);
        rat_add(&sigma, &sigma, &sigma);
        rat_div(&j->rho, &j->least, &sigma);
    }
    rat_clear(&sigma);
    rat_clear(&x);
    return st;
}

/* Calibrates the joint release: a mechanism that is never used, for the cache. */
static custos_status
calibrate_joint(struct joint *j, custos_err *err)
{
    char epsilon[NUMBER_MAX], sensitivity[NUMBER_MAX], delta[NUMBER_MAX];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_WIDE,
                             .values = 1,
                             .epsilon = epsilon,
                             .delta = delta,
                             .sensitivity_squared = sensitivity,
                             .changes = CUSTOS_CHANGES_SEVERAL};
    custos_mech *mech = NULL;
    custos_status st =
        effort_spend(j->w->options->effort, EFFORT_GAUSSIAN, err);

    if (st)
        return st;
    if (!rat_write_into(&j->epsilon, epsilon, NUMBER_MAX) ||
        !rat_write_into(j->delta, delta, NUMBER_MAX) ||
        !rat_write_into(&j->least, sensitivity, NUMBER_MAX))
        return CUSTOS_ERANGE; /* too many digits: no joint release */
    st = mechs_take(j->w->plan->mechs, &o, &mech, err);
    if (!st) {
        j->theorem = custos_mech_facts(mech)->theorem;
        st = set_rho(j, mech, err);
    }
    custos_mech_free(mech);
    return st;
}

static void
free_mechanisms(struct joint *j)
{
    for (size_t i = 0; i < j->n; i++) {
        custos_mech_free(j->mech[i]);
        j->mech[i] = NULL;
    }
}

/* The mechanism and bar of each part at its share of rho. */
static custos_status
make_mechanisms(struct joint *j, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat share;

    rat_init(&share);
    for (size_t i = 0; i < j->n && !st; i++) {
        rat_set_i64(&share, j->in[i]->weight_in_rho, j->weights);
        rat_mul(&j->in[i]->rho, &j->rho, &share);
        st = effort_spend(j->w->options->effort, EFFORT_LAPLACE, err);
        if (!st)
            st = choose_gauss_of_rho(j->w->plan, j->in[i], j->n_values,
                                     &j->mech[i], &j->bar[i], err);
    }
    rat_clear(&share);
    return st;
}

/* Removes the parts whose bar is not shorter; true if there were any. */
static bool
drop_losers(struct joint *j)
{
    size_t n = 0, before = j->n;

    for (size_t i = 0; i < before; i++)
        if (j->bar[i] < j->in[i]->bar)
            n++;
    if (n == before)
        return false;
    free_mechanisms(j);
    n = 0;
    for (size_t i = 0; i < before; i++) {
        struct part *part = j->in[i];

        if (j->bar[i] < part->bar)
            j->in[n++] = part;
    }
    j->n = n;
    return true;
}

static void
take_mechanisms(struct joint *j)
{
    rat share;

    rat_init(&share);
    rat_set_i64(&share, 1, j->n);
    rat_mul(&share, &share, j->delta);
    for (size_t i = 0; i < j->n; i++) {
        struct part *part = j->in[i];

        choose_take(part, j->mech[i], CUSTOS_GAUSSIAN, j->bar[i]);
        part->theorem = j->theorem;
        part->joint = true;
        rat_set(&part->delta, &share);
    }
    rat_clear(&share);
}

/* One calibration; *again: parts have left, and the others can be tried. */
static custos_status
try_once(struct joint *j, bool *again, custos_err *err)
{
    custos_status st;

    *again = false;
    drop_hopeless(j);
    if (j->n < 2)
        return CUSTOS_OK;
    st = calibrate_joint(j, err);
    if (!st)
        st = make_mechanisms(j, err);
    if (st)
        free_mechanisms(j);
    else
        *again = drop_losers(j);
    return st;
}

custos_status
joint_make(struct work *w, int owner, const rat *delta, size_t n, bool *made)
{
    struct joint j = {.w = w, .n_values = n, .delta = delta};
    custos_err why = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;
    bool again = true;

    *made = false;
    if (rat_sign(delta) <= 0)
        return CUSTOS_OK;
    rat_init(&j.epsilon);
    rat_init(&j.rho);
    rat_init(&j.least);
    collect_parts(&j, owner);
    for (int i = 0; i < ROUNDS && again && !st; i++)
        st = try_once(&j, &again, &why);
    *made = !st && !again && j.n >= 2;
    if (*made)
        take_mechanisms(&j);
    rat_clear(&j.epsilon);
    rat_clear(&j.rho);
    rat_clear(&j.least);
    if (st == CUSTOS_ERANGE)
        return CUSTOS_OK; /* cannot be calibrated */
    return st ? custos_fail(w->err, st, "%s" HINT "%s", why.said, why.hint)
              : st;
}
