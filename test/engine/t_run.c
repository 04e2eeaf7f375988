/*
 * Bounded sums: every way of computing them against a simple reference in C, on
 * random tables.
 */
#include "stored_rows.h"

/* Adds what row r contributes, part by part. */
static void
count_row(const struct row *r, bool new_cell, const struct plan *plan,
          i128 *cells)
{
    size_t c = plan->space.n_keys ? (size_t)r->key : 0, all = plan->space.cells;
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

    memset(cells, 0, plan->space.cells * plan->n_parts * sizeof *cells);
    for (size_t i = 0; i < n; i++) {
        size_t c = plan->space.n_keys ? (size_t)rows[i].key : 0;
        bool passes = !plan->where || (rows[i].n != NONE && rows[i].n > 0);
        bool new_cell;

        if (plan->space.bounding == BOUND_NONE) {
            if (passes)
                count_row(&rows[i], true, plan, cells);
            continue;
        }
        if (i == 0 || rows[i].unit != rows[i - 1].unit) {
            used = groups = 0;
            memset(seen, 0, sizeof seen);
        }
        if (plan->space.bounding == BOUND_RANK) {
            if (passes && (uint64_t)rows[i].rank <= plan->rows)
                count_row(&rows[i], false, plan, cells);
            continue;
        }
        if (!passes || used == plan->rows)
            continue;
        used++;
        new_cell = !seen[c];
        if (new_cell && groups == plan->space.groups)
            continue;
        groups += new_cell;
        seen[c] = true;
        count_row(&rows[i], new_cell, plan, cells);
    }
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
                same(x.values, want, q.plan.space.cells * q.plan.n_parts);
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
            m.engine->lanes = i == 1 ? 1 : m.engine->lanes;
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

/*
 * The numbers are the same wherever the units are divided between two threads.
 */
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
    t = &duck_of(m.engine)->data->tables[0];
    assert_int_equal(t->n_cuts, 1);
    ask(&q, &m, BOUND_FOLD, 3, 2, true, false);
    run(&m, &q, &x);
    if (m.engine->lanes > 2)
        m.engine->lanes = 2;
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

/* A stage over another space than its plan's: one cell instead of the plan's. */
static void
each_stage_has_its_own_cells(void **state)
{
    static const enum bounding ways[] = {BOUND_RANK, BOUND_FOLD, BOUND_GENERAL};
    struct made m;

    (void)state;
    made_folder(&m);
    write_people(&m, 40, -1);
    write_rows(&m, 21, 600, 40, -1);
    made_ready(&m, COLUMN_UNIT);
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct cell_space one = {.cells = 1, .groups = 1, .bounding = ways[i]};
        struct asked keyed, plain;
        struct exact x, y;
        struct stage stage;

        ask(&plain, &m, ways[i], 7, 7, false, true);
        run(&m, &plain, &x);
        ask(&keyed, &m, ways[i], 7, 7, true, true);
        stage = *STAGE_OF(&keyed.plan);
        stage.space = &one;
        assert_int_equal(exact_init(&y, &stage, &m.err), CUSTOS_OK);
        assert_int_equal(work_fill(m.engine, &stage, &y, &m.err), CUSTOS_OK);
        assert_int_equal(y.cells, 1);
        same(y.values, x.values, keyed.plan.n_parts);
        exact_clear(&x);
        exact_clear(&y);
    }
    made_close(&m);
}

/* rank <= m bounds a unit's cells only through its rows: a space that relies on
   fewer of them is refused. */
static void
rank_alone_does_not_bound_groups(void **state)
{
    static const struct {
        uint64_t rows, groups;
        size_t cells;
        bool refused;
    } cases[] = {{7, 7, CELLS, false}, {7, 5, CELLS, false},
                 {7, 4, CELLS, true},  {3, 3, CELLS, false},
                 {3, 2, CELLS, true},  {9, 1, 1, false}};
    struct made m;

    (void)state;
    made_folder(&m);
    write_people(&m, 40, -1);
    write_rows(&m, 22, 300, 40, -1);
    made_ready(&m, COLUMN_UNIT);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct asked q;
        struct exact x;

        ask(&q, &m, BOUND_RANK, cases[i].rows, cases[i].groups,
            cases[i].cells > 1, false);
        assert_int_equal(exact_init(&x, STAGE_OF(&q.plan), &m.err), CUSTOS_OK);
        assert_int_equal(run_sql(m.engine, STAGE_OF(&q.plan), &x, &m.err),
                         cases[i].refused ? CUSTOS_EINTERNAL : CUSTOS_OK);
        exact_clear(&x);
    }
    made_close(&m);
}

/* Sums are whole numbers of 128 bits: a double would lose the last digits, and
   which ones would depend on the order of rows. */
static void
sums_are_exact_beyond_doubles(void **state)
{
    static const enum bounding ways[] = {BOUND_RANK, BOUND_FOLD, BOUND_GENERAL};
    const i128 large = (i128)1 << 60;
    struct made m;

    (void)state;
    made_folder(&m);
    made_file(&m, "v.csv",
              "who,k,n,f,d\n1,a,1152921504606846976,0,0\n2,a,1,0,0\n"
              "3,a,1,0,0\n4,a,1,0,0\n5,a,1152921504606846976,0,0\n");
    made_ready(&m, HEAD
               "  v:\n    source: v.csv\n    unit: who\n"
               "    rows_per_unit: 4\n    columns:\n"
               "      who: {type: integer}\n"
               "      k: {type: text, values: [a, b, c, d]}\n"
               "      n: {type: integer, range: [0, 1152921504606846976]}\n"
               "      f: {type: real, range: [-2, 2]}\n"
               "      d: {type: decimal, scale: 1, range: [0, 9]}\n");
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct asked q;
        struct exact x;

        ask(&q, &m, ways[i], 4, 4, false, false);
        q.parts[1].lower = 0;
        q.parts[1].upper = large;
        q.parts[1].centre = 0;
        run(&m, &q, &x);
        assert_true(x.values[1] == 2 * large + 3);
        exact_clear(&x);
    }
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
        cmocka_unit_test(each_stage_has_its_own_cells),
        cmocka_unit_test(rank_alone_does_not_bound_groups),
        cmocka_unit_test(sums_are_exact_beyond_doubles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
