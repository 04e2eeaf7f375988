/*
 * A2, Haney and others 2022: adding noise to a double rounds to the precision
 * of the sum, and that precision reveals the value. The event "not a multiple
 * of 2^-53" is common for x = 0 and next to impossible for x = 1.
 *
 * Ours: the event never occurs for either value. The twin, which claims epsilon
 * = 0.1, is shown to have epsilon >= 4 by 10,000 releases (95 % confidence).
 */
#include "attack/attack.h"

static bool
is_fine(double y)
{
    double steps = y * 0x1p53;

    return steps != floor(steps);
}

static double
twin(custos_rng *rng, double x)
{
    double u = attack_uniform(rng);

    return x + attack_float_laplace(10, u, attack_word(rng) & 1);
}

/* The lower bound on epsilon from n releases of each value. */
static double
bound(const custos_mech *mech, uint64_t n, uint64_t hits[2])
{
    custos_rng *rng = test_rng_seeded(201);

    hits[0] = hits[1] = 0;
    for (uint64_t i = 0; i < n; i++)
        for (int x = 0; x < 2; x++)
            hits[x] += is_fine(mech ? attack_real(mech, rng, x) : twin(rng, x));
    test_rng_free(rng);
    return audit_epsilon_low(hits[0], hits[1], n, 0.05);
}

static void
precision_tells_nothing(void **state)
{
    const uint64_t n = audit_size(2000, 10000, 10000000);
    custos_mech_options options = {
        .size = sizeof options,
        .kind = CUSTOS_LAPLACE,
        .domain = CUSTOS_REALS,
        .epsilon = "0.1",
        .sensitivity = "1",
    };
    uint64_t hits[2];

    (void)state;
    for (custos_mech_kind kind = CUSTOS_LAPLACE; kind <= CUSTOS_GAUSSIAN;
         kind++) {
        custos_mech *mech;

        options.kind = kind;
        options.delta = kind == CUSTOS_GAUSSIAN ? "1e-6" : NULL;
        mech = attack_mech(&options);
        assert_true(bound(mech, n, hits) < 0);
        assert_int_equal(hits[0], 0);
        assert_int_equal(hits[1], 0);
        custos_mech_free(mech);
    }
}

static void
twin_is_caught(void **state)
{
    uint64_t hits[2];

    (void)state;
    assert_true(bound(NULL, 10000, hits) >= 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precision_tells_nothing),
        cmocka_unit_test(twin_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
