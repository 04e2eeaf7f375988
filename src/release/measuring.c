/* Pays, counts, releases, and keeps what was released. */
#include "release/measuring.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ck.h"
#include "base/error.h"
#include "mech/i128.h"
#include "mech/marginals.h"
#include "mech/running.h"
#include "num/batch.h"
#include "num/rat_double.h"
#include "num/rat_round.h"
#include "synth/candidates.h"
#include "synth/price.h"

void
measuring_bounds(custos_adjacency adjacency, uint64_t m, uint64_t *l1,
                 uint64_t *l2_squared)
{
    const uint64_t factor = adjacency == CUSTOS_CHANGE_ONE ? 2 : 1;

    CUSTOS_REQUIRE(m >= 1 && m <= (uint64_t)1 << 30);
    *l1 = factor * m;
    *l2_squared = factor * m * m;
}

/* Counts are at most 2^40: no more rows fit in memory. */
enum { COUNT_LOG2 = 40 };

/* Notes a failure of a call that saw the rows. */
static custos_status
ended(struct measuring *m, custos_status st)
{
    m->failed = m->failed || st;
    return st;
}

static void
pay(struct measuring *m, amount rho)
{
    price_spend(&m->left, rho);
    if (m->progress)
        m->progress(m->progress_ctx, m->left);
}

/* Discrete Gaussian noise of variance l2_squared/(2 rho), also for a single number, where
   a whole sensitivity would be asked for otherwise. */
static custos_status
gaussian_of(custos_domain domain, size_t numbers, const rat *l2_squared,
            amount rho, custos_mech **out, custos_err *err)
{
    char price[AMOUNT_TEXT_MAX], squared[128];
    const custos_mech_options o = {.size = sizeof o,
                                   .kind = CUSTOS_GAUSSIAN,
                                   .domain = domain,
                                   .values = numbers,
                                   .sensitivity_squared = squared,
                                   .changes = CUSTOS_CHANGES_SEVERAL,
                                   .rho = price};

    if (!rat_write_into(l2_squared, squared, sizeof squared))
        return custos_fail(err, CUSTOS_ERANGE, "a table is too large");
    amount_write(rho, AMOUNT_LOSS, price);
    return custos_mech_new(NULL, &o, out, err);
}

/* What a unit with so many rows changes, squared, if one row changes this much. */
static void
times_rows_squared(rat *l2_squared, uint64_t rows)
{
    rat x;

    rat_init(&x);
    rat_set_u64(&x, rows);
    rat_mul(l2_squared, l2_squared, &x);
    rat_mul(l2_squared, l2_squared, &x);
    rat_clear(&x);
}

static custos_status
noise_of(uint64_t l2_squared, amount rho, size_t cells, custos_mech **out,
         custos_err *err)
{
    custos_status st;
    rat x;

    rat_init(&x);
    rat_set_u64(&x, l2_squared);
    st = gaussian_of(CUSTOS_INTS, cells, &x, rho, out, err);
    rat_clear(&x);
    return st;
}

static custos_status
release_counts(const struct measuring *m, custos_sealed *sealed, size_t cells,
               amount rho, int64_t *out, custos_err *err)
{
    custos_mech *mech = NULL;
    custos_status st = noise_of(m->l2_squared, rho, cells, &mech, err);

    if (!st)
        st = custos_release_ints(mech, m->rng, sealed, out, cells, err);
    custos_mech_free(mech);
    return st;
}

static custos_status
measure(void *of, struct colset set, amount rho, int64_t *out, custos_err *err)
{
    struct measuring *m = of;
    struct released_table t = {
        .kind = RELEASED_COUNTS, .set = set, .rho = rho, .values = out};
    custos_sealed *sealed = NULL;
    custos_status st;
    double sigma;

    t.cells = domain_cells(&released_now(m->released)->domain, set);
    pay(m, rho);
    st = coded_seal(m->coded, set, &sealed, err);
    if (!st)
        st = release_counts(m, sealed, t.cells, rho, out, err);
    custos_sealed_free(sealed);
    sigma = price_sigma(rho, m->l2_squared);
    t.variance = sigma * sigma;
    return ended(m, st ? st : released_add(m->released, &t, err));
}

/* The residual of a set, as mechanisms know it: a set of keys. */
struct residual_of {
    struct marginals keys;
    size_t size[WORKLOAD_ORDER];
    uint32_t all;
};

static void
residual_init(const struct domain *d, struct colset set, struct residual_of *r)
{
    r->keys = (struct marginals){
        .kind = MARGINALS_RESIDUAL, .size = r->size, .log2 = COUNT_LOG2};
    CUSTOS_REQUIRE(colset_count(set) <= WORKLOAD_ORDER);
    COLSET_EACH(c, set)
    r->size[r->keys.n_keys++] = d->size[c];
    r->all = ((uint32_t)1 << r->keys.n_keys) - 1;
}

