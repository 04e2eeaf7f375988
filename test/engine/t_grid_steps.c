/*
 * Arithmetic in whole grid steps against rationals: random expressions over
 * random rows, with many values at the ends of their ranges.
 */
#include <stdio.h>

#include "engine/duckdb/duck.h"
#include "engine/statement/grid_steps.h"
#include "num/rat.h"
#include "printed.h"
#include "support/support.h"

enum { DEPTH = 4, ROWS = 40, TEXT_MAX = 1 << 16, ARENA_MAX = 1 << 24 };

static const char *const policy_text =
    "custos: 1\n"
    "adjacency: add-remove\n"
    "budget: {epsilon: 1}\n"
    "tables:\n"
    "  t:\n"
    "    source: t.csv\n"
    "    unit: row\n"
    "    columns:\n"
    "      n: {type: integer, range: [-30, 1000]}\n"
    "      p: {type: decimal, scale: 2, range: [-5, 105000]}\n"
    "      d: {type: decimal, scale: 3, range: [0, 0.1], nullable: false}\n";

static const struct {
    int digits;
    int64_t lower, upper;
} columns[] = {{0, -30, 1000}, {2, -500, 10500000}, {3, 0, 100}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static uint64_t seed;

static uint64_t
random_below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

/* ---------------------------------------------------------- expressions -- */

static void
write_number(struct buf *b, int depth)
{
    static const char *const leaves[] = {"n", "p",    "d",  "n",  "p",
                                         "d", "0.25", "-7", "12", "0"};
    static const char *const between[] = {" + ", " - ", " * "};

    if (depth == 0 || random_below(5) == 0) {
        buf_add_text(b, leaves[random_below(COUNT_OF(leaves))]);
        return;
    }
    switch (random_below(6)) {
    case 0:
        buf_add_text(b, "coalesce(");
        write_number(b, depth - 1);
        buf_add_text(b, ", ");
        break;
    case 1:
        buf_add_text(b, "(CASE WHEN n > 500 THEN ");
        write_number(b, depth - 1);
        buf_add_text(b, random_below(2) ? " ELSE " : " WHEN d < 0.05 THEN ");
        write_number(b, depth - 1);
        buf_add_text(b, " END)");
        return;
    case 2: buf_add_text(b, "(- "); break;
    default:
        buf_add_text(b, "(");
        write_number(b, depth - 1);
        buf_add_text(b, between[random_below(COUNT_OF(between))]);
        break;
    }
    write_number(b, depth - 1);
    buf_add_text(b, ")");
}

/* ------------------------------------------------------------ reference -- */

struct row {
    bool null[COLUMNS];
    int64_t steps[COLUMNS];
};

static bool value_of(const struct expr *e, const struct row *row, rat *out);

static void
set_steps(rat *out, i128 n, int digits)
{
    rat by;

    rat_init(&by);
    rat_set_i128(out, n);
    rat_set_i64(&by, 1, 10);
    for (int i = 0; i < digits; i++)
        rat_mul(out, out, &by);
    rat_clear(&by);
}

static bool
call_of(const struct expr *e, const struct row *row, rat *out)
{
    bool good;
    rat b;

    if (e->call == CALL_COALESCE) {
        for (size_t i = 0; i < e->n_args; i++)
            if (value_of(e->args[i], row, out))
                return true;
        return false;
    }
    rat_init(&b);
    if (e->call == CALL_NEG) {
        good = value_of(e->args[0], row, out);
        rat_sub(out, &b, out);
    } else {
        good = value_of(e->args[0], row, out) && value_of(e->args[1], row, &b);
        if (e->call == CALL_ADD)
            rat_add(out, out, &b);
        else if (e->call == CALL_SUB)
            rat_sub(out, out, &b);
        else
            rat_mul(out, out, &b);
    }
    rat_clear(&b);
    return good;
}

/*
 * The value of a CASE with WHEN n > 500, then WHEN d < 0.05, the only
 * conditions that the generator writes.
 */
static bool
case_of(const struct expr *e, const struct row *row, rat *out)
{
    bool holds[] = {!row->null[0] && row->steps[0] > 500, row->steps[2] < 50};

    for (size_t i = 0; i + 1 < e->n_args; i += 2)
        if (holds[i / 2])
            return value_of(e->args[i + 1], row, out);
    e = e->args[e->n_args - 1];
    return e && value_of(e, row, out);
}

static bool
value_of(const struct expr *e, const struct row *row, rat *out)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        set_steps(out, e->value.n,
                  e->value.type == TYPE_INT ? 0 : e->value.scale);
        return true;
    case EXPR_COLUMN:
        set_steps(out, row->steps[e->slot], columns[e->slot].digits);
        return !row->null[e->slot];
    case EXPR_CALL: return call_of(e, row, out);
    case EXPR_CASE: return case_of(e, row, out);
    default: fail_msg("no such expression"); return false;
    }
}

