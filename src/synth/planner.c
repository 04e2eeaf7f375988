/*
 * Let p_A = product of (n_i - 1)/n_i over a set A, s_A the deviation of the noise on the
 * residual of A, and D_A how far one unit moves the residual. Residual A adds s_A^2 p_A/n_B^2
 * to the variance of each of the n_B cells of table B, so s_A^2 v_A to the sum of all
 * variances, with v_A = p_A times the sum of 1/n_B over the tables B that contain A; and it
 * costs D_A^2/(2 s_A^2). For a given price the sum is least if residual A has a share of it
 * proportional to D_A sqrt(v_A) (Lagrange).
 */
#include "synth/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/ck.h"
#include "base/error.h"
#include "synth/fit.h"
#include "synth/price.h"
#include "synth/residual.h"

static const struct fit_options FIT = {2000, 1e-4, 50};

/* Shares are doubles. This little of the price is left over for their rounding; what
   rounding takes beyond it is missing from the last part. */
#define ALMOST (1 - 0x1p-32)

enum { TRIES = 2000 }; /* of sets that may have room in the model */

/* Tables are added up to this size: a by-product should take seconds, and each step of
   its fit walks over all of it. */
#define ROOM_BYTES ((size_t)1 << 20)

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ------------------------------------------------------------------ parts -- */

static int
by_set(const void *a, const void *b)
{
    return colset_compare(((const struct planned *)a)->set,
                          ((const struct planned *)b)->set);
}

static struct planned *
find_part(const struct planner *p, struct colset set)
{
    const struct planned key = {.set = set};

    return bsearch(&key, p->parts, p->n_parts, sizeof *p->parts, by_set);
}

/* Columns of a single code say nothing. */
static struct colset
without_constants(const struct domain *d, struct colset set)
{
    struct colset out = {{0, 0}};

    COLSET_EACH(c, set)
    if (d->size[c] > 1)
        out = colset_or(out, colset_of(c));
    return out;
}

/* The tables that are asked for, each once, and then all columns. */
static custos_status
take_sets(struct planner *p, const struct workload *w, custos_err *err)
{
    p->sets_room = w->n + p->domain.n;
    p->sets = alloc_take(&p->alloc, p->sets_room, sizeof *p->sets);
    if (!p->sets)
        return no_memory(err);
    for (size_t i = 0; i < w->n; i++)
        p->sets[p->n_sets++] = w->sets[i];
    for (size_t c = 0; c < p->domain.n; c++)
        p->sets[p->n_sets++] = colset_of(c);
    return CUSTOS_OK;
}

/* All their subsets, each once. */
static custos_status
take_parts(struct planner *p, custos_err *err)
{
    const struct colset none = {{0, 0}};
    size_t kept = 0;

    p->parts_room = 0;
    for (size_t i = 0; i < p->n_sets; i++) {
        const size_t order = colset_count(p->sets[i]);

        if (order < 1 || order > WORKLOAD_ORDER)
            return custos_fail(err, CUSTOS_EINVAL,
                               "a table has 1 to %d columns", WORKLOAD_ORDER);
        p->parts_room += (size_t)1 << order;
    }
    p->parts = alloc_take(&p->alloc, p->parts_room, sizeof *p->parts);
    if (!p->parts)
        return no_memory(err);
    for (size_t i = 0; i < p->n_sets; i++) {
        const struct colset set = without_constants(&p->domain, p->sets[i]);
        struct colset part = none;

        do {
            p->parts[p->n_parts++].set = part;
            part = colset_next_part(set, part);
        } while (!colset_is_empty(part));
    }
    qsort(p->parts, p->n_parts, sizeof *p->parts, by_set);
    for (size_t i = 0; i < p->n_parts; i++)
        if (kept == 0 ||
            colset_compare(p->parts[i].set, p->parts[kept - 1].set))
            p->parts[kept++] = p->parts[i];
    p->n_parts = kept;
    for (size_t i = 0; i < p->n_parts; i++) {
        p->parts[i].cells = domain_cells(&p->domain, p->parts[i].set);
        if (!ck_add_size(p->cells, p->parts[i].cells, &p->cells) ||
            p->cells > PLANNER_CELLS)
            return custos_fail(err, CUSTOS_EOVERFLOW,
                               "these tables and their sums have more than "
                               "%d cells" HINT
                               "ask for smaller ones by --workload, or leave "
                               "out columns by --columns",
                               (int)PLANNER_CELLS);
    }
    return CUSTOS_OK;
}

