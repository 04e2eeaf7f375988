/*
 * Filters: sums are exact, a rejection changes nothing, limits agree with
 * independent formulas, and the promise holds against every adaptive analyst.
 */
#include "account/filter.h"

#include "account/convert.h"
#include "account/mp.h"
#include "num/batch.h"
#include "support/said.h"

static custos_charge *
charge(const char *mechanism)
{
    custos_charge_options o = {.size = sizeof o, .mechanism = mechanism};
    custos_charge *c = NULL;

    assert_int_equal(custos_charge_new(NULL, &o, &c, NULL), CUSTOS_OK);
    return c;
}

static custos_filter *
filter(custos_filter_options o)
{
    custos_filter *f = NULL;

    o.size = sizeof o;
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
filter_exhausts_exactly(void **state)
{
    custos_filter *f = filter(
        (custos_filter_options){.kind = CUSTOS_FILTER_PURE, .epsilon = "1"});
    custos_charge *c = charge("laplace:epsilon=0.1");
    custos_filter_facts facts = CUSTOS_FILTER_FACTS_INIT;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(admit_all(f, c, 100), 10);
    assert_int_equal(custos_filter_admit(f, c, &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "the budget has no room: this needs epsilon "
                        "0.1 and 0 is left");
    assert_int_equal(custos_filter_report(f, &facts, NULL), CUSTOS_OK);
    assert_string_equal(facts.spent, "1");
    assert_string_equal(facts.limit, "1");
    assert_string_equal(facts.currency, "epsilon");
    assert_string_equal(facts.theorem, "filter-basic");
    custos_filter_free(f);
    custos_charge_free(c);
}

static void
filter_refused_adds_nothing(void **state)
{
    custos_filter *f = filter((custos_filter_options){
        .kind = CUSTOS_FILTER_PURE, .epsilon = "1", .delta = "1e-6"});
    custos_charge *big = charge("generic:epsilon=0.7:delta=5e-7"),
                  *small = charge("generic:epsilon=0.3:delta=5e-7"),
                  *leak = charge("generic:epsilon=1e-10:delta=1e-36");
    uint8_t before[CUSTOS_FILTER_BYTES], after[CUSTOS_FILTER_BYTES];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_filter_admit(f, big, NULL), CUSTOS_OK);
    assert_int_equal(custos_filter_save(f, before, NULL), CUSTOS_OK);
    assert_int_equal(custos_filter_admit(f, big, &err), CUSTOS_ESPENT);
    assert_int_equal(custos_filter_save(f, after, NULL), CUSTOS_OK);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(custos_filter_admit(f, small, NULL), CUSTOS_OK);
    /* Now the deltas are fully spent. */
    assert_int_equal(custos_filter_admit(f, leak, &err), CUSTOS_ESPENT);
    assert_non_null(strstr(whole_said(&err),
                           "delta 0.00000000000000000000000000000000"
                           "0001 and 0 is left"));
    custos_filter_free(f);
    custos_charge_free(big);
    custos_charge_free(small);
    custos_charge_free(leak);
}

static void
charge_rounds_up(void **state)
{
    custos_charge *c = charge("laplace:epsilon=1/3:count=7");
    const custos_charge_facts *facts = custos_charge_report(c);

    (void)state;
    assert_string_equal(facts->epsilon, "2.33333333333333333334");
    assert_string_equal(facts->delta, "0");
    custos_charge_free(c);
    c = charge("gaussian:sigma=10:count=9223372036854775808");
    facts = custos_charge_report(c);
    assert_string_equal(facts->epsilon, "infinity");
    assert_string_equal(facts->rho, "46116860184273879.04");
    assert_string_equal(facts->mu_squared, "92233720368547758.08");
    custos_charge_free(c);
    c = charge("discrete-gaussian:sigma=10");
    facts = custos_charge_report(c);
    assert_string_equal(facts->rho, "0.005");
    assert_string_equal(facts->mu_squared, "infinity");
    custos_charge_free(c);
    assert_null(custos_charge_report(NULL));
}

static void
filter_approx_limit_is_its_formula(void **state)
{
    custos_filter_options o = {.size = sizeof o,
                               .kind = CUSTOS_FILTER_APPROX,
                               .epsilon = "1.5",
                               .delta = "3e-6",
                               .member_delta = "2e-6"};
    struct filter f;
    mpfr_t x, y;
    rat limit;

    (void)state;
    assert_int_equal(filter_init(&f, &o, NULL), CUSTOS_OK);
    mpfr_inits2(MP_BITS, x, y, (mpfr_ptr)0);
    rat_init(&limit);
    amount_to_rat(f.limit[0], AMOUNT_LOSS, &limit);
    /* insert the limit into sqrt(2 ln(1/d') V) + V/2 */
    mpfr_set_str(x, "1e6", 10, MPFR_RNDN);
    mpfr_log(x, x, MPFR_RNDN);
    mpfr_mul_ui(x, x, 2, MPFR_RNDN);
    mpfr_mul_q(x, x, limit.q, MPFR_RNDN);
    mpfr_sqrt(x, x, MPFR_RNDN);
    mp_set(y, &limit);
    mpfr_div_ui(y, y, 2, MPFR_RNDN);
    mpfr_add(x, x, y, MPFR_RNDN);
    assert_true(mpfr_cmp_d(x, 1.5) <= 0);
    assert_true(mpfr_cmp_d(x, 1.5 - 1e-12) > 0);
    assert_true(f.delta_limit ==
                (amount)2000000000 * 1000000000 * 1000000000 * 1000);
    mpfr_clears(x, y, (mpfr_ptr)0);
    rat_clear(&limit);
}

static void
filter_zcdp_admits_the_plan(void **state)
{
    rat epsilon = mp_rat("1"), delta = mp_rat("1e-6"), rho, one;
    custos_filter *f = filter((custos_filter_options){
        .kind = CUSTOS_FILTER_ZCDP, .epsilon = "1", .delta = "1e-6"});
    custos_charge *c = charge("discrete-gaussian:sigma=100");
    uint64_t want = 0;

    (void)state;
    rat_init(&rho);
    one = mp_rat("20000"); /* 1/rho of one charge */
    zcdp_budget_down(&epsilon, &delta, &rho);
    rat_mul(&rho, &rho, &one);
    assert_true(rat_floor_u64(&rho, &want));
    assert_true(want > 100);
    assert_int_equal(admit_all(f, c, 1000000), want);
    custos_filter_free(f);
    custos_charge_free(c);
    rat_clear(&epsilon);
    rat_clear(&delta);
    rat_clear(&rho);
    rat_clear(&one);
}

static void
filter_rdp_orders(void **state)
{
    custos_filter *all =
        filter((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                       .like = "gaussian:sigma=2",
                                       .delta = "1e-6"});
    custos_filter *one =
        filter((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                       .epsilon = "1",
                                       .delta = "1e-6",
                                       .order = "24"});
    custos_filter *chosen = filter((custos_filter_options){
        .kind = CUSTOS_FILTER_RDP, .epsilon = "1", .delta = "1e-6"});
    custos_charge *gauss = charge("gaussian:sigma=20"),
                  *response = charge("randomized-response:epsilon=0.45");
    custos_filter_facts facts = CUSTOS_FILTER_FACTS_INIT;
    rat alpha = mp_rat("24"), epsilon = mp_rat("1"), delta = mp_rat("1e-6"),
        room, each = mp_rat("0.03"); /* 24/(2*400) */
    uint64_t want = 0;

    (void)state;
    rat_init(&room);
    assert_int_equal(admit_all(all, gauss, 1000), 100);
    custos_filter_free(all);
    /* Epsilon bounds the response's divergence at high orders, rho at low. */
    all = filter((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                         .like = "gaussian:sigma=2",
                                         .delta = "1e-6"});
    assert_int_equal(admit_all(all, response, 1000), 1);
    assert_int_equal(custos_filter_report(all, &facts, NULL), CUSTOS_OK);
    assert_string_equal(facts.theorem, "filter-zcdp");
    rdp_budget_down(&alpha, &epsilon, &delta, &room);
    rat_div(&room, &room, &each);
    assert_true(rat_floor_u64(&room, &want));
    assert_int_equal(admit_all(one, gauss, 1000), want);
    assert_true(admit_all(chosen, gauss, 1000) >= want);
    custos_filter_free(all);
    custos_filter_free(one);
    custos_filter_free(chosen);
    custos_charge_free(gauss);
    custos_charge_free(response);
    rat_clear(&alpha);
    rat_clear(&epsilon);
    rat_clear(&delta);
    rat_clear(&room);
    rat_clear(&each);
}

static void
filter_gdp_refuses_the_discrete_gaussian(void **state)
{
    custos_filter *f = filter((custos_filter_options){
        .kind = CUSTOS_FILTER_GDP, .epsilon = "1", .delta = "1e-6"});
    custos_charge *d = charge("discrete-gaussian:sigma=1000"),
                  *c = charge("gaussian:sigma=1000");
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_filter_admit(f, d, &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "this release has no bound in mu squared, "
                        "which the filter counts in");
    assert_int_equal(custos_filter_admit(f, c, &err), CUSTOS_OK);
    custos_filter_free(f);
    custos_charge_free(d);
    custos_charge_free(c);
}

/* The limit on mu is the point at which the exact curve reaches delta. */
static void
filter_gdp_limit(void **state)
{
    custos_filter_options o = {.size = sizeof o,
                               .kind = CUSTOS_FILTER_GDP,
                               .epsilon = "2",
                               .delta = "1e-9"};
    rat two = mp_rat("2"), nine = mp_rat("1e-9"), limit, more;
    struct filter f;
    mpfr_t delta;

    (void)state;
    mpfr_init2(delta, MP_BITS);
    rat_init(&limit);
    more = mp_rat("1.000001");
    assert_int_equal(filter_init(&f, &o, NULL), CUSTOS_OK);
    amount_to_rat(f.limit[0], AMOUNT_LOSS, &limit);
    mp_gdp_delta(delta, &limit, &two);
    assert_true(mpfr_cmp_q(delta, nine.q) <= 0);
    rat_mul(&limit, &limit, &more);
    mp_gdp_delta(delta, &limit, &two);
    assert_true(mpfr_cmp_q(delta, nine.q) > 0);
    mpfr_clear(delta);
    rat_clear(&two);
    rat_clear(&nine);
    rat_clear(&limit);
    rat_clear(&more);
}

static void
filter_best_of_both(void **state)
{
    custos_filter_options o = {.epsilon = "1", .delta = "1e-6"};
    custos_filter *f = filter(o);
    custos_charge *half = charge("laplace:epsilon=0.5"),
                  *tiny = charge("laplace:epsilon=0.001"),
                  *gauss = charge("discrete-gaussian:sigma=100");
    custos_filter_facts facts = CUSTOS_FILTER_FACTS_INIT;
    size_t n;

    (void)state;
    /*
     * Few large charges fit by the sum of epsilons. zCDP would reject the
     * second.
     */
    assert_int_equal(admit_all(f, half, 10), 2);
    custos_filter_free(f);
    /* Far more than 1000 small charges fit by zCDP. */
    f = filter(o);
    n = admit_all(f, tiny, 100000);
    assert_true(n > 20000 && n < 100000);
    assert_int_equal(custos_filter_report(f, &facts, NULL), CUSTOS_OK);
    assert_string_equal(facts.currency, "rho");
    assert_string_equal(facts.theorem, "filter-best-of-both");
    custos_filter_free(f);
    /* After a Gaussian the sum of epsilons is infinite; zCDP still admits. */
    f = filter(o);
    assert_int_equal(admit_all(f, gauss, 1), 1);
    assert_int_equal(admit_all(f, half, 10), 0);
    assert_int_equal(admit_all(f, tiny, 10), 10);
    custos_filter_free(f);
    /* delta is split: 2 * 4e-7 for the charges, 2e-7 for the conversion. */
    o.member_delta = "4e-7";
    f = filter(o);
    assert_int_equal(custos_filter_report(f, &facts, NULL), CUSTOS_OK);
    assert_string_equal(facts.member_delta_limit, "0.0000004");
    custos_filter_free(f);
    custos_charge_free(half);
    custos_charge_free(tiny);
    custos_charge_free(gauss);
}

/* The error message is about the lane that has budget left. */
static void
filter_best_refuses_by_the_lane_alive(void **state)
{
    custos_filter *f =
        filter((custos_filter_options){.epsilon = "1", .delta = "1e-6"});
    custos_charge *gauss = charge("gaussian:sigma=10"),
                  *loud = charge("gaussian:sigma=1"),
                  *large = charge("laplace:epsilon=0.9"),
                  *half = charge("laplace:epsilon=0.5");
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    /*
     * Nothing is spent yet. A Gaussian needs too much rho and has no epsilon.
     */
    assert_int_equal(custos_filter_admit(f, loud, &err), CUSTOS_ESPENT);
    assert_non_null(strstr(whole_said(&err), "needs rho 0.5 and 0.024"));
    /* The epsilon lane is used up for good; the rho lane is not. */
    assert_int_equal(custos_filter_admit(f, gauss, &err), CUSTOS_OK);
    assert_int_equal(custos_filter_admit(f, large, &err), CUSTOS_ESPENT);
    assert_non_null(strstr(whole_said(&err), "and 0.0193"));
    assert_null(strstr(whole_said(&err), "and 0 is left"));
    custos_filter_free(f);
    /* The other way round: rho has passed its limit, epsilon has 0.5 left. */
    f = filter((custos_filter_options){.epsilon = "1", .delta = "1e-6"});
    assert_int_equal(custos_filter_admit(f, half, &err), CUSTOS_OK);
    assert_int_equal(custos_filter_admit(f, large, &err), CUSTOS_ESPENT);
    assert_non_null(
        strstr(whole_said(&err), "needs epsilon 0.9 and 0.5 is left"));
    custos_filter_free(f);
    custos_charge_free(gauss);
    custos_charge_free(loud);
    custos_charge_free(large);
    custos_charge_free(half);
}

/*
 * A sampled mechanism has a price under add/remove only, so the caller must set
 * that adjacency.
 */
static void
charge_of_a_sample_needs_adjacency(void **state)
{
    custos_charge_options o = {.size = sizeof o,
                               .mechanism = "gaussian:sigma=1:sample=0.01"};
    custos_charge *c = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    assert_int_equal(custos_charge_new(NULL, &o, &c, &err), CUSTOS_EINVAL);
    assert_non_null(strstr(whole_said(&err), "set adjacency to"));
    o.adjacency = CUSTOS_CHANGE_ONE;
    assert_int_equal(custos_charge_new(NULL, &o, &c, &err), CUSTOS_EINVAL);
    assert_null(c);
    o.adjacency = CUSTOS_ADD_REMOVE;
    assert_int_equal(custos_charge_new(NULL, &o, &c, &err), CUSTOS_OK);
    custos_charge_free(c);
}

/* Each kind says in its own currency what is needed and what is left. */
static void
filter_says_what_is_left(void **state)
{
    static const struct {
        custos_filter_options o;
        const char *currency, *theorem;
    } kinds[] = {
        {{.kind = CUSTOS_FILTER_PURE,
          .epsilon = "1",
          .delta = "1e-6",
          .member_delta = "1e-7"},
         "epsilon",
         "filter-basic"},
        {{.kind = CUSTOS_FILTER_APPROX, .epsilon = "1", .delta = "1e-6"},
         "epsilon squared",
         "filter-approx"},
        {{.kind = CUSTOS_FILTER_ZCDP, .epsilon = "1", .delta = "1e-6"},
         "rho",
         "filter-zcdp"},
        {{.kind = CUSTOS_FILTER_GDP, .epsilon = "1", .delta = "1e-6"},
         "mu squared",
         "filter-gdp"},
        {{.kind = CUSTOS_FILTER_RDP,
          .like = "gaussian:sigma=5",
          .delta = "1e-6"},
         "Renyi divergence",
         "filter-zcdp"},
        {{.epsilon = "1", .delta = "1e-6"}, "rho", "filter-best-of-both"},
    };
    custos_charge *small = charge("laplace:epsilon=0.01"),
                  *large = charge("laplace:epsilon=40");
    custos_filter_facts facts = CUSTOS_FILTER_FACTS_INIT;
    char want[80];
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        custos_filter *f = filter(kinds[i].o);

        assert_true(admit_all(f, small, 3) == 3);
        assert_int_equal(custos_filter_admit(f, large, &err), CUSTOS_ESPENT);
        snprintf(want, sizeof want, "this needs %s ",
                 i == 5 ? "epsilon" : kinds[i].currency);
        assert_non_null(strstr(whole_said(&err), want));
        assert_true(admit_all(f, small, 100000) > 50);
        assert_int_equal(custos_filter_report(f, &facts, NULL), CUSTOS_OK);
        assert_string_equal(facts.currency, kinds[i].currency);
        assert_string_equal(facts.theorem, kinds[i].theorem);
        custos_filter_free(f);
    }
    custos_charge_free(small);
    custos_charge_free(large);
}

