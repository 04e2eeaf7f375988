/*
 * One Gaussian for several parts: where it is chosen, that what is drawn is
 * certified, and what it costs.
 */
#include <math.h>
#include <stdlib.h>

#include "mech/gauss_delta.h"
#include "num/batch.h"
#include "num/rat_double.h"
#include "plan/hospital.h"
#include "plan/work.h"

enum { SQL_MAX = 4096 };

/* SELECT first, sum(age + 1), ... sum(age + n) FROM patients */
static const char *
sums(const char *first, int n)
{
    static char sql[SQL_MAX];
    size_t len = (size_t)snprintf(sql, sizeof sql, "SELECT %s", first);

    for (int i = 1; i <= n; i++)
        len += (size_t)snprintf(sql + len, sizeof sql - len, "%ssum(age + %d)",
                                len > 7 ? ", " : "", i);
    snprintf(sql + len, sizeof sql - len, " FROM patients");
    return sql;
}

static size_t
count_joint(const struct plan *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_parts; i++)
        n += p->parts[i].joint;
    return n;
}

/* Few numbers get Laplace noise, many get one Gaussian, and no bar is longer than
   that of Laplace noise. */
static void
joint_wins_where_it_is_better(void **state)
{
    static const struct {
        int sums;
        bool joint;
    } rows[] = {{1, false}, {2, false}, {4, false}, {16, true}, {40, true}};
    struct asked approx = {.delta = "1e-4", .epsilon = "1"};
    struct asked pure = {.epsilon = "1"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct planned t, l;

        plan_good(&t, sums("", rows[i].sums), &approx);
        plan_good(&l, sums("", rows[i].sums), &pure);
        assert_int_equal(count_joint(t.plan),
                         rows[i].joint ? (size_t)rows[i].sums : 0);
        for (size_t k = 0; k < t.plan->n_parts; k++) {
            const struct part *part = &t.plan->parts[k];

            assert_true(part->bar <= l.plan->parts[k].bar);
            assert_true(!part->joint || part->bar < l.plan->parts[k].bar);
        }
        plan_done(&t);
        plan_done(&l);
    }
}

/* 16 sums deviate about 4 times less than with a Gaussian each. */
static void
joint_gains_the_root_of_the_number(void **state)
{
    struct asked asked = {.delta = "1e-4", .epsilon = "1"};
    char sigma[CUSTOS_NUMBER_MAX];
    struct planned t;
    double gain;

    (void)state;
    plan_good(&t, sums("", 16), &asked);
    /* each at epsilon / 16 and delta / 16, where sum(age + 1) moves by 121 */
    assert_int_equal(custos_gauss_sigma(CUSTOS_EXACT, "1/16", "1/160000000",
                                        "14641", sigma, NULL),
                     CUSTOS_OK);
    gain = strtod(sigma, NULL) /
           strtod(custos_mech_facts(t.plan->parts[0].mech)->scale, NULL);
    if (gain < 3.7 || gain > 4.3)
        fail_msg("%g times", gain);
    plan_done(&t);
}

/*
 * The scales in use, as one vector, keep epsilon and delta by the theorem; with
 * 0.1 % less noise they would not. Parts of very different sensitivities and
 * weights are among them.
 */
static void
joint_is_certified_as_drawn(void **state)
{
    static const char *const firsts[] = {"", "count(*), var_pop(weight)",
                                         "avg(age), count(distinct id)"};
    struct asked asked = {.delta = "1e-4", .epsilon = "1", .least = NO_LEAST};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(firsts); i++) {
        struct gauss_point p;
        struct planned t;
        rat x[4]; /* delta, sum of D^2/v, scratch */
        size_t n = 0;

        plan_good(&t, sums(firsts[i], 20), &asked);
        gauss_point_init(&p);
        rats_init(x, 4);
        for (size_t k = 0; k < t.plan->n_parts; k++) {
            const struct part *part = &t.plan->parts[k];

            if (!part->joint)
                continue;
            assert_int_equal(rat_read(custos_mech_facts(part->mech)->scale,
                                      "sigma", &x[2], NULL),
                             CUSTOS_OK);
            rat_mul(&x[2], &x[2], &x[2]);
            if (n++ == 0 || rat_cmp(&x[2], &p.variance) < 0)
                rat_set(&p.variance, &x[2]);
            rat_div(&x[3], &part->l2_squared, &x[2]);
            rat_add(&x[1], &x[1], &x[3]);
            rat_add(&x[0], &x[0], &part->delta);
            rat_add(&p.epsilon, &p.epsilon, &part->epsilon);
        }
        assert_true(n >= 20);
        assert_int_equal(rat_cmp(&x[0], &t.plan->delta), 0);
        rat_mul(&p.sensitivity_squared, &x[1], &p.variance);
        assert_true(gauss_delta_at_most(GAUSS_VECTOR, &p, &x[0]));
        rat_set_i64(&x[2], 1002, 1000);
        rat_mul(&p.sensitivity_squared, &p.sensitivity_squared, &x[2]);
        assert_false(gauss_delta_at_most(GAUSS_VECTOR, &p, &x[0]));
        gauss_point_clear(&p);
        rats_clear(x, 4);
        plan_done(&t);
    }
}

