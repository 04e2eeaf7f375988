/*
 * A share can be written as the average of 0 and 1, or as a ratio of counts:
 *
 *   sum(x) / count(*), sum(x) / count(x), count(x) / count(*)
 *
 * with a factor or a cast that keeps the ratio from being cut to a whole number,
 * as in 100.0 * sum(x) / count(*). With two parts a ratio has more noise than the
 * share needs (part/share.c). So before aggregates get their slots such a ratio is
 * rewritten as an average: of x, with 0 for NULL where count(*) counts all rows, or
 * of 1 and 0 for rows with and without x. Before noise both are the same number;
 * which is released follows from the query alone.
 *
 * A ratio of whole numbers is left: its value is whole. So is every ratio where
 * bars or prices are asked for that an average does not have, and where an
 * aggregate has limits or an epsilon of its own.
 */
#include "plan/ratio.h"

#include "plan/part/share.h"

static bool
is_number(const struct expr *e)
{
    return e->kind == EXPR_LITERAL && data_type_is_number(e->value.type);
}

static bool
is_plain(const struct expr *e)
{
    return e->kind == EXPR_AGGREGATE && e->epsilon.len == 0 && !e->lower &&
           !e->upper;
}

/* Skips casts to reals and decimals; sets *real if there is one. */
static struct expr **
skip_casts(struct expr **at, bool *real)
{
    while ((*at)->kind == EXPR_CAST &&
           ((*at)->cast_to == TYPE_REAL || (*at)->cast_to == TYPE_DECIMAL)) {
        *real = true;
        at = &(*at)->args[0];
    }
    return at;
}

/* The aggregate below factors and casts, or NULL. *real: they make it a real. */
static struct expr **
find_counted(struct expr **at, bool *real)
{
    for (;;) {
        struct expr *e = *(at = skip_casts(at, real));
        size_t factor;

        if (is_plain(e))
            return at;
        if (e->kind != EXPR_CALL || e->call != CALL_MUL || e->n_args != 2)
            return NULL;
        factor = is_number(e->args[0]) ? 0 : 1;
        if (!is_number(e->args[factor]))
            return NULL;
        *real = *real || e->args[factor]->value.type != TYPE_INT;
        at = &e->args[1 - factor];
    }
}

/* The count that a ratio is divided by, or NULL; NULLIF(count, 0) is one. */
static const struct expr *
find_divisor(struct expr *e, bool *real)
{
    e = *skip_casts(&e, real);
    if (e->kind == EXPR_CALL && e->call == CALL_NULLIF &&
        is_number(e->args[1]) && e->args[1]->value.n == 0)
        e = *skip_casts(&e->args[0], real);
    return is_plain(e) &&
                   (e->aggregate == AGG_COUNT_ROWS || e->aggregate == AGG_COUNT)
               ? e
               : NULL;
}

static struct expr *
new_expr(struct work *w, const struct expr *like, size_t n_args)
{
    struct expr *e = arena_take(w->a, 1, sizeof *e);

    if (!e)
        return NULL;
    *e = *like;
    e->n_args = n_args;
    e->args = arena_take(w->a, n_args + 1, sizeof(struct expr *));
    return e->args ? e : NULL;
}

static struct expr *
whole_number(struct work *w, int at, int n)
{
    const struct expr like = {
        .kind = EXPR_LITERAL, .at = at, .value = {.type = TYPE_INT, .n = n}};

    return new_expr(w, &like, 0);
}

/* CASE WHEN p THEN 1 ELSE 0 END, or with negate the opposite; NULL: no memory. */
static struct expr *
one_or_zero(struct work *w, struct expr *p, bool negate)
{
    const struct expr like = {.kind = EXPR_CASE, .at = p->at};
    struct expr *e = new_expr(w, &like, 3);

    if (!e)
        return NULL;
    e->args[0] = p;
    e->args[1] = whole_number(w, p->at, negate ? 0 : 1);
    e->args[2] = whole_number(w, p->at, negate ? 1 : 0);
    return e->args[1] && e->args[2] ? e : NULL;
}

