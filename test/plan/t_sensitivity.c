/*
 * Sensitivities against everything a unit can do, by enumeration: every way to
 * have at most m rows in at most g groups, every value of the range, NULL.
 */
#include "plan/hospital.h"
#include "plan/work.h"

enum { CELLS_MAX = 3, CONTRIBUTIONS_MAX = 4096 };

struct shape {
    int rows, groups, cells;
    int low, high, centre;
};

struct contribution {
    int by_cell[CELLS_MAX];
};

/* What one row adds to a part; value == high + 1 means NULL. */
static int
row_adds(enum part_kind kind, const struct shape *s, int value)
{
    bool null = value > s->high;

    switch (kind) {
    case PART_ROWS: return 1;
    case PART_VALUES: return !null;
    case PART_SUM: return null ? 0 : value - s->centre;
    case PART_SQUARES:
        return null ? 0 : (value - s->centre) * (value - s->centre);
    default: return 0;
    }
}

/* How many groups a unit with rows in these cells has. */
static int
cells_used(const int *cells, int n, int *used)
{
    int groups = 0;

    memset(used, 0, CELLS_MAX * sizeof *used);
    for (int i = 0; i < n; i++) {
        groups += !used[cells[i]];
        used[cells[i]] = 1;
    }
    return groups;
}

/* All contributions of a unit: rows of each (cell, value), at most two. */
static size_t
contributions(enum part_kind kind, const struct shape *s,
              struct contribution *out)
{
    int values = s->high - s->low + 2, kinds = s->cells * values;
    size_t n = 0;

    out[n++] = (struct contribution){{0}};
    for (int a = 0; a < kinds; a++)
        for (int b = a; b <= (s->rows > 1 ? kinds : a); b++) {
            int cells[2] = {a / values, b / values}, used[CELLS_MAX];
            bool two = s->rows > 1 && b < kinds;
            struct contribution c = {{0}};

            if (cells_used(cells, two ? 2 : 1, used) > s->groups)
                continue;
            c.by_cell[cells[0]] += row_adds(kind, s, s->low + a % values);
            if (two)
                c.by_cell[cells[1]] += row_adds(kind, s, s->low + b % values);
            if (kind == PART_UNITS)
                memcpy(c.by_cell, used, sizeof c.by_cell);
            assert_true(n < CONTRIBUTIONS_MAX);
            out[n++] = c;
        }
    return n;
}

static void
largest(const struct contribution *c, size_t n, bool change, int64_t *l1,
        int64_t *l2)
{
    *l1 = *l2 = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < (change ? n : 1); j++) {
            int64_t one = 0, two = 0;

            for (int k = 0; k < CELLS_MAX; k++) {
                int64_t d = c[i].by_cell[k] - c[j].by_cell[k];

                one += d < 0 ? -d : d;
                two += d * d;
            }
            *l1 = one > *l1 ? one : *l1;
            *l2 = two > *l2 ? two : *l2;
        }
}

static void
check(enum part_kind kind, const struct shape *s, bool change,
      struct contribution *room)
{
    int most = abs(s->low - s->centre) > abs(s->high - s->centre)
                   ? abs(s->low - s->centre)
                   : abs(s->high - s->centre);
    struct part part = {.kind = kind,
                        .lower = s->low,
                        .upper = s->high,
                        .centre = s->centre,
                        .row_most = 1};
    struct policy policy = {.adjacency =
                                change ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE};
    struct plan plan = {
        .rows = (uint64_t)s->rows,
        .space = {.cells = (size_t)s->cells, .groups = (uint64_t)s->groups},
        .parts = &part,
        .n_parts = 1};
    struct work w = {.policy = &policy, .plan = &plan};
    size_t n = contributions(kind, s, room);
    int64_t l1, l2;

    if (kind == PART_SUM)
        part.row_most = most;
    if (kind == PART_SQUARES)
        part.row_most = (i128)most * most;
    part.space = &plan.space;
    rat_init(&part.l1);
    rat_init(&part.l2_squared);
    assert_int_equal(sensitivity_make(&w), CUSTOS_OK);
    largest(room, n, change, &l1, &l2);
    if (rat_cmp_i64(&part.l1, l1) || rat_cmp_i64(&part.l2_squared, l2))
        fail_msg("kind %d, %d rows, %d groups, %d cells, [%d, %d] less %d, "
                 "change %d: found %ld and %ld",
                 (int)kind, s->rows, s->groups, s->cells, s->low, s->high,
                 s->centre, change, (long)l1, (long)l2);
    rat_clear(&part.l1);
    rat_clear(&part.l2_squared);
}

