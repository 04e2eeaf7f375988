/*
 * Constraints as structural zeros: the cells are those that trying all values finds,
 * rows of all other cells get values that satisfy them, and a constraint that cannot be
 * used is refused with its reason.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "random/rng.h"
#include "release/schema.h"
#include "release/tries.h"
#include "release/zeros.h"
#include "support/said.h"
#include "support/support.h"
#include "synopsis/value.h"

#define HEAD                                                                   \
    "custos: 2\nbudget: {epsilon: 1, delta: 1e-9, n: 1000}\n"                  \
    "tables:\n  t:\n    source: t.csv\n    unit: id\n    columns:\n"           \
    "      id: {type: integer}\n"                                              \
    "      age: {type: integer, range: [0, 120], nullable: false}\n"           \
    "      married: {type: text, values: ['no', 'yes']}\n"                     \
    "      low: {type: integer, range: [0, 999], nullable: false}\n"           \
    "      high: {type: integer, range: [100, 1099], nullable: false}\n"       \
    "      rate: {type: decimal, scale: 2, range: [0, 20000], nullable: "      \
    "false}\n"                                                                 \
    "      heat: {type: real, range: [34, 42], nullable: false}\n"             \
    "      day: {type: date, range: [2024-01-01, 2025-12-31], nullable: "      \
    "false}\n"                                                                 \
    "      left_on: {type: date, range: [2024-01-01, 2025-12-31]}\n"           \
    "      long_text: {type: text}\n"                                          \
    "      size: {type: integer, values: [1, 2, 150], nullable: false}\n"

static arena *a;

static int
begin(void **state)
{
    (void)state;
    a = arena_new(NULL, (size_t)1 << 30);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    arena_free(a);
    return 0;
}

static const struct policy *
policy_with(const char *constraints, const char *more)
{
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    char text[4096];

    snprintf(text, sizeof text, HEAD "    constraints: [%s]\n%s", constraints,
             more);
    if (policy_read(a, str_of(text), "policy.yaml", &p, &err))
        fail_msg("%s", err.said);
    return p;
}

/* The table as a relation, of these columns alone. */
static void
relation_of(const struct policy_table *t, const char *columns,
            struct relation *out)
{
    *out = (struct relation){.kind = RELATION_TABLE, .as = t};
    out->columns = arena_take(a, t->n_columns, sizeof *out->columns);
    out->names = arena_take(a, t->n_columns, sizeof *out->names);
    for (size_t i = 0; i < t->n_columns; i++) {
        char name[64];

        snprintf(name, sizeof name, " %.*s ", (int)t->columns[i].name.len,
                 t->columns[i].name.ptr);
        if (strstr(columns, name))
            out->names[out->n_names++] =
                (struct relation_name){.name = t->columns[i].name, .slot = i};
    }
}

struct found {
    struct relation from;
    struct schema *schema;
    size_t *field;
    struct zeros_list zeros;
};

static custos_status
find(const struct policy *p, const char *columns, struct found *out,
     custos_err *err)
{
    relation_of(&p->tables[0], columns, &out->from);
    assert_int_equal(
        schema_make(a, &out->from, NULL, &out->schema, &out->field, err),
        CUSTOS_OK);
    return zeros_make(a, p, &out->from, out->schema, out->field, &out->zeros,
                      err);
}

/* ------------------------------------------------------------- all values -- */

enum truth { FALSE_, TRUE_, NULL_ };

/* The steps of the first two columns of a case; -1: NULL. */
typedef enum truth (*law)(int64_t x, int64_t y);

/* yes: 1, no: 0 */
static enum truth
young_are_single(int64_t age, int64_t married)
{
    return age >= 15 ? TRUE_ : married < 0 ? NULL_ : married == 0;
}

static enum truth
low_is_below(int64_t low, int64_t high)
{
    return low < high;
}

/* Equal only where both are 137 or 138: within a run of each, and at no end. */
static enum truth
meet_in_a_run(int64_t low, int64_t high)
{
    return low == high && low > 136 && high < 139;
}

/* 138 and 137 alone. */
static enum truth
cross_in_a_run(int64_t low, int64_t high)
{
    return low > high && high > 136 && low < 139;
}

