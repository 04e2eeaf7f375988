/*
 * Remarks: each one on a policy that calls for it, with its line, and none on
 * the example in the documentation.
 */
#include <stdlib.h>

#include "policy/good.h"

enum { FILE_MAX = 1 << 16 };

static const struct policy *
read_policy(arena *a, str text)
{
    struct policy *p = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (policy_read(a, text, "policy.yaml", &p, &err))
        fail_msg("%s", err.said);
    return p;
}

/*
 * All remarks, one a line: "3! sentence" for a danger, otherwise "3 sentence".
 */
static void
remarks(arena *a, const char *text, struct buf *out)
{
    const struct policy *p = read_policy(a, str_of(text));
    struct policy_remark *r = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    size_t n = 0;

    assert_int_equal(policy_check(a, p, &r, &n, &err), CUSTOS_OK);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%d%s %s\n", r[i].line, r[i].danger ? "!" : "",
                   r[i].said);
    assert_false(out->failed);
}

/* These are all remarks on this text. */
static void
check_text(const char *text, const char *expected)
{
    arena *a = arena_new(NULL, MEMORY);
    struct buf got;

    buf_init(&got, NULL, FILE_MAX);
    remarks(a, text, &got);
    assert_string_equal(buf_text(&got), expected);
    buf_clear(&got);
    arena_free(a);
}

static void
check(const char *budget, const char *table, const char *rest,
      const char *expected)
{
    struct buf text;

    buf_init(&text, NULL, FILE_MAX);
    buf_printf(&text,
               "custos: 2\n"
               "budget: %s\n"
               "tables: {t: {source: t.csv, max_rows: 9, %s}}\n"
               "%s\n",
               budget, table, rest);
    check_text(buf_text(&text), expected);
    buf_clear(&text);
}

#define BUDGET "{epsilon: 1, delta: 1e-9, n: 1000}"
#define TABLE                                                                  \
    "unit: id, rows_per_unit: 1, columns: {id: {type: integer},"               \
    " b: {type: boolean}}"
#define QUERY "query: {max_epsilon: 0.5}"

static void
nothing_to_say(void **state)
{
    (void)state;
    check(BUDGET, TABLE, QUERY, "");
}

static void
dangerous_budgets(void **state)
{
    (void)state;
    check("{epsilon: 10.01, delta: 1e-9, n: 1000}", TABLE, QUERY,
          "2! epsilon 10.01 is above 10: whatever may happen to somebody may "
          "become more than 20,000 times as likely by taking part; hardly "
          "anything is promised\n");
    check("{epsilon: 10, delta: 1e-9, n: 1000}", TABLE, QUERY,
          "2 epsilon 10 is above 1, the usual upper end of strong promises; "
          "custos risk --epsilon 10 says what it means\n");
    check("{epsilon: 1, delta: 0.01, n: 1000, force_delta: true}", TABLE, QUERY,
          "2! force_delta keeps a delta of any size: at 1/n or more it permits "
          "publishing somebody's data outright\n");
    check("{epsilon: 1, delta: 1e-9}", TABLE, QUERY,
          "2! n, the public number of people, is not given: nobody can check "
          "that delta 1e-9 is below 1/n\n");
    check("{epsilon: 1}", TABLE, QUERY, "");
}

static void
caps_of_queries(void **state)
{
    (void)state;
    check(BUDGET, TABLE, "query: {epsilon: 0.6, max_epsilon: 0.5}",
          "4 a query that names no epsilon would take 0.6, above max_epsilon "
          "0.5, and be rejected\n");
    check(BUDGET, TABLE, "query: {max_epsilon: 2}",
          "4 max_epsilon 2 is above the whole budget 1: it limits nothing\n");
    check(BUDGET, TABLE, "",
          "2 max_epsilon is not below the budget: one query may spend all of "
          "it\n");
}

