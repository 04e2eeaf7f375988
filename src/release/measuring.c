/* Pays, counts, releases, and keeps what was released. */
#include "release/measuring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "num/rat.h"
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

static void
pay(struct measuring *m, amount rho)
{
    price_spend(&m->left, rho);
    if (m->progress)
        m->progress(m->progress_ctx, m->left);
}

/* Opens the seal with discrete Gaussian noise of variance l2_squared/(2 rho). */
static custos_status
release_counts(const struct measuring *m, custos_sealed *sealed, size_t cells,
               amount rho, int64_t *out, custos_err *err)
{
    char price[AMOUNT_TEXT_MAX], squared[24];
    custos_mech_options o = {.size = sizeof o,
                             .kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_INTS,
                             .values = cells,
                             .sensitivity_squared = squared,
                             .rho = price};
    custos_mech *mech = NULL;
    custos_status st;

    amount_write(rho, AMOUNT_LOSS, price);
    snprintf(squared, sizeof squared, "%" PRIu64, m->l2_squared);
    st = custos_mech_new(NULL, &o, &mech, err);
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
    return st ? st : released_add(m->released, &t, err);
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

    return coded_score(m->coded, i, set, weight, SYNTH_LATTICE, model, penalty,
                       err);
}

static custos_status
select_one(void *of, const size_t *among, size_t n, uint64_t weight, amount rho,
           size_t *winner, custos_err *err)
{
    struct measuring *m = of;
    char epsilon[128], sensitivity[48];
    const custos_select_options o = {.size = sizeof o,
                                     .rule = CUSTOS_EXPONENTIAL,
                                     .scores = CUSTOS_SCORES_GENERAL,
                                     .epsilon = epsilon,
                                     .sensitivity = sensitivity};
    custos_sealed *sealed = NULL;
    custos_status st;
    rat e;

    CUSTOS_REQUIRE(weight <= (uint64_t)1 << 40 && m->l1 <= (uint64_t)1 << 31);
    snprintf(sensitivity, sizeof sensitivity, "%" PRIu64 "e0",
             m->l1 * weight * SYNTH_LATTICE);
    rat_init(&e);
    price_epsilon(rho, &e);
    st = rat_write_into(&e, epsilon, sizeof epsilon)
             ? CUSTOS_OK
             : custos_fail(err, CUSTOS_ERANGE, "a price is too small");
    rat_clear(&e);
    if (st)
        return st;
    pay(m, rho);
    st = coded_seal_scores(m->coded, among, n, &sealed, err);
    if (!st)
        st = custos_select(NULL, &o, m->rng, sealed, n, winner, err);
    custos_sealed_free(sealed);
    return st;
}

struct trusted
measuring_trusted(struct measuring *m)
{
    return (struct trusted){m, measure, recode, score, select_one};
}
