/*
 * Checks that need the whole query: which outputs the intervals name, and how
 * many expressions an engine will compute for it.
 */
#include "sql/read.h"

#include "base/error.h"
#include "sql/functions.h"

/* The argument of an interval must be the name of an output. */
static custos_status
intervals_check(struct sql_reader *r, const struct expr *e)
{
    const struct query *q = r->query;
    custos_status st = CUSTOS_OK;

    if (!e)
        return CUSTOS_OK;
    if (e->kind == EXPR_INTERVAL) {
        for (size_t i = 0; i < q->n_targets; i++)
            if (str_equal(q->targets[i].name, e->args[0]->name))
                return CUSTOS_OK;
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, e->args[0]->at,
                              "no output column is named \"%.63s\"",
                              e->args[0]->name.ptr);
    }
    for (size_t i = 0; !st && i < e->n_args; i++)
        st = intervals_check(r, e->args[i]);
    return st;
}

/* ----------------------------------------------- expressions computed -- */

static size_t engine_count(const struct expr *e);
static size_t count_query(const struct query *q);

static size_t
count_from(const struct from *f)
{
    size_t n = 1;

    if (f->query)
        n += count_query(f->query);
    if (f->on)
        n += engine_count(f->on);
    if (f->kind == FROM_JOIN)
        n += count_from(f->left) + count_from(f->right);
    return n;
}

static size_t
count_query(const struct query *q)
{
    size_t n = q->from ? count_from(q->from) : 0;

    for (size_t i = 0; i < q->n_targets; i++)
        n += engine_count(q->targets[i].expr);
    for (size_t i = 0; i < q->n_group_by; i++)
        n += engine_count(q->group_by[i]);
    n += q->where ? engine_count(q->where) : 0;
    n += q->having ? engine_count(q->having) : 0;
    return n + (q->union_all ? count_query(q->union_all) : 0);
}

/*
 * How many expressions an engine computes for e, at most. An argument that an
 * engine may compute twice counts twice, with everything in it.
 */
static size_t
engine_count(const struct expr *e)
{
    size_t n = 1;

    if (e->query)
        n += count_query(e->query);
    for (size_t i = 0; i < e->n_args; i++) {
        size_t one = e->args[i] ? engine_count(e->args[i]) : 0;
        bool twice = e->kind == EXPR_CALL && functions[e->call].twice == i + 1;

        n += twice ? 2 * one : one;
        if (n > SQL_NODES_MAX)
            return SQL_NODES_MAX + 1;
    }
    return n;
}

static custos_status
expr_check(struct sql_reader *r, const struct expr *e)
{
    if (e && engine_count(e) > SQL_NODES_MAX)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, e->at,
                              "divisions, NULLIFs or width_buckets are nested "
                              "too deeply in each other");
    return intervals_check(r, e);
}

/* Checks the conditions of joins; subqueries were checked when they were
   read. */
static custos_status
from_check(struct sql_reader *r, const struct from *f)
{
    custos_status st;

    if (!f || f->kind != FROM_JOIN)
        return CUSTOS_OK;
    st = from_check(r, f->left);
    if (!st)
        st = from_check(r, f->right);
    return st ? st : expr_check(r, f->on);
}

custos_status
query_check(struct sql_reader *r)
{
    const struct query *q = r->query;
    custos_status st = from_check(r, q->from);

    if (!st)
        st = expr_check(r, q->where);
    if (!st)
        st = expr_check(r, q->having);
    for (size_t i = 0; !st && i < q->n_targets; i++)
        st = expr_check(r, q->targets[i].expr);
    for (size_t i = 0; !st && i < q->n_group_by; i++)
        st = expr_check(r, q->group_by[i]);
    for (size_t i = 0; !st && i < q->n_order_by; i++)
        st = expr_check(r, q->order_by[i].expr);
    return st;
}
