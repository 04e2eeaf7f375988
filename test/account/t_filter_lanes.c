/*
 * The two sums of deltas of the best-of-both filter: a charge counts one delta
 * beside epsilon and one beside rho, each lane has a limit of its own, and the
 * promise holds against every adaptive analyst who mixes the two.
 */
#include <math.h>

#include "account/filter.h"
#include "account/mp.h"
#include "account/odometer.h"
#include "support/said.h"

/* A charge by its amounts; NULL for what is not given. */
static custos_charge *
charge(const char *epsilon, const char *rho, const char *delta,
       const char *delta_rho)
{
    custos_charge_options o = {.size = sizeof o,
                               .epsilon = epsilon,
                               .rho = rho,
                               .delta = delta,
                               .delta_rho = delta_rho};
    custos_charge *c = NULL;

    assert_int_equal(custos_charge_new(NULL, &o, &c, NULL), CUSTOS_OK);
    return c;
}

/* Members get a quarter of delta in each lane, as in the ledger. */
static custos_filter *
filter(const char *epsilon, const char *delta, const char *member_delta)
{
    custos_filter_options o = {.size = sizeof o,
                               .epsilon = epsilon,
                               .delta = delta,
                               .member_delta = member_delta};
    custos_filter *f = NULL;

    assert_int_equal(custos_filter_new(NULL, &o, &f, NULL), CUSTOS_OK);
    return f;
}

static size_t
admit_all(custos_filter *f, const custos_charge *c, size_t most)
{
    size_t n = 0;

    while (n < most && custos_filter_admit(f, c, NULL) == CUSTOS_OK)
        n++;
    return n;
}

static void
refuses(custos_filter *f, const custos_charge *c, const char *said)
{
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(custos_filter_admit(f, c, &err), CUSTOS_ESPENT);
    if (!strstr(whole_said(&err), said))
        fail_msg("\"%s\" lacks \"%s\"", err.said, said);
}

/*
 * rho* of (1, 5e-7) is 0.0226...: the deltas of a Gaussian end its epsilon lane
 * after 250 charges, and its rho lane, which has none, goes on to the end. A
 * charge whose rho holds up to the same delta ends after 250.
 */
static void
filter_best_has_two_delta_sums(void **state)
{
    custos_filter *f = filter("1", "1e-6", "2.5e-7");
    custos_charge *gauss = charge("0.001", "1e-6", "1e-9", "0"),
                  *keys = charge("0.001", "1e-6", "1e-9", NULL),
                  *pure = charge("0.001", NULL, NULL, NULL);
    custos_filter_facts facts = CUSTOS_FILTER_FACTS_INIT;
    size_t n;

    (void)state;
    assert_int_equal(admit_all(f, keys, 100000), 250);
    refuses(f, keys,
            "needs delta 0.000000001 and 0 is left for the deltas of "
            "charges counted in epsilon");
    assert_int_equal(admit_all(f, pure, 1), 1);
    custos_filter_free(f);
    f = filter("1", "1e-6", "2.5e-7");
    assert_int_equal(admit_all(f, gauss, 250), 250);
    assert_int_equal(custos_filter_report(f, &facts, NULL), CUSTOS_OK);
    assert_string_equal(facts.currency, "epsilon");
    assert_string_equal(facts.member_delta_spent, "0.00000025");
    n = 250 + admit_all(f, gauss, 100000);
    assert_int_equal(custos_filter_report(f, &facts, NULL), CUSTOS_OK);
    assert_string_equal(facts.currency, "rho");
    assert_string_equal(facts.member_delta_spent, "0");
    assert_true(n == (size_t)(strtod(facts.limit, NULL) / 1e-6));
    assert_true(n > 20000);
    refuses(f, gauss, "needs rho 0.000001 and 0.000000");
    custos_filter_free(f);
    custos_charge_free(gauss);
    custos_charge_free(keys);
    custos_charge_free(pure);
}

/*
 * Once the epsilon lane is past a limit, thresholded keys use up the deltas of
 * the rho lane. Then nothing with a delta there is admitted, Gaussians still
 * are, and the refusal names that lane.
 */
