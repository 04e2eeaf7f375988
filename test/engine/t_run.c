/*
 * Bounded sums: every way of computing them against the plainest reference in
 * C, on random tables; and what one unit can move.
 */
#include <pthread.h>

#include "made.h"

enum { CELLS = 5, ROWS_MOST = 3000 };

#define HEAD "custos: 1\nbudget: {epsilon: 1}\ntables:\n"
#define COLUMNS                                                                \
    "      k: {type: text, values: [a, b, c, d]}\n"                            \
    "      n: {type: integer, range: [-50, 50]}\n"                             \
    "      f: {type: real, range: [-2, 2]}\n"                                  \
    "      d: {type: decimal, scale: 1, range: [0, 9]}\n"

static const char COLUMN_UNIT[] = HEAD "  v:\n    source: v.csv\n"
                                       "    unit: who\n    rows_per_unit: 4\n"
                                       "    columns:\n"
                                       "      who: {type: integer}\n" COLUMNS;
static const char ATTACHED_UNIT[] =
    HEAD "  v:\n    source: v.csv\n    attach: true\n"
         "    unit: who\n    rows_per_unit: 4\n    columns:\n"
         "      who: {type: integer}\n" COLUMNS;
static const char ROW_UNIT[] = HEAD "  v:\n    source: v.csv\n"
                                    "    unit: row\n    columns:\n"
                                    "      who: {type: integer}\n" COLUMNS;
#define PATH_PEOPLE                                                            \
    "  p:\n    source: p.csv\n    unit: person\n    columns:\n"                \
    "      card: {type: integer}\n      person: {type: text}\n"
static const char PATH_UNIT[] =
    HEAD PATH_PEOPLE "  v:\n    source: v.csv\n    unit: who\n"
                     "    rows_per_unit: 4\n    columns:\n"
                     "      who: {type: integer, references: p.card}\n" COLUMNS;
static const char ATTACHED_PATH[] =
    HEAD PATH_PEOPLE "  v:\n    source: v.csv\n    attach: true\n"
                     "    unit: who\n    rows_per_unit: 4\n    columns:\n"
                     "      who: {type: integer, references: p.card}\n" COLUMNS;

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/*
 * Rows for about `units` people, the first of whom has very many, the second
 * one; some values missing, broken or outside. `without`: leave one out.
 */
static void
write_rows(const struct made *m, uint64_t seed, size_t rows, int units,
           int without)
{
    static const char *const keys[] = {"a", "b", "c", "d", "zzz", "", "\"\""};
    static const char *const reals[] = {"0.5", "-1.75",  "99", "nan",
                                        "inf", "broken", "",   "-2"};
    char *text = calloc(1, rows * 64 + 64);
    size_t len = (size_t)snprintf(text, 64, "who,k,n,f,d\n");

    for (size_t i = 0; i < rows; i++) {
        uint64_t heavy = draw(&seed, 4);
        int who = heavy == 0 ? 1
                  : i == 7   ? 2
                             : 3 + (int)draw(&seed, (uint64_t)units);
        const char *key = keys[draw(&seed, 7)];
        int n = (int)draw(&seed, 140) - 70;
        const char *real = reals[draw(&seed, 8)];
        unsigned d = (unsigned)draw(&seed, 120);
        bool nobody = draw(&seed, 20) == 0;

        if (who == without)
            continue;
        if (nobody)
            len += (size_t)snprintf(text + len, 64, ",%s,%d,%s,%u.%u\n", key, n,
                                    real, d / 10, d % 10);
        else
            len += (size_t)snprintf(text + len, 64, "%d,%s,%d,%s,%u.%u\n", who,
                                    key, n, real, d / 10, d % 10);
    }
    made_file(m, "v.csv", text);
    free(text);
}

