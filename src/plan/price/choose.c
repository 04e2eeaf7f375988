/*
 * The mechanism of each part: discrete Laplace, or discrete Gaussian where the
 * policy has a delta, whichever has the smaller error bar at its share of the
 * price; or one Gaussian together with other parts (joint.c). A choice among
 * private mechanisms by public facts costs nothing.
 *
 * Calibrating a Gaussian takes a while, so it is tried only where it can win.
 * By Bun and Steinke, sigma^2 is about 2 L D2^2 / epsilon^2, with L =
 * ln(1/delta) and D2 the l2 sensitivity; the exact calibration saves less than
 * 40 % of sigma for any delta below 1/1000. So the Gaussian's bar, 1.96 sigma,
 * is not below Laplace's bar when 2.7 L D2^2 > (Laplace's bar * epsilon)^2.
 *
 * If the price is a rho, every part gets the discrete Gaussian of its share.
 */
#include "num/batch.h"
#include "num/rat_round.h"
#include "plan/part/marginals.h"
#include "plan/price/choose.h"
#include "plan/price/joint.h"
#include "plan/part/quantile.h"

enum { NUMBER_MAX = 512 };

static custos_status
too_long(const struct plan *p, custos_err *err)
{
    return custos_fail(err, CUSTOS_EINVAL,
                       "%s has too many digits for this query",
                       p->in_rho ? "rho" : "epsilon");
}

/*
 * How many values one release has. Discovered groups are released one by one:
 * their number is not known here, and no scale depends on it.
 */
static size_t
values_of(const struct part *part)
{
    return part_numbers(part) *
           (part->space->selection ? 1 : part->space->cells);
}

static custos_status
make_laplace(const struct plan *p, const struct part *part, custos_mech **out,
             custos_err *err)
{
    char epsilon[NUMBER_MAX], sensitivity[NUMBER_MAX];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .values = values_of(part),
                             .epsilon = epsilon,
                             .sensitivity = sensitivity};

    if (!rat_write_into(&part->epsilon, epsilon, NUMBER_MAX) ||
        !rat_write_into(&part->l1, sensitivity, NUMBER_MAX))
        return too_long(p, err);
    return mechs_take(p->mechs, &o, out, err);
}

static custos_changes
changes_of(const struct part *part)
{
    return part->one_cell ? CUSTOS_CHANGES_ONE : CUSTOS_CHANGES_SEVERAL;
}

static custos_status
make_gauss(const struct plan *p, const struct part *part, const rat *delta,
           custos_mech **out, custos_err *err)
{
    char epsilon[NUMBER_MAX], sensitivity[NUMBER_MAX], d[NUMBER_MAX];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_WIDE,
                             .values = values_of(part),
                             .epsilon = epsilon,
                             .delta = d,
                             .sensitivity_squared = sensitivity,
                             .changes = changes_of(part)};

    if (!rat_write_into(&part->epsilon, epsilon, NUMBER_MAX) ||
        !rat_write_into(delta, d, NUMBER_MAX) ||
        !rat_write_into(&part->l2_squared, sensitivity, NUMBER_MAX))
        return too_long(p, err);
    return mechs_take(p->mechs, &o, out, err);
}

custos_status
choose_gauss_of_rho(const struct plan *p, const struct part *part, size_t n,
                    custos_mech **mech, i128 *bar, custos_err *err)
{
    char rho[NUMBER_MAX], sensitivity[NUMBER_MAX];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_WIDE,
                             .values = values_of(part),
                             .rho = rho,
                             .sensitivity_squared = sensitivity,
                             .changes = changes_of(part)};
    custos_status st;

    if (!rat_write_into(&part->rho, rho, NUMBER_MAX) ||
        !rat_write_into(&part->l2_squared, sensitivity, NUMBER_MAX))
        return too_long(p, err);
    st = mechs_take(p->mechs, &o, mech, err);
    if (st)
        return st;
    st = mechs_bar(p->mechs, *mech, n, bar, err);
    if (st) {
        custos_mech_free(*mech);
        *mech = NULL;
    }
    return st;
}