/* Limits beyond the largest amount do not admit an infinite charge. */
static void
filter_with_huge_limits(void **state)
{
    custos_filter *f = filter((custos_filter_options){
        .kind = CUSTOS_FILTER_RDP,
        .delta = "1e-6",
        .like = "gaussian:sigma=1/1000:count=9223372036854775807"});
    custos_charge *c =
        charge("gaussian:sigma=1/1000:count=9223372036854775808");

    (void)state;
    assert_int_equal(admit_all(f, c, 10), 0);
    custos_filter_free(f);
    custos_charge_free(c);
}

/* ------------------------------------- the promise, against all analysts -- */

/*
 * The queries are randomized responses of a few epsilons. The analyst chooses
 * each one after seeing the earlier answers, as long as the filter admits it.
 * By the theorem of the dominating pair these are the worst pure charges. The
 * value of a state is the largest P(S) - e^eps Q(S), per unit of P, over all
 * ways to continue. It is exact up to the rounding of doubles and covers every
 * analyst.
 */
enum { MENU = 2, DEPTH = 14 };

struct game {
    double epsilon;     /* of the promise */
    double price[MENU]; /* epsilon of each query */
    struct charge charge[MENU];
    double seen[DEPTH + 1][DEPTH + 1][2 * DEPTH + 1][2 * DEPTH + 1];
};