/* The squares of the most that one row that comes, or that becomes another, changes
   in the numbers of a residual (theorem residual-marginals). */
static double
squared_move(const struct planner *p, struct colset set, bool change)
{
    double squares = 1, least = INFINITY;

    COLSET_EACH(c, set)
    {
        const double n = p->domain.size[c];

        squares *= n * (n - 1);
        least = fmin(least, n);
    }
    return change && !colset_is_empty(set) ? squares * 2 * least / (least - 1)
                                           : squares;
}

/* Sets each part's rho to its weight in the division, and returns their sum. */
static double
weigh_parts(struct planner *p, bool change, double *weight)
{
    double sum = 0;

    for (size_t i = 0; i < p->n_sets; i++) {
        const double cells = (double)domain_cells(&p->domain, p->sets[i]);
        const struct colset set = without_constants(&p->domain, p->sets[i]);
        struct colset part = {{0, 0}};

        do {
            weight[find_part(p, part) - p->parts] += 1 / cells;
            part = colset_next_part(set, part);
        } while (!colset_is_empty(part));
    }
    for (size_t i = 0; i < p->n_parts; i++) {
        double v = weight[i];

        COLSET_EACH(c, p->parts[i].set)
        v *= 1 - 1.0 / p->domain.size[c];
        weight[i] = sqrt(squared_move(p, p->parts[i].set, change) * v);
        sum += weight[i];
    }
    return sum;
}

/* l2_squared is m^2 for the rows of a unit, or 2 m^2, which is no square. */
static custos_status
divide(struct planner *p, const struct planner_options *o, custos_err *err)
{
    const double l1 = price_l1(o->l2_squared);
    const bool change = l1 * l1 > 1.5 * (double)o->l2_squared;
    const double rows = change ? l1 / 2 : l1;
    double *weight = alloc_take(&p->alloc, p->n_parts, sizeof *weight), sum;
    amount left = o->rho;

    if (!weight)
        return no_memory(err);
    sum = weigh_parts(p, change, weight);
    for (size_t i = 0; i < p->n_parts; i++) {
        struct planned *a = &p->parts[i];

        a->rho = (amount)((double)o->rho * (weight[i] / sum) * ALMOST);
        a->rho = a->rho < left ? a->rho : left;
        left -= a->rho;
        if (a->rho > 0)
            a->variance = rows * rows * squared_move(p, a->set, change) /
                          (2 * ((double)a->rho / 1e20));
    }
    alloc_give(&p->alloc, weight, p->n_parts, sizeof *weight);
    for (size_t i = 0; i < p->n_parts; i++)
        if (p->parts[i].rho == 0)
            return custos_fail(err, CUSTOS_ERANGE,
                               "rho is too small for so many tables");
    return CUSTOS_OK;
}

custos_status
planner_make(const custos_alloc *alloc, const struct planner_options *o,
             struct planner *out, custos_err *err)
{
    custos_status st;

    *out = (struct planner){.alloc = alloc_or_default(alloc),
                            .domain = *o->domain};
    st = take_sets(out, &o->workload, err);
    if (!st)
        st = take_parts(out, err);
    if (!st)
        st = divide(out, o, err);
    if (st)
        planner_free(out);
    return st;
}

void
planner_free(struct planner *p)
{
    for (size_t i = 0; i < p->n_parts; i++)
        alloc_give(&p->alloc, p->parts[i].values, p->parts[i].cells,
                   sizeof(int64_t));
    alloc_give(&p->alloc, p->parts, p->parts_room, sizeof *p->parts);
    alloc_give(&p->alloc, p->sets, p->sets_room, sizeof *p->sets);
    *p = (struct planner){.alloc = p->alloc};
}