/* Prices in rho concern everybody; where there is no delta they are of no use. */
static void
prices_in_rho(void **state)
{
    static const char allows[] =
        "4 max_rho allows prices in rho: after the first of them the sum of "
        "epsilon is infinite, and the budget counts in rho alone, for "
        "everybody\n";
    char expected[2000];

    (void)state;
    check(BUDGET, TABLE, "query: {max_epsilon: 0.5, max_rho: 0.001}", allows);
    snprintf(
        expected, sizeof expected,
        "%s4 max_rho 0.1 is not below 0.01440757861464570454, the rho that "
        "keeps the budget: one query may spend all of it\n",
        allows);
    check(BUDGET, TABLE, "query: {max_epsilon: 0.5, max_rho: 0.1}", expected);
    snprintf(expected, sizeof expected,
             "%s6 'ana' cannot ask at a price in rho: the budget has no delta\n"
             "6 'ana' has no delta: answers come with Laplace noise only\n"
             "7 'bo' cannot ask at a price in rho: the window has no delta\n",
             allows);
    check(BUDGET, TABLE,
          "query: {max_epsilon: 0.5, max_rho: 0.001}\nanalysts:\n"
          "  ana: {budget: {epsilon: 0.3}, tables: {t: all}}\n"
          "  bo: {budget: {epsilon: 0.3, delta: 1e-9}, tables: {t: all},"
          " window: {epsilon: 0.1, delta: 0, days: 1}}",
          expected);
}

static void
tables_and_columns(void **state)
{
    (void)state;
    check(
        BUDGET, "unit: row, columns: {b: {type: boolean}}", QUERY,
        "3 table 't' protects single rows: somebody with k rows is promised "
        "only k times epsilon; if a column names people, let it be the unit\n");
    check(BUDGET, "unit: id, columns: {id: {type: integer}}", QUERY,
          "3 table 't' does not say rows_per_unit: each query spends a quarter "
          "of its epsilon on choosing a bound; where a unit has one row, say "
          "rows_per_unit: 1\n");
    check(
        BUDGET,
        "unit: id, rows_per_unit: 2, columns: {id: {type: integer},\n"
        " a: {type: integer},\n b: {type: integer, values: [1, 2]},\n"
        " c: {type: text},\n d: {type: date},\n e: {type: timestamp},\n"
        " f: {type: real},\n g: {type: text, values: [a]}}",
        QUERY,
        "4 column 'a' has no range: a query that sums or averages it must "
        "state limits; if you group by it, only groups of many units are "
        "shown\n"
        "6 column 'c' has no values: if you group by it, only groups of many "
        "units are shown\n"
        "7 column 'd' has no range, so its years and months have none either: "
        "if you group by it, only groups of many units are shown\n"
        "8 column 'e' has no range, so its years and months have none either: "
        "if you group by it, only groups of many units are shown\n"
        "9 column 'f' has no range: a query that sums or averages it must "
        "state limits; you cannot group by it\n");
    check(BUDGET,
          "unit: id, rows_per_unit: 2, columns: {id: {type: integer},\n"
          " a: {type: integer, find_range: true},\n"
          " b: {type: real, range: [0, 9], find_range: true}}",
          QUERY,
          "4 column 'a' has find_range: a query that sums, averages or ranks "
          "it without limits of its own spends a fifth of its price to find a "
          "range, which lies within -10^12 to 10^12 as long as the column has "
          "no range of its own\n"
          "5 column 'b' has find_range: a query that sums, averages or ranks "
          "it without limits of its own spends a fifth of its price to find a "
          "range\n");
    check("{epsilon: 1, n: 1000}",
          "unit: id, rows_per_unit: 1, columns: {id: {type: integer},\n"
          " c: {type: text}}",
          QUERY, "4 column 'c' has no values: you cannot group by it\n");
    check(BUDGET, "public: true, columns: {a: {type: integer}}", QUERY, "");
}

/*
 * Keys and references need no range, because nobody sums them; a table whose
 * unit is its key needs no rows_per_unit.
 */
static void
keys_are_no_numbers(void **state)
{
    (void)state;
    check(BUDGET,
          "unit: id, columns: {id: {type: integer}}},\n"
          " v: {source: v.csv, max_rows: 9, unit: p, rows_per_unit: 3,\n"
          "     columns: {p: {type: integer, references: t.id},\n"
          "               q: {type: integer, references: t.id}}",
          QUERY, "");
}

