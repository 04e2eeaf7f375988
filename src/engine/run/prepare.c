#include "engine/run/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "engine/statement/ask.h"
#include "engine/handle.h"
#include "engine/refail.h"

enum { PART_TEXT_MAX = 256 << 20 };

/* Part i is INPUT_KEPT i. */
struct prepared {
    char *text;
};

/* r itself, for a statement that reads only public data. */
static const struct input *
part_input(struct builder *b, const struct relation *r)
{
    bool before = b->public_only;
    const struct input *in;

    b->public_only = true;
    in = relation_input(b, r);
    b->public_only = before;
    return in;
}

/* Its text, by which parts are compared. */
static void
part_text(struct builder *b, const struct input *part, struct buf *out)
{
    buf_init(out, NULL, PART_TEXT_MAX);
    if (b->failed)
        out->failed = true;
    else
        b->engine->ops->write(b->engine, part, out);
}

/* The number of the part with this text; n_prepared if there is none. */
static size_t
find_text(const struct engine *e, const char *text)
{
    size_t i = 0;

    while (i < e->n_prepared && strcmp(e->prepared[i].text, text) != 0)
        i++;
    return i;
}

const struct input *
prepare_input(struct builder *b, const struct relation *r)
{
    struct engine *e = b->engine;
    struct buf text;
    size_t i;

    part_text(b, part_input(b, r), &text);
    i = find_text(e, buf_text(&text));
    if (text.failed || i == e->n_prepared)
        b->failed = true;
    buf_clear(&text);
    return input_kept(b, i);
}

/* --------------------------------------------------------------- parts -- */

/* walk_parts calls `see` for each outermost public part in r, until a call fails. */
typedef custos_status (*part_see)(void *ctx, const struct relation *r,
                                  custos_err *err);

static custos_status
walk_parts(const struct relation *r, part_see see, void *ctx, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (!r)
        return CUSTOS_OK;
    if (prepare_is_part(r))
        return see(ctx, r, err);
    st = walk_parts(r->left, see, ctx, err);
    if (!st)
        st = walk_parts(r->right, see, ctx, err);
    for (size_t i = 0; i < r->n_branches && !st; i++)
        st = walk_parts(r->branches[i], see, ctx, err);
    return st;
}

static custos_status
see_any(void *ctx, const struct relation *r, custos_err *err)
{
    (void)ctx;
    (void)r;
    (void)err;
    return CUSTOS_EINVAL;
}

bool
engine_has_public_parts(const struct plan *plan)
{
    if (plan->is_public)
        return false;
    for (size_t i = 0; i < plan->n_queries; i++)
        if (walk_parts(plan->queries[i], see_any, NULL, NULL))
            return true;
    return walk_parts(plan->from, see_any, NULL, NULL) != CUSTOS_OK;
}

/* ------------------------------------------------------------- tables -- */

struct preparing {
    struct engine *e;
    const struct plan *plan;
    size_t queries; /* how many queries of IN (SELECT ...) the part may read */
};

/* Computes a part into a table. */
static custos_status
make_table(struct preparing *p, struct builder *b, const struct input *part,
           custos_err *err)
{
    struct select *s = select_new(b, part);
    custos_status st;

    s->all = true;
    relation_queries(b, p->plan, p->queries, s);
    st = ask_keep(b, p->e->n_prepared, s, err);
    if (st == CUSTOS_EENGINE)
        st = refail(err, CUSTOS_EINVAL,
                    "the part of the query over public tables cannot be "
                    "computed: a value in it is out of range, or a file "
                    "cannot be read");
    return st;
}

/* Makes room for one more part, with this text. */
static char *
part_room(struct engine *e, const struct buf *text)
{
    struct prepared *more =
        realloc(e->prepared, (e->n_prepared + 1) * sizeof *more);

    if (more)
        e->prepared = more;
    return more && !text->failed ? strdup(buf_text(text)) : NULL;
}

static custos_status
prepare_part(void *ctx, const struct relation *r, custos_err *err)
{
    struct preparing *p = ctx;
    struct engine *e = p->e;
    custos_status st = CUSTOS_OK;
    const struct input *part;
    struct builder b;
    struct buf text;
    char *copy = NULL;

    builder_init(&b, e);
    part = part_input(&b, r);
    part_text(&b, part, &text);
    if (!text.failed && find_text(e, buf_text(&text)) < e->n_prepared)
        goto out;
    copy = part_room(e, &text);
    st = copy ? make_table(p, &b, part, err)
              : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (st)
        free(copy);
    else
        e->prepared[e->n_prepared++].text = copy;
out:
    buf_clear(&text);
    builder_clear(&b);
    return st;
}

/* Prepares the queries of IN (SELECT ...) first, in their order: a part of such a
   query may read the queries before it, and a part of FROM may read all. */
custos_status
engine_prepare(struct engine *e, const struct plan *plan, custos_err *err)
{
    struct preparing p = {.e = e, .plan = plan};
    custos_status st = CUSTOS_OK;

    CUSTOS_REQUIRE(!plan->is_public && e->n_prepared == 0);
    if (!engine_has_public_parts(plan))
        return CUSTOS_OK;
    for (size_t i = 0; i < plan->n_queries && !st; i++) {
        p.queries = i;
        st = walk_parts(plan->queries[i], prepare_part, &p, err);
    }
    p.queries = plan->n_queries;
    if (!st)
        st = walk_parts(plan->from, prepare_part, &p, err);
    if (st)
        engine_unprepare(e);
    return st;
}

void
engine_unprepare(struct engine *e)
{
    e->ops->forget(e, e->n_prepared);
    for (size_t i = 0; i < e->n_prepared; i++)
        free(e->prepared[i].text);
    free(e->prepared);
    e->prepared = NULL;
    e->n_prepared = 0;
}