static struct residual
residual_of(const struct planned *part)
{
    return (struct residual){part->set, part->values, part->variance};
}

double
planner_variance(const struct planner *p, struct colset set)
{
    const struct colset all = without_constants(&p->domain, set);
    struct colset part = {{0, 0}};
    double sum = 0;

    do {
        const struct residual r = residual_of(find_part(p, part));

        sum += residual_variance(&p->domain, &r, set);
        part = colset_next_part(all, part);
    } while (!colset_is_empty(part));
    return sum;
}

/* ------------------------------------------------------------------ model -- */

struct planning {
    const struct planner_options *o;
    struct planner plan;
    struct asker ask;
    struct model *model;
    double *table, *work; /* of the largest table */
    double *columns;      /* the tables of all columns, one after the other */
    double rows;          /* as the residual of the empty set says */
    size_t cells;         /* of the largest table */
    size_t room;          /* bytes of the model's tree */
};

static void
find_table(struct planning *s, struct colset set, double *out)
{
    const struct planner *p = &s->plan;
    const struct colset all = without_constants(&p->domain, set);
    struct colset part = {{0, 0}};

    memset(out, 0, domain_cells(&p->domain, set) * sizeof *out);
    do {
        const struct residual r = residual_of(find_part(p, part));

        residual_add(&p->domain, &r, set, s->work, out);
        part = colset_next_part(all, part);
    } while (!colset_is_empty(part));
}

static custos_status
add_table(struct planning *s, struct colset set, const double *table,
          custos_err *err)
{
    const struct measurement x = {.set = set,
                                  .variance = planner_variance(&s->plan, set),
                                  .values = table};

    return model_add(s->model, &x, err);
}

/* How much more a table differs from the product of its columns than noise would let
   it: what a model without it would miss. */
static double
find_gain(struct planning *s, struct colset set)
{
    const struct domain *d = &s->plan.domain;
    const size_t cells = domain_cells(d, set);
    const double sigma = sqrt(planner_variance(&s->plan, set));
    double distance = 0;

    find_table(s, set, s->table);
    for (size_t k = 0; k < cells; k++) {
        size_t at = cells, first = 0, before = 0;
        double product = s->rows;

        COLSET_EACH(c, set)
        {
            for (; before < c; before++)
                first += d->size[before];
            at /= d->size[c];
            product *=
                fmax(0, s->columns[first + k / at % d->size[c]] / s->rows);
        }
        distance += fabs(s->table[k] - product);
    }
    return distance - PRICE_MEAN_ABSOLUTE * sigma * (double)cells;
}

struct gain {
    struct colset set;
    double gain;
};

static int
by_gain(const void *a, const void *b)
{
    const struct gain *x = a, *y = b;

    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return colset_compare(x->set, y->set);
}

/* Joins the set to the graph if the tree stays within its limit. */
static bool
has_room(const struct planning *s, struct tree_graph *graph, struct colset set)
{
    struct tree_graph with = *graph;
    struct tree tree;

    tree_graph_join(&with, set);
    tree_make(&s->plan.domain, &with, &tree);
    if (tree_bytes(&tree) > s->room)
        return false;
    *graph = with;
    return true;
}

/* Adds the tables that say most, as far as there is room. */
static custos_status
add_tables(struct planning *s, struct tree_graph *graph, custos_err *err)
{
    const size_t n = s->o->workload.n;
    struct gain *gains = alloc_take(&s->plan.alloc, n, sizeof *gains);
    custos_status st = gains ? CUSTOS_OK : no_memory(err);

    for (size_t i = 0; !st && i < n; i++)
        gains[i] =
            (struct gain){s->plan.sets[i], find_gain(s, s->plan.sets[i])};
    if (!st)
        qsort(gains, n, sizeof *gains, by_gain);
    for (size_t i = 0; !st && i < n && i < TRIES && gains[i].gain > 0; i++) {
        if (colset_count(gains[i].set) < 2 || !has_room(s, graph, gains[i].set))
            continue;
        find_table(s, gains[i].set, s->table);
        st = add_table(s, gains[i].set, s->table, err);
    }
    alloc_give(&s->plan.alloc, gains, n, sizeof *gains);
    return st;
}

