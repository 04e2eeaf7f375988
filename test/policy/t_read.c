/*
 * Reading policies: what a good one says, and every sentence about a bad one,
 * with its line. A bad one is the good one with one piece changed, so that
 * nothing else can be the reason.
 */
#include <stdio.h>

#include "base/base.h"
#include "base/sha256.h"
#include "policy/policy.h"
#include "support/support.h"

static const char good[] =
    /*  1 */
    "custos: 1\n"
    /*  2 */ "adjacency: change-one\n"
    /*  3 */ "budget: {epsilon: 1, delta: 1e-7, n: 1e6}\n"
    /*  4 */ "query:\n"
    /*  5 */ "  epsilon: 0.1\n"
    /*  6 */ "  max_epsilon: 0.5\n"
    /*  7 */ "  delta: 1e-12\n"
    /*  8 */ "  max_groups: 1000\n"
    /*  9 */ "  share_answers: true\n"
    /* 10 */ "tables:\n"
    /* 11 */ "  patients:\n"
    /* 12 */ "    source: patients.csv\n"
    /* 13 */ "    unit: id\n"
    /* 14 */ "    comment: who they are\n"
    /* 15 */ "    columns:\n"
    /* 16 */ "      id: {type: integer}\n"
    /* 17 */ "      age: {type: integer, range: [0, 120]}\n"
    /* 18 */ "      city: {type: text, values: [Rome, 'Oslo'],\n"
    /* 19 */ "             nullable: false, comment: where}\n"
    /* 20 */ "  visits:\n"
    /* 21 */ "    source: data/visits.db\n"
    /* 22 */ "    format: duckdb\n"
    /* 23 */ "    source_table: all visits\n"
    /* 24 */ "    unit: patient_id\n"
    /* 25 */ "    rows_per_unit: 20\n"
    /* 26 */ "    groups_per_unit: 5\n"
    /* 27 */ "    bound: before-where\n"
    /* 28 */ "    max_rows: 1e9\n"
    /* 29 */ "    columns:\n"
    /* 30 */ "      patient_id: {type: integer, references: patients.id}\n"
    /* 31 */ "      cost: {type: decimal, scale: 2, range: [-0.5, 5e3]}\n"
    /* 32 */ "      day: {type: date, range: [2020-01-01, 2020-12-31]}\n"
    /* 33 */ "      \"When\": {type: timestamp}\n"
    /* 34 */ "      grams: {type: real, range: [0.25, 100]}\n"
    /* 35 */ "      level: {type: integer, range: [1, 5], values: [3, 1, 5]}\n"
    /* 36 */ "      late: {type: boolean}\n"
    /* 37 */ "  cities:\n"
    /* 38 */ "    public: true\n"
    /* 39 */ "    source: cities.parquet\n"
    /* 40 */ "    attach: true\n"
    /* 41 */ "    columns: {name: {type: text}}\n"
    /* 42 */ "analysts:\n"
    /* 43 */ "  ana:\n"
    /* 44 */ "    budget: {epsilon: 1/2, delta: 1e-8}\n"
    /* 45 */ "    window: {epsilon: 0.1, days: 7}\n"
    /* 46 */ "    tables: {visits: [cost, day], cities: all}\n"
    /* 47 */ "  bo: {tables: [patients]}\n"
    /* 48 */ "  cy: {tables: []}\n"
    /* 49 */ "  di: {}\n";

enum { MEMORY = 1 << 24 };

static void
same(str got, const char *expected)
{
    assert_int_equal(got.len, strlen(expected));
    assert_memory_equal(got.ptr, expected, got.len);
}

static struct policy *
read_good(arena *a, const char *text)
{
    struct policy *p = NULL;
    custos_err err = {.said = ""};
    custos_status st = policy_read(a, str_of(text), "policy.yaml", &p, &err);

    if (st)
        fail_msg("%s", err.said);
    return p;
}

