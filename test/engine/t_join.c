/*
 * Relations in the engine: every kind of join against the same join computed
 * pair by pair in C; and how far one unit can move the result, for every way
 * rows can meet.
 */
#include "pairs.h"
#include "printed.h"
#include "support/said.h"

/* ----------------------------------------------------------------- joins -- */

#define START(t)                                                               \
    {                                                                          \
        t, false, ANY, 0, 0, NOTHING                                           \
    }

static const struct {
    const char *sql;
    struct step steps[SIDES];
    size_t n, side; /* which side's last column is summed */
} joins[] = {
    {"SELECT count(*), sum(y) FROM lines l JOIN orders o ON l.ok = o.ok "
     "JOIN people p ON o.id = p.id",
     {START(LINES),
      {ORDERS, false, 0, 0, 0, NOTHING},
      {PEOPLE, false, 1, 1, 0, NOTHING}},
     3,
     0},
    {"SELECT count(*), sum(y) FROM people JOIN orders USING (id) "
     "JOIN lines USING (ok)",
     {START(PEOPLE),
      {ORDERS, false, 0, 0, 1, NOTHING},
      {LINES, false, 1, 0, 0, NOTHING}},
     3,
     2},
    {"SELECT count(*), sum(y) FROM people p, orders o, lines l "
     "WHERE p.id = o.id AND l.ok = o.ok AND y >= 2",
     {START(PEOPLE),
      {ORDERS, false, 0, 0, 1, NOTHING},
      {LINES, false, 1, 0, 0, 2}},
     3,
     2},
    {"SELECT count(*), sum(y) FROM lines l, people p, orders o "
     "WHERE p.id = o.id AND l.ok = o.ok",
     {START(PEOPLE),
      {ORDERS, false, 0, 0, 1, NOTHING},
      {LINES, false, 1, 0, 0, NOTHING}},
     3,
     2},
    {"SELECT count(*), sum(y) FROM (SELECT p.id, l.* FROM people p, lines l, "
     "orders o WHERE p.id = o.id AND l.ok = o.ok) s",
     {START(PEOPLE),
      {ORDERS, false, 0, 0, 1, NOTHING},
      {LINES, false, 1, 0, 0, NOTHING}},
     3,
     2},
    {"SELECT count(*), sum(w) FROM lines JOIN parts USING (pk)",
     {START(LINES), {PARTS, false, 0, 1, 0, NOTHING}},
     2,
     1},
    {"SELECT count(*), sum(w) FROM parts JOIN lines USING (pk)",
     {START(PARTS), {LINES, false, 0, 0, 1, NOTHING}},
     2,
     0},
    {"SELECT count(*), sum(w) FROM lines LEFT JOIN parts USING (pk)",
     {START(LINES), {PARTS, true, 0, 1, 0, NOTHING}},
     2,
     1},
    {"SELECT count(*), sum(t.w) FROM lines LEFT JOIN tags t USING (pk)",
     {START(LINES), {TAGS, true, 0, 1, 0, NOTHING}},
     2,
     1},
    {"SELECT count(*), sum(t.w) FROM tags t JOIN lines l ON t.pk = l.pk",
     {START(TAGS), {LINES, false, 0, 0, 1, NOTHING}},
     2,
     0},
    {"SELECT count(*), sum(t.w) FROM lines JOIN tags t ON t.w >= 3",
     {START(LINES), {TAGS, false, ANY, 0, 0, 3}},
     2,
     1},
    {"SELECT count(*), sum(x) FROM people LEFT JOIN orders USING (id)",
     {START(PEOPLE), {ORDERS, true, 0, 0, 1, NOTHING}},
     2,
     1},
    {"SELECT count(*), sum(x) FROM people p LEFT JOIN orders o ON p.id = o.id "
     "AND x >= 0",
     {START(PEOPLE), {ORDERS, true, 0, 0, 1, 0}},
     2,
     1},
    {"SELECT count(*), sum(y) FROM orders o LEFT JOIN lines l ON o.ok = l.ok "
     "AND y >= 3",
     {START(ORDERS), {LINES, true, 0, 0, 0, 3}},
     2,
     1},
    {"SELECT count(*), sum(z) FROM orders o JOIN lines l ON o.ok = l.ok "
     "JOIN returns r ON r.ok = o.ok",
     {START(ORDERS),
      {LINES, false, 0, 0, 0, NOTHING},
      {RETURNS, false, 0, 0, 0, NOTHING}},
     3,
     2},
    {"SELECT count(*), sum(z) FROM lines l JOIN returns r ON l.ok = r.ok",
     {START(LINES), {RETURNS, false, 0, 0, 0, NOTHING}},
     2,
     1},
    {"SELECT count(*), sum(z) FROM lines l LEFT JOIN returns r ON l.ok = r.ok "
     "AND z >= 4",
     {START(LINES), {RETURNS, true, 0, 0, 0, 4}},
     2,
     1},
    {"SELECT count(*), sum(b.x) FROM orders a JOIN orders b ON a.id = b.id",
     {START(ORDERS), {ORDERS, false, 0, 1, 1, NOTHING}},
     2,
     1},
    {"SELECT count(*), sum(b.x) FROM orders a LEFT JOIN orders b ON a.id = "
     "b.id AND b.x >= 5",
     {START(ORDERS), {ORDERS, true, 0, 1, 1, 5}},
     2,
     1},
    {"SELECT count(*), sum(s.w) FROM lines l JOIN (SELECT pk AS part, w FROM "
     "tags) s ON l.pk = s.part",
     {START(LINES), {TAGS, false, 0, 1, 0, NOTHING}},
     2,
     1},
    {"SELECT count(*), sum(a.v) FROM people p JOIN (SELECT id AS who, x + 0 AS "
     "v FROM orders WHERE x >= 1) a ON p.id = a.who",
     {START(PEOPLE), {ORDERS, false, 0, 0, 1, 1}},
     2,
     1},
};

