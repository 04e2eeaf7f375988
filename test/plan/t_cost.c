/*
 * What plans cost: textbook examples, groups, parts, and the choice of the more
 * accurate mechanism for the price.
 */
#include "account/laplace.h"
#include "num/batch.h"
#include "plan/price/choose.h"
#include "plan/hospital.h"

/* In units of 10^-20, rounded up. */
static amount
units(const char *text)
{
    custos_err err = CUSTOS_ERR_INIT;
    amount a;
    rat r;

    rat_init(&r);
    if (rat_read(text, "amount", &r, &err))
        fail_msg("%s", text);
    a = amount_from_rat_up(&r, AMOUNT_LOSS);
    rat_clear(&r);
    return a;
}

/*
 * Gaboardi's slides, with noise of scale 1 on every count: eight thresholds one
 * by one cost 8, three attribute means 3, the histogram of all points 2 under
 * change-one and 1 under add/remove.
 */
static void
worked_examples_cost_what_the_sources_say(void **state)
{
    struct asked one = {.adjacency = "change-one", .epsilon = "1"};
    struct asked three = {.adjacency = "change-one", .epsilon = "3"};
    struct asked two = {.adjacency = "change-one", .epsilon = "2"};
    struct asked add = {.epsilon = "1"};
    amount thresholds = 0;
    struct planned t;
    char sql[100];

    (void)state;
    for (int i = 0; i < 8; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) FROM d WHERE x <= %d", i);
        plan_good(&t, sql, &one);
        assert_string_equal(custos_mech_facts(t.plan->parts[0].mech)->scale,
                            "1");
        thresholds = amount_add(thresholds, t.plan->charge.epsilon);
        plan_done(&t);
    }
    assert_true(thresholds == units("8"));

    plan_good(&t, "SELECT sum(d1), sum(d2), sum(d3) FROM d", &three);
    assert_int_equal(t.plan->n_parts, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(custos_mech_facts(t.plan->parts[i].mech)->scale,
                            "1");
    assert_true(t.plan->charge.epsilon == units("3"));
    plan_done(&t);

    plan_good(&t, "SELECT x, count(*) FROM d GROUP BY x", &two);
    assert_string_equal(custos_mech_facts(t.plan->parts[0].mech)->scale, "1");
    assert_true(t.plan->charge.epsilon == units("2"));
    plan_done(&t);

    plan_good(&t, "SELECT x, count(*) FROM d GROUP BY x", &add);
    assert_string_equal(custos_mech_facts(t.plan->parts[0].mech)->scale, "1");
    assert_true(t.plan->charge.epsilon == units("1"));
    plan_done(&t);
}

static void
groups_cost_one_charge(void **state)
{
    struct planned all, groups;

    (void)state;
    plan_good(&all, "SELECT count(*) FROM d", NULL);
    plan_good(&groups, "SELECT x, count(*) FROM d GROUP BY x", NULL);
    assert_int_equal(groups.plan->space.cells, 8);
    assert_true(all.plan->charge.epsilon == groups.plan->charge.epsilon);
    assert_true(all.plan->charge.rho == groups.plan->charge.rho);
    assert_string_equal(custos_mech_facts(all.plan->parts[0].mech)->scale,
                        custos_mech_facts(groups.plan->parts[0].mech)->scale);
    assert_true(has_theorem(groups.plan, "group-parallel"));
    plan_done(&all);
    plan_done(&groups);
}

/*
 * The charge is the sum over the parts: exactly for epsilon and delta, at least
 * the sum for rho.
 */
static void
charge_adds_the_parts(void **state)
{
    static const char *const queries[] = {
        "SELECT count(*) FROM patients",
        "SELECT count(*), sum(age), count(city) FROM patients",
        "SELECT variance(age), avg(weight), count(distinct id) FROM patients",
        ("SELECT level, count(distinct patient_id), count(*) FROM fast GROUP "
         "BY level"),
    };
    struct asked asked = {.delta = "1e-4", .least = NO_LEAST};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct planned t;
        rat x[4];

        plan_good(&t, queries[i], &asked);
        rats_init(x, 4);
        for (size_t k = 0; k < t.plan->n_parts; k++) {
            const struct part *part = &t.plan->parts[k];

            rat_add(&x[0], &x[0], &part->epsilon);
            rat_add(&x[1], &x[1], &part->delta);
            assert_int_equal(part->mech_kind == CUSTOS_GAUSSIAN,
                             rat_sign(&part->delta) > 0);
            if (part->mech_kind == CUSTOS_LAPLACE) {
                laplace_rho_up(&part->epsilon, &part->l1, &part->l2_squared,
                               &x[3]);
                rat_add(&x[2], &x[2], &x[3]);
            }
        }
        assert_int_equal(rat_cmp(&x[0], &t.plan->epsilon), 0);
        assert_int_equal(rat_cmp(&x[1], &t.plan->delta), 0);
        assert_true(rat_cmp(&x[2], &t.plan->rho) <= 0);
        assert_true(t.plan->charge.epsilon == units("0.1"));
        assert_true(t.plan->charge.rho ==
                    amount_from_rat_up(&t.plan->rho, AMOUNT_LOSS));
        assert_true(t.plan->charge.delta ==
                    amount_from_rat_up(&t.plan->delta, AMOUNT_DELTA));
        rats_clear(x, 4);
        plan_done(&t);
    }
}

/*
 * The rho of Gaussian noise holds with no delta. Discovered groups pay their
 * delta beside epsilon and beside rho, and so does a query that has both.
 */
