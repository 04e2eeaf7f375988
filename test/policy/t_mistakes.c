/*
 * Every error message about a bad file, its budgets and its tables, with its
 * line.
 */
#include "policy/good.h"

static void
mistakes_of_the_file(void **state)
{
    static const struct mistake mistakes[] = {
        {"custos: 2\n", "",
         "line 1: the file does not name its format; begin it with custos: 2"},
        {"custos: 2", "custos: 3",
         "line 1: this custos reads policies of formats 1 to 2, not 3; install "
         "a newer custos"},
        {"custos: 2", "custos: 0",
         "line 1: custos must be a whole number from 1 to 4294967295, not "
         "'0'"},
        {"custos: 2", "custos: x",
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
         "allowed in this file; put quotes around such text"},
        {"budget: {epsilon", "budget: {&e epsilon",
         "line 3: anchors and aliases (& and *) are not allowed in this file; "
         "put "
         "quotes around such text"},
        {"[0, 120]", "[&a 0, 120]",
         "line 17: anchors and aliases (& and *) are not allowed in this file; "
         "put quotes around such text"},
        {"1e-7", "*d",
         "line 3: anchors and aliases (& and *) are not allowed in "
         "this file; put quotes around such text"},
        {"1e-7", "!!float 1e-7",
         "line 3: tags (!) are not allowed in this file; "
         "put quotes around such text"},
        {"custos: 2", "%YAML 1.1\n---\ncustos: 2",
         "line 1: directives (%) are not allowed in this file"},
        {"analysts:", "---\nanalysts:",
         "line 42: a second document (---) "
         "begins here; there can be only one"},
        {"  ana:", "\t- ana:",
         "line 43: not valid YAML: found character that cannot start any "
         "token"},
        {"  ana:", "  owner:",
         "line 43: an analyst cannot be called owner; choose another name"},
        {"who they are", "\"a\\0b\"", "line 14: text with a NUL in it"},
        {"who they are", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
         "line 14: nested deeper than 16 levels"},
        {"who they are", "\x01",
         "line 14: not valid YAML: control characters are not allowed"},
        {"who they are", "\xff",
         "line 14: not valid YAML: invalid leading UTF-8 octet"},
        {"rows_per_unit: 20", "rows_per_unit: TODO",
         "line 25: this TODO is still open; only the owner of the data knows "
         "the answer; the comment beside it has the question"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

/* Lines that only named sources need, before line 10 of the good policy. */
#define SOURCES(text) "sources: {" text "}\ntables:\n"

static void
mistakes_of_sources(void **state)
{
    static const struct mistake mistakes[] = {
        {"tables:\n", "sources: [a]\ntables:\n",
         "line 10: sources must be a map of names"},
        {"tables:\n", SOURCES("\"\": {engine: duckdb, file: f}"),
         "line 10: an empty name in sources"},
        {"tables:\n", SOURCES("s: f.duckdb"),
         "line 10: a source must be a map of keys to values"},
        {"tables:\n", SOURCES("s: {file: f.duckdb}"),
         "line 10: source 's' has no engine; add engine: duckdb"},
        {"tables:\n", SOURCES("s: {engine: duckdb}"),
         "line 10: source 's' has no file; name the DuckDB file that its "
         "tables are in"},
        {"tables:\n", SOURCES("s: {engine: postgresql, host: h}"),
         "line 10: there is no engine 'postgresql' in this custos; it has: "
         "duckdb"},
        {"tables:\n", SOURCES("s: {engine: [duckdb], file: f}"),
         "line 10: engine must be a single value"},
        {"tables:\n", SOURCES("s: {engine: duckdb, file: f, files: g}"),
         "line 10: there is no key 'files' in a source; did you mean file?"},
        {"tables:\n", SOURCES("s: {engine: duckdb, file: \"\"}"),
         "line 10: file is empty"},
        {"tables:\n", SOURCES("s: {engine: duckdb, file: f, password: hush}"),
         "line 10: a policy has no secrets, and so no password; write it to a "
         "file that only you can read, and name the file as secret_file"},
        {"tables:\n",
         SOURCES("s: {engine: duckdb, file: f, secret_file: \"\"}"),
         "line 10: secret_file is empty"},
        {"source: patients.csv", "from: archive",
         "line 12: there is no source 'archive'; name it under sources: of the "
         "policy, or give a file as source:"},
        {"source: patients.csv", "from: patients.csv",
         "line 12: there is no source 'patients.csv'; name it under sources: "
         "of the policy, or give a file as source:"},
        {"source: patients.csv", "source: patients.csv\n    from: a",
         "line 13: table 'patients' has both source and from; keep source if "
         "it is in a file, from if it is in one of the sources"},
        {"tables:\n  patients:\n    source: patients.csv\n",
         SOURCES("s: {engine: duckdb, file: f}") "  patients:\n    from: s\n"
                                                 "    format: csv\n",
         "line 14: format is only for files that source names"},
        {"tables:\n  patients:\n    source: patients.csv\n",
         SOURCES(
             "s: {engine: duckdb, file: f, secret_file: k}") "  patients:\n    "
                                                             "from: s\n    "
                                                             "attach: true\n",
         "line 14: table 'patients' cannot be attached: each query would need "
         "the secret of its source; leave out attach, and it is imported"},
        {"custos: 2\n", "custos: 1\nsources: {}\n",
         "line 2: sources is a key of format 2, and this file has format 1; "
         "write custos: 2"},
    };

    (void)state;
    CHECK_ALL(mistakes);
}

static void
mistakes_of_budgets(void **state)
{
    static const struct mistake mistakes[] = {
        {"budget: {epsilon: 1, delta: 1e-7, n: 1e6}", "",
         "line 1: there is no budget; add budget: {epsilon: ..., delta: ...}"},
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
         "line 3: delta is 1/n or more: it would permit publishing somebody's "
         "data outright; give a smaller delta, or force_delta: true to keep "
         "it"},
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
        {"max_groups: 1000", "min_epsilon: -1",
         "line 8: min_epsilon must be 0, or a number from 1e-20 to 1e6, such "
         "as 1e-4, not '-1'"},
        {"max_groups: 1000", "min_epsilon: 0.6",
         "line 8: min_epsilon is above what one query may cost (max_epsilon, "
         "or the budget)"},
        {"delta: 1e-7, n: 1e6}\nquery:\n", "n: 1e6}\nquery:\n  max_rho: 1\n",
         "line 5: max_rho needs a budget with a delta: without one, only "
         "epsilon is counted"},
        {"custos: 2\nadjacency: change-one\nbudget: {epsilon: 1, delta: 1e-7, "
         "n: 1e6}\nquery:\n",
         "custos: 1\nbudget: {epsilon: 1, delta: 1e-7, n: 1e6}\nquery:\n"
         "  max_rho: 1\n",
         "line 4: max_rho is a key of format 2, and this file has format 1; "
         "write custos: 2"},
        {"max_groups: 1000", "max_rho: 0",
         "line 8: max_rho must be a number from 1e-20 to 1e6, such as 0.5 or "
         "1/3, not '0'"},
        {"max_groups: 1000", "max_rho: 1e-3\n  min_rho: 2e-3",
         "line 8: max_rho is below min_rho"},
        {"max_groups: 1000", "min_rho: 1e7",
         "line 8: min_rho must be 0, or a number from 1e-20 to 1e6, such as "
         "1e-4, not '1e7'"},
        {"tables:\n", "storage: {answer_day: 9}\ntables:\n",
         "line 10: there is no key 'answer_day' in storage; did you mean "
         "answer_days?"},
        {"tables:\n", "tripwire: {failures: 0}\ntables:\n",
         "line 10: failures must be a whole number from 1 to 1000000, not "
         "'0'"},
        {"tables:\n", "tripwire: {overrun_rate: 1.5}\ntables:\n",
         "line 10: overrun_rate must be a number from 0 to 1, such as 0.001, "
         "not '1.5'"},
        {"tables:\n", "tripwire: {failure: 3}\ntables:\n",
         "line 10: there is no key 'failure' in tripwire; did you mean "
         "failures?"},
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
         "line 11: 'Patients' is not a lower-case SQL word; write it in "
         "quotes, here and in queries"},
        {"  patients:", "  2nd:",
         "line 11: '2nd' is not a lower-case SQL word; write it in quotes, "
         "here and in queries"},
        {"  patients:", "  '':", "line 11: an empty name in tables"},
        {"  patients:", "  \"a\\tb\":",
         "line 11: a name in tables has a "
         "control character"},
        {"  patients:", "  \"a\\u009bb\":",
         "line 11: a name in tables has a control character"},
        {"  patients:",
         "  a234567890123456789012345678901234567890123456789012345678901234:",
         "line 11: the name 'a234567890123456789012345678901234567890...' is "
         "longer than 63 bytes"},
        {"    unit: id\n", "",
         "line 11: table 'patients' does not say whom it protects; add unit: "
         "and a column (or row), or public: true"},
        {"unit: id", "unit: name",
         "line 13: the unit 'name' is not a column of table 'patients'"},
        {"unit: id", "unit: row",
         "line 11: rows of 'visits' belong to rows of "
         "'patients', whose unit must then be a "
         "column, such as id"},
        {"unit: id", "unit: [id]", "line 13: unit must be a single value"},
        {"    source: patients.csv\n", "",
         "line 12: table 'patients' has no source; name the file that it is "
         "in"},
        {"patients.csv", "patients",
         "line 12: the format of 'patients' does not follow from its name; add "
         "format: csv, parquet or duckdb"},
        {"patients.csv", "patients.csv\n    source_table: x",
         "line 13: source_table is only for DuckDB files"},
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
        {"attach: true", "unit: nobody",
         "line 40: table 'cities' is public and protects nobody: it cannot "
         "have unit"},
        {"attach: true", "rows_per_unit: 2",
         "line 40: table 'cities' is public and protects nobody: it cannot "
         "have rows_per_unit"},
        {"attach: true", "bound: after-where",
         "line 40: table 'cities' is public and protects nobody: it cannot "
         "have bound"},
        {"public: true", "public: false",
         "line 37: table 'cities' does not say whom it protects; add unit: and "
         "a column (or row), or public: true"},
        {"rows_per_unit: 20", "rows_per_unit: 0",
         "line 25: rows_per_unit must be a whole number from 1 to 2147483648, "
         "not '0'"},
        {"groups_per_unit: 5", "groups_per_unit: 21",
         "line 26: groups_per_unit is above rows_per_unit (20): a row is in "
         "one group"},
        {"groups_per_unit: 5", "groups_per_unit: 0",
         "line 26: groups_per_unit must be a whole number from 1 to "
         "2147483648, not '0'"},
        {"groups_per_unit: 5", "rows_per_unit_and_group: 21",
         "line 26: rows_per_unit_and_group is above rows_per_unit (20): a unit "
         "has no more rows in one group than in all"},
        {"groups_per_unit: 5", "rows_per_unit_and_group: 0",
         "line 26: rows_per_unit_and_group must be a whole number from 1 to "
         "2147483648, not '0'"},
        {"attach: true", "rows_per_unit_and_group: 2",
         "line 40: table 'cities' is public and protects nobody: it cannot "
         "have rows_per_unit_and_group"},
        {"max_rows: 1e9", "exact_rows: 100",
         "line 28: exact_rows needs unit: row; one unit that is replaced could "
         "otherwise change the number of rows"},
        {"max_rows: 1e9", "max_rows: 1e9\n    exact_rows: 100",
         "line 29: exact_rows is also the most rows: the table cannot have "
         "max_rows besides"},
        {"bound: before-where\n    max_rows: 1e9",
         "attach: true\n    exact_rows: 100",
         "line 28: an attached table cannot have exact_rows: its file is not "
         "checked when it is read"},
        {"max_rows: 1e9", "exact_rows: 0",
         "line 28: exact_rows must be a whole number from 1 to "
         "281474976710656, not '0'"},
        {"attach: true", "exact_rows: 5",
         "line 40: table 'cities' is public and protects nobody: it cannot "
         "have exact_rows"},
        {"max_rows: 1e9", "constraints: cost > 1",
         "line 28: constraints must be a list of at most 100 conditions; "
         "write, "
         "for example, constraints: [\"age >= 15\"]"},
        {"max_rows: 1e9", "constraints: [cost > 1, [late]]",
         "line 28: a constraint must be a single value"},
        {"attach: true", "constraints: [name = 'Rome']",
         "line 40: table 'cities' is public and protects nobody: it cannot "
         "have constraints"},
        {"before-where", "sometimes",
         "line 27: bound must be after-where or "
         "before-where"},
        {"source: data/visits.db\n    format: duckdb\n    source_table: all "
         "visits\n    unit",
         "comment: x\n    source: [v.csv]\n    public: false\n    attach: "
         "true\n    unit",
         "line 22: source must be a single value"},
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_the_file),
        cmocka_unit_test(mistakes_of_sources),
        cmocka_unit_test(mistakes_of_budgets),
        cmocka_unit_test(mistakes_of_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
