/*
 * Class times of queries on the hospital's policy: their values, and that they
 * depend only on plan, policy and speeds.
 */
#include "plan/cost/reply_class.h"

#include "plan/cost/tables_time.h"
#include "plan/hospital.h"

enum { TABLES = 16 };

static bool
count(void *ctx, size_t table, int column, uint64_t *out)
{
    const uint64_t *rows = ctx;

    *out = column < 0 ? rows[table] : 1;
    return true;
}

/* A million patients, 1.8 million visits and fewer rows of everything else. */
static void
ceilings(const struct policy *p, uint64_t *rows)
{
    assert_true(p->n_tables <= TABLES);
    for (size_t i = 0; i < p->n_tables; i++)
        rows[i] = p->tables[i].is_public ? 1000 : 50000;
    rows[policy_table_find(p, str_of("patients"))->number] = 1000000;
    rows[policy_table_find(p, str_of("visits"))->number] = 1800000;
}

static void
hospital_rows(uint64_t *rows)
{
    static const struct asked nothing = {.adjacency = NULL};
    arena *a = arena_new(NULL, MEMORY);

    assert_non_null(a);
    ceilings(hospital_read(a, &nothing), rows);
    arena_free(a);
}

static int64_t
class_by(const char *sql, const struct reply_speeds *s, const char *epsilon)
{
    struct plan_known known = {.ctx = (void *)(uintptr_t)s->rows,
                               .count = count};
    struct asked asked = {.delta = "1e-4", .epsilon = epsilon, .known = &known};
    struct reply_speeds with = *s;
    struct planned t;
    int64_t us;

    with.known = &known;
    plan_good(&t, sql, &asked);
    us = plan_class_us(t.plan, &with);
    assert_int_equal(plan_class_us(t.plan, &with), us);
    plan_done(&t);
    return us;
}

static int64_t
class_of(const char *sql)
{
    struct reply_speeds s = REPLY_SPEEDS_DEFAULT;
    uint64_t rows[TABLES] = {0};

    hospital_rows(rows);
    s.rows = rows;
    return class_by(sql, &s, "1");
}

