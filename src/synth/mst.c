/*
 * MST. Of rho, 3/10 are for the columns, 1/10 for the choice of pairs and 6/10 for the
 * pairs. The paper gives a third to each; but a choice errs little already at a
 * tenth, and most of the error is noise on the pairs. A single column gets all of it.
 */
#include "synth/mst.h"

#include <math.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "synth/fit.h"
#include "synth/infer.h"
#include "synth/price.h"

/* A fit goes on until it follows the noise: short fits cost accuracy. */
static const struct fit_options FIT = {20000, 1e-4, 50};

#define RARE 3.0 /* standard deviations of the noise */

struct mst {
    const struct mst_options *o;
    struct asker ask;
    struct synthesis *out;
    int64_t *counts; /* of all columns, one after the other; noisy */
    double *values, *merged;
    size_t n_cells;
    struct colset *pairs;
    size_t *among;  /* numbers of pairs that are still candidates */
    size_t n_pairs; /* d (d - 1)/2 */
};

static custos_status
take_all(struct mst *s, custos_err *err)
{
    const custos_alloc *a = &s->ask.alloc;
    const size_t d = s->o->domain->n;

    for (size_t c = 0; c < d; c++)
        s->n_cells += s->o->domain->size[c];
    s->n_pairs = d * (d - 1) / 2;
    s->counts = alloc_take(a, s->n_cells, sizeof *s->counts);
    s->values = alloc_take(a, s->n_cells, sizeof *s->values);
    s->merged = alloc_take(a, s->n_cells, sizeof *s->merged);
    s->pairs = alloc_take(a, s->n_pairs + 1, sizeof *s->pairs);
    s->among = alloc_take(a, s->n_pairs + 1, sizeof *s->among);
    if (!s->counts || !s->values || !s->merged || !s->pairs || !s->among)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return recoding_new(a, s->o->domain, &s->out->recoding, err);
}

static void
give_all(struct mst *s)
{
    const custos_alloc *a = &s->ask.alloc;

    alloc_give(a, s->counts, s->n_cells, sizeof *s->counts);
    alloc_give(a, s->values, s->n_cells, sizeof *s->values);
    alloc_give(a, s->merged, s->n_cells, sizeof *s->merged);
    alloc_give(a, s->pairs, s->n_pairs + 1, sizeof *s->pairs);
    alloc_give(a, s->among, s->n_pairs + 1, sizeof *s->among);
}

/* The columns that structural zeros are about. */
static struct colset
bound_columns(const struct mst_options *o)
{
    struct colset all = {{0, 0}};

    for (size_t i = 0; i < o->n_zeros; i++)
        all = colset_or(all, o->zeros[i].set);
    return all;
}

/* Measures each column, and merges its rare codes. */
static custos_status
measure_columns(struct mst *s, amount each, custos_err *err)
{
    const double least = RARE * price_sigma(each, s->ask.l2_squared);
    const struct colset bound = bound_columns(s->o);
    const struct trusted *t = s->ask.trusted;
    struct recoding *r = s->out->recoding;
    custos_status st = CUSTOS_OK;

    for (size_t c = 0, at = 0; !st && c < r->from.n; at += r->from.size[c++]) {
        st = ask_marginal(&s->ask, colset_of(c), each, s->counts + at, err);
        if (st)
            break;
        recoding_merge(r, c, s->counts + at,
                       colset_has(bound, c) ? -INFINITY : least, s->values + at,
                       s->merged + at);
        if (r->to.size[c] < r->from.size[c])
            st = t->recode(t->of, c, r->map[c], r->to.size[c], err);
    }
    return st;
}