static void
analysts(void **state)
{
    (void)state;
    check(BUDGET, TABLE, QUERY "\nanalysts: {ana: {}}",
          "5 'ana' has no budget and may spend all of the common one\n"
          "5 'ana' has no list of tables and may use every one\n");
    check(BUDGET, TABLE,
          QUERY "\nanalysts:\n"
                "  ana: {tables: [t], budget: {epsilon: 0.7, delta: 9e-10}}\n"
                "  bo: {tables: [t], budget: {epsilon: 0.4, delta: 2e-10}}\n",
          "6 analysts are overcommitted: the epsilon of 2 of them adds up to "
          "1.1, above the common 1; whoever asks last may find it spent\n"
          "6 analysts are overcommitted: the delta of 2 of them adds up to "
          "0.0000000011, above the common 1e-9; whoever asks last may find it "
          "spent\n");
    check(
        BUDGET, TABLE,
        QUERY "\nanalysts:\n"
              "  ana:\n"
              "    tables: [t]\n"
              "    budget: {epsilon: 2, delta: 2e-9}\n"
              "    window: {epsilon: 2, days: 1}\n",
        "8 the epsilon of 'ana', 2, is above the common 1, which is spent "
        "first\n"
        "8 the delta of 'ana', 2e-9, is above the common 1e-9, which is spent "
        "first\n"
        "9 the window of 'ana' is no smaller than the budget: it never slows "
        "them down\n");
    /*
     * an analyst's budget may equal the common one; the window of an analyst
     * without a budget is compared with the common one
     */
    check(BUDGET, TABLE,
          QUERY "\nanalysts:\n"
                "  ana: {tables: [t], budget: {epsilon: 1, delta: 1e-9}}\n"
                "  bo: {tables: [t], window: {epsilon: 1, days: 1}}\n",
          "7 'bo' has no budget and may spend all of the common one\n"
          "7 the window of 'bo' is no smaller than the budget: it never slows "
          "them down\n");
    check(BUDGET, TABLE,
          QUERY "\nanalysts: {ana: {tables: [t], budget: {epsilon: 0.5}}}",
          "5 'ana' has no delta: answers come with Laplace noise only\n");
}

/* Budgets that add up to the common one exactly are not too much. */
static void
exact_sums_are_no_remark(void **state)
{
    (void)state;
    check("{epsilon: 1, n: 10}", TABLE,
          "query: {max_epsilon: 0.5}\n"
          "analysts:\n"
          "  a: {tables: [t], budget: {epsilon: 0.1}}\n"
          "  b: {tables: [t], budget: {epsilon: 0.2}}\n"
          "  c: {tables: [t], budget: {epsilon: 0.7}}\n",
          "");
}

/* Remarks are in the order of lines, in whatever order they are found. */
static void
remarks_are_in_order(void **state)
{
    static const char text[] =
        "custos: 2\n"
        "tables: {t: {source: t.csv, max_rows: 9, unit: id,\n"
        "  columns: {id: {type: integer}}}}\n"
        "query: {max_epsilon: 3}\n"
        "budget: {epsilon: 2, n: 5}\n";

    (void)state;
    check_text(
        text,
        "2 table 't' does not say rows_per_unit: each query spends a quarter "
        "of its epsilon on choosing a bound; where a unit has one row, say "
        "rows_per_unit: 1\n"
        "4 max_epsilon 3 is above the whole budget 2: it limits nothing\n"
        "5 epsilon 2 is above 1, the usual upper end of strong promises; "
        "custos risk --epsilon 2 says what it means\n");
}

static void
sources_without_tables(void **state)
{
    (void)state;
    check(BUDGET, TABLE,
          QUERY "\nsources:\n  s: {engine: duckdb, file: s.duckdb}",
          "6 no table is from the source 's'\n");
}

