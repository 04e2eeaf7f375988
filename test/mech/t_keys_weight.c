/*
 * Partition selection by the weights of units: the weights, the certificate
 * for every unit, and the complete mechanism for all neighbours of few keys.
 */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "mech/gauss_sums.h"
#include "mech/keys.h"
#include "mech/keys_held.h"
#include "num/rat_round.h"
#include "support/support.h"

static custos_keys *
rule_make(custos_keys_rule rule, custos_adjacency adjacency, uint64_t keys,
          uint64_t least, const char *epsilon, const char *delta)
{
    const custos_keys_options o = {.size = sizeof o,
                                   .rule = rule,
                                   .adjacency = adjacency,
                                   .keys_per_unit = keys,
                                   .min_units = least,
                                   .epsilon = epsilon,
                                   .delta = delta};
    custos_keys *k = NULL;

    assert_int_equal(custos_keys_new(NULL, &o, &k, NULL), CUSTOS_OK);
    return k;
}

static void
keys_weights_are_the_largest(void **state)
{
    static const uint64_t steps[] = {2, 4, 63, KEYS_STEPS};
    custos_keys *k =
        rule_make(CUSTOS_KEYS_WEIGHTED, CUSTOS_ADD_REMOVE, 9, 1, "1", "1e-6");
    custos_keys *plain =
        rule_make(CUSTOS_KEYS_GAUSSIAN, CUSTOS_ADD_REMOVE, 9, 1, "1", "1e-6");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        for (uint64_t held = 1; held <= KEYS_WEIGHTED_MAX; held++) {
            uint64_t w = keys_weight(steps[i], held);

            assert_true(held * w * w <= steps[i] * steps[i]);
            assert_true(held * (w + 1) * (w + 1) > steps[i] * steps[i]);
        }
    for (uint64_t held = 1; held <= 9; held++) {
        assert_int_equal(custos_keys_weight(k, held),
                         keys_weight(KEYS_STEPS, held));
        assert_int_equal(custos_keys_weight(plain, held), 1);
    }
    assert_int_equal(custos_keys_weight(k, 0), 0);
    assert_int_equal(custos_keys_weight(k, 10), 0);
    assert_int_equal(custos_keys_weight(NULL, 1), 0);
    assert_int_equal(custos_keys_report(k)->steps, KEYS_STEPS);
    assert_int_equal(custos_keys_report(plain)->steps, 1);
    custos_keys_free(k);
    custos_keys_free(plain);
}

/* ------------------------------------------- the complete mechanism -- */

enum {
    REACH = 110,
    STEPS = 4,
    FLOOR = 4, /* one unit of full weight */
    KEYS = 2,
    STATES = 4, /* what a unit adds: nothing, to one key, to both */
    OTHERS = 7, /* what the other units add to a key */
};

/* P[Y = y], y from -REACH to REACH, at y + REACH. */
static void
gauss_law(double variance, double *law)
{
    double sum = 0;

    for (int y = -REACH; y <= REACH; y++)
        sum += law[y + REACH] = exp(-y * (double)y / (2 * variance));
    for (int y = 0; y <= 2 * REACH; y++)
        law[y] /= sum;
}

/* The outcomes of one key: not shown, or shown with its noisy sum. To show the
   sum as well reveals more than the rule does. */
struct key_law {
    double none;
    double shown[4 * REACH + 1]; /* [y]: with the sum y - REACH */
};

static void
key_law_of(const double *noise, int sum, int64_t threshold, struct key_law *out)
{
    memset(out, 0, sizeof *out);
    out->none = 1;
    for (int y = -REACH; y <= REACH && sum >= 1; y++)
        if (sum + y >= threshold) {
            out->shown[sum + y + REACH] = noise[y + REACH];
            out->none -= noise[y + REACH];
        }
}

/* The hockey-stick divergence of two keys, outcome by outcome. */
static double
two_keys(double epsilon, const struct key_law *p, const struct key_law *q)
{
    enum { ALL = 4 * REACH + 2 };
    double sum = 0;

    for (int i = 0; i < ALL; i++) {
        double a = i ? p[0].shown[i - 1] : p[0].none;
        double b = exp(epsilon) * (i ? q[0].shown[i - 1] : q[0].none);

        for (int j = 0; a > 0 && j < ALL; j++) {
            double c = j ? p[1].shown[j - 1] : p[1].none;
            double d = j ? q[1].shown[j - 1] : q[1].none;

            sum += fmax(0, a * c - b * d);
        }
    }
    return sum;
}

