/*
 * The evaluator: three-valued logic, numbers with intervals, texts, dates.
 */
#include "evaluate/evaluate.h"

#include <math.h>

#include "support/support.h"

static arena *a;

static int
begin(void **state)
{
    (void)state;
    a = arena_new(NULL, 1 << 24);
    return a ? 0 : -1;
}

static int
end(void **state)
{
    (void)state;
    arena_free(a);
    return 0;
}

/* ---- trees by hand */

static struct expr *
node(enum expr_kind kind, enum data_type type)
{
    struct expr *e = arena_take(a, 1, sizeof *e);

    assert_non_null(e);
    e->kind = kind;
    e->type = type;
    return e;
}

static struct expr *
literal(enum data_type type, const char *text)
{
    struct expr *e = node(EXPR_LITERAL, type);

    if (text)
        assert_true(datum_read(type, str_of(text), &e->value));
    return e;
}

static struct expr *
call(enum call c, enum data_type type, struct expr *x, struct expr *y,
     struct expr *z)
{
    struct expr *e = node(EXPR_CALL, type);

    e->call = c;
    e->args = arena_take(a, 3, sizeof(struct expr *));
    assert_non_null(e->args);
    e->args[0] = x;
    e->args[1] = y;
    e->args[2] = z;
    e->n_args = 1u + (y != NULL) + (z != NULL);
    return e;
}

/* Aggregate leaves: slot i is 10 (i + 1), within +- i + 1. */
static bool
leaf(void *ctx, const struct expr *e, struct value *out)
{
    int i = e->slot;

    (void)ctx;
    *out = (struct value){
        .datum = {.type = TYPE_INT, .n = 10 * (i + 1)},
        .certainty = BARRED,
        .low = 10 * (i + 1) - (i + 1),
        .high = 10 * (i + 1) + (i + 1),
    };
    return true;
}

static struct expr *
aggregate(int slot)
{
    struct expr *e = node(EXPR_AGGREGATE, TYPE_INT);

    e->slot = slot;
    return e;
}

static struct value
value_of(const struct expr *e)
{
    struct scope s = {.a = a, .leaf = leaf};
    struct value v;

    assert_true(evaluate_knows(e));
    assert_true(evaluate(&s, e, &v));
    return v;
}

static void
is(const struct expr *e, const char *text)
{
    struct value v = value_of(e);
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    datum_write(&v.datum, &b);
    assert_string_equal(buf_text(&b), text);
    buf_clear(&b);
}

/* ---- tests */

static struct expr *
truth(int t)
{
    return literal(TYPE_BOOL, t == 2 ? NULL : t ? "true" : "false");
}

static void
logic_has_three_values(void **state)
{
    static const char *const and_is[3][3] = {{"false", "false", "false"},
                                             {"false", "true", "NULL"},
                                             {"false", "NULL", "NULL"}};
    static const char *const or_is[3][3] = {{"false", "true", "NULL"},
                                            {"true", "true", "true"},
                                            {"NULL", "true", "NULL"}};
    static const char *const not_is[3] = {"true", "false", "NULL"};
    static const char *const is_true[3] = {"false", "true", "false"};
    static const char *const is_not_true[3] = {"true", "false", "true"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            is(call(CALL_AND, TYPE_BOOL, truth(i), truth(j), NULL),
               and_is[i][j]);
            is(call(CALL_OR, TYPE_BOOL, truth(i), truth(j), NULL), or_is[i][j]);
            is(call(CALL_IS_DISTINCT, TYPE_BOOL, truth(i), truth(j), NULL),
               i == j ? "false" : "true");
        }
        is(call(CALL_NOT, TYPE_BOOL, truth(i), NULL, NULL), not_is[i]);
        is(call(CALL_IS_TRUE, TYPE_BOOL, truth(i), NULL, NULL), is_true[i]);
        is(call(CALL_IS_NOT_TRUE, TYPE_BOOL, truth(i), NULL, NULL),
           is_not_true[i]);
        is(call(CALL_IS_NULL, TYPE_BOOL, truth(i), NULL, NULL),
           i == 2 ? "true" : "false");
    }
}

static struct expr *
whole(const char *text)
{
    return literal(TYPE_INT, text);
}

static struct expr *
real(const char *text)
{
    return literal(TYPE_REAL, text);
}