/* Cards 1.. belong to people, two to one; some cards are missing. */
static void
write_people(const struct made *m, int units, int without)
{
    char text[4096] = "card,person\n";
    size_t len = strlen(text);

    for (int i = 1; i <= units + 2; i++) {
        if (i % 9 == 8 || i / 2 == without)
            continue;
        len += (size_t)snprintf(text + len, sizeof text - len, "%d,p%d\n", i,
                                i / 2);
    }
    made_file(m, "p.csv", text);
}

/* A plan over table v: four parts and the key k, or no key. */
struct asked {
    struct expr key_expr, n, f, d, where, low;
    struct expr *where_args[2];
    struct key key;
    struct part parts[7];
    struct plan plan;
};

static void
ask(struct asked *q, const struct made *m, enum bounding bounding,
    uint64_t rows, uint64_t groups, bool keyed, bool filtered)
{
    const struct policy_table *t = policy_table_find(m->policy, str_of("v"));
    struct grid one = {10, 0}, tenth = {10, 1};

    memset(q, 0, sizeof *q);
    q->key_expr =
        (struct expr){.kind = EXPR_COLUMN, .slot = 1, .type = TYPE_TEXT};
    q->n = (struct expr){.kind = EXPR_COLUMN, .slot = 2, .type = TYPE_INT};
    q->f = (struct expr){.kind = EXPR_COLUMN, .slot = 3, .type = TYPE_REAL};
    q->d = (struct expr){.kind = EXPR_COLUMN, .slot = 4, .type = TYPE_DECIMAL};
    q->key = (struct key){.expr = &q->key_expr,
                          .kind = KEY_STORED,
                          .column = 1,
                          .values = t->columns[1].values,
                          .n = 4,
                          .null_group = true};
    q->parts[0].kind = PART_ROWS;
    q->parts[1] = (struct part){.kind = PART_SUM,
                                .of = &q->n,
                                .grid = one,
                                .lower = -50,
                                .upper = 50,
                                .centre = 3};
    q->parts[2] = (struct part){.kind = PART_VALUES,
                                .of = &q->f,
                                .grid = grid_of_column(&t->columns[3]),
                                .lower = -((i128)1 << 30),
                                .upper = (i128)1 << 30};
    q->parts[3] = q->parts[2];
    q->parts[3].kind = PART_SUM;
    /* Narrower than the stored range: clamped once more. */
    q->parts[4] = (struct part){.kind = PART_SQUARES,
                                .of = &q->d,
                                .grid = tenth,
                                .lower = 10,
                                .upper = 70,
                                .centre = 40};
    /* Narrower at one end. */
    q->parts[5] = (struct part){.kind = PART_SUM,
                                .of = &q->d,
                                .grid = tenth,
                                .lower = 10,
                                .upper = 90,
                                .centre = 40};
    q->parts[6].kind = PART_UNITS;
    q->low = (struct expr){.kind = EXPR_LITERAL,
                           .type = TYPE_INT,
                           .value = {.type = TYPE_INT, .n = 0}};
    q->where_args[0] = &q->n;
    q->where_args[1] = &q->low;
    q->where = (struct expr){.kind = EXPR_CALL,
                             .call = CALL_GT,
                             .type = TYPE_BOOL,
                             .args = q->where_args,
                             .n_args = 2};
    q->plan = (struct plan){.policy = m->policy,
                            .table = t,
                            .bounding = bounding,
                            .rows = rows,
                            .groups = groups,
                            .where = filtered ? &q->where : NULL,
                            .keys = keyed ? &q->key : NULL,
                            .n_keys = keyed,
                            .cells = keyed ? CELLS : 1,
                            .parts = q->parts,
                            .n_parts = bounding == BOUND_RANK ? 6 : 7};
}

static void
run(struct made *m, struct asked *q, struct exact *x)
{
    custos_status st = exact_init(x, &q->plan, &m->err);

    assert_int_equal(st, CUSTOS_OK);
    switch (q->plan.bounding) {
    case BOUND_FOLD: st = run_fold(m->engine, &q->plan, x, &m->err); break;
    case BOUND_GENERAL:
        st = run_general(m->engine, &q->plan, x, &m->err);
        break;
    default: st = run_sql(m->engine, &q->plan, x, &m->err); break;
    }
    if (st)
        print_message("%s | %s\n", m->err.said, m->err.noted);
    assert_int_equal(st, CUSTOS_OK);
}

