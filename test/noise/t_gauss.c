/*
 * The Gaussian's acceptance coin with words of 64 bits: how far the fixed-point
 * probability is from the true one, determined from the coins at which the
 * verdict changes.
 */
#include "noise/gauss.h"

#include <math.h>
#include <stdlib.h>

#include "noise/expfix.h"
#include "random/rng.h"
#include "support/ref.h"
#include "support/support.h"

enum { PROVED = 343 }; /* the bound of the proof; the theorem allows 1024 */

static struct verdicts
judge(const struct gauss *g, u128 y, uint64_t coin)
{
    struct outcomes o;

    o.sign[0] = y > 0;
    o.low[0] = (uint64_t)(y - (y > 0)) & UINT64_MAX >> 4;
    o.high[0] = (uint64_t)((y - (y > 0)) >> 60);
    return gauss_judge(g, &o, &coin, 0, 1);
}

/*
 * The smallest coin, in units of 2^-63, that is not accepted or, with
 * `rejected`, that is rejected.
 */
static uint64_t
first_unit(const struct gauss *g, u128 y, bool rejected)
{
    uint64_t lo = 0, hi = UINT64_C(1) << 63;

    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        struct verdicts v = judge(g, y, mid << 1);

        if (rejected ? v.accepted | v.undecided : v.accepted)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/*
 * A coin is accepted below p - EXP_ERROR and rejected from p + EXP_ERROR on,
 * for a p within PROVED units of the true probability. So an accepted coin is
 * below the true probability and a rejected one is not.
 */
static void
check_size(const struct gauss *g, u128 y)
{
    uint64_t from = first_unit(g, y, false), to = first_unit(g, y, true);
    mpfr_t p;

    mpfr_init2(p, REF_BITS);
    ref_accept(p, &g->variance, y);
    assert_true(from == 0 || to == UINT64_C(1) << 63 ||
                to - from == 2 * EXP_ERROR);
    if (from > 0)
        ref_between(p, 63, from + EXP_ERROR - PROVED,
                    from + EXP_ERROR + PROVED);
    if (to < UINT64_C(1) << 63)
        ref_between(p, 63,
                    to - EXP_ERROR < PROVED ? 0 : to - EXP_ERROR - PROVED,
                    to - EXP_ERROR + PROVED);
    assert_true(from > 0 || to < UINT64_C(1) << 63);
    assert_true(to - from <= 2 * EXP_ERROR);
    mpfr_clear(p);
}

static u128
floor_of(const rat *r)
{
    i128 x;

    assert_true(rat_floor_i128(r, &x));
    return (u128)x;
}

static void
check_variance(const rat *variance, custos_rng *rng)
{
    static const u128 fixed[] = {0, 1, 2, 3, 1000};
    const u128 two64 = (u128)1 << 64;
    struct gauss g;
    u128 center;

    assert_int_equal(gauss_init(&g, variance), CUSTOS_OK);
    center = floor_of(&g.center);
    for (size_t i = 0; i < COUNT_OF(fixed); i++)
        check_size(&g, fixed[i]);
    for (u128 off = 0; off < 5; off++) {
        if (center > 2)
            check_size(&g, center - 2 + off);
        check_size(&g, (u128)g.t + off);
        check_size(&g, (u128)g.limit + off);
        check_size(&g, two64 - 2 + off);
    }
    check_size(&g, 4 * two64);
    check_size(&g, (u128)1 << 70);
    for (int i = 0; i < 100; i++) {
        uint64_t w;

        assert_int_equal(rng_words(rng, &w, 1), CUSTOS_OK);
        check_size(&g, (u128)w * ((u128)g.limit + 3) >> 64);
    }
    gauss_clear(&g);
}

static void
accept_fixed_is_within_its_error(void **state)
{
    /* sigma = 2^-20, 0.1, 0.5, 1, 10, 1000, 2^30.5, 2^60; four more */
    static const char *const variances[] = {
        "1/1099511627776",
        "0.01",
        "1/4",
        "1",
        "100",
        "1000000",
        "2305843009213693952",
        "1329227995784915872903807060280344576",
        "2",
        "1/2",
        "9/16",
        "144",
    };
    custos_rng *rng = test_rng_seeded(3);

    (void)state;
    for (size_t i = 0; i < COUNT_OF(variances); i++) {
        rat v = ref_rat(variances[i]);

        check_variance(&v, rng);
        rat_clear(&v);
    }
    test_rng_free(rng);
}

/* Proposals have scale floor(sigma) + 1, also if sigma is (nearly) whole. */
static void
proposal_scale_is_exact(void **state)
{
    static const struct {
        const char *variance;
        uint64_t t;
    } cases[] = {
        {"1/1099511627776", 1},
        {"0.99", 1},
        {"1", 2},
        {"3.99", 2},
        {"4", 3},
        {"1000000", 1001},
        {"999999.999999", 1000},
        {"1329227995784915872903807060280344576",
         UINT64_C(1152921504606846977)},
        {"1329227995784915872903807060280344575",
         UINT64_C(1152921504606846976)},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        rat v = ref_rat(cases[i].variance), back;
        struct gauss g;

        rat_init(&back);
        assert_int_equal(gauss_init(&g, &v), CUSTOS_OK);
        assert_true(g.t == cases[i].t);
        rat_set_i128(&back, (i128)g.t);
        rat_mul(&back, &back, &g.center);
        assert_int_equal(rat_cmp(&back, &v), 0);
        gauss_clear(&g);
        rat_clear(&back);
        rat_clear(&v);
    }
}

/*
 * With variance v and proposals of scale t, a proposal is kept with probability
 * tanh(1/2t) exp(-v/2t^2) sum exp(-n^2/2v): above 0.44 for every sigma (for
 * sigma above 5 it grows to 0.76). src/noise/README.md uses this to count
 * refinements.
 */
static void
acceptance_is_never_rare(void **state)
{
    (void)state;
    for (int k = 1; k < 6000; k++) {
        double sigma = k / 1000.0, t = floor(sigma) + 1, sum = 1;

        for (int n = 1; n <= 12 * sigma + 2; n++)
            sum += 2 * exp(-n * n / (2 * sigma * sigma));
        sum *= tanh(1 / (2 * t)) * exp(-sigma * sigma / (2 * t * t));
        assert_true(sum > 0.44);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accept_fixed_is_within_its_error),
        cmocka_unit_test(proposal_scale_is_exact),
        cmocka_unit_test(acceptance_is_never_rare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
