/*
 * Queries through reader, planner and engine, against the same trees evaluated
 * row by row in C (evaluate/evaluate.h) and bounded by a simple loop: WHERE, keys
 * and values mean the same in both, and all ways of bounding agree.
 */
#include <math.h>

#include "engine/statement/relation.h"
#include "made.h"
#include "evaluate/evaluate.h"
#include "printed.h"
#include "sql/total_statement.h"
#include "support/stages.h"

enum { WIDTH = 7, ROWS_MOST = 1000, CELLS_MOST = 4096, PARTS_MOST = 12 };

static const char POLICY[] =
    "custos: 1\nbudget: {epsilon: 10}\ntables:\n"
    "  v:\n    source: v.csv\n    unit: who\n    rows_per_unit: 3\n"
    "    groups_per_unit: 2\n    columns:\n"
    "      who: {type: integer}\n"
    "      k: {type: text, values: [a, b, c]}\n"
    "      n: {type: integer, range: [-20, 20]}\n"
    "      b: {type: boolean}\n"
    "      d: {type: date, range: [2020-01-01, 2020-12-31]}\n"
    "      f: {type: real, range: [-2, 2]}\n"
    "      m: {type: decimal, scale: 1, range: [0, 9]}\n";

static const char *const queries[] = {
    "SELECT count(*) FROM v",
    "SELECT k, count(*) FROM v GROUP BY k",
    "SELECT b, count(*), sum(n) FROM v GROUP BY b",
    "SELECT k, b, count(*) FROM v GROUP BY k, b",
    "SELECT count(distinct who) FROM v",
    "SELECT k, count(distinct who) FROM v WHERE n > 0 GROUP BY k",
    "SELECT k, avg(n), avg(f), sum(m) FROM v GROUP BY k",
    "SELECT var_pop(n), stddev_samp(m) FROM v WHERE k IN ('a', 'c')",
    "SELECT count(n), count(k), count(f), count(d), count(b) FROM v",
    "SELECT count(*) FROM v WHERE k = 'a' OR n BETWEEN -3 AND 4",
    "SELECT count(*) FROM v WHERE NOT (k = 'a') AND b IS NOT TRUE",
    "SELECT count(*) FROM v WHERE k IS NULL OR k LIKE '%b%'",
    "SELECT sum(n * 2 + 1) FROM v WHERE f < 0.5",
    "SELECT sum(abs(n)) FROM v",
    "SELECT sum(CASE WHEN n > 3 THEN n ELSE -1 END) FROM v",
    "SELECT sum(coalesce(n, 7)) FROM v WHERE m >= 4.5",
    "SELECT sum(f * 2) FROM v WHERE b",
    "SELECT sum(n / 3) FROM v",
    "SELECT sum(n % 4) FROM v WHERE n <> 0",
    "SELECT extract(month FROM d), count(*) FROM v GROUP BY 1",
    "SELECT extract(dow FROM d), count(*), sum(n) FROM v GROUP BY 1",
    "SELECT date_trunc('quarter', d), count(*) FROM v GROUP BY 1",
    "SELECT upper(k), count(*) FROM v GROUP BY 1",
    ("SELECT CASE WHEN n < 0 THEN 'low' ELSE 'high' END, count(*) FROM v "
     "GROUP BY 1"),
    "SELECT n, count(*) FROM v GROUP BY n",
    "SELECT d, count(*) FROM v GROUP BY d",
    "SELECT n % 3, count(distinct who) FROM v GROUP BY 1",
    "SELECT width_bucket(n, -20, 20, 4), count(*) FROM v GROUP BY 1",
    "SELECT count(*) FROM v WHERE d >= '2020-06-01' AND d < '2020-09-01'",
    "SELECT sum(greatest(n, 0)), sum(least(n, 5)) FROM v",
    "SELECT sum(nullif(n, 0)), count(nullif(n, 0)) FROM v",
    "SELECT count(*) FROM v WHERE length(k) = 1 AND round(m) = 5",
    "SELECT n IS NULL, count(*) FROM v GROUP BY 1",
    "SELECT sum(n, contribution_bounds_per_row => (-2, 3)) FROM v",
};