static void
charge_of_gaussians_has_no_delta_in_rho(void **state)
{
    static const char *const queries[] = {
        "SELECT level, count(distinct patient_id) FROM fast GROUP BY level",
        "SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis",
        ("SELECT diagnosis, ward, count(*), sum(age) FROM patients GROUP BY "
         "diagnosis, ward"),
    };
    struct asked asked = {.delta = "1e-4", .least = NO_LEAST};
    size_t gaussians = 0, selections = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct planned t;
        rat apart;

        plan_good(&t, queries[i], &asked);
        rat_init(&apart);
        rat_set(&apart, &t.plan->delta);
        for (size_t k = 0; k < t.plan->n_parts; k++)
            if (t.plan->parts[k].mech_kind == CUSTOS_GAUSSIAN) {
                rat_sub(&apart, &apart, &t.plan->parts[k].delta);
                gaussians++;
            }
        assert_int_equal(rat_cmp(&apart, &t.plan->delta_rho), 0);
        if (t.plan->space.selection) {
            assert_int_equal(
                rat_cmp(&t.plan->space.selection->delta, &t.plan->delta_rho),
                0);
            assert_true(t.plan->charge.delta_rho > 0);
            selections++;
        } else {
            assert_true(t.plan->charge.delta_rho == 0);
        }
        assert_true(t.plan->charge.delta_rho ==
                    amount_from_rat_up(&t.plan->delta_rho, AMOUNT_DELTA));
        rat_clear(&apart);
        plan_done(&t);
    }
    assert_true(gaussians > 0 && selections > 0);
}

/*
 * Gaussian noise is used if it is more accurate, and never under a pure policy.
 */
static void
mechanism_is_the_nearer(void **state)
{
    static const char sql[] =
        "SELECT level, count(distinct patient_id) FROM fast GROUP BY level";
    struct asked approx = {.delta = "1e-4"};
    struct planned pure, both;

    (void)state;
    plan_good(&pure, sql, NULL);
    plan_good(&both, sql, &approx);
    assert_int_equal(pure.plan->parts[0].mech_kind, CUSTOS_LAPLACE);
    assert_int_equal(both.plan->parts[0].mech_kind, CUSTOS_GAUSSIAN);
    assert_true(both.plan->parts[0].bar < pure.plan->parts[0].bar);
    assert_true(rat_is(&both.plan->delta, "1e-7"));
    assert_int_equal(rat_sign(&pure.plan->delta), 0);
    plan_done(&pure);
    plan_done(&both);
    /* Each part has a mechanism of its own. */
    plan_good(&both,
              "SELECT level, count(distinct patient_id), count(*) FROM fast "
              "GROUP BY level",
              &approx);
    assert_int_equal(both.plan->parts[0].mech_kind, CUSTOS_GAUSSIAN);
    assert_int_equal(both.plan->parts[1].mech_kind, CUSTOS_LAPLACE);
    assert_true(rat_is(&both.plan->parts[0].delta, "1e-7"));
    plan_done(&both);
    plan_good(&both,
              "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 0) level, "
              "count(distinct patient_id) FROM fast GROUP BY level",
              &approx);
    assert_int_equal(both.plan->parts[0].mech_kind, CUSTOS_LAPLACE);
    plan_done(&both);
}

/* If one group differs, the exact calibration is used; if several do, zCDP. */
static void
calibration_follows_the_groups(void **state)
{
    struct plan p = {.space = {.cells = 5, .groups = 1}};
    struct plan_options options = {.effort = NULL};
    struct work w = {.plan = &p, .options = &options};
    struct part part = {.kind = PART_UNITS, .space = &p.space};
    custos_err err = CUSTOS_ERR_INIT;
    rat delta;

    (void)state;
    rat_init(&part.l1);
    rat_init(&part.l2_squared);
    rat_init(&part.epsilon);
    rat_init(&part.delta);
    rat_init(&delta);
    rat_set_i64(&part.l1, 100, 1);
    rat_set_i64(&part.l2_squared, 1, 1);
    rat_set_i64(&part.epsilon, 1, 1);
    rat_set_i64(&delta, 1, 1000000);
    for (int one = 0; one < 2; one++) {
        part.one_cell = one == 1;
        assert_int_equal(choose_part(&w, &part, &delta, 1, &err), CUSTOS_OK);
        assert_string_equal(part.theorem,
                            one ? "gauss-discrete-exact" : "gauss-vector");
    }
    custos_mech_free(part.mech);
    rat_clear(&part.l1);
    rat_clear(&part.l2_squared);
    rat_clear(&part.epsilon);
    rat_clear(&part.delta);
    rat_clear(&delta);
}

/* Which parts can differ in one group only. */
static void
one_group_differs_where_it_is_so(void **state)
{
    static const struct {
        const char *sql, *adjacency;
        bool one;
    } cases[] = {
        {"SELECT count(*) FROM visits", NULL, true},
        {"SELECT count(*) FROM visits", "change-one", true},
        {"SELECT x, count(*) FROM d GROUP BY x", NULL, true},
        {"SELECT x, count(*) FROM d GROUP BY x", "change-one", false},
        {"SELECT level, count(*) FROM visits GROUP BY level", NULL, false},
        {"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1)"
         " level, count(*) FROM visits GROUP BY level",
         NULL, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct asked asked = {.adjacency = cases[i].adjacency};
        struct planned t;

        plan_good(&t, cases[i].sql, &asked);
        if (t.plan->parts[0].one_cell != cases[i].one)
            fail_msg("%s", cases[i].sql);
        plan_done(&t);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples_cost_what_the_sources_say),
        cmocka_unit_test(groups_cost_one_charge),
        cmocka_unit_test(charge_adds_the_parts),
        cmocka_unit_test(charge_of_gaussians_has_no_delta_in_rho),
        cmocka_unit_test(mechanism_is_the_nearer),
        cmocka_unit_test(calibration_follows_the_groups),
        cmocka_unit_test(one_group_differs_where_it_is_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