/* The bound admits all rows of every unit, so nothing is left out. */
static void
every_join_equals_the_reference(void **state)
{
    struct shop s;
    struct shop_answer a;

    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        shop_fill(&s, seed, 20, -1);
        shop_open(&s, 400);
        for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
            i128 sum;

            shop_ask(&s, joins[i].sql, &a);
            reference(&s, joins[i].steps, joins[i].n);
            sum = sum_of(joins[i].side, 2);
            if (a.x.values[0] != (i128)before.n || a.x.values[1] != sum)
                fail_msg("%s\n%lld and %lld, not %zu and %lld", joins[i].sql,
                         (long long)a.x.values[0], (long long)a.x.values[1],
                         before.n, (long long)sum);
            shop_answered(&a);
        }
        made_close(&s.made);
    }
}

/* ------------------------------------------------------------ equalities -- */

/* Pairs of queries that agree if bounding leaves nothing out. */
static const char *const same[][2] = {
    {"SELECT sum(y) FROM lines",
     "SELECT sum(s) FROM (SELECT o.id, sum(y) AS s FROM lines JOIN orders o "
     "USING (ok) GROUP BY o.id) u"},
    {"SELECT count(*) FROM lines",
     "SELECT sum(n) FROM (SELECT ok, count(*) AS n FROM lines GROUP BY ok) u"},
    {"SELECT count(distinct id) FROM orders WHERE x > 2",
     "SELECT count(*) FROM (SELECT id, count(*) FROM orders WHERE x > 2 GROUP "
     "BY id) u"},
    {"SELECT count(*) FROM orders WHERE x > 2",
     "WITH a AS (SELECT * FROM orders), b AS (SELECT x - 2 AS d FROM a) SELECT "
     "count(*) FROM b WHERE d > 0"},
    {"SELECT count(*) FROM lines JOIN parts USING (pk) WHERE kind = 1",
     "SELECT count(*) FROM lines WHERE pk IN (SELECT pk FROM parts WHERE kind "
     "= 1)"},
    {"SELECT count(*) FROM lines WHERE pk IS NOT NULL",
     "SELECT count(*) FROM lines WHERE pk IN (SELECT pk FROM parts) OR pk NOT "
     "IN (SELECT pk FROM parts)"},
    {"SELECT count(*) FROM lines JOIN parts USING (pk) WHERE kind = 1",
     "SELECT count(*) FROM lines JOIN (SELECT pk, max_w FROM (SELECT pk, "
     "sum(w) AS max_w FROM parts WHERE kind = 1 GROUP BY pk) g) p USING (pk)"},
    {"SELECT sum(a) FROM (SELECT id, max(x) AS a FROM orders GROUP BY id) u",
     "SELECT sum(0 - a) FROM (SELECT id, min(0 - x) AS a FROM orders GROUP BY "
     "id) u"},
    {"SELECT sum(y) FROM lines JOIN tags USING (pk) WHERE tag > 0",
     "SELECT sum(y) FROM far JOIN tags USING (pk) WHERE tag > 0"},
    {"SELECT sum(w) FROM lines LEFT JOIN parts USING (pk)",
     "SELECT sum(w) FROM parts JOIN far USING (pk)"},
    {"SELECT sum(w) FROM lines JOIN parts USING (pk)",
     "SELECT sum(2 * w - w) FROM (SELECT w FROM lines l LEFT JOIN parts p ON "
     "l.pk = p.pk) j"},
};