/*
 * n[i] queries of kind i were asked; net[i] is how many of their answers raised
 * the loss, minus how many lowered it.
 */
static double
play(struct game *g, const struct filter *f, const int n[MENU],
     const int net[MENU])
{
    double *known = &g->seen[n[0]][n[1]][net[0] + DEPTH][net[1] + DEPTH];
    double loss = net[0] * g->price[0] + net[1] * g->price[1];
    double best = loss > g->epsilon ? -expm1(g->epsilon - loss) : 0;

    if (*known >= 0)
        return *known;
    for (int i = 0; i < MENU; i++) {
        int more[MENU] = {n[0] + (i == 0), n[1] + (i == 1)};
        int up[MENU] = {net[0] + (i == 0), net[1] + (i == 1)};
        int down[MENU] = {net[0] - (i == 0), net[1] - (i == 1)};
        double p = 1 / (1 + exp(-g->price[i])), v;
        struct filter next = *f;

        if (n[0] + n[1] == DEPTH ||
            filter_admit(&next, &g->charge[i], NULL) != CUSTOS_OK)
            continue;
        v = p * play(g, &next, more, up) + (1 - p) * play(g, &next, more, down);
        best = v > best ? v : best;
    }
    return *known = best;
}

static double
worst_delta(struct game *g, const struct filter *f)
{
    static const int none[MENU];
    double *all = &g->seen[0][0][0][0];

    for (size_t i = 0; i < sizeof g->seen / sizeof *all; i++)
        all[i] = -1;
    return play(g, f, none, none);
}

