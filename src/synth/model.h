/*
 * The model: a distribution over rows that is a product of functions of the
 * measured sets of columns (a graphical model), and what was measured. It sees
 * released values alone, so all it computes is free.
 *
 * The functions are given by their logarithms, the *potentials*. Only maximal
 * measured sets, the *cliques*, have one. The marginals of the cliques follow
 * from the potentials by belief propagation on a junction tree, whose nodes are
 * maximal sets again: a clique is within a node. Structural zeros are cells with
 * a potential of -infinity.
 */
#ifndef SYNTH_MODEL_H
#define SYNTH_MODEL_H

#include "custos.h"
#include "synth/domain.h"
#include "synth/halves.h"
#include "synth/tree.h"
#include "synth/walk.h"

/* A noisy marginal, as it was released. */
struct measurement {
    struct colset set;
    double variance;      /* of the noise of a cell; > 0 */
    const double *values; /* by cell */
    /* By cell: how many noisy cells were added up there, so that its variance is
       that many times `variance`. NULL: 1 everywhere. */
    const double *merged;
};

/* Cells of a marginal where no row can be, as the data's owner states. */
struct forbidden {
    struct colset set;
    const uint8_t *zero; /* by cell: not 0 where no row can be */
};

/* Kept measurements: those of one set are averaged. */
struct evidence {
    struct colset set;
    size_t cells;
    double variance;
    double *values;
    double *merged; /* or NULL */
    double weight;  /* 1/variance as a multiple of the largest */
    size_t clique;
    struct beside in_clique;
    struct evidence *next;
};

/* Structural zeros: cells where no row can be. */
struct zeros {
    struct colset set;
    size_t cells;
    double *potentials; /* 0 or -infinity */
    struct zeros *next;
};

struct clique {
    struct colset set;
    size_t cells, first; /* its place in the arrays of all cliques */
    size_t node;
    struct beside in_node;
    struct walk walk;
};

/* A node of the tree, with its tables. */
struct belief {
    struct walk walk;
    struct beside separator, in_parent;
    size_t cells, separator_cells;
    double *table; /* the node's marginal */
    double *own;   /* sums over the separator on the way up */
    double *up;    /* their logarithms: the message to the parent */
    double *down;  /* the separator's marginal from the parent; then down/own */
};

struct model {
    custos_alloc alloc;
    struct domain domain;
    uint32_t *size;
    struct evidence *evidence;
    struct zeros *zeros;
    struct tree tree;
    struct clique *cliques;
    size_t n_cliques, room; /* cliques there are; that have room */
    size_t cells;           /* of all cliques together */
    struct belief *beliefs; /* by node */
    double *potentials, *gradient, *marginals, *trial; /* by clique's cell */
    double *scratch;                                   /* of one clique */
    size_t n_scratch;
    struct halves halves; /* its team is the user's, and NULL at first */
    size_t n_halves;
    double total; /* rows of the data, from the measurements; at least 1 */
    double step;  /* of the descent, kept for the next fit; 0: none yet */
};

/* Copies the domain. NULL: out of memory. */
struct model *model_new(const custos_alloc *alloc, const struct domain *d);
void model_free(struct model *m);

/* Copies the measurement. Call model_build() before the next use. May fail:
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status model_add(struct model *m,
                                        const struct measurement *x,
                                        custos_err *err);

/* Copies structural zeros. As model_add(). */
CUSTOS_MUST_USE custos_status model_forbid(struct model *m,
                                           const struct forbidden *x,
                                           custos_err *err);

/* The columns that must be together: those of measurements and of zeros. */
void model_graph(const struct model *m, struct tree_graph *g);

/* At least the bytes that model_build will take beside what the model has now;
   SIZE_MAX if too many. */
size_t model_bytes(const struct model *m);

/*
 * Makes the tree and its tables, and takes over the potentials found so far. May
 * fail: CUSTOS_ENOMEM, CUSTOS_EOVERFLOW (more cells than can be addressed); the
 * model can then only be freed.
 */
CUSTOS_MUST_USE custos_status model_build(struct model *m, custos_err *err);

/* Whether set is within a measured set. */
bool model_measured(const struct model *m, struct colset set);

/*
 * Belief propagation: the tables of all nodes and the marginals of all cliques
 * from the potentials. Their sum is m->total, or 0 if the structural zeros leave
 * no row. Cannot fail.
 */
void model_believe(struct model *m, double *marginals);

#endif
