#include "release/method.h"

#include <math.h>

#include "base/error.h"
#include "synth/aim.h"
#include "synth/mst.h"
#include "synth/planner.h"
#include "synth/price.h"

static const char *const NAMES[] = {
    [METHOD_AUTO] = "auto",
    [METHOD_AIM] = "aim",
    [METHOD_MST] = "mst",
    [METHOD_TABLES] = "tables",
};

bool
method_find(str name, enum release_method *out)
{
    *out = METHOD_AUTO;
    for (size_t i = 0; i < COUNT_OF(NAMES); i++)
        if (str_equal(name, str_of(NAMES[i]))) {
            *out = (enum release_method)i;
            return true;
        }
    return name.len == 0;
}

const char *
method_name(enum release_method m)
{
    return NAMES[m];
}

/* ---------------------------------------------------------------- checks -- */

static custos_status
fail_too_small(custos_err *err)
{
    return custos_fail(err, CUSTOS_ERANGE,
                       "this budget is too small for a measurement of each "
                       "column" HINT
                       "give a larger one, or fewer columns by --columns");
}

/* Can each step of a method have its price, the least and the most that there can
   be? */
static custos_status
check_prices(const struct method *m, amount measurement, amount selection,
             uint64_t weight, custos_err *err)
{
    if (measurement == 0 || selection == 0 ||
        measuring_check_noise(m->l2_squared, measurement, err) ||
        measuring_check_noise(m->l2_squared, m->rho, err) ||
        measuring_check_choice(m->l1, weight, selection, err) ||
        measuring_check_choice(m->l1, 1, m->rho, err))
        return fail_too_small(err);
    return CUSTOS_OK;
}

/* The largest weight of a candidate. */
static custos_status
find_weight(const struct method *m, uint64_t *out, custos_err *err)
{
    struct candidates c = {.of = NULL};
    custos_status st =
        candidates_make(NULL, m->domain, &m->workload,
                        METHOD_AIM_BYTES / sizeof(double), &c, err);

    *out = 1;
    for (size_t i = 0; !st && i < c.n; i++)
        *out = c.of[i].weight > *out ? c.of[i].weight : *out;
    candidates_free(&c);
    return st;
}

size_t
megabytes_up(size_t bytes)
{
    return (bytes >> 20) + (bytes % ((size_t)1 << 20) != 0);
}

/* A model limited to this takes no more than one table of all columns would. */
static size_t
model_bytes_most(const struct domain *d, size_t bytes)
{
    const size_t cells = domain_cells(d, domain_all(d));

    return cells < bytes / sizeof(double) ? cells * sizeof(double) : bytes;
}

/* Is there room for the columns and their structural zeros, which a model has from
   the beginning? */
static custos_status
check_beginning(const struct method *m, size_t bytes, custos_err *err)
{
    struct tree_graph graph;
    struct tree tree;

    tree_graph_init(m->domain, &graph);
    for (size_t i = 0; i < m->n_zeros; i++)
        tree_graph_join(&graph, m->zeros[i].set);
    tree_make(m->domain, &graph, &tree);
    if (tree_bytes(&tree) <= bytes)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "the columns and the constraints of the policy alone "
                       "need a model of %zu MB, and the limit is %zu MB",
                       megabytes_up(tree_bytes(&tree)), bytes >> 20);
}

/* Tables that are measured one at a time: a table is as accurate as its columns,
   unless it has several. */
static void
set_sigma(const struct method *m, struct method_facts *out, double column,
          double table)
{
    for (size_t i = 0; i < m->workload.n + m->domain->n; i++)
        out->sigma[i] =
            i < m->workload.n && colset_count(m->workload.sets[i]) > 1 ? table
                                                                       : column;
}

static custos_status
check_aim(const struct method *m, struct method_facts *out, custos_err *err)
{
    const size_t d = m->domain->n;
    const struct aim_prices prices = aim_prices(m->rho, d);
    uint64_t weight;
    custos_status st = find_weight(m, &weight, err);

    if (!st)
        st = check_prices(m, prices.measurement, prices.selection, weight, err);
    if (!st)
        st = check_beginning(m, METHOD_AIM_BYTES, err);
    if (st)
        return st;
    out->bytes_most = model_bytes_most(m->domain, METHOD_AIM_BYTES);
    out->rounds_most = 16 * d - d * 9 / 10;
    set_sigma(m, out, price_sigma(prices.measurement, m->l2_squared),
              price_sigma(prices.measurement, m->l2_squared));
    return CUSTOS_OK;
}

/* No tree of pairs needs more: each column but the first with the largest other. */
static size_t
mst_bytes(const struct domain *d)
{
    size_t largest = 0, cells = 0;

    for (size_t i = 1; i < d->n; i++)
        largest = d->size[i] > d->size[largest] ? i : largest;
    for (size_t i = 0; i < d->n; i++)
        if (i != largest || d->n == 1)
            cells +=
                (size_t)d->size[i] * (d->n == 1 ? 1 : (size_t)d->size[largest]);
    return cells * sizeof(double);
}

