/*
 * Reading queries in tests: an accepted query is compared by its canonical
 * text, a rejected one by the error and its position.
 */
#ifndef TEST_SQL_READING_H
#define TEST_SQL_READING_H

#include "sql/tree.h"

#include <stdio.h>

#include "base/base.h"
#include "support/said.h"
#include "support/support.h"

enum { ARENA_MAX = 1 << 26, TEXT_MAX = 1 << 20 };

/* Reads sql and compares its canonical text. */
static inline void
expect(const char *sql, const char *text)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct query *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    struct buf b;

    buf_init(&b, NULL, TEXT_MAX);
    if (sql_read(a, str_of(sql), &q, &err))
        fail_msg("%s\n  refused at %d: %s", sql, err.at, err.said);
    sql_print(q, &b);
    assert_string_equal(buf_text(&b), text);
    buf_clear(&b);
    arena_free(a);
}

/*
 * sql is rejected with `said`, at a position where the text continues with
 * `here`.
 */
static inline void
refuse(custos_status code, const char *sql, const char *here, const char *said)
{
    arena *a = arena_new(NULL, ARENA_MAX);
    struct query *q = NULL;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = sql_read(a, str_of(sql), &q, &err);

    if (st != code || !strstr(whole_said(&err), said) || err.at < 0 ||
        (size_t)err.at > strlen(sql) ||
        strncmp(sql + err.at, here, strlen(here)) != 0)
        fail_msg("%s\n  %d at %d: %s", sql, (int)st, err.at, err.said);
    assert_int_equal(err.code, st);
    assert_null(q);
    arena_free(a);
}

/* Memory fails at any point: the error says so, and nothing leaks. */
static inline void
read_in_every_memory(const char *sql)
{
    custos_status st = CUSTOS_ENOMEM;

    for (size_t limit = 64; st == CUSTOS_ENOMEM; limit += 64) {
        arena *a = arena_new(NULL, limit);
        struct query *q;
        custos_err err = CUSTOS_ERR_INIT;

        if (!a)
            continue;
        st = sql_read(a, str_of(sql), &q, &err);
        assert_true(st == CUSTOS_OK || st == CUSTOS_ENOMEM);
        arena_free(a);
    }
}

static inline void
unsupported(const char *sql, const char *here, const char *said)
{
    refuse(CUSTOS_EUNSUPPORTED, sql, here, said);
}

static inline void
not_sql(const char *sql, const char *here, const char *said)
{
    refuse(CUSTOS_ESYNTAX, sql, here, said);
}

#endif
