/*
 * The fan-out of plans, from counts of public tables that the test supplies. A
 * plan beyond the policy's limit is rejected.
 */
#include "plan/from/relation.h"
#include "plan/hospital.h"
#include "support/said.h"

enum { CITIES = 400, DRUGS = 30 };

/*
 * How often a value can occur: in cities.people 5 times, in cities.name twice,
 * in drugs.class 10 times.
 */
static bool
count(void *ctx, size_t table, int column, uint64_t *out)
{
    static const uint64_t cities[] = {CITIES, 2, 5};
    static const uint64_t drugs[] = {DRUGS, 1, 10, 7};
    const struct policy *p = *(const struct policy **)ctx;
    str name;

    name = p->tables[table].name;
    assert_true(p->tables[table].is_public);
    *out = str_equal(name, str_of("cities")) ? cities[column + 1]
                                             : drugs[column + 1];
    return true;
}

static void
plan_with(struct planned *t, const char *sql, bool known)
{
    const struct policy *const *policy =
        (const struct policy *const *)&t->policy;
    struct plan_known k = {.ctx = (void *)(uintptr_t)policy, .count = count};
    struct asked asked = {.delta = "1e-4", .known = known ? &k : NULL};

    plan_for(t, sql, &asked);
}

static void
fanout_is(const char *from, uint64_t wanted)
{
    char sql[1000];
    struct planned t;

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", from);
    plan_with(&t, sql, true);
    if (t.status)
        fail_msg("%s\n%s", sql, t.err.said);
    if (t.plan->fanout != wanted)
        fail_msg("%s: %llu, not %llu", from, (unsigned long long)t.plan->fanout,
                 (unsigned long long)wanted);
    plan_done(&t);
}

static void
fanout_follows_the_condition(void **state)
{
    (void)state;
    fanout_is("patients", 1);
    fanout_is("visits v JOIN patients p ON v.patient_id = p.id", 1);
    fanout_is("doses o JOIN drugs g ON o.drug = g.code", 1);
    fanout_is("drugs g JOIN doses o ON o.drug = g.code", 1);
    fanout_is("patients p CROSS JOIN cities c", CITIES);
    fanout_is("patients p JOIN cities c ON p.city < c.name", CITIES);
    fanout_is("patients p JOIN cities c ON p.city = c.name", 2);
    fanout_is("cities c JOIN patients p ON p.city = c.name", 2);
    fanout_is("patients p LEFT JOIN cities c ON p.city = c.name AND c.people > "
              "p.age",
              2);
    fanout_is("patients p JOIN cities c ON p.city = c.name OR p.age = c.people",
              CITIES);
    fanout_is("patients p JOIN cities c ON p.age = c.people AND p.city = "
              "c.name",
              2);
    /* Decimals are compared as reals, so the count of a value does not help. */
    fanout_is("visits v JOIN drugs g ON v.cost = g.price", DRUGS);
}

static void
fanout_multiplies(void **state)
{
    (void)state;
    fanout_is("patients p JOIN cities a ON p.city = a.name JOIN cities b ON "
              "p.age = b.people",
              10);
    fanout_is("patients p JOIN drugs a ON true JOIN drugs b ON true",
              DRUGS * DRUGS);
    fanout_is("doses o JOIN drugs g ON o.drug = g.code JOIN cities c ON "
              "g.class = c.name",
              2);
    fanout_is("(SELECT p.id, c.people FROM patients p JOIN cities c ON p.city "
              "= c.name WHERE c.people > 3) x JOIN drugs g ON true",
              2 * DRUGS);
    /*
     * Of a UNION only the larger branch counts; aggregates per unit keep the
     * fan-out of the rows they aggregate.
     */
    fanout_is("(SELECT p.age FROM patients p JOIN drugs g ON true UNION ALL "
              "SELECT p.age FROM patients p JOIN cities c ON true) x",
              CITIES);
    fanout_is("(SELECT p.id, count(*) AS n FROM patients p JOIN drugs g ON "
              "true GROUP BY p.id) x JOIN cities c ON x.n = c.people",
              5 * DRUGS);
}

static void
public_relations_have_a_fanout(void **state)
{
    (void)state;
    /* 2 cities of a name, each with 10 drugs of a class. */
    fanout_is("patients p JOIN (SELECT c.name, g.price FROM cities c JOIN "
              "drugs g ON c.name = g.class) x ON p.city = x.name",
              2 * 10);
    fanout_is("patients p JOIN (SELECT name, count(*) AS n FROM cities GROUP "
              "BY name) x ON p.city = x.name",
              1);
    fanout_is("patients p JOIN (SELECT name, people FROM cities GROUP BY name, "
              "people) x ON p.city = x.name",
              CITIES);
    fanout_is("patients p JOIN (SELECT DISTINCT name FROM cities) x ON p.city "
              "= x.name",
              1);
    fanout_is("patients p JOIN (SELECT name FROM cities UNION ALL SELECT code "
              "FROM drugs) x ON p.city = x.name",
              3);
    fanout_is("patients p JOIN (SELECT name FROM cities UNION ALL SELECT code "
              "FROM drugs) x ON true",
              CITIES + DRUGS);
    fanout_is("patients p JOIN (SELECT people + 1 AS n FROM cities) x ON p.age "
              "= x.n",
              CITIES);
    fanout_is("patients WHERE city IN (SELECT c.name FROM cities c JOIN drugs "
              "g ON c.name = g.class)",
              2);
}

