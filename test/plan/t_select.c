/*
 * Keys that are not public: which rule selects groups, and what that costs.
 */
#include <stdio.h>
#include <stdlib.h>

#include "num/rat_round.h"
#include "plan/hospital.h"

static const struct asked with_delta = {.delta = "1e-4"}; /* 1e-7 a query */

static void
sum_of_parts(const struct plan *p, rat *epsilon, rat *delta)
{
    rat_set(epsilon, &p->space.selection->epsilon);
    rat_set(delta, &p->space.selection->delta);
    for (size_t i = 0; i < p->n_parts; i++) {
        rat_add(epsilon, epsilon, &p->parts[i].epsilon);
        rat_add(delta, delta, &p->parts[i].delta);
    }
}

static void
selection_is_in_the_price(void **state)
{
    static const char *const queries[] = {
        "SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis",
        "SELECT diagnosis, sum(age) FROM patients GROUP BY diagnosis",
        "SELECT diagnosis, city, avg(weight) FROM patients GROUP BY 1, 2",
        "SELECT note, sum(cost), count(DISTINCT patient_id) FROM visits "
        "GROUP BY note",
        "SELECT note, count(*), sum(cost), avg(grams) FROM visits GROUP BY "
        "note",
        "SELECT diagnosis, sum(age, epsilon => 0.04), count(*) FROM patients "
        "GROUP BY diagnosis",
        "SELECT diagnosis, sum(age, epsilon => 0.04) FROM patients GROUP BY "
        "diagnosis",
        "SELECT level * 1000, count(DISTINCT patient_id, epsilon => 0.05) "
        "FROM fast GROUP BY 1",
    };
    static const char *const adjacencies[] = {"add-remove", "change-one"};
    rat epsilon, delta;
    int gauss = 0;

    (void)state;
    rat_init(&epsilon);
    rat_init(&delta);
    for (size_t i = 0; i < 2 * COUNT_OF(queries); i++) {
        struct asked asked = with_delta;
        struct planned t;

        asked.adjacency = adjacencies[i % 2];
        plan_good(&t, queries[i / 2], &asked);
        assert_non_null(t.plan->space.selection);
        sum_of_parts(t.plan, &epsilon, &delta);
        assert_true(rat_is(&t.plan->epsilon, "0.1"));
        assert_int_equal(rat_cmp(&epsilon, &t.plan->epsilon), 0);
        assert_int_equal(rat_cmp(&delta, &t.plan->delta), 0);
        assert_true(rat_sign(&t.plan->space.selection->delta) > 0);
        assert_true(rat_sign(&t.plan->space.selection->epsilon) > 0);
        rat_set_i64(&delta, 1, 10000000);
        assert_true(rat_cmp(&t.plan->delta, &delta) <= 0);
        gauss += t.plan->parts[0].mech_kind == CUSTOS_GAUSSIAN;
        plan_done(&t);
    }
    assert_true(gauss > 0);
    rat_clear(&epsilon);
    rat_clear(&delta);
}

/*
 * Laplace parts leave all of the delta for the selection; Gaussian ones half.
 */
static void
selection_takes_the_delta_left(void **state)
{
    struct planned t;
    int gauss = 0;

    (void)state;
    plan_good(&t, "SELECT diagnosis, sum(age) FROM patients GROUP BY 1",
              &with_delta);
    assert_int_equal(custos_keys_report(t.plan->space.selection->rule)->rule,
                     CUSTOS_KEYS_GEOMETRIC);
    assert_true(rat_is(&t.plan->space.selection->delta, "1e-7"));
    plan_done(&t);
    /* A query may ask for as much as the policy allows. */
    plan_good(&t,
              "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(delta = 1e-7) "
              "diagnosis, sum(age) FROM patients GROUP BY 1",
              &with_delta);
    assert_true(rat_is(&t.plan->space.selection->delta, "1e-7"));
    plan_done(&t);
    plan_good(&t,
              "SELECT note, count(DISTINCT patient_id, epsilon => 0.02), "
              "sum(level) FROM visits GROUP BY note",
              &with_delta);
    for (size_t i = 0; i < t.plan->n_parts; i++)
        gauss += t.plan->parts[i].mech_kind == CUSTOS_GAUSSIAN;
    assert_int_equal(t.plan->space.selection->serves, -1);
    assert_true(
        rat_is(&t.plan->space.selection->delta, gauss ? "5e-8" : "1e-7") ||
        custos_keys_report(t.plan->space.selection->rule)->rule >=
            CUSTOS_KEYS_GAUSSIAN);
    plan_done(&t);
}

/*
 * Where the planner does not use the geometric rule, that rule would show fewer
 * groups than the one it uses.
 */
