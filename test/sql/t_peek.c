/*
 * The quick scan of a text: it finds the statements that PostgreSQL's scanner
 * finds, never counts fewer words than that scanner, and tells SELECTs of the
 * policy's tables (`private`) from other statements.
 */
#include "sql/peek.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sql/tokens.h"
#include "support/support.h"

enum { ARENA_MAX = 1 << 26, TEXTS = 20000, TEXT_MAX = 200 };

static void
private_tables_are_told_from_the_rest(void **state)
{
    static const struct {
        const char *sql;
        bool private, explain;
        size_t statements;
    } all[] = {
        {"SELECT count(*) FROM t", true, false, 1},
        {"  select 1 from t ; ", true, false, 1},
        {"EXPLAIN SELECT 1 FROM t", true, true, 1},
        {"explain with a as (select 1) select 1 from a", true, true, 1},
        {"EXPLAIN ANALYZE SELECT 1 FROM t", false, true, 1},
        {"SELECT 1", false, false, 1},
        {"SELECT 'from'", false, false, 1},
        {"SELECT E'\\'' , 1 FROM t", true, false, 1},
        {"SELECT E'\\' FROM t'", false, false, 1},
        {"SELECT '\\' FROM t", true, false, 1},
        {"SELECT $$ ; $$ FROM t", true, false, 1},
        {"SELECT $x$ $$ FROM $x$", false, false, 1},
        {"SELECT $1 FROM t", true, false, 1},
        {"SELECT 1 -- FROM t", false, false, 1},
        {"SELECT 1 /* /* */ FROM t */", false, false, 1},
        {"SELECT 1 /* ; */ FROM t", true, false, 1},
        {"SELECT \"a;\"\"b\" FROM t", true, false, 1},
        {"SELECT 1 FROM pg_class", false, false, 1},
        {"SELECT 1 FROM t, \"pg_class\"", false, false, 1},
        {"SELECT 1 FROM INFORMATION_SCHEMA.tables", false, false, 1},
        {"SELECT 'pg_class' FROM t", true, false, 1},
        {"SELECT 1 FROM t; SELECT 1 FROM t", false, false, 2},
        {"SHOW x; SELECT 1 FROM t", false, false, 2},
        {"DELETE FROM t", false, false, 1},
        {"", false, false, 0},
        {";;", false, false, 0},
        {"SELECT 1 FROM t WHERE a = '", true, false, 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct sql_peek look;

        sql_peek(str_of(all[i].sql), &look);
        if (look.private != all[i].private || look.explain != all[i].explain ||
            look.statements != all[i].statements)
            fail_msg("%s: private %d, explain %d, %zu statements", all[i].sql,
                     look.private, look.explain, look.statements);
    }
}

/* A random text of pieces that are special for a scanner. */
static void
write_text(char *text)
{
    static const char *const pieces[] = {
        "select ", "from ",    "a",  "pg_x ", ";",     "'",    "''", "\"", "E'",
        "\\",      "$",        "$$", "$t$",   "--",    "\n",   "/*", "*/", "1",
        "1.5e3",   ".",        "<=", "::",    "(",     ")",    ",",  " ",  "*",
        "$1 ",     "\xc3\xa4", "_",  "n'x'",  "u&'x'", "b'0'",
    };
    size_t len = 0;

    for (;;) {
        const char *piece = pieces[(size_t)rand() % COUNT_OF(pieces)];

        if (len + strlen(piece) >= (size_t)rand() % TEXT_MAX)
            break;
        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
    }
    text[len] = '\0';
}

static size_t
count_statements(const struct sql_token *tokens, size_t n)
{
    size_t found = 0;
    bool open = false;

    for (size_t i = 0; i < n; i++) {
        bool ends = tokens[i].kind == PG_QUERY__TOKEN__ASCII_59;

        found += !open && !ends;
        open = !ends;
    }
    return found;
}

static void
it_sees_what_the_scanner_sees(void **state)
{
    size_t compared = 0;

    (void)state;
    srand(7);
    for (size_t i = 0; i < TEXTS; i++) {
        arena *a = arena_new(NULL, ARENA_MAX);
        struct sql_token *tokens = NULL;
        char text[TEXT_MAX + 1];
        struct sql_peek look;
        custos_err err = CUSTOS_ERR_INIT;
        size_t n = 0;

        write_text(text);
        sql_peek(str_of(text), &look);
        assert_true(look.at + look.len <= strlen(text));
        if (!pg_scan(a, text, &tokens, &n, &err)) {
            compared++;
            if (look.words < n ||
                look.statements != count_statements(tokens, n))
                fail_msg("%s: %zu words of %zu, %zu statements of %zu", text,
                         look.words, n, look.statements,
                         count_statements(tokens, n));
        }
        arena_free(a);
    }
    assert_true(compared > TEXTS / 20);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_tables_are_told_from_the_rest),
        cmocka_unit_test(it_sees_what_the_scanner_sees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
