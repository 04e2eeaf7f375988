/*
 * Fan-out in the engine: counts of public tables are right, no private row
 * meets more public rows than the plan says, and a unit's rows are bounded
 * between two joins with many public rows.
 */
#include "plan/cost/unit_work.h"
#include "printed.h"
#include "shop.h"

static void
plan_known(struct shop *s, const char *sql, struct shop_answer *a)
{
    struct plan_known known = {.ctx = s->made.engine, .count = engine_count};
    struct plan_options o = {.known = &known};
    struct query *q = NULL;
    custos_status st = sql_read(s->made.a, str_of(sql), &q, &s->made.err);

    if (!st)
        st =
            plan_make(s->made.a, q, s->made.policy, &o, &a->plan, &s->made.err);
    if (st)
        fail_msg("%s\n%s", sql, s->made.err.said);
}

static long long
ask_whole(struct shop *s, const char *sql)
{
    return strtoll(made_ask(&s->made, sql), NULL, 10);
}

static size_t
table_number(const struct shop *s, const char *name)
{
    return policy_table_find(s->made.policy, str_of(name))->number;
}

static void
counts_are_those_of_the_table(void **state)
{
    struct shop s;
    uint64_t n = 0;
    size_t tags;

    (void)state;
    shop_fill(&s, 1, 20, -1);
    shop_open(&s, 3);
    tags = table_number(&s, "tags");
    for (int again = 0; again < 2; again++) {
        assert_true(engine_count(s.made.engine, tags, PLAN_ROWS_OF_TABLE, &n));
        assert_int_equal(n, s.n[TAGS]);
        for (int c = 0; c < SHOP_COLUMNS; c++) {
            uint64_t most = 0;

            for (size_t i = 0; i < s.n[TAGS]; i++) {
                uint64_t same = 0;

                for (size_t k = 0; k < s.n[TAGS]; k++)
                    same += s.rows[TAGS][k][c] == s.rows[TAGS][i][c];
                most = same > most ? same : most;
            }
            assert_true(engine_count(s.made.engine, tags, c, &n));
            assert_int_equal(n, most);
        }
    }
    assert_false(engine_count(s.made.engine, table_number(&s, "lines"),
                              PLAN_ROWS_OF_TABLE, &n));
    made_close(&s.made);
}

/*
 * A FROM clause, and the same join in plain SQL, which gives the largest number
 * of public rows that a private row meets.
 */
static const struct {
    const char *from, *plain;
} joins[] = {
    {"lines l JOIN parts p ON l.pk = p.pk", "parts p WHERE l.c1 = p.c0"},
    {"lines l JOIN tags a ON l.pk = a.pk", "tags a WHERE l.c1 = a.c0"},
    {"lines l JOIN tags a ON l.pk = a.pk AND a.w > y",
     "tags a WHERE l.c1 = a.c0 AND a.c2 > l.c2"},
    {"lines l JOIN tags a ON true", "tags a WHERE true"},
    {"tags a JOIN lines l ON a.w = l.y", "tags a WHERE a.c2 = l.c2"},
    {"lines l JOIN (SELECT p.pk, a.tag FROM parts p JOIN tags a ON p.kind = "
     "a.tag) x ON l.pk = x.pk",
     "parts p, tags a WHERE p.c1 = a.c1 AND l.c1 = p.c0"},
    {"lines l JOIN (SELECT p.pk, a.tag FROM parts p JOIN tags a ON p.kind = "
     "a.tag) x ON l.y = x.tag",
     "parts p, tags a WHERE p.c1 = a.c1 AND l.c2 = a.c1"},
    {"lines l JOIN (SELECT w, count(*) AS n FROM tags GROUP BY w) x ON l.y = "
     "x.w",
     "(SELECT c2, count(*) FROM tags GROUP BY c2) x WHERE l.c2 = x.c2"},
    {"lines l JOIN (SELECT pk FROM tags UNION ALL SELECT w FROM parts) x ON "
     "l.pk = x.pk",
     "(SELECT c0 FROM tags UNION ALL SELECT c2 FROM parts) x WHERE l.c1 = "
     "x.c0"},
};

/* Replaces table names by the engine's names. */
static void
write_plain(const struct shop *s, const char *text, struct buf *out)
{
    while (*text) {
        const char *names[] = {"parts", "tags"};
        bool found = false;

        for (size_t i = 0; i < 2 && !found; i++)
            if (!strncmp(text, names[i], strlen(names[i]))) {
                buf_printf(out, "t%zu", table_number(s, names[i]));
                text += strlen(names[i]);
                found = true;
            }
        if (!found)
            buf_add(out, text++, 1);
    }
}

static void
fanout_bounds_every_join(void **state)
{
    struct shop s;
    struct shop_answer a;

    (void)state;
    shop_fill(&s, 4, 30, -1);
    shop_open(&s, 400);
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
        char sql[400];
        struct buf b;
        long long met;

        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", joins[i].from);
        plan_known(&s, sql, &a);
        buf_init(&b, NULL, 1 << 16);
        buf_add_text(&b, "SELECT max(n) FROM (SELECT (SELECT count(*) FROM ");
        write_plain(&s, joins[i].plain, &b);
        buf_printf(&b, ") AS n FROM t%zu l)", table_number(&s, "lines"));
        met = ask_whole(&s, buf_text(&b));
        if (met < 1 || (uint64_t)met > a.plan->fanout)
            fail_msg("%s: %lld rows met, %llu said", sql, met,
                     (unsigned long long)a.plan->fanout);
        assert_int_equal(
            engine_check_attached(s.made.engine, a.plan, &s.made.err),
            CUSTOS_OK);
        buf_clear(&b);
        plan_free(a.plan);
    }
    made_close(&s.made);
}

