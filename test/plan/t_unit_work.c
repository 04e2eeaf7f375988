/*
 * The planner limits the work that one unit's rows may cause in a query, by the
 * policy's numbers.
 */
#include "plan/unit_work.h"

#include "plan/hospital.h"
#include "support/said.h"

enum { NOTE = 1 << 16 }; /* bytes of visits.note */

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
        assert_non_null(strstr(whole_said(&t.err), "max_unit_work"));
    } else if (t.status) {
        fail_msg("%s: %s", sql, t.err.said);
    } else {
        assert_true(unit_work(t.plan, UNIT_ROWS_DECLARED) <=
                    t.plan->policy->max_unit_work);
    }
    plan_done(&t);
}

/* A patient has at most 20 visits, each with a note of up to 64 KiB. */
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

/* The steps for one unit, computed by hand. */
static void
steps_are_counted(void **state)
{
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT count(*) FROM visits WHERE level = 2", NULL);
    /* each of 20 rows: its columns, the nodes of level = 2, the count */
    assert_int_equal(unit_work(t.plan, UNIT_ROWS_DECLARED),
                     20 * (t.plan->table->n_columns + 3 + 1));
    assert_int_equal(unit_work(t.plan, 100),
                     100 * (t.plan->table->n_columns + 3 + 1));
    plan_done(&t);
    /*
     * patterns without _ and \ are matched by the engine: 8 steps a byte, and
     * 1/64 more for each byte of the pattern
     */
    plan_good(&t, "SELECT count(*) FROM visits WHERE note LIKE '%x%y%'", NULL);
    assert_int_equal(unit_work(t.plan, UNIT_ROWS_DECLARED),
                     20 * (t.plan->table->n_columns + NOTE / 4 + 3 +
                           (NOTE + 5) * 129 / 16 + 1));
    plan_done(&t);
    plan_good(&t, "SELECT count(*) FROM visits WHERE note = 'x'", NULL);
    assert_int_equal(
        unit_work(t.plan, UNIT_ROWS_DECLARED),
        20 * (t.plan->table->n_columns + NOTE / 4 + 3 + (NOTE + 1) / 4 + 1));
    plan_done(&t);
    /* lower reads 4 KiB at most; its result is compared */
    plan_good(&t, "SELECT count(*) FROM visits WHERE lower(note) = 'x'", NULL);
    assert_int_equal(unit_work(t.plan, UNIT_ROWS_DECLARED),
                     20 * (t.plan->table->n_columns + NOTE / 4 + 4 + 4096 * 11 +
                           4097 / 4 + 1));
    plan_done(&t);
}

/* ------------------------------------------------------- multiplied rows -- */

enum { CITIES = 400 };

static bool
count(void *ctx, size_t table, int column, uint64_t *out)
{
    (void)ctx, (void)table, (void)column;
    *out = CITIES;
    return true;
}

/* The work of 20 visits that meet all cities; 2^64 - 1 if it is rejected. */
static uint64_t
work_of_pairs(const char *rest)
{
    struct plan_known k = {.count = count};
    struct asked asked = {.known = &k};
    uint64_t work = UINT64_MAX;
    struct planned t;
    char sql[400];

    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM visits v JOIN cities c ON true %s", rest);
    plan_for(&t, sql, &asked);
    if (!t.status)
        work = unit_work(t.plan, UNIT_ROWS_DECLARED);
    else if (t.status != CUSTOS_EDENIED ||
             !strstr(whole_said(&t.err), "max_unit_work"))
        fail_msg("%s: %s", sql, t.err.said);
    plan_done(&t);
    return work;
}

/*
 * 8,000 pairs with a text of 64 KiB are 500 MB; without a text they are almost
 * nothing.
 */
static void
texts_of_pairs_are_counted(void **state)
{
    (void)state;
    assert_true(work_of_pairs("") < 8000 * 400);
    assert_true(work_of_pairs("WHERE v.level > c.people") < 8000 * 400);
    assert_true(work_of_pairs("WHERE v.note IS NULL") == UINT64_MAX);
    assert_true(work_of_pairs("WHERE v.note = 'x'") == UINT64_MAX);
    assert_true(work_of_pairs("WHERE c.name = 'x'") == UINT64_MAX);
    assert_true(work_of_pairs("JOIN visits w ON v.patient_id = w.patient_id "
                              "WHERE v.note = 'x'") == UINT64_MAX);
}

/* A condition below the join reads a text once for each row. */
static void
texts_below_a_join_are_not_multiplied(void **state)
{
    struct plan_known k = {.count = count};
    struct asked asked = {.known = &k};
    struct planned t;

    (void)state;
    plan_good(&t,
              "SELECT count(*) FROM (SELECT level FROM visits WHERE note LIKE "
              "'%x%') v CROSS JOIN cities c",
              &asked);
    plan_done(&t);
}

/* ---------------------------------------------------------- text weights -- */