/* --------------------------------------------------------------- engine -- */

static void
draw_row(struct row *row)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        int64_t lower = columns[i].lower, upper = columns[i].upper;

        row->null[i] = i < 2 && random_below(8) == 0;
        row->steps[i] =
            lower + (int64_t)random_below((uint64_t)(upper - lower) + 1);
        if (random_below(2))
            row->steps[i] = random_below(2) ? lower : upper;
    }
}

/*
 * The columns that queries read: 0 as it is, 1 and 2 in steps, and 2 also as a
 * decimal, for conditions.
 */
static void
print_row(const struct row *row, size_t number, struct buf *out)
{
    buf_printf(out, "SELECT %zu AS i, ", number);
    for (size_t i = 0; i < COLUMNS; i++) {
        if (row->null[i])
            buf_add_text(out, "NULL");
        else
            buf_printf(out, "%lld", (long long)row->steps[i]);
        buf_printf(out, "::%s AS %s_%zu, ", i ? "INTEGER" : "BIGINT",
                   i ? "steps" : "column", i);
    }
    buf_printf(out, "CAST('0.%03lld' AS DECIMAL(18,3)) AS column_2",
               (long long)row->steps[2]);
}

static void
check_value(const struct expr *e, const struct row *row,
            const struct grid_steps *known, const struct column *column,
            size_t i)
{
    rat want, got;

    rat_init(&want);
    rat_init(&got);
    if (!value_of(e, row, &want)) {
        assert_true(column_is_null(column, i));
    } else {
        assert_false(column_is_null(column, i));
        assert_true(column_whole(column, i) >= known->lower);
        assert_true(column_whole(column, i) <= known->upper);
        set_steps(&got, column_whole(column, i), known->digits);
        assert_int_equal(rat_cmp(&got, &want), 0);
    }
    rat_clear(&want);
    rat_clear(&got);
}

/*
 * On each row the printed text gives the exact value, within the known limits.
 */
static void
check_rows(struct duck_connection *c, const struct plan *plan, const char *text,
           const struct grid_steps *known)
{
    struct row rows[ROWS];
    struct column column;
    struct result *found;
    struct buf sql;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 0;

    buf_init(&sql, NULL, TEXT_MAX);
    buf_printf(&sql, "SELECT %s FROM (", text);
    for (size_t i = 0; i < ROWS; i++) {
        draw_row(&rows[i]);
        buf_add_text(&sql, i ? " UNION ALL " : "");
        print_row(&rows[i], i, &sql);
    }
    buf_add_text(&sql, ") AS t ORDER BY i");
    if (duck_ask(c, buf_text(&sql), &found, &err) ||
        result_next(found, &n, &column, &err))
        fail_msg("%s\n%s", buf_text(&sql), err.noted);
    assert_int_equal(n, ROWS);
    for (size_t i = 0; i < ROWS; i++)
        check_value(plan->parts[0].of, &rows[i], known, &column, i);
    result_free(found);
    buf_clear(&sql);
}

struct bench {
    arena *a;
    struct policy *policy;
    struct duck *duck;
    struct duck_connection *connection;
};

