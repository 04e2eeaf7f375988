/*
 * What an import changed, value by value: columns beside those of the view, for
 * the owner's report. They are made in the statement that reads the source, so
 * that a source is read once.
 *
 * A value that is not there was not changed. Outside of text columns an empty
 * text is not there: many programs quote every field of a CSV.
 */
#include "base/base.h"
#include "engine/view.h"

enum { EXAMPLE_CHARACTERS = 48 };

void
view_changes(const struct policy_table *t, const struct source *s,
             struct buf *out)
{
    buf_add_text(out, ", (false");
    for (size_t i = 0; i < t->n_columns; i++)
        if (!t->columns[i].nullable)
            buf_printf(out, " OR c%zu IS NULL", i);
    buf_add_text(out, ") AS bad");
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct policy_column *c = &t->columns[i];
        /* of a list of texts, what is too long is not in it */
        bool listed = c->type == TYPE_TEXT && c->n_values > 0;

        buf_printf(out,
                   ", CASE WHEN s%zu IS NOT NULL AND (c%zu IS NULL OR v%zu <> "
                   "c%zu)",
                   i, i, i, i);
        if (s->types[i] == DUCK_TEXT && c->type != TYPE_TEXT)
            buf_printf(out, " AND s%zu <> ''", i);
        buf_printf(
            out,
            " THEN concat(CASE WHEN d%zu IS NULL THEN '%c' WHEN c%zu "
            "IS NULL THEN '%c' ELSE '%c' END, left(CAST(s%zu AS "
            "VARCHAR), %d)) END AS x%zu",
            i,
            VIEW_CHANGE_LETTERS[listed ? CHANGE_UNLISTED : CHANGE_UNREADABLE],
            i, VIEW_CHANGE_LETTERS[CHANGE_UNLISTED],
            VIEW_CHANGE_LETTERS[CHANGE_CLAMPED], i, (int)EXAMPLE_CHARACTERS, i);
    }
}