static void
game_query(struct game *g, int i, const char *epsilon)
{
    char text[64];
    struct mechanism m;

    snprintf(text, sizeof text, "randomized-response:epsilon=%s", epsilon);
    mechanism_init(&m);
    assert_int_equal(mechanism_read(text, CUSTOS_ADD_REMOVE, &m, NULL),
                     CUSTOS_OK);
    charge_of_mechanism(&m, &g->charge[i]);
    g->price[i] = mpq_get_d(m.epsilon.q);
    mechanism_clear(&m);
}

static void
filter_best_against_all_analysts(void **state)
{
    static const struct {
        const char *epsilon, *delta, *menu[MENU];
    } cases[] = {
        {"1", "0.1", {"0.3", "0.5"}},    {"1", "0.05", {"0.2", "0.5"}},
        {"2", "0.1", {"0.5", "1"}},      {"0.5", "0.2", {"0.2", "0.25"}},
        {"1.2", "0.2", {"0.4", "0.21"}}, {"3", "0.01", {"1", "0.4"}},
    };
    struct game *g = malloc(sizeof *g);
    size_t used = 0, broken = 0;

    (void)state;
    assert_non_null(g);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        custos_filter_options o = {.size = sizeof o,
                                   .epsilon = cases[i].epsilon,
                                   .delta = cases[i].delta};
        double delta = strtod(cases[i].delta, NULL), worst;
        struct filter f;

        assert_int_equal(filter_init(&f, &o, NULL), CUSTOS_OK);
        g->epsilon = strtod(cases[i].epsilon, NULL);
        for (int k = 0; k < MENU; k++)
            game_query(g, k, cases[i].menu[k]);
        worst = worst_delta(g, &f);
        assert_true(worst <= delta * (1 + 1e-12));
        used += worst > 0;
        /* The analysts are strong enough to break a limit that is too large. */
        f.limit[1] *= 5;
        broken += worst_delta(g, &f) > delta;
    }
    assert_true(used >= 4);
    assert_true(broken >= 4);
    free(g);
}