static int
above_floor(int sum, int floor)
{
    return sum > floor ? sum - floor : 0;
}

/* The largest divergence over all neighbours and all other units' sums. */
static double
worst_of(custos_adjacency adjacency, double epsilon, const struct keys_gauss *g,
         double variance, int floor)
{
    static const int adds[STATES][KEYS] = {
        {0, 0}, {STEPS, 0}, {0, STEPS}, {2, 2}};
    static const int others[OTHERS] = {0, 2, 3, 4, 6, 20, 60};
    double noise[2 * REACH + 1], worst = 0;

    gauss_law(variance, noise);
    for (int i = 0; i < OTHERS * OTHERS * STATES * STATES; i++) {
        const int base[KEYS] = {others[i % OTHERS],
                                others[i / OTHERS % OTHERS]};
        int from = i / OTHERS / OTHERS % STATES;
        int to = i / OTHERS / OTHERS / STATES;
        struct key_law p[KEYS], q[KEYS];

        if (from == to || (adjacency == CUSTOS_ADD_REMOVE && from && to))
            continue;
        for (int k = 0; k < KEYS; k++) {
            key_law_of(noise, above_floor(base[k] + adds[from][k], floor),
                       g->threshold, &p[k]);
            key_law_of(noise, above_floor(base[k] + adds[to][k], floor),
                       g->threshold, &q[k]);
        }
        worst = fmax(worst, two_keys(epsilon, p, q));
    }
    return worst;
}

/*
 * Units of up to 2 keys with weights 4 (one key) and 2 (two keys): for all
 * neighbours, and sums of the other units around the floor, the divergence of
 * all outcomes is at most the reported delta; under add/remove without a floor
 * it is within 3 % of it.
 */
static void
keys_weighted_bounds_all_neighbours(void **state)
{
    static const struct {
        const char *epsilon, *delta;
    } rows[] = {{"2", "0.005"}, {"4", "0.01"}, {"3", "0.0001"}};

    (void)state;
    assert_int_equal(keys_weight(STEPS, 2), 2);
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++)
        for (size_t i = 0; i < (size_t)test_size(1, COUNT_OF(rows)); i++) {
            struct keys_gauss g = {.threshold = 0};
            double told, variance, is, floored;
            char text[CUSTOS_NUMBER_MAX];
            rat epsilon, delta;

            rat_init(&g.variance);
            rat_init(&g.delta);
            rat_init(&epsilon);
            rat_init(&delta);
            assert_int_equal(rat_read(rows[i].epsilon, "e", &epsilon, NULL), 0);
            assert_int_equal(rat_read(rows[i].delta, "d", &delta, NULL), 0);
            assert_int_equal(keys_gauss_find((custos_adjacency)a, KEYS, STEPS,
                                             &epsilon, &delta, &g, NULL),
                             0);
            rat_decimal(&g.variance, RAT_DOWN, text);
            variance = strtod(text, NULL);
            rat_decimal(&g.delta, RAT_UP, text);
            told = strtod(text, NULL);
            is = worst_of((custos_adjacency)a, strtod(rows[i].epsilon, NULL),
                          &g, variance, 0);
            floored =
                worst_of((custos_adjacency)a, strtod(rows[i].epsilon, NULL), &g,
                         variance, FLOOR);
            assert_true(told <= strtod(rows[i].delta, NULL));
            assert_true(is <= told * (1 + 1e-9));
            assert_true(floored <= told * (1 + 1e-9));
            if (a == CUSTOS_ADD_REMOVE)
                assert_true(is >= 0.97 * told);
            rat_clear(&g.variance);
            rat_clear(&g.delta);
            rat_clear(&epsilon);
            rat_clear(&delta);
        }
}

/* ------------------------------------------------- the certificate -- */

enum { SPLIT_BITS = 160 };

/* Does a unit that holds `alone` keys alone and j shared ones need less than
   delta? entering: the unit is in the second data set only. */