/* A stored row as the reference sees it; -1000000 stands for NULL. */
enum { NONE = -1000000 };
struct row {
    int64_t unit, rank, key, n, d;
    int64_t f;
};

static size_t
read_rows(struct made *m, struct row *rows, bool units)
{
    struct duck_column c[6];
    struct duck_rows *found = NULL;
    size_t n = 0, all = 0;
    char sql[256];

    snprintf(sql, sizeof sql,
             "SELECT %s, CAST(coalesce(k1, 4) AS BIGINT), coalesce(c2, %d), "
             "coalesce(CAST(g3 AS BIGINT), %d), CAST(coalesce(g4, %d) AS "
             "BIGINT) FROM t%zu ORDER BY 1, 2",
             units ? "u, r" : "row_number() OVER (), CAST(1 AS BIGINT)", NONE,
             NONE, NONE,
             (size_t)(policy_table_find(m->policy, str_of("v")) -
                      m->policy->tables));
    assert_int_equal(duck_ask(m->engine->connections[0], sql, &found, &m->err),
                     CUSTOS_OK);
    while (!duck_next(found, &n, c, &m->err) && n > 0)
        for (size_t i = 0; i < n; i++, all++) {
            assert_true(all < ROWS_MOST);
            rows[all] = (struct row){
                (int64_t)duck_whole(&c[0], i), (int64_t)duck_whole(&c[1], i),
                (int64_t)duck_whole(&c[2], i), (int64_t)duck_whole(&c[3], i),
                (int64_t)duck_whole(&c[5], i), (int64_t)duck_whole(&c[4], i)};
        }
    duck_rows_free(found);
    return all;
}

/* Counts what row i adds: by hand, part by part. */
static void
count_row(const struct row *r, bool new_cell, const struct plan *plan,
          i128 *cells)
{
    size_t c = plan->n_keys ? (size_t)r->key : 0, all = plan->cells;
    int64_t d = r->d < 10 ? 10 : r->d > 70 ? 70 : r->d;

    cells[c] += 1;
    if (r->n != NONE)
        cells[all + c] += r->n - 3;
    if (r->f != NONE) {
        cells[2 * all + c] += 1;
        cells[3 * all + c] += r->f;
    }
    if (r->d != NONE) {
        cells[4 * all + c] += (d - 40) * (d - 40);
        cells[5 * all + c] += (r->d < 10 ? 10 : r->d) - 40;
    }
    if (plan->n_parts > 6)
        cells[6 * all + c] += new_cell;
}

static void
reference(const struct row *rows, size_t n, const struct plan *plan,
          i128 *cells)
{
    bool seen[CELLS] = {false};
    uint64_t used = 0, groups = 0;

    memset(cells, 0, plan->cells * plan->n_parts * sizeof *cells);
    for (size_t i = 0; i < n; i++) {
        size_t c = plan->n_keys ? (size_t)rows[i].key : 0;
        bool passes = !plan->where || (rows[i].n != NONE && rows[i].n > 0);
        bool new_cell;

        if (plan->bounding == BOUND_NONE) {
            if (passes)
                count_row(&rows[i], true, plan, cells);
            continue;
        }
        if (i == 0 || rows[i].unit != rows[i - 1].unit) {
            used = groups = 0;
            memset(seen, 0, sizeof seen);
        }
        if (plan->bounding == BOUND_RANK) {
            if (passes && (uint64_t)rows[i].rank <= plan->rows)
                count_row(&rows[i], false, plan, cells);
            continue;
        }
        if (!passes || used == plan->rows)
            continue;
        used++;
        new_cell = !seen[c];
        if (new_cell && groups == plan->groups)
            continue;
        groups += new_cell;
        seen[c] = true;
        count_row(&rows[i], new_cell, plan, cells);
    }
}