/* ----------------------------------------------------- bytes and misuse -- */

static void
filter_saves_and_loads(void **state)
{
    custos_filter *f = filter(
                      (custos_filter_options){.epsilon = "1", .delta = "1e-6"}),
                  *g = NULL;
    custos_charge *c = charge("laplace:epsilon=0.25");
    uint8_t bytes[CUSTOS_FILTER_BYTES], bad[CUSTOS_FILTER_BYTES];

    (void)state;
    assert_int_equal(admit_all(f, c, 3), 3);
    assert_int_equal(custos_filter_save(f, bytes, NULL), CUSTOS_OK);
    assert_int_equal(custos_filter_load(NULL, bytes, sizeof bytes, &g, NULL),
                     CUSTOS_OK);
    assert_int_equal(admit_all(g, c, 10), 1);
    custos_filter_free(g);
    g = NULL;
    assert_int_equal(custos_filter_load(NULL, bytes, 599, &g, NULL),
                     CUSTOS_EINVAL);
    for (size_t at = 0; at < 24; at++) { /* a bit of each header byte */
        memcpy(bad, bytes, sizeof bad);
        bad[at] ^= 0x80;
        assert_int_equal(custos_filter_load(NULL, bad, sizeof bad, &g, NULL),
                         CUSTOS_EINVAL);
    }
    memcpy(bad, bytes, sizeof bad);
    memset(bad + 24 + 4 * 16 + 16 * 16, 0xff, 32); /* sums above the limits */
    assert_int_equal(custos_filter_load(NULL, bad, sizeof bad, &g, NULL),
                     CUSTOS_EINVAL);
    assert_null(g);
    custos_filter_free(f);
    custos_charge_free(c);
}

