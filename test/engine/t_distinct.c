/*
 * Distinct values of bounded rows: against a plain count in C, in every way of
 * bounding that supports them, and for neighbours.
 */
#include "stored_rows.h"
#include "support/stages.h"

enum { SPAN = 512 };

/*
 * Counts the distinct values in each cell among the rows that bounding keeps.
 */
static void
reference(const struct row *rows, size_t n, const struct plan *plan,
          i128 want[CELLS])
{
    static bool there[CELLS][SPAN];
    struct kept kept = {0};

    memset(there, 0, sizeof there);
    memset(want, 0, CELLS * sizeof *want);
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        size_t c = plan->space.n_keys ? (size_t)r->key : 0;

        if (!keeps(&kept, r, plan) || r->n == NONE || there[c][r->n + SPAN / 2])
            continue;
        there[c][r->n + SPAN / 2] = true;
        want[c]++;
    }
}

static void
ask_distinct(struct asked *q, const struct made *m, enum bounding bounding,
             uint64_t rows, uint64_t groups, bool keyed, bool filtered)
{
    ask(q, m, bounding, rows, groups, keyed, filtered);
    /* The same value merely counted: the two parts must not be merged. */
    q->parts[0] = (struct part){
        .kind = PART_VALUES, .of = &q->n, .grid = {10, 0}, .upper = 1};
    q->parts[1] = q->parts[0];
    q->parts[1].kind = PART_DISTINCT;
    q->plan.n_parts = 2;
}

static void
compare(struct made *m, enum bounding bounding)
{
    static struct row rows[ROWS_MOST];
    size_t n = read_rows(m, rows, bounding != BOUND_NONE);
    i128 want[CELLS];
    struct asked q;
    struct exact x;

    for (int v = 0; v < 4; v++)
        for (uint64_t most = 1; most <= 13; most = most * 3 + 1)
            for (uint64_t groups = 1; groups <= most && groups <= 5; groups++) {
                if (bounding != BOUND_GENERAL && groups != 1)
                    continue;
                ask_distinct(&q, m, bounding, most,
                             bounding == BOUND_RANK ? most : groups, v & 1,
                             v & 2);
                run(m, &q, &x);
                reference(rows, n, &q.plan, want);
                same(x.values + q.plan.space.cells, want, q.plan.space.cells);
                exact_clear(&x);
            }
}

static void
distinct_equals_the_reference(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    write_rows(&m, 17, 900, 60, -1);
    made_ready(&m, COLUMN_UNIT);
    compare(&m, BOUND_RANK);
    compare(&m, BOUND_GENERAL);
    made_close(&m);
    made_folder(&m);
    write_rows(&m, 18, 300, 60, -1);
    made_ready(&m, ROW_UNIT);
    compare(&m, BOUND_NONE);
    made_close(&m);
}

/*
 * Leaving out one unit changes at most one value for each of its rows, over all
 * groups.
 */
static void
distinct_values_of_neighbours_differ_little(void **state)
{
    static const enum bounding ways[] = {BOUND_RANK, BOUND_GENERAL};
    struct made m, n;
    struct asked q, o;
    struct exact x, y;

    (void)state;
    made_folder(&m);
    write_rows(&m, 23, 400, 8, -1);
    made_ready(&m, COLUMN_UNIT);
    for (int who = 1; who <= test_size(2, 6); who++) {
        made_folder(&n);
        write_rows(&n, 23, 400, 8, who);
        made_ready(&n, COLUMN_UNIT);
        for (size_t way = 0; way < COUNT_OF(ways); way++)
            for (uint64_t rows = 1; rows <= 10; rows += 3) {
                i128 sum = 0;

                ask_distinct(&q, &m, ways[way], rows, rows, true, false);
                ask_distinct(&o, &n, ways[way], rows, rows, true, false);
                run(&m, &q, &x);
                run(&n, &o, &y);
                for (size_t c = 0; c < CELLS; c++) {
                    i128 d = x.values[CELLS + c] - y.values[CELLS + c];

                    sum += d < 0 ? -d : d;
                }
                assert_true(sum <= (i128)rows);
                exact_clear(&x);
                exact_clear(&y);
            }
        made_close(&n);
    }
    made_close(&m);
}

/*
 * Texts, booleans, reals and expressions of them; NaN does not count as a
 * value.
 */
static void
any_type_can_be_counted(void **state)
{
    struct made m;
    struct asked q;
    struct exact x;
    struct expr zero = {.kind = EXPR_LITERAL,
                        .type = TYPE_REAL,
                        .value = {.type = TYPE_REAL, .n = 0}};
    struct expr *args[2];
    struct expr ratio;

    (void)state;
    made_folder(&m);
    made_file(&m, "v.csv",
              "who,k,n,f,d\n1,a,5,2,0\n2,a,5,-2,0\n3,b,6,0.5,1\n"
              "4,,7,nan,2\n5,zz,8,,3\n6,c,9,0.5,9\n");
    made_ready(&m, COLUMN_UNIT);
    ask_distinct(&q, &m, BOUND_GENERAL, 1, 1, false, false);
    args[0] = &q.f;
    args[1] = &zero;
    ratio = (struct expr){.kind = EXPR_CALL,
                          .call = CALL_MUL,
                          .type = TYPE_REAL,
                          .args = args,
                          .n_args = 2};
    for (size_t i = 0; i < 4; i++)
        q.parts[i] = (struct part){
            .kind = PART_DISTINCT,
            .of = (struct expr *[]){&q.key_expr, &q.f, &q.d, &ratio}[i],
            .grid = {10, 0},
            .upper = 1};
    q.plan.n_parts = 4;
    run(&m, &q, &x);
    assert_true(x.values[0] == 3); /* a, b, c */
    assert_true(x.values[1] == 3); /* 2, -2, 0.5 */
    assert_true(x.values[2] == 5); /* 0, 1, 2, 3, 9 */
    assert_true(x.values[3] == 1); /* 0 and -0 are one */
    exact_clear(&x);
    /* The fold cannot count distinct values and must not be used. */
    q.plan.space.bounding = BOUND_FOLD;
    assert_int_equal(exact_init(&x, STAGE_OF(&q.plan), &m.err), CUSTOS_OK);
    assert_int_equal(run_fold(m.engine, STAGE_OF(&q.plan), &x, &m.err),
                     CUSTOS_EENGINE);
    exact_clear(&x);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_equals_the_reference),
        cmocka_unit_test(distinct_values_of_neighbours_differ_little),
        cmocka_unit_test(any_type_can_be_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
