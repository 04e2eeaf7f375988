/*
 * Answers questions about the catalog. An analyst's catalog is made at the
 * first question about it, and kept as long as the snapshot whose policy it
 * describes. Only a few are kept, since each has memory of its own.
 *
 * THEOREM  catalog-public
 *   What the catalog tells an analyst is a function of the question, the
 *   policy and the analyst's grants.
 * SOURCE   doc/proofs/catalog-public.md
 * NEEDS    catalog-closed; only catalog_setup fills the small database, which
 *          is sealed off from files and settings.
 * GIVES    answers that cost nothing and show nothing that is not granted.
 * FAILS    depending on the question, the policy and the machine's memory and
 *          speed.
 * TESTED   an_analyst_sees_what_is_granted what_is_not_listed_is_refused
 *          the_database_is_sealed
 */
#include "curator/catalog.h"

#include <pthread.h>

#include "base/error.h"
#include "curator/catalog_setup.h"
#include "curator/catalog_tables.h"
#include "curator/catalogs.h"
#include "curator/shared_state.h"
#include "engine/sandbox.h"
#include "sql/catalog_text.h"

/* SETUP_MOST: of the content while a catalog is made. A column takes 336 bytes, and
   up to four times that while its table grows; a policy can have half a million. */
enum { KEPT = 16, SETUP_MOST = 1 << 30, QUESTION_MS = 10000 };

struct catalogs {
    pthread_mutex_t mutex;
    pthread_cond_t freed;
    uint64_t turns;
    struct kept {
        struct sandbox *box; /* NULL: free */
        const struct policy_analyst *who;
        size_t users;
        uint64_t last;
        bool sick; /* takes no more questions; closed when nobody uses it */
    } kept[KEPT];
};

struct catalogs *
catalogs_new(void)
{
    struct catalogs *c = calloc(1, sizeof *c);

    if (c && pthread_mutex_init(&c->mutex, NULL)) {
        free(c);
        return NULL;
    }
    if (c && pthread_cond_init(&c->freed, NULL)) {
        pthread_mutex_destroy(&c->mutex);
        free(c);
        return NULL;
    }
    return c;
}

void
catalogs_free(struct catalogs *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < KEPT; i++)
        sandbox_close(c->kept[i].box);
    pthread_cond_destroy(&c->freed);
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

static custos_status
box_open(const struct policy *p, const struct policy_analyst *who,
         struct sandbox **out, custos_err *err)
{
    arena *a = arena_new(NULL, SETUP_MOST);
    struct sandbox_content content;
    custos_status st;

    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = catalog_setup(p, who, a, &content, err);
    if (!st)
        st = sandbox_open(&content, QUESTION_MS, out, err);
    arena_free(a);
    return st;
}

/* The catalog of `who`, else the slot to reuse for it (a free one, or the least
   recently used); NULL: all are in use. */
static struct kept *
kept_find(struct catalogs *c, const struct policy_analyst *who)
{
    struct kept *idle = NULL;

    for (size_t i = 0; i < KEPT; i++) {
        struct kept *k = &c->kept[i];

        if (k->box && k->who == who && !k->sick)
            return k;
        if (k->users == 0 && (!idle || !k->box || k->last < idle->last))
            idle = k;
    }
    return idle;
}

static custos_status
catalogs_take(struct catalogs *c, const struct policy *p,
              const struct policy_analyst *who, struct kept **out,
              custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct kept *k;

    pthread_mutex_lock(&c->mutex);
    while (!(k = kept_find(c, who)))
        pthread_cond_wait(&c->freed, &c->mutex);
    if (!k->box || k->who != who) {
        sandbox_close(k->box);
        k->box = NULL;
        k->who = who;
        st = box_open(p, who, &k->box, err);
    }
    if (!st) {
        k->users++;
        k->last = ++c->turns;
        *out = k;
    }
    pthread_mutex_unlock(&c->mutex);
    return st;
}

static void
catalogs_give(struct catalogs *c, struct kept *k, bool sick)
{
    pthread_mutex_lock(&c->mutex);
    k->users--;
    k->sick = k->sick || sick;
    if (k->sick && k->users == 0) {
        sandbox_close(k->box);
        k->box = NULL;
        k->sick = false;
    }
    pthread_cond_signal(&c->freed);
    pthread_mutex_unlock(&c->mutex);
}

