/*
 * The canonical text of a tree: for random queries, reading it back gives the
 * same tree. Whatever its input, the reader neither crashes nor points outside
 * the text, even on a small stack.
 */
#include "sql/tree.h"

#include <pthread.h>
#include <stdio.h>

#include "base/base.h"
#include "sql/tokens.h"
#include "support/support.h"

enum { ARENA_MAX = 1 << 26, TEXT_MAX = 1 << 20 };

/* xorshift: these tests need variety, not randomness. */
static uint64_t
next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static size_t
below(uint64_t *s, size_t n)
{
    return (size_t)(next(s) >> 8) % n;
}

/* ------------------------------------------------------- equal trees -- */

static bool expr_same(const struct expr *a, const struct expr *b);
static bool query_same(const struct query *a, const struct query *b);

static bool
args_same(struct expr *const *a, struct expr *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!expr_same(a[i], b[i]))
            return false;
    return true;
}

static bool
expr_same(const struct expr *a, const struct expr *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && a->n_args == b->n_args &&
           args_same(a->args, b->args, a->n_args) &&
           a->value.type == b->value.type && a->value.n == b->value.n &&
           a->value.scale == b->value.scale &&
           str_equal(a->value.text, b->value.text) &&
           str_equal(a->qualifier, b->qualifier) &&
           str_equal(a->name, b->name) && a->call == b->call &&
           a->negated == b->negated && a->cast_to == b->cast_to &&
           a->cast_precision == b->cast_precision &&
           a->cast_scale == b->cast_scale && a->aggregate == b->aggregate &&
           str_equal(a->epsilon, b->epsilon) && a->bounds == b->bounds &&
           expr_same(a->lower, b->lower) && expr_same(a->upper, b->upper) &&
           a->high == b->high && a->type == b->type &&
           query_same(a->query, b->query);
}

static bool
names_same(const str *a, size_t n_a, const str *b, size_t n_b)
{
    if (n_a != n_b)
        return false;
    for (size_t i = 0; i < n_a; i++)
        if (!str_equal(a[i], b[i]))
            return false;
    return true;
}

static bool
from_same(const struct from *a, const struct from *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && str_equal(a->name, b->name) &&
           str_equal(a->alias, b->alias) && a->outer == b->outer &&
           a->trusted == b->trusted &&
           names_same(a->columns, a->n_columns, b->columns, b->n_columns) &&
           names_same(a->using, a->n_using, b->using, b->n_using) &&
           expr_same(a->on, b->on) && query_same(a->query, b->query) &&
           from_same(a->left, b->left) && from_same(a->right, b->right);
}

static bool
clauses_same(const struct query *a, const struct query *b)
{
    if (a->n_targets != b->n_targets || a->n_order_by != b->n_order_by ||
        a->n_group_by != b->n_group_by)
        return false;
    for (size_t i = 0; i < a->n_targets; i++)
        if (!expr_same(a->targets[i].expr, b->targets[i].expr) ||
            !str_equal(a->targets[i].name, b->targets[i].name))
            return false;
    for (size_t i = 0; i < a->n_order_by; i++)
        if (!expr_same(a->order_by[i].expr, b->order_by[i].expr) ||
            a->order_by[i].descending != b->order_by[i].descending ||
            a->order_by[i].nulls_first != b->order_by[i].nulls_first)
            return false;
    return args_same(a->group_by, b->group_by, a->n_group_by) &&
           expr_same(a->where, b->where) && expr_same(a->having, b->having);
}

static bool
query_same(const struct query *a, const struct query *b)
{
    if (!a || !b)
        return a == b;
    return a->explain == b->explain && a->star == b->star &&
           a->distinct == b->distinct && a->has_limit == b->has_limit &&
           a->limit == b->limit && a->offset == b->offset &&
           from_same(a->from, b->from) &&
           query_same(a->union_all, b->union_all) &&
           a->options.given == b->options.given &&
           str_equal(a->options.epsilon, b->options.epsilon) &&
           str_equal(a->options.delta, b->options.delta) && clauses_same(a, b);
}

/* ----------------------------------------------------- random queries -- */