/* Two numbers for every cell, beside parts that have one. */
static const char *const shares[] = {
    "SELECT avg(b) FROM v",
    "SELECT k, avg(b), avg(n) FROM v GROUP BY k",
    "SELECT k, count(*), avg(CASE WHEN b THEN 1 ELSE 0 END) FROM v GROUP BY k",
    ("SELECT sum(m), avg(CASE WHEN n > 3 THEN 2.5 WHEN n > 0 THEN 0 END), "
     "count(distinct who) FROM v WHERE k <> 'b'"),
    "SELECT avg(n, contribution_bounds_per_row => (0, 1)), sum(n) FROM v",
    "SELECT n % 3, 100.0 * count(f) / count(*), avg(f) FROM v GROUP BY 1",
    "SELECT k, sum(b::int)::float / count(*) FROM v GROUP BY k",
};

/* At most so many rows of a unit in a group, before its first rows are taken. */
#define EACH(n)                                                                \
    "SELECT WITH DIFFERENTIAL_PRIVACY "                                        \
    "OPTIONS(max_rows_contributed_per_group = " n ") "
static const char *const per_group[] = {
    EACH("1") "k, count(*), sum(n) FROM v GROUP BY k",
    EACH("2") "k, count(*), sum(n) FROM v GROUP BY k",
    EACH("1") "k, avg(b), count(distinct who) FROM v WHERE n > 0 GROUP BY k",
    EACH("2") "n % 2, avg(f) FROM v WHERE k <> 'b' GROUP BY 1",
    EACH("1") "b, count(n), sum(m) FROM v GROUP BY b",
};

struct row {
    int64_t unit, rank;
    struct datum values[WIDTH];
};

static void
write_source(const struct made *m)
{
    static const char *const keys[] = {"a", "b", "c", "", "zz"};
    static const char *const flags[] = {"true", "false", ""};
    static char text[ROWS_MOST * 64];
    size_t len = (size_t)snprintf(text, 64, "who,k,n,b,d,f,m\n");
    uint64_t s = 77;

    for (int i = 0; i < ROWS_MOST - 200; i++) {
        unsigned r[8];

        for (int k = 0; k < 8; k++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            r[k] = (unsigned)(s >> 33);
        }
        len += (size_t)snprintf(
            text + len, 64, "%u,%s,%d,%s,2020-%02u-%02u,%s%.2f,%u.%u\n",
            r[0] % 150, keys[r[1] % 5], (int)(r[2] % 50) - 25, flags[r[3] % 3],
            1 + r[4] % 12, 1 + r[5] % 28, r[6] % 9 ? "" : "x",
            ((int)(r[6] % 21) - 10) * 0.25, r[7] % 10, r[7] / 10 % 10);
    }
    made_file(m, "v.csv", text);
}

static struct datum
datum_of(struct made *m, const struct column *c, size_t row)
{
    struct datum d = {.type = TYPE_NULL};

    if (column_is_null(c, row))
        return d;
    d.n = column_whole(c, row);
    d.scale = c->scale;
    d.type = c->type == COLUMN_BOOL   ? TYPE_BOOL
             : c->type == COLUMN_DATE ? TYPE_DATE
             : c->type == COLUMN_TEXT ? TYPE_TEXT
             : c->type == COLUMN_I64  ? TYPE_INT
                                      : TYPE_DECIMAL;
    if (c->type == COLUMN_TEXT)
        d.text = str_of(arena_copy(m->a, column_text(c, row)));
    return c->type == COLUMN_F64 ? datum_of_double(column_real(c, row)) : d;
}

static size_t
read_rows(struct made *m, struct row *rows)
{
    struct column c[WIDTH + 2];
    struct result *found = NULL;
    size_t n = 0, all = 0;

    assert_int_equal(duck_ask(duck_of(m->engine)->connections[0],
                              "SELECT u, r, c0, c1, c2, c3, c4, c5, c6 FROM t0 "
                              "ORDER BY u, r",
                              &found, &m->err),
                     CUSTOS_OK);
    while (!result_next(found, &n, c, &m->err) && n > 0)
        for (size_t i = 0; i < n; i++, all++) {
            assert_true(all < ROWS_MOST);
            rows[all].unit = (int64_t)column_whole(&c[0], i);
            rows[all].rank = (int64_t)column_whole(&c[1], i);
            for (size_t k = 0; k < WIDTH; k++)
                rows[all].values[k] = datum_of(m, &c[k + 2], i);
        }
    result_free(found);
    return all;
}

