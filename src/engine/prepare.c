#include "engine/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "engine/import.h"
#include "engine/refail.h"

/* Part i is the table temp.main.prepared<i>. */
struct prepared {
    char *text;
};

/* Prints r itself, as text for a statement that reads only public data. */
static void
print_part(struct engine *e, const struct relation *r, struct buf *out)
{
    bool before = e->public_only;

    e->public_only = true;
    relation_print(e, r, out);
    e->public_only = before;
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

void
prepare_print(struct engine *e, const struct relation *r, struct buf *out)
{
    struct buf text;
    size_t i;

    buf_init(&text, NULL, SQL_MOST);
    print_part(e, r, &text);
    i = find_text(e, buf_text(&text));
    if (text.failed || i == e->n_prepared)
        out->failed = true;
    else
        buf_printf(out, "temp.main.prepared%zu", i);
    buf_clear(&text);
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

/* Creates the table of the part with this text. */
static custos_status
make_table(struct preparing *p, const char *text, custos_err *err)
{
    struct engine *e = p->e;
    custos_status st;
    struct buf b;

    buf_init(&b, NULL, SQL_MOST);
    buf_printf(&b, "CREATE OR REPLACE TEMP TABLE prepared%zu AS ",
               e->n_prepared);
    relation_queries(e, p->plan, p->queries, &b);
    buf_printf(&b, "SELECT * FROM %s", text);
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : duck_do(e->connections[0], buf_text(&b), err);
    buf_clear(&b);
    if (st == CUSTOS_EENGINE)
        st = refail(err, CUSTOS_EINVAL,
                    "the part of the query over public tables cannot be "
                    "computed: a value in it is out of range, or a file "
                    "cannot be read");
    return st;
}

static custos_status
prepare_part(void *ctx, const struct relation *r, custos_err *err)
{
    struct preparing *p = ctx;
    struct engine *e = p->e;
    custos_status st = CUSTOS_OK;
    struct prepared *more;
    struct buf text;
    char *copy;

    buf_init(&text, NULL, SQL_MOST);
    print_part(e, r, &text);
    if (!text.failed && find_text(e, buf_text(&text)) < e->n_prepared) {
        buf_clear(&text);
        return CUSTOS_OK;
    }
    more = realloc(e->prepared, (e->n_prepared + 1) * sizeof *more);
    if (more)
        e->prepared = more;
    copy = more && !text.failed ? strdup(buf_text(&text)) : NULL;
    buf_clear(&text);
    if (!copy)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = make_table(p, copy, err);
    if (st)
        free(copy);
    else
        e->prepared[e->n_prepared++].text = copy;
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
    /* A reused statement would read the tables of another question. */
    duck_reuse(e->connections[0], DUCK_REUSE_NONE);
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
    struct buf b;
    custos_err quiet = CUSTOS_ERR_INIT;

    for (size_t i = 0; i < e->n_prepared; i++) {
        buf_init(&b, NULL, 128);
        buf_printf(&b, "DROP TABLE IF EXISTS temp.main.prepared%zu", i);
        /* If this fails, the next question replaces the table. */
        (void)!duck_do(e->connections[0], buf_text(&b), &quiet);
        buf_clear(&b);
        free(e->prepared[i].text);
    }
    free(e->prepared);
    e->prepared = NULL;
    e->n_prepared = 0;
    if (e->threads > 0)
        duck_reuse(e->connections[0], open_reuse(e));
}
