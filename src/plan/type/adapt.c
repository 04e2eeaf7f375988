/*
 * Finds one common type for the operands of comparisons, CASE, COALESCE and
 * lists. As in PostgreSQL a text literal has no type of its own: it is read as
 * a value of the type of the operand beside it, and refused if it is not one.
 */
#include "plan/work.h"

static bool
is_open_literal(const struct expr *e)
{
    return e->kind == EXPR_LITERAL &&
           (e->value.type == TYPE_TEXT || e->value.type == TYPE_NULL);
}

custos_status
adapt_literal(struct work *w, struct expr *e, enum data_type to, int scale)
{
    struct datum d = {.type = TYPE_NULL};
    str text = e->value.text;

    e->type = to;
    if (fact_of(e))
        fact_of(e)->scale = scale;
    if (e->param && !e->param->given) {
        if (e->param->type == TYPE_NULL)
            e->param->type = to;
        e->value.type = TYPE_NULL; /* until it is given */
    }
    if (e->value.type == TYPE_NULL || to == TYPE_TEXT)
        return CUSTOS_OK;
    if (!datum_read(to, text, &d))
        return custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                              "'%.*s' is not a valid %s", SHOWN(text),
                              data_type_name(to));
    e->value = d;
    range_literal(e);
    e->whole_low = e->whole_high = d.n; /* used only for TYPE_INT */
    bare_set(e, w->context);
    return CUSTOS_OK;
}

/* The common type of two types; false when there is none. */
static bool
join_types(enum data_type a, enum data_type b, enum data_type *out)
{
    enum data_type low = a < b ? a : b, high = a < b ? b : a;

    /* integer < decimal < real, date < timestamp */
    if (low != high && low != TYPE_NULL &&
        !(data_type_is_number(low) && data_type_is_number(high)) &&
        !(low == TYPE_DATE && high == TYPE_TIMESTAMP))
        return false;
    *out = high;
    return true;
}

static int
scale_of(const struct expr *e)
{
    return e->type == TYPE_DECIMAL && fact_of(e) ? fact_of(e)->scale : 0;
}

custos_status
adapt_all(struct work *w, struct expr **args, size_t n, size_t from,
          size_t step, enum data_type *type, int *scale)
{
    enum data_type all = TYPE_NULL;
    custos_status st = CUSTOS_OK;
    bool open = false;

    *scale = 0;
    for (size_t i = from; i < n; i += step) {
        if (!args[i])
            continue;
        if (is_open_literal(args[i])) {
            open = open || args[i]->value.type == TYPE_TEXT;
            continue;
        }
        if (!join_types(all, args[i]->type, &all))
            return custos_fail_at(w->err, CUSTOS_EINVAL, args[i]->at,
                                  "types %s and %s cannot be combined here" HINT
                                  "cast one of them",
                                  data_type_name(all),
                                  data_type_name(args[i]->type));
        if (scale_of(args[i]) > *scale)
            *scale = scale_of(args[i]);
    }
    if (all == TYPE_NULL && open)
        all = TYPE_TEXT;
    for (size_t i = from; i < n && !st; i += step)
        if (args[i] && is_open_literal(args[i]))
            st = adapt_literal(w, args[i], all, *scale);
    *type = all;
    return st;
}