static void
filter_best_mixes_lanes(void **state)
{
    custos_filter *f = filter("1", "1e-6", "2.5e-7");
    custos_charge *gauss = charge("0.001", "1e-6", "2.5e-7", "0"),
                  *keys = charge("0.001", "1e-6", "1e-8", NULL),
                  *bare = charge(NULL, "1e-6", NULL, NULL),
                  *odd = charge("0.001", "1e-6", NULL, "1e-8");

    (void)state;
    assert_int_equal(admit_all(f, gauss, 2), 2);
    assert_int_equal(admit_all(f, keys, 100), 25);
    refuses(f, keys,
            "needs delta 0.00000001 and 0 is left for the deltas of "
            "charges counted in");
    refuses(f, odd, "needs delta 0");
    assert_int_equal(admit_all(f, gauss, 3), 3);
    assert_int_equal(admit_all(f, bare, 3), 3);
    custos_filter_free(f);
    /* The other way round: rho is used up, epsilon and its deltas are not. */
    f = filter("1", "1e-6", "2.5e-7");
    custos_charge_free(bare);
    bare = charge("0.25", "1", NULL, NULL);
    assert_int_equal(admit_all(f, bare, 2), 2);
    assert_int_equal(admit_all(f, gauss, 5), 1);
    refuses(f, gauss,
            "needs delta 0.00000025 and 0 is left for the deltas of "
            "charges counted in epsilon");
    /* odd counts no delta beside epsilon */
    assert_int_equal(admit_all(f, odd, 1000), 499);
    custos_filter_free(f);
    custos_charge_free(gauss);
    custos_charge_free(keys);
    custos_charge_free(bare);
    custos_charge_free(odd);
}

/* The rho of epsilon holds up to epsilon's delta only. */
static void
charge_keeps_the_deltas_apart(void **state)
{
    custos_charge *both = charge("0.1", "1", "1e-9", NULL),
                  *apart = charge("0.1", "1", "1e-9", "0"),
                  *odd = charge("0.1", "1", "0", "1e-9");
    custos_charge_options o = {
        .size = sizeof o, .epsilon = "0.1", .delta_rho = "0"};
    custos_charge *none = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_true(strncmp(custos_charge_report(both)->rho, "0.00499", 7) == 0);
    assert_string_equal(custos_charge_report(both)->delta_rho, "0.000000001");
    assert_string_equal(custos_charge_report(apart)->rho, "1");
    assert_string_equal(custos_charge_report(apart)->delta, "0.000000001");
    assert_string_equal(custos_charge_report(apart)->delta_rho, "0");
    assert_true(strncmp(custos_charge_report(odd)->rho, "0.00499", 7) == 0);
    assert_int_equal(custos_charge_new(NULL, &o, &none, &err), CUSTOS_EINVAL);
    assert_string_equal(whole_said(&err), "delta_rho needs a rho");
    o.rho = "1";
    o.delta_rho = "-1";
    assert_true(custos_charge_new(NULL, &o, &none, NULL) != CUSTOS_OK);
    o.size = offsetof(custos_charge_options, delta_rho); /* an older caller */
    assert_int_equal(custos_charge_new(NULL, &o, &none, NULL), CUSTOS_OK);
    assert_string_equal(custos_charge_report(none)->delta_rho, "0");
    custos_charge_free(none);
    custos_charge_free(both);
    custos_charge_free(apart);
    custos_charge_free(odd);
}

/* A Renyi filter counts the divergence of a rho without a delta, not that of an
   epsilon with one. A pure filter counts epsilon's delta, zCDP that of rho. */
