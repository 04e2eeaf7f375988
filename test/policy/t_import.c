/*
 * SmartNoise metadata: golden text for all of its options, how the result
 * becomes a usable policy, and every error with its line.
 */
#include "policy/import.h"

#include "policy/good.h"
#include "support/said.h"

enum { OUT_MAX = 1 << 20 };

static const char metadata[] =
    /*  1 */ "\"\":\n"
             /*  2 */ "  engine: postgres\n"
             /*  3 */ "  MySchema:\n"
             /*  4 */ "    MyTable:\n"
             /*  5 */ "      max_ids: 4\n"
             /*  6 */ "      row_privacy: False\n"
             /*  7 */ "      rows: 1000\n"
             /*  8 */ "      censor_dims: False\n"
             /*  9 */ "      clamp_counts: True\n"
             /* 10 */ "      clamp_columns: true\n"
             /* 11 */ "      use_dpsu: no\n"
             /* 12 */ "      sample_max_ids: True\n"
             /* 13 */ "      PID: {type: int, private_id: True, lower: 0, "
             "upper: 9}\n"
             /* 14 */ "      age: {type: int, lower: 0, upper: 100}\n"
             /* 15 */ "      income:\n"
             /* 16 */ "        name: income\n"
             /* 17 */ "        type: float\n"
             /* 18 */ "        lower: -0.5\n"
             /* 19 */ "        upper: 1e5\n"
             /* 20 */ "        nullable: False\n"
             /* 21 */ "        missing_value: 0\n"
             /* 22 */ "        sensitivity: 3\n"
             /* 23 */ "      '\"Home Town\"': {type: string, cardinality: 12}\n"
             /* 24 */ "      sale-amount: {type: int, lower: 1}\n"
             /* 25 */ "      married: {type: boolean}\n"
             /* 26 */ "      seen: {type: datetime}\n"
             /* 27 */ "      blob: {type: unknown}\n"
             /* 28 */ "  Other:\n"
             /* 29 */ "    People:\n"
             /* 30 */ "      row_privacy: True\n"
             /* 31 */ "      height: {type: float}\n";

static const char expected[] =
    "tables:\n"
    "  mytable: # of \"MySchema\"\n"
    "    source: TODO # ? which file it is in\n"
    "    unit: pid\n"
    "    rows_per_unit: 4 # max_ids\n"
    "    # rows: 1000, by the metadata\n"
    "    # censor_dims: False; here groups come from the values that are "
    "listed\n"
    "    # clamp_counts: True; here in the query: greatest(count(*), 0)\n"
    "    columns:\n"
    "      pid: {type: integer}\n"
    "      age: {type: integer, range: [0, 100]}\n"
    "      income: {type: real, range: [-0.5, 100000], nullable: false} # ? "
    "missing_value is not taken over: write coalesce(x, 0) in queries; "
    "sensitivity is not taken over: the range gives it\n"
    "      \"Home Town\": {type: text} # ? values: [...], all that may be "
    "grouped by; cardinality was 12\n"
    "      \"sale-amount\": {type: integer} # ? range: [lower, upper]; only "
    "one of them was given\n"
    "      married: {type: boolean}\n"
    "      seen: {type: timestamp} # ? range: [first, last], to group by it\n"
    "      # of unknown type: blob\n"
    "\n"
    "  people: # of \"Other\"\n"
    "    source: TODO # ? which file it is in\n"
    "    unit: row\n"
    "    rows_per_unit: 1 # max_ids\n"
    "    columns:\n"
    "      height: {type: real} # ? range: [lower, upper], to sum it\n"
    "\n";

static custos_status
import(const char *text, struct buf *out, custos_err *err)
{
    arena *a = arena_new(NULL, MEMORY);
    custos_status st = policy_import(a, str_of(text), "m/PUMS.yaml", out, err);

    arena_free(a);
    return st;
}

