/*
 * Reads the source of each imported table once, into a normalised table. The stage
 * is a database of its own in tmp/, which is removed at the end of the import.
 */
#include <stdio.h>

#include "base/error.h"
#include "engine/duckdb/duck_print.h"
#include "engine/duckdb/open.h"
#include "engine/import/import.h"
#include "engine/refail.h"

static custos_status
stage_table(struct import *m, size_t i, custos_err *err)
{
    struct builder b;
    custos_status st;
    char name[48];

    builder_init(&b, NULL);
    snprintf(name, sizeof name, "stage.source_%zu", i);
    st = import_make(
        m, i, "reading", &b, name,
        view_select(&b, &m->policy->tables[i], &m->sources[i], VIEW_ALL), err);
    builder_clear(&b);
    return st;
}

static custos_status
check_max_rows(const struct import *m, size_t i, custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[i];

    if (m->tables[i].kept <= t->max_rows)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EPOLICY,
                       "table %.*s has more rows than its max_rows",
                       SHOWN(t->name));
}

/*
 * Is the number of rows the one that the policy states? A row that is dropped for
 * lack of a value would be missing from it. Told to the owner alone.
 */
static custos_status
check_exact_rows(const struct import *m, size_t i, custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[i];
    const struct engine_import_table *is = &m->tables[i];

    if (t->exact_rows == 0)
        return CUSTOS_OK;
    if (is->rows != t->exact_rows)
        return custos_fail(
            err, CUSTOS_EPOLICY,
            "table %.*s has %llu rows, and its exact_rows is %llu" HINT
            "if the number of rows is public, correct exact_rows; else remove "
            "it",
            SHOWN(t->name), (unsigned long long)is->rows,
            (unsigned long long)t->exact_rows);
    if (is->kept != is->rows)
        return custos_fail(
            err, CUSTOS_EPOLICY,
            "%llu of the rows of table %.*s lack a value in a column that is "
            "not nullable; with exact_rows no row may be dropped" HINT
            "declare that column nullable, or correct the source",
            (unsigned long long)(is->rows - is->kept), SHOWN(t->name));
    return CUSTOS_OK;
}

/* Notes the text by which an attached table is read. */
static custos_status
note_view(struct import *m, size_t i, custos_err *err)
{
    const struct input *view;
    struct builder b;
    struct buf text;

    if (!m->policy->tables[i].attached)
        return CUSTOS_OK;
    builder_init(&b, NULL);
    buf_init(&text, NULL, SQL_MOST);
    view = input_select(
        &b, view_select(&b, &m->policy->tables[i], &m->sources[i], VIEW_ROWS));
    if (!b.failed)
        duck_print_input(view, NULL, &text);
    if (!b.failed && !text.failed)
        m->views[i].from = arena_copy(m->a, str_of(buf_text(&text)));
    buf_clear(&text);
    builder_clear(&b);
    return m->views[i].from ? CUSTOS_OK
                            : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

custos_status
import_stage(struct import *m, custos_err *err)
{
    const struct policy *p = m->policy;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_tables && !st; i++) {
        st = source_open(m->c, &p->tables[i], i, m->base, m->a, &m->sources[i],
                         err);
        if (!st)
            st = note_view(m, i, err);
    }
    if (!st)
        st = import_units(m, err);
    for (size_t i = 0; i < p->n_tables && !st; i++) {
        if (p->tables[i].attached)
            continue;
        st = stage_table(m, i, err);
        if (!st)
            st = import_report_staged(m, i, err);
    }
    if (!st)
        st = import_loss_check(m, err);
    for (size_t i = 0; i < p->n_tables && !st; i++) {
        st = check_exact_rows(m, i, err);
        if (!st)
            st = check_max_rows(m, i, err);
    }
    return st;
}
