/*
 * The odometer: its formula computed again in rationals, and its promise
 * against every analyst and every rule for when to read it.
 */
#include "account/odometer.h"

#include "account/convert.h"
#include "account/mp.h"
#include "account/odometer_help.h"

/* The least (1 + 2^e) rho + ln(m/delta)/2^e over the grid, by MPFR. */
static double
formula(const struct odometer *o, double delta)
{
    mpfr_t best, x, l;
    rat rho;
    double r;

    mpfr_inits2(MP_BITS, best, x, l, (mpfr_ptr)0);
    rat_init(&rho);
    amount_to_rat(o->rho_sum, AMOUNT_LOSS, &rho);
    mpfr_set_inf(best, 1);
    mpfr_set_d(l, delta, MPFR_RNDN);
    mpfr_ui_div(l, o->grid, l, MPFR_RNDN);
    mpfr_log(l, l, MPFR_RNDN);
    for (size_t j = 0; j < o->grid; j++) {
        mpfr_set_ui(x, 1, MPFR_RNDN);
        mpfr_mul_2si(x, x, o->exponent[j], MPFR_RNDN);
        mpfr_add_ui(x, x, 1, MPFR_RNDN);
        mpfr_mul_q(x, x, rho.q, MPFR_RNDN);
        mpfr_mul_2si(l, l, -o->exponent[j], MPFR_RNDN);
        mpfr_add(x, x, l, MPFR_RNDN);
        mpfr_mul_2si(l, l, o->exponent[j], MPFR_RNDN);
        mpfr_min(best, best, x, MPFR_RNDN);
    }
    r = mpfr_get_d(best, MPFR_RNDN);
    mpfr_clears(best, x, l, (mpfr_ptr)0);
    rat_clear(&rho);
    return r;
}

static void
odometer_is_its_formula(void **state)
{
    custos_odometer_options options = {.size = sizeof options, .delta = "1e-6"};
    struct charge tiny = price("gaussian:sigma=300"),
                  large = price("gaussian:sigma=3"),
                  pure = price("laplace:epsilon=0.01");
    struct odometer o;
    double last = 0;

    (void)state;
    assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
    assert_true(o.grid > 5 && o.grid < 14);
    assert_true(odometer_epsilon(&o) == 0);
    odometer_add(&o, &pure); /* the plain sum is best at first */
    assert_true(fabs(reading(&o) - 0.01) < 1e-15);
    for (int i = 0; i < 60; i++) {
        double want;

        odometer_add(&o, i < 40 ? &tiny : &large);
        want = formula(&o, 1e-6);
        assert_true(fabs(reading(&o) - want) < 1e-12 * want);
        assert_true(reading(&o) >= last);
        last = reading(&o);
    }
}

/* The reading is at or above the exact sum, by less than 10^-20. */
static void
odometer_rounds_up(void **state)
{
    custos_odometer_options options = {.size = sizeof options,
                                       .delta = "1/1000",
                                       .rho_least = "500",
                                       .rho_most = "1000"};
    struct charge c = price("gaussian:sigma=1/31:count=3");
    rat unit = mp_rat("1e-20"), one = mp_rat("1"), factor, exact, got;
    size_t above = 0;
    struct odometer o;

    (void)state;
    rat_init(&factor);
    rat_init(&exact);
    rat_init(&got);
    assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
    o.grid = 1; /* one lambda, so that its rounding shows */
    assert_true(o.exponent[0] < 0);
    rat_set_pow2(&factor, o.exponent[0]);
    rat_add(&factor, &factor, &one);
    c.rho = 1; /* 10^-20, the least amount; times 2^exponent, less */
    for (int i = 0; i < 70; i++) {
        odometer_add(&o, &c);
        amount_to_rat(o.rho_sum, AMOUNT_LOSS, &exact);
        rat_mul(&exact, &exact, &factor);
        amount_to_rat(odometer_epsilon(&o) - o.start[0], AMOUNT_LOSS, &got);
        rat_sub(&got, &got, &exact);
        assert_true(rat_sign(&got) >= 0);
        assert_true(rat_cmp(&got, &unit) < 0);
        above += rat_sign(&got) > 0;
    }
    assert_true(above > 10);
    rat_clear(&unit);
    rat_clear(&one);
    rat_clear(&factor);
    rat_clear(&exact);
    rat_clear(&got);
}

static void
odometer_never_falls(void **state)
{
    static const char *menu[] = {"gaussian:sigma=100", "laplace:epsilon=0.2",
                                 "generic:epsilon=0.1:delta=1e-9",
                                 "discrete-gaussian:sigma=7"};
    custos_odometer_options options = {.size = sizeof options, .delta = "1e-9"};
    struct odometer o;
    amount last = 0;

    (void)state;
    mp_seed = 4;
    assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
    for (int i = 0; i < 100; i++) {
        struct charge c = price(menu[mp_next() % 4]);

        odometer_add(&o, &c);
        assert_true(odometer_epsilon(&o) >= last);
        last = odometer_epsilon(&o);
    }
    assert_true(o.delta_sum > 0);
    assert_true(odometer_delta(&o) == o.delta + o.delta_sum);
}