/* The model of the columns alone. */
static custos_status
make_model(struct mst *s, amount each, custos_err *err)
{
    const double sigma = price_sigma(each, s->ask.l2_squared);
    const struct recoding *r = s->out->recoding;
    custos_status st = CUSTOS_OK;

    s->out->model = model_new(&s->ask.alloc, &r->to);
    if (!s->out->model)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t c = 0, at = 0; !st && c < r->from.n; at += r->from.size[c++]) {
        struct measurement x = {.set = colset_of(c),
                                .variance = sigma * sigma,
                                .values = s->values + at};

        if (r->to.size[c] < r->from.size[c])
            x.merged = s->merged + at;
        st = model_add(s->out->model, &x, err);
    }
    for (size_t i = 0; !st && i < s->o->n_zeros; i++)
        st = model_forbid(s->out->model, &s->o->zeros[i], err);
    return st;
}

static custos_status
fit(struct mst *s, custos_err *err)
{
    struct fit_facts facts;
    custos_status st = model_build(s->out->model, err);

    return st ? st : model_fit(s->out->model, &FIT, &facts, err);
}

/* The product of two columns' marginals, by the rows that there are: what the model
   of the columns alone says, unless structural zeros join them. */
static custos_status
multiply(const struct model *m, size_t a, size_t b, double *out,
         custos_err *err)
{
    const size_t n = m->domain.size[a], k = m->domain.size[b];
    double *x = alloc_take(&m->alloc, n + k, sizeof *x);
    custos_status st;

    if (!x)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = model_marginal(m, colset_of(a), n, x, err);
    if (!st)
        st = model_marginal(m, colset_of(b), k, x + n, err);
    for (size_t i = 0; i < n * k; i++)
        out[i] = x[i / k] * x[n + i % k] / m->total;
    alloc_give(&m->alloc, x, n + k, sizeof *x);
    return st;
}

/* The marginal of a pair. Where zeros join its columns at too great a distance, the
   product is near enough for a choice. */
static custos_status
find_pair(const struct model *m, size_t a, size_t b, size_t cells, double *out,
          custos_err *err)
{
    const struct colset set = colset_or(colset_of(a), colset_of(b));
    custos_status st = CUSTOS_EOVERFLOW;

    if (m->zeros)
        st = model_marginal(m, set, cells, out, NULL);
    if (st == CUSTOS_EOVERFLOW)
        return multiply(m, a, b, out, err);
    return st ? custos_fail(err, st, "out of memory") : CUSTOS_OK;
}

/* How far each pair is from what the columns alone say. */
static custos_status
score_pairs(struct mst *s, custos_err *err)
{
    const struct model *m = s->out->model;
    custos_status st = CUSTOS_OK;
    size_t n = 0;

    for (size_t a = 0; a < m->domain.n; a++)
        for (size_t b = a + 1; !st && b < m->domain.n; b++) {
            struct colset set = colset_or(colset_of(a), colset_of(b));
            size_t cells = domain_cells(&m->domain, set);
            double *x = alloc_take(&m->alloc, cells, sizeof *x);

            st = x ? find_pair(m, a, b, cells, x, err)
                   : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
            if (!st)
                st = ask_score(&s->ask, n, set, 1, x, cells, 0, err);
            alloc_give(&m->alloc, x, cells, sizeof *x);
            s->pairs[n++] = set;
        }
    return st;
}

/* What structural zeros and the pairs so far have joined. */
struct joined {
    struct tree_graph graph;
    struct colset
        around[SYNTH_COLUMNS_MAX]; /* by column: all that it is joined to */
    size_t bytes;                  /* of the tree */
};

static void
joined_find(const struct mst *s, struct joined *j)
{
    const struct domain *d = &s->out->model->domain;
    struct tree tree;

    tree_make(d, &j->graph, &tree);
    j->bytes = tree_bytes(&tree);
    for (size_t c = 0; c < d->n; c++) {
        struct colset before = {{0, 0}};

        j->around[c] = colset_of(c);
        while (!colset_same(before, j->around[c])) {
            before = j->around[c];
            COLSET_EACH(i, before)
            j->around[c] = colset_or(j->around[c], j->graph.near[i]);
        }
    }
}

/* Does the pair leave the tree within its limit? Without zeros all do. A pair that
   closes no circle adds a table of its own at most. */
