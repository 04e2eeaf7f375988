/*
 * Makes the nodes of statements. Where memory runs out, a node that is never run
 * stands in for the one that could not be made, and the builder has failed.
 */
#include "engine/statement/statement.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* A new piece, or NULL with b->failed. */
static void *
take(struct builder *b, size_t size)
{
    void *p = b->failed ? NULL : arena_take(b->a, 1, size);

    b->failed |= !p;
    return p;
}

static const char *
take_text(struct builder *b, str text)
{
    const char *copy = b->failed ? NULL : arena_copy(b->a, text);

    b->failed |= !copy;
    return copy ? copy : "";
}

static const char *
take_name(struct builder *b, const char *format, va_list args)
{
    char name[NAME_BYTES];
    int n = vsnprintf(name, sizeof name, format, args);

    b->failed |= n < 0 || (size_t)n >= sizeof name;
    return take_text(b, str_of(name));
}

/* ------------------------------------------------------------------ terms -- */

static const struct term *
term_take(struct builder *b, struct term t)
{
    struct term *to = take(b, sizeof *to);

    if (!to)
        return &no_term;
    *to = t;
    return to;
}

void
terms_add(struct builder *b, struct terms *list, const struct term *t)
{
    struct term_link *l = take(b, sizeof *l);

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
    t.name = take_name(b, format, args);
    va_end(args);
    return term_take(b, t);
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
    const char *copy = take_text(b, text);

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
term_value(struct builder *b, const struct datum *d, struct store_type type)
{
    const struct term *t;
    struct buf text;

    buf_init(&text, NULL, BUILDER_BYTES);
    datum_write(d, &text);
    b->failed |= text.failed;
    t = term_cast(b, term_text(b, str_of(buf_text(&text))), type);
    buf_clear(&text);
    return t;
}

const struct term *
term_calls(struct builder *b, enum term_function f, const struct terms *args)
{
    return term_take(
        b, (struct term){.kind = TERM_CALL, .function = f, .args = *args});
}

const struct term *
term_call_of(struct builder *b, enum term_function f,
             const struct term *const *args)
{
    struct terms list = {.n = 0};

    for (; *args; args++)
        terms_add(b, &list, *args);
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
    return term_take(
        b, (struct term){.kind = TERM_NEGATIVE, .args = list_of(b, &t, 1)});
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
term_if(struct builder *b, const struct term *condition,
        const struct term *value)
{
    const struct term *both[] = {condition, value};

    return term_take(
        b, (struct term){.kind = TERM_CASE, .args = list_of(b, both, 2)});
}

const struct term *
term_not(struct builder *b, const struct term *t)
{
    return term_take(
        b, (struct term){.kind = TERM_NOT, .args = list_of(b, &t, 1)});
}

const struct term *
term_present(struct builder *b, const struct term *t)
{
    return term_take(
        b, (struct term){.kind = TERM_PRESENT, .args = list_of(b, &t, 1)});
}

const struct term *
term_between(struct builder *b, const struct term *t, const struct term *least,
             const struct term *most)
{
    const struct term *all[] = {t, least, most};

    return term_take(
        b, (struct term){.kind = TERM_BETWEEN, .args = list_of(b, all, 3)});
}

static const struct term *
aggregate_take(struct builder *b, enum term_aggregate a, const struct term *of,
               const struct term *filter, const struct window *w)
{
    struct window *window = NULL;

    if (w && (window = take(b, sizeof *window)))
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

/* ---------------------------------------------------------------- selects -- */

struct select *
select_new(struct builder *b, const struct input *from)
{
    struct select *s = take(b, sizeof *s);

    if (!s)
        return &b->no_select;
    s->from = from;
    return s;
}

static void
item_add(struct builder *b, struct select *s, const struct term *t,
         const char *as)
{
    struct item *i = take(b, sizeof *i);

    if (!i)
        return;
    *i = (struct item){.term = t, .as = as};
    if (s->items_last)
        s->items_last->next = i;
    else
        s->items = i;
    s->items_last = i;
}

void
select_add(struct builder *b, struct select *s, const struct term *t,
           const char *as, ...)
{
    const char *name;
    va_list args;

    va_start(args, as);
    name = take_name(b, as, args);
    va_end(args);
    item_add(b, s, t, name);
}

void
select_add_bare(struct builder *b, struct select *s, const struct term *t)
{
    item_add(b, s, t, NULL);
}

void
select_where(struct builder *b, struct select *s, const struct term *condition)
{
    terms_add(b, &s->where, condition);
}

void
select_group(struct builder *b, struct select *s, const struct term *t)
{
    terms_add(b, &s->group_by, t);
}

void
select_order(struct builder *b, struct select *s, const struct sort *by)
{
    struct sort *o = take(b, sizeof *o);

    if (!o)
        return;
    *o = *by;
    if (s->order_by_last)
        s->order_by_last->next = o;
    else
        s->order_by = o;
    s->order_by_last = o;
}

void
select_with(struct builder *b, struct select *s, const char *name,
            const struct select *q)
{
    struct with *w = take(b, sizeof *w);

    if (!w)
        return;
    *w = (struct with){.name = take_text(b, str_of(name)), .select = q};
    if (s->with_last)
        s->with_last->next = w;
    else
        s->with = w;
    s->with_last = w;
}

static const struct input *
input_take(struct builder *b, struct input in)
{
    struct input *to = take(b, sizeof *to);

    if (!to)
        return &b->no_input;
    *to = in;
    return to;
}

const struct input *
input_table(struct builder *b, size_t table)
{
    return input_take(b, (struct input){.kind = INPUT_TABLE, .table = table});
}

const struct input *
input_kept(struct builder *b, size_t part)
{
    return input_take(b, (struct input){.kind = INPUT_KEPT, .table = part});
}

const struct input *
input_named(struct builder *b, const char *format, ...)
{
    const char *name;
    va_list args;

    va_start(args, format);
    name = take_name(b, format, args);
    va_end(args);
    return input_take(b, (struct input){.kind = INPUT_NAMED, .name = name});
}

const struct input *
input_select(struct builder *b, const struct select *s)
{
    return input_take(b, (struct input){.kind = INPUT_SELECT, .select = s});
}

const struct input *
input_as(struct builder *b, const struct input *in, const char *format, ...)
{
    struct input named = *in;
    va_list args;

    va_start(args, format);
    named.as = take_name(b, format, args);
    va_end(args);
    return input_take(b, named);
}

struct input *
input_join(struct builder *b, const struct input *left,
           const struct input *right)
{
    struct input *j = take(b, sizeof *j);

    if (!j)
        return &b->no_input;
    *j = (struct input){.kind = INPUT_JOIN, .left = left, .right = right};
    return j;
}