/* @ is an expression, # a literal, $ a whole number, ~ a subquery. */
static const char *const shapes[] = {
    "a",
    "b",
    "\"C d\"",
    "t.a",
    "#",
    "(@ + @)",
    "@ - @",
    "(@) * @",
    "-(@)",
    "@ / $",
    "@ % $",
    "@ || @",
    "@ = @",
    "@ < @",
    "@ AND @ AND @",
    "(@ OR @)",
    "NOT (@)",
    "(@) IS NULL",
    "(@) IS NOT TRUE",
    "(@) IS DISTINCT FROM (@)",
    "(@) IN (#, #, #)",
    "(@) NOT IN (#)",
    "(@) BETWEEN (@) AND (@)",
    "(@) LIKE 'a''b%'",
    "(@) NOT ILIKE E'\\\\_'",
    "CASE WHEN @ THEN @ WHEN @ THEN @ ELSE @ END",
    "CASE @ WHEN @ THEN @ END",
    "CAST(@ AS numeric(12, 3))",
    "(@)::bool",
    "(@)::int",
    "CAST(@ AS date)",
    "CAST(@ AS double precision)",
    "coalesce(@, @, @)",
    "nullif(@, @)",
    "least(@, @)",
    "greatest(@, @)",
    "lower(@)",
    "trim(@)",
    "length(@)",
    "substring(@ FROM $ FOR 3)",
    "concat(@, @)",
    "extract(dow FROM @)",
    "date_trunc('week', @)",
    "width_bucket(@, -1, 9.5, $)",
    "round(@, 2)",
    "floor(@)",
    "sign(@)",
    "abs(@)",
    "(@) IN (~)",
    "(@) NOT IN (~)",
};

static const char *const literals[] = {
    "0",
    "1",
    "-7",
    "2.50",
    "-0.001",
    "1e3",
    "9223372036854775807",
    "123456789012345678901",
    "'it''s'",
    "'é\\'",
    "TRUE",
    "NULL",
    "date '2026-01-31'",
    "timestamp '2026-01-31 23:59:59.25'",
    "CAST('-1.25' AS float8)",
};

static void write_expr(uint64_t *s, int depth, struct buf *out);
static void write_subquery(uint64_t *s, int depth, struct buf *out);
static void write_from(uint64_t *s, int depth, struct buf *out);

static void
write_shape(uint64_t *s, const char *p, int depth, struct buf *out)
{
    for (; *p; p++)
        if (*p == '@')
            write_expr(s, depth - 1, out);
        else if (*p == '#')
            buf_add_text(out, literals[below(s, COUNT_OF(literals))]);
        else if (*p == '$')
            buf_printf(out, "%d", (int)below(s, 9) + 1);
        else if (*p == '~')
            write_subquery(s, depth - 1, out);
        else if (*p == '^')
            write_from(s, depth - 1, out);
        else
            buf_add(out, p, 1);
}

static void
write_expr(uint64_t *s, int depth, struct buf *out)
{
    size_t plain = 5; /* the first shapes contain no others */
    size_t i = below(s, depth > 0 ? COUNT_OF(shapes) : plain);

    write_shape(s, shapes[i], depth, out);
}

/*
 * ^ is a table or a join; two names may be equal, and then the query is
 * rejected.
 */
static void
write_from(uint64_t *s, int depth, struct buf *out)
{
    static const char *const froms[] = {
        "t",
        "t AS \"T 1\"",
        "u",
        "v (p, \"q\"\"\")",
        "v x (y)",
        "c",
        "c AS c2 (z)",
        "d",
        "^, ^",
        "^ CROSS JOIN ^",
        "^ JOIN ^ ON @",
        "^ LEFT JOIN ^ ON @",
        "^ RIGHT JOIN (^) ON @",
        "^ JOIN ^ USING (a, \"C d\")",
        "(^ LEFT JOIN ^ USING (b))",
        "(~) AS q",
        "(~) r (a, b)",
        "(~) AS w",
    };
    static const size_t plain = 8;

    write_shape(s, froms[below(s, depth > 0 ? COUNT_OF(froms) : plain)], depth,
                out);
}

