/*
 * The additive mechanisms: a value on the grid plus integer noise, clamped to
 * public limits. Everything that depends on parameters was computed when the
 * handle was made (additive_plan.c), so a release is only integer sums.
 *
 * THEOREM  laplace-discrete
 *   Let f be integer-valued with l1 sensitivity D. Adding independent discrete
 *   Laplace noise, P[y] ~ exp(-|y|/t), t >= D/epsilon, to each coordinate is
 *   epsilon-DP. Clamping the sums to fixed limits keeps it so.
 * SOURCE   Ghosh, Roughgarden, Sundararajan 2009, arXiv:0811.2841;
 *          Vadhan 2017, theorem 1.3; doc/proofs/laplace-discrete.md
 * NEEDS    the values of neighbours, on the grid, differ by at most the given
 *          sensitivity (grid-sensitivity).
 * GIVES    epsilon-DP; released values are multiples of the grid.
 * FAILS    CUSTOS_EINVAL and CUSTOS_ETAKEN from the handles; CUSTOS_EENTROPY
 *          and CUSTOS_EINTERNAL from the coins. None depends on the values.
 * TESTED   laplace_ratio_is_bounded_by_epsilon release_adds_the_noise
 *          release_saturates release_lies_on_the_grid
 *          release_wide_adds_the_noise release_wide_saturates
 */
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "base/wide.h"
#include "mech/additive_plan.h"
#include "mech/grid.h"
#include "mech/hold.h"
#include "mech/i128.h"
#include "mech/interval.h"
#include "base/sized.h"
#include "mech/sealed.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

enum {
    CHUNK = 64,
    GRID_TEXT_MAX = 136, /* "1/" and the digits of 2^400 */
    ROOT_BITS = 256,
};

struct custos_mech {
    custos_alloc alloc;
    size_t more_owners; /* hold.h */
    custos_noise *noise;
    enum sealed_kind kind;
    size_t values;
    long grid_log2;
    i128 lower, upper;
    custos_facts facts;
    char epsilon[CUSTOS_NUMBER_MAX];
    char delta[CUSTOS_NUMBER_MAX];
    char scale[CUSTOS_NUMBER_MAX];
    char sensitivity[CUSTOS_NUMBER_MAX];
    char rho[CUSTOS_NUMBER_MAX];
    char grid[GRID_TEXT_MAX];
};

static_assert(CUSTOS_NUMBER_MAX == RAT_DECIMAL_MAX, "one room for numbers");

/* The sensitivity on the grid, in units of the values. */
static void
write_sensitivity(const struct additive_plan *p, char *text)
{
    ival x;
    rat s, g;

    ival_init(&x, ROOT_BITS);
    rat_init(&s);
    rat_init(&g);
    rat_set_pow2(&g, p->grid_log2);
    if (p->law == CUSTOS_DISCRETE_GAUSSIAN) {
        ival_set_rat(&x, &p->steps);
        ival_sqrt(&x, &x);
        ival_up(&x, &s);
    } else {
        rat_set(&s, &p->steps);
    }
    rat_mul(&s, &s, &g);
    rat_decimal(&s, RAT_UP, text);
    ival_clear(&x);
    rat_clear(&s);
    rat_clear(&g);
}

/* False if there is no memory. */
static bool
write_facts(custos_mech *m, const struct additive_plan *p)
{
    struct buf text;
    bool written;
    rat g;

    if (p->in_rho)
        memcpy(m->epsilon, "infinity", sizeof "infinity");
    else
        rat_decimal(&p->epsilon, RAT_UP, m->epsilon);
    rat_decimal(&p->delta, RAT_UP, m->delta);
    rat_decimal(&p->rho, RAT_UP, m->rho);
    rat_decimal(&p->scale, RAT_DOWN, m->scale);
    write_sensitivity(p, m->sensitivity);
    rat_init(&g);
    rat_set_pow2(&g, p->grid_log2);
    buf_init(&text, &m->alloc, GRID_TEXT_MAX);
    rat_write(&g, &text);
    written = !text.failed;
    memcpy(m->grid, buf_text(&text), text.len * written);
    buf_clear(&text);
    rat_clear(&g);
    m->facts = (custos_facts){
        m->epsilon,     m->delta,   m->scale, m->grid,
        m->sensitivity, p->theorem, p->law,   p->in_rho ? m->rho : NULL};
    return written;
}

custos_status
custos_mech_new(const custos_alloc *alloc, const custos_mech_options *options,
                custos_mech **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_mech_options o;
    struct additive_plan plan;
    custos_mech *m = NULL;
    custos_status st;

    if (!out || !options_read(&o, sizeof o, options))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size set; out must not be "
                           "NULL");
    additive_plan_init(&plan);
    st = additive_plan_make(&plan, &o, err);
    if (st)
        goto out;
    m = alloc_take(&hooks, 1, sizeof *m);
    if (!m) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    m->alloc = hooks;
    m->kind = (enum sealed_kind)o.domain;
    m->values = o.values ? o.values : 1;
    m->grid_log2 = plan.grid_log2;
    m->lower = plan.lower;
    m->upper = plan.upper;
    st = noise_new(&hooks, plan.law, &plan.parameter, &m->noise, err);
    if (!st && !write_facts(m, &plan))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (st)
        goto out;
    *out = m;
    m = NULL;
out:
    custos_mech_free(m);
    additive_plan_clear(&plan);
    return st;
}

custos_mech *
mech_hold(custos_mech *mech)
{
    mech->more_owners++;
    return mech;
}

