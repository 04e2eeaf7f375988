/*
 * Aggregates per unit as inputs of a statement. The unit is a key of every group,
 * even if the query groups by something finer. Sums are of whole numbers, so that
 * neither the order of rows nor another unit can change the last digit.
 */
#include <stdio.h>

#include "base/base.h"
#include "engine/statement/relation.h"
#include "engine/import/view.h"
#include "engine/statement/work.h"

/* A sum of steps as a DOUBLE; up to 2^53, the number of steps is exact. */
static const struct term *
as_number(struct builder *b, const struct part *v, const struct term *steps)
{
    const struct term *whole = term_cast(b, steps, STORED(F64));
    char power[16];

    if (v->grid.base != 10 || v->grid.digits < 0)
        return term_binary(
            b, whole, TERM_TIMES,
            term_call(b, TERM_POWER,
                      term_cast(b, term_number(b, v->grid.base), STORED(F64)),
                      term_number(b, -v->grid.digits), NULL));
    snprintf(power, sizeof power, "1e%d", v->grid.digits);
    return term_binary(b, whole, TERM_OVER,
                       term_cast(b, term_text(b, str_of(power)), STORED(F64)));
}

static enum term_aggregate
function_of(enum aggregate a)
{
    return a == AGG_MIN ? TERM_MIN : a == AGG_MAX ? TERM_MAX : TERM_SUM;
}

/* Sum, avg, min or max of numbers: in whole steps, within their limits. */
static const struct term *
aggregate_steps(struct builder *b, const struct relation *r,
                const struct expr *e, const struct part *v,
                const struct policy_column *c)
{
    struct plan inner = {.from = r->left, .table = r->left->as};
    const struct term *value = work_value(b, &inner, v);
    const struct term *number =
        term_aggregate(b, function_of(e->aggregate), value);

    if (c->type != TYPE_INT || v->grid.digits != 0)
        number = as_number(b, v, number);
    if (e->aggregate == AGG_AVG)
        number = term_binary(b, number, TERM_OVER,
                             term_aggregate(b, TERM_COUNT, value));
    return relation_typed(b, c, number);
}

/* A count of rows, values or distinct values, clamped to the range of c. */
static const struct term *
aggregate_count(struct builder *b, const struct expr *e,
                const struct policy_column *c)
{
    const struct term *of =
        e->aggregate == AGG_COUNT_ROWS ? NULL : term_expr(b, e->args[0], "t");

    return relation_typed(b, c,
                          term_aggregate(b,
                                         e->aggregate == AGG_COUNT_DISTINCT
                                             ? TERM_COUNT_DISTINCT
                                             : TERM_COUNT,
                                         of));
}

static const struct term *
aggregate_of(struct builder *b, const struct relation *r, size_t i)
{
    const struct expr *e = r->exprs[r->n_keys + i];
    const struct policy_column *c = &r->as->columns[r->n_keys + i];

    if (e->aggregate == AGG_COUNT_ROWS || e->aggregate == AGG_COUNT ||
        e->aggregate == AGG_COUNT_DISTINCT)
        return aggregate_count(b, e, c);
    if (data_type_is_number(e->args[0]->type))
        return aggregate_steps(b, r, e, &r->values[i], c);
    return term_aggregate(b, function_of(e->aggregate), /* of dates */
                          term_expr(b, e->args[0], "t"));
}

const struct input *
relation_units(struct builder *b, const struct relation *r)
{
    enum { FIRST_KEY = 3 };
    struct select *s =
        select_new(b, input_as(b, relation_input(b, r->left), "t"));
    const struct term *rank = term_name(b, "t", "rank");

    select_add(b, s, term_name(b, "t", "unit"), "unit");
    select_add(b, s,
               r->as->rows_per_unit == 1 ? term_number(b, 1)
                                         : term_aggregate(b, TERM_MIN, rank),
               "rank");
    for (size_t i = 0; i < r->n_keys; i++)
        select_add(b, s, relation_computed(b, &r->as->columns[i], r->exprs[i]),
                   "column_%zu", i);
    for (size_t i = 0; i < r->n_exprs - r->n_keys; i++)
        select_add(b, s, aggregate_of(b, r, i), "column_%zu", r->n_keys + i);
    if (r->seeded)
        select_add(b, s, term_aggregate(b, TERM_MIN, term_name(b, "t", "seed")),
                   "seed");
    select_where(b, s,
                 term_binary(b, rank, TERM_AT_MOST,
                             term_number(b, relation_rows(r->left))));
    select_group(b, s, term_number(b, 1));
    for (size_t i = 0; i < r->n_keys; i++)
        select_group(b, s, term_number(b, (i128)i + FIRST_KEY));
    return input_select(b, s);
}
