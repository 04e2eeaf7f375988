#include "synopsis/estimate.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "synth/candidates.h"
#include "synth/infer.h"
#include "synth/residual.h"

/* Tables on the way to one estimate; and the cells of the largest one that a
   model's marginal may need. */
#define ESTIMATE_BYTES ((size_t)1 << 32)
#define MARGINAL_CELLS ((size_t)1 << 24)

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ----------------------------------------------------------- cells, codes -- */

/* The cells of a set, one after the other, by their codes. */
struct cells {
    size_t n, total;
    size_t column[SYNTH_COLUMNS_MAX];
    uint32_t size[SYNTH_COLUMNS_MAX], code[SYNTH_COLUMNS_MAX];
};

static void
cells_init(struct cells *c, const struct domain *d, struct colset set)
{
    c->n = 0;
    c->total = domain_cells(d, set);
    COLSET_EACH(i, set)
    {
        c->column[c->n] = i;
        c->size[c->n] = d->size[i];
        c->code[c->n++] = 0;
    }
}

static void
cells_next(struct cells *c)
{
    for (size_t i = c->n; i-- > 0;) {
        if (++c->code[i] < c->size[i])
            return;
        c->code[i] = 0;
    }
}

/* By column of `from` and its code: how far the code moves the cell of `set` in the
   domain `to`. map: by column, the code of `to`; NULL: the same. */
struct moves {
    size_t *by[SYNTH_COLUMNS_MAX]; /* NULL: the column is not in the set */
};

static bool
moves_make(arena *a, const struct cells *from, const struct domain *to,
           struct colset set, uint16_t *const *map, struct moves *out)
{
    size_t step = 1;

    for (size_t i = from->n; i-- > 0;) {
        const size_t c = from->column[i];

        out->by[i] = NULL;
        if (!colset_has(set, c))
            continue;
        out->by[i] = arena_take(a, from->size[i], sizeof **out->by);
        if (!out->by[i])
            return false;
        for (uint32_t k = 0; k < from->size[i]; k++)
            out->by[i][k] = step * (map ? map[c][k] : k);
        step *= to->size[c];
    }
    return true;
}

static size_t
cell_at(const struct cells *c, const struct moves *m)
{
    size_t at = 0;

    for (size_t i = 0; i < c->n; i++)
        at += m->by[i] ? m->by[i][c->code[i]] : 0;
    return at;
}

/* ------------------------------------------------------------------- means -- */

/* A mean in the making, by cell: the sum of weights, and of weight * value. */
struct means {
    size_t n;
    double *weight, *weighted;
};

static bool
means_make(arena *a, size_t n, struct means *out)
{
    out->n = n;
    out->weight = arena_take(a, n, sizeof *out->weight);
    out->weighted = arena_take(a, n, sizeof *out->weighted);
    return out->weight && out->weighted;
}

static void
means_add(struct means *m, size_t at, double value, double variance)
{
    m->weight[at] += 1 / variance;
    m->weighted[at] += value / variance;
}

struct estimating {
    const struct synopsis *s;
    struct colset set;
    arena *means, *a;   /* a: of one table, or of the last step */
    struct means apart; /* by the codes of the schema, where they are apart */
    struct means now;   /* by those of the last coding */
};

/* The table's sums over all columns that are not in the set. */
static double *
collapse(const struct estimating *e, const struct released_table *t)
{
    const struct domain *d = &e->s->released->codings[t->coding].domain;
    struct cells from;
    struct moves m;
    double *y = arena_take(e->a, domain_cells(d, e->set), sizeof *y);

    cells_init(&from, d, t->set);
    if (!y || !moves_make(e->a, &from, d, e->set, NULL, &m))
        return NULL;
    for (size_t k = 0; k < from.total; k++, cells_next(&from))
        y[cell_at(&from, &m)] += (double)t->values[k];
    return y;
}

/* Is a code alone in its coding? By column of the set and code of the schema. */
static bool *
alone_make(const struct estimating *e, const struct released_coding *coding,
           size_t column)
{
    const uint32_t n = e->s->schema->domain.size[column];
    uint32_t *count = arena_take(e->a, n, sizeof *count);
    bool *alone = arena_take(e->a, n, sizeof *alone);

    if (!count || !alone)
        return NULL;
    for (uint32_t k = 0; k < n; k++)
        count[coding->map[column][k]]++;
    for (uint32_t k = 0; k < n; k++)
        alone[k] = count[coding->map[column][k]] == 1;
    return alone;
}

