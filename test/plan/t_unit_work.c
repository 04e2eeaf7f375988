/*
 * What the rows of one unit may take in a query is capped at planning, by the
 * policy's own numbers.
 */
#include "plan/unit_work.h"

#include "plan/hospital.h"

/* n copies of a text, with a separator between them. */
static void
repeat(struct buf *b, const char *text, const char *between, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "%s%s", i ? between : "", text);
}

static void
is_refused(const char *sql, bool refused)
{
    struct planned t;

    plan_for(&t, sql, NULL);
    if (refused) {
        assert_int_equal(t.status, CUSTOS_EDENIED);
        assert_non_null(strstr(t.err.said, "max_unit_work"));
    } else if (t.status) {
        fail_msg("%s: %s", sql, t.err.said);
    } else {
        assert_true(unit_work(t.plan, UNIT_ROWS_DECLARED) <=
                    t.plan->policy->max_unit_work);
    }
    plan_done(&t);
}

/* A visit has a patient with 20 visits at most, and a note of 64 KiB. */
static void
the_work_of_a_unit_is_capped(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 6; n++) { /* 20^(n + 1) rows */
        struct buf b;

        buf_init(&b, NULL, 1 << 16);
        buf_add_text(&b, "SELECT count(*) FROM visits v");
        for (size_t i = 0; i < n; i++)
            buf_printf(&b,
                       " JOIN visits v%zu ON v.patient_id = v%zu.patient_id", i,
                       i);
        is_refused(buf_text(&b), n > 3);
        buf_clear(&b);
    }
    for (size_t n = 2; n <= 16; n *= 2) { /* up to 2^20 steps on 20 rows */
        struct buf b;

        buf_init(&b, NULL, 1 << 16);
        buf_add_text(&b, "SELECT count(*) FROM visits WHERE ");
        repeat(&b, "note LIKE '%a_b_c_d_e_f_g_h_i%'", " OR ", n);
        is_refused(buf_text(&b), n > 4);
        buf_clear(&b);
    }
}

/* What one visit's text takes, by hand: a comparison and its two sides. */
static void
steps_are_counted(void **state)
{
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT count(*) FROM visits WHERE level = 2", NULL);
    /* 20 rows: the columns; =, level, 2; and the count */
    assert_int_equal(unit_work(t.plan, UNIT_ROWS_DECLARED),
                     20 * (t.plan->table->n_columns + 3 + 1));
    assert_int_equal(unit_work(t.plan, 100),
                     100 * (t.plan->table->n_columns + 3 + 1));
    plan_done(&t);
    /* % alone is the engine's, which reads the text once */
    plan_good(&t, "SELECT count(*) FROM visits WHERE note LIKE '%x%y%'", NULL);
    assert_int_equal(unit_work(t.plan, UNIT_ROWS_DECLARED),
                     20 * (t.plan->table->n_columns + 3 + 65541 / 4 + 1));
    plan_done(&t);
    plan_good(&t, "SELECT count(*) FROM visits WHERE note = 'x'", NULL);
    assert_int_equal(unit_work(t.plan, UNIT_ROWS_DECLARED),
                     20 * (t.plan->table->n_columns + 3 + 65537 / 4 + 1));
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_work_of_a_unit_is_capped),
        cmocka_unit_test(steps_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