static void
sensitivity_is_the_largest_change(void **state)
{
    static const int ranges[][3] = {{0, 3, 0},    {0, 3, 1}, {-2, 3, 0},
                                    {1, 3, 0},    {1, 3, 2}, {-3, -1, 0},
                                    {-3, -1, -2}, {-2, 2, 0}};
    struct contribution *room = calloc(CONTRIBUTIONS_MAX, sizeof *room);

    (void)state;
    assert_non_null(room);
    for (size_t r = 0; r < COUNT_OF(ranges); r++)
        for (int rows = 1; rows <= 2; rows++)
            for (int cells = 1; cells <= CELLS_MAX; cells++)
                for (int groups = 1; groups <= rows && groups <= cells;
                     groups++)
                    for (int kind = PART_ROWS; kind <= PART_UNITS; kind++) {
                        struct shape s = {rows,         groups,
                                          cells,        ranges[r][0],
                                          ranges[r][1], ranges[r][2]};

                        check((enum part_kind)kind, &s, false, room);
                        check((enum part_kind)kind, &s, true, room);
                    }
    free(room);
}

/*
 * Distinct values depend on the values of the other units: the test tries all
 * sets that the others can have (one bit for each value in each cell) and all
 * that a unit can have.
 */
enum { VALUES = 3, UNITS_MAX = 64 };

static size_t
units_of(int cells, int rows, int groups, int values, unsigned out[UNITS_MAX])
{
    int kinds = cells * VALUES;
    size_t n = 0;

    out[n++] = 0;
    for (int a = 0; a < kinds; a++)
        for (int b = a; b < (rows > 1 ? kinds : a + 1); b++) {
            if ((a / VALUES != b / VALUES && groups < 2) ||
                a % VALUES >= values || b % VALUES >= values)
                continue;
            assert_true(n < UNITS_MAX);
            out[n++] = 1u << a | 1u << b;
        }
    return n;
}

static void
distinct_change(unsigned a, unsigned b, int cells, int64_t *l1, int64_t *l2)
{
    int64_t one = 0, two = 0;

    for (int c = 0; c < cells; c++) {
        unsigned mask = ((1u << VALUES) - 1) << (c * VALUES);
        int64_t d = __builtin_popcount(a & mask);

        d -= __builtin_popcount(b & mask);
        one += d < 0 ? -d : d;
        two += d * d;
    }
    *l1 = one > *l1 ? one : *l1;
    *l2 = two > *l2 ? two : *l2;
}

/*
 * Checks a column with this many values; VALUES stands for an unknown number.
 * If there are few values, replacing a unit may move less than the sensitivity
 * says.
 */
static void
check_distinct(int cells, int rows, int groups, int values, bool change)
{
    struct part part = {.kind = PART_DISTINCT,
                        .upper = 1,
                        .domain = values < VALUES ? (uint64_t)values : 0,
                        .row_most = 1};
    struct policy policy = {.adjacency =
                                change ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE};
    struct plan plan = {
        .rows = (uint64_t)rows,
        .space = {.cells = (size_t)cells, .groups = (uint64_t)groups},
        .parts = &part,
        .n_parts = 1};
    struct work w = {.policy = &policy, .plan = &plan};
    unsigned units[UNITS_MAX];
    size_t n = units_of(cells, rows, groups, values, units);
    int64_t l1 = 0, l2 = 0;
    int found[2];

    for (unsigned others = 0; others < 1u << (cells * VALUES); others++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < (change ? n : 1); j++)
                distinct_change(others | units[i], others | units[j], cells,
                                &l1, &l2);
    part.space = &plan.space;
    rat_init(&part.l1);
    rat_init(&part.l2_squared);
    assert_int_equal(sensitivity_make(&w), CUSTOS_OK);
    found[0] = rat_cmp_i64(&part.l1, l1);
    found[1] = rat_cmp_i64(&part.l2_squared, l2);
    if (found[0] < 0 || found[1] < 0 ||
        ((found[0] || found[1]) && (values == VALUES || !change)))
        fail_msg("%d cells, %d rows, %d groups, %d values, change %d: found "
                 "%ld and %ld",
                 cells, rows, groups, values, change, (long)l1, (long)l2);
    rat_clear(&part.l1);
    rat_clear(&part.l2_squared);
}