/* Adds what a table says about cells of the schema. */
static bool
add_apart(struct estimating *e, const struct released_coding *coding,
          const double *y, double variance)
{
    bool *alone[SYNTH_COLUMNS_MAX];
    struct cells c;
    struct moves m;

    cells_init(&c, &e->s->schema->domain, e->set);
    if (!moves_make(e->a, &c, &coding->domain, e->set, coding->map, &m))
        return false;
    for (size_t i = 0; i < c.n; i++) {
        alone[i] = alone_make(e, coding, c.column[i]);
        if (!alone[i])
            return false;
    }
    for (size_t k = 0; k < c.total; k++, cells_next(&c)) {
        bool all = true;

        for (size_t i = 0; i < c.n; i++)
            all = all && alone[i][c.code[i]];
        if (all)
            means_add(&e->apart, k, y[cell_at(&c, &m)], variance);
    }
    return true;
}

/* By column and code of this coding: that of the last one. */
static uint16_t **
to_now(const struct estimating *e, const struct released_coding *coding)
{
    const struct released_coding *now = released_now(e->s->released);
    const struct domain *d = &e->s->schema->domain;
    uint16_t **map = arena_take(e->a, d->n, sizeof *map);

    COLSET_EACH(c, e->set)
    {
        if (map)
            map[c] = arena_take(e->a, coding->domain.size[c], sizeof **map);
        if (!map || !map[c])
            return NULL;
        for (uint32_t k = 0; k < d->size[c]; k++)
            map[c][coding->map[c][k]] = now->map[c][k];
    }
    return map;
}

/* Adds what a table says about cells of the last coding. */
static bool
add_now(struct estimating *e, const struct released_coding *coding,
        const double *y, double variance)
{
    const struct released_coding *now = released_now(e->s->released);
    double *sum = arena_take(e->a, e->now.n, sizeof *sum);
    double *merged = arena_take(e->a, e->now.n, sizeof *merged);
    uint16_t **map = to_now(e, coding);
    struct cells c;
    struct moves m;

    cells_init(&c, &coding->domain, e->set);
    if (!sum || !merged || !map ||
        !moves_make(e->a, &c, &now->domain, e->set, map, &m))
        return false;
    for (size_t k = 0; k < c.total; k++, cells_next(&c)) {
        sum[cell_at(&c, &m)] += y[k];
        merged[cell_at(&c, &m)]++;
    }
    for (size_t k = 0; k < e->now.n; k++)
        means_add(&e->now, k, sum[k], variance * merged[k]);
    return true;
}

static bool
add_table(struct estimating *e, const struct released_table *t)
{
    const struct released_coding *coding = &e->s->released->codings[t->coding];
    const size_t cells = domain_cells(&coding->domain, e->set);
    const size_t summed = t->cells / cells;
    const double variance = t->variance * (double)summed;
    double *y = collapse(e, t);

    return y && add_apart(e, coding, y, variance) &&
           add_now(e, coding, y, variance);
}

/* --------------------------------------------------------------- residuals -- */

/* Adds the table that the residuals of all subsets make; nothing if one is
   missing. */
static bool
add_residuals(struct estimating *e)
{
    const struct released *r = e->s->released;
    const struct domain *d = &e->s->schema->domain;
    const size_t cells = domain_cells(d, e->set);
    double *estimate = arena_take(e->a, cells, sizeof *estimate);
    double *work = arena_take(e->a, cells, sizeof *work), variance = 0;
    size_t found = 0;

    if (!estimate || !work)
        return false;
    for (size_t i = 0; i < r->n_tables; i++) {
        const struct released_table *t = &r->tables[i];
        const struct residual part = {t->set, t->values, t->variance};

        if (t->kind != RELEASED_RESIDUAL || !colset_within(t->set, e->set))
            continue;
        CUSTOS_REQUIRE(t->coding == 0);
        residual_add(d, &part, e->set, work, estimate);
        variance += residual_variance(d, &part, e->set);
        found++;
    }
    for (size_t k = 0; k < cells && found == residual_parts(d, e->set); k++)
        means_add(&e->apart, k, estimate[k], variance);
    return true;
}

/* --------------------------------------------------------------- estimates -- */

/* By column of the set: the share of a schema's code in its merged code. */
static double
share_of(const struct synopsis *s, const struct cells *c)
{
    double share = 1;

    for (size_t i = 0; s->share && i < c->n; i++)
        share *= s->share[c->column[i]][c->code[i]];
    return share;
}