static void
two_ways_give_one_answer(void **state)
{
    struct shop s;
    struct shop_answer a, b;

    (void)state;
    shop_fill(&s, 3, 20, -1);
    shop_open(&s, 400);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        shop_ask(&s, same[i][0], &a);
        shop_ask(&s, same[i][1], &b);
        if (a.x.values[0] != b.x.values[0])
            fail_msg("%s\n%lld, not %lld", same[i][1], (long long)b.x.values[0],
                     (long long)a.x.values[0]);
        shop_answered(&a);
        shop_answered(&b);
    }
    shop_ask(&s, "SELECT count(*), sum(y) FROM lines", &a);
    shop_ask(&s,
             "SELECT count(*), sum(v) FROM (SELECT ok, y AS v FROM lines UNION "
             "ALL SELECT ok, y + 1 FROM lines UNION ALL SELECT ok, 3 FROM "
             "lines) u WHERE v IS NOT NULL OR v IS NULL",
             &b);
    assert_true(b.x.values[0] == 3 * a.x.values[0]);
    shop_answered(&a);
    shop_answered(&b);
    made_close(&s.made);
}

/* Of each unit the first two rows that pass WHERE count, not those of its first
   two rows that pass. */
static void
rows_that_pass_are_bounded(void **state)
{
    static const char *const bounded[][2] = {
        {"SELECT count(*) FROM people JOIN orders USING (id) WHERE x > 4",
         "SELECT sum(least(n, 2)) FROM (SELECT id, count(*) AS n FROM orders "
         "WHERE x > 4 GROUP BY id) u"},
        {"SELECT count(*) FROM lines WHERE pk IN (SELECT pk FROM parts WHERE "
         "kind = 1)",
         "SELECT sum(least(n, 2)) FROM (SELECT o.id, count(*) AS n FROM lines "
         "JOIN orders o USING (ok) JOIN parts USING (pk) WHERE kind = 1 GROUP "
         "BY o.id) u"},
    };
    struct shop few, all;
    struct shop_answer a, b;

    (void)state;
    shop_fill(&few, 4, 20, -1);
    shop_fill(&all, 4, 20, -1);
    shop_open(&few, 2);
    shop_open(&all, 400);
    for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++) {
        shop_ask(&few, bounded[i][0], &a);
        shop_ask(&all, bounded[i][1], &b);
        assert_true(a.x.values[0] > 0);
        if (a.x.values[0] != b.x.values[0])
            fail_msg("%s\n%lld, not %lld", bounded[i][0],
                     (long long)a.x.values[0], (long long)b.x.values[0]);
        shop_answered(&a);
        shop_answered(&b);
    }
    made_close(&few.made);
    made_close(&all.made);
}