static enum truth
far_apart(int64_t low, int64_t high)
{
    return low + 700 < high;
}

static enum truth
two_gaps(int64_t rate, int64_t size)
{
    (void)size;
    return (rate >= 1000 && rate < 1001) || rate > 1999999;
}

static enum truth
leaves_later(int64_t day, int64_t left_on)
{
    return left_on < 0 ? NULL_ : left_on >= day;
}

static enum truth
even_days(int64_t day, int64_t left_on)
{
    return left_on < 0 ? NULL_ : (day + left_on) % 97 == 0;
}

static enum truth
is_a_size(int64_t low, int64_t size)
{
    static const int64_t sizes[] = {1, 2, 150};

    return low == sizes[size];
}

/* Which code the value has: its number, in a column with values. */
static uint32_t
code_of_step(const struct schema_column *c, int64_t step)
{
    uint32_t k = 0;

    if (c->coding == SCHEMA_VALUES)
        return step < 0 ? c->n : (uint32_t)step;
    if (step < c->cuts[0])
        return c->n;
    while (step >= c->cuts[k + 1])
        k++;
    return k;
}

static void
range_of(const struct schema_column *c, int64_t *first, int64_t *last)
{
    *first = c->coding == SCHEMA_VALUES ? 0 : (int64_t)c->cuts[0];
    *last = c->coding == SCHEMA_VALUES ? (int64_t)c->n - 1
                                       : (int64_t)c->cuts[c->n] - 1;
}

/* Dates are days of the range here, so that -1 is NULL. */
static enum truth
ask(law rule, const struct schema_column *c, const struct schema_column *d,
    int64_t x, int64_t y)
{
    const int64_t zero_x = c->type == TYPE_DATE ? (int64_t)c->cuts[0] : 0;
    const int64_t zero_y = d->type == TYPE_DATE ? (int64_t)d->cuts[0] : 0;

    return rule(x - zero_x, y == INT64_MIN ? -1 : y - zero_y);
}

static const struct {
    const char *sql, *columns;
    law rule;
} cases[] = {
    {"\"age >= 15 or married = 'no'\"", " age married ", young_are_single},
    {"\"NOT (age < 15 AND married <> 'no') -- as law has it\"", " age married ",
     young_are_single},
    {"low < high", " low high ", low_is_below},
    {"low = high AND low > 136 AND high < 139", " low high ", meet_in_a_run},
    {"low > high AND high > 136 AND low < 139", " low high ", cross_in_a_run},
    {"low + 700 < high", " low high ", far_apart},
    {"\"rate >= 10 AND rate < 10.01 OR rate > 19999.99\"", " rate size ",
     two_gaps},
    {"left_on >= day", " day left_on ", leaves_later},
    {"\"(left_on - DATE '2024-01-01' + (day - DATE '2024-01-01')) % 97 = "
     "0\"",
     " day left_on ", even_days},
    {"low = size", " low size ", is_a_size},
};

static void
zeros_are_those_of_all_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct policy *p = policy_with(cases[i].sql, "");
        custos_err err = CUSTOS_ERR_INIT;
        const struct schema_column *c, *d;
        int64_t first[2], last[2];
        struct found f;
        uint8_t *possible;
        size_t n = 0;

        if (find(p, cases[i].columns, &f, &err))
            fail_msg("case %zu: %s", i, err.said);
        c = &f.schema->columns[0];
        d = &f.schema->columns[1];
        possible = arena_take(a, (size_t)schema_codes(c) * schema_codes(d),
                              sizeof *possible);
        range_of(c, &first[0], &last[0]);
        range_of(d, &first[1], &last[1]);
        for (int64_t x = first[0]; x <= last[0]; x++)
            for (int64_t y = first[1] - d->nullable; y <= last[1]; y++) {
                const int64_t of = y < first[1] ? INT64_MIN : y;

                if (ask(cases[i].rule, c, d, x, of))
                    possible[code_of_step(c, x) * schema_codes(d) +
                             code_of_step(d, of == INT64_MIN ? -1 : of)] = 1;
            }
        assert_int_equal(f.zeros.n, 1);
        for (size_t k = 0; k < (size_t)schema_codes(c) * schema_codes(d); k++) {
            size_t cell =
                colset_count(f.zeros.of[0].set) == 2 ? k : k / schema_codes(d);

            if (f.zeros.of[0].zero[cell] != !possible[k])
                fail_msg("case %zu: cell %zu", i, k);
            n += !possible[k];
        }
        assert_true(n > 0);
        if (colset_count(f.zeros.of[0].set) == 2)
            assert_int_equal(f.zeros.cells, n);
    }
}

