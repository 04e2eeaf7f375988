/*
 * How an import reads attached files.
 *
 * THEOREM  attached-decoded
 *   No query fails to decode a row of an attached table: `custos init` reads the
 *   whole file through the view that queries read, with all declared columns,
 *   and refuses the file if that fails. It keeps the file's mark, and a query of
 *   a file with another mark is refused above the charge.
 * SOURCE   doc/proofs/attached-decoded.md
 * NEEDS    a file with the same mark has the same bytes: its owner is trusted
 *          not to change it while a query reads it.
 * GIVES    how far the engine reads a file depends on private data (an empty
 *          side of a join ends a scan, row groups are skipped), but affects
 *          nothing except time.
 * FAILS    CUSTOS_EPOLICY, CUSTOS_EIO, which only the owner sees.
 * TESTED   a_file_is_decoded_in_full a_changed_file_is_refused
 */
#include "base/error.h"
#include "engine/import/csv_fault.h"
#include "engine/import/import.h"
#include "engine/refail.h"

/* For the owner: what the engine could not decode, and where. */
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

/* Counts the changes of one row: the items of its list `changes`. */
static custos_status
count_changes(struct import *m, struct engine_import_table *t,
              const struct column *list, size_t row, custos_err *err)
{
    size_t from = 0, n = 0;
    struct column items = column_items(list, row, &from, &n);
    custos_status st = CUSTOS_OK;

    for (size_t k = 0; k < n && !st; k++) {
        str x = column_text(&items, from + k);

        if (column_is_null(&items, from + k))
            continue;
        t->columns[k].changes[import_change_of(x)].count++;
        st = import_example_add(m, &t->columns[k], x, err);
    }
    return st;
}

/* Counts the rows and changes of a chunk of n rows. Its columns are those of the
   view, then bad and changes. Adds to left[k] how many values of column k are not
   NULL. */
static custos_status
count_chunk(struct import *m, struct engine_import_table *t,
            const struct column *columns, size_t n, uint64_t *left,
            custos_err *err)
{
    const struct policy_table *is = t->is;
    custos_status st = CUSTOS_OK;

    for (size_t k = 0; k < is->n_columns; k++) {
        for (size_t r = 0; r < n; r++)
            left[k] += !column_is_null(columns, r);
        columns += 1 + view_has_steps(&is->columns[k]) +
                   view_has_index(&is->columns[k]);
    }
    t->rows += n;
    for (size_t r = 0; r < n && !st; r++) {
        t->kept += !column_whole(&columns[0], r);
        if (!column_is_null(&columns[1], r))
            st = count_changes(m, t, &columns[1], r, err);
    }
    return st;
}

/* Reads all rows of table i and counts what the view changes in them. */
static custos_status
read_and_count(struct import *m, size_t i, custos_err *err)
{
    struct column columns[ROWS_COLUMNS_MAX];
    struct engine_import_table *t = &m->tables[i];
    uint64_t *left = arena_take(m->a, t->is->n_columns, sizeof *left);
    struct result *rows = NULL;
    size_t n = 1;
    custos_status st;
    struct builder b;

    if (!left)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    builder_init(&b, NULL);
    st = import_ask(m, &b, view_select(&b, t->is, &m->sources[i], VIEW_ALL),
                    &rows, err);
    builder_clear(&b);
    while (!st && n > 0) {
        st = result_next(rows, &n, columns, err);
        if (!st)
            st = count_chunk(m, t, columns, n, left, err);
    }
    result_free(rows);
    for (size_t k = 0; k < t->is->n_columns && !st; k++)
        import_column_end(t, &t->columns[k], left[k]);
    return st;
}

custos_status
import_attached(struct import *m, size_t i, custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[i];
    const struct source *s = &m->sources[i];
    struct file_mark after;
    custos_status st;

    import_show_step(m, "reading attached files");
    st = read_and_count(m, i, err);
    m->step++;
    if (st == CUSTOS_EENGINE)
        return not_decoded(t, err);
    if (!st && (!file_mark_read(s->file.path, &after) ||
                !file_mark_same(&s->mark, &after)))
        st = custos_fail(err, CUSTOS_EIO,
                         "the file of table '%.*s' changed while it was "
                         "read" HINT "run custos init again",
                         SHOWN(t->name));
    return st;
}
