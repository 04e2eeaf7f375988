/*
 * Shared by the tests of DuckDB's own behaviour: a database in memory, and the
 * outcome of one expression over one stored value. The value is in a table
 * because literals are folded, and the result is read as text because `(e) IS
 * NULL` can be answered without evaluating e.
 */
#ifndef TEST_ENGINE_FACTS_H
#define TEST_ENGINE_FACTS_H

#include <stdio.h>

#include "base/base.h"
#include "base/str.h"
#include "engine/duckdb/duck.h"
#include "support/support.h"

#define THROWS "(throws)"
#define NONE "(null)"

struct facts {
    struct duck *db;
    struct duck_connection *c;
    char outcome[512];
};

/*
 * value: SQL of the stored value, column `a` of table x; expr: an expression
 * over it, or a complete query without SELECT if it has a FROM; want: text of
 * all rows.
 */
struct fact {
    const char *value;
    const char *expr;
    const char *want;
};

static inline void
facts_do(struct facts *f, const char *sql)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (duck_do(f->c, sql, &err))
        fail_msg("%s: %s", sql, err.noted);
}

static inline void
facts_open(struct facts *f)
{
    custos_err err = CUSTOS_ERR_INIT;

    assert_int_equal(duck_open(NULL, DUCK_WRITE, &f->db, &err), CUSTOS_OK);
    assert_int_equal(duck_connect(f->db, &f->c, &err), CUSTOS_OK);
    facts_do(f, "SET threads = 1");
}

static inline void
facts_close(struct facts *f)
{
    duck_disconnect(f->c);
    duck_close(f->db);
}

/*
 * Cells are separated by spaces, rows by semicolons. Every column must be text.
 */
static inline custos_status
facts_write(struct facts *f, struct result *rows, struct buf *b,
            custos_err *err)
{
    struct column columns[16];
    size_t n = 0;
    custos_status st;

    (void)f;
    assert_true(result_width(rows) <= COUNT_OF(columns));
    while (!(st = result_next(rows, &n, columns, err)) && n > 0)
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < result_width(rows); k++) {
                str text = column_text(&columns[k], i);

                buf_add_text(b, k ? " " : b->len ? "; " : "");
                if (column_is_null(&columns[k], i))
                    buf_add_text(b, NONE);
                else
                    buf_add(b, text.ptr, text.len);
            }
    return st;
}

/* The rows of a query as text, or THROWS; what the engine said goes to err. */
static inline const char *
facts_ask(struct facts *f, const char *sql, custos_err *err)
{
    struct result *rows = NULL;
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    st = duck_ask(f->c, sql, &rows, err);
    if (!st)
        st = facts_write(f, rows, &b, err);
    result_free(rows);
    snprintf(f->outcome, sizeof f->outcome, "%s", st ? THROWS : buf_text(&b));
    buf_clear(&b);
    return f->outcome;
}

/*
 * False if the engine could not parse or bind it, which must not count as
 * throwing.
 */
static inline bool
facts_understood(const char *noted)
{
    return !strstr(noted, "Binder Error") && !strstr(noted, "Parser Error") &&
           !strstr(noted, "Catalog Error");
}

static inline void
facts_hold(const struct fact *list, size_t n)
{
    struct facts f;
    char sql[2048];
    size_t wrong = 0;

    facts_open(&f);
    for (size_t i = 0; i < n; i++) {
        const struct fact *is = &list[i];
        const char *from = strstr(is->expr, " FROM ");
        custos_err err = CUSTOS_ERR_INIT;

        snprintf(sql, sizeof sql, "CREATE OR REPLACE TABLE x AS SELECT %s AS a",
                 is->value);
        facts_do(&f, sql);
        snprintf(sql, sizeof sql, "SELECT CAST(%.*s AS VARCHAR)%s",
                 (int)(from ? (size_t)(from - is->expr) : strlen(is->expr)),
                 is->expr, from ? from : " FROM x");
        if (!strcmp(facts_ask(&f, sql, &err), is->want) &&
            facts_understood(err.noted))
            continue;
        print_message("a = %s: %s is %s, not %s (%s)\n", is->value, is->expr,
                      f.outcome, is->want, err.noted);
        wrong++;
    }
    facts_close(&f);
    assert_int_equal(wrong, 0);
}

#endif