/* A real has too many steps to be tried; its runs are still judged exactly. */
static void
reals_are_judged_by_runs(void **state)
{
    const struct policy *p =
        policy_with("\"heat < 37.5 AND heat <> 34 OR heat = 41\"", "");
    custos_err err = CUSTOS_ERR_INIT;
    const struct schema_column *c;
    struct found f;

    (void)state;
    assert_int_equal(find(p, " heat ", &f, &err), CUSTOS_OK);
    c = &f.schema->columns[0];
    for (uint32_t k = 0; k < c->n; k++) {
        const double low =
            (double)c->cuts[k] / (double)(c->cuts[c->n] - 1) * 42;
        const double high =
            (double)(c->cuts[k + 1] - 1) / (double)(c->cuts[c->n] - 1) * 42;

        assert_int_equal(f.zeros.of[0].zero[k],
                         !(low < 37.5 || (low <= 41 && high >= 41)));
    }
}

/* A column that the release leaves out has some value. */
static void
columns_left_out_have_some_value(void **state)
{
    const struct policy *p = policy_with(
        "\"age >= 15 or married = 'no'\", \"low < 100 AND married = 'no'\"",
        "");
    custos_err err = CUSTOS_ERR_INIT;
    struct found f;

    (void)state;
    assert_int_equal(find(p, " age low ", &f, &err), CUSTOS_OK);
    assert_int_equal(f.zeros.n, 1); /* age: none is impossible */
    assert_true(colset_same(f.zeros.of[0].set, colset_of(1)));
    assert_int_equal(f.zeros.of[0].zero[0], 0);
    assert_int_equal(f.zeros.of[0].zero[f.schema->columns[1].n - 1], 1);
    assert_int_equal(find(p, " size ", &f, &err), CUSTOS_OK);
    assert_int_equal(f.zeros.n, 0);
}

/* -------------------------------------------------------------------- rows -- */

/* Settles a row with these codes; false: no values were found. */
static bool
settle(const struct found *f, custos_rng *rng, uint16_t *codes,
       struct datum *values)
{
    struct rules rules = {.schema = f->schema,
                          .of = f->zeros.rules,
                          .n = f->zeros.n_rules,
                          .scratch = arena_new(NULL, 1 << 20)};
    const struct synthetic_rows rows = {.n = 1, .codes = codes};
    bool holds = false;
    uint64_t words[2];

    assert_int_equal(rng_words(rng, words, f->schema->n), CUSTOS_OK);
    for (size_t i = 0; i < f->schema->n; i++)
        values[i] = code_drawn(&f->schema->columns[i], codes[i], words[i]);
    assert_int_equal(rules_settle(&rules, &rows, 0, values, rng, &holds, NULL),
                     CUSTOS_OK);
    arena_free(rules.scratch);
    for (size_t i = 0; holds && i < f->schema->n; i++) {
        const struct schema_column *c = &f->schema->columns[i];
        const struct datum first = code_value(c, codes[i], CODE_FIRST);
        const struct datum last = code_value(c, codes[i], CODE_LAST);

        assert_true(datum_cmp(&first, &values[i]) <= 0);
        assert_true(datum_cmp(&values[i], &last) <= 0);
    }
    return holds;
}

/* The step of a value, as the rules of the cases take it. */
static int64_t
step_of(const struct schema_column *c, const struct datum *d)
{
    uint32_t k = 0;

    if (d->type == TYPE_NULL)
        return INT64_MIN;
    if (c->coding == SCHEMA_CUTS)
        return (int64_t)d->n;
    while (datum_cmp(&c->values[k], d) != 0)
        k++;
    return k;
}

/* Of every cell that the model can have, rows satisfy the constraint, with values of
   the cell. */
