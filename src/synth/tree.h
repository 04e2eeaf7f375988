/*
 * Junction trees: a tree of sets of columns such that every clique given is
 * within one of the sets, and the sets with a column in common are connected. A
 * model that is a product of functions of the cliques can be computed on it, at
 * the price of a table for every set. A tree is made before any table, so that
 * its size can be judged first.
 */
#ifndef SYNTH_TREE_H
#define SYNTH_TREE_H

#include "synth/domain.h"

struct tree_node {
    struct colset set;       /* maximal: not within the set of another node */
    struct colset separator; /* what it shares with its parent; may be empty */
    size_t parent;           /* an earlier node; the root, node 0, is its own */
    size_t cells;            /* of the table of set; SIZE_MAX if too many */
};

struct tree {
    size_t n;
    struct tree_node node[SYNTH_COLUMNS_MAX];
};

/* Which columns must be in a node together. */
struct tree_graph {
    struct colset near[SYNTH_COLUMNS_MAX]; /* by column, with itself */
};

void tree_graph_init(const struct domain *d, struct tree_graph *g);
void tree_graph_join(struct tree_graph *g, struct colset clique);

/*
 * Eliminates columns one after the other, always the one whose neighbourhood has
 * the fewest cells, and connects the maximal neighbourhoods by a maximum spanning
 * tree on the number of columns in common. Every column of the domain is in a
 * node. Cannot fail.
 */
void
tree_make(const struct domain *d, const struct tree_graph *g, struct tree *out);

/* The bytes of one table of doubles for every node; SIZE_MAX if too many. */
size_t tree_bytes(const struct tree *t);

/* The smallest node that has all columns of set; t->n if there is none. */
size_t tree_cover(const struct tree *t, struct colset set);

#endif