void
custos_mech_free(custos_mech *mech)
{
    custos_alloc hooks;

    if (!mech || mech->more_owners-- > 0)
        return;
    hooks = mech->alloc;
    custos_noise_free(mech->noise);
    alloc_give(&hooks, mech, 1, sizeof *mech);
}

const custos_facts *
custos_mech_facts(const custos_mech *mech)
{
    return mech ? &mech->facts : NULL;
}

/* values[i] = clamp(grid(values[i]) + noise), in steps. */
static custos_status
add_noise(const custos_mech *m, custos_rng *rng, i128 *values, size_t n)
{
    custos_status st = CUSTOS_OK;
    i128 noise[CHUNK];

    for (size_t from = 0; from < n && !st; from += CHUNK) {
        size_t now = n - from < CHUNK ? n - from : CHUNK;

        st = noise_draw(m->noise, rng, noise, now);
        for (size_t i = 0; i < now; i++) {
            i128 *v = &values[from + i];

            if (m->kind == SEALED_REALS)
                *v = grid_index((uint64_t)*v, m->grid_log2);
            *v = clamp_i128(sat_add_i128(*v, noise[i]), m->lower, m->upper);
        }
    }
    wipe(noise, sizeof noise);
    return st;
}

/*
 * Opens the seal and turns its cells into the released values. If it fails
 * after opening, it wipes the cells: a second try would draw noise again.
 */
static custos_status
release_values(const custos_mech *m, custos_rng *rng, custos_sealed *sealed,
               enum sealed_kind kind, const void *out, size_t n, i128 **values,
               custos_err *err)
{
    custos_status st;

    if (!m || !rng || !out || m->kind != kind)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the release needs a mechanism on %s; rng and out "
                           "must not be NULL",
                           sealed_kind_words(kind));
    if (n != m->values)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the mechanism releases %zu values, not %zu",
                           m->values, n);
    st = sealed_open(sealed, kind, n, values, err);
    if (st)
        return st;
    st = add_noise(m, rng, *values, n);
    if (st) {
        sealed_wipe(sealed);
        custos_fail(err, st, "%s", custos_status_words(st));
    }
    return st;
}

custos_status
custos_release_ints(const custos_mech *mech, custos_rng *rng,
                    custos_sealed *sealed, int64_t *out, size_t n,
                    custos_err *err)
{
    i128 *values = NULL;
    custos_status st =
        release_values(mech, rng, sealed, SEALED_INTS, out, n, &values, err);

    if (st)
        return st;
    CUSTOS_REQUIRE(values);
    for (size_t i = 0; i < n; i++)
        out[i] = (int64_t)values[i];
    sealed_wipe(sealed);
    return CUSTOS_OK;
}

custos_status
custos_release_wide(const custos_mech *mech, custos_rng *rng,
                    custos_sealed *sealed, custos_wide *out, size_t n,
                    custos_err *err)
{
    i128 *values = NULL;
    custos_status st =
        release_values(mech, rng, sealed, SEALED_WIDE, out, n, &values, err);

    if (st)
        return st;
    CUSTOS_REQUIRE(values);
    for (size_t i = 0; i < n; i++)
        out[i] = wide_of(values[i]);
    sealed_wipe(sealed);
    return CUSTOS_OK;
}

custos_status
release_i128(const custos_mech *mech, custos_rng *rng, custos_sealed *sealed,
             i128 *out, size_t n, custos_err *err)
{
    i128 *values = NULL;
    custos_status st =
        release_values(mech, rng, sealed, SEALED_WIDE, out, n, &values, err);

    if (st)
        return st;
    CUSTOS_REQUIRE(values);
    memcpy(out, values, n * sizeof *out);
    sealed_wipe(sealed);
    return CUSTOS_OK;
}

custos_status
custos_release_reals(const custos_mech *mech, custos_rng *rng,
                     custos_sealed *sealed, double *out, size_t n,
                     custos_err *err)
{
    i128 *values = NULL;
    custos_status st =
        release_values(mech, rng, sealed, SEALED_REALS, out, n, &values, err);

    if (st)
        return st;
    CUSTOS_REQUIRE(values);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = grid_value(values[i], mech->grid_log2, GRID_NEAREST);

        memcpy(&out[i], &bits, sizeof bits);
    }
    sealed_wipe(sealed);
    return CUSTOS_OK;
}

custos_status
custos_mech_error(const custos_mech *mech, const char *beta, size_t n,
                  double *half_width, custos_err *err)
{
    custos_status st;
    uint64_t bits;
    i128 m;

    if (!mech || !half_width)
        return custos_fail(err, CUSTOS_EINVAL,
                           "mech and half_width must not be NULL");
    st = noise_error_i128(mech->noise, beta, n, &m, err);
    if (st)
        return st;
    if (mech->kind == SEALED_REALS) /* the rounding adds half a step */
        bits = grid_value(2 * m + 1, mech->grid_log2 - 1, GRID_UP);
    else
        bits = grid_value(m, 0, GRID_UP);
    memcpy(half_width, &bits, sizeof bits);
    return CUSTOS_OK;
}

custos_status
mech_error_i128(const custos_mech *mech, const char *beta, size_t n,
                i128 *half_width, custos_err *err)
{
    if (!mech || mech->kind == SEALED_REALS)
        return custos_fail(err, CUSTOS_EINVAL,
                           "a whole-number error bar needs a mechanism on ints "
                           "or wide ints");
    return noise_error_i128(mech->noise, beta, n, half_width, err);
}
