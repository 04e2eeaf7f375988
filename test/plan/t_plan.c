/*
 * Plans: how the price is split, how parts are shared, which bounding and which
 * keys are chosen, and asking by accuracy.
 */
#include "mech/i128.h"
#include "num/batch.h"
#include "num/rat_round.h"
#include "plan/hospital.h"

/* ----------------------------------------------------------------- split -- */

static void
split_is_exact_and_weighed(void **state)
{
    static const struct {
        const char *sql;
        const char *shares[4];
    } cases[] = {
        {"SELECT count(*) FROM patients", {"0.1"}},
        {"SELECT count(*), sum(age) FROM patients", {"0.05", "0.05"}},
        {"SELECT sum(age), sum(weight), count(city) FROM patients",
         {"1/30", "1/30", "1/30"}},
        {"SELECT avg(age) FROM patients", {"0.05", "0.05"}},
        /* weights: sum 64 * 4^(1/3), rows 64, squares 64 */
        {"SELECT variance(age) FROM patients",
         {"101/2290", "64/2290", "64/2290"}},
        {"SELECT count(*, epsilon => 0.3), avg(age, epsilon => 0.2) "
         "FROM patients",
         {"0.3", "0.1", "0.1"}},
        {"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) "
         "count(*, epsilon => 0.25), sum(age), sum(weight) FROM patients",
         {"0.25", "0.375", "0.375"}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;
        rat sum;

        plan_good(&t, cases[i].sql, NULL);
        rat_init(&sum);
        for (size_t k = 0; k < t.plan->n_parts; k++) {
            if (!cases[i].shares[k] ||
                !rat_is(&t.plan->parts[k].epsilon, cases[i].shares[k]))
                fail_msg("%s: part %zu", cases[i].sql, k);
            rat_add(&sum, &sum, &t.plan->parts[k].epsilon);
        }
        assert_int_equal(rat_cmp(&sum, &t.plan->epsilon), 0);
        rat_clear(&sum);
        plan_done(&t);
    }
}

static void
parts_are_shared(void **state)
{
    static const struct {
        const char *sql;
        size_t aggregates, parts;
    } cases[] = {
        {"SELECT count(*), count(*) + 1 FROM patients", 1, 1},
        {"SELECT count(*) FROM patients HAVING count(*) > 3 ORDER BY count(*)",
         1, 1},
        {"SELECT count(*), count(age), count(1) FROM patients", 3, 1},
        {"SELECT count(*), count(city) FROM patients", 2, 2},
        {"SELECT avg(age), count(*) FROM patients", 2, 2},
        {"SELECT avg(weight), count(*) FROM patients", 2, 3},
        {"SELECT avg(weight), count(weight) FROM patients", 2, 2},
        {"SELECT sum(age), avg(age), variance(age), stddev(age) FROM patients",
         4, 3},
        {"SELECT sum(age), sum(age, contribution_bounds_per_row => (0, 60)) "
         "FROM patients",
         2, 2},
        {"SELECT sum(age + 1), avg(age + 1) FROM patients", 2, 2},
        {"SELECT count(*), count(*, epsilon => 0.05) FROM patients", 2, 2},
        {"SELECT sum(CAST(age AS numeric(1, 0))), sum(CAST(age AS numeric(3, "
         "0))) FROM patients",
         2, 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;

        plan_good(&t, cases[i].sql, NULL);
        if (t.plan->n_parts != cases[i].parts ||
            t.plan->n_aggregates != cases[i].aggregates)
            fail_msg("%s: %zu aggregates, %zu parts", cases[i].sql,
                     t.plan->n_aggregates, t.plan->n_parts);
        plan_done(&t);
    }
}

/*
 * A sum next to an average is computed from the sum S of centred values, the
 * centre c and the number of rows N, as S + c N. Alone, a sum is not centred.
 */
static void
sums_are_centred_beside_averages(void **state)
{
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT sum(age), avg(age) FROM patients", NULL);
    assert_int_equal(t.plan->aggregates[0].sum, t.plan->aggregates[1].sum);
    assert_int_equal(t.plan->aggregates[0].rows, t.plan->aggregates[1].rows);
    assert_true(t.plan->aggregates[0].rows >= 0);
    assert_true(t.plan->parts[t.plan->aggregates[0].sum].centre == 60);
    assert_true(t.plan->parts[t.plan->aggregates[0].sum].row_most == 60);
    plan_done(&t);
    plan_good(&t, "SELECT sum(age) FROM patients", NULL);
    assert_int_equal(t.plan->aggregates[0].rows, -1);
    assert_true(t.plan->parts[0].centre == 0);
    assert_true(t.plan->parts[0].row_most == 120);
    plan_done(&t);
}

/*
 * Whether a sum overflows in the engine would depend on the number of rows. So
 * a range far from 0 is rejected even if it is narrow, although its centre is
 * subtracted.
 */
static void
sums_have_room_far_from_zero(void **state)
{
    static const char *const far[] = {
        "SELECT avg(x + 4611686018427387904 * 4611686018427387904 / 64) FROM d",
        "SELECT avg(x - 4611686018427387904 * 4611686018427387904 / 64) FROM d",
        ("SELECT var_pop(x + 4611686018427387904 * 4611686018427387904 / 64) "
         "FROM d"),
        "SELECT avg(x + 4611686018427387904 * 262144) FROM d", /* 2^80 */
    };
    struct planned t;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(far); i++) {
        plan_for(&t, far[i], NULL);
        assert_int_equal(t.status, CUSTOS_EOVERFLOW);
        plan_done(&t);
    }
    plan_good(&t, "SELECT avg(x + 4611686018427387904 * 131072) FROM d", NULL);
    plan_done(&t);
}

/* -------------------------------------------------------------- bounding -- */

static void
bounding_follows_the_query(void **state)
{
    static const struct {
        const char *sql;
        enum bounding bounding;
        uint64_t rows, groups;
    } cases[] = {
        {"SELECT count(*) FROM d WHERE d1 = 1", BOUND_NONE, 1, 1},
        {"SELECT count(*) FROM visits", BOUND_RANK, 20, 1},
        {"SELECT count(*) FROM visits WHERE cost > 3", BOUND_FOLD, 20, 1},
        {"SELECT count(*) FROM fast WHERE level > 3", BOUND_RANK, 50, 1},
        {"SELECT level, count(*) FROM visits GROUP BY level", BOUND_RANK, 20,
         5},
        {"SELECT room, count(*) FROM visits GROUP BY room", BOUND_FOLD, 20, 5},
        {"SELECT level, count(*) FROM fast GROUP BY level", BOUND_RANK, 50, 50},
        {"SELECT count(distinct patient_id) FROM visits", BOUND_FOLD, 20, 1},
        {"SELECT v, count(*) FROM remote GROUP BY v", BOUND_GENERAL, 4, 4},
        {"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 3) "
         "count(*) FROM visits",
         BOUND_RANK, 3, 1},
        {"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed = 3) "
         "room, count(*) FROM visits GROUP BY room",
         BOUND_RANK, 3, 3},
        {"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1)"
         " level, count(*) FROM fast GROUP BY level",
         BOUND_FOLD, 50, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;

        plan_good(&t, cases[i].sql, NULL);
        if (t.plan->space.bounding != cases[i].bounding ||
            t.plan->rows != cases[i].rows ||
            t.plan->space.groups != cases[i].groups)
            fail_msg("%s: %d, %d rows, %d groups", cases[i].sql,
                     (int)t.plan->space.bounding, (int)t.plan->rows,
                     (int)t.plan->space.groups);
        assert_int_equal(has_theorem(t.plan, "rank-bound"),
                         cases[i].bounding == BOUND_RANK);
        assert_int_equal(has_theorem(t.plan, "fold-bound"),
                         cases[i].bounding == BOUND_FOLD ||
                             cases[i].bounding == BOUND_GENERAL);
        plan_done(&t);
    }
}

/* ------------------------------------------------------------------ keys -- */

static void
keys_come_from_public_facts(void **state)
{
    static const struct {
        const char *table, *key, *values; /* separated by '|' */
        int kind;
        bool null;
    } cases[] = {
        {"patients", "city", "Graz|Oslo|Rome", KEY_STORED, true},
        {"patients", "ward", "north|south", KEY_STORED, false},
        {"patients", "smoker", "false|true", KEY_LISTED, false},
        {"visits", "level", "1|2|3|4|5", KEY_WHOLE, false},
        {"visits", "level * 2 - 7", "-5|-4|-3|-2|-1|0|1|2|3", KEY_WHOLE, false},
        {"patients", "lower(city)", "graz|oslo|rome", KEY_LISTED, true},
        {"patients", "length(ward)", "5", KEY_LISTED, false},
        {"patients", "coalesce(city, 'none')", "Graz|Oslo|Rome|none",
         KEY_LISTED, false},
        {"patients", "nullif(ward, 'north')", "south", KEY_LISTED, true},
        {"patients", "CASE WHEN age > 3 THEN 'b' ELSE 'a' END", "a|b",
         KEY_LISTED, false},
        {"patients", "CASE WHEN age > 3 THEN 7 WHEN smoker THEN 900000 END",
         "7|900000", KEY_LISTED, true},
        {"visits", "CASE WHEN note LIKE '%flu%' THEN 'flu' END", "flu",
         KEY_LISTED, true},
        {"visits", "cost > 3", "false|true", KEY_LISTED, true},
        {"visits", "cost IS NULL", "false|true", KEY_LISTED, false},
        {"visits", "extract(quarter from day)", "1|2|3|4", KEY_WHOLE, true},
        {"visits", "date_trunc('quarter', day)",
         "2020-01-01|2020-04-01|2020-07-01|2020-10-01", KEY_PERIOD, true},
        {"visits",
         "CASE WHEN level > 1 THEN date '2020-01-03' ELSE date "
         "'2020-01-01' END",
         "2020-01-01|2020-01-03", KEY_LISTED, false},
        {"visits", "width_bucket(cost, 0, 10, 2)", "0|1|2|3", KEY_WHOLE, true},
        {"patients", "extract(year from born) / 5", "398|399", KEY_WHOLE, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct key *k;
        struct planned t;
        struct buf b;
        char sql[300];

        snprintf(sql, sizeof sql, "SELECT %s, count(*) FROM %s GROUP BY 1",
                 cases[i].key, cases[i].table);
        plan_good(&t, sql, NULL);
        k = &t.plan->space.keys[0];
        buf_init(&b, NULL, 4096);
        for (size_t v = 0; v < k->n; v++) {
            buf_add_text(&b, v > 0 ? "|" : "");
            datum_write(&k->values[v], &b);
        }
        if (strcmp(buf_text(&b), cases[i].values) ||
            (int)k->kind != cases[i].kind || k->null_group != cases[i].null)
            fail_msg("%s: %s, kind %d, null %d", cases[i].key, buf_text(&b),
                     (int)k->kind, k->null_group);
        assert_int_equal(t.plan->space.cells, k->n + k->null_group);
        assert_int_equal(t.plan->outputs[0].is_key, true);
        buf_clear(&b);
        plan_done(&t);
    }
}

/* ---------------------------------------------------------------- within -- */

/* Whether every part's error bar (if jointly, of all values) is within w. */
static bool
is_within(const char *sql, const struct asked *asked, const rat *epsilon,
          const rat *w)
{
    struct asked at = *asked;
    struct planned t;
    struct buf b;
    bool near = true;
    rat bar;

    buf_init(&b, NULL, 100);
    rat_write(epsilon, &b);
    at.within = NULL;
    at.epsilon = buf_text(&b);
    plan_good(&t, sql, &at);
    rat_init(&bar);
    for (size_t i = 0; i < t.plan->n_parts; i++) {
        struct part *part = &t.plan->parts[i];
        i128 m = 0;
        custos_err err = CUSTOS_ERR_INIT;

        assert_int_equal(mech_error_i128(part->mech, "0.05",
                                         asked->jointly ? t.plan->space.cells *
                                                              t.plan->n_parts
                                                        : 1,
                                         &m, &err),
                         CUSTOS_OK);
        rat_set_i128(&bar, m);
        for (int k = 0; k < part->grid.digits; k++) {
            rat base;

            rat_init(&base);
            rat_set_i64(&base, part->grid.base, 1);
            rat_div(&bar, &bar, &base);
            rat_clear(&base);
        }
        near = near && rat_cmp(&bar, w) <= 0;
    }
    rat_clear(&bar);
    buf_clear(&b);
    plan_done(&t);
    return near;
}

static void
within_is_the_least_price(void **state)
{
    static const struct {
        const char *sql, *within;
        bool jointly;
        const char *adjacency;
    } cases[] = {
        {"SELECT count(*) FROM patients", "10", false, NULL},
        {"SELECT city, count(*) FROM patients GROUP BY city", "10", false,
         "change-one"},
        {"SELECT city, count(*) FROM patients GROUP BY city", "10", true, NULL},
        {"SELECT ward, count(*), sum(age) FROM patients GROUP BY ward", "700",
         true, NULL},
        {"SELECT sum(cost) FROM visits", "99999.5", false, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct asked asked = {.within = cases[i].within,
                              .jointly = cases[i].jointly,
                              .adjacency = cases[i].adjacency};
        struct planned t;
        rat x[3];

        rats_init(x, 3);
        assert_int_equal(rat_read(cases[i].within, "w", &x[0], NULL), 0);
        plan_good(&t, cases[i].sql, &asked);
        rat_set(&x[1], &t.plan->epsilon);
        rat_places_up(&x[2], &x[1], 9);
        assert_int_equal(rat_cmp(&x[1], &x[2]), 0);
        if (!is_within(cases[i].sql, &asked, &x[1], &x[0]))
            fail_msg("%s: not near enough", cases[i].sql);
        rat_set_i64(&x[2], 1, 1000000000);
        rat_sub(&x[1], &x[1], &x[2]);
        if (is_within(cases[i].sql, &asked, &x[1], &x[0]))
            fail_msg("%s: a lower price would do", cases[i].sql);
        rats_clear(x, 3);
        plan_done(&t);
    }
}

/* --------------------------------------------------------------- memory -- */

static void
plan_survives_want_of_memory(void **state)
{
    static const char sql[] =
        "SELECT city, count(*), avg(age), DP_INTERVAL_LOW(count) FROM patients "
        "WHERE lower(city) <> 'x' GROUP BY city HAVING count(*) > 1 "
        "ORDER BY 2";
    int failed = 0;

    (void)state;
    for (size_t limit = 1 << 10; limit < 1 << 18; limit += 499) {
        arena *big = arena_new(NULL, MEMORY), *small = arena_new(NULL, limit);
        struct asked nothing = {.adjacency = NULL};
        struct policy *p = hospital_read(big, &nothing);
        struct plan *plan = NULL;
        struct query *q = NULL;
        custos_status st;
        custos_err err = CUSTOS_ERR_INIT;

        assert_int_equal(sql_read(big, str_of(sql), &q, &err), CUSTOS_OK);
        st = small ? plan_make(small, q, p, NULL, &plan, &err) : CUSTOS_ENOMEM;
        assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
        failed += st == CUSTOS_ENOMEM;
        plan_free(plan);
        arena_free(small);
        arena_free(big);
        if (!st)
            break;
    }
    assert_true(failed > 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_is_exact_and_weighed),
        cmocka_unit_test(parts_are_shared),
        cmocka_unit_test(sums_are_centred_beside_averages),
        cmocka_unit_test(sums_have_room_far_from_zero),
        cmocka_unit_test(bounding_follows_the_query),
        cmocka_unit_test(keys_come_from_public_facts),
        cmocka_unit_test(within_is_the_least_price),
        cmocka_unit_test(plan_survives_want_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