static void
numbers_are_reckoned(void **state)
{
    (void)state;
    is(call(CALL_ADD, TYPE_INT, whole("2"), whole("3"), NULL), "5");
    is(call(CALL_DIV, TYPE_INT, whole("-7"), whole("2"), NULL), "-3");
    is(call(CALL_MOD, TYPE_INT, whole("-7"), whole("2"), NULL), "-1");
    is(call(CALL_DIV, TYPE_INT, whole("1"), whole("0"), NULL), "NULL");
    is(call(CALL_MOD, TYPE_INT, whole("1"), whole("0"), NULL), "NULL");
    is(call(CALL_DIV, TYPE_REAL, real("1"), real("0"), NULL), "NULL");
    is(call(CALL_DIV, TYPE_REAL, whole("1"), real("4"), NULL), "0.25");
    is(call(CALL_ADD, TYPE_INT, whole(NULL), whole("1"), NULL), "NULL");
    is(call(CALL_MUL, TYPE_INT, whole("99999999999999999999"),
            whole("99999999999999999999"), NULL),
       "NULL");
    is(call(CALL_ROUND, TYPE_REAL, real("2.345"), whole("2"), NULL), "2.35");
    is(call(CALL_ROUND, TYPE_REAL, real("-2.5"), NULL, NULL), "-3");
    is(call(CALL_FLOOR, TYPE_REAL, real("-2.5"), NULL, NULL), "-3");
    is(call(CALL_CEIL, TYPE_REAL, real("-2.5"), NULL, NULL), "-2");
    is(call(CALL_ABS, TYPE_REAL, real("-2.5"), NULL, NULL), "2.5");
    is(call(CALL_SIGN, TYPE_INT, whole("-9"), NULL, NULL), "-1");
    is(call(CALL_SQRT, TYPE_REAL, real("2.25"), NULL, NULL), "1.5");
    is(call(CALL_SQRT, TYPE_REAL, real("-1"), NULL, NULL), "NULL");
    is(call(CALL_LN, TYPE_REAL, whole("1"), NULL, NULL), "0");
    is(call(CALL_LN, TYPE_REAL, whole("0"), NULL, NULL), "NULL");
    is(call(CALL_EXP, TYPE_REAL, whole("800"), NULL, NULL), "NULL");
    is(call(CALL_POWER, TYPE_REAL, whole("-2"), whole("3"), NULL), "-8");
    is(call(CALL_POWER, TYPE_REAL, whole("-2"), real("0.5"), NULL), "NULL");
    is(call(CALL_LEAST, TYPE_REAL, real("2"), whole(NULL), whole("-1")), "-1");
    is(call(CALL_GREATEST, TYPE_REAL, real("2"), whole(NULL), whole("-1")),
       "2");
    is(call(CALL_COALESCE, TYPE_INT, whole(NULL), whole("4"), NULL), "4");
    is(call(CALL_NULLIF, TYPE_INT, whole("4"), whole("4"), NULL), "NULL");
    is(call(CALL_BETWEEN, TYPE_BOOL, whole("4"), whole("1"), whole("4")),
       "true");
    is(call(CALL_NOT_BETWEEN, TYPE_BOOL, whole("4"), whole("5"), whole(NULL)),
       "true");
}

static void
bar_is(const struct expr *e, double low, double high)
{
    struct value v = value_of(e);

    assert_int_equal(v.certainty, BARRED);
    assert_true(fabs(v.low - low) < 1e-9 && fabs(v.high - high) < 1e-9);
}

static void
intervals_go_through(void **state)
{
    struct expr *x = aggregate(0), *y = aggregate(1); /* 10 +- 1, 20 +- 2 */

    (void)state;
    bar_is(x, 9, 11);
    bar_is(call(CALL_ADD, TYPE_INT, x, y, NULL), 27, 33);
    bar_is(call(CALL_SUB, TYPE_INT, x, y, NULL), -13, -7);
    bar_is(call(CALL_MUL, TYPE_INT, x, whole("-2"), NULL), -22, -18);
    bar_is(call(CALL_DIV, TYPE_REAL, y, x, NULL), 18. / 11, 22. / 9);
    bar_is(call(CALL_NEG, TYPE_INT, x, NULL, NULL), -11, -9);
    bar_is(call(CALL_ABS, TYPE_INT,
                call(CALL_SUB, TYPE_INT, x, whole("10"), NULL), NULL, NULL),
           0, 1);
    bar_is(call(CALL_GREATEST, TYPE_INT, x, whole("10"), NULL), 10, 11);
    bar_is(call(CALL_SQRT, TYPE_REAL, x, NULL, NULL), 3, sqrt(11));
    bar_is(call(CALL_LN, TYPE_REAL, x, NULL, NULL), log(9), log(11));
    bar_is(call(CALL_EXP, TYPE_REAL, x, NULL, NULL), exp(9), exp(11));
    bar_is(call(CALL_POWER, TYPE_REAL, x, whole("-1"), NULL), 1. / 11, 1. / 9);
    bar_is(call(CALL_POWER, TYPE_REAL, whole("2"), x, NULL), 512, 2048);
    bar_is(call(CALL_POWER, TYPE_REAL,
                call(CALL_SUB, TYPE_INT, x, whole("10"), NULL), whole("2"),
                NULL),
           0, 1);
    bar_is(call(CALL_LEAST, TYPE_INT, x, y, NULL), 9, 11);
}