static void
same(const i128 *a, const i128 *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            fail_msg("number %zu: %lld, not %lld", i, (long long)a[i],
                     (long long)b[i]);
}

static void
compare(struct made *m, enum bounding bounding)
{
    static struct row rows[ROWS_MOST];
    size_t n = read_rows(m, rows, bounding != BOUND_NONE);
    i128 want[7 * CELLS];
    struct asked q;
    struct exact x;

    assert_true(n > 50);
    for (int v = 0; v < 4; v++)
        for (uint64_t m_rows = 1; m_rows <= 40; m_rows = m_rows * 3 + 1)
            for (uint64_t groups = 1; groups <= m_rows && groups <= 4;
                 groups++) {
                if (bounding == BOUND_RANK && groups != 1)
                    continue;
                ask(&q, m, bounding, m_rows,
                    bounding == BOUND_RANK ? m_rows : groups, v & 1, v & 2);
                run(m, &q, &x);
                reference(rows, n, &q.plan, want);
                same(x.values, want, q.plan.cells * q.plan.n_parts);
                exact_clear(&x);
            }
}

static void
each_kind(enum bounding bounding)
{
    static const char *const policies[] = {COLUMN_UNIT, PATH_UNIT};
    struct made m;

    for (int p = 0; p < 2; p++)
        for (int i = 0; i < test_size(1, 3); i++) {
            made_folder(&m);
            write_people(&m, 40, -1);
            write_rows(&m, (uint64_t)i + 11, i == 0 ? 300 : 2800, 40, -1);
            made_ready(&m, policies[p]);
            m.engine->threads = i == 1 ? 1 : m.engine->threads;
            compare(&m, bounding);
            made_close(&m);
        }
}

static void
fold_equals_the_reference(void **state)
{
    (void)state;
    each_kind(BOUND_FOLD);
}

static void
rank_equals_the_reference(void **state)
{
    (void)state;
    each_kind(BOUND_RANK);
}

static void
general_equals_the_fold(void **state)
{
    (void)state;
    each_kind(BOUND_GENERAL);
}

static void
rows_as_units_equal_the_reference(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    write_rows(&m, 3, 500, 40, -1);
    made_ready(&m, ROW_UNIT);
    compare(&m, BOUND_NONE);
    made_close(&m);
}

/* Wherever threads part their work, between units, the numbers are the same. */
static void
lanes_do_not_matter(void **state)
{
    struct engine_table *t;
    struct asked q;
    struct exact x, y;
    struct made m;
    int64_t cuts[2];

    (void)state;
    made_folder(&m);
    write_rows(&m, 4, 1500, 40, -1);
    made_ready(&m, COLUMN_UNIT);
    t = &m.engine->tables[0];
    assert_int_equal(t->n_cuts, 1);
    ask(&q, &m, BOUND_FOLD, 3, 2, true, false);
    run(&m, &q, &x);
    if (m.engine->threads > 2)
        m.engine->threads = 2;
    t->cuts = cuts;
    t->n_cuts = 2;
    for (int64_t cut = 0; cut <= 43; cut++) {
        cuts[0] = 1;
        cuts[1] = cut;
        run(&m, &q, &y);
        same(y.values, x.values, 7 * CELLS);
        exact_clear(&y);
    }
    exact_clear(&x);
    made_close(&m);
}

