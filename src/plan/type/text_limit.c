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

/* The value is one of the arguments. */
static void
length_longest(struct expr *e)
{
    size_t most = 0;

    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && e->args[i]->type == TYPE_TEXT &&
            e->args[i]->text_max > most)
            most = e->args[i]->text_max;
    e->text_max = most;
}

static void
length_of_case(struct expr *e)
{
    limit_computed(e, TEXT_CASE_GROWTH * e->args[0]->text_max);
}

static void
length_of_first(struct expr *e)
{
    limit_computed(e, e->args[0]->text_max);
}

static void
length_of_both(struct expr *e)
{
    limit_computed(e, e->args[0]->text_max + e->args[1]->text_max);
}

/* Positions are literals (types_call.c); characters have up to 4 bytes. */
static void
length_of_part(struct expr *e)
{
    size_t most = e->args[0]->text_max;
    i128 length;

    if (e->n_args == 3 && e->args[2]->value.type == TYPE_INT) {
        length = e->args[2]->value.n < 0 ? 0 : e->args[2]->value.n;
        if (length < (i128)(most / TEXT_CHARACTER_MAX))
            most = (size_t)length * TEXT_CHARACTER_MAX;
    }
    limit_computed(e, most);
}

/* tools/functions checks that every call that makes a text has a rule. */
static const struct {
    void (*limit)(struct expr *e);
} rules[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define LENGTH(rule) rule
#include "sql/functions.def"
};

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
    case EXPR_CALL: rules[e->call].limit(e); break;
    default: length_longest(e);
    }
}
