/*
 * What all steps of an import share: they run statements, report progress, and say to
 * the owner why a step failed.
 */
#include "base/error.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/import/csv_fault.h"
#include "engine/import/import.h"
#include "engine/refail.h"

static void
step_percent(void *ctx, unsigned percent)
{
    struct import *m = ctx;

    if (m->progress)
        m->progress(m->ctx, m->step * 100 + percent, m->steps * 100, m->what);
}

/*
 * Tells the owner why a step failed; for a CSV file, with line and cause. Analysts
 * never see this.
 */
static custos_status
step_failed(const struct policy_table *t, const char *what, custos_err *err)
{
    const char *fault = err ? csv_fault_of(err->noted) : NULL;

    if (!fault)
        return refail(err, CUSTOS_EIO,
                      "table '%.*s' could not be imported (%s): its file "
                      "cannot be read, or the disk is full",
                      SHOWN(t->name), what);
    return refail(err, CUSTOS_EPOLICY, "table '%.*s': %s", SHOWN(t->name),
                  fault);
}

void
import_show_step(struct import *m, const char *what)
{
    m->what = what;
    if (m->step < m->steps)
        step_percent(m, 0);
}

custos_status
import_step(struct import *m, size_t table, const char *what, struct buf *b,
            custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[table];
    custos_status st;

    import_show_step(m, what);
    if (b->failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else
        st = duck_do_slowly(m->c, buf_text(b), step_percent, m, err);
    buf_clear(b);
    if (m->step < m->steps)
        m->step++;
    if (st == CUSTOS_EENGINE)
        st = step_failed(t, what, err);
    return st;
}

custos_status
import_make(struct import *m, size_t table, const char *what,
            const struct builder *b, const char *name, const struct select *s,
            custos_err *err)
{
    struct buf text;

    buf_init(&text, NULL, SQL_MOST);
    if (b->failed)
        text.failed = true;
    else
        duck_print_table(DUCK_TABLE_STORED, name, s, m->views, &text);
    return import_step(m, table, what, &text, err);
}

const struct input *
import_rows(struct builder *b, struct import *m, size_t table)
{
    struct select *s;

    if (m->policy->tables[table].attached)
        return input_table(b, table);
    s = select_new(b, input_named(b, "stage.source_%zu", table));
    s->all = true;
    select_where(b, s, term_not(b, term_name(b, NULL, "bad")));
    return input_select(b, s);
}

custos_status
import_has_table(struct import *m, const char *name, bool *out, custos_err *err)
{
    i128 there = 0;
    struct builder b;
    struct select *s;
    custos_status st;

    builder_init(&b, NULL);
    s = select_new(&b, input_named(&b, "duckdb_tables()"));
    select_add_bare(&b, s, term_aggregate(&b, TERM_COUNT, NULL));
    select_where(&b, s,
                 term_binary(&b, term_name(&b, NULL, "table_name"), TERM_EQUAL,
                             term_text(&b, str_of(name))));
    st = import_ask_whole(m, &b, s, &there, err);
    builder_clear(&b);
    *out = there > 0;
    return st;
}

/* Begins `text` with a select. */
static custos_status
print_select(const struct import *m, const struct builder *b,
             const struct select *s, struct buf *text, custos_err *err)
{
    buf_init(text, NULL, SQL_MOST);
    if (!b->failed)
        duck_print_select(s, m->views, text);
    return b->failed || text->failed
               ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
               : CUSTOS_OK;
}

custos_status
import_ask(struct import *m, const struct builder *b, const struct select *s,
           struct result **out, custos_err *err)
{
    struct buf text;
    custos_status st = print_select(m, b, s, &text, err);

    if (!st)
        st = duck_ask(m->c, buf_text(&text), out, err);
    buf_clear(&text);
    return st;
}

custos_status
import_ask_whole(struct import *m, const struct builder *b,
                 const struct select *s, i128 *out, custos_err *err)
{
    struct buf text;
    custos_status st = print_select(m, b, s, &text, err);

    if (!st)
        st = duck_ask_whole(m->c, buf_text(&text), out, err);
    buf_clear(&text);
    return st;
}
