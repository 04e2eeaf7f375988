/*
 * Keeps prepared statements, since a question on a small table spends most of its
 * time in the engine's planner. Only a connection to data that cannot change keeps
 * them, since the engine's plan depends on the state of the files.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/duckdb/duck_inside.h"

void
duck_reuse(struct duck_connection *c, enum duck_reuse keeps)
{
    c->keeps = keeps;
}

static void
forget_statement(struct duck_statements *k)
{
    duckdb_destroy_prepare(&k->statement);
    free(k->sql);
    *k = (struct duck_statements){.sql = NULL};
}

void
duck_forget_all(struct duck_connection *c)
{
    for (size_t i = 0; i < DUCK_KEPT_MAX; i++)
        forget_statement(&c->kept[i]);
}

/* The entry with this text, or else one to use for it; NULL: all are busy. */
static struct duck_statements *
entry_for(struct duck_connection *c, const char *sql)
{
    struct duck_statements *oldest = NULL;

    for (size_t i = 0; i < DUCK_KEPT_MAX; i++) {
        struct duck_statements *k = &c->kept[i];

        if (k->busy)
            continue;
        if (k->sql && !strcmp(k->sql, sql))
            return k;
        if (!oldest || k->used < oldest->used)
            oldest = k;
    }
    return oldest;
}

static bool
prepare_text(struct duck_connection *c, const char *sql,
             duckdb_prepared_statement *statement,
             struct duck_statements **kept)
{
    struct duck_statements *k = NULL;

    *kept = NULL;
    if (c->keeps && strlen(sql) < DUCK_KEPT_BYTES)
        k = entry_for(c, sql);
    if (k && k->sql && !strcmp(k->sql, sql)) {
        *statement = k->statement;
    } else {
        if (duckdb_prepare(c->c, sql, statement) != DuckDBSuccess)
            return false;
        if (k) {
            forget_statement(k);
            k->sql = strdup(sql);
            k->statement = k->sql ? *statement : NULL;
        }
    }
    if (k && k->sql) {
        k->used = ++c->clock;
        k->busy = true;
        *kept = k;
    }
    return true;
}

bool
duck_prepare(struct duck_connection *c, const char *sql,
             duckdb_prepared_statement *statement,
             struct duck_statements **kept, struct duck_numbers *bound)
{
    struct buf shape;
    bool good;

    buf_init(&shape, NULL, DUCK_KEPT_BYTES);
    if (c->keeps == DUCK_REUSE_OTHER_NUMBERS &&
        duck_numbers_take(sql, &shape, bound))
        sql = buf_text(&shape);
    else
        bound->n = 0;
    good = prepare_text(c, sql, statement, kept);
    buf_clear(&shape);
    return good;
}
