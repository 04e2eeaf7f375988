/*
 * Makes the terms of statements; select.c makes the rest. Where memory runs out, a
 * node that is never run stands in for the one that could not be made, and the
 * builder has failed.
 */
#include "engine/statement/statement_inside.h"

#include <stdio.h>

enum { BUILDER_BYTES = 1 << 28, NAME_BYTES = 64 };

static const struct term no_term = {.kind = TERM_NULL};

void
builder_init(struct builder *b, struct engine *e)
{
    *b = (struct builder){.a = arena_new(NULL, BUILDER_BYTES),
                          .engine = e,
                          .no_input = {.kind = INPUT_NAMED, .name = ""}};
    b->failed = !b->a;
}

void
builder_clear(struct builder *b)
{
    arena_free(b->a);
    b->a = NULL;
}

void *
builder_take(struct builder *b, size_t size)
{
    void *p = b->failed ? NULL : arena_take(b->a, 1, size);

    b->failed |= !p;
    return p;
}

const char *
builder_copy(struct builder *b, str text)
{
    const char *copy = b->failed ? NULL : arena_copy(b->a, text);

    b->failed |= !copy;
    return copy ? copy : "";
}

const char *
builder_name(struct builder *b, const char *format, va_list args)
{
    char name[NAME_BYTES];
    int n = vsnprintf(name, sizeof name, format, args);

    b->failed |= n < 0 || (size_t)n >= sizeof name;
    return builder_copy(b, str_of(name));
}

/* ------------------------------------------------------------------ terms -- */

static const struct term *
term_take(struct builder *b, struct term t)
{
    struct term *to = builder_take(b, sizeof *to);

    if (!to)
        return &no_term;
    *to = t;
    return to;
}

void
terms_add(struct builder *b, struct terms *list, const struct term *t)
{
    struct term_link *l = builder_take(b, sizeof *l);

    if (!l)
        return;
    l->term = t;
    if (list->last)
        list->last->next = l;
    else
        list->first = l;
    list->last = l;
    list->n++;
}

static struct terms
list_of(struct builder *b, const struct term *const *t, size_t n)
{
    struct terms list = {.n = 0};

    for (size_t i = 0; i < n; i++)
        terms_add(b, &list, t[i]);
    return list;
}

const struct term *
term_name(struct builder *b, const char *of, const char *format, ...)
{
    struct term t = {.kind = TERM_NAME, .of = of};
    va_list args;

    va_start(args, format);
    t.name = builder_name(b, format, args);
    va_end(args);
    return term_take(b, t);
}

const struct term *
term_column(struct builder *b, str name)
{
    const char *copy = builder_copy(b, name);

    return term_take(
        b, (struct term){.kind = TERM_COLUMN, .text = {copy, name.len}});
}

const struct term *
term_expr(struct builder *b, const struct expr *e, const char *of)
{
    return term_take(b, (struct term){.kind = TERM_EXPR, .expr = e, .of = of});
}

const struct term *
term_condition(struct builder *b, const struct expr *e, const char *of,
               const bool *stepped)
{
    return term_take(b, (struct term){.kind = TERM_CONDITION,
                                      .expr = e,
                                      .of = of,
                                      .stepped = stepped});
}

const struct term *
term_public(struct builder *b, const struct expr *e, const char *of)
{
    return term_take(b,
                     (struct term){.kind = TERM_PUBLIC, .expr = e, .of = of});
}

const struct term *
term_number(struct builder *b, i128 n)
{
    return term_take(b, (struct term){.kind = TERM_NUMBER, .number = n});
}

const struct term *
term_text(struct builder *b, str text)
{
    const char *copy = builder_copy(b, text);

    return term_take(
        b, (struct term){.kind = TERM_TEXT, .text = {copy, text.len}});
}

const struct term *
term_day(struct builder *b, struct store_type type, const char *text)
{
    return term_take(
        b, (struct term){.kind = TERM_DAY, .type = type, .text = str_of(text)});
}

const struct term *
term_true(struct builder *b)
{
    return term_take(b, (struct term){.kind = TERM_TRUE});
}

const struct term *
term_false(struct builder *b)
{
    return term_take(b, (struct term){.kind = TERM_FALSE});
}

const struct term *
term_null(struct builder *b)
{
    return term_take(b, (struct term){.kind = TERM_NULL});
}

const struct term *
term_whole(struct builder *b, i128 n, struct store_type type)
{
    char text[41];

    custos_int_write(n, text);
    return term_cast(b, term_text(b, str_of(text)), type);
}