static bool
column_of(void *ctx, const struct expr *e, struct value *out)
{
    const struct row *r = ctx;

    if (e->kind != EXPR_COLUMN)
        return false;
    *out = (struct value){.datum = r->values[e->slot], .certainty = CERTAIN};
    return true;
}

static struct datum
value_of(struct made *m, struct row *r, const struct expr *e)
{
    arena *a = arena_new(NULL, 1 << 20);
    struct scope s = {.a = a, .leaf = column_of, .ctx = r};
    struct value v = {0};

    if (!evaluate(&s, e, &v)) {
        struct buf b;

        buf_init(&b, NULL, 1 << 16);
        sql_print_expr(e, &b);
        fail_msg("not evaluated: %s", buf_text(&b));
    }
    if (v.datum.type == TYPE_TEXT)
        v.datum.text = str_of(arena_copy(m->a, v.datum.text));
    arena_free(a);
    return v.datum;
}

/* The cell of a row, or -1. */
static int
cell_of(struct made *m, struct row *r, const struct plan *plan)
{
    size_t cell = 0;

    for (size_t i = 0; i < plan->space.n_keys; i++) {
        const struct key *k = &plan->space.keys[i];
        struct datum d = value_of(m, r, k->expr);
        size_t at = 0;

        while (at < k->n &&
               (d.type == TYPE_NULL || datum_cmp(&d, &k->values[at]) != 0))
            at++;
        if (at == k->n && !k->null_group)
            return -1;
        cell = cell * (k->n + k->null_group) + at;
    }
    return (int)cell;
}

static bool
steps_of(const struct datum *d, const struct part *p, i128 *out)
{
    double x = datum_double(d) * pow(p->grid.base, p->grid.digits);

    if (d->type == TYPE_NULL)
        return false;
    if (!data_type_is_number(d->type))
        x = 0;
    *out = llround(x);
    if (*out > p->upper)
        *out = p->upper;
    if (*out < p->lower)
        *out = p->lower;
    *out -= p->centre;
    return true;
}

static void
add_row(struct made *m, struct row *r, const struct plan *plan, size_t cell,
        bool first, i128 *cells)
{
    i128 *first_cell = cells;

    for (size_t i = 0; i < plan->n_parts; i++) {
        const struct part *p = &plan->parts[i];
        i128 *to = &first_cell[cell * part_numbers(p)], steps = 0;
        struct datum d;

        first_cell += plan->space.cells * part_numbers(p);

        if (p->kind == PART_ROWS)
            *to += 1;
        if (p->kind == PART_UNITS)
            *to += first;
        if (!p->of)
            continue;
        d = value_of(m, r, p->of);
        if (!steps_of(&d, p, &steps))
            continue;
        if (p->kind == PART_SHARE) {
            to[0] += steps - p->lower;
            to[1] += p->upper - steps;
            continue;
        }
        *to += p->kind == PART_VALUES ? 1
               : p->kind == PART_SUM  ? steps
                                      : steps * steps;
    }
}

static size_t
numbers_of(const struct plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_parts; i++)
        n += plan->space.cells * part_numbers(&plan->parts[i]);
    return n;
}

