/*
 * Variable elimination on the tree. A table in hand begins as that of a node,
 * divided by its separator's marginal (so that it says how the node depends on
 * the separator) unless it is the topmost node, and is multiplied by the tables
 * of those children below which there are columns of the set. Columns are summed
 * out as soon as neither the set nor a separator to come needs them.
 */
#include "synth/infer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"

struct elimination {
    const struct model *m;
    struct colset wanted;
    size_t limit;
    /* By node: the wanted columns in it and below that its separator lacks. */
    struct colset below[SYNTH_COLUMNS_MAX];
};

/* A table of its own. */
struct product {
    struct colset set;
    size_t cells;
    double *x;
};

static void
product_free(const custos_alloc *a, struct product *p)
{
    alloc_give(a, p->x, p->cells, sizeof(double));
    p->x = NULL;
}

static custos_status
product_take(const struct elimination *e, struct colset set,
             struct product *out, custos_err *err)
{
    *out =
        (struct product){.set = set, .cells = domain_cells(&e->m->domain, set)};
    if (out->cells > e->limit)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the marginal needs too large a table");
    out->x = alloc_take(&e->m->alloc, out->cells, sizeof(double));
    return out->x ? CUSTOS_OK
                  : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* a becomes a times b, summed over all columns but those to keep. */
static custos_status
multiply(const struct elimination *e, struct product *a, struct product *b,
         struct colset keep, custos_err *err)
{
    const struct domain *d = &e->m->domain;
    struct product wide, out = {.x = NULL};
    struct beside at[3];
    struct walk w;
    custos_status st = product_take(e, colset_or(a->set, b->set), &wide, err);

    if (!st)
        st = product_take(e, colset_and(wide.set, keep), &out, err);
    if (!st) {
        walk_init(&w, d, wide.set);
        walk_beside(&w, d, a->set, &at[0]);
        walk_beside(&w, d, b->set, &at[1]);
        walk_beside(&w, d, out.set, &at[2]);
        walk_sum(&w, &(struct smaller){&at[0], a->x}, 1, false, wide.x);
        walk_scale(&w, 1, &(struct smaller){&at[1], b->x}, wide.x,
                   &(struct smaller){&at[2], out.x}, 1);
        product_free(&e->m->alloc, a);
        *a = out;
    } else {
        product_free(&e->m->alloc, &out);
    }
    product_free(&e->m->alloc, &wide);
    return st;
}

/* The node's own table: of the topmost node its marginal, else given the
   separator. */
static custos_status
begin(const struct elimination *e, size_t node, bool top, struct product *out,
      custos_err *err)
{
    const struct belief *b = &e->m->beliefs[node];
    const struct colset separator = e->m->tree.node[node].separator;
    struct smaller sums = {&b->separator, NULL};
    struct product inverse;
    custos_status st;

    *out =
        (struct product){.set = e->m->tree.node[node].set, .cells = b->cells};
    out->x = alloc_take(&e->m->alloc, b->cells, sizeof(double));
    if (!out->x)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    memcpy(out->x, b->table, b->cells * sizeof(double));
    if (top)
        return CUSTOS_OK;
    st = product_take(e, separator, &inverse, err);
    if (st)
        return st;
    sums.cells = inverse.x;
    walk_collapse(&b->walk, out->x, &sums);
    for (size_t i = 0; i < inverse.cells; i++)
        inverse.x[i] = inverse.x[i] > 0 ? 1 / inverse.x[i] : 0;
    walk_scale(&b->walk, 1, &sums, out->x, NULL, 0);
    product_free(&e->m->alloc, &inverse);
    return CUSTOS_OK;
}

/* What a later step needs of the table in hand: the set's columns, the node's
   separator, and those of children after `child`. */
static struct colset
needed_after(const struct elimination *e, size_t node, size_t child)
{
    const struct tree *t = &e->m->tree;
    struct colset keep = colset_or(e->wanted, t->node[node].separator);

    for (size_t i = child + 1; i < t->n; i++)
        if (t->node[i].parent == node && !colset_is_empty(e->below[i]))
            keep = colset_or(keep, t->node[i].separator);
    return keep;
}

static custos_status
eliminate(const struct elimination *e, size_t node, bool top,
          struct product *out, custos_err *err)
{
    const struct tree *t = &e->m->tree;
    struct product one = {.cells = 1}, child;
    custos_status st = begin(e, node, top, out, err);
    double unit = 1;

    one.x = &unit;
    if (!st)
        st = multiply(e, out, &one, needed_after(e, node, node), err);
    for (size_t i = node + 1; !st && i < t->n; i++)
        if (t->node[i].parent == node && !colset_is_empty(e->below[i])) {
            st = eliminate(e, i, false, &child, err);
            if (!st)
                st = multiply(e, out, &child, needed_after(e, node, i), err);
            product_free(&e->m->alloc, &child);
        }
    return st;
}

/* The wanted columns below each node; returns the lowest node that has all of
   them in it or below. */
static size_t
find_below(struct elimination *e)
{
    const struct tree *t = &e->m->tree;
    struct colset all[SYNTH_COLUMNS_MAX];
    size_t top = 0;

    for (size_t i = t->n; i-- > 0;) {
        all[i] = colset_and(e->wanted, t->node[i].set);
        for (size_t k = i + 1; k < t->n; k++)
            if (t->node[k].parent == i)
                all[i] = colset_or(all[i], all[k]);
        e->below[i] = colset_minus(all[i], t->node[i].separator);
    }
    for (size_t i = 1; i < t->n; i++)
        if (colset_same(all[i], e->wanted))
            top = i;
    return top;
}

custos_status
model_marginal(const struct model *m, struct colset set, size_t limit,
               double *out, custos_err *err)
{
    struct elimination e = {.m = m, .wanted = set, .limit = limit};
    const size_t cover = tree_cover(&m->tree, set);
    const size_t cells = domain_cells(&m->domain, set);
    struct product p = {.x = NULL};
    custos_status st;

    if (cover < m->tree.n) {
        const struct belief *b = &m->beliefs[cover];
        struct beside at;

        memset(out, 0, cells * sizeof *out);
        walk_beside(&b->walk, &m->domain, set, &at);
        walk_collapse(&b->walk, b->table, &(struct smaller){&at, out});
        return CUSTOS_OK;
    }
    st = eliminate(&e, find_below(&e), true, &p, err);
    if (!st) {
        /* The topmost node's separator may still be there. */
        struct product one = {.cells = 1};
        double unit = 1;

        one.x = &unit;
        st = multiply(&e, &p, &one, set, err);
    }
    if (!st)
        memcpy(out, p.x, cells * sizeof *out);
    product_free(&m->alloc, &p);
    return st;
}