/* ------------------------------------------------------------- questions -- */

static custos_status
params_take(const struct catalog_ask *ask, arena *a, enum sandbox_how how,
            struct catalog_question *q, custos_err *err)
{
    custos_status st = catalog_params(a, ask->sql, &q->n_params, err);

    if (st)
        return st;
    if (how == SANDBOX_RUN && ask->n_params < q->n_params)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the query has %zu parameters, and %zu values are "
                           "given",
                           q->n_params, ask->n_params);
    q->params = arena_take(a, q->n_params + 1, sizeof *q->params);
    if (!q->params)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < q->n_params; i++) {
        if (i < ask->n_param_types)
            q->params[i].type = ask->param_types[i];
        if (how == SANDBOX_DESCRIBE)
            continue;
        q->params[i].given = true;
        q->params[i].is_null = ask->params[i].is_null;
        q->params[i].text = ask->params[i].text;
    }
    return CUSTOS_OK;
}

static custos_status
rows_take(const struct sandbox_rows *rows, const struct catalog_question *q,
          arena *a, struct catalog_rows *out, custos_err *err)
{
    size_t cells = rows->n_rows * rows->n_columns;
    struct catalog_rows r = {.n_columns = rows->n_columns,
                             .n_rows = rows->n_rows,
                             .n_params = q->n_params};

    r.columns = arena_take(a, r.n_columns + 1, sizeof *r.columns);
    r.params = arena_take(a, r.n_params + 1, sizeof *r.params);
    r.cells = arena_take(a, cells + 1, sizeof *r.cells);
    if (!r.columns || !r.params || !r.cells)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < r.n_columns; i++)
        r.columns[i] = (struct catalog_column){rows->names[i], rows->types[i]};
    for (size_t i = 0; i < r.n_params; i++)
        r.params[i] = q->params[i].type ? q->params[i].type : 25; /* text */
    for (size_t i = 0; i < cells; i++)
        r.cells[i] =
            (struct catalog_value){rows->cells[i].is_null, rows->cells[i].text};
    *out = r;
    return CUSTOS_OK;
}

/* Answers in this process. */
static custos_status
catalog_answer(struct curator *c, const struct catalog_ask *ask,
               enum sandbox_how how, arena *a, struct catalog_rows *out,
               custos_err *err)
{
    struct catalog_question q = {.text = ask->sql, .knows = catalog_knows};
    const struct policy_analyst *who = NULL;
    struct sandbox_rows rows;
    struct kept *k = NULL;
    const char *sql = NULL;
    custos_status st = curator_find(c, ask->who, &who, err);

    if (!st)
        st = params_take(ask, a, how, &q, err);
    if (!st)
        st = catalog_write(a, &q, &sql, err);
    if (!st)
        st = catalogs_take(c->snapshot->catalogs, c->snapshot->policy, who, &k,
                           err);
    if (st)
        return st;
    st = sandbox_ask(k->box,
                     ask->database.len ? ask->database : str_of("custos"), sql,
                     how, a, &rows, err);
    catalogs_give(c->snapshot->catalogs, k,
                  st == CUSTOS_EENGINE && !sandbox_is_well(k->box, a));
    return st ? st : rows_take(&rows, &q, a, out, err);
}

static custos_status
answer_catalog(struct curator *c, const struct catalog_ask *ask,
               enum catalog_how how, arena *a, struct catalog_rows *out,
               custos_err *err)
{
    custos_status st = curator_refresh(c, err);
    struct work_snapshot of;

    if (st)
        return st;
    if (!c->executor)
        return catalog_answer(
            c, ask, how == CATALOG_RUN ? SANDBOX_RUN : SANDBOX_DESCRIBE, a, out,
            err);
    of = curator_snapshot(c);
    return c->executor->catalog(c->executor->ctx, &of, ask, how, a, out, err);
}

custos_status
curator_catalog(struct curator *c, const struct catalog_ask *ask, arena *a,
                struct catalog_rows *out, custos_err *err)
{
    return answer_catalog(c, ask, CATALOG_RUN, a, out, err);
}

custos_status
curator_catalog_describe(struct curator *c, const struct catalog_ask *ask,
                         arena *a, struct catalog_rows *out, custos_err *err)
{
    return answer_catalog(c, ask, CATALOG_DESCRIBE, a, out, err);
}
