/*
 * How long a text can be, in bytes. The policy limits stored values; a computed
 * text longer than TEXT_COMPUTED_MAX is NULL. So texts do not grow with the
 * depth of an expression.
 */
#include "plan/work.h"
#include "sql/text_limits.h"

/* Sets the limit of a computed text that could have `bytes` bytes. */
static void
limit_computed(struct expr *e, size_t bytes)
{
    e->text_max = bytes;
    if (bytes > TEXT_COMPUTED_MAX) {
        e->text_max = TEXT_COMPUTED_MAX;
        fact_of(e)->nullable = true;
    }
}

/* The longest text argument of e, whose value is one of them. */
static size_t
longest_text(const struct expr *e)
{
    size_t most = 0;

    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && e->args[i]->type == TYPE_TEXT &&
            e->args[i]->text_max > most)
            most = e->args[i]->text_max;
    return most;
}

/* Positions are literals (types_call.c); characters have up to 4 bytes. */
static size_t
substring_bytes(const struct expr *e)
{
    size_t most = e->args[0]->text_max;
    i128 length;

    if (e->n_args < 3 || e->args[2]->value.type != TYPE_INT)
        return most;
    length = e->args[2]->value.n < 0 ? 0 : e->args[2]->value.n;
    return length < (i128)(most / TEXT_CHARACTER_MAX)
               ? (size_t)length * TEXT_CHARACTER_MAX
               : most;
}

static void
limit_call(struct expr *e)
{
    const struct expr *x = e->args[0];

    switch (e->call) {
    case CALL_LOWER:
    case CALL_UPPER: limit_computed(e, TEXT_CASE_GROWTH * x->text_max); break;
    case CALL_TRIM: limit_computed(e, x->text_max); break;
    case CALL_SUBSTRING: limit_computed(e, substring_bytes(e)); break;
    case CALL_CONCAT:
        limit_computed(e, x->text_max + e->args[1]->text_max);
        break;
    default: e->text_max = longest_text(e);
    }
}

void
text_limit_set(struct work *w, struct expr *e)
{
    e->text_max = 0;
    if (e->type != TYPE_TEXT)
        return;
    switch (e->kind) {
    case EXPR_LITERAL:
        e->text_max = e->value.type == TYPE_TEXT ? e->value.text.len : 0;
        break;
    case EXPR_COLUMN: e->text_max = w->table->columns[e->slot].text_max; break;
    case EXPR_CAST:
        e->text_max = e->args[0]->type == TYPE_TEXT ? e->args[0]->text_max
                                                    : TEXT_NUMBER_MAX;
        break;
    case EXPR_CALL: limit_call(e); break;
    default: e->text_max = longest_text(e);
    }
}