/* A million charges, each a millionth of the budget, fill it exactly. */
static void
filter_is_linear(void **state)
{
    custos_filter *f = filter(
        (custos_filter_options){.kind = CUSTOS_FILTER_PURE, .epsilon = "1000"});
    custos_charge *c = charge("laplace:epsilon=0.001");

    (void)state;
    assert_int_equal(admit_all(f, c, 2000000), 1000000);
    custos_filter_free(f);
    custos_charge_free(c);
}

static void
check_refused(custos_filter_options o, custos_status want, const char *word)
{
    custos_filter *f = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    o.size = sizeof o;
    assert_int_equal(custos_filter_new(NULL, &o, &f, &err), want);
    assert_null(f);
    if (!strstr(whole_said(&err), word))
        fail_msg("\"%s\" lacks \"%s\"", err.said, word);
}

static void
filter_refuses(void **state)
{
    custos_filter *f =
        filter((custos_filter_options){.epsilon = "1", .delta = "1e-6"});
    custos_charge *c = charge("laplace:epsilon=1"), *none = NULL;
    custos_charge_options co = {.size = sizeof co};
    custos_filter_facts facts = CUSTOS_FILTER_FACTS_INIT;
    uint8_t bytes[CUSTOS_FILTER_BYTES];

    (void)state;
    check_refused((custos_filter_options){.delta = "1e-6"}, CUSTOS_EPARSE,
                  "epsilon");
    check_refused((custos_filter_options){.epsilon = "-1", .delta = "1e-6"},
                  CUSTOS_ERANGE, "epsilon");
    check_refused((custos_filter_options){.epsilon = "nan", .delta = "1e-6"},
                  CUSTOS_EPARSE, "epsilon");
    check_refused((custos_filter_options){.epsilon = "1e30", .delta = "1e-6"},
                  CUSTOS_ERANGE, "epsilon");
    check_refused((custos_filter_options){.epsilon = "1e-30", .delta = "1e-6"},
                  CUSTOS_ERANGE, "epsilon");
    check_refused((custos_filter_options){.epsilon = "1",
                                          .delta = "1e-6",
                                          .like = "gaussian:sigma=1"},
                  CUSTOS_EINVAL, "curve");
    check_refused((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                          .delta = "1e-6",
                                          .order = "2",
                                          .like = "gaussian:sigma=1"},
                  CUSTOS_EINVAL, "neither");
    check_refused((custos_filter_options){.kind = CUSTOS_FILTER_PURE,
                                          .epsilon = "1",
                                          .delta = "1e-6",
                                          .member_delta = "1e-5"},
                  CUSTOS_ERANGE, "delta");
    check_refused((custos_filter_options){.epsilon = "1"}, CUSTOS_ERANGE,
                  "delta");
    check_refused((custos_filter_options){.epsilon = "1", .delta = "1"},
                  CUSTOS_ERANGE, "delta");
    check_refused((custos_filter_options){.epsilon = "1",
                                          .delta = "1e-6",
                                          .member_delta = "x"},
                  CUSTOS_EPARSE, "member delta");
    check_refused((custos_filter_options){.epsilon = "1",
                                          .delta = "1e-6",
                                          .member_delta = "5e-7"},
                  CUSTOS_ERANGE, "twice");
    check_refused((custos_filter_options){.kind = 9, .epsilon = "1"},
                  CUSTOS_EINVAL, "filter");
    check_refused(
        (custos_filter_options){.epsilon = "1", .delta = "1e-6", .order = "2"},
        CUSTOS_EINVAL, "order");
    check_refused((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                          .epsilon = "1",
                                          .delta = "1e-6",
                                          .order = "2.5"},
                  CUSTOS_ERANGE, "order");
    check_refused((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                          .epsilon = "1",
                                          .delta = "1e-6",
                                          .order = "-"},
                  CUSTOS_EPARSE, "order");
    check_refused((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                          .epsilon = "1",
                                          .delta = "1e-6",
                                          .member_delta = "1e-7"},
                  CUSTOS_EINVAL, "member_delta");
    check_refused((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                          .epsilon = "1",
                                          .delta = "1e-6",
                                          .like = "gaussian:sigma=1"},
                  CUSTOS_EINVAL, "neither");
    check_refused((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                          .delta = "1e-6",
                                          .like = "gaussian:sigma=-1"},
                  CUSTOS_ERANGE, "sigma of gaussian");
    check_refused((custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                          .delta = "1e-6",
                                          .like = "generic:epsilon=1:delta=x"},
                  CUSTOS_EPARSE, "delta of generic");
    check_refused(
        (custos_filter_options){.kind = CUSTOS_FILTER_RDP,
                                .delta = "1e-6",
                                .like = "generic:epsilon=1:delta=0.1"},
        CUSTOS_EINVAL, "curve");
    assert_int_equal(custos_filter_new(NULL, NULL, &f, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_filter_new(NULL, NULL, NULL, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_filter_admit(f, NULL, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_filter_admit(NULL, c, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_filter_report(NULL, &facts, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_filter_report(f, NULL, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_filter_save(NULL, bytes, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_filter_save(f, NULL, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_filter_load(NULL, NULL, 600, &f, NULL),
                     CUSTOS_EINVAL);
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_charge_new(NULL, NULL, &none, NULL), CUSTOS_EINVAL);
    assert_int_equal(custos_charge_new(NULL, &co, NULL, NULL), CUSTOS_EINVAL);
    co.epsilon = "1e20";
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_ERANGE);
    co.epsilon = "1";
    co.rho = "0";
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_ERANGE);
    co.rho = "0.1";
    co.delta = "2";
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_ERANGE);
    co.mechanism = "laplace:epsilon=1";
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_EINVAL);
    co.epsilon = NULL;
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_EINVAL);
    co.rho = NULL;
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_EINVAL);
    co = (custos_charge_options){.size = sizeof co,
                                 .mechanism = "laplace:epsilon=1:sample=0.5",
                                 .adjacency = CUSTOS_CHANGE_ONE};
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_EINVAL);
    co = (custos_charge_options){.size = sizeof co, .epsilon = "1e-30"};
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_ERANGE);
    co = (custos_charge_options){.size = sizeof co, .mechanism = "laplace"};
    assert_int_equal(custos_charge_new(NULL, &co, &none, NULL), CUSTOS_EINVAL);
    assert_null(none);
    custos_filter_free(f);
    custos_charge_free(c);
    custos_filter_free(NULL);
    custos_charge_free(NULL);
}