static void
distinct_values_move_by_one_a_row(void **state)
{
    (void)state;
    for (int cells = 1; cells <= CELLS_MAX; cells++)
        for (int rows = 1; rows <= 2; rows++)
            for (int groups = 1; groups <= rows && groups <= cells; groups++)
                for (int values = 1; values <= VALUES; values++) {
                    check_distinct(cells, rows, groups, values, false);
                    check_distinct(cells, rows, groups, values, true);
                }
}

/*
 * A share has two numbers for each group: all that two rows can add to them, each
 * with any value of the range or NULL. Its vector is that of a count over twice as
 * many cells.
 */
static void
check_share(int rows, int cells, int high, bool change)
{
    struct part part = {
        .kind = PART_SHARE, .upper = high, .row_most = (i128)high};
    struct policy policy = {.adjacency =
                                change ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE};
    struct plan plan = {.rows = (uint64_t)rows,
                        .space = {.cells = (size_t)cells, .groups = 1},
                        .parts = &part,
                        .n_parts = 1};
    struct work w = {.policy = &policy, .plan = &plan};
    int kinds = cells * (high + 2), most = 0;
    int64_t l1 = 0, l2 = 0;

    for (int pick = 0; pick < kinds * kinds * kinds * kinds; pick++) {
        int64_t v[2 * CELLS_MAX] = {0}, one = 0, two = 0;
        int row[4] = {pick % kinds, pick / kinds % kinds,
                      pick / kinds / kinds % kinds,
                      pick / kinds / kinds / kinds};
        int changed = 0;

        for (int i = 0; i < 4; i++) { /* two of the unit, two of the other */
            int64_t sign = i < 2 ? 1 : -1;
            int value = row[i] % (high + 2), cell = row[i] / (high + 2);

            if ((i % 2 == 1 && rows == 1) || (i >= 2 && !change) ||
                value > high)
                continue;
            v[2 * cell] += sign * value;
            v[2 * cell + 1] += sign * (high - value);
        }
        for (int i = 0; i < 2 * cells; i++) {
            one += v[i] < 0 ? -v[i] : v[i];
            two += v[i] * v[i];
            changed += v[i] != 0;
        }
        l1 = one > l1 ? one : l1;
        l2 = two > l2 ? two : l2;
        most = changed > most ? changed : most;
    }
    part.space = &plan.space;
    rat_init(&part.l1);
    rat_init(&part.l2_squared);
    assert_int_equal(sensitivity_make(&w), CUSTOS_OK);
    if (rat_cmp_i64(&part.l1, l1) || rat_cmp_i64(&part.l2_squared, l2) ||
        part.one_cell != (most == 1))
        fail_msg("%d rows, %d cells, high %d, change %d: found %ld and %ld, %d "
                 "changed",
                 rows, cells, high, change, (long)l1, (long)l2, most);
    rat_clear(&part.l1);
    rat_clear(&part.l2_squared);
}

static void
share_moves_as_one_count(void **state)
{
    (void)state;
    for (int rows = 1; rows <= 2; rows++)
        for (int cells = 1; cells <= 2; cells++)
            for (int high = 1; high <= 2; high++) {
                check_share(rows, cells, high, false);
                check_share(rows, cells, high, true);
            }
}

/*
 * At most r rows of a unit in a group: all ways to divide at most m rows over at
 * most g of the groups, each row at an end of [low, high] or in the middle. Sums are
 * convex in what a row adds, so the ends suffice for the largest change.
 */
enum { UNITS_MOST = 4000 };

