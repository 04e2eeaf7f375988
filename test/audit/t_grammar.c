/*
 * The generator of queries: the same seed makes the same queries, brackets
 * close, and every function and aggregate of the dialect is reached.
 */
#include "audit/curator/grammar.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "audit/curator/all_types.h"
#include "audit/curator/corpus.h"
#include "audit/curator/shape.h"
#include "base/base.h"

enum { QUERIES = 3000 };

/* How a function or aggregate is written, from its canonical text. */
struct written {
    const char *form, *word, *field;
};

#define INFIX "infix"
#define PREFIX "prefix"
#define SUFFIX "suffix"
#define FUNCTION "function"
#define FIELD "field"
#define RANGED "ranged"

#define FIRST_3(a, b, c, ...) a, b, c

static const struct written functions[] = {
#define ROW(id, ...) {__VA_ARGS__},
#define TEXT(...) FIRST_3(__VA_ARGS__, NULL, NULL)
#include "sql/functions.def"
};

#undef RANGED

static const struct written aggregates[] = {
#define ROW(id, ...) {__VA_ARGS__},
#define TEXT(opening) "aggregate", opening, NULL
#include "sql/aggregates.def"
};

/* The words that the generator writes instead of the canonical ones. */
static const char *
word_of(const struct written *w)
{
    static const char *const other[][2] = {
        {"btrim", "trim("},        {"substr", "substring("},
        {"LEAST", "least("},       {"GREATEST", "greatest("},
        {"COALESCE", "coalesce("}, {"NULLIF", "nullif("},
    };

    for (size_t i = 0; i < COUNT_OF(other); i++)
        if (!strcmp(w->word, other[i][0]))
            return other[i][1];
    return w->word;
}

static void
text_of(const struct written *w, char out[64])
{
    if (w->field && !strcmp(w->word, "date_part"))
        snprintf(out, 64, "extract(%s FROM ", w->field);
    else if (w->field)
        snprintf(out, 64, "%s('%s', ", w->word, w->field);
    else
        snprintf(out, 64, "%s", word_of(w));
}

/* Marks what occurs in the text. */
static void
mark(const struct written *list, size_t n, const char *sql, bool *seen)
{
    for (size_t i = 0; i < n; i++) {
        char text[64];

        text_of(&list[i], text);
        seen[i] = seen[i] || strstr(sql, text);
    }
}

static void
make(struct grammar *g, struct made *m, unsigned i, struct buf *sql)
{
    buf_clear(sql);
    buf_init(sql, NULL, GRAMMAR_TEXT_MAX);
    grammar_make(g, (enum aim)(i % N_AIMS), m);
    made_write(m, sql);
}

static void
every_function_is_reached(void **state)
{
    bool seen[COUNT_OF(functions)] = {false};
    bool found[COUNT_OF(aggregates)] = {false};
    struct grammar g;
    struct made m;
    struct buf sql;

    (void)state;
    grammar_init(&g, &all_types, 1, 0);
    made_init(&m);
    buf_init(&sql, NULL, GRAMMAR_TEXT_MAX);
    for (unsigned i = 0; i < QUERIES; i++) {
        make(&g, &m, i, &sql);
        mark(functions, COUNT_OF(functions), buf_text(&sql), seen);
        mark(aggregates, COUNT_OF(aggregates), buf_text(&sql), found);
    }
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (!seen[i])
            fail_msg("no query has %s %s", functions[i].word,
                     functions[i].field ? functions[i].field : "");
    for (size_t i = 0; i < COUNT_OF(aggregates); i++)
        if (!found[i])
            fail_msg("no query has %s", aggregates[i].word);
    buf_clear(&sql);
    made_clear(&m);
}

/* One query in 20 or so asks for several tables, in every way of asking. */
static void
tables_are_asked_for(void **state)
{
    static const char *const words[] = {" ROLLUP (1)", " ROLLUP (1, 2)",
                                        " CUBE (1, 2)", " GROUPING SETS (",
                                        "table_error = largest"};
    unsigned seen[COUNT_OF(words)] = {0}, tables = 0;
    struct grammar g;
    struct made m;
    struct buf sql;

    (void)state;
    grammar_init(&g, &all_types, 2, 0);
    made_init(&m);
    buf_init(&sql, NULL, GRAMMAR_TEXT_MAX);
    for (unsigned i = 0; i < QUERIES; i++) {
        make(&g, &m, i, &sql);
        tables += m.tables;
        for (size_t k = 0; k < COUNT_OF(words); k++)
            seen[k] += strstr(buf_text(&sql), words[k]) != NULL;
    }
    print_message("# %u of %d queries\n", tables, QUERIES);
    assert_in_range(tables, QUERIES / 40, QUERIES / 10);
    for (size_t k = 0; k < COUNT_OF(words); k++)
        assert_true(seen[k] > 5);
    buf_clear(&sql);
    made_clear(&m);
}