static void
rows_satisfy_a_constraint(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct policy *p = policy_with(cases[i].sql, "");
        custos_rng *rng = test_rng_seeded(i);
        const struct schema_column *c;
        struct found f;
        size_t n = 0;

        assert_int_equal(find(p, cases[i].columns, &f, NULL), CUSTOS_OK);
        c = f.schema->columns;
        for (uint32_t x = 0; x < schema_codes(&c[0]); x++)
            for (uint32_t y = 0; y < schema_codes(&c[1]); y++) {
                uint16_t codes[] = {(uint16_t)x, (uint16_t)y};
                const size_t cell = colset_count(f.zeros.of[0].set) == 2
                                        ? x * schema_codes(&c[1]) + y
                                        : x;
                struct datum v[2];

                if (f.zeros.of[0].zero[cell])
                    continue;
                assert_true(settle(&f, rng, codes, v));
                if (!ask(cases[i].rule, &c[0], &c[1], step_of(&c[0], &v[0]),
                         step_of(&c[1], &v[1])))
                    fail_msg("case %zu: codes %u and %u", i, x, y);
                n++;
            }
        assert_true(n > 0);
        test_rng_free(rng);
    }
}

/* One value in a run of 312 and two equal ones are found, and several constraints
   hold together; if that is impossible within the codes, it is said. */
static void
rows_satisfy_all_constraints(void **state)
{
    static const struct {
        const char *sql, *columns;
        uint16_t codes[2];
        int least; /* of 20 rows; 0: none has such values */
    } rows[] = {
        {"low = high, low <> 145", " low high ", {9, 2}, 20},
        {"low = high, low > 148, low < 150", " low high ", {9, 3}, 5},
        {"low = high, low > 140, high < 141", " low high ", {9, 2}, 0},
        {"low <> 145 OR high = 133, low = 145", " low high ", {9, 2}, 15},
        {"rate = 10", " low rate ", {0, 0}, 20},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct policy *p = policy_with(rows[i].sql, "");
        custos_rng *rng = test_rng_seeded(i);
        struct found f;
        int found = 0;

        assert_int_equal(find(p, rows[i].columns, &f, NULL), CUSTOS_OK);
        for (int k = 0; k < 20; k++) {
            uint16_t codes[] = {rows[i].codes[0], rows[i].codes[1]};
            struct datum v[2];

            if (!settle(&f, rng, codes, v))
                continue;
            found++;
            assert_true(i > 1 || v[0].n == v[1].n);
            assert_false(i == 0 && v[0].n == 145);
            assert_false(i == 1 && v[0].n != 149);
            assert_false(i == 3 && (v[0].n != 145 || v[1].n != 133));
            assert_false(i == 4 && v[1].n != 1000);
        }
        if (found < rows[i].least || (rows[i].least == 0 && found > 0))
            fail_msg("case %zu: %d", i, found);
        test_rng_free(rng);
    }
}

/* Where the other column is left out, values are those for which it could have one. */
static void
rows_satisfy_with_some_value_of_others(void **state)
{
    const struct policy *p = policy_with("low > high", "");
    custos_rng *rng = test_rng_seeded(1);
    uint16_t codes[] = {56};
    struct found f;
    size_t least = 0;

    (void)state;
    assert_int_equal(find(p, " high ", &f, NULL), CUSTOS_OK);
    assert_int_equal(f.zeros.n_rules, 1);
    for (int i = 0; i < 200; i++) { /* of 996 .. 1011; low is at most 999 */
        struct datum v;

        assert_true(settle(&f, rng, codes, &v));
        assert_true(v.n < 999);
        least += v.n == 996;
    }
    assert_true(least > 20 && least < 180);
    test_rng_free(rng);
}

/* Without entropy there is no row. */
static void
rows_need_entropy(void **state)
{
    const struct policy *p = policy_with("low < high", "");
    custos_rng *rng = test_rng_failing(1, 0);
    uint16_t codes[] = {9, 2};
    const struct synthetic_rows rows = {.n = 1, .codes = codes};
    custos_err err = CUSTOS_ERR_INIT;
    struct datum v[2];
    struct rules rules;
    struct found f;
    bool holds;

    (void)state;
    assert_int_equal(find(p, " low high ", &f, NULL), CUSTOS_OK);
    rules = (struct rules){.schema = f.schema,
                           .of = f.zeros.rules,
                           .n = f.zeros.n_rules,
                           .scratch = a};
    v[0] = code_drawn(&f.schema->columns[0], codes[0], UINT64_MAX);
    v[1] = code_drawn(&f.schema->columns[1], codes[1], 0);
    assert_int_equal(rules_settle(&rules, &rows, 0, v, rng, &holds, &err),
                     CUSTOS_EENTROPY);
    test_rng_free(rng);
}

