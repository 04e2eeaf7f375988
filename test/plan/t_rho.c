/*
 * Prices in rho: what they are charged, what noise they buy, what cannot have
 * one, and what EXPLAIN offers.
 */
#include <math.h>
#include <stdlib.h>

#include "account/filter.h"
#include "plan/hospital.h"
#include "support/said.h"

/* In units of 10^-20, rounded up. */
static amount
units(const char *text)
{
    amount a;
    rat r;

    rat_init(&r);
    assert_int_equal(rat_read(text, "amount", &r, NULL), CUSTOS_OK);
    a = amount_from_rat_up(&r, AMOUNT_LOSS);
    rat_clear(&r);
    return a;
}

static double
scale_of(const struct part *part)
{
    return strtod(custos_mech_facts(part->mech)->scale, NULL);
}

#define IN_RHO(price)                                                          \
    {                                                                          \
        .delta = "1e-4", .max_rho = "1", .rho = (price), .least = NO_LEAST     \
    }

static void
a_price_in_rho_is_charged_in_rho_alone(void **state)
{
    static const char *const asked[] = {
        "SELECT count(*) FROM patients",
        "SELECT city, sum(age), avg(weight) FROM patients GROUP BY city",
        "SELECT ward, var_pop(age), count(*) FROM patients GROUP BY ward",
        "SELECT level, count(DISTINCT patient_id) FROM visits GROUP BY level",
    };
    const struct asked with = IN_RHO("0.005");

    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        struct planned t;
        rat sum;

        plan_good(&t, asked[i], &with);
        assert_true(t.plan->in_rho && !t.plan->raised);
        assert_true(t.plan->charge.epsilon == AMOUNT_INFINITE);
        assert_true(t.plan->charge.rho == units("0.005"));
        assert_true(t.plan->charge.delta == 0);
        assert_true(has_theorem(t.plan, "price-in-rho"));
        assert_false(has_theorem(t.plan, "laplace-discrete"));
        rat_init(&sum);
        for (size_t k = 0; k < t.plan->n_parts; k++) {
            const struct part *part = &t.plan->parts[k];
            const custos_facts *f = custos_mech_facts(part->mech);

            assert_int_equal(f->law, CUSTOS_DISCRETE_GAUSSIAN);
            assert_string_equal(f->epsilon, "infinity");
            assert_string_equal(f->theorem, "gauss-rho");
            rat_add(&sum, &sum, &part->rho);
        }
        assert_true(rat_is(&sum, "0.005"));
        rat_clear(&sum);
        plan_done(&t);
    }
}