static void
a_seed_makes_the_same_queries(void **state)
{
    struct grammar g[3];
    struct made m;
    struct buf sql[3];
    unsigned differ = 0;

    (void)state;
    made_init(&m);
    grammar_init(&g[0], &demo_types, 7, 1);
    grammar_init(&g[1], &demo_types, 7, 1);
    grammar_init(&g[2], &demo_types, 7, 2);
    for (int k = 0; k < 3; k++)
        buf_init(&sql[k], NULL, GRAMMAR_TEXT_MAX);
    for (unsigned i = 0; i < 200; i++) {
        for (int k = 0; k < 3; k++)
            make(&g[k], &m, i, &sql[k]);
        assert_string_equal(buf_text(&sql[0]), buf_text(&sql[1]));
        differ += strcmp(buf_text(&sql[0]), buf_text(&sql[2])) != 0;
    }
    assert_true(differ > 190);
    for (int k = 0; k < 3; k++)
        buf_clear(&sql[k]);
    made_clear(&m);
}

static int
depth_at_the_end(const char *s)
{
    int depth = 0;

    for (; *s && depth >= 0; s++) {
        if (*s == '\'') {
            s = strchr(s + 1, '\'');
            assert_non_null(s);
        }
        depth += (*s == '(') - (*s == ')');
    }
    return depth;
}

/* Items are found by their position, and can be left out. */
static void
items_can_be_dropped(void **state)
{
    struct grammar g;
    struct made m;
    struct buf sql;

    (void)state;
    grammar_init(&g, &all_types, 3, 0);
    made_init(&m);
    buf_init(&sql, NULL, GRAMMAR_TEXT_MAX);
    for (unsigned i = 0; i < 300; i++) {
        const char *at;
        size_t n, k;

        make(&g, &m, i, &sql);
        if (sql.failed)
            continue;
        assert_int_equal(depth_at_the_end(buf_text(&sql)), 0);
        n = made_left(&m);
        k = n - 1;
        at = buf_text(&m.items) + m.start[k];
        at = memmem(buf_text(&sql), sql.len, at, m.start[k + 1] - m.start[k]);
        assert_non_null(at);
        assert_true(made_item_at(&m, (size_t)(at - buf_text(&sql))) <= k);
        m.dropped[k] = true;
        assert_int_equal(made_left(&m), n - 1);
    }
    buf_clear(&sql);
    made_clear(&m);
}

static void
counts_and_sums_are_recognised(void **state)
{
    struct shape s;

    (void)state;
    shape_read("SELECT count(*), sum(age) FROM patients", &s);
    assert_true(s.plain && s.n_items == 2 && s.n_keys == 0 && s.rows[0]);
    shape_read("SELECT sex, count(DISTINCT 'a,b') FROM p GROUP BY 1", &s);
    assert_true(s.plain && s.n_items == 2 && s.n_keys == 1 && !s.rows[1]);
    shape_read("SELECT sum(a) / sum(b) FROM p", &s);
    assert_false(s.plain);
    shape_read("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) "
               "sum(least(a, (b)), contribution_bounds_per_row => (0, 1)) FROM "
               "p LIMIT 3",
               &s);
    assert_true(s.plain && s.n_items == 1 && s.filtered);
    shape_read("WITH v AS (SELECT 1) SELECT count(*) FROM v", &s);
    assert_false(s.plain);
}

/* Whole queries, about one person or with a price of their own where it matters. */
static void
the_standing_corpus_is_whole(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    size_t persons = 0, priced = 0;
    struct corpus c = {0};

    (void)state;
    assert_int_equal(corpus_standing(&c, &err), CUSTOS_OK);
    assert_true(c.n > 350);
    for (size_t i = 0; i < c.n; i++) {
        const char *sql = c.query[i].sql;

        if (strncmp(sql, "SELECT ", 7) != 0 && strncmp(sql, "WITH ", 5) != 0)
            fail_msg("no query: %.80s", sql);
        persons += strstr(sql, "$P") != NULL;
        priced += c.query[i].epsilon > 0;
    }
    assert_true(persons > 200 && priced > 0);
    corpus_clear(&c);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_reached),
        cmocka_unit_test(tables_are_asked_for),
        cmocka_unit_test(a_seed_makes_the_same_queries),
        cmocka_unit_test(items_can_be_dropped),
        cmocka_unit_test(counts_and_sums_are_recognised),
        cmocka_unit_test(the_standing_corpus_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
