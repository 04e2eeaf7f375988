/*
 * Makes the selects of statements and their inputs. When memory runs out, a select
 * or input that is never run is returned (statement.c).
 */
#include "engine/statement/statement_inside.h"

struct select *
select_new(struct builder *b, const struct input *from)
{
    struct select *s = builder_take(b, sizeof *s);

    if (!s)
        return &b->no_select;
    s->from = from;
    return s;
}

static void
item_add(struct builder *b, struct select *s, const struct term *t,
         const char *as)
{
    struct item *i = builder_take(b, sizeof *i);

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
    name = builder_name(b, as, args);
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
    struct sort *o = builder_take(b, sizeof *o);

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
    struct with *w = builder_take(b, sizeof *w);

    if (!w)
        return;
    *w = (struct with){.name = builder_copy(b, str_of(name)), .select = q};
    if (s->with_last)
        s->with_last->next = w;
    else
        s->with = w;
    s->with_last = w;
}

static const struct input *
input_take(struct builder *b, struct input in)
{
    struct input *to = builder_take(b, sizeof *to);

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
    name = builder_name(b, format, args);
    va_end(args);
    return input_take(b, (struct input){.kind = INPUT_NAMED, .name = name});
}

const struct input *
input_file(struct builder *b, const struct file *f)
{
    return input_take(b, (struct input){.kind = INPUT_FILE, .file = f});
}

const struct input *
input_select(struct builder *b, const struct select *s)
{
    return input_take(b, (struct input){.kind = INPUT_SELECT, .select = s});
}

const struct input *
input_columns(struct builder *b, const struct select *s)
{
    return input_take(b, (struct input){.kind = INPUT_COLUMNS, .select = s});
}

const struct input *
input_as(struct builder *b, const struct input *in, const char *format, ...)
{
    struct input named = *in;
    va_list args;

    va_start(args, format);
    named.as = builder_name(b, format, args);
    va_end(args);
    return input_take(b, named);
}

struct input *
input_join(struct builder *b, const struct input *left,
           const struct input *right)
{
    struct input *j = builder_take(b, sizeof *j);

    if (!j)
        return &b->no_input;
    *j = (struct input){.kind = INPUT_JOIN, .left = left, .right = right};
    return j;
}