/* --------------------------------------- against all rules for stopping -- */

/*
 * The analyst asks randomized responses one by one and wins if the true loss
 * exceeds the reading. The value of a state is the largest probability of ever
 * winning from there.
 */
enum { MENU = 2, DEPTH = 24 };

struct chase {
    double price[MENU];
    struct charge charge[MENU];
    enum { VALID, NAIVE } reads;
    rat delta;
    double bound[DEPTH + 1][DEPTH + 1]; /* by numbers asked; 0: not computed */
    double seen[DEPTH + 1][DEPTH + 1][2 * DEPTH + 1][2 * DEPTH + 1];
};

static double
bound(struct chase *g, const struct odometer *o, const int n[MENU])
{
    double *known = &g->bound[n[0]][n[1]];
    rat rho, epsilon;

    if (*known == 0 && g->reads == VALID)
        *known = reading(o);
    if (*known > 0)
        return *known;
    rat_init(&rho);
    rat_init(&epsilon);
    amount_to_rat(o->rho_sum, AMOUNT_LOSS, &rho);
    assert_true(zcdp_epsilon_up(&rho, &g->delta, &epsilon));
    *known = mpq_get_d(epsilon.q);
    rat_clear(&rho);
    rat_clear(&epsilon);
    return *known;
}

static double
run(struct chase *g, const struct odometer *o, double reads, const int n[MENU],
    const int net[MENU])
{
    double *known = &g->seen[n[0]][n[1]][net[0] + DEPTH][net[1] + DEPTH];
    double loss = net[0] * g->price[0] + net[1] * g->price[1], best = 0;

    if (*known >= 0)
        return *known;
    if (loss > reads * (1 + 1e-12))
        return *known = 1;
    for (int i = 0; i < MENU && n[0] + n[1] < DEPTH; i++) {
        int more[MENU] = {n[0] + (i == 0), n[1] + (i == 1)};
        int up[MENU] = {net[0] + (i == 0), net[1] + (i == 1)};
        int down[MENU] = {net[0] - (i == 0), net[1] - (i == 1)};
        double p = 1 / (1 + exp(-g->price[i])), v;
        struct odometer next = *o;

        odometer_add(&next, &g->charge[i]);
        v = bound(g, &next, more);
        v = p * run(g, &next, v, more, up) +
            (1 - p) * run(g, &next, v, more, down);
        best = v > best ? v : best;
    }
    return *known = best;
}

static double
chase(struct chase *g, const struct odometer *o)
{
    static const int none[MENU];
    double *all = &g->seen[0][0][0][0];

    for (size_t i = 0; i < sizeof g->seen / sizeof *all; i++)
        all[i] = -1;
    memset(g->bound, 0, sizeof g->bound);
    return run(g, o, 0, none, none);
}

static void
odometer_against_all_stopping_rules(void **state)
{
    static const char *const deltas[] = {"0.1", "0.3"};
    struct chase *g = malloc(sizeof *g);
    double won = 0;

    (void)state;
    assert_non_null(g);
    rat_init(&g->delta);
    g->charge[0] = price("randomized-response:epsilon=0.3");
    g->charge[1] = price("randomized-response:epsilon=0.7");
    g->price[0] = 0.3;
    g->price[1] = 0.7;
    for (int i = 0; i < 2; i++) {
        custos_odometer_options options = {.size = sizeof options,
                                           .delta = deltas[i],
                                           .rho_least = "1",
                                           .rho_most = "4"};
        struct odometer o;

        assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
        g->reads = VALID;
        won = chase(g, &o);
        assert_true(won > 0 && won <= strtod(deltas[i], NULL));
    }
    /*
     * The analysts are strong enough: they exceed a bound that holds only
     * for a moment fixed in advance, by choosing the moment themselves.
     */
    {
        custos_odometer_options options = {.size = sizeof options,
                                           .delta = "0.3"};
        struct odometer o;

        assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
        rat_clear(&g->delta);
        g->delta = mp_rat("0.3");
        g->reads = NAIVE;
        assert_true(chase(g, &o) > 0.3);
    }
    rat_clear(&g->delta);
    free(g);
}

