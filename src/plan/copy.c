/*
 * Copies of trees. The reader's tree stays as it was (its text goes to the
 * ledger and into the key of stored answers); the planner rewrites a copy.
 */
#include "plan/work.h"

enum { TEXT_MAX = 1 << 22 }; /* bytes; longer texts never count as equal */

struct expr *
expr_copy(arena *a, const struct expr *e)
{
    struct expr *c = arena_take(a, 1, sizeof *c);

    if (!c)
        return NULL;
    *c = *e;
    c->args = NULL;
    if (e->n_args > 0) {
        c->args = arena_take(a, e->n_args, sizeof(struct expr *));
        if (!c->args)
            return NULL;
    }
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && !(c->args[i] = expr_copy(a, e->args[i])))
            return NULL;
    if (e->lower && !(c->lower = expr_copy(a, e->lower)))
        return NULL;
    if (e->upper && !(c->upper = expr_copy(a, e->upper)))
        return NULL;
    if (e->query && !(c->query = query_copy(a, e->query)))
        return NULL;
    return c;
}

static bool
copy_from(arena *a, struct from **out, const struct from *f)
{
    struct from *c = arena_take(a, 1, sizeof *c);

    if (!c)
        return false;
    *c = *f;
    *out = c;
    if (f->query && !(c->query = query_copy(a, f->query)))
        return false;
    if (f->on && !(c->on = expr_copy(a, f->on)))
        return false;
    return (!f->left || copy_from(a, &c->left, f->left)) &&
           (!f->right || copy_from(a, &c->right, f->right));
}

static bool
copy_targets(arena *a, struct query *c, const struct query *q)
{
    if (q->n_targets == 0)
        return true;
    c->targets = arena_take(a, q->n_targets, sizeof *c->targets);
    for (size_t i = 0; c->targets && i < q->n_targets; i++) {
        c->targets[i] = q->targets[i];
        c->targets[i].expr = expr_copy(a, q->targets[i].expr);
        if (!c->targets[i].expr)
            return false;
    }
    return c->targets != NULL;
}

static bool
copy_groups(arena *a, struct query *c, const struct query *q)
{
    if (q->n_group_by == 0)
        return true;
    c->group_by = arena_take(a, q->n_group_by, sizeof(struct expr *));
    for (size_t i = 0; c->group_by && i < q->n_group_by; i++)
        if (!(c->group_by[i] = expr_copy(a, q->group_by[i])))
            return false;
    return c->group_by != NULL;
}

static bool
copy_order(arena *a, struct query *c, const struct query *q)
{
    if (q->n_order_by == 0)
        return true;
    c->order_by = arena_take(a, q->n_order_by, sizeof *c->order_by);
    for (size_t i = 0; c->order_by && i < q->n_order_by; i++) {
        c->order_by[i] = q->order_by[i];
        c->order_by[i].expr = expr_copy(a, q->order_by[i].expr);
        if (!c->order_by[i].expr)
            return false;
    }
    return c->order_by != NULL;
}

struct query *
query_copy(arena *a, const struct query *q)
{
    struct query *c = arena_take(a, 1, sizeof *c);

    if (!c)
        return NULL;
    *c = *q;
    if (q->where && !(c->where = expr_copy(a, q->where)))
        return NULL;
    if (q->having && !(c->having = expr_copy(a, q->having)))
        return NULL;
    if (!copy_targets(a, c, q) || !copy_groups(a, c, q) || !copy_order(a, c, q))
        return NULL;
    if (q->from && !copy_from(a, &c->from, q->from))
        return NULL;
    if (q->union_all && !(c->union_all = query_copy(a, q->union_all)))
        return NULL;
    return c;
}

static bool
datum_same(const struct datum *a, const struct datum *b)
{
    return a->type == b->type && a->scale == b->scale && a->n == b->n &&
           (a->type != TYPE_TEXT || str_equal(a->text, b->text));
}

static bool
both_same(const struct expr *a, const struct expr *b, uint64_t *steps)
{
    return !a || !b ? !a && !b : expr_same_counted(a, b, steps);
}

/* Within one scope, equal texts are equal queries. */
static bool
query_same(const struct query *a, const struct query *b, uint64_t *steps)
{
    struct buf x, y;
    bool same;

    buf_init(&x, NULL, TEXT_MAX);
    buf_init(&y, NULL, TEXT_MAX);
    sql_print(a, &x);
    sql_print(b, &y);
    *steps += x.len + y.len;
    same = !x.failed && !y.failed && x.len == y.len &&
           !memcmp(x.ptr, y.ptr, x.len);
    buf_clear(&x);
    buf_clear(&y);
    return same;
}

bool
expr_same_counted(const struct expr *a, const struct expr *b, uint64_t *steps)
{
    ++*steps;
    if (a->kind != b->kind || a->n_args != b->n_args)
        return false;
    switch (a->kind) {
    case EXPR_LITERAL:
        if (!datum_same(&a->value, &b->value))
            return false;
        break;
    case EXPR_COLUMN:
    case EXPR_KEY: return a->slot == b->slot;
    case EXPR_CALL:
        if (a->call != b->call)
            return false;
        break;
    case EXPR_IN:
        if (a->negated != b->negated)
            return false;
        break;
    case EXPR_IN_QUERY:
        if (a->negated != b->negated || !query_same(a->query, b->query, steps))
            return false;
        break;
    case EXPR_CAST:
        if (a->cast_to != b->cast_to || a->cast_scale != b->cast_scale ||
            a->cast_precision != b->cast_precision)
            return false;
        break;
    case EXPR_AGGREGATE:
        if (a->aggregate != b->aggregate ||
            !str_equal(a->epsilon, b->epsilon) ||
            !both_same(a->lower, b->lower, steps) ||
            !both_same(a->upper, b->upper, steps))
            return false;
        break;
    case EXPR_INTERVAL:
        if (a->high != b->high || a->slot != b->slot)
            return false;
        return true;
    case EXPR_GROUPING:
    case EXPR_CASE: break;
    }
    for (size_t i = 0; i < a->n_args; i++)
        if (!both_same(a->args[i], b->args[i], steps))
            return false;
    return true;
}

bool
expr_same(const struct expr *a, const struct expr *b)
{
    uint64_t steps = 0;

    return expr_same_counted(a, b, &steps);
}

const struct expr *
expr_aggregate(const struct expr *e)
{
    const struct expr *found;

    if (e->kind == EXPR_AGGREGATE || e->kind == EXPR_INTERVAL)
        return e;
    for (size_t i = 0; i < e->n_args; i++) {
        found = e->args[i] ? expr_aggregate(e->args[i]) : NULL;
        if (found)
            return found;
    }
    return NULL;
}