static bool
split_fits(struct gauss_sums *sums, const rat *epsilon, const rat *delta,
           const ival *lost, uint64_t alone, uint64_t j, uint64_t weight,
           bool entering)
{
    ival x, r;
    rat e;
    bool fits;

    ival_init(&x, SPLIT_BITS);
    ival_init(&r, SPLIT_BITS);
    rat_init(&e);
    ival_set_i64(&r, 0);
    ival_set_i64(&x, entering ? (int64_t)alone : -(int64_t)alone);
    ival_mul(&x, &x, lost);
    ival_down(&x, &e);
    rat_add(&e, &e, epsilon);
    if (j > 0)
        gauss_sums_divergence(sums, &e, j, weight, &r);
    if (!entering) { /* 1 - (1-p)^alone (1 - H) */
        ival one;

        ival_init(&one, SPLIT_BITS);
        ival_set_i64(&one, 1);
        ival_sub(&r, &one, &r);
        ival_set_i64(&x, (int64_t)alone);
        ival_mul(&x, &x, lost);
        ival_exp(&x, &x);
        ival_mul(&r, &r, &x);
        ival_sub(&r, &one, &r);
        ival_clear(&one);
    }
    fits = ival_certainly_less_rat(&r, delta);
    ival_clear(&x);
    ival_clear(&r);
    rat_clear(&e);
    return fits;
}

/* Does every unit of up to `keys` keys need less than delta? */
static bool
units_fit(uint64_t keys, const rat *epsilon, const rat *delta,
          const struct keys_gauss *g)
{
    struct gauss_sums sums;
    bool fits = true;
    ival lost;

    gauss_sums_init(&sums, &g->variance, SPLIT_BITS);
    ival_init(&lost, SPLIT_BITS);
    for (uint64_t held = 1; held <= keys && fits; held++) {
        uint64_t weight = keys_weight(KEYS_STEPS, held);

        gauss_sums_tail(&sums, g->threshold - (int64_t)weight, &lost);
        ival_neg(&lost, &lost);
        ival_log1p(&lost, &lost);
        for (uint64_t a = 0; a <= held && fits; a++)
            fits = split_fits(&sums, epsilon, delta, &lost, a, held - a, weight,
                              false) &&
                   split_fits(&sums, epsilon, delta, &lost, a, held - a, weight,
                              true);
    }
    gauss_sums_clear(&sums);
    ival_clear(&lost);
    return fits;
}

/*
 * The certificate holds for every number of keys that a unit may hold, not only
 * for the largest; a threshold lower by 1/64 of a unit is not certified. At
 * epsilon 4, units of one key are the worst.
 */
static void
keys_weighted_fits_every_unit(void **state)
{
    static const struct {
        uint64_t keys;
        const char *epsilon, *delta;
    } rows[] = {{10, "1", "1e-6"}, {10, "4", "1e-6"}, {24, "0.1", "1e-9"}};

    (void)state;
    for (size_t i = 0; i < (size_t)test_size(2, COUNT_OF(rows)); i++) {
        struct keys_gauss g = {.threshold = 0};
        rat epsilon, delta;

        rat_init(&g.variance);
        rat_init(&g.delta);
        rat_init(&epsilon);
        rat_init(&delta);
        assert_int_equal(rat_read(rows[i].epsilon, "e", &epsilon, NULL), 0);
        assert_int_equal(rat_read(rows[i].delta, "d", &delta, NULL), 0);
        assert_int_equal(keys_gauss_find(CUSTOS_ADD_REMOVE, rows[i].keys,
                                         KEYS_STEPS, &epsilon, &delta, &g,
                                         NULL),
                         0);
        assert_true(rat_cmp(&g.delta, &delta) < 0);
        assert_true(units_fit(rows[i].keys, &epsilon, &delta, &g));
        g.threshold -= KEYS_STEPS / 64;
        assert_false(units_fit(rows[i].keys, &epsilon, &delta, &g));
        rat_clear(&g.variance);
        rat_clear(&g.delta);
        rat_clear(&epsilon);
        rat_clear(&delta);
    }
}

/* ------------------------------------------------------- the rule -- */

/*
 * Keys are kept as often as reported, within 5 standard deviations (with a
 * fresh seed, each of 6 cases would raise a false alarm with probability 1e-6);
 * a key of no more units than the floor never is.
 */