static void
metadata_becomes_a_policy(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct buf out;
    const char *at;

    (void)state;
    buf_init(&out, NULL, OUT_MAX);
    if (import(metadata, &out, &err))
        fail_msg("%s", err.said);
    assert_false(out.failed);
    at = strstr(buf_text(&out), "tables:\n");
    assert_non_null(at);
    assert_string_equal(at, expected);
    buf_clear(&out);
}

/* With the values that only the owner knows, the policy can be used. */
static void
answered_import_is_a_policy(void **state)
{
    static const char *const answers[] = {"1", "1e-9", "1000", "a.csv",
                                          "b.csv"};
    arena *a = arena_new(NULL, MEMORY);
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf out, next;

    (void)state;
    buf_init(&out, NULL, OUT_MAX);
    assert_int_equal(import(metadata, &out, &err), CUSTOS_OK);
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        const char *text = buf_text(&out), *at = strstr(text, ": TODO");

        assert_non_null(at);
        buf_init(&next, NULL, OUT_MAX);
        buf_add(&next, text, (size_t)(at - text));
        buf_printf(&next, ": %s%s", answers[i], at + 6);
        buf_clear(&out);
        out = next;
    }
    if (policy_read(a, str_of(buf_text(&out)), "p.yaml", &p, &err))
        fail_msg("%s", err.said);
    assert_int_equal(p->tables[0].rows_per_unit, 4);
    assert_false(p->tables[0].unit_is_row);
    assert_true(p->tables[1].unit_is_row);
    assert_true(p->tables[0].columns[2].upper.n == 100000);
    assert_false(p->tables[0].columns[2].nullable);
    assert_true(p->tables[0].columns[1].nullable);
    buf_clear(&out);
    arena_free(a);
}

static void
mistakes_of_metadata(void **state)
{
    static const struct mistake mistakes[] = {
        {"max_ids: 4", "max_ids: 0",
         "line 5: max_ids must be a whole number "
         "from 1 to 2147483648, not '0'"},
        {"row_privacy: False", "row_privacy: True",
         "line 5: row_privacy: each row is somebody, so max_ids is 1"},
        {"row_privacy: False", "row_privacy: maybe",
         "line 6: 'row_privacy' must be True or False"},
        {"rows: 1000", "rows: many",
         "line 7: rows must be a whole number from "
         "0 to 281474976710656, not 'many'"},
        {"rows: 1000", "rosw: 1000",
         "line 7: 'rosw' is not an option of a table in SmartNoise metadata"},
        {"use_dpsu: no", "use_dpsu: [1]",
         "line 11: 'use_dpsu' must be True or "
         "False"},
        {"type: int, lower: 0, upper: 100", "type: integer",
         "line 14: there is no type 'integer'; there are int, float, string, "
         "boolean, datetime and unknown"},
        {"type: int, lower: 0, upper: 100", "lower: 0",
         "line 14: column 'age' has no type"},
        {"type: int, lower: 0, upper: 100", "type: int, private_id: True",
         "line 14: a second private_id: people named by several columns "
         "together have no unit here"},
        {"upper: 100}", "upper: 0}", "line 14: lower must be below upper"},
        {"upper: 100}", "upper: 1.5}", "line 14: '1.5' is not a valid integer"},
        {"lower: -0.5", "lower: low", "line 18: 'low' is not a valid real"},
        {"upper: 100}", "uper: 100}",
         "line 14: there is no key 'uper' in a "
         "column; did you mean upper?"},
        {"nullable: False", "nullable: maybe",
         "line 20: 'nullable' must be True "
         "or False"},
        {"cardinality: 12", "cardinality: x",
         "line 23: cardinality must be a whole number from 0 to "
         "281474976710656, not 'x'"},
        {"cardinality: 12", "lower: a",
         "line 23: lower and upper go with "
         "numbers; column '\"Home Town\"' is "
         "text"},
        {"    People:\n", "    People: 1\n    X:\n",
         "line 29: table 'People' must be a map of columns"},
        {"engine: postgres", "engin: postgres",
         "line 2: schema 'engin' must be a map of tables"},
        {"\"\":\n", "x: 1\n\"\":\n",
         "line 1: database 'x' must be a map of schemas"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        static char text[sizeof metadata + 256];
        const struct mistake *m = &mistakes[i];
        const char *at = strstr(metadata, m->piece);
        custos_err err = CUSTOS_ERR_INIT;
        struct buf out;
        char said[256];

        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - metadata), metadata,
                 m->by, at + strlen(m->piece));
        buf_init(&out, NULL, OUT_MAX);
        assert_int_equal(import(text, &out, &err), CUSTOS_EPOLICY);
        snprintf(said, sizeof said, "PUMS.yaml, %s", m->said);
        assert_string_equal(whole_said(&err), said);
        buf_clear(&out);
    }
}

