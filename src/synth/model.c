/*
 * Makes models: which sets are cliques, where their tables are, and what is kept
 * from one tree to the next.
 */
#include "synth/model.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/ck.h"
#include "base/error.h"

struct model *
model_new(const custos_alloc *alloc, const struct domain *d)
{
    const custos_alloc a = alloc_or_default(alloc);
    struct model *m = alloc_take(&a, 1, sizeof *m);

    CUSTOS_REQUIRE(d->n >= 1 && d->n <= SYNTH_COLUMNS_MAX);
    if (!m)
        return NULL;
    m->alloc = a;
    m->size = alloc_take(&a, d->n, sizeof *m->size);
    if (!m->size) {
        alloc_give(&a, m, 1, sizeof *m);
        return NULL;
    }
    memcpy(m->size, d->size, d->n * sizeof *m->size);
    m->domain = (struct domain){d->n, m->size};
    m->total = 1;
    return m;
}

static void
beliefs_free(struct model *m)
{
    const custos_alloc *a = &m->alloc;

    for (size_t i = 0; m->beliefs && i < m->tree.n; i++) {
        struct belief *b = &m->beliefs[i];

        alloc_give(a, b->table, b->cells, sizeof(double));
        alloc_give(a, b->own, b->separator_cells, sizeof(double));
        alloc_give(a, b->up, b->separator_cells, sizeof(double));
        alloc_give(a, b->down, b->separator_cells, sizeof(double));
    }
    alloc_give(a, m->beliefs, m->tree.n, sizeof *m->beliefs);
    alloc_give(a, m->halves.sums, m->n_halves, sizeof(double));
    m->halves.sums = NULL;
    m->beliefs = NULL;
}

static void
evidence_free(const custos_alloc *a, struct evidence *e)
{
    alloc_give(a, e->values, e->cells, sizeof(double));
    alloc_give(a, e->merged, e->cells, sizeof(double));
    alloc_give(a, e, 1, sizeof *e);
}

static void
arrays_free(struct model *m)
{
    const custos_alloc *a = &m->alloc;

    alloc_give(a, m->potentials, m->cells + 1, sizeof(double));
    alloc_give(a, m->gradient, m->cells + 1, sizeof(double));
    alloc_give(a, m->marginals, m->cells + 1, sizeof(double));
    alloc_give(a, m->trial, m->cells + 1, sizeof(double));
    alloc_give(a, m->scratch, m->n_scratch, sizeof(double));
    alloc_give(a, m->cliques, m->room, sizeof *m->cliques);
    m->potentials = m->gradient = m->marginals = m->trial = m->scratch = NULL;
    m->cliques = NULL;
}

void
model_free(struct model *m)
{
    custos_alloc a;

    if (!m)
        return;
    a = m->alloc;
    beliefs_free(m);
    arrays_free(m);
    for (struct evidence *e = m->evidence, *next; e; e = next) {
        next = e->next;
        evidence_free(&a, e);
    }
    for (struct zeros *z = m->zeros, *next; z; z = next) {
        next = z->next;
        alloc_give(&a, z->potentials, z->cells, sizeof(double));
        alloc_give(&a, z, 1, sizeof *z);
    }
    alloc_give(&a, m->size, m->domain.n, sizeof *m->size);
    alloc_give(&a, m, 1, sizeof *m);
}

/* ------------------------------------------------------------ measurements -- */

/* Averages x into what is known of the same set, by their variances. */
static void
evidence_average(struct evidence *e, const struct measurement *x)
{
    const double sum = e->variance + x->variance;

    for (size_t i = 0; i < e->cells; i++)
        e->values[i] =
            (e->values[i] * x->variance + x->values[i] * e->variance) / sum;
    e->variance = e->variance * x->variance / sum;
}

