/*
 * Reads a plan as a question to a synopsis: what it does not answer is refused, the
 * aggregates are collected, keys are marked, and each column gets the values that the
 * question can tell apart.
 */
#include "synopsis/question.h"

#include <math.h>

#include "base/error.h"
#include "evaluate/evaluate.h"
#include "plan/from/relation.h"
#include "plan/work.h"
#include "sql/aggregates.h"
#include "synopsis/groups.h"

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ---------------------------------------------------------- what it asks -- */

static custos_status
check_from(const struct plan *p, custos_err *err)
{
    const struct relation *from = p->from;

    if (p->n_queries > 0 || (from && from->kind != RELATION_TABLE))
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "a synopsis answers questions about its one table, "
                           "without subqueries or joins");
    if (p->query->distinct)
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "a synopsis does not answer SELECT DISTINCT" HINT
                           "name the columns in GROUP BY");
    return CUSTOS_OK;
}

static custos_status
check_aggregate(const struct expr *e, custos_err *err)
{
    switch (aggregates[e->aggregate].family) {
    case FAMILY_COUNT:
        if (e->aggregate == AGG_COUNT_DISTINCT)
            break;
        return CUSTOS_OK;
    case FAMILY_SUM:
    case FAMILY_MEAN:
    case FAMILY_VARIANCE: return CUSTOS_OK;
    case FAMILY_QUANTILE: /* min and max of public tables take any type */
        if (e->args[0]->type == TYPE_TEXT || e->args[0]->type == TYPE_BOOL)
            break;
        return CUSTOS_OK;
    case FAMILY_PAIR:
    case FAMILY_RUNNING: break;
    }
    return custos_fail_at(err, CUSTOS_EUNSUPPORTED, e->at,
                          "a synopsis does not answer this aggregate" HINT
                          "it answers count, sum, avg, variance, stddev, "
                          "median, percentile_cont, min and max");
}

/* False without steps, too. */
static bool
same_expr(const struct question *q, const struct expr *x, const struct expr *y)
{
    uint64_t steps = 0;
    const bool same = expr_same_counted(x, y, &steps);

    return effort_take(q->effort, steps) && same;
}

static custos_status
fail_rows(int at, custos_err *err)
{
    return custos_fail_at(err, CUSTOS_EUNSUPPORTED, at,
                          "a synopsis has no rows to show" HINT
                          "ask for aggregates, such as count(*); custos "
                          "release also makes synthetic rows");
}

/* evaluate() must know every call of an expression before it is asked for a value. */
static custos_status
check_known(const struct expr *e, custos_err *err)
{
    return evaluate_knows(e)
               ? CUSTOS_OK
               : custos_fail_at(err, CUSTOS_EUNSUPPORTED, e->at,
                                "a synopsis cannot compute this "
                                "expression" HINT
                                "LIKE, for example, can be written as IN with "
                                "the values that are meant");
}

/* Marks keys and aggregates in an expression that is computed of a group. */
static custos_status
mark_parts(struct question *q, struct expr **e, custos_err *err)
{
    const struct plan *p = q->plan;
    custos_status st = CUSTOS_OK;

    for (size_t k = 0; k < p->space.n_keys; k++)
        if (same_expr(q, *e, p->space.keys[k].expr)) {
            struct expr *key = arena_take(q->a, 1, sizeof *key);

            if (!key)
                return no_memory(err);
            *key = (struct expr){.kind = EXPR_KEY,
                                 .at = (*e)->at,
                                 .type = (*e)->type,
                                 .slot = (int)k};
            *e = key;
            return CUSTOS_OK;
        }
    if ((*e)->kind == EXPR_AGGREGATE) {
        for (size_t i = 0; i < q->n_aggregates; i++)
            if (same_expr(q, *e, q->aggregates[i])) {
                (*e)->slot = (int)i;
                return CUSTOS_OK;
            }
        (*e)->slot = (int)q->n_aggregates;
        q->aggregates[q->n_aggregates++] = *e;
        return check_aggregate(*e, err);
    }
    if ((*e)->kind == EXPR_COLUMN)
        return fail_rows((*e)->at, err);
    for (size_t i = 0; i < (*e)->n_args && !st; i++)
        if ((*e)->args[i])
            st = mark_parts(q, &(*e)->args[i], err);
    return st;
}

size_t
question_nodes(const struct expr *e)
{
    size_t n = 1;

    for (size_t i = 0; i < e->n_args; i++)
        n += e->args[i] ? question_nodes(e->args[i]) : 0;
    return n;
}

static custos_status
take_expr(struct question *q, struct expr **e, custos_err *err)
{
    const custos_status st = mark_parts(q, e, err);

    return st ? st : check_known(*e, err);
}