static void
other_filters_count_the_delta_of_their_currency(void **state)
{
    static const struct {
        custos_filter_kind kind;
        const char *member_delta;
        size_t admitted;
    } kinds[] = {{CUSTOS_FILTER_PURE, "1e-7", 1},
                 {CUSTOS_FILTER_APPROX, "1e-7", 1},
                 {CUSTOS_FILTER_GDP, "1e-7", 1},
                 {CUSTOS_FILTER_ZCDP, NULL, 10},
                 {CUSTOS_FILTER_RDP, NULL, 10}};
    custos_charge *c = charge("0.001", "1e-5", "1e-7", "0"),
                  *r = charge("0.001", "1e-5", "0", "1e-7");

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        custos_filter_options o = {.size = sizeof o,
                                   .kind = kinds[i].kind,
                                   .epsilon = "1",
                                   .delta = "1e-6",
                                   .member_delta = kinds[i].member_delta};
        custos_filter *f = NULL;

        assert_int_equal(custos_filter_new(NULL, &o, &f, NULL), CUSTOS_OK);
        assert_int_equal(admit_all(f, c, 10), kinds[i].admitted);
        assert_int_equal(admit_all(f, r, 10), kinds[i].admitted == 10 ? 0 : 10);
        custos_filter_free(f);
    }
    custos_charge_free(c);
    custos_charge_free(r);
}

/* Sums that overflow are infinite and close their lane for good. */
static void
delta_sums_do_not_wrap(void **state)
{
    struct filter f;
    struct charge c;
    rat x[2];

    (void)state;
    assert_int_equal(filter_of_promise("1", "1e-6", &f, NULL), CUSTOS_OK);
    rat_init(&x[0]);
    rat_init(&x[1]);
    rat_set_i64(&x[1], 1, 1000000);
    charge_of_price(NULL, &x[1], &x[0], &c);
    for (int lane = 0; lane < 2; lane++) {
        struct filter copy = f;
        struct charge spent = c;

        spent.epsilon = spent.rho = 0;
        spent.delta = spent.delta_rho = 0;
        *(lane ? &spent.delta_rho : &spent.delta) = AMOUNT_INFINITE - 1;
        filter_resume(&copy, &spent);
        c.epsilon = 1;
        c.delta = c.delta_rho = 2; /* the sum is past the largest amount */
        for (int i = 0; i < 3; i++)
            assert_int_equal(filter_admit(&copy, &c, NULL), CUSTOS_OK);
        assert_true(copy.delta_sum[lane] == AMOUNT_INFINITE);
        assert_true(copy.delta_sum[1 - lane] == 6);
        assert_int_equal(filter_lane(&copy), lane == 0);
        assert_true(filter_left_epsilon(&copy) > 0);
        copy.delta_sum[1 - lane] = AMOUNT_INFINITE;
        assert_int_equal(filter_admit(&copy, &c, NULL), CUSTOS_ESPENT);
        assert_true(filter_left_epsilon(&copy) == 0);
    }
    rat_clear(&x[0]);
    rat_clear(&x[1]);
}

/* The bytes keep both sums. Those of the layout before, with one sum, count it
   in both lanes. */