/* Noise of variance l2^2/(2 rho), l2 the most that a unit changes in the residual;
   l1 and l2_squared are what it changes in a marginal. */
static custos_status
noise_of_residual(const struct residual_of *r, uint64_t l1, uint64_t l2_squared,
                  amount rho, custos_mech **out, custos_err *err)
{
    const uint64_t rows = l2_squared / l1;
    custos_status st;
    rat moved[2]; /* in l1 and, squared, in l2 */

    rats_init(moved, 2);
    residual_sensitivity(&r->keys, r->all, l1 > rows, 0, 1, &moved[0],
                         &moved[1]);
    times_rows_squared(&moved[1], rows);
    st = gaussian_of(CUSTOS_WIDE, marginals_cells(&r->keys, r->all), &moved[1],
                     rho, out, err);
    rats_clear(moved, 2);
    return st;
}

static double
variance_of(const custos_mech *mech)
{
    double sigma = 0;
    rat x;

    rat_init(&x);
    CUSTOS_REQUIRE(
        !rat_read_positive(custos_mech_facts(mech)->scale, "scale", &x, NULL));
    sigma = rat_double(&x);
    rat_clear(&x);
    return sigma * sigma;
}

static custos_status
release_residual(const struct measuring *m, const struct residual_of *r,
                 const custos_mech *mech, struct colset set, int64_t *out,
                 custos_err *err)
{
    const size_t cells = marginals_cells(&r->keys, r->all);
    i128 *noisy = calloc(cells, sizeof *noisy);
    custos_sealed *sealed = NULL;
    custos_status st = noisy ? coded_seal_wide(m->coded, set, &sealed, err)
                             : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st)
        st = residual_release(&r->keys, r->all, mech, m->rng, sealed, noisy,
                              err);
    for (size_t i = 0; !st && i < cells; i++)
        out[i] = (int64_t)clamp_i128(noisy[i], INT64_MIN, INT64_MAX);
    custos_sealed_free(sealed);
    free(noisy);
    return st;
}

static custos_status
measure_residual(void *of, struct colset set, amount rho, int64_t *out,
                 custos_err *err)
{
    struct measuring *m = of;
    struct released_table t = {
        .kind = RELEASED_RESIDUAL, .set = set, .rho = rho, .values = out};
    custos_mech *mech = NULL;
    struct residual_of r;
    custos_status st;

    residual_init(&released_now(m->released)->domain, set, &r);
    t.cells = marginals_cells(&r.keys, r.all);
    pay(m, rho);
    st = noise_of_residual(&r, m->l1, m->l2_squared, rho, &mech, err);
    if (!st) {
        t.variance = variance_of(mech);
        st = release_residual(m, &r, mech, set, out, err);
    }
    custos_mech_free(mech);
    return ended(m, st ? st : released_add(m->released, &t, err));
}

/* The square root of the running sums of so many cells, and its noise. */
struct range_noise {
    arena *a; /* has the root */
    struct running root;
    custos_mech *mech;
    double variance; /* of one draw, in rows */
};

static void
range_noise_clear(struct range_noise *x)
{
    custos_mech_free(x->mech);
    arena_free(x->a);
}

static custos_status
range_noise_make(size_t cells, uint64_t l1, uint64_t l2_squared, amount rho,
                 struct range_noise *out, custos_err *err)
{
    const uint64_t rows = l2_squared / l1, factor = l1 / rows;
    custos_status st;
    u128 moved;
    rat x;

    *out = (struct range_noise){.a = arena_new(NULL, (size_t)1 << 24)};
    if (!out->a || !running_root(out->a, cells, 1, &out->root))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    running_sensitivity(&out->root, &l1, &moved);
    rat_init(&x);
    rat_set_i128(&x, (i128)(factor * moved));
    times_rows_squared(&x, rows);
    st = gaussian_of(CUSTOS_WIDE, cells, &x, rho, &out->mech, err);
    rat_clear(&x);
    if (!st)
        out->variance =
            ldexp(variance_of(out->mech), -2 * (int)running_bits(&out->root));
    return st;
}

