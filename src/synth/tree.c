/* Junction trees by greedy elimination. */
#include "synth/tree.h"

#include <math.h>

#include "base/ck.h"

/* The cells of a table, as a double: compares tables of any size. */
static double
cells_of(const struct domain *d, struct colset s)
{
    double cells = 1;

    COLSET_EACH(c, s)
    cells *= d->size[c];
    return cells;
}

void
tree_graph_init(const struct domain *d, struct tree_graph *g)
{
    for (size_t c = 0; c < d->n; c++)
        g->near[c] = colset_of(c);
}

void
tree_graph_join(struct tree_graph *g, struct colset clique)
{
    COLSET_EACH(c, clique)
    g->near[c] = colset_or(g->near[c], clique);
}

static size_t
find_cheapest(const struct domain *d, const struct colset *near,
              struct colset left)
{
    size_t best = SYNTH_COLUMNS_MAX;
    double least = INFINITY;

    COLSET_EACH(c, left)
    {
        double cells = cells_of(d, near[c]);

        if (best == SYNTH_COLUMNS_MAX || cells < least) {
            best = c;
            least = cells;
        }
    }
    return best;
}

/* The maximal neighbourhoods; returns how many. */
static size_t
eliminate_all(const struct domain *d, struct colset *near, struct colset *sets)
{
    struct colset left = domain_all(d);
    size_t n = 0;

    while (!colset_is_empty(left)) {
        size_t c = find_cheapest(d, near, left);
        struct colset set = near[c];
        bool maximal = true;

        for (size_t i = 0; i < n; i++)
            maximal = maximal && !colset_within(set, sets[i]);
        if (maximal)
            sets[n++] = set;
        left = colset_minus(left, colset_of(c));
        COLSET_EACH(k, colset_and(set, left))
        near[k] = colset_minus(colset_or(near[k], set), colset_of(c));
    }
    return n;
}

/* Prim's algorithm, from set 0. */
static void
connect(const struct domain *d, const struct colset *sets, size_t n,
        struct tree *out)
{
    size_t shared[SYNTH_COLUMNS_MAX] = {0}, parent[SYNTH_COLUMNS_MAX] = {0};
    bool done[SYNTH_COLUMNS_MAX] = {false};

    out->n = 0;
    while (out->n < n) {
        struct tree_node *node = &out->node[out->n];
        size_t best = n;

        for (size_t i = 0; i < n; i++)
            if (!done[i] && (best == n || shared[i] > shared[best]))
                best = i;
        done[best] = true;
        *node = (struct tree_node){.set = sets[best],
                                   .parent = parent[best],
                                   .cells = domain_cells(d, sets[best])};
        if (out->n > 0)
            node->separator =
                colset_and(node->set, out->node[node->parent].set);
        for (size_t i = 0; i < n; i++) {
            size_t common = colset_count(colset_and(sets[i], sets[best]));

            if (!done[i] && common > shared[i]) {
                shared[i] = common;
                parent[i] = out->n;
            }
        }
        out->n++;
    }
}

void
tree_make(const struct domain *d, const struct tree_graph *g, struct tree *out)
{
    struct tree_graph left = *g;
    struct colset sets[SYNTH_COLUMNS_MAX];

    connect(d, sets, eliminate_all(d, left.near, sets), out);
}

size_t
tree_bytes(const struct tree *t)
{
    size_t bytes = 0, one;

    for (size_t i = 0; i < t->n; i++)
        if (!ck_mul_size(t->node[i].cells, sizeof(double), &one) ||
            !ck_add_size(bytes, one, &bytes))
            return SIZE_MAX;
    return bytes;
}

size_t
tree_cover(const struct tree *t, struct colset set)
{
    size_t best = t->n;

    for (size_t i = 0; i < t->n; i++)
        if (colset_within(set, t->node[i].set) &&
            (best == t->n || t->node[i].cells < t->node[best].cells))
            best = i;
    return best;
}