static void
budgets_and_defaults(void **state)
{
    static const char small[] = "custos: 1\n"
                                "budget: {epsilon: 1/3}\n"
                                "tables: {t: {source: t.csv, unit: row,\n"
                                "  columns: {a: {type: integer}}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, good);
    uint8_t id[SHA256_BYTES];

    (void)state;
    assert_int_equal(p->adjacency, CUSTOS_CHANGE_ONE);
    same(p->budget.epsilon, "1");
    same(p->budget.delta, "1e-7");
    assert_int_equal(p->budget.line, 3);
    assert_true(p->has_people && p->people == 1000000);
    same(p->default_epsilon, "0.1");
    same(p->max_epsilon, "0.5");
    same(p->query_delta, "1e-12");
    assert_int_equal(p->max_groups, 1000);
    assert_true(p->share_answers);
    same(p->text, good);
    sha256_of(good, strlen(good), id);
    assert_memory_equal(id, p->id, sizeof id);

    p = read_good(a, small);
    assert_int_equal(p->adjacency, CUSTOS_ADD_REMOVE);
    same(p->budget.delta, "0");
    same(p->default_epsilon, "1/30");
    same(p->max_epsilon, "1/3");
    same(p->query_delta, "0");
    assert_int_equal(p->max_groups, 1 << 20);
    assert_false(p->has_people || p->share_answers);
    assert_int_equal(p->n_analysts, 0);
    assert_true(p->tables[0].unit_is_row);
    assert_int_equal(p->tables[0].rows_per_unit, 1);
    assert_int_equal(p->tables[0].groups_per_unit, 1);
    assert_true(p->tables[0].max_rows == (uint64_t)1 << 40);
    assert_true(p->tables[0].columns[0].nullable);
    arena_free(a);
}

static void
tables_and_units(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, good);
    const struct policy_table *t = p->tables;
    const struct policy_column *key = NULL;

    (void)state;
    assert_int_equal(p->n_tables, 3);
    same(t[0].name, "patients");
    same(t[0].source, "patients.csv");
    same(t[0].comment, "who they are");
    assert_int_equal(t[0].source_kind, SOURCE_CSV);
    assert_false(t[0].is_public || t[0].unit_is_row || t[0].rows_given);
    assert_int_equal(t[0].unit_column, 0);
    assert_null(policy_unit_parent(p, &t[0], &key));
    same(t[1].source_table, "all visits");
    assert_int_equal(t[1].source_kind, SOURCE_DUCKDB);
    assert_int_equal(t[1].rows_per_unit, 20);
    assert_int_equal(t[1].groups_per_unit, 5);
    assert_int_equal(t[1].max_rows, 1000000000);
    assert_true(t[1].prefer_speed && t[1].rows_given);
    assert_ptr_equal(policy_unit_parent(p, &t[1], &key), &t[0]);
    assert_ptr_equal(key, &t[0].columns[0]);
    assert_true(t[2].is_public && t[2].attached);
    assert_int_equal(t[2].source_kind, SOURCE_PARQUET);
    assert_null(policy_unit_parent(p, &t[2], &key));
    assert_int_equal(t[1].line, 20);
    assert_ptr_equal(policy_table_find(p, str_of("visits")), &t[1]);
    assert_null(policy_table_find(p, str_of("Visits")));
    arena_free(a);
}

static void
columns_and_domains(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, good);
    const struct policy_column *c = p->tables[0].columns;

    (void)state;
    assert_int_equal(p->tables[0].n_columns, 3);
    assert_true(c[1].has_range && c[1].lower.n == 0 && c[1].upper.n == 120);
    assert_int_equal(c[2].n_values, 2); /* in order */
    same(c[2].values[0].text, "Oslo");
    same(c[2].values[1].text, "Rome");
    assert_false(c[2].nullable);
    same(c[2].comment, "where");
    assert_int_equal(c[2].line, 18);
    c = p->tables[1].columns;
    same(c[0].references_table, "patients");
    same(c[0].references_column, "id");
    assert_int_equal(c[1].scale, 2);
    assert_true(c[1].lower.n == -50 && c[1].lower.scale == 2);
    assert_true(c[1].upper.n == 500000 && c[1].upper.scale == 2);
    assert_true(c[2].lower.n == 18262 && c[2].upper.n == 18627);
    same(c[3].name, "When");
    assert_false(c[3].has_range);
    assert_true(c[4].type == TYPE_REAL && c[4].lower.n == 25);
    assert_true(c[5].values[0].n == 1 && c[5].values[1].n == 3 &&
                c[5].values[2].n == 5);
    assert_ptr_equal(policy_column_find(&p->tables[1], str_of("When")), &c[3]);
    assert_null(policy_column_find(&p->tables[1], str_of("when")));
    arena_free(a);
}

