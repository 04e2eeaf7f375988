/*
 * The values for quantiles: which ones are sealed, in which order, and how little
 * those of neighbours differ. Sealed values have no
 * public reader, so this test opens them as a mechanism does.
 */
#include "stored_rows.h"
#include "base/error.h"
#include "mech/sealed.h"
#include "support/said.h"
#include "support/stages.h"

struct list {
    size_t n;
    int64_t values[ROWS_MOST];
};

struct seen {
    size_t next; /* the cell expected next */
    struct list cells[CELLS];
};

static custos_status
see(void *ctx, size_t cell, custos_sealed *sealed, size_t cells,
    custos_err *err)
{
    struct seen *s = ctx;
    struct list *l = &s->cells[cell];
    i128 *v;

    assert_int_equal(cell, s->next++);
    assert_int_equal(sealed_open(sealed, SEALED_WIDE, cells, &v, err), 0);
    assert_true(v[0] == (i128)cells - 1);
    l->n = cells - 1;
    assert_true(l->n <= ROWS_MOST);
    for (size_t i = 0; i < l->n; i++)
        l->values[i] = (int64_t)v[1 + i];
    return CUSTOS_OK;
}

struct quantiled {
    struct asked q;
    struct part_quantiles of;
};

static void
ask_quantiles(struct quantiled *t, const struct made *m, enum bounding bounding,
              uint64_t rows, uint64_t groups, bool keyed, bool filtered)
{
    ask(&t->q, m, bounding, rows, groups, keyed, filtered);
    t->of = (struct part_quantiles){.n = 1};
    t->q.parts[0] = (struct part){.kind = PART_QUANTILES,
                                  .of = &t->q.n,
                                  .grid = {10, 0},
                                  .lower = -20,
                                  .upper = 30,
                                  .quantiles = &t->of};
    t->q.plan.n_parts = 1;
}

static void
run_quantiles(struct made *m, struct quantiled *t, struct seen *s)
{
    custos_sealed *sealed[1] = {NULL};

    memset(s, 0, sizeof *s);
    if (engine_quantiles(m->engine, STAGE_OF(&t->q.plan), 0, see, s, &m->err))
        fail_msg("%s | %s", m->err.said, m->err.noted);
    assert_int_equal(s->next, t->q.plan.space.cells);
    /* engine_run accepts such a part too. */
    assert_int_equal(
        engine_run(m->engine, STAGE_OF(&t->q.plan), sealed, &m->err), 0);
    custos_sealed_free(sealed[0]);
}

static int
by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The clamped values of the rows that bounding keeps, computed by hand. */
static void
reference(const struct row *rows, size_t n, const struct plan *plan,
          struct list want[CELLS])
{
    struct kept kept = {0};

    for (size_t c = 0; c < CELLS; c++)
        want[c].n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        size_t c = plan->space.n_keys ? (size_t)r->key : 0;

        if (keeps(&kept, r, plan) && r->n != NONE)
            want[c].values[want[c].n++] = r->n < -20  ? -20
                                          : r->n > 30 ? 30
                                                      : r->n;
    }
    for (size_t c = 0; c < CELLS; c++)
        qsort(want[c].values, want[c].n, sizeof *want[c].values, by_size);
}

static void
compare(struct made *m, enum bounding bounding)
{
    static struct row rows[ROWS_MOST];
    static struct list want[CELLS];
    static struct seen s;
    size_t n = read_rows(m, rows, bounding != BOUND_NONE);
    struct quantiled t;

    for (int v = 0; v < 4; v++)
        for (uint64_t most = 1; most <= 13; most = most * 3 + 1)
            for (uint64_t groups = 1; groups <= most && groups <= 5; groups++) {
                if (bounding != BOUND_GENERAL && groups != 1)
                    continue;
                ask_quantiles(&t, m, bounding, most,
                              bounding == BOUND_RANK ? most : groups, v & 1,
                              v & 2);
                run_quantiles(m, &t, &s);
                reference(rows, n, &t.q.plan, want);
                for (size_t c = 0; c < t.q.plan.space.cells; c++) {
                    assert_int_equal(s.cells[c].n, want[c].n);
                    assert_memory_equal(s.cells[c].values, want[c].values,
                                        want[c].n * sizeof *want[c].values);
                }
            }
}

static void
quantile_values_equal_the_reference(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    write_rows(&m, 31, 900, 60, -1);
    made_ready(&m, COLUMN_UNIT);
    compare(&m, BOUND_RANK);
    compare(&m, BOUND_GENERAL);
    made_close(&m);
    made_folder(&m);
    write_rows(&m, 32, 300, 60, -1);
    made_ready(&m, ROW_UNIT);
    compare(&m, BOUND_NONE);
    made_close(&m);
}

/* How many values only one of two sorted lists has. */
static size_t
lists_differ(const struct list *a, const struct list *b)
{
    size_t i = 0, k = 0, n = 0;

    while (i < a->n || k < b->n) {
        bool first = k == b->n || (i < a->n && a->values[i] < b->values[k]);
        bool second = i == a->n || (k < b->n && b->values[k] < a->values[i]);

        n += first || second;
        i += !second;
        k += !first;
    }
    return n;
}