/* ------------------------------------------------------------ neighbours -- */

static const char *const asked[] = {
    "SELECT count(*), sum(y), count(distinct o.id) FROM lines l JOIN orders o "
    "ON l.ok = o.ok JOIN people p ON o.id = p.id",
    "SELECT seg, count(*), sum(x), avg(x) FROM people JOIN orders USING (id) "
    "GROUP BY seg",
    "SELECT seg, count(*), count(distinct p.id) FROM people p LEFT JOIN orders "
    "o ON p.id = o.id AND x > 0 GROUP BY seg",
    "SELECT count(*), sum(y) FROM orders o LEFT JOIN lines l ON o.ok = l.ok "
    "AND y > 3",
    "SELECT kind, sum(y) FROM lines LEFT JOIN parts USING (pk) GROUP BY kind",
    "SELECT tag, count(*), sum(y) FROM lines JOIN tags USING (pk) GROUP BY tag",
    "SELECT count(*), sum(y) FROM tags JOIN lines USING (pk) WHERE y > 0",
    "SELECT count(*), sum(t.w) FROM lines JOIN tags t ON t.w >= 3",
    "SELECT count(*), sum(z) FROM orders o JOIN lines l ON o.ok = l.ok JOIN "
    "returns r ON r.ok = o.ok",
    "SELECT count(*), sum(b.x) FROM orders a JOIN orders b ON a.id = b.id",
    "SELECT count(*), sum(b.x) FROM orders a LEFT JOIN orders b ON a.id = b.id "
    "AND b.x > 5",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed=1) seg, "
    "count(*), count(distinct o.id) FROM people JOIN orders o USING (id) "
    "GROUP BY seg",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_rows_contributed=1) count(*),"
    " sum(b.x) FROM orders a JOIN orders b ON a.id = b.id",
    "SELECT sum(s), sum(n), avg(m) FROM (SELECT o.id, sum(y) AS s, count(*) AS "
    "n, avg(y) AS m FROM lines JOIN orders o USING (ok) WHERE y > -5 GROUP BY "
    "o.id) u",
    "SELECT sum(b - a), avg(a) FROM (SELECT id, min(x) AS a, max(x) AS b FROM "
    "orders GROUP BY id) u",
    "SELECT tag, count(*), sum(y) FROM far JOIN tags USING (pk) GROUP BY tag",
    "SELECT sum(s), count(*) FROM (SELECT ok, max(w + y) AS s FROM far LEFT "
    "JOIN parts USING (pk) GROUP BY ok) u",
    "SELECT count(*), sum(n) FROM (SELECT ok, count(*) AS n FROM lines GROUP "
    "BY ok HAVING count(*) > 1) u JOIN orders USING (ok)",
    "SELECT count(*), sum(v) FROM (SELECT ok, y AS v FROM lines UNION ALL "
    "SELECT ok, z FROM returns UNION ALL SELECT ok, 3 FROM lines) u",
    "SELECT count(*) FROM lines WHERE pk IN (SELECT pk FROM tags)",
    "SELECT count(*), sum(d) FROM (SELECT x * x AS d, id FROM orders WHERE x > "
    "0) a JOIN people p ON a.id = p.id",
    "SELECT count(*), sum(b.w), sum(y) FROM lines l JOIN tags a ON a.pk = l.pk "
    "JOIN tags b ON b.w >= y",
    "SELECT count(*), sum(p.w) FROM (SELECT l.pk, a.tag FROM lines l JOIN tags "
    "a ON true WHERE a.w > 2) v LEFT JOIN parts p ON p.kind = v.tag",
    "SELECT count(*), sum(z) FROM tags a JOIN lines l ON a.tag = l.y JOIN "
    "returns r ON r.ok = l.ok",
};