/* 1 where x is not NULL, else 0. */
static struct expr *
is_present(struct work *w, struct expr *x)
{
    const struct expr like = {
        .kind = EXPR_CALL, .at = x->at, .call = CALL_IS_NULL};
    struct expr *p;

    if (x->kind == EXPR_CASE && x->n_args == 3 && is_number(x->args[1]) &&
        (!x->args[2] || (x->args[2]->kind == EXPR_LITERAL &&
                         x->args[2]->value.type == TYPE_NULL)))
        return one_or_zero(w, x->args[0], false);
    p = new_expr(w, &like, 1);
    if (!p)
        return NULL;
    p->args[0] = x;
    return one_or_zero(w, p, true);
}

static bool
has_else(const struct expr *x)
{
    const struct expr *last = x->args[x->n_args - 1];

    return last &&
           !(last->kind == EXPR_LITERAL && last->value.type == TYPE_NULL);
}

/* x, with 0 for NULL. A CASE without ELSE gets one; NULL: no memory. */
static struct expr *
or_zero(struct work *w, struct expr *x)
{
    const struct expr like = {
        .kind = EXPR_CALL, .at = x->at, .call = CALL_COALESCE};
    bool open = x->kind == EXPR_CASE && !has_else(x);
    struct expr *e = open ? expr_copy(w->a, x) : new_expr(w, &like, 2);

    if (!e)
        return NULL;
    if (!open)
        e->args[0] = x;
    e->args[e->n_args - 1] = whole_number(w, x->at, 0);
    return e->args[e->n_args - 1] ? e : NULL;
}

/* Types a copy of x, which stays as it is. */
static custos_status
type_copy(struct work *w, const struct expr *x, struct expr **out)
{
    *out = expr_copy(w->a, x);
    return *out ? types_set(w, *out, CONTEXT_ROWS) : work_no_memory(w);
}

/* What the average of sum(x) / by is of; *out stays NULL if it is no share. */
static custos_status
mean_of_sum(struct work *w, struct expr *x, const struct expr *by,
            struct expr **out)
{
    struct expr *typed = NULL, *of = x;
    custos_status st;

    if (expr_aggregate(x)) /* outputs.c rejects it */
        return CUSTOS_OK;
    if (by->aggregate == AGG_COUNT && !expr_same(by->args[0], x))
        return CUSTOS_OK;
    st = type_copy(w, x, &typed);
    if (st || !data_type_is_number(typed->type))
        return st;
    if (by->aggregate == AGG_COUNT_ROWS && fact_of(typed)->nullable) {
        of = or_zero(w, x);
        st = of ? type_copy(w, of, &typed) : work_no_memory(w);
    }
    if (!st && share_is_of(typed))
        *out = of;
    return st;
}

custos_status
ratio_as_mean(struct work *w, struct expr *e)
{
    bool real = false;
    const struct expr *by;
    struct expr **counted, *of = NULL, *mean;
    custos_status st = CUSTOS_OK;

    if (e->kind != EXPR_CALL || e->call != CALL_DIV || e->n_args != 2 ||
        w->options->within.len > 0 || w->q->options.bars.len > 0)
        return CUSTOS_OK;
    by = find_divisor(e->args[1], &real);
    counted = by ? find_counted(&e->args[0], &real) : NULL;
    if (!counted || !real)
        return CUSTOS_OK;
    if ((*counted)->aggregate == AGG_SUM)
        st = mean_of_sum(w, (*counted)->args[0], by, &of);
    else if ((*counted)->aggregate == AGG_COUNT &&
             by->aggregate == AGG_COUNT_ROWS &&
             !expr_aggregate((*counted)->args[0]) &&
             !(of = is_present(w, (*counted)->args[0])))
        st = work_no_memory(w);
    if (st || !of)
        return st;
    mean = new_expr(w, *counted, 1);
    if (!mean)
        return work_no_memory(w);
    mean->aggregate = AGG_AVG;
    mean->args[0] = of;
    *counted = mean;
    *e = **skip_casts(&e->args[0], &real);
    return CUSTOS_OK;
}