static void
classes_are_those_of_the_list(void **state)
{
    static const struct {
        int64_t ms;
        const char *sql;
    } list[] = {
        /* stored keys, comparisons, sums of stored columns */
        {75, "SELECT count(*) FROM visits"},
        {75, "SELECT level, count(*), sum(cost) FROM visits GROUP BY level"},
        {75, "SELECT level, avg(cost), avg(balance) FROM visits "
             "GROUP BY level"},
        {75, "SELECT sum(cost) FROM visits WHERE level = 2 AND "
             "day >= '2020-02-01' AND room IN (1, 2, 3)"},
        {43, "SELECT city, count(*) FROM patients WHERE smoker "
             "GROUP BY city"},
        {150, "SELECT level, stddev(cost) FROM visits GROUP BY level"},
        /* computed keys and values */
        {375, "SELECT floor(cost / 1000) AS k, count(*) FROM visits "
              "GROUP BY k"},
        {375, "SELECT extract(month FROM day) AS m, sum(grams * 2.5) "
              "FROM visits GROUP BY m"},
        {375, "SELECT sum(cost * 1.1) FROM visits"},
        {375, "SELECT day, count(*) FROM visits GROUP BY day"},
        /* joins */
        {375, "SELECT p.city, count(*) FROM visits v "
              "JOIN patients p ON v.patient_id = p.id GROUP BY p.city"},
        {375, "SELECT avg(n) FROM (SELECT patient_id, count(*) AS n "
              "FROM visits GROUP BY patient_id) AS x"},
        {12, "SELECT count(*) FROM doses d JOIN drugs g ON d.drug = g.code"},
        /* quantiles */
        {750, "SELECT median(cost) FROM visits"},
        {800, "SELECT level, median(cost) FROM visits GROUP BY level"},
        {900, "SELECT median(cost), max(cost) FROM visits"},
        {1100, "SELECT median(age) FROM patients WHERE city = 'Rome'"},
        /* discovered groups */
        {1500, "SELECT note, count(*) FROM visits GROUP BY note"},
        /* an attached file */
        {325, "SELECT count(*) FROM remote"},
        /* a small table */
        {3, "SELECT count(*) FROM d"},
        {3, "SELECT sum(nights) FROM stays"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        int64_t us = class_of(list[i].sql);

        if (us / 1000 != list[i].ms)
            fail_msg("%lld us, not %lld ms: %s", (long long)us,
                     (long long)list[i].ms, list[i].sql);
    }
}

/* What is computed after the noise takes time, even over few rows: more tables,
   more counts and sums, and longer sequences take longer. */
static void
tables_and_running_counts_take_time(void **state)
{
    static const char *const by_time[] = {
        "SELECT d1, count(*) FROM d GROUP BY d1",
        "SELECT d1, d2, count(*) FROM d GROUP BY ROLLUP (d1, d2)",
        "SELECT x, count(*) FROM d GROUP BY CUBE (d1, d2, d3, x)",
        "SELECT x, count(*), sum(x) FROM d GROUP BY CUBE (d1, d2, d3, x)",
        ("SELECT x, count(*), sum(x), avg(d1), sum(d2) FROM d GROUP BY CUBE "
         "(d1, d2, d3, x)")};
    uint64_t before = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(by_time); i++) {
        static const struct asked asked = {.epsilon = "1"};
        struct planned t;
        uint64_t ps;

        plan_good(&t, by_time[i], &asked);
        ps = tables_ps(t.plan);
        print_message("# %.3f ms\n", (double)ps / 1e9);
        assert_true(i == 0 ? ps == 0 : ps > before);
        before = ps;
        plan_done(&t);
    }
    assert_true(
        class_of("SELECT room, sum(count(*)) OVER (ORDER BY room) FROM visits "
                 "GROUP BY room") >=
        class_of("SELECT room, count(*) FROM visits GROUP BY room"));
    assert_true(class_of(by_time[4]) > class_of(by_time[0]));
}

/* Bars of variances and pairs are searched for in every group. */
static void
bars_of_variances_take_time(void **state)
{
    static const char *const by_time[] = {
        "SELECT x, sum(d1), avg(d1) FROM d GROUP BY x",
        "SELECT x, corr(d1, d2) FROM d GROUP BY x",
        "SELECT x, variance(d1) FROM d GROUP BY x",
        "SELECT x, variance(d1), regr_slope(d1, d2) FROM d GROUP BY x"};
    static const struct asked asked = {.epsilon = "1"};
    uint64_t before = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(by_time); i++) {
        struct planned t;
        uint64_t ps;

        plan_good(&t, by_time[i], &asked);
        ps = bars_ps(t.plan, 1000);
        assert_true(i == 0 ? ps == 0 : ps > before);
        assert_true(bars_ps(t.plan, 2000) == 2 * ps);
        before = ps;
        plan_done(&t);
    }
    assert_true(class_of(by_time[2]) > class_of(by_time[0]));
}

/*
 * A class is 8/8, 9/8, ... or 15/8 of a base time, which is 100 ms times a
 * power of two, and is not below the least class.
 */
static void
classes_are_eight_in_a_doubling(void **state)
{
    struct reply_speeds s = REPLY_SPEEDS_DEFAULT;
    uint64_t rows[TABLES] = {0};
    int64_t before = 0;

    (void)state;
    s.rows = rows;
    for (uint64_t n = 1; n < (uint64_t)1 << 46; n *= 3) {
        int64_t us, step;

        for (size_t i = 0; i < TABLES; i++)
            rows[i] = n;
        us = class_by("SELECT count(*) FROM visits", &s, "1");
        assert_true(us >= before);
        before = us;
        /*
         * step is an eighth of the base time, in units of 1/512 microsecond,
         * in which it is a whole number; us is rounded up
         */
        for (step = REPLY_CLASS_STEP_US; 16 * step <= 512 * us - 512;)
            step *= 2;
        assert_true(us >= REPLY_CLASS_LEAST_US);
        assert_true(512 * us % step < 512);
        assert_true(512 * us / step >= 8 && 512 * us / step <= 16);
        /* The class has room for two scans. */
        assert_true((uint64_t)us >= 2 * n / 50);
    }
    assert_true(before > 1000000LL * 3600);
}