static bool
has_room(const struct mst *s, const struct joined *j, struct colset pair)
{
    const struct domain *d = &s->out->model->domain;
    struct tree_graph with = j->graph;
    struct tree tree;

    if (s->o->n_zeros == 0)
        return true;
    if (!colset_within(pair, j->around[colset_next(pair, 0)]))
        return j->bytes + domain_cells(d, pair) * sizeof(double) <= s->o->bytes;
    tree_graph_join(&with, pair);
    tree_make(d, &with, &tree);
    return tree_bytes(&tree) <= s->o->bytes;
}

/* Kruskal's algorithm: each pair selected joins two components. *n_tree: how many
   there are, d - 1 unless room is lacking. */
static custos_status
select_pairs(struct mst *s, amount each, struct colset *tree, size_t *n_tree,
             custos_err *err)
{
    const size_t d = s->o->domain->n;
    struct colset component[SYNTH_COLUMNS_MAX]; /* by column: what is joined */
    struct joined joined;
    custos_status st = CUSTOS_OK;

    model_graph(s->out->model, &joined.graph);
    for (size_t c = 0; c < d; c++)
        component[c] = colset_of(c);
    for (*n_tree = 0; !st && *n_tree + 1 < d; ++*n_tree) {
        size_t n = 0, won = 0;
        struct colset whole;

        if (s->o->n_zeros > 0)
            joined_find(s, &joined);
        for (size_t i = 0; i < s->n_pairs; i++)
            if (!colset_within(s->pairs[i],
                               component[colset_next(s->pairs[i], 0)]) &&
                has_room(s, &joined, s->pairs[i]))
                s->among[n++] = i;
        if (n == 0)
            break;
        st = ask_select(&s->ask, s->among, n, 1, each, &won, err);
        if (st)
            break;
        whole = tree[*n_tree] = s->pairs[s->among[won]];
        tree_graph_join(&joined.graph, whole);
        COLSET_EACH(c, tree[*n_tree])
        whole = colset_or(whole, component[c]);
        COLSET_EACH(c, whole)
        component[c] = whole;
    }
    return st;
}

struct mst_prices
mst_prices(amount rho, size_t d)
{
    const amount tenth = rho / 10;

    if (d == 1)
        return (struct mst_prices){.column = rho};
    return (struct mst_prices){
        .column = 3 * tenth / d,
        .choice = tenth / (d - 1),
        .pair = 6 * tenth / (d - 1),
    };
}

static custos_status
run(struct mst *s, custos_err *err)
{
    const size_t d = s->o->domain->n;
    const struct mst_prices price = mst_prices(s->o->rho, d);
    struct colset tree[SYNTH_COLUMNS_MAX];
    size_t n_tree = 0;
    custos_status st;

    if (price.column == 0 || (d > 1 && price.choice == 0))
        return custos_fail(err, CUSTOS_ERANGE,
                           "rho is too small for so many columns");
    st = take_all(s, err);
    if (!st)
        st = measure_columns(s, price.column, err);
    if (!st)
        st = make_model(s, price.column, err);
    if (!st)
        st = fit(s, err);
    if (!st)
        st = score_pairs(s, err);
    if (!st)
        st = select_pairs(s, price.choice, tree, &n_tree, err);
    for (size_t k = 0; !st && k < n_tree; k++)
        st = ask_for_model(&s->ask, s->out->model, tree[k], price.pair, err);
    return st ? st : fit(s, err);
}

custos_status
mst_run(const custos_alloc *alloc, const struct mst_options *o,
        const struct trusted *t, struct synthesis *out, custos_err *err)
{
    struct mst s = {.o = o,
                    .ask = {.alloc = alloc_or_default(alloc),
                            .trusted = t,
                            .l2_squared = o->l2_squared,
                            .left = o->rho},
                    .out = out};
    custos_status st;

    *out = (struct synthesis){.alloc = s.ask.alloc};
    st = run(&s, err);
    give_all(&s);
    out->left = s.ask.left;
    if (st)
        synthesis_free(out);
    return st;
}