static custos_status
collect(struct question *q, struct plan *p, custos_err *err)
{
    size_t n = p->having ? question_nodes(p->having) : 0;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_outputs; i++)
        n += question_nodes(p->outputs[i].expr);
    for (size_t i = 0; i < p->n_order_by; i++)
        n += question_nodes(p->order_by[i].expr);
    q->aggregates = arena_take(q->a, n + 1, sizeof(struct expr *));
    if (!q->aggregates)
        return no_memory(err);
    for (size_t i = 0; i < p->n_outputs && !st; i++)
        st = take_expr(q, &p->outputs[i].expr, err);
    if (!st && p->having)
        st = take_expr(q, &p->having, err);
    for (size_t i = 0; i < p->n_order_by && !st; i++)
        st = take_expr(q, &p->order_by[i].expr, err);
    if (!st && p->from && q->n_aggregates == 0 && p->space.n_keys == 0)
        st = fail_rows(p->outputs[0].expr->at, err);
    return st;
}

/* --------------------------------------------------------------- columns -- */

static custos_status
use_column(struct question *q, const struct expr *e, struct colset *set,
           struct question_column **out, custos_err *err)
{
    const str name = q->plan->table->columns[e->slot].name;
    size_t i;

    for (i = 0; i < q->n_columns; i++)
        if (q->columns[i].slot == e->slot) {
            *set = colset_or(*set, colset_of(q->columns[i].is->place));
            *out = &q->columns[i];
            return CUSTOS_OK;
        }
    for (size_t k = 0; k < q->schema->n; k++)
        if (str_equal(q->schema->columns[k].name, name))
            q->columns[i].is = &q->schema->columns[k];
    if (q->columns[i].is->coding == SCHEMA_NUMBER)
        return custos_fail_at(err, CUSTOS_EUNSUPPORTED, e->at,
                              "the release did not measure %.*s, so the "
                              "synopsis knows nothing about it",
                              (int)name.len, name.ptr);
    q->columns[i].slot = e->slot;
    *set = colset_or(*set, colset_of(q->columns[i].is->place));
    q->n_columns++;
    *out = &q->columns[i];
    return CUSTOS_OK;
}

/* NULL, an ELSE that was not written, has none. */
static bool
has_columns(const struct expr *e)
{
    bool found = e && e->kind == EXPR_COLUMN;

    for (size_t i = 0; e && i < e->n_args && !found; i++)
        found = has_columns(e->args[i]);
    return found;
}

enum monotone { IN_NONE, ANY_ARGUMENT, FIRST_ARGUMENT };

static const struct {
    bool compares;
    enum monotone in;
} calls[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define COMPARES() .compares = true,
#define MONOTONE(which) .in = which,
#include "sql/functions.def"
};

static bool
is_comparison(const struct expr *e)
{
    return e->kind == EXPR_IN ||
           (e->kind == EXPR_CALL && calls[e->call].compares);
}

/* Is it monotone in the one argument that has columns, if that is monotone? */
static bool
is_monotone(const struct expr *e)
{
    size_t with_columns = 0, others = 0;

    if (e->kind == EXPR_CAST)
        return data_type_is_number(e->cast_to);
    if (e->kind != EXPR_CALL)
        return false;
    for (size_t i = 0; i < e->n_args; i++) {
        const bool has = has_columns(e->args[i]);

        with_columns += has;
        others += has && i > 0;
    }
    switch (calls[e->call].in) {
    case ANY_ARGUMENT: return with_columns <= 1;
    case FIRST_ARGUMENT: return others == 0;
    case IN_NONE: break;
    }
    return false;
}

enum needs {
    NEEDS_EACH, /* each value of a column counts */
    NEEDS_ENDS, /* the value itself is wanted, and its ends bound it */
};

static custos_status
use_columns(struct question *q, const struct expr *e, enum needs needs,
            struct colset *set, custos_err *err);

/* A comparison of one column with constants: splits its runs there. */
static custos_status
use_compared(struct question *q, const struct expr *e, struct colset *set,
             bool *done, custos_err *err)
{
    struct question_column *c = NULL;
    custos_status st = CUSTOS_OK;

    *done = is_comparison(e) && e->args[0]->kind == EXPR_COLUMN;
    for (size_t i = 1; i < e->n_args; i++)
        *done = *done && e->args[i]->kind == EXPR_LITERAL;
    if (*done)
        st = use_column(q, e->args[0], set, &c, err);
    for (size_t i = 1; !st && c && i < e->n_args; i++)
        if (!values_split(q->a, c->is, &c->use, &e->args[i]->value))
            c->use.each = true;
    return st;
}

static custos_status
use_columns(struct question *q, const struct expr *e, enum needs needs,
            struct colset *set, custos_err *err)
{
    struct question_column *c;
    custos_status st;
    bool done;

    if (e->kind == EXPR_COLUMN) {
        st = use_column(q, e, set, &c, err);
        if (!st && needs == NEEDS_EACH)
            c->use.each = true;
        if (!st)
            c->use.value = true;
        return st;
    }
    st = use_compared(q, e, set, &done, err);
    if (needs == NEEDS_ENDS && !is_monotone(e) && e->kind != EXPR_CASE)
        needs = NEEDS_EACH;
    for (size_t i = 0; i < e->n_args && !st && !done; i++)
        if (e->args[i]) /* there need be no ELSE */
            st = use_columns(q, e->args[i],
                             e->kind == EXPR_CASE && i % 2 == 0 &&
                                     i + 1 < e->n_args
                                 ? NEEDS_EACH
                                 : needs,
                             set, err);
    return st;
}