/* Gives each cell of the schema its share of the cell of the last coding. */
static custos_status
share_out(const struct synopsis *s, struct colset set, const double *now,
          arena *a, double *out, custos_err *err)
{
    const struct released_coding *coding = released_now(s->released);
    struct cells c;
    struct moves m;

    cells_init(&c, &s->schema->domain, set);
    if (!moves_make(a, &c, &coding->domain, set, coding->map, &m))
        return no_memory(err);
    for (size_t k = 0; k < c.total; k++, cells_next(&c))
        out[k] = now[cell_at(&c, &m)] * share_of(s, &c);
    return CUSTOS_OK;
}

static custos_status
model_estimate(const struct synopsis *s, const struct synthetic_rows *rows,
               struct colset set, arena *a, double *estimate, custos_err *err)
{
    const struct domain *d = &released_now(s->released)->domain;
    double *now = arena_take(a, domain_cells(d, set), sizeof *now);
    custos_err quiet = CUSTOS_ERR_INIT;
    custos_status st;

    if (!now)
        return no_memory(err);
    st = model_marginal(s->model, set, MARGINAL_CELLS, now, &quiet);
    if (st == CUSTOS_EOVERFLOW && rows && rows->n > 0) {
        rows_marginal(&s->schema->domain, rows->codes, rows->n, set,
                      s->model->total, estimate);
        return CUSTOS_OK;
    }
    if (st)
        return custos_fail(err, st, "%s", quiet.said);
    return share_out(s, set, now, a, estimate, err);
}

custos_status
estimate_consistent(const struct synopsis *s, struct colset set,
                    double *estimate, custos_err *err)
{
    arena *a = arena_new(NULL, ESTIMATE_BYTES);
    custos_status st =
        a ? model_estimate(s, NULL, set, a, estimate, err) : no_memory(err);

    arena_free(a);
    return st;
}

static bool
add_all(struct estimating *e)
{
    const struct released *r = e->s->released;
    bool all =
        means_make(e->means, domain_cells(&e->s->schema->domain, e->set),
                   &e->apart) &&
        means_make(e->means, domain_cells(&released_now(r)->domain, e->set),
                   &e->now);

    for (size_t i = 0; all && i < r->n_tables; i++)
        if (r->tables[i].kind == RELEASED_COUNTS &&
            colset_within(e->set, r->tables[i].set)) {
            all = add_table(e, &r->tables[i]);
            arena_reset(e->a);
        }
    return all && add_residuals(e);
}

/* Where codes are not apart: what was measured of them together, shared out; or else
   what the model says. */
static custos_status
fill_in(struct estimating *e, const struct synthetic_rows *rows,
        double *estimate, custos_err *err)
{
    bool measured = true;

    for (size_t k = 0; k < e->now.n; k++) {
        measured = measured && e->now.weight[k] > 0;
        e->now.weighted[k] /= e->now.weight[k];
    }
    if (measured)
        return share_out(e->s, e->set, e->now.weighted, e->a, estimate, err);
    if (e->s->model)
        return model_estimate(e->s, rows, e->set, e->a, estimate, err);
    for (size_t k = 0; k < e->apart.n; k++)
        estimate[k] = NAN;
    return CUSTOS_OK;
}

custos_status
estimate_measured(const struct synopsis *s, const struct synthetic_rows *rows,
                  struct colset set, double *estimate, double *error,
                  custos_err *err)
{
    struct estimating e = {.s = s,
                           .set = set,
                           .means = arena_new(NULL, ESTIMATE_BYTES),
                           .a = arena_new(NULL, ESTIMATE_BYTES)};
    custos_status st = CUSTOS_OK;
    bool all = true;

    if (!e.means || !e.a || !add_all(&e))
        st = no_memory(err);
    for (size_t k = 0; !st && k < e.apart.n; k++)
        all = all && e.apart.weight[k] > 0;
    if (!st && !all)
        st = fill_in(&e, rows, estimate, err);
    for (size_t k = 0; !st && k < e.apart.n; k++) {
        const double w = e.apart.weight[k];

        estimate[k] = w > 0 ? e.apart.weighted[k] / w : estimate[k];
        error[k] = w > 0 ? 1 / sqrt(w) : NAN;
    }
    arena_free(e.means);
    arena_free(e.a);
    return st;
}
