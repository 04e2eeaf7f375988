/*
 * Description: the plan of a text whose parameters have no values yet. A
 * parameter without a declared type takes the type that its position requires,
 * which is reported to the client.
 *
 * THEOREM  describe-is-free
 *   Describing a query reads no data and charges nothing: the analyst learns a
 *   function of query, policy and grants.
 * SOURCE   doc/proofs/describe-is-free.md
 * NEEDS    plan_make is a function of tree, policy and who asks.
 * GIVES    columns and parameter types; ledger and data are not touched.
 * FAILS    as curator_answer does above the charge.
 * TESTED   describing_touches_nothing
 *          what_is_described_is_what_is_answered
 */
#include "curator/describe.h"

#include "base/error.h"
#include "curator/aggregate.h"
#include "curator/answer.h"
#include "plan/explain/useful.h"

static custos_status
columns_take(arena *a, const struct query *q, const struct plan *p,
             struct description *out, custos_err *err)
{
    static const struct description_column line = {.name = {"plan", 4},
                                                   .type = TYPE_TEXT};

    out->n_columns = q->explain ? 1 : p->n_outputs;
    out->columns = arena_take(a, out->n_columns + 1, sizeof *out->columns);
    if (!out->columns)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (q->explain)
        out->columns[0] = line;
    for (size_t i = 0; i < p->n_outputs && !q->explain; i++) {
        const struct plan_output *o = &p->outputs[i];
        struct description_column *c = &out->columns[i];

        c->name = (str){arena_copy(a, o->name), o->name.len};
        c->array = o->array;
        c->array.name.ptr = arena_copy(a, o->array.name);
        c->type = o->type == TYPE_NULL ? TYPE_TEXT : o->type;
        c->is_key = o->is_key;
        if (!c->name.ptr || !c->array.name.ptr)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    return CUSTOS_OK;
}

/* The half widths of the columns' bars, where they are known before anything is
   released. */
static custos_status
within_report(arena *a, const struct plan *p, struct description *out,
              custos_err *err)
{
    custos_status st = CUSTOS_OK;
    struct bars bars;
    size_t n;

    plan_next(p, &n);
    if (p->is_public || n > 0) /* bars depend on what is selected */
        return CUSTOS_OK;
    st = bars_make(a, p, 1, p->space.cells, &bars, err);
    for (size_t i = 0; i < p->n_outputs && !st; i++) {
        int slot = p->outputs[i].aggregate;

        if (slot < 0 ||
            !aggregate_within(p, &bars, (size_t)slot, &out->columns[i].within))
            out->columns[i].within = (struct datum){.type = TYPE_NULL};
    }
    return st;
}

/* The relative errors to expect. */
static custos_status
relative_report(arena *a, const struct plan *p, struct description *out,
                custos_err *err)
{
    struct useful u;

    if (!plan_useful(a, p, &u))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < p->n_outputs; i++) {
        int slot = p->is_public ? -1 : p->outputs[i].aggregate;
        struct datum *to = &out->columns[i].relative;

        *to = (struct datum){.type = TYPE_NULL};
        if (slot >= 0 && u.relative[slot] != USEFUL_UNKNOWN)
            *to = (struct datum){.type = TYPE_DECIMAL,
                                 .scale = USEFUL_SCALE,
                                 .n = (i128)u.relative[slot]};
    }
    return CUSTOS_OK;
}

static custos_status
params_take(arena *a, const struct sql_params *params, struct description *out,
            custos_err *err)
{
    out->n_params = params->n;
    out->params = arena_take(a, params->n + 1, sizeof *out->params);
    out->lists = arena_take(a, params->n + 1, sizeof *out->lists);
    if (!out->params || !out->lists)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < params->n; i++) {
        out->params[i] = params->list[i].type == TYPE_NULL
                             ? TYPE_TEXT
                             : params->list[i].type;
        out->lists[i] = params->list[i].use == SQL_PARAM_LIST;
    }
    return CUSTOS_OK;
}

/* Tree and plan are allocated in `own`, the description in `a`. */
static custos_status
describe_query(struct curator *c, const struct ask *ask, arena *own, arena *a,
               struct description *out, custos_err *err)
{
    struct plan_options options = {
        .epsilon = ask->epsilon,
        .rho = ask->rho,
        .within = ask->within,
        .jointly = ask->jointly,
        .stop = ask->stop,
    };
    struct description d = {0};
    struct sql_params params;
    struct plan *p = NULL;
    struct query *q = NULL;
    custos_status st;

    st = curator_refresh(c, err); /* as curator_answer does */
    if (!st)
        st = curator_find(c, ask->who, &options.who, err);
    if (!st)
        st = sql_params_find(own, ask->sql, ask->n_param_types, &params, err);
    for (size_t i = 0; !st && i < ask->n_param_types; i++) {
        params.list[i].type = ask->param_types[i];
        if (ask->param_lists && ask->param_lists[i])
            params.list[i].use = SQL_PARAM_LIST;
    }
    if (!st)
        st = sql_read_with(own, ask->sql, &params, &q, err);
    if (!st)
        st = plan_make(own, q, curator_policy(c), &options, &p, err);
    if (!st)
        st = columns_take(a, q, p, &d, err);
    if (!st && !q->explain)
        st = within_report(own, p, &d, err);
    if (!st && !q->explain)
        st = relative_report(own, p, &d, err);
    if (!st)
        st = params_take(a, &params, &d, err);
    plan_free(p);
    if (!st)
        *out = d;
    return st;
}

custos_status
curator_describe(struct curator *c, const struct ask *ask, arena *a,
                 struct description *out, custos_err *err)
{
    arena *own = arena_new(NULL, QUERY_BYTES); /* as curator_answer */
    custos_status st;

    if (!own)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = describe_query(c, ask, own, a, out, err);
    arena_free(own);
    return st;
}
