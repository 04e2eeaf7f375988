/*
 * Pieces of statements as the engine's text.
 */
#ifndef TEST_ENGINE_PRINTED_H
#define TEST_ENGINE_PRINTED_H

#include "engine/duckdb/duck_print.h"
#include "engine/duckdb/open.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"
#include "support/stages.h"

/* Adds the text of a term. */
static inline void
print_term(struct builder *b, const struct term *t, struct buf *out)
{
    static const char select[] = "SELECT ";
    struct select *s = select_new(b, NULL);
    struct buf text;

    buf_init(&text, NULL, out->limit);
    select_add_bare(b, s, t);
    if (!b->failed)
        duck_print_select(s, NULL, &text);
    out->failed |= b->failed || text.failed;
    if (!out->failed)
        buf_add_text(out, buf_text(&text) + sizeof select - 1);
    buf_clear(&text);
}

/* Adds the text of r; out fails if it cannot be built. */
static inline void
print_relation(struct engine *e, const struct relation *r, struct buf *out)
{
    const struct input *in;
    struct builder b;

    builder_init(&b, e);
    in = relation_input(&b, r);
    if (!b.failed)
        duck_print_input(in, duck_of(e)->data->read, out);
    out->failed |= b.failed;
    builder_clear(&b);
}

/* The same for what a plan reads. */
static inline void
print_of_plan(struct engine *e, const struct plan *plan, struct buf *out)
{
    const struct input *in;
    struct builder b;

    builder_init(&b, e);
    in = relation_of_plan(&b, plan);
    if (!b.failed)
        duck_print_input(in, duck_of(e)->data->read, out);
    out->failed |= b.failed;
    builder_clear(&b);
}

static inline void
print_value(const struct plan *plan, const struct part *part, struct buf *out)
{
    struct builder b;

    builder_init(&b, NULL);
    print_term(&b, work_value(&b, plan, part), out);
    builder_clear(&b);
}

static inline void
print_key(const struct plan *plan, size_t k, struct buf *out)
{
    struct builder b;

    builder_init(&b, NULL);
    print_term(&b, work_key(&b, STAGE_OF(plan), k), out);
    builder_clear(&b);
}

#endif