static void
analysts_and_grants(void **state)
{
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, good);
    const struct policy_table *patients = &p->tables[0], *visits = patients + 1;
    const struct policy_analyst *ana = policy_analyst_find(p, str_of("ana"));
    const struct policy_analyst *bo = policy_analyst_find(p, str_of("bo"));
    const struct policy_analyst *cy = policy_analyst_find(p, str_of("cy"));
    const struct policy_analyst *di = policy_analyst_find(p, str_of("di"));

    (void)state;
    assert_true(ana && bo && cy && di);
    assert_null(policy_analyst_find(p, str_of("")));
    assert_true(ana->has_budget && ana->has_window);
    same(ana->budget.epsilon, "1/2");
    same(ana->window.epsilon, "0.1");
    same(ana->window.delta, "1e-8"); /* none of its own: the budget's */
    assert_int_equal(ana->window_days, 7);
    assert_false(bo->has_budget || bo->has_window);
    assert_true(policy_grants(p, ana, visits, &visits->columns[1]));
    assert_false(policy_grants(p, ana, visits, &visits->columns[0]));
    assert_true(policy_grants_table(p, ana, visits));
    assert_false(policy_grants_table(p, ana, patients));
    assert_false(policy_grants(p, ana, patients, &patients->columns[1]));
    assert_true(policy_grants(p, ana, &p->tables[2], &p->tables[2].columns[0]));
    assert_true(policy_grants(p, bo, patients, &patients->columns[2]));
    assert_false(policy_grants_table(p, bo, visits));
    assert_false(policy_grants_table(p, cy, patients)); /* [] is nothing */
    assert_true(policy_grants_table(p, di, patients));
    assert_true(policy_grants(p, NULL, visits, &visits->columns[0]));
    arena_free(a);
}

/* ----------------------------------------------------------- mistakes -- */

struct mistake {
    const char *piece, *by; /* of the good policy */
    const char *said;       /* after "policy.yaml, " */
};

static void
check_mistake(const struct mistake *m)
{
    static char text[sizeof good + 4096];
    const char *at = strstr(good, m->piece);
    arena *a = arena_new(NULL, MEMORY);
    struct policy *p = NULL;
    custos_err err = {.said = ""};
    char said[256];

    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, m->by,
             at + strlen(m->piece));
    if (policy_read(a, str_of(text), "dir/policy.yaml", &p, &err) !=
        CUSTOS_EPOLICY)
        fail_msg("'%s' is taken", m->by);
    assert_null(p);
    assert_int_equal(err.code, CUSTOS_EPOLICY);
    snprintf(said, sizeof said, "policy.yaml, %s", m->said);
    assert_string_equal(err.said, said);
    arena_free(a);
}

#define CHECK_ALL(mistakes)                                                    \
    for (size_t i_ = 0; i_ < COUNT_OF(mistakes); i_++)                         \
    check_mistake(&(mistakes)[i_])