static void
check_moves(const char *sql, const struct shop_answer *a,
            const struct shop_answer *b)
{
    for (size_t i = 0; i < a->plan->n_parts; i++) {
        i128 moved = 0;
        rat r;

        for (size_t c = 0; c < a->x.cells; c++) {
            i128 d = a->x.values[i * a->x.cells + c] -
                     b->x.values[i * a->x.cells + c];

            moved += d < 0 ? -d : d;
        }
        rat_init(&r);
        rat_set_i128(&r, moved);
        if (rat_cmp(&r, &a->plan->parts[i].l1) > 0)
            fail_msg("%s\npart %zu moves by %lld", sql, i, (long long)moved);
        rat_clear(&r);
    }
}

static void
removing_a_unit_moves_little(void **state)
{
    struct shop s, t;
    struct shop_answer a, b;

    (void)state;
    for (int most = 1; most <= 4; most += 3)
        for (int without = 1; without <= 3; without += 2) {
            shop_fill(&s, 10 + (uint64_t)without, 14, -1);
            shop_fill(&t, 10 + (uint64_t)without, 14, without);
            shop_open(&s, most);
            shop_open(&t, most);
            for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
                shop_ask(&s, asked[i], &a);
                shop_ask(&t, asked[i], &b);
                check_moves(asked[i], &a, &b);
                shop_answered(&a);
                shop_answered(&b);
            }
            made_close(&s.made);
            made_close(&t.made);
        }
}

/* No unit has more rows than rows_per_unit, and its ranks are distinct. */
static void
no_unit_has_more_rows_than_it_may(void **state)
{
    struct shop s;
    struct shop_answer a;

    (void)state;
    shop_fill(&s, 5, 20, -1);
    shop_open(&s, 3);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct buf b;

        shop_plan(&s, asked[i], &a);
        if (a.plan->from->kind != RELATION_TABLE) {
            buf_init(&b, NULL, 1 << 20);
            buf_add_text(&b, "SELECT count(*) FROM (SELECT count(*) AS n, "
                             "count(DISTINCT rank) AS d FROM ");
            print_of_plan(s.made.engine, a.plan, &b);
            buf_printf(&b,
                       " WHERE rank <= %llu GROUP BY unit) WHERE n > %llu OR "
                       "n <> d",
                       (unsigned long long)a.plan->table->rows_per_unit,
                       (unsigned long long)a.plan->table->rows_per_unit);
            if (strcmp(made_ask(&s.made, buf_text(&b)), "0") != 0)
                fail_msg("%s", asked[i]);
            buf_clear(&b);
        }
        plan_free(a.plan);
    }
    made_close(&s.made);
}

/* The rows of orders 109 and above with their numbers, as one text. */
static char *
numbered(struct shop *s, const char *from)
{
    struct shop_answer a;
    struct buf b;
    char sql[400], *text;

    snprintf(sql, sizeof sql,
             "SELECT sum(l.ok, contribution_bounds_per_row => (0, 9)), "
             "sum(t.w) FROM %s",
             from);
    shop_plan(s, sql, &a);
    buf_init(&b, NULL, 1 << 20);
    buf_printf(
        &b,
        "SELECT string_agg(concat_ws(' ', column_%d, rank, column_%d), ',' "
        "ORDER BY column_%d, rank) FROM ",
        a.plan->parts[0].of->slot, a.plan->parts[1].of->slot,
        a.plan->parts[0].of->slot);
    print_of_plan(s->made.engine, a.plan, &b);
    buf_printf(&b, " AS t WHERE column_%d > 108", a.plan->parts[0].of->slot);
    text = strdup(made_ask(&s->made, buf_text(&b)));
    assert_non_null(text);
    buf_clear(&b);
    plan_free(a.plan);
    return text;
}

