/*
 * Sources into normalised tables, each source read once. The stage is a
 * database of its own in tmp/, removed with the import.
 */
#include "base/error.h"
#include "engine/import.h"

static custos_status
stage_table(struct import *m, size_t i, custos_err *err)
{
    struct buf b;

    buf_init(&b, NULL, SQL_MOST);
    buf_printf(&b, "CREATE TABLE stage.s%zu AS ", i);
    view_select(&m->policy->tables[i], &m->sources[i], VIEW_ALL, &b);
    return import_step(m, i, "reading", &b, err);
}

/* What the owner learns of the source. */
static custos_status
stage_count(struct import *m, size_t i, custos_err *err)
{
    struct duck_column columns[3];
    struct duck_rows *rows = NULL;
    size_t n = 0;
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, SQL_MOST);
    buf_printf(&b,
               "SELECT count(*), count(*) FILTER (WHERE NOT bad), "
               "coalesce(sum(outside + CAST(bad AS INTEGER)), 0) FROM "
               "stage.s%zu",
               i);
    st = duck_ask(m->c, buf_text(&b), &rows, err);
    buf_clear(&b);
    if (!st)
        st = duck_next(rows, &n, columns, err);
    if (!st && n == 1) {
        m->tables[i].rows = (uint64_t)duck_whole(&columns[0], 0);
        m->tables[i].kept = (uint64_t)duck_whole(&columns[1], 0);
        m->tables[i].outside = (uint64_t)duck_whole(&columns[2], 0);
        if (m->tables[i].kept > m->policy->tables[i].max_rows)
            st = custos_fail(err, CUSTOS_EPOLICY,
                             "table %.60s has more rows than its max_rows",
                             m->policy->tables[i].name.ptr);
    }
    duck_rows_free(rows);
    return st;
}

custos_status
import_stage(struct import *m, custos_err *err)
{
    const struct policy *p = m->policy;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_tables && !st; i++)
        st = source_open(m->c, &p->tables[i], i, m->base, m->a, &m->sources[i],
                         err);
    if (!st)
        st = import_units(m, err);
    for (size_t i = 0; i < p->n_tables && !st; i++) {
        if (p->tables[i].attached)
            continue;
        st = stage_table(m, i, err);
        if (!st)
            st = stage_count(m, i, err);
    }
    return st;
}