/* ---------------------------------------------------------------- refusals -- */

static void
constraints_are_checked(void **state)
{
    static const struct {
        const char *sql, *said;
    } refused[] = {
        {"agee > 3", "policy.yaml, line 19: constraint of table 't': there is "
                     "no column agee in t; did you mean age?"},
        {"age >", NULL},
        {"age", "policy.yaml, line 19: constraint of table 't': a constraint "
                "takes a condition, but age is of type integer"},
        {"age > 'x'", "policy.yaml, line 19: constraint of table 't': 'x' is "
                      "not a valid integer"},
        {"\"age > 3) GROUP BY (age\"",
         "policy.yaml, line 19: constraint of table 't': a constraint is one "
         "condition and nothing else"},
        {"\"true) UNION ALL SELECT 1 FROM t WHERE (true\"",
         "policy.yaml, line 19: constraint of table 't': a constraint is one "
         "condition and nothing else"},
        {"count(*) > 3",
         "policy.yaml, line 19: constraint of table 't': count is not allowed "
         "in WHERE"},
        {"DP_INTERVAL_LOW(age) > 3", NULL},
        {"GROUPING(age) = 0", NULL},
        {"age IN (SELECT low FROM t)",
         "policy.yaml, line 19: constraint of table 't': a constraint is about "
         "one row: it has no aggregates and no subqueries"},
        {"1 = 1",
         "policy.yaml, line 19: constraint of table 't': it names no column"},
        {"id > 3", "policy.yaml, line 19: constraint of table 't': column id "
                   "identifies people or rows; constraints are about what is "
                   "modelled: columns with declared values or a range"},
        {"long_text = 'a'",
         "policy.yaml, line 19: constraint of table 't': column long_text has "
         "no public domain; add values: [...] to it"},
        {"low + high > rate",
         "policy.yaml, line 19: constraint of table 't': it has more than "
         "1048576 combinations of values; name fewer columns in it; of a "
         "column with a long range and of others of its type, only comparisons "
         "are simple enough"},
        {"age < 0 OR age > 120",
         "policy.yaml, line 19: constraint of table 't': the constraints "
         "contradict each other: no row can satisfy them; correct them in the "
         "policy"},
        {"age < 15, age > 20",
         "policy.yaml, line 4: table 't': the constraints contradict each "
         "other: no row can satisfy them; correct them in the policy"},
        {"low < high, high < 110, low > 200",
         "policy.yaml, line 4: table 't': the constraints contradict each "
         "other: no row can satisfy them; correct them in the policy"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        const struct policy *p = policy_with(refused[i].sql, "");
        custos_err err = CUSTOS_ERR_INIT;

        assert_int_equal(zeros_check(a, p, "policy.yaml", &err),
                         CUSTOS_EPOLICY);
        if (refused[i].said)
            assert_string_equal(whole_said(&err), refused[i].said);
    }
    assert_int_equal(
        zeros_check(a, policy_with("low < high, heat < 41", ""), "p", NULL),
        CUSTOS_OK);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(zeros_are_those_of_all_values, begin,
                                        end),
        cmocka_unit_test_setup_teardown(reals_are_judged_by_runs, begin, end),
        cmocka_unit_test_setup_teardown(columns_left_out_have_some_value, begin,
                                        end),
        cmocka_unit_test_setup_teardown(rows_satisfy_a_constraint, begin, end),
        cmocka_unit_test_setup_teardown(rows_satisfy_all_constraints, begin,
                                        end),
        cmocka_unit_test_setup_teardown(rows_satisfy_with_some_value_of_others,
                                        begin, end),
        cmocka_unit_test_setup_teardown(rows_need_entropy, begin, end),
        cmocka_unit_test_setup_teardown(constraints_are_checked, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
