/*
 * The planner limits the work that one unit's rows may cause in a query, by the
 * policy's numbers.
 */
#include "plan/cost/unit_work.h"

#include "plan/hospital.h"
#include "sql/functions.h"
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

/* A condition with a call on texts, as its row says that it is written. Those
   that take no texts are rejected. */
static void
write_call(enum call call, char *out, size_t room)
{
    const struct function *f = &functions[call];
    bool like = strstr(f->word, "LIKE") != NULL;

    switch (f->form) {
    case FORM_INFIX:
        snprintf(out, room, "(note %s %s) IS NULL", f->word,
                 like ? "'%a%'" : "note");
        break;
    case FORM_PREFIX: snprintf(out, room, "(%s note) IS NULL", f->word); break;
    case FORM_SUFFIX: snprintf(out, room, "note %s", f->word); break;
    case FORM_RANGED:
        snprintf(out, room, "note %s note AND note", f->word);
        break;
    case FORM_FUNCTION: /* further arguments are literals, or texts too */
        snprintf(out, room, "%s(note%s) IS NULL", f->word,
                 f->least == 4   ? ", 0, 1, 5"
                 : f->least == 2 ? ", 5"
                 : f->least == 1 ? ""
                                 : ", note");
        break;
    case FORM_FIELD:
        snprintf(out, room, "%s('%s', note) IS NULL", f->word, f->field);
        break;
    }
}

/* Other nodes that read texts. */
static const char *const nodes[] = {
    "note NOT LIKE '%a_'",
    "note NOT ILIKE '%a_'",
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
    for (size_t i = 0; i < N_CALLS; i++) {
        char form[100];

        write_call((enum call)i, form, sizeof form);
        planned += has_weight(form);
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