static void
write_subquery(uint64_t *s, int depth, struct buf *out)
{
    static const char *const queries[] = {
        "SELECT a FROM t",
        "SELECT @ AS a FROM ^",
        "SELECT DISTINCT @ FROM ^ WHERE @",
        "SELECT * FROM ^ WHERE @ ORDER BY a",
        "SELECT @, t.*, * FROM ^",
        "SELECT a, sum(@) FROM ^ GROUP BY a, 1 HAVING count(*) > $",
        "~ UNION ALL ~",
        "(~) UNION ALL (~) ORDER BY 1",
        "WITH c AS (~), e AS (SELECT b FROM c) SELECT @ FROM e, c",
        "SELECT 1",
    };

    write_shape(s, queries[depth > 0 ? below(s, COUNT_OF(queries)) : 0], depth,
                out);
}

static void
write_query(uint64_t *s, struct buf *out)
{
    static const char *const aggregates[] = {
        "count(*)",
        "count(*, epsilon => 0.5)",
        "count(DISTINCT @)",
        "sum(@)",
        "avg(@, contribution_bounds_per_group => (-1, 2.5))",
        "variance(@)",
        "corr(@, @)",
        "regr_slope(@, @, epsilon => 1)",
        "median(@)",
        "min(@, epsilon => 1)",
        "percentile_cont(0.125) WITHIN GROUP (ORDER BY @)",
        ("percentile_disc(0, contribution_bounds_per_row => (0, 1)) WITHIN "
         "GROUP (ORDER BY @)"),
        "sum(count(*)) OVER (PARTITION BY a.b, a ORDER BY a.c)",
        "sum(count(*)) OVER ()",
        "GROUPING(a, b + 1)",
    };

    bool sets;

    buf_add_text(out, below(s, 9) ? "" : "EXPLAIN ");
    if (below(s, 3) == 0)
        write_shape(s, "WITH c AS (~), d (x) AS (~) ", 3, out);
    buf_add_text(out, "SELECT ");
    if (below(s, 4) == 0)
        buf_add_text(out, "WITH DIFFERENTIAL_PRIVACY OPTIONS(delta=1e-9) ");
    write_expr(s, 3, out);
    buf_add_text(out, " AS k, ");
    write_shape(s, aggregates[below(s, COUNT_OF(aggregates))], 3, out);
    buf_add_text(out, " n, dp_interval_low(n) + 1 FROM ");
    write_from(s, 3, out);
    buf_add_text(out, " WHERE ");
    write_expr(s, 4, out);
    sets = below(s, 3) == 0;
    buf_add_text(out, sets ? " GROUP BY ROLLUP (1, (b, k)), CUBE (("
                           : " GROUP BY 1, (");
    write_expr(s, 2, out);
    buf_add_text(out, sets ? "), b), GROUPING SETS (a, ()" : "");
    buf_add_text(out, ") HAVING count(*) > 3 ORDER BY n DESC, k LIMIT 5");
}

static bool
read_again(const struct query *q, struct buf *first, arena *a)
{
    struct query *again;
    struct buf second;
    custos_err err = CUSTOS_ERR_INIT;
    bool same;

    sql_print(q, first);
    assert_false(first->failed);
    if (sql_read(a, str_of(buf_text(first)), &again, &err))
        fail_msg("%s\n  refused at %d: %s", buf_text(first), err.at, err.said);
    buf_init(&second, NULL, TEXT_MAX);
    sql_print(again, &second);
    same = query_same(q, again) && !strcmp(buf_text(first), buf_text(&second));
    buf_clear(&second);
    return same;
}

static void
print_then_read_is_the_same_tree(void **state)
{
    uint64_t seed = 20260131;
    int taken = 0, tries = test_size(200, 4000);

    (void)state;
    for (int i = 0; i < tries; i++) {
        arena *a = arena_new(NULL, ARENA_MAX);
        struct query *q;
        custos_err err = CUSTOS_ERR_INIT;
        struct buf text, first;

        buf_init(&text, NULL, TEXT_MAX);
        buf_init(&first, NULL, TEXT_MAX);
        write_query(&seed, &text);
        if (!sql_read(a, str_of(buf_text(&text)), &q, &err)) {
            taken++;
            if (!read_again(q, &first, a))
                fail_msg("%s\n%s", buf_text(&text), buf_text(&first));
        }
        buf_clear(&text);
        buf_clear(&first);
        arena_free(a);
    }
    assert_true(taken > tries / 3);
}