static void
keys_weighted_law(void **state)
{
    enum { N = 20000 };
    static int64_t sums[N], counts[N];
    static uint8_t kept[N];
    custos_rng *rng = test_rng_seeded(43);
    int n = test_size(500, N);

    (void)state;
    for (uint64_t least = 1; least <= 4; least += 3) {
        custos_keys *k = rule_make(CUSTOS_KEYS_WEIGHTED, CUSTOS_ADD_REMOVE, 4,
                                   least, "2", "0.05");
        const custos_keys_facts *f = custos_keys_report(k);
        custos_sealed *s = NULL;

        assert_int_equal(f->least, least);
        for (uint64_t u = least - 1; u <= least + 2; u++) {
            double seen = 0, p;
            custos_chance c;

            for (int i = 0; i < n; i++)
                sums[i] = (int64_t)(u * f->steps);
            assert_int_equal(custos_keys_chance(k, &u, 1, &c, NULL), CUSTOS_OK);
            p = strtod(c.low, NULL);
            assert_int_equal(custos_seal_ints(NULL, sums, (size_t)n, &s, NULL),
                             0);
            assert_int_equal(
                custos_keys_release(k, rng, s, counts, kept, (size_t)n, NULL),
                CUSTOS_EINVAL);
            assert_int_equal(
                custos_keys_release(k, rng, s, NULL, kept, (size_t)n, NULL),
                CUSTOS_OK);
            for (int i = 0; i < n; i++)
                seen += kept[i];
            assert_true(u >= least ? p > 0 : seen == 0);
            assert_true(fabs(seen - n * p) <= 5 * sqrt(n * p * (1 - p)));
            custos_sealed_free(s);
        }
        custos_keys_free(k);
    }
    test_rng_free(rng);
}

/*
 * With 10 keys per unit, groups of units that are in no other need at most 0.4
 * of the units that counts need, and groups of full units at most 1.1.
 */
static void
keys_weighted_lowers_the_threshold(void **state)
{
    static const char *const epsilons[] = {"1", "0.1"};

    (void)state;
    for (int a = CUSTOS_ADD_REMOVE; a <= CUSTOS_CHANGE_ONE; a++)
        for (size_t i = 0; i < COUNT_OF(epsilons); i++) {
            custos_keys *old =
                rule_make(CUSTOS_KEYS_GAUSSIAN, (custos_adjacency)a, 10, 1,
                          epsilons[i], "1e-6");
            custos_keys *new =
                rule_make(CUSTOS_KEYS_WEIGHTED, (custos_adjacency)a, 10, 1,
                          epsilons[i], "1e-6");
            double half = (double)custos_keys_report(old)->half;
            uint64_t one = 0, full = 0;

            assert_int_equal(keys_units_held(new, 1, "0.5", &one, NULL), 0);
            assert_int_equal(keys_units_held(new, 10, "0.5", &full, NULL), 0);
            assert_int_equal(one, custos_keys_report(new)->half);
            assert_true((double)one <= 0.4 * half);
            assert_true((double)full <= 1.1 * half);
            assert_int_equal(keys_units_held(new, 11, "0.5", &full, NULL),
                             CUSTOS_EINVAL);
            custos_keys_free(old);
            custos_keys_free(new);
        }
}

static void
keys_weighted_refuses(void **state)
{
    custos_keys_options o = {.size = sizeof o,
                             .rule = CUSTOS_KEYS_WEIGHTED,
                             .adjacency = CUSTOS_ADD_REMOVE,
                             .keys_per_unit = KEYS_WEIGHTED_MAX + 1,
                             .epsilon = "1",
                             .delta = "1e-6"};
    custos_keys *k = NULL;

    (void)state;
    assert_int_equal(custos_keys_new(NULL, &o, &k, NULL), CUSTOS_ERANGE);
    o.keys_per_unit = 2;
    o.min_units = UINT64_C(1) << 50;
    assert_int_equal(custos_keys_new(NULL, &o, &k, NULL), CUSTOS_ERANGE);
    o.min_units--;
    assert_int_equal(custos_keys_new(NULL, &o, &k, NULL), CUSTOS_OK);
    custos_keys_free(k);
    /* Change-one gives away too much for a delta as large as this. */
    o = (custos_keys_options){.size = sizeof o,
                              .rule = CUSTOS_KEYS_WEIGHTED,
                              .adjacency = CUSTOS_CHANGE_ONE,
                              .keys_per_unit = 2,
                              .epsilon = "1",
                              .delta = "0.2"};
    assert_int_equal(custos_keys_new(NULL, &o, &k, NULL), CUSTOS_ERANGE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_weights_are_the_largest),
        cmocka_unit_test(keys_weighted_bounds_all_neighbours),
        cmocka_unit_test(keys_weighted_fits_every_unit),
        cmocka_unit_test(keys_weighted_law),
        cmocka_unit_test(keys_weighted_lowers_the_threshold),
        cmocka_unit_test(keys_weighted_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