/* The columns of a whole expression. */
static custos_status
use_expr(struct question *q, const struct expr *e, enum needs needs,
         struct colset *set, custos_err *err)
{
    const custos_status st = check_known(e, err);

    return st ? st : use_columns(q, e, needs, set, err);
}

static int
column_cmp(const void *a, const void *b)
{
    const size_t x = ((const struct question_column *)a)->is->place;
    const size_t y = ((const struct question_column *)b)->is->place;

    return (x > y) - (x < y);
}

/* The values of each column that the question can tell apart. */
static custos_status
take_values(struct question *q, custos_err *err)
{
    qsort(q->columns, q->n_columns, sizeof *q->columns, column_cmp);
    for (size_t i = 0; i < q->n_columns; i++) {
        struct question_column *c = &q->columns[i];

        if (c->use.each && values_each(c->is) > VALUES_EACH_MAX)
            return custos_fail(
                err, CUSTOS_EOVERFLOW,
                "%.*s has more than %d values, too many to take each of them "
                "here" HINT "compare it with constants, as in CASE WHEN %.*s < "
                "... THEN ...",
                (int)c->is->name.len, c->is->name.ptr, VALUES_EACH_MAX,
                (int)c->is->name.len, c->is->name.ptr);
        c->values = values_of(q->a, c->is, &c->use, &c->n);
        if (!c->values)
            return no_memory(err);
    }
    return CUSTOS_OK;
}

/* The reading of these columns, a new one if there is none. */
static size_t
find_reading(struct question *q, struct colset set)
{
    for (size_t i = 0; i < q->n_readings; i++)
        if (colset_same(q->readings[i].set, set))
            return i;
    q->readings[q->n_readings].set = set;
    return q->n_readings++;
}

static bool
add_to_reading(struct question *q, size_t aggregate, struct colset set)
{
    struct reading *r = &q->readings[find_reading(q, set)];

    if (!r->aggregates)
        r->aggregates =
            arena_take(q->a, q->n_aggregates, sizeof *r->aggregates);
    if (!r->aggregates)
        return false;
    q->reading[aggregate] = (size_t)(r - q->readings);
    q->place[aggregate] = r->n_aggregates;
    r->aggregates[r->n_aggregates++] = aggregate;
    return true;
}

static custos_status
take_columns(struct question *q, custos_err *err)
{
    const struct plan *p = q->plan;
    struct colset base = {{0, 0}};
    custos_status st = CUSTOS_OK;

    q->columns = arena_take(q->a, q->schema->n + 1, sizeof *q->columns);
    q->readings = arena_take(q->a, q->n_aggregates + 1, sizeof *q->readings);
    q->reading = arena_take(q->a, q->n_aggregates + 1, sizeof *q->reading);
    q->place = arena_take(q->a, q->n_aggregates + 1, sizeof *q->place);
    if (!q->columns || !q->readings || !q->reading || !q->place)
        return no_memory(err);
    if (p->where)
        st = use_expr(q, p->where, NEEDS_EACH, &base, err);
    for (size_t k = 0; k < p->space.n_keys && !st; k++)
        st = use_expr(q, p->space.keys[k].expr, NEEDS_EACH, &base, err);
    for (size_t i = 0; i < q->n_aggregates && !st; i++) {
        struct colset set = base;

        if (q->aggregates[i]->n_args > 0)
            st = use_expr(q, q->aggregates[i]->args[0], NEEDS_ENDS, &set, err);
        if (!st && !add_to_reading(q, i, set))
            st = no_memory(err);
    }
    if (q->n_readings == 0)
        (void)find_reading(q, base);
    q->is_fine =
        q->n_columns == 1 && q->fine[q->columns[0].is->place].name.len > 0;
    if (q->is_fine)
        q->columns[0].is = &q->fine[q->columns[0].is->place];
    return st ? st : take_values(q, err);
}

custos_status
question_fail_stopped(custos_err *err)
{
    return custos_fail(err, CUSTOS_EENGINE, "the question was cancelled");
}

void
question_reset_scratch(const struct question *q)
{
    arena_reset(q->scratch);
    arena_allow(q->scratch, QUESTION_SCRATCH_BYTES);
}

custos_status
question_make(struct question *q, struct plan *p, custos_err *err)
{
    custos_status st = check_from(p, err);

    if (!st)
        st = collect(q, p, err);
    if (!st)
        st = take_columns(q, err);
    for (size_t i = 0; !st && i < q->n_readings; i++) {
        q->readings[i].width = PIECE_VALUES + q->readings[i].n_aggregates;
        st = groups_make(q, &q->readings[i], err);
    }
    return st;
}