static void
the_class_grows_with_the_speeds(void **state)
{
    static const char *const sql[] = {
        "SELECT level, count(*) FROM visits GROUP BY level",
        "SELECT floor(cost / 1000) AS k, count(*) FROM visits GROUP BY k",
        ("SELECT p.city, count(*) FROM visits v JOIN patients p "
         "ON v.patient_id = p.id GROUP BY p.city"),
        "SELECT median(cost) FROM visits",
    };
    uint64_t rows[TABLES] = {0};

    (void)state;
    hospital_rows(rows);
    for (size_t i = 0; i < COUNT_OF(sql); i++) {
        struct reply_speeds s = REPLY_SPEEDS_DEFAULT;
        int64_t us,
            *speed[] = {&s.scan_ps, &s.computed_ps, &s.text_ps, &s.quantile_ps};

        s.rows = rows;
        us = class_by(sql[i], &s, "1");
        *speed[i] *= 4;
        assert_true(class_by(sql[i], &s, "1") >= 2 * us);
        *speed[i] = INT64_MAX;
        assert_int_equal(class_by(sql[i], &s, "1"), INT64_MAX);
    }
}

/*
 * A declared max_rows counts, otherwise the stored bound; without either there
 * is no class time (INT64_MAX).
 */
static void
rows_are_public_ceilings(void **state)
{
    struct reply_speeds s = REPLY_SPEEDS_DEFAULT;
    const char *sql = "SELECT count(*) FROM visits";
    uint64_t rows[TABLES] = {0};
    struct planned t;
    int64_t us;

    (void)state;
    plan_good(&t, sql, NULL);
    assert_int_equal(plan_class_us(t.plan, &s), INT64_MAX);
    s.rows = rows;
    assert_int_equal(plan_class_us(t.plan, &s), INT64_MAX);
    for (size_t i = 0; i < TABLES; i++)
        rows[i] = 1000000;
    us = plan_class_us(t.plan, &s);
    assert_int_equal(us, 43750);
    t.policy->tables[t.plan->table->number].max_rows_given = true;
    t.policy->tables[t.plan->table->number].max_rows = 4000000;
    assert_int_equal(plan_class_us(t.plan, &s), 162500);
    s.rows = NULL;
    assert_int_equal(plan_class_us(t.plan, &s), 162500);
    plan_done(&t);
}

/* The lower the price, the more ways to cut the values matter, but never more than
   there are; boxes take no less time than quantiles without them. */
static void
boxes_take_time_by_their_price(void **state)
{
    const char *sql = "SELECT median(cost) FROM visits";
    const char *without =
        "SELECT WITH DIFFERENTIAL_PRIVACY "
        "OPTIONS(quantile_bar = off) median(cost) FROM visits";
    struct reply_speeds s = REPLY_SPEEDS_DEFAULT;
    uint64_t rows[TABLES] = {0};

    (void)state;
    for (size_t i = 0; i < TABLES; i++)
        rows[i] = 1000000;
    s.rows = rows;
    assert_true(class_by(sql, &s, "0.1") > class_by(sql, &s, "1"));
    assert_true(class_by(sql, &s, "1") >= class_by(sql, &s, "10"));
    assert_true(class_by(sql, &s, "0.1") > class_by(without, &s, "0.1"));
    assert_true(class_by(sql, &s, "10") >= class_by(without, &s, "10"));
    for (size_t i = 0; i < TABLES; i++)
        rows[i] = 1000; /* fewer than there are near the medians */
    assert_int_equal(class_by(sql, &s, "0.1"), class_by(sql, &s, "0.2"));
}