/* The test described at the top. */
bool
choose_gauss_can_win(const rat *l2_squared, const rat *epsilon,
                     const rat *delta, i128 bar)
{
    bool can;
    rat x[3];

    if (rat_sign(delta) <= 0)
        return false;
    rats_init(x, 3);
    rat_set_i64(&x[0], 1863, 1000); /* 2.7 ln 2, from below */
    rat_set_i64(&x[1], -rat_log2_floor(delta) - 1, 1);
    rat_mul(&x[0], &x[0], &x[1]);
    rat_mul(&x[0], &x[0], l2_squared);
    rat_set_i128(&x[1], bar);
    rat_mul(&x[1], &x[1], epsilon);
    rat_mul(&x[1], &x[1], &x[1]);
    can = rat_cmp(&x[0], &x[1]) <= 0;
    rats_clear(x, 3);
    return can;
}

void
choose_take(struct part *part, custos_mech *mech, custos_mech_kind kind,
            i128 bar)
{
    custos_mech_free(part->mech);
    part->mech = mech;
    part->mech_kind = kind;
    part->theorem = custos_mech_facts(mech)->theorem;
    part->bar = bar;
}

static custos_status
try_gauss(struct work *w, struct part *part, const rat *delta, size_t n,
          custos_err *err)
{
    custos_mech *mech = NULL;
    i128 bar = 0;
    custos_err why = CUSTOS_ERR_INIT;
    custos_status st = effort_spend(w->options->effort, EFFORT_GAUSSIAN, &why);

    if (!st)
        st = make_gauss(w->plan, part, delta, &mech, &why);
    if (!st)
        st = mechs_bar(w->plan->mechs, mech, n, &bar, &why);
    if (!st && (!part->mech || bar < part->bar)) {
        choose_take(part, mech, CUSTOS_GAUSSIAN, bar);
        rat_set(&part->delta, delta);
        mech = NULL;
    }
    custos_mech_free(mech);
    if (st == CUSTOS_ERANGE && part->mech)
        return CUSTOS_OK; /* cannot be calibrated: Laplace is used */
    return st ? custos_fail(err, st, "%s" HINT "%s", why.said, why.hint) : st;
}

static custos_status
choose_laplace(struct work *w, struct part *part, size_t n, custos_err *err)
{
    custos_mech *mech = NULL;
    i128 bar = 0;
    custos_status st = effort_spend(w->options->effort, EFFORT_LAPLACE, err);

    if (!st)
        st = make_laplace(w->plan, part, &mech, err);
    if (!st)
        st = mechs_bar(w->plan->mechs, mech, n, &bar, err);
    if (st) {
        custos_mech_free(mech);
        return st;
    }
    choose_take(part, mech, CUSTOS_LAPLACE, bar);
    rat_set_i64(&part->delta, 0, 1);
    return CUSTOS_OK;
}

/* Takes a Gaussian instead of the part's Laplace noise if its bar is shorter. */
static custos_status
improve_by_gauss(struct work *w, struct part *part, const rat *delta, size_t n,
                 custos_err *err)
{
    if (w->options->frugal ||
        !choose_gauss_can_win(&part->l2_squared, &part->epsilon, delta,
                              part->bar))
        return CUSTOS_OK;
    return try_gauss(w, part, delta, n, err);
}

custos_status
choose_part(struct work *w, struct part *part, const rat *delta, size_t n,
            custos_err *err)
{
    custos_status st;

    n = n > 0 ? n : 1;
    st = choose_laplace(w, part, n, err);
    return st ? st : improve_by_gauss(w, part, delta, n, err);
}

/* The part's mechanism and bar where the price is a rho. */
static custos_status
choose_in_rho(struct work *w, struct part *part)
{
    custos_mech *mech = NULL;
    i128 bar = 0;
    custos_status st = work_spend(w, EFFORT_LAPLACE);

    if (!st)
        st = choose_gauss_of_rho(w->plan, part, 1, &mech, &bar, w->err);
    if (!st)
        choose_take(part, mech, CUSTOS_GAUSSIAN, bar);
    return st;
}

/* Gives each of the k separate Gaussians the k-th part of the delta of the `others`
   parts. They were chosen at delta/parts; more delta only makes them better. */
static custos_status
share_delta(struct work *w, size_t others)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;
    size_t k = 0;
    rat share;

    for (size_t i = 0; i < p->n_parts; i++)
        k += p->parts[i].mech_kind == CUSTOS_GAUSSIAN && !p->parts[i].joint;
    if (k == 0 || k == others)
        return CUSTOS_OK;
    rat_init(&share);
    rat_set_i64(&share, (int64_t)others, k * p->n_parts);
    rat_mul(&share, &share, &w->delta);
    for (size_t i = 0; i < p->n_parts && !st; i++)
        if (p->parts[i].mech_kind == CUSTOS_GAUSSIAN && !p->parts[i].joint) {
            custos_mech_free(p->parts[i].mech);
            p->parts[i].mech = NULL;
            st = try_gauss(w, &p->parts[i], &share, 1, w->err);
        }
    rat_clear(&share);
    return st;
}