/* The noise of each part has variance D2^2 / (2 rho_i). */
static void
a_price_in_rho_buys_gaussian_noise(void **state)
{
    struct asked with = IN_RHO("0.005");
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT count(*) FROM patients", &with);
    assert_string_equal(custos_mech_facts(t.plan->parts[0].mech)->scale, "10");
    assert_true(t.plan->parts[0].bar == 20);
    plan_done(&t);
    with.adjacency = "change-one"; /* l2 squared is 2 */
    plan_good(&t, "SELECT ward, count(*) FROM patients GROUP BY ward", &with);
    assert_true(fabs(scale_of(&t.plan->parts[0]) - sqrt(200)) < 1e-9);
    plan_done(&t);
    /* The parts of a variance weigh 1, 4, 1: their roots share the price. */
    with.adjacency = NULL;
    plan_good(&t, "SELECT var_pop(age) FROM patients", &with);
    assert_int_equal(t.plan->n_parts, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(
            rat_is(&t.plan->parts[i].rho,
                   t.plan->parts[i].kind == PART_SUM ? "0.0025" : "0.00125"));
    plan_done(&t);
}

/* Where filters count it, the epsilon lane is past its limit for good. */
static void
a_price_in_rho_spends_the_epsilon_lane(void **state)
{
    const struct asked in_rho = IN_RHO("0.005");
    const struct asked in_epsilon = {.delta = "1e-4", .epsilon = "0.1"};
    struct planned r, e;
    struct filter both, pure;

    (void)state;
    plan_good(&r, "SELECT count(*) FROM patients", &in_rho);
    plan_good(&e, "SELECT count(*) FROM patients", &in_epsilon);
    assert_int_equal(filter_of_promise("100", "1e-4", &both, NULL), CUSTOS_OK);
    assert_int_equal(filter_of_promise("100", "0", &pure, NULL), CUSTOS_OK);
    assert_int_equal(filter_admit(&both, &e.plan->charge, NULL), CUSTOS_OK);
    assert_int_equal(filter_lane(&both), 0);
    assert_int_equal(filter_admit(&both, &r.plan->charge, NULL), CUSTOS_OK);
    assert_int_equal(filter_lane(&both), 1);
    assert_true(both.sum[0] == AMOUNT_INFINITE);
    assert_true(both.sum[1] == e.plan->charge.rho + units("0.005"));
    assert_int_equal(filter_admit(&both, &e.plan->charge, NULL), CUSTOS_OK);
    assert_int_equal(filter_admit(&pure, &r.plan->charge, NULL), CUSTOS_ESPENT);
    assert_int_equal(filter_admit(&pure, &e.plan->charge, NULL), CUSTOS_OK);
    plan_done(&r);
    plan_done(&e);
}

static void
a_tiny_price_in_rho_is_raised(void **state)
{
    struct asked with = IN_RHO("1e-9");
    struct planned t;
    struct buf b;

    (void)state;
    with.least = "min_epsilon: 0.1, min_rho: 0.25";
    plan_good(&t, "SELECT count(*) FROM patients", &with);
    assert_true(t.plan->raised);
    assert_true(t.plan->charge.epsilon == AMOUNT_INFINITE);
    assert_true(t.plan->charge.rho == units("0.25"));
    buf_init(&b, NULL, 1 << 16);
    plan_explain(t.plan, &b);
    assert_non_null(strstr(buf_text(&b),
                           "price      rho 0.25, delta 0\n           raised to "
                           "the policy's minimum; noise as for rho "
                           "0.000000001\n           no epsilon bounds it"));
    buf_clear(&b);
    plan_done(&t);
}

static void
refuses(const char *sql, const struct asked *asked, custos_status st,
        const char *said)
{
    struct planned t;

    plan_for(&t, sql, asked);
    if (t.status != st || !strstr(whole_said(&t.err), said))
        fail_msg("%s\n%d: %s", sql, (int)t.status, whole_said(&t.err));
    plan_done(&t);
}

static void
what_cannot_be_priced_in_rho(void **state)
{
    static const char count[] = "SELECT count(*) FROM patients";
    static const char option[] = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(rho "
                                 "= 0.01) count(*) FROM patients";
    struct asked with = IN_RHO("0.01");

    (void)state;
    refuses("SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis",
            &with, CUSTOS_EUNSUPPORTED,
            "the groups of diagnosis are discovered in the data");
    refuses("SELECT count(*) FROM people", &with, CUSTOS_EUNSUPPORTED,
            "the bound on rows per unit of people is chosen from the data");
    refuses("SELECT count(*, epsilon => 1) FROM patients", &with, CUSTOS_EINVAL,
            "an epsilon of its own");
    with.within = "10";
    refuses(count, &with, CUSTOS_EINVAL, "ask by rho or by accuracy");
    with.within = NULL;
    with.epsilon = "1";
    refuses(count, &with, CUSTOS_EINVAL,
            "ask for a price in epsilon or in rho, not in both");
    with.rho = NULL;
    refuses(option, &with, CUSTOS_EINVAL,
            "ask for a price in epsilon or in rho, not in both");
    with.epsilon = NULL;
    with.rho = "0.02";
    refuses(option, &with, CUSTOS_EINVAL,
            "rho is asked for twice, as 0.01 and 0.02");
    with.rho = "1.0000001";
    refuses(count, &with, CUSTOS_EDENIED,
            "one query may cost a rho of at most 1, the policy's cap");
    with.rho = "1e-40";
    refuses(count, &with, CUSTOS_ERANGE, "at this rho the noise would exceed");
    with.rho = "-1";
    refuses(count, &with, CUSTOS_ERANGE, "rho must be above 0");
    with.rho = "infinity";
    refuses(count, &with, CUSTOS_EPARSE, "rho");
    with.max_rho = NULL;
    with.rho = "1e-9";
    refuses(count, &with, CUSTOS_EDENIED,
            "the policy does not allow prices in rho; ask for a price in "
            "epsilon");
}

static void
explain_of(const struct planned *t, struct buf *b)
{
    buf_init(b, NULL, 1 << 16);
    plan_explain(t->plan, b);
    assert_false(b->failed);
}

/* What is offered is true: asked at that rho, the noise deviates as said. */
static void
an_offer_is_true(void **state)
{
    static const struct {
        const char *sql;
        int percent;
    } rows[] = {
        {"SELECT age, count(*) FROM patients GROUP BY age", 29},
        {"SELECT room, count(*) FROM visits GROUP BY room", 28},
        {"SELECT room, sum(cost), count(*) FROM visits GROUP BY room", 28},
        {"SELECT age, var_pop(weight) FROM patients GROUP BY age", 25},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct asked with = {.delta = "1e-4",
                             .max_rho = "1",
                             .epsilon = "0.1",
                             .least = NO_LEAST};
        struct planned e, r;
        char price[64], want[64];
        double worst = 0;
        struct buf b, at;

        plan_good(&e, rows[i].sql, &with);
        explain_of(&e, &b);
        snprintf(want, sizeof want, "would deviate %d %% less; but no epsilon",
                 rows[i].percent);
        if (!strstr(buf_text(&b), want))
            fail_msg("%s\n%s", rows[i].sql, buf_text(&b));
        buf_init(&at, NULL, 1 << 12);
        rat_write(&e.plan->rho, &at);
        snprintf(price, sizeof price, "%.20f", strtod(buf_text(&at), NULL));
        if (strchr(buf_text(&at), '/'))
            snprintf(price, sizeof price, "%.20f",
                     strtod(buf_text(&at), NULL) /
                         strtod(strchr(buf_text(&at), '/') + 1, NULL));
        with.epsilon = NULL;
        with.rho = price;
        plan_good(&r, rows[i].sql, &with);
        assert_int_equal(e.plan->n_parts, r.plan->n_parts);
        for (size_t k = 0; k < r.plan->n_parts; k++) {
            double ratio = scale_of(&r.plan->parts[k]) /
                           (sqrt(2) * scale_of(&e.plan->parts[k]));

            worst = ratio > worst ? ratio : worst;
        }
        if ((int)floor(100 * (1 - worst) + 1e-6) != rows[i].percent)
            fail_msg("%s: %.4f", rows[i].sql, worst);
        buf_clear(&b);
        buf_clear(&at);
        plan_done(&e);
        plan_done(&r);
    }
}

static void
nothing_is_offered_in_vain(void **state)
{
    static const struct {
        const char *sql;
        struct asked asked;
    } rows[] = {
        {"SELECT age, count(*) FROM patients GROUP BY age",
         {.delta = "1e-4"}}, /* not allowed */
        {"SELECT age, count(*) FROM patients GROUP BY age",
         {.delta = "1e-4", .max_rho = "0.001"}}, /* above the cap */
        {"SELECT ward, count(*) FROM patients GROUP BY ward",
         {.delta = "1e-4", .max_rho = "1"}}, /* few values */
        {"SELECT age, count(*) FROM patients GROUP BY age",
         {.delta = "1e-4", .max_rho = "1", .rho = "0.005"}},
        {"SELECT age, count(*) FROM patients GROUP BY age",
         {.delta = "1e-4", .max_rho = "1", .epsilon = "1e-9"}}, /* raised */
        {"SELECT age, median(weight) FROM patients GROUP BY age",
         {.delta = "1e-4", .max_rho = "1"}},
        {"SELECT diagnosis, age, count(*) FROM patients GROUP BY diagnosis, "
         "age",
         {.delta = "1e-4", .max_rho = "1", .epsilon = "1"}},
        {"SELECT name FROM cities", {.delta = "1e-4", .max_rho = "1"}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct planned t;
        struct buf b;

        plan_good(&t, rows[i].sql, &rows[i].asked);
        explain_of(&t, &b);
        if (strstr(buf_text(&b), "\nin rho "))
            fail_msg("%s\n%s", rows[i].sql, buf_text(&b));
        buf_clear(&b);
        plan_done(&t);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_price_in_rho_is_charged_in_rho_alone),
        cmocka_unit_test(a_price_in_rho_buys_gaussian_noise),
        cmocka_unit_test(a_price_in_rho_spends_the_epsilon_lane),
        cmocka_unit_test(a_tiny_price_in_rho_is_raised),
        cmocka_unit_test(what_cannot_be_priced_in_rho),
        cmocka_unit_test(an_offer_is_true),
        cmocka_unit_test(nothing_is_offered_in_vain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