/* Epsilon and delta are those of one release, rho adds up and has no delta. */
static void
joint_is_charged_once(void **state)
{
    struct asked asked = {.delta = "1e-4", .epsilon = "1/2", .least = NO_LEAST};
    double rho = 0;
    struct planned t;
    rat x;

    (void)state;
    rat_init(&x);
    plan_good(&t, sums("", 16), &asked);
    for (size_t i = 0; i < t.plan->n_parts; i++) {
        double d = 120 + (double)(i + 1), sigma;

        sigma = strtod(custos_mech_facts(t.plan->parts[i].mech)->scale, NULL);
        rho += d * d / (2 * sigma * sigma);
    }
    rat_set_i64(&x, 1, 2);
    assert_true(t.plan->charge.epsilon == amount_from_rat_up(&x, AMOUNT_LOSS));
    rat_set_i64(&x, 1, 4);
    assert_true(t.plan->charge.epsilon_squared ==
                amount_from_rat_up(&x, AMOUNT_LOSS));
    rat_set_i64(&x, 1, 10000000);
    assert_true(t.plan->charge.delta == amount_from_rat_up(&x, AMOUNT_DELTA));
    assert_true(t.plan->charge.delta_rho == 0);
    amount_to_rat(t.plan->charge.rho, AMOUNT_LOSS, &x);
    assert_true(fabs(rat_double(&x) / rho - 1) < 1e-9);
    rat_clear(&x);
    plan_done(&t);
}

/* Aggregates with an epsilon of their own have a release, and a delta, of their
   own. */
static void
joint_keeps_to_its_owner(void **state)
{
    struct asked asked = {.delta = "1e-4", .epsilon = "1", .least = NO_LEAST};
    struct planned t;
    rat sum, share;

    (void)state;
    rat_init(&sum);
    rat_init(&share);
    plan_good(&t, sums("count(*, epsilon => 0.5)", 19), &asked);
    assert_int_equal(t.plan->n_parts, 20);
    assert_int_equal(count_joint(t.plan), 19);
    for (size_t i = 0; i < t.plan->n_parts; i++) {
        const struct part *part = &t.plan->parts[i];

        assert_int_equal(part->joint, part->owner < 0);
        if (part->joint)
            rat_add(&sum, &sum, &part->epsilon);
        rat_add(&share, &share, &part->delta);
    }
    assert_int_equal(rat_cmp_i64(&sum, 1), -1);
    rat_add(&sum, &sum, &sum);
    assert_int_equal(rat_cmp_i64(&sum, 1), 0);
    rat_set_i64(&sum, 19, 200000000);
    assert_int_equal(rat_cmp(&share, &sum), 0);
    rat_clear(&sum);
    rat_clear(&share);
    plan_done(&t);
}

/* A price by accuracy is found for Laplace noise, so that is used. */
static void
joint_is_not_for_prices_by_accuracy(void **state)
{
    struct asked approx = {.delta = "1e-4", .within = "4000"};
    struct planned t;

    (void)state;
    plan_good(&t, sums("", 12), &approx);
    assert_int_equal(count_joint(t.plan), 0);
    for (size_t i = 0; i < 12; i++)
        assert_true(t.plan->parts[i].bar <= 4000);
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_wins_where_it_is_better),
        cmocka_unit_test(joint_gains_the_root_of_the_number),
        cmocka_unit_test(joint_is_certified_as_drawn),
        cmocka_unit_test(joint_is_charged_once),
        cmocka_unit_test(joint_keeps_to_its_owner),
        cmocka_unit_test(joint_is_not_for_prices_by_accuracy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
