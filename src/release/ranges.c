/*
 * Rows are read by fine codes. Once a column's running sums are released, its codes are
 * merged into runs, for good: what follows knows the runs alone.
 */
#include "release/ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "release/names.h"
#include "release/schema.h"
#include "synth/edges.h"

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ------------------------------------------------------------- preparing -- */

/* A copy of the schema whose columns and sizes, *sizes, can be changed. NULL: no
   memory. */
static struct schema *
schema_copy(arena *a, const struct schema *s, uint32_t **sizes)
{
    struct schema *to = arena_take(a, 1, sizeof *to);
    struct schema_column *columns = arena_take(a, s->n + 1, sizeof *columns);
    uint32_t *size = arena_take(a, s->domain.n + 1, sizeof *size);

    if (!to || !columns || !size)
        return NULL;
    *to = *s;
    memcpy(columns, s->columns, s->n * sizeof *columns);
    memcpy(size, s->domain.size, s->domain.n * sizeof *size);
    to->columns = columns;
    to->domain.size = *sizes = size;
    return to;
}

/* Gives a column of a copied schema other codes. */
static void
set_cuts(struct schema *s, uint32_t *sizes, size_t column, uint32_t n,
         i128 *cuts)
{
    struct schema_column *c = &s->columns[s->column[column]];

    c->n = n;
    c->cuts = cuts;
    sizes[column] = schema_codes(c);
}

static custos_status
find_column(const struct schema *s, str name, size_t *out, custos_err *err)
{
    for (size_t i = 0; i < s->domain.n; i++) {
        const struct schema_column *c = &s->columns[s->column[i]];

        if (!str_equal(c->name, name))
            continue;
        *out = i;
        if (c->coding == SCHEMA_CUTS)
            return CUSTOS_OK;
        return custos_fail(err, CUSTOS_EINVAL,
                           "column %.*s has declared values, and no range" HINT
                           "--ranges is for numbers, dates and timestamps "
                           "with a range in the policy",
                           (int)name.len, name.ptr);
    }
    return custos_fail(err, CUSTOS_ENAME,
                       "the release has no column '%.*s' with values" HINT
                       "--ranges names columns of the release",
                       (int)(name.len < 60 ? name.len : 60), name.ptr);
}

bool
ranges_have(const struct ranges *r, size_t column)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->column[i] == column)
            return true;
    return false;
}

/* Cuts a column finely where rows are read, and leaves the release room for all runs
   that there may be. */
static custos_status
add_column(arena *a, const struct policy_column *c, size_t column,
           struct schema *schema, uint32_t *fine_sizes, struct ranges *r,
           custos_err *err)
{
    struct schema_column fine = r->fine->columns[r->fine->column[column]];
    const i128 first = fine.cuts[0], last = fine.cuts[fine.n];
    uint32_t runs;
    i128 *cuts;
    custos_status st = schema_cut_finely(a, c, &fine, err);

    if (st)
        return st;
    set_cuts(r->fine, fine_sizes, column, fine.n, fine.cuts);
    runs = fine.n < EDGES_RUNS ? fine.n : EDGES_RUNS;
    cuts = arena_take(a, (size_t)runs + 1, sizeof *cuts);
    if (!cuts)
        return no_memory(err);
    for (uint32_t k = 0; k <= runs; k++)
        cuts[k] = first + (last - first) * k / runs;
    set_cuts(schema, r->sizes, column, runs, cuts);
    r->column[r->n++] = column;
    return CUSTOS_OK;
}

/* The largest deviation of the rows of a range: two sums of all draws each differ by
   less than both have together. */
static double
sigma_of(size_t cells, double variance)
{
    double c = 1, squares = 0;

    for (size_t k = 1; k <= cells; k++) {
        squares += c * c;
        c *= (2 * (double)k - 1) / (2 * (double)k);
    }
    return sqrt(2 * variance * squares);
}