/*
 * Escaped names are kept exactly; without a private_id the draft asks the
 * owner.
 */
static void
names_and_units(void **state)
{
    static const char text[] = "D:\n"
                               "  S:\n"
                               "    '[Back-Log]':\n"
                               "      '`Id`': {type: int}\n"
                               "      '\"x\"': {type: boolean}\n"
                               "      \"`\": {type: boolean}\n";
    custos_err err = CUSTOS_ERR_INIT;
    struct buf out;
    const char *at;

    (void)state;
    buf_init(&out, NULL, OUT_MAX);
    if (import(text, &out, &err))
        fail_msg("%s", err.said);
    at = strstr(buf_text(&out), "tables:\n");
    assert_non_null(at);
    assert_string_equal(
        at,
        "tables:\n"
        "  \"Back-Log\": # of \"S\"\n"
        "    source: TODO # ? which file it is in\n"
        "    unit: TODO # ? neither row_privacy nor a private_id was given\n"
        "    rows_per_unit: 1 # max_ids\n"
        "    columns:\n"
        "      \"Id\": {type: integer} # ? range: [lower, upper], to sum "
        "it\n"
        "      x: {type: boolean}\n"
        "      \"`\": {type: boolean}\n"
        "\n");
    buf_clear(&out);
}

/* An exact number of rows is named as the key that means the same here. */
static void
exact_rows_are_noted(void **state)
{
    static const char note[] = "# rows_exact: True; here exact_rows: 594, if "
                               "unit is row and adjacency change-one\n";
    static const char *const flags[] = {"True", "False"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        custos_err err = CUSTOS_ERR_INIT;
        char text[300];
        struct buf out;

        buf_init(&out, NULL, OUT_MAX);
        snprintf(text, sizeof text,
                 "D:\n  S:\n    t:\n      row_privacy: True\n"
                 "      rows: 594\n      rows_exact: %s\n"
                 "      x: {type: boolean}\n",
                 flags[i]);
        assert_int_equal(import(text, &out, &err), CUSTOS_OK);
        assert_int_equal(strstr(buf_text(&out), note) != NULL, i == 0);
        buf_clear(&out);
    }
}

static void
a_list_is_no_metadata(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct buf out;

    (void)state;
    buf_init(&out, NULL, OUT_MAX);
    assert_int_equal(import("[a]", &out, &err), CUSTOS_EPOLICY);
    assert_string_equal(whole_said(&err),
                        "PUMS.yaml, line 1: metadata is a map: "
                        "database, schema, table, column");
    assert_int_equal(import("]", &out, &err), CUSTOS_EPOLICY);
    buf_clear(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_becomes_a_policy),
        cmocka_unit_test(answered_import_is_a_policy),
        cmocka_unit_test(mistakes_of_metadata),
        cmocka_unit_test(names_and_units),
        cmocka_unit_test(exact_rows_are_noted),
        cmocka_unit_test(a_list_is_no_metadata),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