/* A value without an interval says so; it must not look exact. */
static void
lost_intervals_are_told(void **state)
{
    struct expr *x = aggregate(0);
    struct expr *zero = call(CALL_SUB, TYPE_INT, x, whole("10"), NULL);
    struct expr *when = call(CALL_GT, TYPE_BOOL, x, whole("5"), NULL);
    struct expr *chosen = node(EXPR_CASE, TYPE_INT);
    struct expr *near = call(CALL_SUB, TYPE_INT, x, whole("9"), NULL);

    (void)state;
    chosen->args = arena_take(a, 3, sizeof(struct expr *));
    chosen->n_args = 3;
    chosen->args[0] = when;
    chosen->args[1] = whole("1");
    chosen->args[2] = whole("0");
    is(chosen, "1");
    assert_int_equal(value_of(chosen).certainty, UNCERTAIN);
    assert_int_equal(value_of(when).certainty, UNCERTAIN);
    is(call(CALL_DIV, TYPE_REAL, x, zero, NULL), "NULL");
    assert_int_equal(
        value_of(call(CALL_DIV, TYPE_REAL, x, near, NULL)).certainty,
        UNCERTAIN); /* 10 +- 1 minus 9 may be 0 */
    assert_int_equal(
        value_of(call(CALL_ADD, TYPE_INT, chosen, x, NULL)).certainty,
        UNCERTAIN);
    assert_int_equal(
        value_of(call(CALL_LN, TYPE_REAL,
                      call(CALL_SUB, TYPE_REAL, x, real("9.5"), NULL), NULL,
                      NULL))
            .certainty,
        UNCERTAIN); /* 0.5 +- 1 may be 0 */
    assert_int_equal(value_of(whole("1")).certainty, CERTAIN);
}

static struct expr *
text(const char *s)
{
    return literal(TYPE_TEXT, s);
}

static void
texts_are_made(void **state)
{
    (void)state;
    is(call(CALL_UPPER, TYPE_TEXT, text("aé ß"), NULL, NULL), "AÉ ß");
    is(call(CALL_LOWER, TYPE_TEXT, text("ÅB"), NULL, NULL), "åb");
    is(call(CALL_LENGTH, TYPE_INT, text("né"), NULL, NULL), "2");
    is(call(CALL_TRIM, TYPE_TEXT, text("  a b "), NULL, NULL), "a b");
    is(call(CALL_SUBSTRING, TYPE_TEXT, text("añb"), whole("2"), whole("1")),
       "ñ");
    is(call(CALL_SUBSTRING, TYPE_TEXT, text("abc"), whole("-1"), whole("3")),
       "a");
    is(call(CALL_SUBSTRING, TYPE_TEXT, text("abc"), whole("2"), NULL), "bc");
    is(call(CALL_SUBSTRING, TYPE_TEXT, text("abc"), whole("7"), NULL), "");
    is(call(CALL_CONCAT, TYPE_TEXT, text("a"), text("b"), NULL), "ab");
    is(call(CALL_CONCAT, TYPE_TEXT, text("a"), text(NULL), NULL), "NULL");
}