/* Each value occurs as often as ctx says. */
static bool
count_all_alike(void *ctx, size_t table, int column, uint64_t *out)
{
    (void)table;
    *out = column == PLAN_ROWS_OF_TABLE ? CITIES : *(const uint64_t *)ctx;
    return true;
}

static void
meeting_is(const char *from, uint64_t times, enum meeting wanted)
{
    const struct plan_known known = {.ctx = &times, .count = count_all_alike};
    const struct asked asked = {.delta = "1e-4",
                                .known = times > 0 ? &known : NULL};
    char sql[1000];
    struct planned t;

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", from);
    plan_for(&t, sql, &asked);
    if (t.status)
        fail_msg("%s\n%s", sql, t.err.said);
    if (t.plan->from->meeting != wanted)
        fail_msg("%s: %d, not %d", sql, (int)t.plan->from->meeting,
                 (int)wanted);
    plan_done(&t);
}

/* A public column that is seen to be unique need not be referenced to be joined on.
   But a file that stays where it is can change. */
static void
what_occurs_once_multiplies_no_rows(void **state)
{
    (void)state;
    meeting_is("patients p JOIN cities c ON p.city = c.name", 1, MEET_LEFT);
    meeting_is("cities c JOIN patients p ON p.city = c.name", 1, MEET_RIGHT);
    meeting_is("patients p JOIN cities c ON p.city = c.name", 2, MEET_MANY);
    meeting_is("patients p JOIN cities c ON p.city = c.name", 0, MEET_MANY);
    meeting_is("patients p JOIN cities c ON p.city < c.name", 1, MEET_MANY);
    meeting_is("patients p JOIN places c ON p.city = c.name", 1, MEET_MANY);
    /* Private columns are not counted. */
    meeting_is("visits v JOIN visits w ON v.patient_id = w.patient_id", 1,
               MEET_UNIT);
    /* Decimals are compared as reals. */
    meeting_is("visits v JOIN drugs g ON v.cost = g.price", 1, MEET_MANY);
}

static void
is_rejected(const char *sql)
{
    struct planned t;

    plan_with(&t, sql, true);
    if (t.status != CUSTOS_EDENIED)
        fail_msg("%s\n%d: %s", sql, (int)t.status, t.err.said);
    assert_non_null(
        strstr(whole_said(&t.err), "more than 1000 public rows (max_fanout)"));
    assert_true(strlen(t.err.said) < sizeof t.err.said - 1);
    assert_true(t.err.at > 0);
    plan_done(&t);
}

static void
the_fanout_of_a_plan_is_capped(void **state)
{
    struct planned t;

    (void)state;
    is_rejected("SELECT count(*) FROM (SELECT age FROM patients WHERE id = 4) "
                "v JOIN cities a ON true JOIN cities b ON true");
    is_rejected("SELECT count(*) FROM patients p, drugs a, cities b");
    is_rejected("SELECT count(*) FROM patients p JOIN (SELECT a.name FROM "
                "cities a JOIN drugs b ON true JOIN drugs c ON true) x ON "
                "p.city = x.name");
    is_rejected("SELECT count(*) FROM patients WHERE city IN (SELECT a.name "
                "FROM cities a JOIN drugs b ON true JOIN drugs c ON true JOIN "
                "drugs d ON true)");
    is_rejected("SELECT count(*) FROM patients p JOIN (SELECT name FROM cities "
                "WHERE people IN (SELECT a.people FROM cities a JOIN drugs b "
                "ON true JOIN drugs c ON true JOIN drugs d ON true)) x ON "
                "p.city = x.name");
    /*
     * A purely public query only takes the asker's own time, so its fan-out has
     * no limit.
     */
    plan_with(&t, "SELECT count(*) FROM cities a, cities b, cities c", true);
    assert_int_equal(t.status, CUSTOS_OK);
    plan_done(&t);
}

static void
without_counts_it_is_unknown(void **state)
{
    struct planned t;

    (void)state;
    plan_with(&t, "SELECT count(*) FROM patients p JOIN cities c ON true",
              false);
    assert_int_equal(t.status, CUSTOS_OK);
    assert_int_equal(t.plan->fanout, 0);
    plan_done(&t);
    plan_with(&t, "SELECT count(*) FROM patients", false);
    assert_int_equal(t.plan->fanout, 1);
    plan_done(&t);
}

/* Fifty joined tables: every relation is visited only a few times. */
static void
long_chains_are_quick(void **state)
{
    struct planned t;
    struct buf b;

    (void)state;
    buf_init(&b, NULL, 1 << 16);
    buf_add_text(&b, "SELECT count(*) FROM patients p JOIN (SELECT g0.class "
                     "FROM drugs g0");
    for (int i = 1; i < 50; i++)
        buf_printf(&b, " JOIN drugs g%d ON g%d.code = g%d.code", i, i, i - 1);
    buf_add_text(&b, ") x ON p.city = x.class");
    plan_with(&t, buf_text(&b), true);
    assert_int_equal(t.status, CUSTOS_OK);
    assert_int_equal(t.plan->fanout, 10);
    plan_done(&t);
    buf_clear(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fanout_follows_the_condition),
        cmocka_unit_test(fanout_multiplies),
        cmocka_unit_test(public_relations_have_a_fanout),
        cmocka_unit_test(what_occurs_once_multiplies_no_rows),
        cmocka_unit_test(the_fanout_of_a_plan_is_capped),
        cmocka_unit_test(without_counts_it_is_unknown),
        cmocka_unit_test(long_chains_are_quick),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