static void
bench_open(struct bench *b)
{
    custos_err err = CUSTOS_ERR_INIT;

    b->a = arena_new(NULL, ARENA_MAX);
    if (policy_read(b->a, str_of(policy_text), "p.yaml", &b->policy, &err) ||
        duck_open(NULL, DUCK_WRITE, &b->duck, &err) ||
        duck_connect(b->duck, &b->connection, &err))
        fail_msg("%s", err.said);
}

static void
bench_close(struct bench *b)
{
    duck_disconnect(b->connection);
    duck_close(b->duck);
    arena_free(b->a);
}

/*
 * Whether the sum was printed in steps, on a grid with `more` digits in
 * addition to the plan's. Checks its values.
 */
static bool
check_sum(struct bench *b, const char *number, int more)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct plan *plan = NULL;
    struct grid_steps known = {0};
    struct query *q;
    const struct term *steps = NULL;
    struct builder t;
    struct buf sql, text;
    custos_err err = CUSTOS_ERR_INIT;

    builder_init(&t, NULL);
    buf_init(&sql, NULL, TEXT_MAX);
    buf_init(&text, NULL, TEXT_MAX);
    buf_printf(&sql, "SELECT sum(%s) FROM t", number);
    if (!sql_read(a, str_of(buf_text(&sql)), &q, &err) &&
        !plan_make(a, q, b->policy, NULL, &plan, &err) &&
        plan->parts[0].grid.base == 10)
        steps = grid_steps_term(&t, plan, plan->parts[0].of,
                                plan->parts[0].grid.digits + more, &known);
    if (steps) {
        assert_false(t.failed);
        print_term(&t, steps, &text);
        check_rows(b->connection, plan, buf_text(&text), &known);
    }
    buf_clear(&sql);
    buf_clear(&text);
    builder_clear(&t);
    plan_free(plan);
    arena_free(a);
    return steps != NULL;
}

static void
steps_equal_the_rational_value(void **state)
{
    int cases = test_size(60, 400), printed = 0;
    struct bench b;

    (void)state;
    bench_open(&b);
    seed = 5;
    for (int i = 0; i < cases; i++) {
        struct buf number;

        buf_init(&number, NULL, TEXT_MAX);
        write_number(&number, DEPTH);
        printed += check_sum(&b, buf_text(&number), (int)random_below(3));
        buf_clear(&number);
    }
    assert_true(printed > cases / 4);
    bench_close(&b);
}

static void
steps_stay_within_their_range(void **state)
{
    struct bench b;

    (void)state;
    bench_open(&b);
    assert_true(check_sum(&b, "p * (1 - d) * (1 + d)", 0));
    /* the number of steps can exceed 64 bits */
    assert_false(check_sum(&b, "p * p * p", 0));
    assert_false(check_sum(&b, "p * p * p - p * p * p + n", 0));
    assert_false(check_sum(&b, "p * p", 7));
    assert_false(check_sum(&b, "n", 17));
    /* the grid is coarser than the value, or the value is not in whole steps */
    assert_false(check_sum(&b, "p", -1));
    assert_false(check_sum(&b, "p / 3", 0));
    bench_close(&b);
}

/* The engine computes the literals of a chain of operations first. */
static void
no_order_of_terms_overflows(void **state)
{
    static const char far[] =
        "(CASE WHEN n > 5 THEN -4000000000000000000 ELSE -4000000000000000001 "
        "END + 4000000000000000000)";
    char sum[1000];
    struct bench b;

    (void)state;
    bench_open(&b);
    assert_true(check_sum(&b, "CASE WHEN n > 5 THEN 0 ELSE 0 END * 4", 0));
    assert_false(check_sum(&b,
                           "CASE WHEN n > 5 THEN 0 WHEN n > 7 THEN 0 ELSE 0 "
                           "END * 4611686018427387903 * 4",
                           0));
    snprintf(sum, sizeof sum, "%s + %s + %s", far, far, far);
    assert_false(check_sum(&b, sum, 0));
    bench_close(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_equal_the_rational_value),
        cmocka_unit_test(steps_stay_within_their_range),
        cmocka_unit_test(no_order_of_terms_overflows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
