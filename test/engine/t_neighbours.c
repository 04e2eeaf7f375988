/*
 * How far one unit can move the parts, and how its values are kept within
 * limits; the same data attached instead of imported; a table whose order is
 * broken.
 */
#include "asked.h"
#include "printed.h"
#include "support/said.h"
#include "support/stages.h"

/*
 * An attached file, with general bounding, gives the same numbers as the same
 * file imported, with the fold.
 */
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

/* Expressions such as 2 f are clamped at the end; NaN adds nothing. */
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
        q.plan.space.bounding = way ? BOUND_GENERAL : BOUND_FOLD;
        run(&m, &q, &x);
        /* 4 -> 24 (of 32), -4 -> -8 (of -32), 1 -> 8 */
        assert_true(x.values[0] == 24 - 8 + 8);
        assert_true(x.values[1] == 3);
        exact_clear(&x);
    }
    made_close(&m);
}

/* Reals such as 0/0 are NaN in the engine and add nothing to a sum. */
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
    q.f.slot = 9; /* not a stored column: t.column_9 */
    q.parts[3].lower = 0;
    buf_init(&b, NULL, 1 << 16);
    print_value(&q.plan, &q.parts[3], &b);
    value = buf_text(&b);
    snprintf(sql, sizeof sql,
             "SELECT CAST(%s AS BIGINT) FROM (VALUES (CAST('nan' AS DOUBLE)), "
             "('inf'), ('-inf'), (NULL), (1e300), (-1)) AS t(column_9)",
             value);
    assert_string_equal(made_ask(&m, sql),
                        "NULL;1073741824;0;NULL;1073741824;0");
    buf_clear(&b);
    made_close(&m);
}

/* If the sorted order is broken, there is one error message and no result. */
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
    assert_int_equal(exact_init(&x, STAGE_OF(&q.plan), &m.err), CUSTOS_OK);
    assert_int_equal(run_fold(m.engine, STAGE_OF(&q.plan), &x, &m.err),
                     CUSTOS_EENGINE);
    exact_clear(&x);
    assert_int_equal(engine_run(m.engine, STAGE_OF(&q.plan), parts, &m.err),
                     CUSTOS_EENGINE);
    assert_string_equal(whole_said(&m.err), "the query could not be completed");
    for (size_t i = 0; i < 7; i++)
        assert_null(parts[i]);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attached_equals_imported),
        cmocka_unit_test(removing_a_unit_moves_little),
        cmocka_unit_test(values_clamp_into_their_part),
        cmocka_unit_test(nan_adds_nothing),
        cmocka_unit_test(torn_order_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