custos_status
model_add(struct model *m, const struct measurement *x, custos_err *err)
{
    struct evidence *e;

    CUSTOS_REQUIRE(x->variance > 0);
    for (e = m->evidence; e; e = e->next)
        if (colset_same(e->set, x->set) && !e->merged && !x->merged) {
            evidence_average(e, x);
            return CUSTOS_OK;
        }
    e = alloc_take(&m->alloc, 1, sizeof *e);
    if (!e)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    e->set = x->set;
    e->variance = x->variance;
    e->cells = domain_cells(&m->domain, x->set);
    e->values = alloc_take(&m->alloc, e->cells, sizeof(double));
    if (x->merged)
        e->merged = alloc_take(&m->alloc, e->cells, sizeof(double));
    if (!e->values || (x->merged && !e->merged)) {
        evidence_free(&m->alloc, e);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    memcpy(e->values, x->values, e->cells * sizeof(double));
    if (x->merged)
        memcpy(e->merged, x->merged, e->cells * sizeof(double));
    e->next = m->evidence;
    m->evidence = e;
    return CUSTOS_OK;
}

custos_status
model_forbid(struct model *m, const struct forbidden *x, custos_err *err)
{
    struct zeros *z = alloc_take(&m->alloc, 1, sizeof *z);

    if (!z)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    z->set = x->set;
    z->cells = domain_cells(&m->domain, x->set);
    z->potentials = alloc_take(&m->alloc, z->cells, sizeof(double));
    if (!z->potentials) {
        alloc_give(&m->alloc, z, 1, sizeof *z);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < z->cells; i++)
        z->potentials[i] = x->zero[i] ? -INFINITY : 0;
    z->next = m->zeros;
    m->zeros = z;
    return CUSTOS_OK;
}

bool
model_measured(const struct model *m, struct colset set)
{
    for (const struct evidence *e = m->evidence; e; e = e->next)
        if (colset_within(set, e->set))
            return true;
    return false;
}

/* The mean of the sums of all measurements, by the variances of these sums. */
static double
total_of(const struct model *m)
{
    double sum = 0, weight = 0;

    for (const struct evidence *e = m->evidence; e; e = e->next) {
        double of = 0, noisy = 0;

        for (size_t i = 0; i < e->cells; i++) {
            of += e->values[i];
            noisy += e->merged ? e->merged[i] : 1;
        }
        sum += of / (noisy * e->variance);
        weight += 1 / (noisy * e->variance);
    }
    return weight > 0 && sum > weight ? sum / weight : 1;
}

/* ----------------------------------------------------------------- cliques -- */

void
model_graph(const struct model *m, struct tree_graph *g)
{
    tree_graph_init(&m->domain, g);
    for (const struct evidence *e = m->evidence; e; e = e->next)
        tree_graph_join(g, e->set);
    for (const struct zeros *z = m->zeros; z; z = z->next)
        tree_graph_join(g, z->set);
}

/* How many sets there are; writes them, too, unless sets is NULL. */
static size_t
find_sets(const struct model *m, struct colset *sets)
{
    size_t n = 0;

    for (const struct evidence *e = m->evidence; e; e = e->next, n++)
        if (sets)
            sets[n] = e->set;
    for (const struct zeros *z = m->zeros; z; z = z->next, n++)
        if (sets)
            sets[n] = z->set;
    return n;
}

/* Whether set i is within none of the others; of equal sets the first counts. */
static bool
is_maximal(const struct colset *sets, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (k != i && colset_within(sets[i], sets[k]) &&
            (k < i || !colset_same(sets[i], sets[k])))
            return false;
    return true;
}

static void
clique_add(struct model *m, struct colset set)
{
    struct clique *c = &m->cliques[m->n_cliques++];

    *c = (struct clique){.set = set,
                         .cells = domain_cells(&m->domain, set),
                         .first = m->cells,
                         .node = tree_cover(&m->tree, set)};
    m->cells += c->cells;
    walk_init(&c->walk, &m->domain, set);
    walk_beside(&m->beliefs[c->node].walk, &m->domain, set, &c->in_node);
}

/* The smallest clique that has all columns of set; n if there is none. */
static size_t
find_clique(const struct clique *cliques, size_t n, struct colset set)
{
    size_t best = n;

    for (size_t i = 0; i < n; i++)
        if (colset_within(set, cliques[i].set) &&
            (best == n || cliques[i].cells < cliques[best].cells))
            best = i;
    return best;
}

/* ------------------------------------------------------------------- build -- */

static bool
beliefs_take(struct model *m)
{
    const custos_alloc *a = &m->alloc;
    bool all;

    m->beliefs = alloc_take(a, m->tree.n, sizeof *m->beliefs);
    all = m->beliefs != NULL;
    for (size_t i = 0; all && i < m->tree.n; i++) {
        const struct tree_node *node = &m->tree.node[i];
        struct belief *b = &m->beliefs[i];

        b->cells = node->cells;
        b->separator_cells = domain_cells(&m->domain, node->separator);
        b->table = alloc_take(a, b->cells, sizeof(double));
        b->own = alloc_take(a, b->separator_cells, sizeof(double));
        b->up = alloc_take(a, b->separator_cells, sizeof(double));
        b->down = alloc_take(a, b->separator_cells, sizeof(double));
        all = b->table && b->own && b->up && b->down;
        walk_init(&b->walk, &m->domain, node->set);
        walk_beside(&b->walk, &m->domain, node->separator, &b->separator);
        walk_beside(&m->beliefs[node->parent].walk, &m->domain, node->separator,
                    &b->in_parent);
    }
    return all;
}

/* Room for the sums beside the largest node, of cliques, separator and children. */
static bool
halves_take(struct model *m)
{
    m->n_halves = 1;
    for (size_t i = 0; i < m->tree.n; i++) {
        size_t cells = m->beliefs[i].separator_cells;

        for (size_t k = 0; k < m->n_cliques; k++)
            cells += m->cliques[k].node == i ? m->cliques[k].cells : 0;
        for (size_t k = i + 1; k < m->tree.n; k++)
            cells +=
                m->tree.node[k].parent == i ? m->beliefs[k].separator_cells : 0;
        if (m->beliefs[i].cells >= HALVES_CELLS && cells > m->n_halves)
            m->n_halves = cells;
    }
    m->halves.sums = alloc_take(&m->alloc, m->n_halves, sizeof(double));
    return m->halves.sums != NULL;
}

static bool
arrays_take(struct model *m)
{
    const custos_alloc *a = &m->alloc;

    m->n_scratch = 1;
    for (size_t i = 0; i < m->n_cliques; i++)
        if (m->cliques[i].cells > m->n_scratch)
            m->n_scratch = m->cliques[i].cells;
    m->potentials = alloc_take(a, m->cells + 1, sizeof(double));
    m->gradient = alloc_take(a, m->cells + 1, sizeof(double));
    m->marginals = alloc_take(a, m->cells + 1, sizeof(double));
    m->trial = alloc_take(a, m->cells + 1, sizeof(double));
    m->scratch = alloc_take(a, m->n_scratch, sizeof(double));
    return m->potentials && m->gradient && m->marginals && m->trial &&
           m->scratch;
}

/* Adds a table over set to the potentials of a clique that contains it. */
static void
potentials_add(struct model *m, struct colset set, double *table)
{
    const size_t i = find_clique(m->cliques, m->n_cliques, set);
    const struct clique *c = &m->cliques[i];
    struct beside at;

    CUSTOS_REQUIRE(i < m->n_cliques);
    walk_beside(&c->walk, &m->domain, set, &at);
    walk_sum(&c->walk, &(struct smaller){&at, table}, 1, true,
             m->potentials + c->first);
}

/* Finds the clique of each measurement, and the weights. */
static void
place_evidence(struct model *m)
{
    double least = INFINITY;

    for (const struct evidence *e = m->evidence; e; e = e->next)
        least = e->variance < least ? e->variance : least;
    for (struct evidence *e = m->evidence; e; e = e->next) {
        e->weight = least / e->variance;
        e->clique = find_clique(m->cliques, m->n_cliques, e->set);
        walk_beside(&m->cliques[e->clique].walk, &m->domain, e->set,
                    &e->in_clique);
    }
}

/* At least the cells of all tables, with all sums that may be beside one node. As a
   double: 64 bits may be too few. */
static double
cells_of(const struct model *m, const struct tree *t, const struct colset *sets,
         size_t n)
{
    double cells = 4, scratch = 0;

    for (size_t i = 0; i < t->n; i++)
        cells += (double)t->node[i].cells +
                 4 * (double)domain_cells(&m->domain, t->node[i].separator);
    for (size_t k = 0; k < n; k++) {
        const double own = (double)domain_cells(&m->domain, sets[k]);

        if (is_maximal(sets, n, k))
            cells += 5 * own;
        scratch = fmax(scratch, own);
    }
    return cells + scratch;
}

size_t
model_bytes(const struct model *m)
{
    const size_t n = find_sets(m, NULL);
    struct colset *sets = alloc_take(&m->alloc, n + 1, sizeof *sets);
    struct tree_graph graph;
    struct tree tree;
    double bytes;

    if (!sets)
        return SIZE_MAX;
    find_sets(m, sets);
    model_graph(m, &graph);
    tree_make(&m->domain, &graph, &tree);
    bytes = cells_of(m, &tree, sets, n) * sizeof(double) +
            (double)(n + 1) * sizeof(struct clique) +
            (double)tree.n * sizeof(struct belief);
    alloc_give(&m->alloc, sets, n + 1, sizeof *sets);
    return bytes < (double)(SIZE_MAX / 2) ? (size_t)bytes : SIZE_MAX;
}

/* Makes the cliques and all tables, of potentials 0. */
static bool
tables_take(struct model *m)
{
    const size_t n = find_sets(m, NULL);
    struct colset *sets = alloc_take(&m->alloc, n + 1, sizeof *sets);

    m->room = n + 1;
    m->cliques = alloc_take(&m->alloc, m->room, sizeof *m->cliques);
    if (!sets || !m->cliques || !beliefs_take(m)) {
        alloc_give(&m->alloc, sets, n + 1, sizeof *sets);
        return false;
    }
    find_sets(m, sets);
    for (size_t i = 0; i < n; i++)
        if (is_maximal(sets, n, i))
            clique_add(m, sets[i]);
    alloc_give(&m->alloc, sets, n + 1, sizeof *sets);
    return arrays_take(m) && halves_take(m);
}

custos_status
model_build(struct model *m, custos_err *err)
{
    struct model old = *m;
    struct tree_graph graph;

    m->beliefs = NULL;
    m->halves.sums = NULL;
    m->cliques = NULL;
    m->potentials = m->gradient = m->marginals = m->trial = m->scratch = NULL;
    m->n_cliques = m->cells = 0;
    beliefs_free(&old);
    model_graph(m, &graph);
    tree_make(&m->domain, &graph, &m->tree);
    if (tree_bytes(&m->tree) == SIZE_MAX) {
        arrays_free(&old);
        return custos_fail(err, CUSTOS_EOVERFLOW, "the model is too large");
    }
    if (!tables_take(m)) {
        arrays_free(&old);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < old.n_cliques; i++)
        potentials_add(m, old.cliques[i].set,
                       old.potentials + old.cliques[i].first);
    for (struct zeros *z = m->zeros; z; z = z->next)
        potentials_add(m, z->set, z->potentials);
    arrays_free(&old);
    place_evidence(m);
    m->total = total_of(m);
    return CUSTOS_OK;
}