static void
odometer_handle(void **state)
{
    struct test_memory memory = {.fail_at = 1};
    custos_alloc alloc = test_alloc(&memory);
    custos_odometer_options o = {.size = sizeof o, .delta = "1e-6"};
    custos_charge_options co = {.size = sizeof co,
                                .mechanism = "laplace:epsilon=0.1"};
    custos_odometer *odometer = NULL;
    custos_charge *c = NULL;
    custos_odometer_facts facts = CUSTOS_ODOMETER_FACTS_INIT;

    (void)state;
    assert_int_equal(custos_odometer_new(&alloc, &o, &odometer, NULL),
                     CUSTOS_ENOMEM);
    assert_null(odometer);
    assert_int_equal(custos_odometer_new(&alloc, &o, &odometer, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_charge_new(&alloc, &co, &c, NULL), CUSTOS_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(custos_odometer_add(odometer, c, NULL), CUSTOS_OK);
    assert_int_equal(custos_odometer_read(odometer, &facts, NULL), CUSTOS_OK);
    assert_string_equal(facts.epsilon, "0.3");
    assert_string_equal(facts.epsilon_sum, "0.3");
    assert_string_equal(facts.delta, "0.000001");
    assert_string_equal(facts.theorem, "odometer-grid");
    assert_int_equal(custos_odometer_add(NULL, c, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_odometer_add(odometer, NULL, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_odometer_read(NULL, &facts, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_odometer_read(odometer, NULL, NULL), CUSTOS_EINVAL);
    custos_odometer_free(odometer);
    custos_odometer_free(NULL);
    custos_charge_free(c);
    assert_int_equal(memory.live, 0);
    odometer = NULL;
    assert_int_equal(custos_odometer_new(NULL, NULL, &odometer, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_odometer_new(NULL, &o, NULL, NULL), CUSTOS_EINVAL);
    o.delta = "0";
    assert_int_equal(custos_odometer_new(NULL, &o, &odometer, NULL),
                     CUSTOS_ERANGE);
    o = (custos_odometer_options){
        .size = sizeof o, .delta = "0.1", .rho_least = "1", .rho_most = "0.5"};
    assert_int_equal(custos_odometer_new(NULL, &o, &odometer, NULL),
                     CUSTOS_ERANGE);
    o.rho_least = "x";
    assert_int_equal(custos_odometer_new(NULL, &o, &odometer, NULL),
                     CUSTOS_EPARSE);
    o.rho_least = NULL;
    o.rho_most = "-1";
    assert_int_equal(custos_odometer_new(NULL, &o, &odometer, NULL),
                     CUSTOS_ERANGE);
    assert_null(odometer);
}

/* Options with an impossible size, or of a later version, are rejected. */
static void
odometer_options_have_a_size(void **state)
{
    custos_odometer_options options = {.delta = "1e-6"};
    static const size_t bad[] = {0, 1, sizeof(size_t), 2 * sizeof options};
    struct odometer o;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.size = bad[i];
        assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_EINVAL);
    }
    assert_int_equal(odometer_init(&o, NULL, NULL), CUSTOS_EINVAL);
    options.size = 2 * sizeof(size_t); /* the members of the first version */
    assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
}

/* A shift beyond the largest amount is infinite, and so are sums with it. */
static void
odometer_saturates(void **state)
{
    struct odometer o = {.grid = 1,
                         .exponent = {3},
                         .start = {5},
                         .epsilon_sum = AMOUNT_INFINITE};
    const struct charge c = {.delta = AMOUNT_INFINITE / 2 + 1};

    (void)state;
    o.rho_sum = 7;
    assert_true(odometer_epsilon(&o) == 7 + 56 + 5);
    o.rho_sum = AMOUNT_INFINITE >> 4; /* fits: 9/16 of the most, + 5 */
    assert_true(odometer_epsilon(&o) ==
                (AMOUNT_INFINITE >> 4) + (AMOUNT_INFINITE >> 4 << 3) + 5);
    o.rho_sum = (AMOUNT_INFINITE >> 3) + 1;
    assert_true(odometer_epsilon(&o) == AMOUNT_INFINITE);
    o.rho_sum = (AMOUNT_INFINITE >> 4) + 9;
    o.start[0] = AMOUNT_INFINITE / 2;
    assert_true(odometer_epsilon(&o) == AMOUNT_INFINITE);
    for (int i = 0; i < 2; i++)
        odometer_add(&o, &c);
    assert_true(odometer_delta(&o) == AMOUNT_INFINITE);
    o.delta = 1;
    assert_true(odometer_delta(&o) == AMOUNT_INFINITE);
}

/* Extreme ranges, infinite prices, sums beyond the largest amount. */
static void
odometer_ends(void **state)
{
    custos_odometer_options options = {.size = sizeof options,
                                       .delta = "1e-300",
                                       .rho_least = "1e-300",
                                       .rho_most = "1e300"};
    struct charge none = price("gaussian:sigma=1"),
                  large = price("gaussian:sigma=1/1000:count=1000000000000000");
    struct odometer o;

    (void)state;
    assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
    assert_int_equal(o.grid, ODOMETER_GRID_MAX);
    none.rho = AMOUNT_INFINITE;
    for (int i = 0; i < 2; i++)
        odometer_add(&o, &large);
    assert_true(odometer_epsilon(&o) == AMOUNT_INFINITE);
    odometer_add(&o, &none);
    assert_true(odometer_epsilon(&o) == AMOUNT_INFINITE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odometer_is_its_formula),
        cmocka_unit_test(odometer_rounds_up),
        cmocka_unit_test(odometer_never_falls),
        cmocka_unit_test(odometer_against_all_stopping_rules),
        cmocka_unit_test(odometer_handle),
        cmocka_unit_test(odometer_ends),
        cmocka_unit_test(odometer_saturates),
        cmocka_unit_test(odometer_options_have_a_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