/* -------------------------------------------------------------- soup -- */

static const char *const soup[] = {
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "HAVING",
    "LIMIT",
    "t",
    "a",
    "b",
    "1",
    "2.5",
    "'x'",
    "(",
    ")",
    ",",
    "*",
    "+",
    "-",
    "=",
    "<>",
    "count",
    "sum",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "LIKE",
    "IS",
    "NULL",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST",
    "AS",
    "int",
    "::",
    "[",
    "]",
    "JOIN",
    "ON",
    "UNION",
    "WITH",
    "DIFFERENTIAL_PRIVACY",
    "OPTIONS",
    "epsilon",
    "=>",
    "$1",
    "OVER",
    "FILTER",
    "DISTINCT",
    "EXPLAIN",
    ";",
    "--",
    "/*",
    "*/",
    "E'\\",
    "\"",
    "'",
    "é",
    "$$",
    "date",
    "interval",
    "extract",
    "year",
    ".",
    "INSERT",
    "VALUES",
    "ALL",
    "ANY",
    "EXISTS",
    "ROW",
    "LATERAL",
    "COLLATE",
    "LEFT JOIN",
    "CROSS JOIN",
    "USING ( a )",
    "( SELECT a FROM",
    ") AS q",
    "UNION ALL SELECT",
    "IN ( SELECT a FROM t )",
    "WITH c AS ( SELECT a FROM t )",
    "SELECT a FROM c",
};

static void
soup_is_refused_within_the_text(void **state)
{
    uint64_t seed = 42;

    (void)state;
    for (int i = 0; i < test_size(500, 10000); i++) {
        arena *a = arena_new(NULL, ARENA_MAX);
        struct query *q;
        custos_err err = CUSTOS_ERR_INIT;
        struct buf b, printed;
        size_t n = below(&seed, 40);

        buf_init(&b, NULL, TEXT_MAX);
        buf_init(&printed, NULL, TEXT_MAX);
        buf_add_text(&b, below(&seed, 2) ? "SELECT " : "");
        for (size_t k = 0; k < n; k++) {
            buf_add_text(&b, soup[below(&seed, COUNT_OF(soup))]);
            buf_add_text(&b, " ");
        }
        if (sql_read(a, (str){b.ptr ? b.ptr : "", b.len}, &q, &err)) {
            assert_true(err.code == CUSTOS_ESYNTAX ||
                        err.code == CUSTOS_EUNSUPPORTED);
            assert_true(err.at >= 0 && (size_t)err.at <= b.len);
            assert_true(err.said[0]);
        } else {
            assert_true(read_again(q, &printed, a));
        }
        buf_clear(&b);
        buf_clear(&printed);
        arena_free(a);
    }
}

/* ------------------------------------------------------------- depth -- */

struct deep {
    const char *before, *open, *middle, *close, *after;
};