custos_status
measuring_range(struct measuring *m, arena *a, size_t column, size_t cells,
                amount rho, struct released_range *out, custos_err *err)
{
    i128 *sums = calloc(cells, sizeof *sums);
    custos_sealed *sealed = NULL;
    struct range_noise noise = {.a = NULL};
    custos_status st;

    out->sums = arena_take(a, cells, sizeof *out->sums);
    pay(m, rho);
    st = sums && out->sums
             ? range_noise_make(cells, m->l1, m->l2_squared, rho, &noise, err)
             : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = coded_seal_wide(m->coded, colset_of(column), &sealed, err);
    if (!st)
        st = running_release(&noise.root, noise.mech, m->rng, sealed, sums,
                             cells, err);
    for (size_t i = 0; !st && i < cells; i++)
        out->sums[i] = (int64_t)clamp_i128(sums[i], INT64_MIN, INT64_MAX);
    out->column = column;
    out->cells = cells;
    out->rho = rho;
    out->variance = noise.variance;
    range_noise_clear(&noise);
    custos_sealed_free(sealed);
    free(sums);
    return ended(m, st);
}

static custos_status
recode(void *of, size_t column, const uint16_t *map, uint32_t codes,
       custos_err *err)
{
    struct measuring *m = of;

    coded_recode(m->coded, column, map, codes);
    return released_recode(m->released, column, map, codes, err);
}

static custos_status
score(void *of, size_t i, struct colset set, uint64_t weight,
      const int64_t *model, int64_t penalty, custos_err *err)
{
    struct measuring *m = of;

    return ended(m, coded_score(m->coded, i, set, weight, SYNTH_LATTICE, model,
                                penalty, err));
}

/* The exponential mechanism of a price; its texts. */
struct choice {
    char epsilon[128], sensitivity[24];
    custos_select_options options;
};

static custos_status
choice_of(uint64_t l1, uint64_t weight, amount rho, struct choice *out,
          custos_err *err)
{
    bool fits;
    rat e;

    CUSTOS_REQUIRE(weight >= 1 && weight <= (uint64_t)1 << 28 &&
                   l1 <= (uint64_t)1 << 31);
    out->options = (custos_select_options){.size = sizeof out->options,
                                           .rule = CUSTOS_EXPONENTIAL,
                                           .scores = CUSTOS_SCORES_GENERAL,
                                           .epsilon = out->epsilon,
                                           .sensitivity = out->sensitivity};
    snprintf(out->sensitivity, sizeof out->sensitivity, "%" PRIu64,
             l1 * weight * SYNTH_LATTICE);
    rat_init(&e);
    price_epsilon(rho, &e);
    fits = rat_sign(&e) > 0 &&
           rat_write_into(&e, out->epsilon, sizeof out->epsilon);
    rat_clear(&e);
    return fits ? CUSTOS_OK
                : custos_fail(err, CUSTOS_ERANGE, "a price is too small");
}

static custos_status
select_one(void *of, const size_t *among, size_t n, uint64_t weight, amount rho,
           size_t *winner, custos_err *err)
{
    struct measuring *m = of;
    custos_sealed *sealed = NULL;
    struct choice choice;
    custos_status st = choice_of(m->l1, weight, rho, &choice, err);

    if (st)
        return ended(m, st);
    pay(m, rho);
    st = released_choice(m->released, rho, err);
    if (!st)
        st = coded_seal_scores(m->coded, among, n, &sealed, err);
    if (!st)
        st = custos_select(NULL, &choice.options, m->rng, sealed, n, winner,
                           err);
    custos_sealed_free(sealed);
    return ended(m, st);
}

custos_status
measuring_check_noise(uint64_t l2_squared, amount rho, custos_err *err)
{
    custos_mech *mech = NULL;
    custos_status st = noise_of(l2_squared, rho, 1, &mech, err);

    custos_mech_free(mech);
    return st;
}

custos_status
measuring_check_residual(const struct domain *d, struct colset set, uint64_t l1,
                         uint64_t l2_squared, amount rho, custos_err *err)
{
    custos_mech *mech = NULL;
    struct residual_of r;
    custos_status st;

    residual_init(d, set, &r);
    st = noise_of_residual(&r, l1, l2_squared, rho, &mech, err);
    custos_mech_free(mech);
    return st;
}

custos_status
measuring_check_range(size_t cells, uint64_t l1, uint64_t l2_squared,
                      amount rho, double *variance, custos_err *err)
{
    struct range_noise noise;
    custos_status st =
        range_noise_make(cells, l1, l2_squared, rho, &noise, err);

    *variance = noise.variance;
    range_noise_clear(&noise);
    return st;
}

custos_status
measuring_check_choice(uint64_t l1, uint64_t weight, amount rho,
                       custos_err *err)
{
    custos_select_facts facts = CUSTOS_SELECT_FACTS_INIT;
    struct choice choice;
    custos_status st = choice_of(l1, weight, rho, &choice, err);

    return st ? st : custos_select_report(&choice.options, &facts, err);
}

struct trusted
measuring_trusted(struct measuring *m)
{
    return (struct trusted){.of = m,
                            .measure = measure,
                            .residual = measure_residual,
                            .recode = recode,
                            .score = score,
                            .select = select_one};
}