/*
 * Rows that meet many public ones are numbered within their unit: removing the
 * first person, with orders 100 to 108, changes nobody else's numbers.
 */
static void
numbers_do_not_move_when_a_unit_goes(void **state)
{
    static const char *const froms[] = {
        "lines l JOIN tags t ON true",
        "tags t JOIN lines l ON t.w >= 3",
        "lines l JOIN parts p ON p.w >= y JOIN tags t ON true",
        "lines l JOIN orders o ON l.ok = o.ok JOIN tags t ON t.w >= x",
        "lines l JOIN returns b ON b.ok = l.ok JOIN tags t ON true",
        "orders o LEFT JOIN lines l ON l.ok = o.ok JOIN tags t ON true",
        "far l LEFT JOIN tags t ON t.w > y",
        "(SELECT ok FROM lines UNION ALL SELECT ok FROM returns) l JOIN tags t "
        "ON true",
        "(SELECT ok, count(*) AS n FROM lines GROUP BY ok) l JOIN tags t ON "
        "true",
    };
    struct shop s, t;

    (void)state;
    shop_fill(&s, 8, 14, -1);
    shop_fill(&t, 8, 14, 1);
    shop_open(&s, 3);
    shop_open(&t, 3);
    for (size_t i = 0; i < sizeof froms / sizeof *froms; i++) {
        char *a = numbered(&s, froms[i]), *b = numbered(&t, froms[i]);

        if (strlen(a) < 40 || strcmp(a, b) != 0)
            fail_msg("%s\n%s\n%s", froms[i], a, b);
        free(a);
        free(b);
    }
    made_close(&s.made);
    made_close(&t.made);
}

/* A join copies the columns that are read above it and no others. */
static void
joins_hand_on_what_is_read(void **state)
{
    static const struct {
        const char *sql, *columns;
    } cases[] = {
        {"SELECT count(*) FROM lines l JOIN tags t ON true", "0"},
        {"SELECT count(*) FROM lines l JOIN tags t ON l.pk = t.pk", "0"},
        {"SELECT sum(t.w) FROM lines l JOIN tags t ON l.pk = t.pk", "1"},
        {"SELECT sum(t.w) FROM lines l JOIN tags t ON true WHERE y > 2", "2"},
        {"SELECT sum(b.w) FROM lines l JOIN tags a ON true JOIN tags b ON "
         "a.w > b.w",
         "1"},
        {"SELECT sum(v) FROM (SELECT ok, y AS v, pk FROM lines UNION ALL "
         "SELECT ok, z, pk FROM returns) u",
         "1"},
    };
    struct shop s;
    struct shop_answer a;

    (void)state;
    shop_fill(&s, 9, 5, -1);
    shop_open(&s, 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf b;

        shop_plan(&s, cases[i].sql, &a);
        buf_init(&b, NULL, 1 << 20);
        buf_add_text(&b, "SELECT count(*) FROM (DESCRIBE SELECT * FROM ");
        print_of_plan(s.made.engine, a.plan, &b);
        buf_add_text(&b, ") WHERE column_name LIKE 'column%'");
        if (strcmp(made_ask(&s.made, buf_text(&b)), cases[i].columns) != 0)
            fail_msg("%s: not %s columns", cases[i].sql, cases[i].columns);
        buf_clear(&b);
        plan_free(a.plan);
    }
    made_close(&s.made);
}

