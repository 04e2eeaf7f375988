/*
 * Builds the expressions of pairs. They are ordinary expressions: ranges, grids,
 * sensitivities and every way of bounding treat them as if the analyst had
 * written them.
 */
#include "plan/part/pair.h"

#include "base/ck.h"

enum { SCALE_MOST = 30 };

static struct expr *
node_new(struct work *w, const struct expr *like, enum expr_kind kind,
         size_t n_args)
{
    struct expr *e = arena_take(w->a, 1, sizeof *e);

    if (!e || !(e->args = arena_take(w->a, n_args + 1, sizeof(struct expr *))))
        return NULL;
    e->kind = kind;
    e->at = like->at;
    e->n_args = n_args;
    return e;
}

custos_status
pair_masked(struct work *w, const struct expr *x, const struct expr *by,
            struct expr **out)
{
    struct expr *e, *known;

    *out = expr_copy(w->a, x);
    if (!*out)
        return work_no_memory(w);
    if (!fact_of(by)->nullable)
        return types_set(w, *out, CONTEXT_ROWS);
    e = node_new(w, x, EXPR_CASE, 3);
    known = node_new(w, by, EXPR_CALL, 1);
    if (!e || !known || !(known->args[0] = expr_copy(w->a, by)))
        return work_no_memory(w);
    known->call = CALL_IS_NOT_NULL;
    e->args[0] = known;
    e->args[1] = *out; /* no ELSE */
    *out = e;
    return types_set(w, e, CONTEXT_ROWS);
}

/* centre / 2^digits as a real number with at most 30 decimals. */
static struct datum
binary_datum(i128 centre, int digits)
{
    struct datum d = {.type = TYPE_REAL, .n = centre, .scale = digits};

    while (d.scale > 0 && d.n % 2 == 0) {
        d.n /= 2;
        d.scale--;
    }
    for (int i = d.scale; i > 0; i--) {
        while (d.n > I128_MAX / 5 || d.n < I128_MIN / 5) {
            d.n /= 10; /* the first digits are enough */
            d.scale--;
        }
        d.n *= 5;
    }
    for (; d.scale > SCALE_MOST; d.scale--)
        d.n /= 10;
    return d;
}

/* The centre as a number. */
static struct datum
centre_datum(const struct part_value *v)
{
    struct datum d = {.type = TYPE_INT, .n = v->centre};

    if (v->grid.base == 2 && v->grid.digits > 0)
        return binary_datum(v->centre, v->grid.digits);
    for (int i = v->grid.digits; i < 0; i++)
        d.n *= v->grid.base; /* within the range of the value */
    if (v->grid.digits > 0) {
        d.type = TYPE_DECIMAL;
        d.scale = v->grid.digits;
    }
    return d;
}

/* x - centre. */
static struct expr *
centred(struct work *w, const struct expr *x, const struct part_value *v)
{
    struct expr *copy = expr_copy(w->a, x), *e, *c;

    if (!copy || v->centre == 0)
        return copy;
    e = node_new(w, x, EXPR_CALL, 2);
    c = node_new(w, x, EXPR_LITERAL, 0);
    if (!e || !c)
        return NULL;
    c->value = centre_datum(v);
    e->call = CALL_SUB;
    e->args[0] = copy;
    e->args[1] = c;
    return e;
}

custos_status
pair_product(struct work *w, const struct expr *x,
             const struct part_value *at_x, const struct expr *y,
             const struct part_value *at_y, struct expr **out)
{
    struct expr *e = node_new(w, x, EXPR_CALL, 2);

    if (!e)
        return work_no_memory(w);
    e->call = CALL_MUL;
    e->args[0] = centred(w, x, at_x);
    e->args[1] = centred(w, y, at_y);
    if (!e->args[0] || !e->args[1])
        return work_no_memory(w);
    *out = e;
    return types_set(w, e, CONTEXT_ROWS);
}
