/*
 * Plans the items of a batch together, and explains them. All of it is a function
 * of public facts, budgets and the answers that this analyst has received.
 */
#include "curator/batch_inside.h"

#include <string.h>

#include "base/error.h"
#include "curator/answer.h"
#include "curator/forecast.h"
#include "curator/reply.h"

enum { TEXT_MAX = 1 << 20, PLANNING_SHARES = 8 };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* -------------------------------------------------------------- planning -- */

/* How many values the answer can have. */
static uint64_t
count_values(const struct plan *p)
{
    size_t n;
    struct plan *const *next = plan_next(p, &n);
    const struct plan *of = n > 0 ? next[0] : p;
    uint64_t rows = of->is_public ? 0 : of->space.cells;

    if (p->query->has_limit && p->query->limit < rows)
        rows = p->query->limit;
    return rows >= BATCH_VALUES_MOST ? BATCH_VALUES_MOST + 1
                                     : rows * p->n_outputs;
}

static custos_status
plan_entry(struct progress *g, size_t i, uint64_t *steps, uint64_t *values,
           custos_err *err)
{
    const struct ask_item *item = &g->b->items[i];
    struct entry *e = &g->entries[i];
    custos_status st;

    e->asked = *g->ask;
    e->asked.sql = item->sql;
    e->asked.epsilon = item->epsilon;
    e->asked.rho = item->rho;
    e->asked.within = item->within;
    e->asked.jointly = item->jointly;
    e->asked.params = item->params;
    e->asked.n_params = item->n_params;
    e->k.asked = &e->asked;
    st = course_plan(g->c, g->a, steps, &e->k, err);
    if (!st && e->k.q->explain)
        st = custos_fail(err, CUSTOS_EUNSUPPORTED,
                         "EXPLAIN is not allowed in a batch" HINT
                         "explain the batch as a whole");
    if (st)
        return st;
    *values += count_values(e->k.p);
    return *values <= BATCH_VALUES_MOST
               ? CUSTOS_OK
               : custos_fail(err, CUSTOS_EOVERFLOW,
                             "the answers of the batch have more than %d "
                             "values" HINT "ask for fewer groups at once",
                             BATCH_VALUES_MOST);
}

static custos_status
plan_items(struct progress *g, custos_err *err)
{
    uint64_t values = 0, steps = 0;
    custos_status st = CUSTOS_OK;

    if (g->b->n == 0)
        return custos_fail(err, CUSTOS_EINVAL, "the batch has no query");
    if (g->b->n > BATCH_MOST)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the batch has %zu queries, and %d are allowed",
                           g->b->n, BATCH_MOST);
    st = curator_refresh(g->c, err);
    g->a = arena_new(NULL, QUERY_BYTES);
    if (!st && g->a)
        g->entries = arena_take(g->a, g->b->n, sizeof *g->entries);
    if (!st && !g->entries)
        st = no_memory(err);
    if (!st &&
        __builtin_mul_overflow(g->c->snapshot->policy->max_planning_steps,
                               (uint64_t)PLANNING_SHARES, &steps))
        steps = UINT64_MAX;
    for (size_t i = 0; i < g->b->n && !st; i++) {
        g->b->at = i;
        st = plan_entry(g, i, &steps, &values, err);
    }
    return st;
}

/* ---------------------------------------------------------------- sorting -- */

/* The earlier entry with the same question, or i. */
static size_t
find_same(const struct progress *g, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!g->entries[j].k.p->is_public &&
            !memcmp(g->entries[j].keys.own, g->entries[i].keys.own,
                    sizeof g->entries[i].keys.own))
            return j;
    return i;
}

/* Which entries are public, and which ask the same. */
static custos_status
sort_entry(struct progress *g, size_t i, custos_err *err)
{
    struct entry *e = &g->entries[i];
    custos_status st;

    e->kind = ENTRY_PUBLIC;
    e->same = i;
    if (e->k.p->is_public)
        return CUSTOS_OK;
    st = answer_keys_make(g->c, &e->k.ask, e->k.q, e->k.p, &e->keys, err);
    if (st)
        return st;
    e->same = find_same(g, i);
    e->kind = e->same < i ? ENTRY_AGAIN : ENTRY_RUN;
    e->class_us = reply_class_of(g->c, e->k.p);
    return CUSTOS_OK;
}

