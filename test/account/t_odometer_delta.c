/*
 * The odometer's promise for charges that have deltas of their own. The tests
 * show that it holds for sets of transcripts, and that the privacy loss itself
 * may exceed the reading.
 */
#include "account/odometer.h"

#include <string.h>

#include "account/mp.h"
#include "account/odometer_help.h"

enum { MENU = 2, DEPTH = 24 };

/*
 * Every (eps, delta)-DP answer is made from one of four outcomes (Kairouz, Oh,
 * Viswanath 2015): one that only P has and one that only Q has, each with
 * probability delta, and the two of randomized response. The value of a state
 * is the largest P(S, reading within (e, d)) - exp(e) Q(S) from there on, over
 * all ways to ask, to stop and to choose S. It is computed in doubles: sums and
 * products of at most 2^10 terms below 1 have an error below 1e-12.
 */
#define SLACK 1e-12

struct sets {
    double epsilon[MENU], delta[MENU];
    struct charge charge[MENU];
    double e, d;
    double seen[DEPTH + 1][DEPTH + 1][2 * DEPTH + 1][2 * DEPTH + 1];
};

/* The delta that the odometer states with its epsilon. */
static double
reading_delta(const struct odometer *o)
{
    double r;
    rat x;

    rat_init(&x);
    amount_to_rat(odometer_delta(o), AMOUNT_DELTA, &x);
    r = mpq_get_d(x.q);
    rat_clear(&x);
    return r;
}

static bool
is_within(const struct sets *g, const struct odometer *o)
{
    return reading(o) <= g->e + SLACK && reading_delta(o) <= g->d + SLACK;
}

/*
 * The probability of one sequence of answers: n[i] of kind i, of which those
 * that raise the loss outnumber those that lower it by net[i]. sign 1: under P,
 * -1: under Q.
 */
static double
chance(const struct sets *g, const int n[MENU], const int net[MENU], int sign)
{
    double p = 1;

    for (int i = 0; i < MENU; i++) {
        double up = 1 / (1 + exp(-g->epsilon[i] * sign));

        p *= pow(1 - g->delta[i], n[i]) * pow(up, (n[i] + net[i]) / 2.0) *
             pow(1 - up, (n[i] - net[i]) / 2.0);
    }
    return p;
}

static double
best_set(struct sets *g, const struct odometer *o, const int n[MENU],
         const int net[MENU])
{
    double *known = &g->seen[n[0]][n[1]][net[0] + DEPTH][net[1] + DEPTH];
    double p = chance(g, n, net, 1), best;

    if (*known >= 0)
        return *known;
    if (!is_within(g, o)) /* nor later: neither number ever falls */
        return *known = 0;
    best = fmax(0, p - exp(g->e) * chance(g, n, net, -1));
    for (int i = 0; i < MENU && n[0] + n[1] < DEPTH; i++) {
        int more[MENU] = {n[0] + (i == 0), n[1] + (i == 1)};
        int up[MENU] = {net[0] + (i == 0), net[1] + (i == 1)};
        int down[MENU] = {net[0] - (i == 0), net[1] - (i == 1)};
        struct odometer next = *o;
        double v;

        odometer_add(&next, &g->charge[i]);
        v = is_within(g, &next) ? p * g->delta[i] : 0; /* only P has it */
        v += best_set(g, &next, more, up) + best_set(g, &next, more, down);
        best = fmax(best, v);
    }
    return *known = best;
}

/* The value at the start, for an odometer with a delta of its own. */
static double
play_sets(struct sets *g, const char *own, double e, double d)
{
    static const int none[MENU];
    custos_odometer_options options = {.size = sizeof options,
                                       .delta = own,
                                       .rho_least = "0.1",
                                       .rho_most = "4"};
    double *all = &g->seen[0][0][0][0];
    struct odometer o;

    assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
    for (size_t i = 0; i < sizeof g->seen / sizeof *all; i++)
        all[i] = -1;
    g->e = e;
    g->d = d;
    return best_set(g, &o, none, none);
}

static void
set_menu(struct sets *g, const char *small, const char *large)
{
    const char *const text[MENU] = {small, large};

    for (int i = 0; i < MENU; i++) {
        g->charge[i] = price(text[i]);
        g->epsilon[i] = strtod(strchr(text[i], '=') + 1, NULL);
        g->delta[i] = strtod(strrchr(text[i], '=') + 1, NULL);
    }
}

static void
odometer_with_deltas_against_all_sets(void **state)
{
    struct sets *g = malloc(sizeof *g);
    double most = 0;

    (void)state;
    assert_non_null(g);
    set_menu(g, "generic:epsilon=0.3:delta=0.01",
             "generic:epsilon=0.7:delta=0.02");
    /*
     * By sums of epsilon: the analyst uses nearly all of d, so no smaller d
     * would do.
     */
    for (int i = 1; i <= 14; i++)
        for (int k = 0; k <= 8; k++) {
            double d = 1e-9 + k * 0.01, v = play_sets(g, "1e-9", i * 0.1, d);

            assert_true(v <= d + SLACK);
            most = fmax(most, v / d);
        }
    assert_true(most > 0.97 && most <= 1);
    /* Many charges: at each of these e the bound by rho is the smaller one. */
    set_menu(g, "generic:epsilon=0.3:delta=0.002",
             "generic:epsilon=0.4:delta=0.003");
    for (double e = 3; e < 6; e += 0.5) {
        double v = play_sets(g, "0.3", e, 0.34);

        assert_true(v > 0 && v <= 0.34 + SLACK);
    }
    free(g);
}

/*
 * If two of the four outcomes are reported as one, the release is still (0.3,
 * 0.01)-DP, but its loss exceeds the odometer's reading with probability above
 * 1/2. The loss of Gaussian noise that is exactly (0.1, 1e-6)-DP exceeds 0.1
 * with a probability of 1.5e-4.
 */
static void
odometer_loss_may_exceed_the_reading(void **state)
{
    custos_odometer_options options = {.size = sizeof options, .delta = "1e-9"};
    struct charge c = price("generic:epsilon=0.3:delta=0.01");
    double p = 0.01 + 0.99 / (1 + exp(-0.3)), q = 0.99 / (1 + exp(0.3)), s;
    char sigma[CUSTOS_NUMBER_MAX];
    struct odometer o;

    (void)state;
    assert_int_equal(odometer_init(&o, &options, NULL), CUSTOS_OK);
    odometer_add(&o, &c);
    assert_true(p - exp(0.3) * q <= 0.01 + SLACK);
    assert_true((1 - q) - exp(0.3) * (1 - p) <= 0.01 + SLACK);
    assert_true(log(p / q) > reading(&o) + 0.01);
    assert_true(p > 0.5 && reading_delta(&o) < 0.0101);
    assert_int_equal(
        custos_gauss_sigma(CUSTOS_ANALYTIC, "0.1", "1e-6", "1", sigma, NULL),
        CUSTOS_OK);
    s = strtod(sigma, NULL);
    p = erfc((0.1 * s - 1 / (2 * s)) / sqrt(2)) / 2; /* loss above 0.1 */
    assert_true(p > 1.4e-4 && p < 1.6e-4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odometer_with_deltas_against_all_sets),
        cmocka_unit_test(odometer_loss_may_exceed_the_reading),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