static void
reference(struct made *m, struct row *rows, size_t n, const struct plan *plan,
          i128 *cells)
{
    static int64_t seen[CELLS_MOST];
    static uint64_t each[CELLS_MOST];
    uint64_t used = 0, groups = 0;

    memset(seen, 0, sizeof seen);
    memset(cells, 0, numbers_of(plan) * sizeof *cells);
    for (size_t i = 0; i < n; i++) {
        struct datum yes = {.type = TYPE_BOOL, .n = 1};
        int cell;

        if (i == 0 || rows[i].unit != rows[i - 1].unit)
            used = groups = 0;
        if (i == 0 || rows[i].unit != rows[i - 1].unit)
            memset(each, 0, sizeof each);
        if (plan->where)
            yes = value_of(m, &rows[i], plan->where);
        cell = cell_of(m, &rows[i], plan);
        if (yes.type == TYPE_NULL || !yes.n || cell < 0)
            continue;
        if (plan->space.bounding == BOUND_RANK) {
            if ((uint64_t)rows[i].rank <= plan->rows)
                add_row(m, &rows[i], plan, (size_t)cell, false, cells);
            continue;
        }
        if (plan->space.per_group > 0 && each[cell]++ >= plan->space.per_group)
            continue;
        if (used == plan->rows)
            continue;
        used++;
        if (seen[cell] != rows[i].unit && groups == plan->space.groups)
            continue;
        groups += seen[cell] != rows[i].unit;
        add_row(m, &rows[i], plan, (size_t)cell, seen[cell] != rows[i].unit,
                cells);
        seen[cell] = rows[i].unit;
    }
}

static void
run_and_compare(struct made *m, const struct plan *plan, const char *sql,
                const i128 *want)
{
    struct exact x;
    custos_status st = exact_init(&x, stage_values(plan), &m->err);

    if (!st)
        st = plan->space.bounding == BOUND_FOLD
                 ? run_fold(m->engine, stage_values(plan), &x, &m->err)
             : plan->space.bounding == BOUND_RANK
                 ? run_sql(m->engine, stage_values(plan), &x, &m->err)
                 : run_general(m->engine, stage_values(plan), &x, &m->err);
    if (st)
        fail_msg("%s: %s", sql, m->err.noted);
    for (size_t i = 0; i < numbers_of(plan); i++)
        if (x.values[i] != want[i])
            fail_msg("%s: way %d, number %zu of %zu cells: %lld, not %lld", sql,
                     plan->space.bounding, i, plan->space.cells,
                     (long long)x.values[i], (long long)want[i]);
    exact_clear(&x);
}

/*
 * Whether evaluate.h knows all expressions. It lacks LIKE and similar
 * functions; for these the ways of bounding must still agree.
 */
static bool
is_known(const struct plan *plan)
{
    bool known = !plan->where || evaluate_knows(plan->where);

    for (size_t i = 0; i < plan->space.n_keys; i++)
        known &= evaluate_knows(plan->space.keys[i].expr);
    for (size_t i = 0; i < plan->n_parts; i++)
        known &= !plan->parts[i].of || evaluate_knows(plan->parts[i].of);
    return known;
}

/*
 * The complete statement, in every way of bounding, calls only functions that
 * sql/total.c lists.
 */
static void
statement_is_total(struct made *m, const struct plan *plan, const char *sql)
{
    struct work_values values;
    const struct term *units;
    struct builder b;
    struct select *s;
    struct buf out;

    assert_int_equal(work_values(stage_values(plan), &values, &m->err),
                     CUSTOS_OK);
    builder_init(&b, m->engine);
    buf_init(&out, NULL, 1 << 20);
    s = sql_bounded(&b, stage_values(plan), &values);
    relation_queries(&b, plan, plan->n_queries, s);
    units = term_aggregate(&b, TERM_COUNT_DISTINCT, term_name(&b, NULL, "u"));
    work_sums(&b, stage_values(plan), &values, units, units, s);
    s->and_all = general_bounded(&b, stage_values(plan), &values);
    assert_false(b.failed);
    duck_print_select(s, duck_of(m->engine)->data->read, &out);
    assert_false(out.failed);
    if (!total_is_statement(buf_text(&out), out.len))
        fail_msg("%s: %s", sql, buf_text(&out));
    buf_clear(&out);
    builder_clear(&b);
}