static bool
gets_noise(const struct part *part)
{
    return !part->served && part->kind != PART_QUANTILES;
}

/* Laplace or Gaussian for every part of its own: `others` parts are
   those of owners that have no joint release, with their share of the delta. */
static custos_status
choose_separately(struct work *w, const bool *joint, size_t others)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;
    rat share;

    rat_init(&share);
    rat_set_i64(&share, 1, p->n_parts);
    rat_mul(&share, &share, &w->delta);
    for (size_t i = 0; i < p->n_parts && !st; i++)
        if (gets_noise(&p->parts[i]) && !joint[p->parts[i].owner + 1])
            st = improve_by_gauss(w, &p->parts[i], &share,
                                  w->at_once > 0 ? w->at_once : 1, w->err);
    rat_clear(&share);
    return st ? st : share_delta(w, others);
}

/*
 * A joint Gaussian for each owner for whose parts it is better, with the share
 * of the delta that its parts have. The other parts of such an owner keep
 * their Laplace noise. Sets joint[owner + 1]; others: how many parts the other
 * owners have. A price by accuracy was found for parts of their own.
 */
static custos_status
choose_jointly(struct work *w, bool *joint, size_t *others)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;
    rat delta;

    rat_init(&delta);
    *others = 0;
    for (int owner = -1; owner < (int)p->n_aggregates && !st; owner++) {
        size_t n = 0;

        for (size_t i = 0; i < p->n_parts; i++)
            n += p->parts[i].owner == owner;
        if (n == 0)
            continue;
        rat_set_i64(&delta, (int64_t)n, p->n_parts);
        rat_mul(&delta, &delta, &w->delta);
        if (w->options->within.len == 0 && !w->options->frugal)
            st = joint_make(w, owner, &delta, w->at_once > 0 ? w->at_once : 1,
                            &joint[owner + 1]);
        *others += joint[owner + 1] ? 0 : n;
    }
    rat_clear(&delta);
    return st;
}

/* Mechanisms were chosen by their bar for n values at once. The bar shown is
   that of one value. */
static custos_status
set_bars(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_parts && !st; i++) {
        i128 bar = 0;

        st = mechs_bar(p->mechs, p->parts[i].mech, 1, &bar, w->err);
        p->parts[i].bar = bar;
    }
    return st;
}

/* A mechanism for every part that gets additive noise. */
static custos_status
choose_noise(struct work *w)
{
    struct plan *p = w->plan;
    bool *joint = arena_take(w->a, p->n_aggregates + 1, sizeof *joint);
    custos_status st = joint ? CUSTOS_OK : work_no_memory(w);
    size_t others = 0;

    for (size_t i = 0; i < p->n_parts && !st; i++)
        if (gets_noise(&p->parts[i]))
            st = choose_laplace(w, &p->parts[i],
                                w->at_once > 0 ? w->at_once : 1, w->err);
    if (st || p->marginals) /* whose errors were compared for this noise */
        return st;
    st = choose_jointly(w, joint, &others);
    return st ? st : choose_separately(w, joint, others);
}

custos_status
choose_make(struct work *w)
{
    struct plan *p = w->plan;
    const char *price = p->in_rho ? "rho" : "epsilon";
    const bool of_rho = p->in_rho || marginals_are_residual(p);
    custos_status st = CUSTOS_OK;

    if (p->n_parts == 0) /* the query has keys but no aggregates */
        return CUSTOS_OK;
    for (size_t i = 0; i < p->n_parts && of_rho && !st; i++)
        if (p->parts[i].kind != PART_QUANTILES)
            st = choose_in_rho(w, &p->parts[i]);
    if (!of_rho)
        st = choose_noise(w);
    if (!of_rho && !st && w->at_once > 1)
        st = set_bars(w);
    if (st == CUSTOS_ERANGE)
        st = custos_fail(
            w->err, st,
            "at this %s the noise would exceed 2^60 steps or fall below "
            "2^-20" HINT
            "ask for another %s, or state narrower contribution bounds",
            price, price);
    for (size_t i = 0; i < p->n_parts && !st; i++)
        if (p->parts[i].kind == PART_QUANTILES)
            st = quantile_choose(w, &p->parts[i]);
    return st;
}
