/*
 * DuckDB as an engine: prints statements, runs them, and keeps public parts in
 * temporary tables of the handle's first connection.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/duckdb/open.h"
#include "engine/import/file_age.h"
#include "engine/import/import.h"
#include "engine/refail.h"

static custos_status
ask(struct engine *e, size_t lane, const struct select *s, struct result **out,
    custos_err *err)
{
    struct duck_engine *d = duck_of(e);
    custos_status st;
    struct buf text;

    buf_init(&text, NULL, SQL_MOST);
    duck_print_select(s, d->data->read, &text);
    st = text.failed
             ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
             : duck_ask(d->connections[lane], buf_text(&text), out, err);
    buf_clear(&text);
    return st;
}

static custos_status
keep(struct engine *e, size_t number, const struct select *s, custos_err *err)
{
    struct duck_engine *d = duck_of(e);
    custos_status st;
    struct buf text;
    char name[32];

    /* A reused statement would read the tables of another question. */
    duck_reuse(d->connections[0], DUCK_REUSE_NONE);
    snprintf(name, sizeof name, DUCK_KEPT, number);
    buf_init(&text, NULL, SQL_MOST);
    duck_print_table(DUCK_TABLE_TEMPORARY, name, s, d->data->read, &text);
    st = text.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                     : duck_do(d->connections[0], buf_text(&text), err);
    buf_clear(&text);
    return st;
}

static void
forget(struct engine *e, size_t n)
{
    struct duck_engine *d = duck_of(e);
    custos_err quiet = CUSTOS_ERR_INIT;
    struct buf text;
    char name[32];

    for (size_t i = 0; i < n; i++) {
        buf_init(&text, NULL, 128);
        snprintf(name, sizeof name, DUCK_KEPT, i);
        duck_print_drop(DUCK_TABLE_TEMPORARY, name, &text);
        /* If this fails, the next question replaces the table. */
        (void)!duck_do(d->connections[0], buf_text(&text), &quiet);
        buf_clear(&text);
    }
    if (e->lanes > 0)
        duck_reuse(d->connections[0], open_reuse(d));
}

static void
write_input(const struct engine *e, const struct input *in, struct buf *out)
{
    const struct duck_engine *d = (const struct duck_engine *)e;

    duck_print_input(in, d->data->read, out);
}

/* Says why the engine could not open a file that exists. */
static custos_status
not_opened(const struct duck_table *is, str name, custos_err *err)
{
    char writer[FILE_WRITER_MAX];

    if (file_age(is->path, writer) == FILE_AGE_NEWER)
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' was written by a newer "
                           "DuckDB than custos reads" HINT "the owner must "
                           "export it and run custos init again",
                           SHOWN(name));
    return custos_fail(err, CUSTOS_EIO,
                       "the file of table '%.*s' could not be opened" HINT
                       "the owner must put it back and run custos init again",
                       SHOWN(name));
}

static custos_status
check(struct engine *e, const struct policy_table *t, str name, custos_err *err)
{
    const struct duck_table *is = &duck_of(e)->data->read[t->number];
    struct file_mark now;

    if (!is->path || access(is->path, R_OK) || !file_mark_read(is->path, &now))
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' does not exist or is not "
                           "readable" HINT "the owner must put it back or run "
                           "custos init again",
                           SHOWN(name));
    if (is->missing)
        return not_opened(is, name, err);
    if (!file_mark_same(&is->mark, &now))
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' has changed since custos "
                           "init" HINT "the owner must run custos init again",
                           SHOWN(name));
    return CUSTOS_OK;
}

static void
interrupt(struct engine *e)
{
    for (size_t i = 0; i < e->lanes; i++)
        duck_interrupt(duck_of(e)->connections[i]);
}

const struct engine_ops duck_engine_ops = {
    .ask = ask,
    .keep = keep,
    .forget = forget,
    .write = write_input,
    .check = check,
    .share = open_share,
    .interrupt = interrupt,
    .close = open_close,
};