/* Groups have boxes, counts and ends each, for every rank. */
static void
quantiles_take_time_for_each_group(void **state)
{
    const int64_t few = class_of("SELECT median(cost) FROM visits");
    const int64_t many =
        class_of("SELECT day, median(cost) FROM visits GROUP BY day");
    const int64_t ranks =
        class_of("SELECT day, percentile_cont(0.1) WITHIN GROUP (ORDER BY "
                 "cost), percentile_cont(0.9) WITHIN GROUP (ORDER BY cost), "
                 "median(cost) FROM visits GROUP BY day");

    (void)state;
    assert_true(many - few > 365 * 50);
    assert_true(ranks - many > 365 * 100);
}

/* The class includes the full work that the rows of one unit may cause. */
static void
one_unit_fits_into_the_class(void **state)
{
    struct reply_speeds s = REPLY_SPEEDS_DEFAULT;
    uint64_t rows[TABLES] = {0};

    (void)state;
    for (size_t i = 0; i < TABLES; i++)
        rows[i] = 100;
    s.rows = rows;
    /* 20 rows of 64 KiB with 2^20 steps each, at a nanosecond a step. */
    assert_true(class_by("SELECT count(*) FROM visits WHERE note LIKE "
                         "'%a_b_c_d_e_f_g_h_i%'",
                         &s, "1") >= 20 << 10);
}

static void
times_are_written_for_people(void **state)
{
    static const struct {
        int64_t us;
        const char *text;
    } list[] = {
        {1563, "1.6 ms"},
        {3125, "3.2 ms"},
        {6250, "6.3 ms"},
        {9900, "9.9 ms"},
        {9901, "10 ms"},
        {12500, "13 ms"},
        {25000, "25 ms"},
        {50000, "50 ms"},
        {99001, "0.1 s"},
        {100000, "0.1 s"},
        {199000, "0.2 s"},
        {400000, "0.4 s"},
        {3200000, "3.2 s"},
        {12800000, "12.8 s"},
        {INT64_MAX, "an unknown time"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        char text[REPLY_CLASS_TEXT];

        reply_class_write(list[i].us, text);
        assert_string_equal(text, list[i].text);
    }
}

/* A worker process makes the plan and all that can follow it again. */
static void
plans_that_follow_are_made_in_time(void **state)
{
    struct asked asked = {.epsilon = "1"};
    struct reply_speeds s = REPLY_SPEEDS_DEFAULT;
    uint64_t rows[TABLES] = {0};
    struct planned t;

    (void)state;
    s.rows = rows;
    for (size_t i = 0; i < TABLES; i++)
        rows[i] = 10;
    plan_good(&t,
              "SELECT open, sum(amount), avg(amount) FROM claims GROUP BY 1",
              &asked);
    assert_true(t.plan->planning_steps > 100000);
    /* 25 ns a step, twice */
    assert_true(plan_class_us(t.plan, &s) >
                (int64_t)t.plan->planning_steps / 20);
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_those_of_the_list),
        cmocka_unit_test(tables_and_running_counts_take_time),
        cmocka_unit_test(bars_of_variances_take_time),
        cmocka_unit_test(classes_are_eight_in_a_doubling),
        cmocka_unit_test(the_class_grows_with_the_speeds),
        cmocka_unit_test(rows_are_public_ceilings),
        cmocka_unit_test(boxes_take_time_by_their_price),
        cmocka_unit_test(quantiles_take_time_for_each_group),
        cmocka_unit_test(one_unit_fits_into_the_class),
        cmocka_unit_test(plans_that_follow_are_made_in_time),
        cmocka_unit_test(times_are_written_for_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