/* A file of an older format is read, and told how to migrate. */
static void
older_formats(void **state)
{
    static const char text[] =
        "query: {max_epsilon: 0.5}\n"
        "custos: 1\n"
        "budget: " BUDGET "\n"
        "tables: {t: {source: t.csv, max_rows: 9, " TABLE "}}\n";

    (void)state;
    check_text(
        text,
        "2 the file has format 1, which lacks the keys of newer ones; custos "
        "policy migrate writes it in format 2 and keeps its comments\n");
}

static void
the_example_is_good(void **state)
{
    static char text[FILE_MAX];
    const char *src = getenv("SRC");
    char path[4096];
    FILE *in;
    size_t len;

    (void)state;
    snprintf(path, sizeof path, "%s/examples/hospital/policy.yaml",
             src ? src : ".");
    in = fopen(path, "r");
    assert_non_null(in);
    len = fread(text, 1, sizeof text - 1, in);
    fclose(in);
    text[len] = '\0';
    check_text(text, "");
}

static void
memory_fails(void **state)
{
    custos_status st = CUSTOS_ENOMEM;
    custos_err err = CUSTOS_ERR_INIT;
    arena *a = arena_new(NULL, MEMORY);
    const struct policy *p = read_policy(a, str_of(good));

    (void)state;
    for (size_t n = 2; st == CUSTOS_ENOMEM; n++) {
        struct test_memory memory = {.fail_at = n};
        custos_alloc hooks = test_alloc(&memory);
        arena *b = arena_new(&hooks, MEMORY);
        struct policy_remark *r = NULL;
        size_t count;

        st = policy_check(b, p, &r, &count, &err);
        assert_true(n > 2 || st == CUSTOS_ENOMEM);
        arena_free(b);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(st, CUSTOS_OK);
    arena_free(a);
}

/* Under add-remove the number of rows is not public. */
static void
exact_rows_need_change_one(void **state)
{
    static const char text[] =
        "custos: 2\nadjacency: %s\nbudget: {epsilon: 1}\n"
        "query: {max_epsilon: 0.5}\n"
        "tables: {t: {source: t.csv, unit: row, exact_rows: 9,\n"
        "             columns: {b: {type: boolean}}}}\n";
    static const char row[] =
        "5 table 't' protects single rows: somebody with k rows is promised "
        "only k times epsilon; if a column names people, let it be the unit\n";
    char changed[500], expected[700];

    (void)state;
    snprintf(changed, sizeof changed, text, "change-one");
    check_text(changed, row);
    snprintf(changed, sizeof changed, text, "add-remove");
    snprintf(expected, sizeof expected,
             "%s5 exact_rows of table 't' only checks the import: a number of "
             "rows is public with adjacency: change-one alone\n",
             row);
    check_text(changed, expected);
}

/* A table without max_rows gets a remark: each init charges a noisy count. */
static void
ceilings_are_asked_for(void **state)
{
    static const char text[] = "custos: 2\nbudget: {epsilon: 1}\n"
                               "tables: {t: {source: t.csv, unit: id,\n"
                               "  rows_per_unit: 1,\n"
                               "  columns: {id: {type: integer}}}}\n";
    arena *a = arena_new(NULL, MEMORY);
    struct buf got;

    (void)state;
    buf_init(&got, NULL, FILE_MAX);
    remarks(a, text, &got);
    assert_non_null(strstr(buf_text(&got), "table 't' has no max_rows"));
    buf_clear(&got);
    arena_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_say),
        cmocka_unit_test(dangerous_budgets),
        cmocka_unit_test(caps_of_queries),
        cmocka_unit_test(prices_in_rho),
        cmocka_unit_test(tables_and_columns),
        cmocka_unit_test(keys_are_no_numbers),
        cmocka_unit_test(analysts),
        cmocka_unit_test(exact_sums_are_no_remark),
        cmocka_unit_test(remarks_are_in_order),
        cmocka_unit_test(ceilings_are_asked_for),
        cmocka_unit_test(sources_without_tables),
        cmocka_unit_test(older_formats),
        cmocka_unit_test(the_example_is_good),
        cmocka_unit_test(exact_rows_need_change_one),
        cmocka_unit_test(memory_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