static size_t
divided(int rows, int each, int groups, int low, int high,
        int (*out)[CELLS_MAX])
{
    int ends[] = {low, high, 0};
    size_t n = 0;

    for (int a = 0; a <= each; a++)
        for (int b = 0; b <= each; b++)
            for (int c = 0; c <= each; c++)
                for (int e = 0; e < 27; e++) {
                    if (a + b + c > rows ||
                        (a > 0) + (b > 0) + (c > 0) > groups)
                        continue;
                    assert_true(n < UNITS_MOST);
                    out[n][0] = a * ends[e % 3];
                    out[n][1] = b * ends[e / 3 % 3];
                    out[n++][2] = c * ends[e / 9];
                }
    return n;
}

static void
check_per_group(int rows, int each, int groups, int low, int high, bool change)
{
    static int units[UNITS_MOST][CELLS_MAX];
    int most = -low > high ? -low : high;
    struct part part = {
        .kind = PART_SUM, .lower = low, .upper = high, .row_most = (i128)most};
    struct policy policy = {.adjacency =
                                change ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE};
    struct plan plan = {.rows = (uint64_t)rows,
                        .space = {.cells = CELLS_MAX,
                                  .groups = (uint64_t)groups,
                                  .per_group = (uint64_t)each},
                        .parts = &part,
                        .n_parts = 1};
    struct work w = {.policy = &policy, .plan = &plan};
    size_t n = divided(rows, each, groups, low, high, units);
    int64_t l1 = 0, l2 = 0;
    int found[2];

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < (change ? n : 1); j++) {
            int64_t one = 0, two = 0;

            for (int c = 0; c < CELLS_MAX; c++) {
                int64_t d = units[i][c] - (change ? units[j][c] : 0);

                one += d < 0 ? -d : d;
                two += d * d;
            }
            l1 = one > l1 ? one : l1;
            l2 = two > l2 ? two : l2;
        }
    part.space = &plan.space;
    rat_init(&part.l1);
    rat_init(&part.l2_squared);
    assert_int_equal(sensitivity_make(&w), CUSTOS_OK);
    found[0] = rat_cmp_i64(&part.l1, l1);
    found[1] = rat_cmp_i64(&part.l2_squared, l2);
    if (found[0] < 0 || found[1] < 0 || (!change && (found[0] || found[1])))
        fail_msg(
            "%d rows, %d in a group, %d groups, [%d, %d], change %d: found "
            "%ld and %ld",
            rows, each, groups, low, high, change, (long)l1, (long)l2);
    rat_clear(&part.l1);
    rat_clear(&part.l2_squared);
}

static void
sensitivity_with_rows_per_group(void **state)
{
    static const int ranges[][2] = {{0, 1}, {0, 3}, {-1, 2}, {-2, 2}, {-3, 1}};

    (void)state;
    for (size_t r = 0; r < COUNT_OF(ranges); r++)
        for (int rows = 2; rows <= 6; rows++)
            for (int each = 1; each < rows; each++)
                for (int groups = 1; groups <= CELLS_MAX; groups++) {
                    check_per_group(rows, each, groups, ranges[r][0],
                                    ranges[r][1], false);
                    if (rows <= 4)
                        check_per_group(rows, each, groups, ranges[r][0],
                                        ranges[r][1], true);
                }
}

