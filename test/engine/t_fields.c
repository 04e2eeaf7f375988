/*
 * Bounded rows as whole numbers, against a reference in C on random tables.
 */
#include "engine/fields.h"
#include "stored_rows.h"

enum { FIELDS = 4 };

struct taken {
    int64_t row[ROWS_MOST][FIELDS];
    size_t n;
};

static custos_status
take(void *ctx, size_t n, const int64_t *numbers, custos_err *err)
{
    struct taken *t = ctx;

    (void)err;
    assert_true(t->n + n <= ROWS_MOST);
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < FIELDS; i++)
            t->row[t->n + r][i] = numbers[i * n + r];
    t->n += n;
    return CUSTOS_OK;
}

static int
by_numbers(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    for (size_t i = 0; i < FIELDS; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int64_t
or_no_value(int64_t x, int64_t low, int64_t high)
{
    return x == NONE ? ENGINE_NO_VALUE : x < low ? low : x > high ? high : x;
}

/* What must come: the rows that bounding keeps, d clamped to [10, 70]. */
static void
reference(const struct row *rows, size_t n, const struct plan *plan,
          struct taken *want)
{
    struct plan all_groups = *plan;
    struct kept kept = {0};

    all_groups.space.groups = plan->rows;
    if (plan->space.bounding == BOUND_FOLD)
        all_groups.space.bounding = BOUND_GENERAL;
    want->n = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t *to = want->row[want->n];

        if (!keeps(&kept, &rows[i], &all_groups))
            continue;
        to[0] = rows[i].key == CELLS - 1 ? ENGINE_NO_VALUE : rows[i].key;
        to[1] = or_no_value(rows[i].n, -50, 50);
        to[2] = or_no_value(rows[i].f, -(1 << 30), 1 << 30);
        to[3] = or_no_value(rows[i].d, 10, 70);
        want->n++;
    }
}

static void
compare(struct made *m, enum bounding bounding)
{
    static const struct engine_field fields[FIELDS] = {
        {.column = 1},
        {2, -50, 50},
        {3, -(1 << 30), 1 << 30},
        {4, 10, 70},
    };
    static struct row rows[ROWS_MOST];
    static struct taken got, want;
    size_t n = read_rows(m, rows, bounding != BOUND_NONE);
    struct asked q;
    custos_status st;

    for (int filtered = 0; filtered < 2; filtered++)
        for (uint64_t most = 1; most <= 13; most = most * 3 + 1) {
            ask(&q, m, bounding, most, most, false, filtered);
            got.n = 0;
            st = engine_fields(m->engine, &q.plan, fields, FIELDS, take, &got,
                               &m->err);
            if (st)
                print_message("%s | %s\n", m->err.said, m->err.noted);
            assert_int_equal(st, CUSTOS_OK);
            reference(rows, n, &q.plan, &want);
            assert_int_equal(got.n, want.n);
            qsort(got.row, got.n, sizeof *got.row, by_numbers);
            qsort(want.row, want.n, sizeof *want.row, by_numbers);
            assert_memory_equal(got.row, want.row, got.n * sizeof *got.row);
        }
}

static void
fields_equal_the_reference(void **state)
{
    static const struct {
        const char *policy;
        enum bounding bounding;
    } cases[] = {
        {COLUMN_UNIT, BOUND_RANK},    {COLUMN_UNIT, BOUND_FOLD},
        {COLUMN_UNIT, BOUND_GENERAL}, {PATH_UNIT, BOUND_RANK},
        {PATH_UNIT, BOUND_FOLD},      {ROW_UNIT, BOUND_NONE},
    };
    struct made m;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        made_folder(&m);
        write_people(&m, 40, -1);
        write_rows(&m, 5 + i, 2800, 40, -1);
        made_ready(&m, cases[i].policy);
        compare(&m, cases[i].bounding);
        made_close(&m);
    }
}

/* An attached table has no stored steps: its values are brought onto the grid as
   they are read. So is every kind of column. */
static void
attached_fields_equal_imported_ones(void **state)
{
    static const char *const policies[] = {COLUMN_UNIT, ATTACHED_UNIT};
    static const struct engine_field fields[FIELDS] = {
        {.column = 1},
        {2, -50, 50},
        {3, -(1 << 30), 1 << 30},
        {4, 0, 90},
    };
    static struct taken got[2];
    struct asked q;
    struct made m;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        made_folder(&m);
        write_rows(&m, 6, 2000, 40, -1);
        made_ready(&m, policies[i]);
        ask(&q, &m, BOUND_GENERAL, 4, 4, false, true);
        got[i].n = 0;
        assert_int_equal(engine_fields(m.engine, &q.plan, fields, FIELDS, take,
                                       &got[i], &m.err),
                         CUSTOS_OK);
        qsort(got[i].row, got[i].n, sizeof *got[i].row, by_numbers);
        made_close(&m);
    }
    assert_true(got[0].n > 100);
    assert_int_equal(got[0].n, got[1].n);
    assert_memory_equal(got[0].row, got[1].row, got[0].n * sizeof *got[0].row);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_equal_the_reference),
        cmocka_unit_test(attached_fields_equal_imported_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
