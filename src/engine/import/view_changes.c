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

/* Does column i have a value in the source, and another one or NULL in the view? */
static const struct term *
is_changed(struct builder *b, const struct policy_column *c,
           enum column_type type, size_t i)
{
    const struct term *source = term_name(b, NULL, "s%zu", i);
    const struct term *value = term_name(b, NULL, "c%zu", i);
    const struct term *other =
        term_binary(b, term_name(b, NULL, "v%zu", i), TERM_DIFFERS, value);
    struct terms all = {.n = 0};

    terms_add(b, &all, term_present(b, source));
    terms_add(b, &all,
              term_of(b, TERM_ANY, term_absent(b, value), other, NULL));
    if (type == COLUMN_TEXT && c->type != TYPE_TEXT)
        terms_add(
            b, &all,
            term_binary(b, source, TERM_DIFFERS, term_text(b, str_of(""))));
    return term_of_list(b, TERM_ALL, &all);
}

static const struct term *
letter(struct builder *b, enum view_change change)
{
    return term_text(b, (str){&VIEW_CHANGE_LETTERS[change], 1});
}

/* The letter and the first characters of a changed value. */
static const struct term *
change_of(struct builder *b, const struct policy_column *c, size_t i)
{
    /* If texts are listed, one that is too long counts as not listed. */
    bool listed = c->type == TYPE_TEXT && c->n_values > 0;
    const struct term *text =
        term_cast(b, term_name(b, NULL, "s%zu", i), STORED(TEXT));
    const struct term *which =
        term_of(b, TERM_CASE, term_absent(b, term_name(b, NULL, "d%zu", i)),
                letter(b, listed ? CHANGE_UNLISTED : CHANGE_UNREADABLE),
                term_absent(b, term_name(b, NULL, "c%zu", i)),
                letter(b, CHANGE_UNLISTED), letter(b, CHANGE_CLAMPED), NULL);

    return term_call(
        b, TERM_JOINED, which,
        term_call(b, TERM_LEFT, text, term_number(b, EXAMPLE_CHARACTERS), NULL),
        NULL);
}

void
view_changes(struct builder *b, const struct policy_table *t,
             const struct source *s, struct select *to)
{
    struct terms bad = {.n = 0}, any = {.n = 0}, changes = {.n = 0};

    terms_add(b, &bad, term_false(b));
    terms_add(b, &any, term_false(b));
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct policy_column *c = &t->columns[i];
        const struct term *changed = is_changed(b, c, s->types[i], i);

        if (!c->nullable)
            terms_add(b, &bad, term_absent(b, term_name(b, NULL, "c%zu", i)));
        terms_add(b, &any, changed);
        terms_add(b, &changes, term_if(b, changed, change_of(b, c, i)));
    }
    select_add(b, to, term_of_list(b, TERM_ANY, &bad), "bad");
    select_add(b, to,
               term_if(b, term_of_list(b, TERM_ANY, &any),
                       term_of_list(b, TERM_LIST, &changes)),
               "changes");
}