static custos_status
make_model(struct planning *s, custos_err *err)
{
    const struct domain *d = &s->plan.domain;
    custos_status st = CUSTOS_OK;
    struct tree_graph graph;
    struct fit_facts facts;
    struct tree tree;
    size_t at = 0;

    for (size_t i = 0; !st && i < s->o->n_zeros; i++)
        st = model_forbid(s->model, &s->o->zeros[i], err);
    for (size_t c = 0; !st && c < d->n; at += d->size[c++]) {
        find_table(s, colset_of(c), s->columns + at);
        st = add_table(s, colset_of(c), s->columns + at, err);
    }
    if (st)
        return st;
    model_graph(s->model, &graph);
    tree_make(d, &graph, &tree);
    if (tree_bytes(&tree) > s->o->bytes)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the columns and their structural zeros need a "
                           "model of %zu bytes",
                           tree_bytes(&tree));
    s->room = tree_bytes(&tree);
    if (s->room < ROOM_BYTES)
        s->room = s->o->bytes < ROOM_BYTES ? s->o->bytes : ROOM_BYTES;
    s->rows = fmax(1, (double)s->plan.parts[0].values[0]);
    st = add_tables(s, &graph, err);
    if (!st)
        st = model_build(s->model, err);
    return st ? st : model_fit(s->model, &FIT, &facts, err);
}

/* ---------------------------------------------------------------- running -- */

static custos_status
take_all(struct planning *s, custos_err *err)
{
    const struct planner *p = &s->plan;
    const struct domain *d = &p->domain;
    size_t columns = 0;

    for (size_t i = 0; i < p->n_sets; i++) {
        const size_t cells = domain_cells(d, p->sets[i]);

        s->cells = cells > s->cells ? cells : s->cells;
    }
    for (size_t c = 0; c < d->n; c++)
        columns += d->size[c];
    s->table = alloc_take(&p->alloc, s->cells, sizeof *s->table);
    s->work = alloc_take(&p->alloc, s->cells, sizeof *s->work);
    s->columns = alloc_take(&p->alloc, columns, sizeof *s->columns);
    s->model = model_new(&p->alloc, d);
    return s->table && s->work && s->columns && s->model ? CUSTOS_OK
                                                         : no_memory(err);
}

static void
give_all(struct planning *s)
{
    const struct planner *p = &s->plan;
    size_t columns = 0;

    for (size_t c = 0; c < p->domain.n; c++)
        columns += p->domain.size[c];
    alloc_give(&p->alloc, s->table, s->cells, sizeof *s->table);
    alloc_give(&p->alloc, s->work, s->cells, sizeof *s->work);
    alloc_give(&p->alloc, s->columns, columns, sizeof *s->columns);
}

static custos_status
measure_parts(struct planning *s, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; !st && i < s->plan.n_parts; i++) {
        struct planned *part = &s->plan.parts[i];

        part->values =
            alloc_take(&s->plan.alloc, part->cells, sizeof *part->values);
        st = part->values ? ask_residual(&s->ask, part->set, part->rho,
                                         part->values, err)
                          : no_memory(err);
    }
    return st;
}

custos_status
planner_run(const custos_alloc *alloc, const struct planner_options *o,
            const struct trusted *t, struct synthesis *out, custos_err *err)
{
    struct planning s = {.o = o,
                         .ask = {.alloc = alloc_or_default(alloc),
                                 .trusted = t,
                                 .l2_squared = o->l2_squared,
                                 .left = o->rho}};
    custos_status st = planner_make(alloc, o, &s.plan, err);

    *out = (struct synthesis){.alloc = s.ask.alloc, .left = o->rho};
    if (st)
        return st;
    st = take_all(&s, err);
    if (!st)
        st = measure_parts(&s, err);
    if (!st)
        st = make_model(&s, err);
    give_all(&s);
    out->rounds = s.plan.n_parts;
    planner_free(&s.plan);
    out->model = s.model;
    out->left = s.ask.left;
    if (st)
        synthesis_free(out);
    return st;
}