/*
 * Before rows are bounded for the last time, a unit has at most its bound times
 * the rows that one join meets. Without bounding between joins it could have
 * the product over all joins; without bounding before the first, all its stored
 * rows.
 */
static void
rows_are_cut_between_joins(void **state)
{
    static const char *const froms[] = {
        "lines l JOIN tags a ON true",
        "tags a JOIN lines l ON true",
        "lines l JOIN parts p ON p.pk = l.pk JOIN tags a ON true",
        "lines l JOIN tags a ON true JOIN tags b ON true",
        "lines l JOIN tags a ON a.w >= 0 JOIN parts b ON b.w >= a.tag",
        "(SELECT l.ok, a.w FROM lines l JOIN tags a ON true WHERE a.w >= 0) v "
        "JOIN tags b ON v.w >= 0",
        "tags a JOIN lines l ON true JOIN tags b ON true",
        "tags b JOIN (lines l JOIN tags a ON true) ON true",
        "lines l JOIN tags a ON true JOIN returns r ON r.ok = l.ok JOIN tags b "
        "ON true",
        "lines l JOIN tags a ON true JOIN parts p ON p.pk = a.pk JOIN tags b "
        "ON true",
    };
    struct shop s;
    struct shop_answer a;

    (void)state;
    shop_fill(&s, 4, 30, -1);
    shop_open(&s, 3);
    for (size_t i = 0; i < sizeof froms / sizeof *froms; i++) {
        const struct relation *r;
        char sql[400];
        struct buf b;
        long long most, bound;

        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", froms[i]);
        plan_known(&s, sql, &a);
        r = a.plan->from;
        bound = (long long)(r->as->rows_per_unit * s.n[TAGS]);
        buf_init(&b, NULL, 1 << 20);
        buf_add_text(&b, "SELECT max(n) FROM (SELECT count(*) AS n FROM ");
        print_of_plan(s.made.engine, a.plan, &b);
        buf_add_text(&b, " GROUP BY unit)");
        most = ask_whole(&s, buf_text(&b));
        if (most < 1 || most > bound)
            fail_msg("%s: %lld rows of a unit, at most %lld", sql, most, bound);
        buf_clear(&b);
        plan_free(a.plan);
    }
    made_close(&s.made);
}

/*
 * For every relation below r, checks the rows of a unit against what the plan
 * says.
 */
static void
check_rows(struct shop *s, const struct plan *plan, const struct relation *r,
           uint64_t stored, const char *sql)
{
    struct buf b;
    long long most;

    if (!r || r->as->is_public)
        return;
    buf_init(&b, NULL, 1 << 20);
    buf_add_text(&b, "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n "
                     "FROM ");
    print_relation(s->made.engine, r, &b);
    buf_add_text(&b, " GROUP BY unit)");
    most = ask_whole(s, buf_text(&b));
    if ((uint64_t)most > unit_rows(plan, r, stored))
        fail_msg("%s: %lld rows of a unit, at most %llu (kind %d)", sql, most,
                 (unsigned long long)unit_rows(plan, r, stored), (int)r->kind);
    buf_clear(&b);
    check_rows(s, plan, r->left, stored, sql);
    check_rows(s, plan, r->right, stored, sql);
    for (size_t i = 0; i < r->n_branches; i++)
        check_rows(s, plan, r->branches[i], stored, sql);
}

static void
no_relation_has_more_rows_of_a_unit(void **state)
{
    static const char *const froms[] = {
        "lines l JOIN tags a ON true JOIN tags b ON true",
        "lines l JOIN tags a ON true JOIN tags b ON true WHERE a.w > b.w",
        "people p JOIN orders o ON p.id = o.id JOIN lines l ON l.ok = o.ok "
        "JOIN tags a ON true",
        "(SELECT l.ok, a.w FROM lines l JOIN tags a ON true UNION ALL SELECT "
        "ok, x FROM orders) v JOIN tags b ON v.w >= 0",
        "(SELECT l.ok, count(*) AS n FROM lines l JOIN tags a ON true GROUP BY "
        "l.ok) v JOIN tags b ON true JOIN parts p ON p.pk = b.pk",
        "people p LEFT JOIN orders o ON p.id = o.id JOIN tags a ON true",
        "orders a JOIN orders b ON a.id = b.id JOIN tags t ON t.w > a.x",
    };
    struct shop s;
    struct shop_answer a;

    (void)state;
    shop_fill(&s, 4, 30, -1);
    shop_open(&s, 3);
    for (size_t i = 0; i < sizeof froms / sizeof *froms; i++) {
        char sql[400];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", froms[i]);
        plan_known(&s, sql, &a);
        check_rows(&s, a.plan, a.plan->from, s.n[LINES], sql);
        assert_true(unit_work(a.plan, s.n[LINES]) <
                    UINT64_C(1000) * s.n[LINES] * a.plan->fanout);
        plan_free(a.plan);
    }
    made_close(&s.made);
}

/* A plan with an unknown fan-out is not run. */
static void
unknown_fanout_is_not_ready(void **state)
{
    struct shop s;
    struct shop_answer a;

    (void)state;
    shop_fill(&s, 4, 5, -1);
    shop_open(&s, 3);
    shop_plan(&s, "SELECT count(*) FROM lines l JOIN tags a ON true", &a);
    assert_int_equal(engine_check_attached(s.made.engine, a.plan, &s.made.err),
                     CUSTOS_EINVAL);
    plan_free(a.plan);
    made_close(&s.made);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_table),
        cmocka_unit_test(fanout_bounds_every_join),
        cmocka_unit_test(rows_are_cut_between_joins),
        cmocka_unit_test(no_relation_has_more_rows_of_a_unit),
        cmocka_unit_test(unknown_fanout_is_not_ready),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