/* Whatever the planner assumed, rows of two units never meet. */
static void
the_engine_writes_the_unit_itself(void **state)
{
    static const char sql[] =
        "SELECT count(*) FROM orders a JOIN orders b ON a.id = b.id";
    struct shop s;
    struct shop_answer a, b;
    struct relation *r;

    (void)state;
    shop_fill(&s, 6, 20, -1);
    shop_open(&s, 400);
    shop_ask(&s, sql, &a);
    shop_plan(&s, sql, &b);
    r = (struct relation *)(uintptr_t)b.plan->from;
    assert_int_equal(r->meeting, MEET_UNIT);
    r->on = NULL;
    shop_run(&s, sql, &b);
    assert_true(a.x.values[0] > 0 && a.x.values[0] == b.x.values[0]);
    shop_answered(&a);
    shop_answered(&b);
    made_close(&s.made);
}

/* Aggregates of a unit stay in the range that the planner proved. */
static void
units_have_proven_ranges(void **state)
{
    struct shop s;
    struct shop_answer a;
    const struct policy_column *c;

    (void)state;
    shop_fill(&s, 7, 20, -1);
    shop_open(&s, 3);
    shop_plan(&s,
              "SELECT sum(s), sum(n), avg(m), sum(a - b) FROM (SELECT id, "
              "sum(x) AS s, count(*) AS n, avg(x) AS m, min(x) AS a, max(x) AS "
              "b FROM orders GROUP BY id) u",
              &a);
    c = a.plan->table->columns;
    assert_true(c[1].lower.n == -27 && c[1].upper.n == 27);
    assert_true(c[2].lower.n == 1 && c[2].upper.n == 3);
    assert_true(c[4].lower.n == -9 && c[5].upper.n == 9);
    assert_int_equal(a.plan->table->rows_per_unit, 1);
    {
        struct buf b;

        buf_init(&b, NULL, 1 << 20);
        buf_add_text(&b, "SELECT count(*) FROM ");
        print_of_plan(s.made.engine, a.plan, &b);
        buf_add_text(&b, " WHERE abs(column_1) > 27 OR column_2 NOT BETWEEN 1 "
                         "AND 3 OR abs(column_3) > 9 OR column_4 > column_5 OR "
                         "column_4 > column_3 OR column_5 < column_3 OR "
                         "column_4 < -9 OR column_5 > 9 OR (column_2 = 1 AND "
                         "column_4 < column_5)");
        assert_string_equal(made_ask(&s.made, buf_text(&b)), "0");
        buf_clear(&b);
    }
    plan_free(a.plan);
    made_close(&s.made);
}

/* A referenced key must be unique; otherwise a row could meet two rows. */
static void
doubled_keys_are_refused(void **state)
{
    struct shop s;
    char policy[4096];

    (void)state;
    shop_fill(&s, 1, 5, -1);
    shop_open(&s, 3);
    made_close(&s.made);
    shop_fill(&s, 1, 5, -1);
    made_folder(&s.made);
    for (int t = 0; t < SHOP_TABLES; t++) {
        char name[16], text[64];

        snprintf(name, sizeof name, "t%d.csv", t);
        snprintf(text, sizeof text, "%s\n%s", shop_heads[t],
                 t == PARTS ? "1,0,0\n1,1,0\n" : "");
        made_file(&s.made, name, text);
    }
    snprintf(policy, sizeof policy, shop_policy, 1, 1, 1, 1, 1);
    made_policy(&s.made, policy);
    assert_int_equal(made_import(&s.made), CUSTOS_EPOLICY);
    assert_non_null(strstr(whole_said(&s.made.err), "is referenced"));
    made_close(&s.made);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_join_equals_the_reference),
        cmocka_unit_test(two_ways_give_one_answer),
        cmocka_unit_test(rows_that_pass_are_bounded),
        cmocka_unit_test(removing_a_unit_moves_little),
        cmocka_unit_test(no_unit_has_more_rows_than_it_may),
        cmocka_unit_test(numbers_do_not_move_when_a_unit_goes),
        cmocka_unit_test(joins_hand_on_what_is_read),
        cmocka_unit_test(the_engine_writes_the_unit_itself),
        cmocka_unit_test(units_have_proven_ranges),
        cmocka_unit_test(doubled_keys_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