static const struct deep deeps[] = {
    {"SELECT ", "(", "1", ")", ""},
    {"SELECT ", "1+", "1", "", ""},
    {"SELECT ", "-", "x", "", " FROM t"},
    {"SELECT ", "NOT ", "x", "", " FROM t"},
    {"SELECT ", "", "x", "::int", " FROM t"},
    {"SELECT ", "", "x", " IS NULL", " FROM t"},
    {"SELECT ", "abs(", "x", ")", " FROM t"},
    {"SELECT ", "CASE WHEN ", "x", " THEN 1 END", " FROM t"},
    {"SELECT ", "CASE ", "x", " WHEN 1 THEN 1 END", " FROM t"},
    {"SELECT ", "a, b + coalesce(1, ", "x", ")", " FROM t"},
    {"SELECT ", "a AND (", "x", ")", " FROM t"},
    {"SELECT ", "a AND NOT (b OR ", "x", ")", " FROM t"},
    {"SELECT ", "x IN (1, ", "2", ")", " FROM t"},
    {"SELECT ", "(1, ", "2", ")", ""},
    {"SELECT ", "(SELECT ", "1", ")", ""},
    {"SELECT ", "ARRAY[", "1", "]", ""},
    {"SELECT ", "", "x", " AT TIME ZONE 'a'", " FROM t"},
    {"SELECT ", "", "x", " COLLATE \"C\"", " FROM t"},
    {"SELECT ", "", "x", "[1]", " FROM t"},
    {"SELECT ", "", "1,1", " UNION SELECT 1,1", ""},
    {"SELECT 1 FROM ", "", "t", " JOIN t ON a AND b", ""},
    {"SELECT 1 FROM ", "(", "t", " JOIN t ON a, b)", ""},
    {"", "WITH x AS (", "SELECT 1", ") SELECT 1", ""},
    {"SELECT ", "x BETWEEN 1 AND ", "x", "", " FROM t"},
    {"SELECT ", "a || ", "x", "", " FROM t"},
    {"SELECT ", "", "x", " AND x", " FROM t"},
    {"SELECT ", "", "x", " OR x = 1", " FROM t"},
    {"SELECT x IN (1", "", "", ", 1", ") FROM t"},
    {"SELECT 1 FROM ", "(SELECT 1 FROM ", "t", ") x", ""},
    {"SELECT 1 FROM t WHERE ", "x IN (SELECT x FROM t WHERE ", "x", ")", ""},
    {"SELECT 1 FROM t", "", "", ", t", ""},
    {"SELECT 1 FROM (SELECT 1", "", "", " UNION ALL SELECT 1", ") x"},
    {"WITH x AS (SELECT 1)", "", "",
     ", x AS (SELECT 1 FROM x WHERE x IN (SELECT 1 FROM x))", " SELECT 1"},
    {"", "WITH x AS (SELECT 1 FROM x) SELECT 1 FROM (", "SELECT 1 FROM x",
     ") x", ""},
};

/*
 * Repeats a piece up to the limit of the text; whether it is accepted or
 * rejected, the reader must not crash.
 */
static void *
read_deep(void *ctx)
{
    const struct deep *d = ctx;

    for (int n = 1; n < 16000; n += n < 60 ? 13 : n < 210 ? 3 : n) {
        arena *a = arena_new(NULL, ARENA_MAX);
        struct query *q;
        custos_err err = CUSTOS_ERR_INIT;
        struct buf b;

        buf_init(&b, NULL, TEXT_MAX);
        buf_add_text(&b, d->before);
        for (int i = 0; i < n; i++)
            buf_add_text(&b, d->open);
        buf_add_text(&b, d->middle);
        for (int i = 0; i < n; i++)
            buf_add_text(&b, d->close);
        buf_add_text(&b, d->after);
        if (a && !sql_read(a, str_of(buf_text(&b)), &q, &err)) {
            struct buf out;

            buf_init(&out, NULL, TEXT_MAX);
            sql_print(q, &out);
            buf_clear(&out);
        }
        buf_clear(&b);
        arena_free(a);
    }
    return NULL;
}

static void
a_small_stack_is_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(deeps); i++) {
        struct deep d = deeps[i];
        pthread_attr_t attr;
        pthread_t thread;

        assert_int_equal(pthread_attr_init(&attr), 0);
        assert_int_equal(pthread_attr_setstacksize(&attr, 1 << 20), 0);
        assert_int_equal(pthread_create(&thread, &attr, read_deep, &d), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pthread_attr_destroy(&attr);
    }
}

/* What people write is far from the limit: long lists are not deep. */
static void
long_lists_are_not_deep(void **state)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct query *q;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    (void)state;
    buf_init(&b, NULL, TEXT_MAX);
    buf_add_text(&b, "SELECT CASE ");
    for (int i = 0; i < 300; i++)
        buf_printf(&b, "WHEN a = %d AND b BETWEEN 1 AND 2 THEN 'x' ", i);
    buf_add_text(&b, "END FROM t WHERE a IN (0");
    for (int i = 0; i < 1000; i++)
        buf_printf(&b, ", %d", i);
    buf_add_text(&b, ") AND (a = 0");
    for (int i = 0; i < 500; i++)
        buf_printf(&b, " OR NOT a = %d", i);
    buf_add_text(&b, ")");
    assert_int_equal(sql_read(a, str_of(buf_text(&b)), &q, &err), CUSTOS_OK);
    buf_clear(&b);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(print_then_read_is_the_same_tree),
        cmocka_unit_test(soup_is_refused_within_the_text),
        cmocka_unit_test(a_small_stack_is_enough),
        cmocka_unit_test(long_lists_are_not_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