/* The same file attached in place: the same numbers, by the general way. */
static void
attached_equals_imported(void **state)
{
    static const char *const policies[][2] = {{COLUMN_UNIT, ATTACHED_UNIT},
                                              {PATH_UNIT, ATTACHED_PATH}};
    struct made m, n;
    struct asked q, o;
    struct exact x, y;

    (void)state;
    for (int p = 0; p < 2; p++) {
        made_folder(&m);
        made_folder(&n);
        write_people(&m, 40, -1);
        write_people(&n, 40, -1);
        write_rows(&m, 5, 900, 40, -1);
        write_rows(&n, 5, 900, 40, -1);
        made_ready(&m, policies[p][0]);
        made_ready(&n, policies[p][1]);
        for (uint64_t groups = 1; groups <= 3; groups++) {
            ask(&q, &m, BOUND_FOLD, 3, groups, true, true);
            ask(&o, &n, BOUND_GENERAL, 3, groups, true, true);
            run(&m, &q, &x);
            run(&n, &o, &y);
            same(y.values, x.values, 7 * CELLS);
            exact_clear(&x);
            exact_clear(&y);
        }
        made_close(&m);
        made_close(&n);
    }
}

static i128
distance(const struct exact *x, const struct exact *y, size_t part)
{
    i128 sum = 0;

    for (size_t c = 0; c < x->cells; c++) {
        i128 d =
            x->values[part * x->cells + c] - y->values[part * x->cells + c];

        sum += d < 0 ? -d : d;
    }
    return sum;
}

/* Without one unit, all parts move by at most their sensitivity. */
static void
check_unit(struct made *m, struct made *n, enum bounding bounding)
{
    static const int64_t most[] = {1, 53, 1, (int64_t)1 << 30, 900, 50};
    struct asked q, o;
    struct exact x, y;

    for (uint64_t rows = 1; rows <= 10; rows += 3)
        for (uint64_t groups = 1; groups <= rows && groups <= 3; groups++) {
            uint64_t g = bounding == BOUND_RANK ? rows : groups;

            ask(&q, m, bounding, rows, g, true, bounding == BOUND_FOLD);
            ask(&o, n, bounding, rows, g, true, bounding == BOUND_FOLD);
            run(m, &q, &x);
            run(n, &o, &y);
            for (size_t p = 0; p < 6; p++)
                assert_true(distance(&x, &y, p) <= (i128)rows * most[p]);
            if (bounding != BOUND_RANK)
                assert_true(distance(&x, &y, 6) <= (i128)groups);
            exact_clear(&x);
            exact_clear(&y);
        }
}

static void
removing_a_unit_moves_little(void **state)
{
    struct made m, n;

    (void)state;
    made_folder(&m);
    write_rows(&m, 21, 1200, 20, -1);
    made_ready(&m, COLUMN_UNIT);
    for (int who = 1; who <= test_size(2, 6); who++) {
        made_folder(&n);
        write_rows(&n, 21, 1200, 20, who);
        made_ready(&n, COLUMN_UNIT);
        check_unit(&m, &n, BOUND_FOLD);
        check_unit(&m, &n, BOUND_GENERAL);
        check_unit(&m, &n, BOUND_RANK);
        made_close(&n);
    }
    made_close(&m);
}

/* Expressions: 2 f and its like go through the last clamp, NaN as nothing. */
static void
values_clamp_into_their_part(void **state)
{
    struct made m;
    struct asked q;
    struct exact x;
    struct expr twice, two = {.kind = EXPR_LITERAL,
                              .type = TYPE_REAL,
                              .value = {.type = TYPE_REAL, .n = 2}};
    struct expr *args[2];

    (void)state;
    made_folder(&m);
    made_file(&m, "v.csv",
              "who,k,n,f,d\n1,a,0,2,0\n2,a,0,-2,0\n3,a,0,0.5,0\n"
              "4,a,0,nan,0\n5,a,0,,0\n");
    made_ready(&m, COLUMN_UNIT);
    ask(&q, &m, BOUND_FOLD, 1, 1, false, false);
    args[0] = &q.f;
    args[1] = &two;
    twice = (struct expr){.kind = EXPR_CALL,
                          .call = CALL_MUL,
                          .type = TYPE_REAL,
                          .args = args,
                          .n_args = 2};
    q.parts[0] = (struct part){.kind = PART_SUM,
                               .of = &twice,
                               .grid = {2, 3},
                               .lower = -8,
                               .upper = 24};
    q.parts[1] = q.parts[0];
    q.parts[1].kind = PART_VALUES;
    q.plan.n_parts = 2;
    for (int way = 0; way < 2; way++) {
        q.plan.bounding = way ? BOUND_GENERAL : BOUND_FOLD;
        run(&m, &q, &x);
        /* 4 -> 24 (of 32), -4 -> -8 (of -32), 1 -> 8 */
        assert_true(x.values[0] == 24 - 8 + 8);
        assert_true(x.values[1] == 3);
        exact_clear(&x);
    }
    made_close(&m);
}

