/*
 * The rank of a row within its unit, and the facts of the policy that the stored
 * columns depend on.
 *
 * THEOREM  rank-of-own-rows
 *   The rows of a unit are ranked by SHA-256 of the store's salt, the unit and
 *   the row's content, separated by lengths. So a rank is a function of the
 *   salt and the unit's own rows. Rows of equal content take ranks in any
 *   order, which changes nothing, since they are equal. So removing one unit
 *   leaves every other unit's rows with the ranks they had, and `rank <= m`
 *   keeps at most m rows of each unit, the same ones whatever other units
 *   there are.
 * SOURCE   doc/proofs/rank-of-own-rows.md
 * NEEDS    the salt fixed for the life of the store; the first 128 bits of
 *          SHA-256 without collisions within a unit.
 * GIVES    an expression whose value is a whole number: the first 128 bits of
 *          that hash.
 * FAILS    cannot.
 * TESTED   ranks_do_not_move_when_a_unit_goes rank_tells_null_from_empty
 */
#include <stdio.h>

#include "base/base.h"
#include "engine/duckdb/duck_print.h"
#include "engine/import/view.h"

custos_status
view_salt(struct duck_connection *c, const uint8_t secret[STORE_SECRET_BYTES],
          custos_err *err)
{
    char text[2 * STORE_SECRET_BYTES + 1];
    custos_status st;

    for (size_t i = 0; i < STORE_SECRET_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", secret[i]);
    st = duck_hash_add(c, str_of(text), err);
    wipe(text, sizeof text);
    return st;
}

const struct term *
view_rank(struct builder *b, const struct policy_table *t,
          const struct term *unit)
{
    const struct term *colon = term_text(b, str_of(":"));
    const struct term *end = term_text(b, str_of(";"));
    struct terms parts = {.n = 0};

    /* Texts of numbers and dates hold no semicolon, so they need no length; a part
       that is NULL is skipped. */
    terms_add(b, &parts, term_call(b, TERM_BYTES, unit, NULL));
    terms_add(b, &parts, colon);
    terms_add(b, &parts, unit);
    terms_add(b, &parts, end);
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct term *value = term_name(b, NULL, "c%zu", i);
        const struct term *length;

        if (t->columns[i].type != TYPE_TEXT) {
            terms_add(b, &parts, value);
            terms_add(b, &parts, end);
            continue;
        }
        length = term_binary(b, term_call(b, TERM_BYTES, value, NULL),
                             TERM_APPEND, colon);
        terms_add(b, &parts,
                  term_call(b, TERM_COALESCE, length, term_text(b, str_of("n")),
                            NULL));
        terms_add(b, &parts, value);
    }
    return term_call(b, TERM_SALTED, term_calls(b, TERM_JOINED, &parts), NULL);
}

/* Prints a value as a literal of the column's type. */
static void
print_value(struct builder *b, const struct policy_column *c,
            const struct datum *d, struct buf *out)
{
    duck_print_term(term_value(b, d, view_type(c)), out);
}

static void
facts_of_column(struct builder *b, const struct policy_column *c,
                struct buf *out)
{
    buf_add_text(out, "column ");
    duck_quote_name(out, c->name);
    buf_add_text(out, " ");
    duck_print_type(view_type(c), out);
    buf_add_text(out, c->nullable ? "" : " not null");
    if (c->has_range) {
        buf_add_text(out, " range ");
        print_value(b, c, &c->lower, out);
        buf_add_text(out, " ");
        print_value(b, c, &c->upper, out);
    }
    if (c->type == TYPE_TEXT && c->n_values == 0)
        buf_printf(out, " bytes %zu", c->text_max);
    for (size_t i = 0; i < c->n_values; i++) {
        buf_add_text(out, i ? " " : " values ");
        print_value(b, c, &c->values[i], out);
    }
    if (c->references_table.len > 0) { /* the import checks this key */
        buf_add_text(out, " references ");
        duck_quote_name(out, c->references_table);
        buf_add_text(out, ".");
        duck_quote_name(out, c->references_column);
    }
    buf_add_text(out, "\n");
}

void
view_facts(const struct policy *p, struct buf *out)
{
    struct builder b;

    builder_init(&b, NULL);
    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];
        const struct policy_column *key = NULL;
        const struct policy_table *parent =
            t->is_public ? NULL : policy_unit_parent(p, t, &key);

        buf_add_text(out, t->attached ? "attached " : "table ");
        duck_quote_name(out, t->name);
        if (t->is_public)
            buf_add_text(out, " public");
        else if (t->unit_is_row)
            buf_add_text(out, " unit row");
        else
            buf_printf(out, " unit %zu", t->unit_column);
        if (t->exact_rows > 0) /* the import checks it */
            buf_printf(out, " rows %llu", (unsigned long long)t->exact_rows);
        if (parent)
            buf_printf(out, " of %zu.%zu", (size_t)(parent - p->tables),
                       (size_t)(key - parent->columns));
        buf_add_text(out, "\n");
        for (size_t k = 0; k < t->n_columns; k++)
            facts_of_column(&b, &t->columns[k], out);
    }
    out->failed |= b.failed;
    builder_clear(&b);
}
