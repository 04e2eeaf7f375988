/*
 * Columns that say which values an import changed, for the owner's report. The
 * statement that reads the source computes them together with those of the view, so
 * that a source is read once. A row without changes costs a few comparisons: one
 * list for all columns takes far less time than a column for each.
 *
 * A missing value does not count as changed. Except in text columns, an empty text
 * counts as missing: many programs quote every field of a CSV.
 */
#include "base/base.h"
#include "engine/import/view.h"

enum { EXAMPLE_CHARACTERS = 48 };

/* Prints the condition that column i has a value in the source, and another one or
   NULL in the view. */
static void
print_is_changed(const struct policy_column *c, enum column_type type, size_t i,
                 struct buf *out)
{
    buf_printf(out, "(s%zu IS NOT NULL AND (c%zu IS NULL OR v%zu <> c%zu)", i,
               i, i, i);
    if (type == COLUMN_TEXT && c->type != TYPE_TEXT)
        buf_printf(out, " AND s%zu <> ''", i);
    buf_add_text(out, ")");
}

/* Prints the letter and the first characters of a changed value. */
static void
print_change(const struct policy_column *c, size_t i, struct buf *out)
{
    /* If texts are listed, one that is too long counts as not listed. */
    bool listed = c->type == TYPE_TEXT && c->n_values > 0;

    buf_printf(
        out,
        "concat(CASE WHEN d%zu IS NULL THEN '%c' WHEN c%zu IS NULL THEN "
        "'%c' ELSE '%c' END, left(CAST(s%zu AS VARCHAR), %d))",
        i, VIEW_CHANGE_LETTERS[listed ? CHANGE_UNLISTED : CHANGE_UNREADABLE], i,
        VIEW_CHANGE_LETTERS[CHANGE_UNLISTED],
        VIEW_CHANGE_LETTERS[CHANGE_CLAMPED], i, (int)EXAMPLE_CHARACTERS);
}

void
view_changes(const struct policy_table *t, const struct source *s,
             struct buf *out)
{
    buf_add_text(out, ", (false");
    for (size_t i = 0; i < t->n_columns; i++)
        if (!t->columns[i].nullable)
            buf_printf(out, " OR c%zu IS NULL", i);
    buf_add_text(out, ") AS bad, CASE WHEN false");
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_add_text(out, " OR ");
        print_is_changed(&t->columns[i], s->types[i], i, out);
    }
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_add_text(out, i ? ", CASE WHEN " : " THEN [CASE WHEN ");
        print_is_changed(&t->columns[i], s->types[i], i, out);
        buf_add_text(out, " THEN ");
        print_change(&t->columns[i], i, out);
        buf_add_text(out, " END");
    }
    buf_add_text(out, "] END AS changes");
}