/* A charge made from amounts of epsilon, rho and delta. */
static void
charge_takes_amounts(void **state)
{
    custos_charge_options o = {
        .size = sizeof o, .epsilon = "2", .rho = "0.02", .delta = "1e-7"};
    custos_charge *c = NULL;
    const custos_charge_facts *facts;

    (void)state;
    assert_int_equal(custos_charge_new(NULL, &o, &c, NULL), CUSTOS_OK);
    facts = custos_charge_report(c);
    assert_string_equal(facts->epsilon, "2");
    assert_string_equal(facts->rho, "0.02");
    assert_string_equal(facts->delta, "0.0000001");
    custos_charge_free(c);
    /* If the rho given is too large, the rho that epsilon implies is used. */
    o.rho = "50";
    assert_int_equal(custos_charge_new(NULL, &o, &c, NULL), CUSTOS_OK);
    assert_int_equal(strncmp(custos_charge_report(c)->rho, "1.52318831191", 13),
                     0);
    custos_charge_free(c);
    o = (custos_charge_options){.size = sizeof o, .rho = "0.5"};
    assert_int_equal(custos_charge_new(NULL, &o, &c, NULL), CUSTOS_OK);
    assert_string_equal(custos_charge_report(c)->epsilon, "infinity");
    custos_charge_free(c);
    o = (custos_charge_options){.size = sizeof o, .epsilon = "0.5"};
    assert_int_equal(custos_charge_new(NULL, &o, &c, NULL), CUSTOS_OK);
    assert_string_equal(custos_charge_report(c)->epsilon, "0.5");
    custos_charge_free(c);
}

static void
filter_survives_lack_of_memory(void **state)
{
    struct test_memory memory = {.fail_at = 1};
    custos_alloc alloc = test_alloc(&memory);
    custos_filter_options o = {
        .size = sizeof o, .epsilon = "1", .delta = "1e-6"};
    custos_charge_options co = {.size = sizeof co,
                                .mechanism = "laplace:epsilon=1"};
    custos_filter *f = NULL;
    custos_charge *c = NULL;
    uint8_t bytes[CUSTOS_FILTER_BYTES];

    (void)state;
    assert_int_equal(custos_filter_new(&alloc, &o, &f, NULL), CUSTOS_ENOMEM);
    assert_null(f);
    assert_int_equal(custos_filter_new(&alloc, &o, &f, NULL), CUSTOS_OK);
    assert_int_equal(custos_filter_save(f, bytes, NULL), CUSTOS_OK);
    custos_filter_free(f);
    f = NULL;
    memory.fail_at = memory.takes + 1;
    assert_int_equal(custos_filter_load(&alloc, bytes, sizeof bytes, &f, NULL),
                     CUSTOS_ENOMEM);
    memory.fail_at = memory.takes + 1;
    assert_int_equal(custos_charge_new(&alloc, &co, &c, NULL), CUSTOS_ENOMEM);
    co.mechanism = "laplace:epsilon=x";
    assert_int_equal(custos_charge_new(&alloc, &co, &c, NULL), CUSTOS_EPARSE);
    assert_null(f);
    assert_null(c);
    assert_int_equal(memory.live, 0);
}