static void
no_rule_shows_less_than_the_optimal(void **state)
{
    static const int groups[] = {1, 2, 3, 4, 5};
    static const char *const epsilons[] = {"0.02", "0.1", "0.5"};
    int wins = 0, losses = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(groups) * COUNT_OF(epsilons); i++) {
        custos_keys_options o = {.size = sizeof o,
                                 .rule = CUSTOS_KEYS_GEOMETRIC,
                                 .adjacency = CUSTOS_ADD_REMOVE,
                                 .delta = "1e-7"};
        char query[256], epsilon[RAT_DECIMAL_MAX];
        const struct selection *s;
        custos_keys *rule = NULL;
        struct planned t;

        snprintf(query, sizeof query,
                 "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=%s, "
                 "max_groups_contributed=%d) note, sum(cost) FROM visits "
                 "GROUP BY note",
                 epsilons[i % COUNT_OF(epsilons)],
                 groups[i / COUNT_OF(epsilons)]);
        plan_good(&t, query, &with_delta);
        s = t.plan->space.selection;
        o.keys_per_unit = t.plan->space.groups;
        rat_decimal(&s->epsilon, RAT_UP, epsilon);
        o.epsilon = epsilon;
        if (!custos_keys_new(NULL, &o, &rule, NULL)) {
            uint64_t half = custos_keys_report(rule)->half;
            bool chosen =
                custos_keys_report(s->rule)->rule == CUSTOS_KEYS_GEOMETRIC;

            assert_true(chosen ? half == s->half : half > s->half);
            wins += chosen;
            losses += !chosen;
        }
        custos_keys_free(rule);
        plan_done(&t);
    }
    assert_true(wins > 5 && losses > 2);
}

/*
 * Units have weights where the selection serves no count, a unit may be in
 * several groups, and groups of full units need hardly more units than without
 * weights. Rule and bounding follow from the policy and the query.
 */