/* Every function call on a text, as SQL. */
static const char *const forms[] = {
    [CALL_AND] = "note AND note",
    [CALL_OR] = "note OR note",
    [CALL_NOT] = "NOT note",
    [CALL_EQ] = "note = note",
    [CALL_NE] = "note <> note",
    [CALL_LT] = "note < note",
    [CALL_LE] = "note <= note",
    [CALL_GT] = "note > note",
    [CALL_GE] = "note >= note",
    [CALL_IS_NULL] = "note IS NULL",
    [CALL_IS_NOT_NULL] = "note IS NOT NULL",
    [CALL_IS_TRUE] = "note IS TRUE",
    [CALL_IS_FALSE] = "note IS FALSE",
    [CALL_IS_NOT_TRUE] = "note IS NOT TRUE",
    [CALL_IS_NOT_FALSE] = "note IS NOT FALSE",
    [CALL_IS_DISTINCT] = "note IS DISTINCT FROM note",
    [CALL_IS_NOT_DISTINCT] = "note IS NOT DISTINCT FROM note",
    [CALL_LIKE] = "note LIKE '%a%'",
    [CALL_NOT_LIKE] = "note NOT LIKE '%a_'",
    [CALL_ILIKE] = "note ILIKE '%a%'",
    [CALL_NOT_ILIKE] = "note NOT ILIKE '%a_'",
    [CALL_BETWEEN] = "note BETWEEN note AND note",
    [CALL_NOT_BETWEEN] = "note NOT BETWEEN note AND note",
    [CALL_NEG] = "- note = note",
    [CALL_ADD] = "note + note = 1",
    [CALL_SUB] = "note - note = 1",
    [CALL_MUL] = "note * note = 1",
    [CALL_DIV] = "note / note = 1",
    [CALL_MOD] = "note % note = 1",
    [CALL_ABS] = "abs(note) = 1",
    [CALL_ROUND] = "round(note) = 1",
    [CALL_FLOOR] = "floor(note) = 1",
    [CALL_CEIL] = "ceil(note) = 1",
    [CALL_SIGN] = "sign(note) = 1",
    [CALL_LEAST] = "least(note, note) IS NULL",
    [CALL_GREATEST] = "greatest(note, note) IS NULL",
    [CALL_COALESCE] = "coalesce(note, note) IS NULL",
    [CALL_NULLIF] = "nullif(note, note) IS NULL",
    [CALL_LOWER] = "lower(note) IS NULL",
    [CALL_UPPER] = "upper(note) IS NULL",
    [CALL_TRIM] = "trim(note) IS NULL",
    [CALL_LENGTH] = "length(note) = 1",
    [CALL_SUBSTRING] = "substring(note, 5) IS NULL",
    [CALL_CONCAT] = "note || note IS NULL",
    [CALL_YEAR] = "extract(year from note) = 1",
    [CALL_QUARTER] = "extract(quarter from note) = 1",
    [CALL_MONTH] = "extract(month from note) = 1",
    [CALL_WEEK] = "extract(week from note) = 1",
    [CALL_DAY] = "extract(day from note) = 1",
    [CALL_DOW] = "extract(dow from note) = 1",
    [CALL_DOY] = "extract(doy from note) = 1",
    [CALL_HOUR] = "extract(hour from note) = 1",
    [CALL_MINUTE] = "extract(minute from note) = 1",
    [CALL_SECOND] = "extract(second from note) = 1",
    [CALL_TRUNC_YEAR] = "date_trunc('year', note) IS NULL",
    [CALL_TRUNC_QUARTER] = "date_trunc('quarter', note) IS NULL",
    [CALL_TRUNC_MONTH] = "date_trunc('month', note) IS NULL",
    [CALL_TRUNC_WEEK] = "date_trunc('week', note) IS NULL",
    [CALL_TRUNC_DAY] = "date_trunc('day', note) IS NULL",
    [CALL_TRUNC_HOUR] = "date_trunc('hour', note) IS NULL",
    [CALL_WIDTH_BUCKET] = "width_bucket(note, 0, 1, 5) = 1",
};

/* Other nodes that read texts. */
static const char *const nodes[] = {
    "CASE WHEN level > 1 THEN note ELSE 'x' END IS NULL",
    "note IN ('a', 'b')",
    "note IN (SELECT name FROM cities)",
    "CAST(note AS integer) = 1",
    "CAST(note AS numeric(9, 2)) = 1",
    "CAST(note AS date) IS NULL",
    "CAST(note AS boolean)",
};

/*
 * Whether the condition can be planned; if so, its work must include reading
 * the text.
 */
static bool
has_weight(const char *condition)
{
    struct planned t;
    char sql[400];
    bool planned;

    snprintf(sql, sizeof sql, "SELECT count(*) FROM visits WHERE %s",
             condition);
    plan_for(&t, sql, NULL);
    planned = t.status == CUSTOS_OK;
    if (t.status == CUSTOS_EDENIED &&
        strstr(whole_said(&t.err), "max_unit_work"))
        fail_msg("%s: %s", condition, t.err.said);
    if (planned && unit_work(t.plan, 1) < NOTE / 2)
        fail_msg("%s takes no steps", condition);
    plan_done(&t);
    return planned;
}

static void
every_text_call_has_a_weight(void **state)
{
    size_t planned = 0;

    (void)state;
    assert_int_equal(sizeof forms / sizeof *forms, CALL_WIDTH_BUCKET + 1);
    for (size_t i = 0; i <= CALL_WIDTH_BUCKET; i++) {
        assert_non_null(forms[i]);
        planned += has_weight(forms[i]);
    }
    assert_true(planned >= 24);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (!has_weight(nodes[i]))
            fail_msg("%s is refused", nodes[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_work_of_a_unit_is_capped),
        cmocka_unit_test(steps_are_counted),
        cmocka_unit_test(texts_of_pairs_are_counted),
        cmocka_unit_test(texts_below_a_join_are_not_multiplied),
        cmocka_unit_test(every_text_call_has_a_weight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