/*
 * A filter resumed with a sum equals one that admitted the same charge, and the
 * epsilon it says is left is the largest that it admits.
 */
static void
filter_resume_and_left(void **state)
{
    static const char *const deltas[] = {NULL, "1e-6"};
    static const char *const spends[] = {"0", "0.01", "0.37", "1", "1.5"};
    rat x[2];

    (void)state;
    rats_init(x, 2);
    for (int k = 0; k < 2; k++) {
        custos_filter_options o = {.size = sizeof o,
                                   .epsilon = "1",
                                   .delta = deltas[k],
                                   .kind = k ? CUSTOS_FILTER_BEST
                                             : CUSTOS_FILTER_PURE};
        for (size_t i = 0; i < COUNT_OF(spends); i++) {
            struct filter f, g, copy;
            struct charge c;
            amount left;

            assert_int_equal(filter_init(&f, &o, NULL), CUSTOS_OK);
            g = f;
            assert_int_equal(rat_read(spends[i], "x", &x[0], NULL), CUSTOS_OK);
            charge_of_price(&x[0], NULL, &x[1], &c);
            filter_resume(&f, &c);
            if (filter_admit(&g, &c, NULL) == CUSTOS_OK)
                assert_memory_equal(&f.sum, &g.sum, 2 * sizeof f.sum[0]);
            left = filter_left_epsilon(&f);
            if (i == 4)
                assert_true(left == 0);
            if (left) {
                amount_to_rat(left, AMOUNT_LOSS, &x[0]);
                charge_of_price(&x[0], NULL, &x[1], &c);
                copy = f;
                assert_int_equal(filter_admit(&copy, &c, NULL), CUSTOS_OK);
            }
            amount_to_rat(left + 1, AMOUNT_LOSS, &x[0]);
            charge_of_price(&x[0], NULL, &x[1], &c);
            assert_int_equal(filter_admit(&f, &c, NULL), CUSTOS_ESPENT);
        }
    }
    rats_clear(x, 2);
}

/*
 * charge_of_price agrees with charge_of_amounts in epsilon, rho and delta; its
 * other currencies are infinite.
 */
static void
charge_of_price_agrees(void **state)
{
    struct charge a, b;
    rat x[3];

    (void)state;
    rats_init(x, 3);
    rat_set_i64(&x[0], 1, 3);
    rat_set_i64(&x[1], 1, 50);
    rat_set_i64(&x[2], 1, 1000000);
    for (int i = 1; i < 8; i++) {
        const rat *epsilon = i & 1 ? &x[0] : NULL;
        const rat *rho = i & 2 ? &x[1] : NULL;

        rat_set_i64(&x[2], i & 4 ? 1 : 0, 1000000);
        if (!epsilon && !rho)
            continue;
        charge_of_amounts(epsilon, rho, &x[2], NULL, &a);
        charge_of_price(epsilon, rho, &x[2], &b);
        assert_true(a.epsilon == b.epsilon && a.rho == b.rho &&
                    a.delta == b.delta);
        assert_true(b.mu_squared == AMOUNT_INFINITE &&
                    b.epsilon_squared == AMOUNT_INFINITE &&
                    b.loss[0] == AMOUNT_INFINITE);
    }
    rats_clear(x, 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_resume_and_left),
        cmocka_unit_test(charge_of_price_agrees),
        cmocka_unit_test(filter_exhausts_exactly),
        cmocka_unit_test(filter_refused_adds_nothing),
        cmocka_unit_test(charge_rounds_up),
        cmocka_unit_test(charge_takes_amounts),
        cmocka_unit_test(filter_approx_limit_is_its_formula),
        cmocka_unit_test(filter_zcdp_admits_the_plan),
        cmocka_unit_test(filter_rdp_orders),
        cmocka_unit_test(filter_gdp_refuses_the_discrete_gaussian),
        cmocka_unit_test(filter_gdp_limit),
        cmocka_unit_test(filter_best_of_both),
        cmocka_unit_test(filter_best_refuses_by_the_lane_alive),
        cmocka_unit_test(charge_of_a_sample_needs_adjacency),
        cmocka_unit_test(filter_says_what_is_left),
        cmocka_unit_test(filter_with_huge_limits),
        cmocka_unit_test(filter_best_against_all_analysts),
        cmocka_unit_test(filter_saves_and_loads),
        cmocka_unit_test(filter_is_linear),
        cmocka_unit_test(filter_refuses),
        cmocka_unit_test(filter_survives_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