static void
dates_are_taken_apart(void **state)
{
    struct expr *d = literal(TYPE_DATE, "2024-12-30"); /* a Monday */
    struct expr *t = literal(TYPE_TIMESTAMP, "1969-12-31 23:59:58.5");

    (void)state;
    is(call(CALL_YEAR, TYPE_INT, d, NULL, NULL), "2024");
    is(call(CALL_QUARTER, TYPE_INT, d, NULL, NULL), "4");
    is(call(CALL_WEEK, TYPE_INT, d, NULL, NULL), "1");
    is(call(CALL_DOW, TYPE_INT, d, NULL, NULL), "1");
    is(call(CALL_DOY, TYPE_INT, d, NULL, NULL), "365");
    is(call(CALL_TRUNC_QUARTER, TYPE_DATE, d, NULL, NULL), "2024-10-01");
    is(call(CALL_TRUNC_WEEK, TYPE_DATE, d, NULL, NULL), "2024-12-30");
    is(call(CALL_HOUR, TYPE_INT, t, NULL, NULL), "23");
    is(call(CALL_SECOND, TYPE_INT, t, NULL, NULL), "58");
    is(call(CALL_TRUNC_HOUR, TYPE_TIMESTAMP, t, NULL, NULL),
       "1969-12-31 23:00:00");
    is(call(CALL_TRUNC_MONTH, TYPE_TIMESTAMP, t, NULL, NULL),
       "1969-12-01 00:00:00");
    is(call(CALL_SUB, TYPE_INT, d, literal(TYPE_DATE, "2024-12-01"), NULL),
       "29");
    is(call(CALL_ADD, TYPE_DATE, d, whole("3000000"), NULL), "NULL");
    is(call(CALL_SUB, TYPE_DATE, d, whole("3000000"), NULL), "NULL");
    is(call(CALL_ADD, TYPE_DATE, d, whole("3"), NULL), "2025-01-02");
}

static struct expr *
cast(struct expr *what, enum data_type to, int scale)
{
    struct expr *e = node(EXPR_CAST, to);

    e->args = arena_take(a, 1, sizeof(struct expr *));
    e->args[0] = what;
    e->n_args = 1;
    e->cast_to = to;
    e->cast_precision = 4;
    e->cast_scale = scale;
    return e;
}

static void
casts_give_null_where_impossible(void **state)
{
    (void)state;
    is(cast(text("12"), TYPE_INT, 0), "12");
    is(cast(text("12x"), TYPE_INT, 0), "NULL");
    is(cast(real("2.5"), TYPE_INT, 0), "3");
    is(cast(real("2.345"), TYPE_DECIMAL, 1), "2.3");
    is(cast(real("-2.35"), TYPE_DECIMAL, 1), "-2.4");
    is(cast(real("999.94"), TYPE_DECIMAL, 1), "999.9");
    is(cast(real("999.95"), TYPE_DECIMAL, 1), "NULL"); /* five digits */
    is(cast(text("10000"), TYPE_DECIMAL, 0), "NULL");
    is(cast(text("2.05"), TYPE_DECIMAL, 1), "2.1");
    is(cast(literal(TYPE_BOOL, "true"), TYPE_INT, 0), "1");
    is(cast(whole("7"), TYPE_BOOL, 0), "true");
    is(cast(whole("3"), TYPE_TEXT, 0), "3");
    is(cast(literal(TYPE_DATE, "2024-01-02"), TYPE_TIMESTAMP, 0),
       "2024-01-02 00:00:00");
    is(cast(literal(TYPE_TIMESTAMP, "1969-12-31 23:00"), TYPE_DATE, 0),
       "1969-12-31");
    is(cast(text("2024-02-30"), TYPE_DATE, 0), "NULL");
    bar_is(cast(aggregate(0), TYPE_REAL, 0), 9, 11);
}

static void
membership_has_three_values(void **state)
{
    struct expr *e = node(EXPR_IN, TYPE_BOOL);

    (void)state;
    e->args = arena_take(a, 3, sizeof(struct expr *));
    e->n_args = 3;
    e->args[0] = whole("1");
    e->args[1] = whole("2");
    e->args[2] = whole("1");
    is(e, "true");
    e->negated = true;
    is(e, "false");
    e->args[2] = whole(NULL);
    is(e, "NULL");
    e->negated = false;
    is(e, "NULL");
    e->args[1] = whole("1");
    is(e, "true");
}

static void
doubles_become_decimals(void **state)
{
    struct datum d = datum_of_double(0.1);

    (void)state;
    assert_true(d.type == TYPE_REAL && d.n == 1 && d.scale == 1);
    assert_int_equal(datum_of_double(NAN).type, TYPE_NULL);
    assert_int_equal(datum_of_double(INFINITY).type, TYPE_NULL);
    assert_int_equal(datum_of_double(1e300).type, TYPE_NULL);
    d = datum_of_double(1e-300);
    assert_true(d.type == TYPE_REAL && d.n == 0);
    d = datum_of_double(-1234.5);
    assert_true(datum_double(&d) == -1234.5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logic_has_three_values),
        cmocka_unit_test(numbers_are_reckoned),
        cmocka_unit_test(intervals_go_through),
        cmocka_unit_test(lost_intervals_are_told),
        cmocka_unit_test(texts_are_made),
        cmocka_unit_test(dates_are_taken_apart),
        cmocka_unit_test(casts_give_null_where_impossible),
        cmocka_unit_test(membership_has_three_values),
        cmocka_unit_test(doubles_become_decimals),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
