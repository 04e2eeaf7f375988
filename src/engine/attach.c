/*
 * Attached files, as an import sees them.
 *
 * THEOREM  attached-decoded
 *   Of an attached table no row fails to be decoded by a query: `custos init`
 *   reads the whole file through the view that queries read, with all declared
 *   columns, and refuses it where that fails; the file's mark is kept, and a
 *   query of a file with another mark is refused above the charge.
 * SOURCE   doc/proofs/attached-decoded.md
 * NEEDS    a file with the same mark has the same bytes: its owner is trusted
 *          not to change it while a query reads it.
 * GIVES    how far the engine reads a file, which depends on people (an empty
 *          side of a join ends a scan, row groups are skipped), decides nothing
 *          but time.
 * FAILS    CUSTOS_EPOLICY, CUSTOS_EIO, to the owner alone.
 * TESTED   a_file_is_decoded_in_full a_changed_file_is_refused
 */
#include "base/error.h"
#include "engine/csv_fault.h"
#include "engine/import.h"
#include "engine/refail.h"

/* To the owner: what the engine could not decode, and where. */
static custos_status
not_decoded(const struct policy_table *t, custos_err *err)
{
    const char *fault = err ? csv_fault_of(err->noted) : NULL;

    if (fault)
        return refail(err, CUSTOS_EPOLICY, "table '%.*s': %s", SHOWN(t->name),
                      fault);
    return refail(err, CUSTOS_EIO,
                  "table '%.*s' cannot be attached: its file cannot be read "
                  "to its end (a value that its type cannot hold, or damage)",
                  SHOWN(t->name));
}

/* Reads all rows of a query, and drops them. */
static custos_status
read_all(struct duck_connection *c, const char *sql, custos_err *err)
{
    struct duck_column columns[DUCK_COLUMNS_MAX];
    struct duck_rows *rows = NULL;
    custos_status st = duck_ask(c, sql, &rows, err);
    size_t n = 1;

    while (!st && n > 0)
        st = duck_next(rows, &n, columns, err);
    duck_rows_free(rows);
    return st;
}

custos_status
import_attached(struct import *m, size_t i, custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[i];
    const struct source *s = &m->sources[i];
    struct file_mark after;
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, SQL_MOST);
    view_select(t, s, VIEW_ROWS, &b);
    import_show_step(m, "reading attached files");
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : read_all(m->c, buf_text(&b), err);
    buf_clear(&b);
    m->step++;
    if (st == CUSTOS_EENGINE)
        return not_decoded(t, err);
    if (!st &&
        (!file_mark_read(s->path, &after) || !file_mark_same(&s->mark, &after)))
        st = custos_fail(err, CUSTOS_EIO,
                         "the file of table '%.*s' changed while it was read: "
                         "run custos init again",
                         SHOWN(t->name));
    return st;
}
