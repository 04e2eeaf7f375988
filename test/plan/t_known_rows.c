/*
 * Known rows: where the policy states the number of rows, a count of the whole
 * table is free, and a sum gets the whole price. Everywhere else nothing changes.
 */
#include <math.h>

#include "num/rat_double.h"
#include "plan/hospital.h"
#include "plan/work.h"
#include "support/said.h"

static const struct asked change = {.adjacency = "change-one"};

/* One part, with the whole price and the sensitivity of its range. */
static void
known_rows_take_no_price(void **state)
{
    static const struct {
        const char *sql, *l1;
    } rows[] = {
        {"SELECT avg(x) FROM survey", "2"},
        {"SELECT sum(x) FROM survey", "2"},
        {"SELECT avg(x), sum(x), count(*), count(x) FROM survey", "2"},
        {"SELECT sum(x) FROM survey HAVING count(*) > 2 ORDER BY count(*)",
         "2"},
        {"SELECT avg(x + 1000) FROM survey", "2"},
        {"SELECT sum(y) FROM (SELECT x AS y FROM survey) AS t", "2"},
        {"SELECT avg(x, contribution_bounds_per_row => (6, 7)) FROM survey",
         "1"},
        {"SELECT avg(d1), sum(d1) / 2.0, count(*) FROM survey", "1"},
        {"SELECT avg(d3) FROM survey", "1"},
        {"SELECT avg(x) AS m, DP_INTERVAL_LOW(m) FROM survey", "2"},
        {"SELECT 100.0 * count(CASE WHEN x > 5 THEN 1 END) / count(*) FROM "
         "survey",
         "1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct planned t;

        plan_good(&t, rows[i].sql, &change);
        if (t.plan->n_parts != 1 || t.plan->known_rows != 3 ||
            !rat_is(&t.plan->parts[0].l1, rows[i].l1) ||
            rat_cmp(&t.plan->parts[0].epsilon, &t.plan->epsilon) != 0)
            fail_msg("%s: %zu parts, l1 %g", rows[i].sql, t.plan->n_parts,
                     rat_double(&t.plan->parts[0].l1));
        plan_done(&t);
    }
}

/* Only counts: nothing is released. */
static void
a_known_count_is_free(void **state)
{
    static const char *const rows[] = {
        "SELECT count(*) FROM survey",
        ("SELECT count(x), 2 * count(*) AS n FROM survey HAVING count(*) > 1 "
         "ORDER BY count(*) LIMIT 1"),
        "SELECT count(*) FROM (SELECT d2 FROM survey) AS t",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct planned t;

        plan_good(&t, rows[i], &change);
        assert_true(t.plan->is_public && t.plan->n_stages == 0);
        assert_null(t.plan->from);
        assert_int_equal(t.plan->charge.epsilon, 0);
        assert_int_equal(t.plan->charge.rho, 0);
        plan_done(&t);
    }
}

/* Whatever reads only some of the rows, or another kind of table. */
static void
other_counts_have_noise(void **state)
{
    static const struct {
        const char *sql, *adjacency;
    } rows[] = {
        {"SELECT avg(x), count(*) FROM survey", NULL},
        {"SELECT count(*) FROM survey", NULL},
        {"SELECT count(*) FROM survey WHERE x > 5", "change-one"},
        {"SELECT avg(x) FROM survey WHERE true", "change-one"},
        {"SELECT d1, count(*) FROM survey GROUP BY d1", "change-one"},
        {"SELECT count(*) FROM survey GROUP BY d1", "change-one"},
        {"SELECT d1, count(*) FROM survey GROUP BY ROLLUP (d1)", "change-one"},
        {"SELECT count(d2), avg(d2) FROM survey", "change-one"},
        {"SELECT count(*) FROM (SELECT x FROM survey WHERE d1 = 1) AS t",
         "change-one"},
        {"SELECT count(*) FROM survey CROSS JOIN cities", "change-one"},
        {"SELECT count(*) FROM survey JOIN drugs ON x < price", "change-one"},
        {"SELECT count(*), avg(x) FROM d", "change-one"},
        {"SELECT count(*) FROM visits", "change-one"},
        {"SELECT count(DISTINCT x) FROM survey", "change-one"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct asked asked = {.adjacency = rows[i].adjacency};
        struct planned t;

        plan_good(&t, rows[i].sql, &asked);
        if (t.plan->known_rows != 0 || t.plan->is_public ||
            t.plan->n_parts == 0 || rat_sign(&t.plan->epsilon) <= 0)
            fail_msg("%s takes the number of rows from the policy",
                     rows[i].sql);
        plan_done(&t);
    }
}

/* The table cannot be left where something else reads it. */
static void
other_reads_are_as_before(void **state)
{
    static const struct {
        const char *sql, *said; /* NULL: there is a plan */
    } rows[] = {
        {"SELECT x, count(*) FROM survey",
         "the rows of survey are private: x may appear only in GROUP BY or "
         "inside an aggregate such as count(...)"},
        {"SELECT count(*) FROM survey HAVING x > 3",
         "the rows of survey are private: x may appear only in GROUP BY or "
         "inside an aggregate such as count(...)"},
        {"SELECT count(*) FROM survey ORDER BY x + 1",
         "the rows of survey are private: x may appear only in GROUP BY or "
         "inside an aggregate such as count(...)"},
        {"SELECT 1 FROM survey",
         "the rows of survey are private; ask for an aggregate, such as "
         "count(*)"},
        {"SELECT DISTINCT count(*) FROM survey",
         "over private rows SELECT DISTINCT takes columns only; write GROUP BY "
         "instead"},
        {"SELECT count(*) AS n, DP_INTERVAL_LOW(n) FROM survey",
         "public rows are answered exactly: there is no interval"},
        {"SELECT count(CASE WHEN x IN (SELECT people FROM cities) THEN 1 END), "
         "count(*) FROM survey",
         NULL},
        {"SELECT count(*), 'a', NULL FROM survey", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct planned t;

        plan_for(&t, rows[i].sql, &change);
        if ((t.plan != NULL) == (rows[i].said != NULL) ||
            (rows[i].said && strcmp(whole_said(&t.err), rows[i].said) != 0))
            fail_msg("%s: %s", rows[i].sql, t.plan ? "" : whole_said(&t.err));
        plan_done(&t);
    }
}

/* A plan that rests on the number differs from one that does not. */
static void
known_rows_are_in_the_digest(void **state)
{
    uint8_t one[SHA256_BYTES], other[SHA256_BYTES];
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT avg(x) FROM survey", &change);
    assert_true(plan_digest(t.plan, one));
    t.plan->known_rows++;
    assert_true(plan_digest(t.plan, other));
    assert_memory_not_equal(one, other, sizeof one);
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_rows_take_no_price),
        cmocka_unit_test(a_known_count_is_free),
        cmocka_unit_test(other_counts_have_noise),
        cmocka_unit_test(other_reads_are_as_before),
        cmocka_unit_test(known_rows_are_in_the_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