custos_status
batch_each(struct progress *g,
           custos_status (*step)(struct progress *g, size_t i, custos_err *err),
           custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < g->b->n && !st; i++) {
        g->b->at = i;
        st = step(g, i, err);
    }
    return st;
}

custos_status
batch_plan(struct progress *g, custos_err *err)
{
    custos_status st = plan_items(g, err);

    return st ? st : batch_each(g, sort_entry, err);
}

void
batch_end(struct progress *g)
{
    for (size_t i = 0; g->entries && i < g->b->n; i++) {
        plan_free(g->entries[i].k.p);
        if (g->entries[i].has_request)
            course_request_clear(&g->entries[i].request);
    }
    arena_free(g->a);
}

/* The class time of all entries that run: their own, and for each but the first
   the allowance that a reply has besides. If one is not known (INT64_MAX), the
   sum is not known either. */
void
batch_add_classes(struct progress *g)
{
    g->class_us = 0;
    g->running = 0;
    for (size_t i = 0; i < g->b->n; i++) {
        const struct entry *e = &g->entries[i];

        if (e->kind != ENTRY_RUN)
            continue;
        if (e->class_us == INT64_MAX ||
            __builtin_add_overflow(g->class_us, e->class_us, &g->class_us) ||
            __builtin_add_overflow(g->class_us,
                                   g->running ? g->ask->allowance_us : 0,
                                   &g->class_us)) {
            g->class_us = INT64_MAX;
        }
        g->running++;
    }
}

/* The sum of what is charged. *any: something is. */
void
batch_add_costs(const struct progress *g, struct charge *sum, bool *any)
{
    struct ask_batch_cost *cost = &g->b->cost;

    charge_sum_init(sum);
    *any = false;
    for (size_t i = 0; i < g->b->n; i++) {
        const struct entry *e = &g->entries[i];

        if (e->kind != ENTRY_RUN && e->kind != ENTRY_SHARED)
            continue;
        charge_sum_add(sum, &e->k.p->charge);
        *any = true;
    }
    amount_write(sum->epsilon, AMOUNT_LOSS, cost->epsilon);
    amount_write(sum->rho, AMOUNT_LOSS, cost->rho);
    amount_write(sum->delta, AMOUNT_DELTA, cost->delta);
}

/* --------------------------------------------------------------- EXPLAIN -- */

/* Answers an entry with its plan. */
static custos_status
explain_entry(struct progress *g, size_t i, custos_err *err)
{
    struct ask_item *item = &g->b->items[i];
    struct entry *e = &g->entries[i];
    struct forecast f = {.stored = false};
    custos_status st;
    struct buf more;

    forecast_make(g->c, &e->k.ask, e->k.q, e->k.p, &f);
    if (f.stored)
        e->kind = ENTRY_CACHED;
    f.stored = f.stored || e->kind == ENTRY_AGAIN;
    buf_init(&more, NULL, TEXT_MAX);
    forecast_write(e->k.p, &more);
    st = more.failed
             ? no_memory(err)
             : answer_of_explain(e->k.p, buf_text(&more), &item->answer, err);
    buf_clear(&more);
    if (!st) {
        item->answer->forecast = f;
        forecast_add(e->k.p, item->answer);
    }
    return st;
}

custos_status
curator_batch_explain(struct curator *c, const struct ask *ask,
                      struct ask_batch *b, custos_err *err)
{
    struct progress g = {.c = c, .ask = ask, .b = b};
    struct forecast *f = &b->forecast;
    custos_err quiet = CUSTOS_ERR_INIT;
    struct charge sum;
    custos_status st;
    bool any = false;

    b->at = b->n;
    b->is_charged = false;
    st = batch_plan(&g, err);
    if (!st)
        st = batch_each(&g, explain_entry, err);
    if (!st) {
        b->at = b->n;
        batch_add_classes(&g);
        batch_add_costs(&g, &sum, &any);
        *f = (struct forecast){.stored = !any};
        if (g.running > 0 && g.class_us < INT64_MAX - ask->allowance_us &&
            (ask->admit || c->snapshot->measured))
            f->reply_us = g.class_us + ask->allowance_us;
        f->can_pay = !ledger_remaining(c->ledger, ask->who, ask->now,
                                       any ? &sum : NULL, &f->after, &quiet);
    }
    batch_end(&g);
    return st;
}