/* 0/0 and the like of reals: NaN in the engine, nothing in a sum. */
static void
nan_adds_nothing(void **state)
{
    struct made m;
    struct asked q;
    struct buf b;
    char sql[1024];
    const char *value;

    (void)state;
    made_folder(&m);
    made_file(&m, "v.csv", "who,k,n,f,d\n1,a,0,2,0\n");
    made_ready(&m, COLUMN_UNIT);
    ask(&q, &m, BOUND_FOLD, 1, 1, false, false);
    q.f.slot = 9; /* no stored column: t.c9 */
    q.parts[3].lower = 0;
    buf_init(&b, NULL, 1 << 16);
    work_value(&q.plan, &q.parts[3], &b);
    value = buf_text(&b);
    snprintf(sql, sizeof sql,
             "SELECT CAST(%s AS BIGINT) FROM (VALUES (CAST('nan' AS DOUBLE)), "
             "('inf'), ('-inf'), (NULL), (1e300), (-1)) AS t(c9)",
             value);
    assert_string_equal(made_ask(&m, sql),
                        "NULL;1073741824;0;NULL;1073741824;0");
    buf_clear(&b);
    made_close(&m);
}

/* The sorted order destroyed: one sentence, and nothing comes out. */
static void
torn_order_is_refused(void **state)
{
    struct made m;
    struct asked q;
    struct exact x;
    struct duck *db;
    struct duck_connection *c;
    char path[STORE_PATH_MAX];
    custos_sealed *parts[7] = {NULL};

    (void)state;
    made_folder(&m);
    write_rows(&m, 9, 900, 40, -1);
    made_ready(&m, COLUMN_UNIT);
    engine_close(m.engine);
    m.engine = NULL;
    store_data_path(&m.store, m.store.version, path);
    assert_int_equal(duck_open(path, DUCK_WRITE, &db, &m.err), CUSTOS_OK);
    assert_int_equal(duck_connect(db, &c, &m.err), CUSTOS_OK);
    assert_int_equal(duck_do(c,
                             "CREATE OR REPLACE TABLE t0 AS FROM t0 ORDER "
                             "BY r, u",
                             &m.err),
                     CUSTOS_OK);
    duck_disconnect(c);
    duck_close(db);
    made_open(&m);
    ask(&q, &m, BOUND_FOLD, 3, 2, true, false);
    assert_int_equal(exact_init(&x, &q.plan, &m.err), CUSTOS_OK);
    assert_int_equal(run_fold(m.engine, &q.plan, &x, &m.err), CUSTOS_EENGINE);
    exact_clear(&x);
    assert_int_equal(engine_run(m.engine, &q.plan, parts, &m.err),
                     CUSTOS_EENGINE);
    assert_string_equal(m.err.said, "the query could not be completed");
    for (size_t i = 0; i < 7; i++)
        assert_null(parts[i]);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fold_equals_the_reference),
        cmocka_unit_test(rank_equals_the_reference),
        cmocka_unit_test(general_equals_the_fold),
        cmocka_unit_test(rows_as_units_equal_the_reference),
        cmocka_unit_test(lanes_do_not_matter),
        cmocka_unit_test(attached_equals_imported),
        cmocka_unit_test(removing_a_unit_moves_little),
        cmocka_unit_test(values_clamp_into_their_part),
        cmocka_unit_test(nan_adds_nothing),
        cmocka_unit_test(torn_order_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