static custos_status
check_mst(const struct method *m, struct method_facts *out, custos_err *err)
{
    const size_t d = m->domain->n;
    const struct mst_prices prices = mst_prices(m->rho, d);
    custos_status st = CUSTOS_OK;

    if (d == 1 && measuring_check_noise(m->l2_squared, m->rho, err))
        st = fail_too_small(err);
    if (d > 1)
        st = check_prices(m, prices.column, prices.choice, 1, err);
    if (!st && d > 1)
        st = check_prices(m, prices.pair, prices.choice, 1, err);
    if (!st)
        st = check_beginning(m, METHOD_MST_BYTES, err);
    if (st)
        return st;
    out->bytes_most = m->n_zeros > 0
                          ? model_bytes_most(m->domain, METHOD_MST_BYTES)
                          : mst_bytes(m->domain);
    if (out->bytes_most > METHOD_MST_BYTES)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "a model of pairs could need %zu MB, and the limit "
                           "is %zu MB",
                           out->bytes_most >> 20, METHOD_MST_BYTES >> 20);
    out->rounds_most = d - 1;
    set_sigma(m, out, price_sigma(prices.column, m->l2_squared),
              price_sigma(d > 1 ? prices.pair : prices.column, m->l2_squared));
    return CUSTOS_OK;
}

static struct planner_options
planner_options_of(const struct method *m)
{
    return (struct planner_options){.domain = m->domain,
                                    .rho = m->rho,
                                    .l2_squared = m->l2_squared,
                                    .workload = m->workload,
                                    .zeros = m->zeros,
                                    .n_zeros = m->n_zeros,
                                    .bytes = METHOD_TABLES_BYTES};
}

static custos_status
check_parts(const struct method *m, const struct planner *p, custos_err *err)
{
    for (size_t i = 0; i < p->n_parts; i++)
        if (measuring_check_residual(m->domain, p->parts[i].set, m->l1,
                                     m->l2_squared, p->parts[i].rho, err))
            return custos_fail(err, CUSTOS_ERANGE,
                               "this budget is too small for so many "
                               "tables" HINT "give a larger one, or ask for "
                               "fewer tables by --workload");
    return CUSTOS_OK;
}

static custos_status
check_tables(const struct method *m, struct method_facts *out, custos_err *err)
{
    const struct planner_options o = planner_options_of(m);
    struct planner p = {.parts = NULL};
    custos_status st = planner_make(NULL, &o, &p, err);

    if (st)
        return st;
    st = check_parts(m, &p, err);
    if (!st)
        st = check_beginning(m, METHOD_TABLES_BYTES, err);
    for (size_t i = 0; !st && i < p.n_sets; i++)
        out->sigma[i] = sqrt(planner_variance(&p, p.sets[i]));
    out->bytes_most = model_bytes_most(m->domain, METHOD_TABLES_BYTES);
    out->rounds_most = p.n_parts;
    planner_free(&p);
    return st;
}

custos_status
method_check(struct method *m, arena *a, struct method_facts *out,
             custos_err *err)
{
    out->sigma =
        arena_take(a, m->workload.n + m->domain->n, sizeof *out->sigma);
    if (!out->sigma)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (m->is == METHOD_AUTO)
        m->is = m->domain->n <= METHOD_AIM_COLUMNS ? METHOD_AIM : METHOD_MST;
    return m->is == METHOD_AIM   ? check_aim(m, out, err)
           : m->is == METHOD_MST ? check_mst(m, out, err)
                                 : check_tables(m, out, err);
}

/* --------------------------------------------------------------- running -- */

static custos_status
run_aim(const struct method *m, const struct trusted *t, custos_rng *rng,
        struct synthesis *out, custos_err *err)
{
    struct aim_options o = AIM_OPTIONS_INIT;

    o.domain = m->domain;
    o.rho = m->rho;
    o.l2_squared = m->l2_squared;
    o.workload = m->workload;
    o.zeros = m->zeros;
    o.n_zeros = m->n_zeros;
    o.bytes = METHOD_AIM_BYTES;
    return aim_run(NULL, &o, t, rng, out, err);
}

custos_status
method_run(const struct method *m, const struct trusted *t, custos_rng *rng,
           struct synthesis *out, custos_err *err)
{
    const struct mst_options mst = {.domain = m->domain,
                                    .rho = m->rho,
                                    .l2_squared = m->l2_squared,
                                    .zeros = m->zeros,
                                    .n_zeros = m->n_zeros,
                                    .bytes = METHOD_MST_BYTES};
    const struct planner_options tables = planner_options_of(m);

    CUSTOS_REQUIRE(m->is != METHOD_AUTO);
    return m->is == METHOD_AIM   ? run_aim(m, t, rng, out, err)
           : m->is == METHOD_MST ? mst_run(NULL, &mst, t, out, err)
                                 : planner_run(NULL, &tables, t, out, err);
}