/* Counts and histograms under both adjacencies. */
static void
sensitivity_of_counts_and_histograms(void **state)
{
    static const struct {
        const char *sql, *adjacency, *l1, *l2_squared;
    } cases[] = {
        {"SELECT count(*) FROM d", NULL, "1", "1"},
        {"SELECT count(*) FROM d", "change-one", "1", "1"},
        {"SELECT count(*) FROM d WHERE d1 = 1", "change-one", "1", "1"},
        {"SELECT x, count(*) FROM d GROUP BY x", NULL, "1", "1"},
        {"SELECT x, count(*) FROM d GROUP BY x", "change-one", "2", "2"},
        {"SELECT sum(x) FROM d", NULL, "7", "49"},
        {"SELECT sum(x) FROM d", "change-one", "7", "49"},
        {"SELECT sum(x - 3) FROM d", NULL, "4", "16"},
        {"SELECT sum(x - 3) FROM d", "change-one", "7", "49"},
        {"SELECT count(*) FROM visits", NULL, "20", "400"},
        {"SELECT count(distinct patient_id) FROM visits", NULL, "1", "1"},
        {"SELECT room, count(distinct patient_id) FROM visits GROUP BY room",
         NULL, "5", "5"},
        {"SELECT room, count(distinct patient_id) FROM visits GROUP BY room",
         "change-one", "10", "10"},
        {"SELECT count(distinct room) FROM visits", NULL, "20", "400"},
        {"SELECT count(distinct level) FROM visits", NULL, "5", "25"},
        {"SELECT count(distinct level) FROM visits", "change-one", "5", "25"},
        {"SELECT count(distinct level + 0) FROM visits", NULL, "20", "400"},
        {"SELECT count(distinct room > 1) FROM visits", NULL, "2", "4"},
        {"SELECT room, count(distinct room > 1) FROM visits GROUP BY room",
         NULL, "10", "20"},
        {"SELECT count(distinct level) FROM (SELECT level FROM visits) AS v",
         NULL, "5", "25"},
        {"SELECT count(distinct l) FROM (SELECT patient_id, level AS l FROM "
         "visits GROUP BY 1, 2) AS v",
         NULL, "20", "400"},
        {"SELECT count(distinct room) FROM visits", "change-one", "20", "400"},
        {"SELECT level, count(distinct room) FROM visits GROUP BY level",
         "change-one", "40", "800"},
        {"SELECT count(distinct x) FROM d", "change-one", "1", "1"},
        {"SELECT WITH DIFFERENTIAL_PRIVACY "
         "OPTIONS(max_rows_contributed_per_group = 3) room, count(*) FROM "
         "visits "
         "GROUP BY room",
         NULL, "15", "45"},
        {"SELECT WITH DIFFERENTIAL_PRIVACY "
         "OPTIONS(max_rows_contributed_per_group = 6) room, count(*) FROM "
         "visits "
         "GROUP BY room",
         NULL, "20", "112"},
        {"SELECT WITH DIFFERENTIAL_PRIVACY "
         "OPTIONS(max_rows_contributed_per_group = 6) room, count(*) FROM "
         "visits "
         "GROUP BY room",
         "change-one", "40", "224"},
        {"SELECT WITH DIFFERENTIAL_PRIVACY "
         "OPTIONS(max_rows_contributed_per_group = 3) count(*) FROM visits",
         NULL, "3", "9"},
        {"SELECT level, count(*) FROM rounds GROUP BY level", NULL, "20", "80"},
        {"SELECT count(*) FROM rounds", NULL, "4", "16"},
        {"SELECT WITH DIFFERENTIAL_PRIVACY "
         "OPTIONS(max_rows_contributed_per_group = 2) level, count(*) FROM "
         "rounds GROUP BY level",
         NULL, "10", "20"},
        {"SELECT level, count(*) FROM (SELECT level FROM rounds UNION ALL "
         "SELECT level FROM rounds) AS x GROUP BY level",
         NULL, "40", "320"},
        {"SELECT a.level, count(*) FROM rounds a JOIN rounds b ON "
         "a.patient_id = b.patient_id GROUP BY a.level",
         NULL, "80", "1280"},
        {"SELECT level, count(*) FROM rounds GROUP BY ROLLUP (level)", NULL,
         "20", "400"},
        {"SELECT WITH DIFFERENTIAL_PRIVACY "
         "OPTIONS(max_rows_contributed_per_group = 2) room, avg(level > 2) "
         "FROM "
         "visits GROUP BY room",
         "change-one", "20", "40"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct asked asked = {.adjacency = cases[i].adjacency};
        struct planned t;

        plan_good(&t, cases[i].sql, &asked);
        assert_int_equal(t.plan->n_parts, 1);
        if (!rat_is(&t.plan->parts[0].l1, cases[i].l1) ||
            !rat_is(&t.plan->parts[0].l2_squared, cases[i].l2_squared))
            fail_msg("%s", cases[i].sql);
        plan_done(&t);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivity_is_the_largest_change),
        cmocka_unit_test(distinct_values_move_by_one_a_row),
        cmocka_unit_test(share_moves_as_one_count),
        cmocka_unit_test(sensitivity_with_rows_per_group),
        cmocka_unit_test(sensitivity_of_counts_and_histograms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
