/*
 * The mechanism of each part: discrete Laplace, or discrete Gaussian where the
 * policy has a delta, whichever has the smaller error bar at its share of the
 * price. A choice among private mechanisms by public facts costs nothing.
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
#include "plan/price/choose.h"
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

static custos_status
make_gauss_of_rho(const struct plan *p, const struct part *part,
                  custos_mech **out, custos_err *err)
{
    char rho[NUMBER_MAX], sensitivity[NUMBER_MAX];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_WIDE,
                             .values = values_of(part),
                             .rho = rho,
                             .sensitivity_squared = sensitivity,
                             .changes = changes_of(part)};

    if (!rat_write_into(&part->rho, rho, NUMBER_MAX) ||
        !rat_write_into(&part->l2_squared, sensitivity, NUMBER_MAX))
        return too_long(p, err);
    return mechs_take(p->mechs, &o, out, err);
}

/* The test described at the top: false if the Gaussian cannot win. */
static bool
gauss_can_win(const struct part *part, const rat *delta, i128 bar)
{
    bool can;
    rat x[3];

    if (rat_sign(delta) <= 0)
        return false;
    rats_init(x, 3);
    rat_set_i64(&x[0], 1863, 1000); /* 2.7 ln 2, from below */
    rat_set_i64(&x[1], -rat_log2_floor(delta) - 1, 1);
    rat_mul(&x[0], &x[0], &x[1]);
    rat_mul(&x[0], &x[0], &part->l2_squared);
    rat_set_i128(&x[1], bar);
    rat_mul(&x[1], &x[1], &part->epsilon);
    rat_mul(&x[1], &x[1], &x[1]);
    can = rat_cmp(&x[0], &x[1]) <= 0;
    rats_clear(x, 3);
    return can;
}

static void
set_mechanism(struct part *part, custos_mech *mech, custos_mech_kind kind,
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
        set_mechanism(part, mech, CUSTOS_GAUSSIAN, bar);
        rat_set(&part->delta, delta);
        mech = NULL;
    }
    custos_mech_free(mech);
    if (st == CUSTOS_ERANGE && part->mech)
        return CUSTOS_OK; /* cannot be calibrated: Laplace is used */
    return st ? custos_fail(err, st, "%s" HINT "%s", why.said, why.hint) : st;
}

custos_status
choose_part(struct work *w, struct part *part, const rat *delta, size_t n,
            custos_err *err)
{
    custos_mech *mech = NULL;
    i128 bar = 0;
    custos_status st = effort_spend(w->options->effort, EFFORT_LAPLACE, err);

    if (!st)
        st = make_laplace(w->plan, part, &mech, err);
    n = n > 0 ? n : 1;
    if (!st)
        st = mechs_bar(w->plan->mechs, mech, n, &bar, err);
    if (st) {
        custos_mech_free(mech);
        return st;
    }
    set_mechanism(part, mech, CUSTOS_LAPLACE, bar);
    rat_set_i64(&part->delta, 0, 1);
    if (!gauss_can_win(part, delta, bar))
        return CUSTOS_OK;
    return try_gauss(w, part, delta, n, err);
}

/* The part's mechanism and bar where the price is a rho. */
static custos_status
choose_in_rho(struct work *w, struct part *part)
{
    custos_mech *mech = NULL;
    i128 bar = 0;
    custos_status st = work_spend(w, EFFORT_LAPLACE);

    if (!st)
        st = make_gauss_of_rho(w->plan, part, &mech, w->err);
    if (!st)
        st = mechs_bar(w->plan->mechs, mech, 1, &bar, w->err);
    if (st)
        custos_mech_free(mech);
    else
        set_mechanism(part, mech, CUSTOS_GAUSSIAN, bar);
    return st;
}

/* Gives each of the k Gaussians delta/k. They were chosen at delta/parts; more
   delta only makes them better. */
static custos_status
share_delta(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;
    int64_t k = 0;
    rat share;

    for (size_t i = 0; i < p->n_parts; i++)
        k += p->parts[i].mech_kind == CUSTOS_GAUSSIAN;
    if (k == 0 || (size_t)k == p->n_parts)
        return CUSTOS_OK;
    rat_init(&share);
    rat_set_i64(&share, 1, (uint64_t)k);
    rat_mul(&share, &share, &w->delta);
    for (size_t i = 0; i < p->n_parts && !st; i++)
        if (p->parts[i].mech_kind == CUSTOS_GAUSSIAN) {
            custos_mech_free(p->parts[i].mech);
            p->parts[i].mech = NULL;
            st = try_gauss(w, &p->parts[i], &share, 1, w->err);
        }
    rat_clear(&share);
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

/* Laplace or Gaussian for every part that gets additive noise. */
static custos_status
choose_parts(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st = CUSTOS_OK;
    rat share;

    rat_init(&share);
    rat_set_i64(&share, 1, p->n_parts);
    rat_mul(&share, &share, &w->delta);
    for (size_t i = 0; i < p->n_parts && !st; i++)
        if (!p->parts[i].served && p->parts[i].kind != PART_QUANTILES)
            st = choose_part(w, &p->parts[i], &share, w->at_once, w->err);
    rat_clear(&share);
    if (!st)
        st = share_delta(w);
    if (!st && w->at_once > 1)
        st = set_bars(w);
    return st;
}

custos_status
choose_make(struct work *w)
{
    struct plan *p = w->plan;
    const char *price = p->in_rho ? "rho" : "epsilon";
    custos_status st = CUSTOS_OK;

    if (p->n_parts == 0) /* the query has keys but no aggregates */
        return CUSTOS_OK;
    for (size_t i = 0; i < p->n_parts && p->in_rho && !st; i++)
        if (p->parts[i].kind != PART_QUANTILES)
            st = choose_in_rho(w, &p->parts[i]);
    if (!p->in_rho)
        st = choose_parts(w);
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