/* Only the windows bound rows per group; the other ways must refuse. */
static void
check_per_group(struct made *m, struct row *rows, size_t n, const char *sql)
{
    static i128 want[2 * CELLS_MOST * PARTS_MOST];
    struct plan_options options = {0};
    struct plan *plan = NULL;
    struct query *q;
    struct exact x;

    assert_int_equal(sql_read(m->a, str_of(sql), &q, &m->err), CUSTOS_OK);
    assert_int_equal(plan_make(m->a, q, m->policy, &options, &plan, &m->err),
                     CUSTOS_OK);
    assert_int_equal(plan->space.bounding, BOUND_GENERAL);
    assert_true(plan->space.per_group > 0 && is_known(plan));
    statement_is_total(m, plan, sql);
    reference(m, rows, n, plan, want);
    run_and_compare(m, plan, sql, want);
    assert_int_equal(exact_init(&x, stage_values(plan), &m->err), CUSTOS_OK);
    plan->space.bounding = BOUND_RANK;
    assert_int_not_equal(work_fill(m->engine, stage_values(plan), &x, &m->err),
                         CUSTOS_OK);
    plan->space.bounding = BOUND_FOLD;
    assert_int_not_equal(work_fill(m->engine, stage_values(plan), &x, &m->err),
                         CUSTOS_OK);
    exact_clear(&x);
    plan_free(plan);
}

static bool
check(struct made *m, struct row *rows, size_t n, const char *sql)
{
    static i128 want[2 * CELLS_MOST * PARTS_MOST];
    static const enum bounding ways[] = {BOUND_FOLD, BOUND_GENERAL};
    struct plan_options options = {0};
    struct plan *plan = NULL;
    struct query *q;
    custos_status st = sql_read(m->a, str_of(sql), &q, &m->err);
    bool units = false, known;

    if (!st)
        st = plan_make(m->a, q, m->policy, &options, &plan, &m->err);
    if (st)
        fail_msg("%s: %s", sql, m->err.said);
    assert_true(plan->space.cells <= CELLS_MOST && plan->n_parts <= PARTS_MOST);
    statement_is_total(m, plan, sql);
    for (size_t i = 0; i < plan->n_parts; i++)
        units |= plan->parts[i].kind == PART_UNITS;
    known = is_known(plan);
    if (!known) {
        struct exact x;

        plan->space.bounding = BOUND_FOLD;
        assert_int_equal(exact_init(&x, stage_values(plan), &m->err),
                         CUSTOS_OK);
        assert_int_equal(run_fold(m->engine, stage_values(plan), &x, &m->err),
                         CUSTOS_OK);
        memcpy(want, x.values, numbers_of(plan) * sizeof *want);
        exact_clear(&x);
    }
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        plan->space.bounding = ways[i];
        if (known)
            reference(m, rows, n, plan, want);
        run_and_compare(m, plan, sql, want);
    }
    plan->space.bounding = BOUND_RANK; /* bounds groups through rows only */
    plan->space.groups = plan->rows;
    if (known && !units) {
        reference(m, rows, n, plan, want);
        run_and_compare(m, plan, sql, want);
    }
    plan_free(plan);
    return known;
}

/* How many of these queries evaluate.h knows. */
static size_t
check_all(const char *const *texts, size_t n_texts)
{
    static struct row rows[ROWS_MOST];
    struct made m;
    size_t n, known = 0;

    made_folder(&m);
    write_source(&m);
    made_ready(&m, POLICY);
    n = read_rows(&m, rows);
    assert_true(n > 500);
    for (size_t i = 0; i < n_texts; i++)
        known += check(&m, rows, n, texts[i]);
    made_close(&m);
    return known;
}

static void
queries_mean_what_they_evaluate_to(void **state)
{
    (void)state;
    assert_true(check_all(queries, COUNT_OF(queries)) >= 25);
}

static void
shares_equal_the_reference(void **state)
{
    (void)state;
    assert_int_equal(check_all(shares, COUNT_OF(shares)), COUNT_OF(shares));
}

static void
rows_per_group_equal_the_reference(void **state)
{
    static struct row rows[ROWS_MOST];
    struct made m;
    size_t n;

    (void)state;
    made_folder(&m);
    write_source(&m);
    made_ready(&m, POLICY);
    n = read_rows(&m, rows);
    for (size_t i = 0; i < COUNT_OF(per_group); i++)
        check_per_group(&m, rows, n, per_group[i]);
    made_close(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_mean_what_they_evaluate_to),
        cmocka_unit_test(shares_equal_the_reference),
        cmocka_unit_test(rows_per_group_equal_the_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
