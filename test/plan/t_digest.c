/*
 * The digest of a plan: equal for the same question, different for any other
 * price, bound, mechanism or query.
 */
#include "plan/hospital.h"
#include "plan/part/bound_selection.h"
#include "plan/part/range_selection.h"

/* The digest of a newly made plan. */
static void
digest_of(const char *sql, const struct asked *asked, uint8_t out[SHA256_BYTES])
{
    struct planned t;

    plan_good(&t, sql, asked);
    assert_true(plan_digest(t.plan, out));
    plan_done(&t);
}

static void
equal_plans_have_equal_digests(void **state)
{
    static const char *const asked[] = {
        "SELECT count(*) FROM patients",
        "SELECT city, ward, avg(age), median(age) FROM patients GROUP BY city, "
        "ward ORDER BY 3 DESC LIMIT 4",
        "SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis",
        "SELECT person % 7, count(*) FROM people GROUP BY person % 7",
        "SELECT name, people FROM cities ORDER BY people",
        "SELECT sum(nights) FROM long_stays",
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient_id = p.id "
        "WHERE p.age > 40 AND v.level IN (1, 2)",
    };
    const struct asked with = {.delta = "1e-6"};
    uint8_t one[SHA256_BYTES], two[SHA256_BYTES];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        digest_of(asked[i], &with, one);
        digest_of(asked[i], &with, two);
        if (memcmp(one, two, sizeof one) != 0)
            fail_msg("%s", asked[i]);
    }
}

/* All of these are different questions. */
static void
other_plans_have_other_digests(void **state)
{
    static const struct {
        const char *sql;
        struct asked asked;
    } all[] = {
        {"SELECT sum(age) FROM patients", {.epsilon = "1"}},
        {"SELECT sum(age) FROM patients", {.epsilon = "1.000000001"}},
        {"SELECT sum(age) FROM patients", {.epsilon = "1", .delta = "1e-6"}},
        {"SELECT sum(age) FROM patients",
         {.rho = "1", .delta = "1e-6", .max_rho = "2"}},
        {"SELECT sum(age) FROM patients",
         {.rho = "1.000000001", .delta = "1e-6", .max_rho = "2"}},
        {"SELECT sum(age) FROM patients",
         {.epsilon = "1", .adjacency = "change-one"}},
        {"SELECT sum(age) FROM patients WHERE age > 1", {.epsilon = "1"}},
        {"SELECT sum(age) FROM patients WHERE age > 2", {.epsilon = "1"}},
        {"SELECT sum(age) AS x FROM patients", {.epsilon = "1"}},
        {"SELECT sum(age, contribution_bounds_per_row => (0, 100)) FROM "
         "patients",
         {.epsilon = "1"}},
        {"SELECT avg(age) FROM patients", {.epsilon = "1"}},
        {"SELECT sum(age) FROM patients", {.who = "ana", .epsilon = "1"}},
        {"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 3) "
         "count(*) FROM visits",
         {.epsilon = "1"}},
        {"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 4) "
         "count(*) FROM visits",
         {.epsilon = "1"}},
        {"SELECT name FROM cities", {.epsilon = "1"}},
        {"SELECT people FROM cities", {.epsilon = "1"}},
        {"SELECT name FROM cities LIMIT 3", {.epsilon = "1"}},
    };
    uint8_t made[COUNT_OF(all)][SHA256_BYTES];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        digest_of(all[i].sql, &all[i].asked, made[i]);
        for (size_t k = 0; k < i; k++)
            if (!memcmp(made[i], made[k], SHA256_BYTES))
                fail_msg("%s\n%s", all[k].sql, all[i].sql);
    }
}

/*
 * Whether the digest of the plan is no longer `was`, because a member was
 * changed.
 */
static bool
sees(const struct plan *p, const uint8_t was[SHA256_BYTES])
{
    uint8_t now[SHA256_BYTES];

    assert_true(plan_digest(p, now));
    return memcmp(now, was, SHA256_BYTES) != 0;
}

#define CHANGED(p, was, member, by)                                            \
    do {                                                                       \
        (member) += (by);                                                      \
        if (!sees(p, was))                                                     \
            fail_msg("the digest does not cover " #member);                    \
        (member) -= (by);                                                      \
    } while (0)

static void
every_number_of_the_plan_is_covered(void **state)
{
    const struct asked with = {.delta = "1e-6"};
    uint8_t was[SHA256_BYTES];
    struct planned t;
    struct plan *p;

    (void)state;
    plan_good(&t,
              "SELECT diagnosis, ward, sum(age), median(age) FROM patients "
              "GROUP BY diagnosis, ward",
              &with);
    p = t.plan;
    assert_true(plan_digest(p, was));
    CHANGED(p, was, p->charge.epsilon, 1);
    CHANGED(p, was, p->charge.epsilon_squared, 1);
    CHANGED(p, was, p->charge.rho, 1);
    CHANGED(p, was, p->charge.delta, 1);
    CHANGED(p, was, p->charge.delta_rho, 1);
    CHANGED(p, was, p->in_rho, 1);
    CHANGED(p, was, p->rows, 1);
    CHANGED(p, was, p->space.groups, 1);
    CHANGED(p, was, p->space.cells, 1);
    CHANGED(p, was, p->fanout, 1);
    CHANGED(p, was, p->unit.len, (size_t)-1);
    CHANGED(p, was, p->space.keys[1].n, (size_t)-1);
    CHANGED(p, was, p->space.selection->least, 1);
    CHANGED(p, was, p->parts[0].upper, 1);
    CHANGED(p, was, p->parts[0].lower, 1);
    CHANGED(p, was, p->parts[0].centre, 1);
    CHANGED(p, was, p->parts[0].grid.digits, 1);
    CHANGED(p, was, p->parts[1].quantiles->inside, 1);
    assert_false(sees(p, was));
    plan_done(&t);
}

/*
 * The digest covers the plans of all bounds; EXPLAIN shows only the first and
 * the last.
 */
static void
every_plan_of_a_race_is_covered(void **state)
{
    uint8_t was[SHA256_BYTES];
    struct planned t;
    struct bound_selection *r;

    (void)state;
    plan_good(&t, "SELECT count(*) FROM people", NULL);
    r = plan_bound_selection(t.plan);
    assert_non_null(r);
    assert_true(plan_digest(t.plan, was));
    for (size_t i = 0; i < r->n; i++)
        CHANGED(t.plan, was, r->plans[i]->parts[0].bar, 1);
    plan_done(&t);
}

static void
every_plan_of_a_range_selection_is_covered(void **state)
{
    uint8_t was[SHA256_BYTES];
    struct planned t;
    struct range_selection *r;

    (void)state;
    plan_good(&t, "SELECT sum(outlay) FROM claims", NULL);
    r = plan_range_selection(t.plan);
    assert_true(plan_digest(t.plan, was));
    CHANGED(t.plan, was, r->penalty, 1);
    CHANGED(t.plan, was, r->value.grid.digits, 1);
    for (size_t i = 0; i < r->n; i++) {
        CHANGED(t.plan, was, r->plans[i]->parts[0].bar, 1);
        CHANGED(t.plan, was, r->lower[i], 1);
        CHANGED(t.plan, was, r->upper[i], 1);
    }
    assert_false(sees(t.plan, was));
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_plans_have_equal_digests),
        cmocka_unit_test(other_plans_have_other_digests),
        cmocka_unit_test(every_number_of_the_plan_is_covered),
        cmocka_unit_test(every_plan_of_a_race_is_covered),
        cmocka_unit_test(every_plan_of_a_range_selection_is_covered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