static void
saved_filters_keep_both_sums(void **state)
{
    custos_filter *f = filter("1", "1e-6", "2.5e-7"), *g = NULL;
    custos_charge *gauss = charge("0.001", "1e-6", "2e-7", "0"),
                  *keys = charge("0.001", "1e-6", "1e-7", NULL);
    uint8_t bytes[CUSTOS_FILTER_BYTES], again[CUSTOS_FILTER_BYTES];

    (void)state;
    assert_int_equal(admit_all(f, gauss, 2), 2);
    assert_int_equal(admit_all(f, keys, 1), 1);
    assert_int_equal(custos_filter_save(f, bytes, NULL), CUSTOS_OK);
    assert_int_equal(custos_filter_load(NULL, bytes, sizeof bytes, &g, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_filter_save(g, again, NULL), CUSTOS_OK);
    assert_memory_equal(bytes, again, sizeof bytes);
    assert_int_equal(admit_all(g, keys, 10), 1);
    assert_int_equal(admit_all(g, gauss, 10), 10);
    custos_filter_free(g);
    custos_filter_free(f);
    g = NULL;
    f = filter("1", "1e-6", "2.5e-7");
    assert_int_equal(admit_all(f, gauss, 1), 1);
    assert_int_equal(custos_filter_save(f, bytes, NULL), CUSTOS_OK);
    bytes[7] = '1'; /* as saved when there was one sum */
    assert_int_equal(custos_filter_load(NULL, bytes, sizeof bytes, &g, NULL),
                     CUSTOS_OK);
    assert_int_equal(admit_all(g, keys, 10), 0);
    custos_filter_free(g);
    custos_filter_free(f);
    custos_charge_free(gauss);
    custos_charge_free(keys);
}

/* Two deltas that differ belong to two proofs, so an odometer pays for both. */
static void
odometer_counts_both_deltas(void **state)
{
    custos_odometer_options o = {.size = sizeof o, .delta = "1e-6"};
    custos_odometer_facts facts = CUSTOS_ODOMETER_FACTS_INIT;
    custos_odometer *m = NULL;
    custos_charge *same = charge("0.1", "0.01", "1e-7", NULL),
                  *apart = charge("0.1", "0.01", "3e-7", "1e-7");

    (void)state;
    assert_int_equal(custos_odometer_new(NULL, &o, &m, NULL), CUSTOS_OK);
    assert_int_equal(custos_odometer_add(m, same, NULL), CUSTOS_OK);
    assert_int_equal(custos_odometer_add(m, apart, NULL), CUSTOS_OK);
    assert_int_equal(custos_odometer_read(m, &facts, NULL), CUSTOS_OK);
    assert_string_equal(facts.delta, "0.0000015");
    custos_odometer_free(m);
    custos_charge_free(same);
    custos_charge_free(apart);
}

/* ------------------------------------- the promise, against all analysts -- */

/*
 * Each query answers a randomized response of some epsilon, or reveals
 * everything with a small probability. The analyst chooses each one after seeing
 * the earlier answers. The menu has
 *   - a response charged as it is (pure);
 *   - a response of a larger epsilon, charged like Gaussian noise: a smaller
 *     epsilon with the delta that makes it true, and its own rho with no delta;
 *   - a response that may reveal everything, charged with its delta in both
 *     lanes, like thresholded keys.
 * The value of a state is the largest P(S) - e^eps Q(S), per unit of P, over all
 * ways to continue: exact up to the rounding of doubles, for every analyst.
 */
enum { MENU = 3, DEPTH = 9, NETS = 2 * DEPTH + 1 };

struct game {
    double epsilon;       /* of the promise */
    double loss[MENU];    /* of an answer, up or down */
    double reveals[MENU]; /* probability */
    struct charge charge[MENU];
    double seen[DEPTH + 1][DEPTH + 1][DEPTH + 1][NETS][NETS][NETS];
};

struct position {
    int n[MENU]; /* queries of each kind */
    int net
        [MENU]; /* answers that raised the loss minus those that lowered it */
};

static double
play(struct game *g, const struct filter *f, const struct position *at)
{
    double *known = &g->seen[at->n[0]][at->n[1]][at->n[2]][at->net[0] + DEPTH]
                            [at->net[1] + DEPTH][at->net[2] + DEPTH];
    double loss = 0, best;

    if (*known >= 0)
        return *known;
    for (int i = 0; i < MENU; i++)
        loss += at->net[i] * g->loss[i];
    best = loss > g->epsilon ? -expm1(g->epsilon - loss) : 0;
    for (int i = 0; i < MENU; i++) {
        double p = 1 / (1 + exp(-g->loss[i])), v;
        struct position up = *at, down = *at;
        struct filter next = *f;

        if (at->n[0] + at->n[1] + at->n[2] == DEPTH ||
            filter_admit(&next, &g->charge[i], NULL) != CUSTOS_OK)
            continue;
        up.n[i] = ++down.n[i];
        up.net[i]++;
        down.net[i]--;
        v = p * play(g, &next, &up) + (1 - p) * play(g, &next, &down);
        v = g->reveals[i] + (1 - g->reveals[i]) * v;
        best = v > best ? v : best;
    }
    return *known = best;
}

static double
worst_delta(struct game *g, const struct filter *f)
{
    static const struct position start;
    double *all = &g->seen[0][0][0][0][0][0];

    for (size_t i = 0; i < sizeof g->seen / sizeof *all; i++)
        all[i] = -1;
    return play(g, f, &start);
}

static amount
delta_up(double x)
{
    return (amount)ceil(x * 1e18) * 1000000000 * 1000000000;
}

static amount
loss_up(double x)
{
    return (amount)ceil(x * 1e15) * 100000;
}

/* A response of epsilon `loss`, revealing with a probability, charged as
   (said, its delta) and with its rho. */
static void
game_query(struct game *g, int i, double loss, double said, double reveals)
{
    double delta = said < loss ? (exp(loss) - exp(said)) / (exp(loss) + 1) : 0;
    struct charge *c = &g->charge[i];

    memset(c, 0xff, sizeof *c);
    g->loss[i] = loss;
    g->reveals[i] = reveals;
    c->epsilon = loss_up(said);
    c->rho = loss_up(loss * tanh(loss / 2));
    c->delta = delta_up(delta + reveals);
    c->delta_rho = delta_up(reveals);
}

static void
filter_best_with_deltas_against_all_analysts(void **state)
{
    static const struct {
        const char *epsilon, *delta, *member_delta;
        double pure, large, said, keys, reveals;
    } cases[] = {
        {"1", "0.4", "0.1", 0.3, 0.35, 0.3, 0.2, 0.02},
        {"1", "0.4", "0.12", 0.25, 0.5, 0.4, 0.25, 0.03},
        {"0.6", "0.3", "0.08", 0.2, 0.25, 0.2, 0.2, 0.04},
        {"2", "0.2", "0.05", 0.5, 0.75, 0.7, 0.6, 0.01},
        {"1.5", "0.1", "0.03", 0.5, 0.52, 0.5, 0.4, 0.01},
        {"1", "0.2", "0.05", 0.3, 0.35, 0.3, 0.3, 0.04},
        {"1", "0.3", "0.1", 0.2, 0.45, 0.3, 0.3, 0.05},
    };
    struct game *g = malloc(sizeof *g);
    size_t used = 0, broken[3] = {0};

    (void)state;
    assert_non_null(g);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        custos_filter_options o = {.size = sizeof o,
                                   .epsilon = cases[i].epsilon,
                                   .delta = cases[i].delta,
                                   .member_delta = cases[i].member_delta};
        double delta = strtod(cases[i].delta, NULL), worst;
        struct filter f, wide;

        assert_int_equal(filter_init(&f, &o, NULL), CUSTOS_OK);
        g->epsilon = strtod(cases[i].epsilon, NULL);
        game_query(g, 0, cases[i].pure, cases[i].pure, 0);
        game_query(g, 1, cases[i].large, cases[i].said, 0);
        game_query(g, 2, cases[i].keys, cases[i].keys, cases[i].reveals);
        worst = worst_delta(g, &f);
        assert_true(worst <= delta * (1 + 1e-12));
        used += worst > strtod(cases[i].member_delta, NULL);
        /* The analysts are strong enough to break each limit that is too
           large: of the deltas, of epsilon and of rho. */
        wide = f;
        wide.delta_limit *= 16;
        broken[0] += worst_delta(g, &wide) > delta;
        wide = f;
        wide.limit[0] *= 5;
        broken[1] += worst_delta(g, &wide) > delta;
        wide = f;
        wide.limit[1] *= 20;
        broken[2] += worst_delta(g, &wide) > delta;
    }
    assert_true(used >= 4);
    for (int i = 0; i < 3; i++)
        if (broken[i] < 2)
            fail_msg("limit %d was broken %zu times only", i, broken[i]);
    free(g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_best_has_two_delta_sums),
        cmocka_unit_test(filter_best_mixes_lanes),
        cmocka_unit_test(charge_keeps_the_deltas_apart),
        cmocka_unit_test(other_filters_count_the_delta_of_their_currency),
        cmocka_unit_test(delta_sums_do_not_wrap),
        cmocka_unit_test(saved_filters_keep_both_sums),
        cmocka_unit_test(odometer_counts_both_deltas),
        cmocka_unit_test(filter_best_with_deltas_against_all_analysts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
