/*
 * Shared by the tests of the engine: a folder with sources and a store, and
 * plans made by hand, so that only the engine is tested.
 */
#ifndef TEST_ENGINE_MADE_H
#define TEST_ENGINE_MADE_H

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/str.h"
#include "engine/duckdb/open.h"
#include "engine/engine.h"
#include "engine/import/import.h"
#include "engine/statement/work.h"
#include "store/file.h"
#include "support/support.h"

struct made {
    char folder[64];
    char store_path[96];
    arena *a;
    struct policy *policy;
    struct store store;
    struct engine *engine;
    struct engine_import_table *tables;
    int64_t small_rows; /* larger tables use all threads: 0 by default */
    custos_err err;
};

static inline void
made_folder(struct made *m)
{
    const char *tmp = getenv("TMPDIR");

    memset(m, 0, sizeof *m);
    m->err = (custos_err)CUSTOS_ERR_INIT;
    snprintf(m->folder, sizeof m->folder, "%.40s/custos-XXXXXX",
             tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    assert_non_null(mkdtemp(m->folder));
    snprintf(m->store_path, sizeof m->store_path, "%s/store", m->folder);
    m->a = arena_new(NULL, (size_t)1 << 28);
    assert_non_null(m->a);
    m->store.import = -1;
}

static inline void
made_path(const struct made *m, const char *name, char path[160])
{
    snprintf(path, 160, "%s/%s", m->folder, name);
}

static inline void
made_file(const struct made *m, const char *name, const char *text)
{
    char path[160];
    FILE *f;

    made_path(m, name, path);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

/* Reads the policy and makes the store, with a salt of our choice. */
static inline void
made_policy(struct made *m, const char *text)
{
    uint8_t salt[STORE_SECRET_BYTES] = {1, 2, 3};
    char path[STORE_PATH_MAX];
    custos_status st;

    st = policy_read(m->a, str_of(text), "policy.yaml", &m->policy, &m->err);
    if (st)
        print_message("%s\n", m->err.said);
    assert_int_equal(st, CUSTOS_OK);
    assert_int_equal(store_create(m->store_path, str_of(text), &m->err),
                     CUSTOS_OK);
    snprintf(path, sizeof path, "%s/secret", m->store_path);
    assert_int_equal(
        file_write(path, (str){(const char *)salt, sizeof salt}, &m->err),
        CUSTOS_OK);
    assert_int_equal(store_open(m->store_path, &m->store, &m->err), CUSTOS_OK);
}

/* Puts a version in force, under the current policy. */
static inline custos_status
made_commit(struct store *s, uint64_t version, custos_err *err)
{
    arena *a = arena_new(NULL, 1 << 20);
    custos_status st;
    str policy;

    assert_non_null(a);
    st = store_policy(s, a, &policy, err);
    if (!st)
        st = store_commit(s, policy, version, err);
    arena_free(a);
    return st;
}

static inline custos_status
made_import(struct made *m)
{
    uint64_t version = 0;
    custos_status st;

    st = engine_import(&m->store, m->policy, m->folder, LOSS_PPM_ANY, NULL,
                       NULL, m->a, &m->tables, &version, &m->err);
    return st ? st : made_commit(&m->store, version, &m->err);
}

static inline void
made_open(struct made *m)
{
    custos_status st = engine_open_for(&m->store, m->policy, m->small_rows,
                                       &m->engine, &m->err);

    if (st)
        print_message("%s | %s\n", m->err.said, m->err.noted);
    assert_int_equal(st, CUSTOS_OK);
}

/* Makes and opens a store with this policy, from files that exist. */
static inline void
made_ready(struct made *m, const char *policy)
{
    custos_status st;

    made_policy(m, policy);
    st = made_import(m);
    if (st)
        print_message("%s | %s\n", m->err.said, m->err.noted);
    assert_int_equal(st, CUSTOS_OK);
    made_open(m);
}

static inline void
made_close(struct made *m)
{
    engine_close(m->engine);
    m->engine = NULL;
    store_close(&m->store);
    arena_free(m->a);
    tree_remove(m->folder);
}

/*
 * Runs a query on the open engine and writes its rows as text: values separated
 * by spaces, rows by semicolons.
 */
static inline const char *
made_ask(struct made *m, const char *sql)
{
    struct column columns[64];
    struct result *rows = NULL;
    struct buf b;
    size_t n = 0;
    char number[41];
    custos_status st =
        duck_ask(duck_of(m->engine)->connections[0], sql, &rows, &m->err);
    char *text;

    if (st)
        print_message("%s\n", m->err.noted);
    assert_int_equal(st, CUSTOS_OK);
    buf_init(&b, NULL, 1 << 24);
    while (!result_next(rows, &n, columns, &m->err) && n > 0)
        for (size_t i = 0; i < n; i++) {
            buf_add_text(&b, b.len ? ";" : "");
            for (size_t k = 0; k < result_width(rows); k++) {
                buf_add_text(&b, k ? " " : "");
                if (column_is_null(&columns[k], i)) {
                    buf_add_text(&b, "NULL");
                } else if (columns[k].type == COLUMN_TEXT) {
                    str t = column_text(&columns[k], i);

                    buf_add(&b, t.ptr, t.len);
                } else {
                    custos_int_write(column_whole(&columns[k], i), number);
                    buf_add_text(&b, number);
                }
            }
        }
    result_free(rows);
    text = arena_copy(m->a, str_of(buf_text(&b)));
    buf_clear(&b);
    assert_non_null(text);
    return text;
}

#endif