const struct term *
term_written(struct builder *b, const struct datum *d)
{
    const struct term *t;
    struct buf text;

    buf_init(&text, NULL, BUILDER_BYTES);
    datum_write(d, &text);
    b->failed |= text.failed;
    t = term_text(b, str_of(buf_text(&text)));
    buf_clear(&text);
    return t;
}

const struct term *
term_value(struct builder *b, const struct datum *d, struct store_type type)
{
    return term_cast(b, term_written(b, d), type);
}

const struct term *
term_calls(struct builder *b, enum term_function f, const struct terms *args)
{
    return term_take(
        b, (struct term){.kind = TERM_CALL, .function = f, .args = *args});
}

/* The list of terms that ends with NULL. */
static struct terms
list_to_null(struct builder *b, const struct term *const *args)
{
    size_t n = 0;

    while (args[n])
        n++;
    return list_of(b, args, n);
}

const struct term *
term_call_of(struct builder *b, enum term_function f,
             const struct term *const *args)
{
    struct terms list = list_to_null(b, args);

    return term_calls(b, f, &list);
}

const struct term *
term_binary(struct builder *b, const struct term *left, enum term_operator o,
            const struct term *right)
{
    const struct term *both[] = {left, right};

    return term_take(b, (struct term){.kind = TERM_BINARY,
                                      .operator= o,
                                      .args = list_of(b, both, 2)});
}

const struct term *
term_negative(struct builder *b, const struct term *t)
{
    return term_of(b, TERM_NEGATIVE, t, NULL);
}

const struct term *
term_cast(struct builder *b, const struct term *t, struct store_type type)
{
    return term_take(b, (struct term){.kind = TERM_CAST,
                                      .type = type,
                                      .args = list_of(b, &t, 1)});
}

const struct term *
term_try_cast(struct builder *b, const struct term *t, struct store_type type)
{
    return term_take(b, (struct term){.kind = TERM_TRY_CAST,
                                      .type = type,
                                      .args = list_of(b, &t, 1)});
}

const struct term *
term_of_list(struct builder *b, enum term_kind kind, const struct terms *args)
{
    return term_take(b, (struct term){.kind = kind, .args = *args});
}

const struct term *
term_of_args(struct builder *b, enum term_kind kind,
             const struct term *const *args)
{
    return term_take(
        b, (struct term){.kind = kind, .args = list_to_null(b, args)});
}

const struct term *
term_if(struct builder *b, const struct term *condition,
        const struct term *value)
{
    return term_of(b, TERM_CASE, condition, value, NULL);
}

const struct term *
term_item(struct builder *b, const struct term *list, size_t number)
{
    return term_take(b, (struct term){.kind = TERM_ITEM,
                                      .number = (i128)number,
                                      .args = list_of(b, &list, 1)});
}

const struct term *
term_not(struct builder *b, const struct term *t)
{
    return term_of(b, TERM_NOT, t, NULL);
}

const struct term *
term_present(struct builder *b, const struct term *t)
{
    return term_of(b, TERM_PRESENT, t, NULL);
}

const struct term *
term_absent(struct builder *b, const struct term *t)
{
    return term_of(b, TERM_ABSENT, t, NULL);
}

const struct term *
term_between(struct builder *b, const struct term *t, const struct term *least,
             const struct term *most)
{
    return term_of(b, TERM_BETWEEN, t, least, most, NULL);
}

static const struct term *
aggregate_take(struct builder *b, enum term_aggregate a, const struct term *of,
               const struct term *filter, const struct window *w)
{
    struct window *window = NULL;

    if (w && (window = builder_take(b, sizeof *window)))
        *window = *w;
    return term_take(b, (struct term){.kind = TERM_AGGREGATE,
                                      .aggregate = a,
                                      .args = list_of(b, &of, of != NULL),
                                      .filter = filter,
                                      .window = window});
}

const struct term *
term_aggregate(struct builder *b, enum term_aggregate a, const struct term *of)
{
    return aggregate_take(b, a, of, NULL, NULL);
}

const struct term *
term_filtered(struct builder *b, enum term_aggregate a, const struct term *of,
              const struct term *filter)
{
    return aggregate_take(b, a, of, filter, NULL);
}

const struct term *
term_window(struct builder *b, enum term_aggregate a, const struct term *of,
            const struct window *w)
{
    return aggregate_take(b, a, of, NULL, w);
}