static void
mistakes_of_the_file(void **state)
{
    static const struct mistake mistakes[] = {
        {"custos: 1\n", "",
         "line 1: the format of this file is not given: "
         "begin with custos: 1"},
        {"custos: 1", "custos: 2",
         "line 1: format 2 of policies is newer "
         "than this program"},
        {"custos: 1", "custos: x",
         "line 1: custos must be a whole number from "
         "1 to 4294967295, not 'x'"},
        {"change-one", "one",
         "line 2: adjacency must be add-remove or "
         "change-one"},
        {"change-one", "[change-one]",
         "line 2: adjacency must be add-remove "
         "or change-one"},
        {"query:", "querry:",
         "line 4: there is no key 'querry' in a policy; "
         "did you mean query?"},
        {"query:", "xyzzy:",
         "line 4: there is no key 'xyzzy' in a policy; "
         "custos-policy(5) has the list"},
        {"query:", "budget:",
         "line 4: the key 'budget' is given twice, first "
         "in line 3"},
        {"query:", "? [a]\n:", "line 4: a key must be a text"},
        {"1e-7", "&d 1e-7",
         "line 3: anchors and aliases (& and *) are not "
         "used in this file; put quotes around such text"},
        {"1e-7", "*d",
         "line 3: anchors and aliases (& and *) are not used in "
         "this file; put quotes around such text"},
        {"1e-7", "!!float 1e-7",
         "line 3: tags (!) are not used in this file; "
         "put quotes around such text"},
        {"custos: 1", "%YAML 1.1\n---\ncustos: 1",
         "line 1: directives (%) are not used in this file"},
        {"analysts:", "---\nanalysts:",
         "line 42: a second document (---) "
         "begins here; there can be only one"},
        {"  ana:", "\t- ana:",
         "line 43: this is no YAML: found character that "
         "cannot start any token"},
        {"who they are", "\"a\\0b\"", "line 14: text with a NUL in it"},
        {"who they are", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
         "line 14: nested deeper than 16 levels"},
        {"who they are", "\x01",
         "line 14: this is no YAML: control "
         "characters are not allowed"},
        {"who they are", "\xff",
         "line 14: this is no YAML: invalid leading "
         "UTF-8 octet"},
        {"rows_per_unit: 20", "rows_per_unit: TODO",
         "line 25: TODO still stands here: only the owner of the data knows "
         "the answer (the comment beside it says to what)"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

static void
mistakes_of_budgets(void **state)
{
    static const struct mistake mistakes[] = {
        {"budget: {epsilon: 1, delta: 1e-7, n: 1e6}", "",
         "line 1: there is no budget: say budget: {epsilon: ..., delta: ...}"},
        {"budget: {epsilon: 1, delta: 1e-7, n: 1e6}", "budget: 1",
         "line 3: budget must be a map of keys to values"},
        {"epsilon: 1, ", "", "line 3: budget has no epsilon"},
        {"epsilon: 1,", "epsilom: 1,",
         "line 3: there is no key 'epsilom' in "
         "budget; did you mean epsilon?"},
        {"epsilon: 1,", "epsilon: [1],",
         "line 3: epsilon must be a single "
         "value"},
        {"epsilon: 1,", "epsilon: ,", "line 3: epsilon is empty"},
        {"epsilon: 1,", "epsilon: 0,",
         "line 3: epsilon must be a number from "
         "1e-20 to 1e6, such as 0.5 or 1/3, not "
         "'0'"},
        {"epsilon: 1,", "epsilon: -1,",
         "line 3: epsilon must be a number from "
         "1e-20 to 1e6, such as 0.5 or 1/3, not "
         "'-1'"},
        {"epsilon: 1,", "epsilon: .inf,",
         "line 3: epsilon must be a number "
         "from 1e-20 to 1e6, such as 0.5 or "
         "1/3, not '.inf'"},
        {"epsilon: 1,", "epsilon: 1e7,",
         "line 3: epsilon must be a number "
         "from 1e-20 to 1e6, such as 0.5 or "
         "1/3, not '1e7'"},
        {"epsilon: 1,", "epsilon: 1e-21,",
         "line 3: epsilon must be a number "
         "from 1e-20 to 1e6, such as 0.5 or "
         "1/3, not '1e-21'"},
        {"epsilon: 1,", "epsilon: 0.1234567890123456789012345678901234567890,",
         "line 3: epsilon must be a number from 1e-20 to 1e6, such as 0.5 or "
         "1/3, not '0.12345678901234567890123456789012345678'"},
        {"1e-7", "1",
         "line 3: delta must be 0, or a number from 1e-36 to "
         "below 1, such as 1e-6, not '1'"},
        {"1e-7", "1e-37",
         "line 3: delta must be 0, or a number from 1e-36 to "
         "below 1, such as 1e-6, not '1e-37'"},
        {"1e-7", "1e-6",
         "line 3: delta is 1/n or more: it would permit "
         "publishing somebody's data outright (force_delta: "
         "true keeps it all the same)"},
        {"n: 1e6", "n: 1.5",
         "line 3: n must be a whole number from 1 to "
         "1099511627776, not '1.5'"},
        {"n: 1e6", "n: 0",
         "line 3: n must be a whole number from 1 to "
         "1099511627776, not '0'"},
        {"n: 1e6", "force_delta: yes",
         "line 3: force_delta must be true or "
         "false"},
        {"delta: 1e-12", "delta: 1e-6",
         "line 7: the delta of a query is above "
         "the budget's"},
        {"  epsilon: 0.1\n", "  epsilon: x\n",
         "line 5: epsilon must be a number from 1e-20 to 1e6, such as 0.5 or "
         "1/3, not 'x'"},
        {"max_epsilon: 0.5", "max_epsilon: x",
         "line 6: max_epsilon must be a number from 1e-20 to 1e6, such as 0.5 "
         "or 1/3, not 'x'"},
        {"max_groups: 1000", "max_groups: 0",
         "line 8: max_groups must be a whole number from 1 to 67108864, not "
         "'0'"},
        {"share_answers: true", "share_answers: 1",
         "line 9: share_answers must be true or false"},
        {"share_answers", "share_answer",
         "line 9: there is no key "
         "'share_answer' in query; did you "
         "mean share_answers?"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

static void
mistakes_of_tables(void **state)
{
    static const struct mistake mistakes[] = {
        {"  patients:", "  Patients:",
         "line 11: 'Patients' is no lower-case "
         "SQL word: write it in quotes, here and "
         "in queries"},
        {"  patients:", "  2nd:",
         "line 11: '2nd' is no lower-case SQL word: "
         "write it in quotes, here and in queries"},
        {"  patients:", "  '':", "line 11: an empty name in tables"},
        {"  patients:", "  \"a\\tb\":",
         "line 11: a name in tables has a "
         "control character"},
        {"  patients:",
         "  a234567890123456789012345678901234567890123456789012345678901234:",
         "line 11: the name 'a234567890123456789012345678901234567890...' is "
         "longer than 63 bytes"},
        {"    unit: id\n", "",
         "line 11: table 'patients' has no unit, that "
         "is, whom it protects: say unit: and a column "
         "(or row), or public: true"},
        {"unit: id", "unit: name",
         "line 13: the unit 'name' is no column of "
         "table 'patients'"},
        {"unit: id", "unit: row",
         "line 11: rows of 'visits' belong to rows of "
         "'patients', whose unit must then be a "
         "column, such as id"},
        {"unit: id", "unit: [id]", "line 13: unit must be a single value"},
        {"    source: patients.csv\n", "",
         "line 12: table 'patients' has no "
         "source: say which file it is in"},
        {"patients.csv", "patients",
         "line 12: the format of 'patients' is not "
         "known by its name: say format: csv, "
         "parquet or duckdb"},
        {"patients.csv", "patients.csv\n    source_table: x",
         "line 13: only a DuckDB file has tables: source_table does not go "
         "with this source"},
        {"format: duckdb", "format: excel",
         "line 22: format must be csv, "
         "parquet or duckdb"},
        {"source: patients.csv", "sauce: patients.csv",
         "line 12: there is no key 'sauce' in a table; did you mean source?"},
        {"attach: true", "attach: yes",
         "line 40: attach must be true or "
         "false"},
        {"public: true", "public: yes",
         "line 38: public must be true or "
         "false"},
        {"attach: true", "unit: row",
         "line 40: table 'cities' is public and "
         "protects nobody: unit does not go with "
         "it"},
        {"attach: true", "rows_per_unit: 2",
         "line 40: table 'cities' is public and protects nobody: rows_per_unit "
         "does not go with it"},
        {"attach: true", "bound: after-where",
         "line 40: table 'cities' is public and protects nobody: bound does "
         "not go with it"},
        {"public: true", "public: false",
         "line 37: table 'cities' has no "
         "unit, that is, whom it protects: "
         "say unit: and a column (or row), or "
         "public: true"},
        {"rows_per_unit: 20", "rows_per_unit: 0",
         "line 25: rows_per_unit must be a whole number from 1 to 2147483648, "
         "not '0'"},
        {"groups_per_unit: 5", "groups_per_unit: 21",
         "line 26: groups_per_unit is above rows_per_unit (20): a row is in "
         "one group"},
        {"groups_per_unit: 5", "groups_per_unit: 0",
         "line 26: groups_per_unit must be a whole number from 1 to "
         "2147483648, not '0'"},
        {"before-where", "sometimes",
         "line 27: bound must be after-where or "
         "before-where"},
        {"max_rows: 1e9", "max_rows: 1e15",
         "line 28: max_rows must be a whole number from 1 to 281474976710656, "
         "not '1e15'"},
        {"columns: {name: {type: text}}", "columns: {}",
         "line 41: a table has 1 to 1000 columns"},
        {"columns: {name: {type: text}}", "columns: [name]",
         "line 41: columns must be a map of names"},
        {"    columns: {name: {type: text}}\n", "",
         "line 38: table 'cities' has no columns"},
        {"who they are", "[]", "line 14: comment must be a single value"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

static void
mistakes_of_columns(void **state)
{
    static const struct mistake mistakes[] = {
        {"age: {type: integer, ", "age: {",
         "line 17: column 'age' has no "
         "type"},
        {"age: {type: integer,", "age: {type: int4,",
         "line 17: there is no type 'int4'; there are boolean, integer, "
         "decimal, real, text, date and timestamp"},
        {"age: {type: integer,", "age: {type: null,",
         "line 17: there is no type 'null'; there are boolean, integer, "
         "decimal, real, text, date and timestamp"},
        {"range: [0, 120]", "rnage: [0, 120]",
         "line 17: there is no key 'rnage' in a column; did you mean range?"},
        {"[0, 120]", "[0, 120, 130]",
         "line 17: range must be [lower, upper], "
         "the limits of column 'age'"},
        {"[0, 120]", "120",
         "line 17: range must be [lower, upper], the limits "
         "of column 'age'"},
        {"[0, 120]", "[120, 0]",
         "line 17: the lower limit of a range must be "
         "below the upper one"},
        {"[0, 120]", "[5, 5]",
         "line 17: the lower limit of a range must be "
         "below the upper one"},
        {"[0, 120]", "[0, x]", "line 17: 'x' is no integer"},
        {"[0, 120]", "[0, 1.5]", "line 17: '1.5' is no integer"},
        {"[0, 120]", "[0, 9223372036854775808]",
         "line 17: '9223372036854775808' is no integer"},
        {"[0, 120]", "[~, 120]",
         "line 17: NULL is not one of the limits of a "
         "range: that is what nullable says (or put "
         "it in quotes)"},
        {"[0, 120]", "[[0], 120]",
         "line 17: the limits of a range must be "
         "single values"},
        {"range: [0, 120]", "scale: 2",
         "line 17: only a decimal has a scale, "
         "and this is integer"},
        {"scale: 2, ", "",
         "line 31: a decimal needs its scale, the digits "
         "after the point: scale: 2"},
        {"scale: 2", "scale: 19",
         "line 31: scale must be a whole number from "
         "0 to 18, not '19'"},
        {"[-0.5, 5e3]", "[-0.555, 5e3]",
         "line 31: '-0.555' is no decimal of 2 "
         "digits after the point"},
        {"[-0.5, 5e3]", "[-0.5, 1e35]",
         "line 31: '1e35' is no decimal of 2 "
         "digits after the point"},
        {"2020-12-31", "2020-02-30", "line 32: '2020-02-30' is no date"},
        {"type: boolean", "type: boolean, range: [false, true]",
         "line 36: a boolean has no range"},
        {"values: [Rome, 'Oslo']", "range: [a, b]",
         "line 18: a text has no range; list its values"},
        {"type: boolean", "type: boolean, values: [true]",
         "line 36: a boolean has its values by itself"},
        {"range: [0.25, 100]", "values: [1]",
         "line 34: a real has no list of values, only a range; a decimal has "
         "both"},
        {"[Rome, 'Oslo']", "Rome",
         "line 18: values must be a list of 1 to "
         "65535 values"},
        {"[Rome, 'Oslo']", "[]",
         "line 18: values must be a list of 1 to 65535 "
         "values"},
        {"[Rome, 'Oslo']", "[Rome,\n 'Oslo', Rome]",
         "line 19: the values of column 'city' are not distinct"},
        {"[Rome, 'Oslo']", "[Rome, null]",
         "line 18: NULL is not one of the values: that is what nullable says "
         "(or put it in quotes)"},
        {"[3, 1, 5]", "[3, 1, 6]",
         "line 35: a value of column 'level' lies "
         "outside its range"},
        {"[3, 1, 5]", "[3, 1, 3.0]",
         "line 35: the values of column 'level' "
         "are not distinct"},
        {"nullable: false", "nullable: no",
         "line 19: nullable must be true or "
         "false"},
        {"comment: where", "comment: {}",
         "line 19: comment must be a single "
         "value"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

static void
mistakes_of_references(void **state)
{
    static const struct mistake mistakes[] = {
        {"references: patients.id", "references: patients",
         "line 30: references must be table.column, not 'patients'"},
        {"references: patients.id", "references: people.id",
         "line 30: there is no column 'people.id' to reference"},
        {"references: patients.id", "references: patients.key",
         "line 30: there is no column 'patients.key' to reference"},
        {"references: patients.id", "references: [patients, id]",
         "line 30: references must be a single value"},
        {"references: patients.id", "references: patients.city",
         "line 30: column 'patient_id' is integer, but what it references is "
         "text: they must be of one type"},
        {"id: {type: integer}", "id: {type: integer, references: visits.level}",
         "line 35: column 'level' of 'visits' names the unit and can have no "
         "range: clamping would merge people"},
        {"id: {type: integer}",
         "id: {type: integer, references: visits.patient_id}",
         "line 11: the unit of table 'patients' goes round in a circle of "
         "references"},
        {"references: patients.id", "references: visits.patient_id",
         "line 20: the unit of table 'visits' goes round in a circle of "
         "references"},
        {"name: {type: text}", "name: {type: text, references: patients.city}",
         "line 41: table 'cities' is public and cannot reference the private "
         "table 'patients'"},
        {"patient_id: {type: integer, references: patients.id}",
         "patient_id: {type: text, references: cities.name}",
         "line 30: the unit of table 'visits' leads to 'cities', which is "
         "public and has none"},
        {"id: {type: integer}", "id: {type: integer, range: [0, 9]}",
         "line 16: column 'id' of 'patients' names the unit and can have no "
         "range: clamping would merge people"},
        {"unit: patient_id", "unit: grams",
         "line 34: column 'grams' of 'visits' names the unit and can have no "
         "range: clamping would merge people"},
        {"unit: patient_id", "unit: late",
         "line 36: column 'late' of 'visits' is boolean, which cannot name a "
         "unit"},
        {"type: real, range: [0.25, 100]",
         "type: real, references: visits.grams",
         "line 34: a real is no key: equal numbers may differ in their last "
         "digit"},
        {"unit: patient_id", "unit: row",
         "line 25: the unit is the row: "
         "rows_per_unit is 1"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

static void
mistakes_of_analysts(void **state)
{
    static const struct mistake mistakes[] = {
        {"analysts:", "analyst:",
         "line 42: there is no key 'analyst' in a "
         "policy; did you mean analysts?"},
        {"  bo: {tables: [patients]}", "  bo: 1",
         "line 47: an analyst must be a map of keys to values"},
        {"tables: [patients]", "table: [patients]",
         "line 47: there is no key 'table' in an analyst; did you mean "
         "tables?"},
        {"tables: [patients]", "tables: patients",
         "line 47: tables must be a list of tables, or a map of tables to "
         "columns"},
        {"tables: [patients]", "tables: [patience]",
         "line 47: there is no table 'patience' to grant"},
        {"tables: [patients]", "tables: [patients, patients]",
         "line 47: table 'patients' is granted twice"},
        {"[cost, day]", "[cost, price]",
         "line 46: there is no column 'price' "
         "in table 'visits' to grant"},
        {"[cost, day]", "[cost, cost]",
         "line 46: column 'cost' is granted "
         "twice"},
        {"[cost, day]", "some",
         "line 46: a grant of 'visits' must be a list "
         "of columns, or all"},
        {"[cost, day]", "[]",
         "line 46: a grant of 'visits' must be a list of "
         "columns, or all"},
        {"epsilon: 1/2, ", "", "line 44: an analyst's budget has no epsilon"},
        {"1e-8}", "1e-8, n: 3}",
         "line 44: there is no key 'n' in an "
         "analyst's budget; custos-policy(5) has the "
         "list"},
        {"epsilon: 0.1, days: 7", "days: 7", "line 45: window has no epsilon"},
        {", days: 7", "", "line 45: a window needs its length: days: 1"},
        {"days: 7", "days: 0",
         "line 45: days must be a whole number from 1 to "
         "36500, not '0'"},
        {"days: 7", "weeks: 1",
         "line 45: there is no key 'weeks' in window; "
         "custos-policy(5) has the list"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

/* --------------------------------------------------------- the edges -- */

static custos_status
read_text(const char *text, size_t len, custos_err *err)
{
    arena *a = arena_new(NULL, MEMORY);
    struct policy *p = NULL;
    custos_status st = policy_read(a, (str){text, len}, "policy.yaml", &p, err);

    arena_free(a);
    return st;
}

static void
empty_and_huge_files(void **state)
{
    enum { HUGE = (1 << 20) + 1 };
    char *huge = malloc(HUGE);
    custos_err err;

    (void)state;
    assert_non_null(huge);
    memset(huge, ' ', HUGE);
    assert_int_equal(read_text("", 0, &err), CUSTOS_EPOLICY);
    assert_string_equal(err.said, "policy.yaml, line 1: the file is empty");
    assert_int_equal(read_text("# x\n", 4, &err), CUSTOS_EPOLICY);
    assert_int_equal(read_text(NULL, 0, &err), CUSTOS_EPOLICY);
    assert_int_equal(read_text("a", 1, NULL), CUSTOS_EPOLICY);
    assert_int_equal(read_text(huge, HUGE, &err), CUSTOS_EPOLICY);
    assert_string_equal(err.said, "policy.yaml, line 1: the file is larger "
                                  "than 1048576 bytes");
    memcpy(huge, good, strlen(good)); /* just small enough */
    huge[strlen(good)] = '\n';
    assert_int_equal(read_text(huge, HUGE - 1, &err), CUSTOS_OK);
    free(huge);
}

static void
too_many_keys(void **state)
{
    struct buf b;
    custos_err err;

    (void)state;
    buf_init(&b, NULL, 1 << 20);
    for (int i = 0; i <= 2000; i++)
        buf_printf(&b, "k%d: 1\n", i);
    assert_int_equal(read_text(buf_text(&b), b.len, &err), CUSTOS_EPOLICY);
    assert_string_equal(err.said,
                        "policy.yaml, line 2001: more than 2000 keys");
    buf_clear(&b);
}

/* With force_delta the same delta stands. */
static void
delta_can_be_forced(void **state)
{
    static const char text[] =
        "custos: 1\n"
        "budget: {epsilon: 1, delta: 0.1, n: 10, force_delta: true}\n"
        "tables: {t: {source: t.csv, unit: 'row',\n"
        "  columns: {row: {type: integer}}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, text);

    (void)state;
    assert_true(p->delta_forced);
    assert_false(p->tables[0].unit_is_row); /* the column, in quotes */
    arena_free(a);
}

/* A column called row and a unit of rows: which one is meant must be clear. */
static void
row_is_not_guessed(void **state)
{
    static const char text[] = "custos: 1\n"
                               "budget: {epsilon: 1}\n"
                               "tables: {t: {source: t.csv, unit: row,\n"
                               "  columns: {row: {type: integer}}}}\n";
    custos_err err;

    (void)state;
    assert_int_equal(read_text(text, strlen(text), &err), CUSTOS_EPOLICY);
    assert_string_equal(err.said, "policy.yaml, line 3: table 't' has a column "
                                  "row: write \"row\" in quotes for it, or "
                                  "rename it");
}

/* Names with dots are found whole. */
static void
references_to_names_with_dots(void **state)
{
    static const char text[] =
        "custos: 1\n"
        "budget: {epsilon: 1}\n"
        "tables:\n"
        "  a: {source: a.csv, unit: \"b.c\",\n"
        "      columns: {\"b.c\": {type: integer}}}\n"
        "  \"a.b\": {source: b.csv, unit: x,\n"
        "      columns: {x: {type: integer, references: a.b.c},\n"
        "                y: {type: integer, references: a.b.x}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_good(a, text);

    (void)state;
    same(p->tables[1].columns[0].references_table, "a");
    same(p->tables[1].columns[0].references_column, "b.c");
    same(p->tables[1].columns[1].references_table, "a.b");
    arena_free(a);
}

/* Each piece of memory fails once; then the arena's limit is met anywhere. */
static void
memory_fails(void **state)
{
    custos_status st = CUSTOS_ENOMEM;

    (void)state;
    for (size_t n = 2; st == CUSTOS_ENOMEM; n++) {
        struct test_memory memory = {.fail_at = n};
        custos_alloc hooks = test_alloc(&memory);
        arena *a = arena_new(&hooks, MEMORY);
        struct policy *p = NULL;
        custos_err err;

        st = policy_read(a, str_of(good), "policy.yaml", &p, &err);
        assert_true(st == CUSTOS_ENOMEM || st == CUSTOS_OK);
        assert_true(n > 4 || st == CUSTOS_ENOMEM);
        arena_free(a);
        assert_int_equal(memory.live, 0);
    }
}

/* Every prefix and every lost byte: a policy or a sentence, never a crash. */
static void
torn_files(void **state)
{
    static char text[sizeof good];
    size_t len = strlen(good);
    custos_err err;

    (void)state;
    for (size_t i = 0; i < len; i += (size_t)test_size(31, 1)) {
        err.said[0] = '\0';
        if (read_text(good, i, &err))
            assert_true(err.said[0] != '\0');
        memcpy(text, good, i);
        memcpy(text + i, good + i + 1, len - i - 1);
        err.said[0] = '\0';
        if (read_text(text, len - 1, &err))
            assert_memory_equal(err.said, "policy.yaml, ", 13);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_and_defaults),
        cmocka_unit_test(tables_and_units),
        cmocka_unit_test(columns_and_domains),
        cmocka_unit_test(analysts_and_grants),
        cmocka_unit_test(mistakes_of_the_file),
        cmocka_unit_test(mistakes_of_budgets),
        cmocka_unit_test(mistakes_of_tables),
        cmocka_unit_test(mistakes_of_columns),
        cmocka_unit_test(mistakes_of_references),
        cmocka_unit_test(mistakes_of_analysts),
        cmocka_unit_test(empty_and_huge_files),
        cmocka_unit_test(too_many_keys),
        cmocka_unit_test(delta_can_be_forced),
        cmocka_unit_test(row_is_not_guessed),
        cmocka_unit_test(references_to_names_with_dots),
        cmocka_unit_test(memory_fails),
        cmocka_unit_test(torn_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