static void
weights_are_for_few_groups(void **state)
{
    static const struct {
        const char *options, *select;
        bool weighs;
    } rows[] = {
        {"max_groups_contributed=5", "note, sum(cost) FROM visits", true},
        {"max_groups_contributed=1", "note, sum(cost) FROM visits", false},
        {"max_groups_contributed=5",
         "note, count(DISTINCT patient_id) FROM visits", false},
        {"max_groups_contributed=5, min_privacy_units_per_group=5000",
         "note, sum(cost) FROM visits", false},
        {"max_rows_contributed=4, max_groups_contributed=4",
         "v.note, sum(v.cost) FROM visits v JOIN patients p ON v.patient_id = "
         "p.id",
         true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct selection *s;
        char query[512];
        struct planned t;

        snprintf(query, sizeof query,
                 "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(%s) %s GROUP BY 1",
                 rows[i].options, rows[i].select);
        plan_good(&t, query, &with_delta);
        s = t.plan->space.selection;
        assert_int_equal(selection_weighs(s), rows[i].weighs);
        assert_int_equal(custos_keys_report(s->rule)->rule ==
                             CUSTOS_KEYS_WEIGHTED,
                         rows[i].weighs);
        assert_true(rows[i].weighs
                        ? s->full_half > s->half && s->full_most > s->most
                        : s->full_half == s->half && s->full_most == s->most);
        if (rows[i].weighs) { /* the engine must see each unit's groups */
            assert_int_equal(s->serves, -1);
            assert_int_not_equal(t.plan->space.bounding, BOUND_RANK);
            assert_false(plan_has_bare_key(t.plan, &t.plan->space));
        }
        plan_done(&t);
    }
}

/*
 * If the rule has noise, one count of units is taken from the selection itself.
 */
static void
counts_of_units_are_served(void **state)
{
    struct planned t;
    const custos_keys_facts *f;

    (void)state;
    plan_good(&t,
              "SELECT note, count(*), count(DISTINCT patient_id) FROM visits "
              "GROUP BY note",
              &with_delta);
    f = custos_keys_report(t.plan->space.selection->rule);
    assert_int_equal(t.plan->space.selection->serves, 1); /* 20 rows a unit */
    assert_true(t.plan->parts[1].served && !t.plan->parts[0].served);
    assert_int_not_equal(f->rule, CUSTOS_KEYS_GEOMETRIC);
    assert_int_equal(rat_sign(&t.plan->parts[1].epsilon), 0);
    assert_true(t.plan->parts[1].bar > 0);
    plan_done(&t);
    plan_good(&t, "SELECT diagnosis, count(*) FROM patients GROUP BY 1",
              &with_delta);
    assert_int_equal(t.plan->space.selection->serves, 0); /* one row a unit */
    assert_true(rat_is(&t.plan->space.selection->epsilon, "0.1"));
    plan_done(&t);
    plan_good(&t,
              "SELECT diagnosis, count(*), count(*, epsilon => 0.05) FROM "
              "patients GROUP BY 1",
              &with_delta);
    assert_int_equal(t.plan->space.selection->serves, 0);
    assert_false(t.plan->parts[1].served); /* it has its own epsilon */
    plan_done(&t);
}

/* The chance that a group of one person is shown is the delta charged. */
static void
lone_chance_is_the_delta(void **state)
{
    static const char *const queries[] = {
        "SELECT diagnosis, sum(age) FROM patients GROUP BY diagnosis",
        "SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        custos_chance chance;
        struct planned t;
        double p, delta;
        custos_err err = CUSTOS_ERR_INIT;

        plan_good(&t, queries[i], &with_delta);
        assert_false(custos_keys_chance(t.plan->space.selection->rule,
                                        &(uint64_t){1}, 1, &chance, &err));
        p = strtod(chance.high, NULL);
        delta = strtod(custos_keys_report(t.plan->space.selection->rule)->delta,
                       NULL);
        assert_true(p > delta * (1 - 1e-12) && p < delta * (1 + 1e-12));
        assert_int_equal(
            rat_cmp(&t.plan->delta, &t.plan->space.selection->delta), 0);
        plan_done(&t);
    }
}

/* The rule is made for the largest number of groups of a unit. */
static void
selection_knows_the_bounds(void **state)
{
    struct planned one, five;

    (void)state;
    plan_good(&one,
              "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS("
              "max_groups_contributed = 1) note, sum(cost) FROM visits GROUP "
              "BY note",
              &with_delta);
    plan_good(&five, "SELECT note, sum(cost) FROM visits GROUP BY note",
              &with_delta);
    assert_int_equal(one.plan->space.groups, 1);
    assert_int_equal(five.plan->space.groups, 5);
    assert_true(one.plan->space.selection->half <
                five.plan->space.selection->half);
    assert_true(one.plan->space.selection->half <
                one.plan->space.selection->most);
    plan_done(&one);
    plan_done(&five);
}

/* A minimum number of units for a group, set in the query. */
static void
groups_below_the_floor_never_come_out(void **state)
{
    static const char sql[] =
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS("
        "min_privacy_units_per_group = 50) diagnosis, count(*) FROM patients "
        "GROUP BY diagnosis";
    custos_chance chance;
    struct planned t, plain;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    plan_good(&plain, "SELECT diagnosis, count(*) FROM patients GROUP BY 1",
              &with_delta);
    plan_good(&t, sql, &with_delta);
    assert_int_equal(t.plan->space.selection->least, 50);
    assert_int_equal(plain.plan->space.selection->least, 1);
    assert_int_equal(t.plan->space.selection->half,
                     plain.plan->space.selection->half + 49);
    assert_false(custos_keys_chance(t.plan->space.selection->rule,
                                    &(uint64_t){49}, 1, &chance, &err));
    assert_string_equal(chance.high, "0");
    assert_int_equal(rat_cmp(&t.plan->delta, &plain.plan->delta), 0);
    plan_done(&t);
    plan_done(&plain);
    plan_for(&t,
             "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS("
             "min_privacy_units_per_group = 5) city, count(*) FROM patients "
             "GROUP BY city",
             &with_delta);
    assert_int_equal(t.status, CUSTOS_EINVAL);
    plan_done(&t);
}

/*
 * There may be more discovered groups than are shown, so the number shown does
 * not bound a unit's groups.
 */
static void
shown_groups_bound_no_unit(void **state)
{
    static const char *const queries[] = {
        "SELECT a.note, sum(a.cost) FROM visits a JOIN visits b ON "
        "a.patient_id = b.patient_id GROUP BY a.note",
        /* 2,500 rows, in as many groups; 1,000 are shown */
        "SELECT a.level * b.level, count(*) FROM fast a JOIN fast b ON "
        "a.patient_id = b.patient_id GROUP BY 1",
        "SELECT v.note, sum(v.cost) FROM visits v JOIN patients p ON "
        "v.patient_id = p.id GROUP BY v.note",
    };
    struct planned t;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        plan_good(&t, queries[i], &with_delta);
        assert_true(t.plan->space.bounding != BOUND_RANK ||
                    t.plan->space.groups >= t.plan->rows);
        plan_done(&t);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection_is_in_the_price),
        cmocka_unit_test(selection_takes_the_delta_left),
        cmocka_unit_test(no_rule_shows_less_than_the_optimal),
        cmocka_unit_test(weights_are_for_few_groups),
        cmocka_unit_test(counts_of_units_are_served),
        cmocka_unit_test(lone_chance_is_the_delta),
        cmocka_unit_test(selection_knows_the_bounds),
        cmocka_unit_test(shown_groups_bound_no_unit),
        cmocka_unit_test(groups_below_the_floor_never_come_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