static custos_status
check_prices(arena *a, uint64_t l1, uint64_t l2_squared, struct ranges *r,
             custos_err *err)
{
    r->sigma = arena_take(a, r->n, sizeof *r->sigma);
    if (!r->sigma)
        return no_memory(err);
    for (size_t i = 0; i < r->n; i++) {
        const size_t cells = r->fine->domain.size[r->column[i]];
        double variance;

        if (r->each == 0 || measuring_check_range(cells, l1, l2_squared,
                                                  r->each, &variance, err))
            return custos_fail(err, CUSTOS_ERANGE,
                               "this budget is too small for the ranges of "
                               "%zu column%s" HINT "give a larger one, or "
                               "name fewer columns by --ranges",
                               r->n, r->n == 1 ? "" : "s");
        r->sigma[i] = sigma_of(cells, variance);
    }
    return CUSTOS_OK;
}

static int
by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

custos_status
ranges_prepare(arena *a, const struct relation *from, const size_t *field,
               str names, uint64_t l1, uint64_t l2_squared,
               struct schema **schema, amount *rho, struct ranges *out,
               custos_err *err)
{
    uint32_t *fine_sizes;
    struct schema *own;
    custos_status st = CUSTOS_OK;

    *out = (struct ranges){.fine = *schema};
    if (names.len == 0)
        return CUSTOS_OK;
    out->fine = schema_copy(a, *schema, &fine_sizes);
    own = schema_copy(a, *schema, &out->sizes);
    out->column = arena_take(a, own ? own->domain.n : 1, sizeof *out->column);
    if (!out->fine || !own || !out->column)
        return no_memory(err);
    while (!st && names.len > 0) {
        size_t column = 0;
        str name;

        st = names_take(a, &names, '\0', &name, err);
        if (!st)
            st = find_column(own, name, &column, err);
        if (!st && !ranges_have(out, column))
            st = add_column(a, &from->as->columns[field[column]], column, own,
                            fine_sizes, out, err);
    }
    if (st)
        return st;
    qsort(out->column, out->n, sizeof *out->column, by_number);
    out->each = *rho / RANGES_SHARE / out->n;
    st = check_prices(a, l1, l2_squared, out, err);
    *rho -= out->each * out->n;
    *schema = own;
    return st;
}

/* ------------------------------------------------------------- measuring -- */

/* Cuts a column where its sums say. */
static custos_status
cut_column(arena *a, const struct ranges *r, size_t i, struct measuring *m,
           const struct released_range *range, struct schema *schema,
           custos_err *err)
{
    const size_t column = r->column[i];
    const bool nullable = schema->columns[schema->column[column]].nullable;
    uint16_t *map = arena_take(a, range->cells, sizeof *map);
    double *sums = arena_take(a, range->n, sizeof *sums);
    i128 *cuts = arena_take(a, (size_t)EDGES_RUNS + 1, sizeof *cuts);
    uint32_t runs;

    if (!map || !sums || !cuts)
        return no_memory(err);
    sums_fit(range->sums, range->n, sums);
    runs = edges_find(sums, range->n, r->sigma[i], map);
    CUSTOS_REQUIRE(runs <= EDGES_RUNS);
    for (uint32_t k = range->n; k-- > 0;)
        cuts[map[k]] = range->cuts[k];
    cuts[runs] = range->cuts[range->n];
    if (nullable)
        map[range->n] = (uint16_t)runs;
    coded_recode(m->coded, column, map, runs + nullable);
    set_cuts(schema, r->sizes, column, runs, cuts);
    return CUSTOS_OK;
}

custos_status
ranges_measure(arena *a, const struct ranges *r, struct measuring *m,
               struct schema *schema, struct released_range *out,
               custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; !st && i < r->n; i++) {
        const size_t column = r->column[i];
        const struct schema_column *fine =
            &r->fine->columns[r->fine->column[column]];

        out[i] = (struct released_range){.n = fine->n, .cuts = fine->cuts};
        st = measuring_range(m, a, column, schema_codes(fine), r->each, &out[i],
                             err);
        if (!st)
            st = cut_column(a, r, i, m, &out[i], schema, err);
    }
    if (!st && r->n > 0)
        coded_settle(m->coded);
    return st;
}
