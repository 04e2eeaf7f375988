/*
 * Bounds from the last selection: each of the two parts of the theorem fails as
 * seldom as it says, and not much more seldom, so that no constant can be too small
 * or far too large; limits add the distance that the model has moved since.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "support/support.h"
#include "support/synth_sets.h"
#include "synth/infer.h"
#include "synth/limits.h"
#include "synth/trusted.h"

enum { SETS = 50 };

static const uint32_t SIZES[3] = {2, 3, 4};
static const struct domain DOMAIN = {3, SIZES};

static struct limits
make_limits(size_t n, const uint64_t *weight)
{
    const int64_t none[2] = {0, 0};
    const custos_alloc alloc = alloc_or_default(NULL);
    struct limits l;

    assert_int_equal(limits_init(&l, &alloc, n, 0, NULL), CUSTOS_OK);
    for (size_t i = 0; i < n; i++)
        limits_pass(&l, synth_set("a"), weight[i], 1.5 + (double)i, none, 2);
    return l;
}

/*
 * One set has the largest score, SETS - 1 have the same lower one, and one of these
 * is selected, without noise on its measurement. Where the bound is just too small for
 * the first set, that happens with a probability of nearly beta/2.
 */
static void
selection_bound_fails_at_its_rate(void **state)
{
    const double epsilon = 0.3, sensitivity = 7, beta = 0.4;
    uint64_t weight[SETS];
    struct limits l;

    (void)state;
    for (size_t i = 0; i < SETS; i++)
        weight[i] = 1 + i % 7;
    l = make_limits(SETS, weight);
    for (size_t r = 0; r < SETS; r++) {
        const size_t s = (r + 3) % SETS;
        const struct chosen c = {.winner = s,
                                 .distance = 123,
                                 .variance = 0,
                                 .epsilon = epsilon,
                                 .sensitivity = sensitivity};
        const double bound = limits_selection_bound(&l, &c, r, beta);
        const double won = l.of[s].weight * (c.distance - l.of[s].penalty);
        const double most = l.of[r].weight * (bound - l.of[r].penalty);
        const double lower =
            (SETS - 1) * exp(epsilon * (won - most) / (2 * sensitivity));

        assert_true(lower / (1 + lower) <= beta / 2);
        assert_true(lower / (1 + lower) > 0.8 * beta / 2);
    }
    limits_clear(&l);
}

/* The measurement of the winner, whose distance to the model is overstated by less
   than the bound adds for it, at the rate beta/2 at most: the normal tail beyond
   sqrt(2 ln(2/beta)) deviations is 0.028 for beta = 0.3. */
static void
noise_bound_fails_at_its_rate(void **state)
{
    const double beta = 0.3;
    const uint64_t weight[2] = {3, 1};
    const size_t runs = 20000;
    custos_rng *rng = test_rng_seeded(31);
    custos_noise *law = NULL;
    struct limits l = make_limits(2, weight);
    size_t wrong = 0;

    (void)state;
    assert_int_equal(
        custos_noise_new(NULL, CUSTOS_DISCRETE_GAUSSIAN, "5", &law, NULL),
        CUSTOS_OK);
    for (size_t i = 0; i < runs; i++) {
        int64_t noise[2];
        /* Exact 1000 above the model in each cell; so ||y - m|| is 2000 and the sum
           of the noise. */
        struct chosen c = {
            .winner = 0, .variance = 25, .epsilon = 1, .sensitivity = 0};

        assert_int_equal(custos_noise_draw_i64(law, rng, noise, 2, NULL),
                         CUSTOS_OK);
        c.distance = 2000 + (double)(noise[0] + noise[1]);
        wrong += limits_selection_bound(&l, &c, 0, beta) < 2000;
    }
    custos_noise_free(law);
    test_rng_free(rng);
    limits_clear(&l);
    assert_true((double)wrong / (double)runs <= beta / 2);
    assert_true(fabs((double)wrong / (double)runs - 0.0258) < 0.006);
}

/* A limit is the bound and the distance of the model to what was passed; sets without
   room, or that no small table gives, have none. */
static void
limits_add_what_the_model_moved(void **state)
{
    const double ab[6] = {10, 20, 30, 40, 50, 60}, bc[12] = {210};
    const int64_t was[6] = {160, 320, 480, 640, 800, 976}; /* 60 + 1 */
    const int64_t c_was[4] = {0, 0, 0, 160};
    const struct measurement x = {synth_set("ab"), 1, ab, NULL};
    const struct measurement y = {synth_set("bc"), 1, bc, NULL};
    const struct chosen c = {.epsilon = 1, .sensitivity = 1};
    struct released_limit out[3];
    struct model *m = model_new(NULL, &DOMAIN);
    struct limits l;
    double now[6], want = 0;
    size_t n;

    (void)state;
    assert_int_equal(model_add(m, &x, NULL), CUSTOS_OK);
    assert_int_equal(model_add(m, &y, NULL), CUSTOS_OK);
    assert_int_equal(model_build(m, NULL), CUSTOS_OK);
    model_believe(m, m->marginals);
    assert_int_equal(limits_init(&l, &m->alloc, 3, 10 * sizeof(float), NULL),
                     CUSTOS_OK);
    limits_pass(&l, x.set, 1, 2, was, 6);
    limits_pass(&l, synth_set("ac"), 1, 2, was, 6); /* no room */
    limits_pass(&l, synth_set("c"), 1, 2, c_was, 4);
    assert_int_equal(limits_bounds(&l, &c, m, 0, 0.1, out, &n, NULL),
                     CUSTOS_OK);
    assert_int_equal(n, 2);
    assert_true(colset_same(out[0].set, x.set));
    assert_true(colset_same(out[1].set, synth_set("c")));
    assert_int_equal(model_marginal(m, x.set, 6, now, NULL), CUSTOS_OK);
    for (size_t i = 0; i < 6; i++)
        want += fabs(now[i] - (double)was[i] / SYNTH_LATTICE);
    assert_true(
        fabs(out[0].l1 - want - limits_selection_bound(&l, &c, 0, 0.1)) < 1e-3);
    limits_clear(&l);
    model_free(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection_bound_fails_at_its_rate),
        cmocka_unit_test(noise_bound_fails_at_its_rate),
        cmocka_unit_test(limits_add_what_the_model_moved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