/* Without one unit there are at most `rows` fewer values, over all groups. */
static void
quantile_values_of_neighbours_differ_little(void **state)
{
    static const enum bounding ways[] = {BOUND_RANK, BOUND_GENERAL};
    static struct seen s, o;
    struct quantiled t;
    struct made m, n;

    (void)state;
    made_folder(&m);
    write_rows(&m, 43, 600, 12, -1);
    made_ready(&m, COLUMN_UNIT);
    for (int who = 1; who <= test_size(2, 6); who++) {
        made_folder(&n);
        write_rows(&n, 43, 600, 12, who);
        made_ready(&n, COLUMN_UNIT);
        for (size_t way = 0; way < COUNT_OF(ways); way++)
            for (uint64_t rows = 1; rows <= 10; rows += 3) {
                size_t sum = 0;

                ask_quantiles(&t, &m, ways[way], rows, rows, true, false);
                run_quantiles(&m, &t, &s);
                ask_quantiles(&t, &n, ways[way], rows, rows, true, false);
                run_quantiles(&n, &t, &o);
                for (size_t c = 0; c < CELLS; c++)
                    sum += lists_differ(&s.cells[c], &o.cells[c]);
                assert_true(sum <= rows);
            }
        made_close(&n);
    }
    made_close(&m);
}

#define TIMES                                                                  \
    "custos: 1\nbudget: {epsilon: 1}\ntables:\n  v:\n    source: v.csv\n"      \
    "    unit: row\n    columns:\n"                                            \
    "      day: {type: date, range: [1969-12-30, 1970-01-05]}\n"               \
    "      at: {type: timestamp,\n"                                            \
    "           range: [1969-12-31 23:59:59, 1970-01-01 00:00:02]}\n"          \
    "      r: {type: real, range: [0, 1]}\n"

static void
expect_values(struct made *m, struct expr *of, const struct part *like,
              const int64_t *want, size_t n)
{
    static struct seen s;
    struct quantiled t;

    ask_quantiles(&t, m, BOUND_NONE, 1, 1, false, false);
    t.q.parts[0].of = of;
    t.q.parts[0].grid = like->grid;
    t.q.parts[0].lower = like->lower;
    t.q.parts[0].upper = like->upper;
    run_quantiles(m, &t, &s);
    assert_int_equal(s.cells[0].n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(s.cells[0].values[i], want[i]);
}

/* Days and microseconds since 1970; clamped; without NULL and NaN. */
static void
dates_and_reals_are_whole_steps(void **state)
{
    static const int64_t days[] = {-2, 0, 3, 4}, narrow[] = {-1, 0, 3, 3};
    static const int64_t us[] = {-1000000, -1, 1500000, 2000000};
    static const int64_t reals[] = {0, 2, 4};
    struct expr day = {.kind = EXPR_COLUMN, .slot = 0, .type = TYPE_DATE};
    struct expr at = {.kind = EXPR_COLUMN, .slot = 1, .type = TYPE_TIMESTAMP};
    struct expr r = {.kind = EXPR_COLUMN, .slot = 2, .type = TYPE_REAL};
    struct part like = {.grid = {10, 0}, .lower = -2, .upper = 4};
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "v.csv",
              "day,at,r\n1970-01-04,1970-01-01 00:00:01.5,0.5\n"
              "1900-01-01,1980-01-01 00:00:00,nan\n,,\n"
              "1970-01-01,1960-01-01 00:00:00,7\n"
              "2000-01-01,1969-12-31 23:59:59.999999,-1\n");
    made_ready(&m, TIMES);
    expect_values(&m, &day, &like, days, 4);
    like.lower = -1;
    like.upper = 3;
    expect_values(&m, &day, &like, narrow, 4);
    like.lower = -1000000;
    like.upper = 2000000;
    expect_values(&m, &at, &like, us, 4);
    like = (struct part){.grid = {2, 2}, .lower = 0, .upper = 4};
    expect_values(&m, &r, &like, reals, 3);
    made_close(&m);
}

/*
 * A `take` that fails with a text about the data; the error must not contain
 * it.
 */
static custos_status
refuse(void *ctx, size_t cell, custos_sealed *sealed, size_t cells,
       custos_err *err)
{
    (void)ctx;
    (void)cell;
    (void)sealed;
    (void)cells;
    return custos_fail(err, CUSTOS_EINTERNAL, "the value is 7");
}

static void
failures_are_one_sentence(void **state)
{
    struct quantiled t;
    struct made m;

    (void)state;
    made_folder(&m);
    write_rows(&m, 31, 100, 60, -1);
    made_ready(&m, COLUMN_UNIT);
    ask_quantiles(&t, &m, BOUND_RANK, 2, 2, true, false);
    assert_int_equal(engine_quantiles(m.engine, STAGE_OF(&t.q.plan), 0, refuse,
                                      NULL, &m.err),
                     CUSTOS_EENGINE);
    assert_string_equal(whole_said(&m.err), "the query could not be completed");
    t.q.plan.space.bounding = BOUND_FOLD;
    assert_int_equal(engine_quantiles(m.engine, STAGE_OF(&t.q.plan), 0, refuse,
                                      NULL, &m.err),
                     CUSTOS_EENGINE);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantile_values_equal_the_reference),
        cmocka_unit_test(quantile_values_of_neighbours_differ_little),
        cmocka_unit_test(dates_and_reals_are_whole_steps),
        cmocka_unit_test(failures_are_one_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
