/* Sums of counts, from a model and from noisy tables. */
#include "synopsis/cell_counts.h"

#include <math.h>

#include "base/base.h"
#include "base/error.h"
#include "synopsis/fine.h"
#include "synth/bound.h"
#include "synth/candidates.h"
#include "synth/edges.h"
#include "synth/infer.h"
#include "synth/residual.h"

enum {
    CELLS_MAX = 1 << 22,
    QUANTILE_STEPS = 100, /* of normal_quantile */
    CELLS_A_STEP = 8,     /* cells of a table that are read in one step */
};

/* A noisy table, summed over columns that were not asked for. */
struct cell_counts_table {
    double *y;       /* by cell of its coding */
    double variance; /* of the noise of each y */
    /* 0: a noisy table; else it is the model's marginal, and this the most that its
       l1 distance to the exact one can be. */
    double l1;
    uint32_t *cell;   /* by cell of the schema: the one that counts it */
    uint32_t *merged; /* by cell of its coding: how many cells of the schema */
    /* By cell of its coding: of the sum that is asked for. */
    double *low, *high;
    uint32_t *terms;

    /* Made of residuals, whose noise is not independent from cell to cell. */
    struct colset set;
    double *factor; /* by subset (residual_factors); NULL: independent noise */
    double *sums;   /* by cell: room, all 0 */
    const struct released_range
        *range; /* made of these running sums, or NULL */
};

/* Calls for each cell of the schema's codes: its cell in other codes. */
static void
map_cells(const struct synopsis *s, size_t coding, struct colset set,
          uint32_t *cell)
{
    const struct released_coding *to = &s->released->codings[coding];
    const struct domain *d = &s->schema->domain;
    size_t n = 1;

    cell[0] = 0;
    COLSET_EACH(c, set)
    {
        const size_t codes = d->size[c];

        for (size_t i = n; i-- > 0;)
            for (size_t k = codes; k-- > 0;)
                cell[i * codes + k] = cell[i] * to->size[c] + to->map[c][k];
        n *= codes;
    }
}

/* Sums of the table over the columns that are not in set. */
static void
collapse(const struct synopsis *s, const struct released_table *t,
         struct colset set, double *out)
{
    const struct domain *d = &s->released->codings[t->coding].domain;
    size_t stride[SYNTH_COLUMNS_MAX] = {0}, next = 1;
    uint32_t code[SYNTH_COLUMNS_MAX] = {0};
    size_t columns[SYNTH_COLUMNS_MAX], n = 0, at = 0;

    COLSET_EACH(c, t->set)
    columns[n++] = c;
    for (size_t i = n; i-- > 0;)
        if (colset_has(set, columns[i])) {
            stride[i] = next;
            next *= d->size[columns[i]];
        }
    for (size_t k = 0; k < t->cells; k++) {
        out[at] += (double)t->values[k];
        for (size_t i = n; i-- > 0;) {
            at += stride[i];
            if (++code[i] < d->size[columns[i]])
                break;
            at -= stride[i] * code[i];
            code[i] = 0;
        }
    }
}

/* Room for a table of these codes, summed over the columns that are not in set. */
static bool
table_take(arena *a, const struct synopsis *s, size_t coding, struct colset set,
           size_t cells, struct cell_counts_table *out)
{
    const size_t own = domain_cells(&s->released->codings[coding].domain, set);

    out->y = arena_take(a, own, sizeof *out->y);
    out->low = arena_take(a, own, sizeof *out->low);
    out->high = arena_take(a, own, sizeof *out->high);
    out->terms = arena_take(a, own, sizeof *out->terms);
    out->merged = arena_take(a, own, sizeof *out->merged);
    out->cell = arena_take(a, cells, sizeof *out->cell);
    if (!out->y || !out->low || !out->high || !out->terms || !out->merged ||
        !out->cell)
        return false;
    map_cells(s, coding, set, out->cell);
    for (size_t i = 0; i < cells; i++)
        out->merged[out->cell[i]]++;
    return true;
}

/* Collects the noisy tables that have all columns. */
static custos_status
take_tables(arena *a, const struct synopsis *s, struct colset set,
            struct cell_counts *e, custos_err *err)
{
    const struct released *r = s->released;

    for (size_t i = 0; i < r->n_tables; i++) {
        const struct released_table *t = &r->tables[i];
        struct cell_counts_table *to = &e->tables[e->n];
        size_t summed; /* cells of t in each cell */

        if (t->kind != RELEASED_COUNTS || !colset_within(set, t->set))
            continue;
        if (!table_take(a, s, t->coding, set, e->cells, to))
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        collapse(s, t, set, to->y);
        summed = t->cells / domain_cells(&r->codings[t->coding].domain, set);
        to->variance = t->variance * (double)summed;
        e->n++;
    }
    return CUSTOS_OK;
}

/* The residuals of all subsets of the set, in the arena; *n = 0 if one is missing. */
static custos_status
find_residuals(arena *a, const struct synopsis *s, struct colset set,
               struct residual **out, size_t *n, custos_err *err)
{
    const struct released *r = s->released;
    const size_t wanted = residual_parts(&s->schema->domain, set);

    *n = 0;
    *out = arena_take(a, wanted + 1, sizeof **out);
    if (!*out)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < r->n_tables && *n <= wanted; i++) {
        const struct released_table *t = &r->tables[i];

        if (t->kind == RELEASED_RESIDUAL && colset_within(t->set, set))
            (*out)[(*n)++] = (struct residual){t->set, t->values, t->variance};
    }
    *n = *n == wanted ? wanted : 0;
    return CUSTOS_OK;
}

/* The table that residuals make, if they were measured. */
static custos_status
take_residuals(arena *a, const struct synopsis *s, struct colset set,
               struct cell_counts *e, custos_err *err)
{
    const struct domain *d = &s->schema->domain;
    struct cell_counts_table *to = &e->tables[e->n];
    struct residual *parts;
    double *work;
    size_t n;
    custos_status st = colset_count(set) <= WORKLOAD_ORDER
                           ? find_residuals(a, s, set, &parts, &n, err)
                           : CUSTOS_OK;

    if (st || colset_count(set) > WORKLOAD_ORDER || n == 0)
        return st;
    work = arena_take(a, e->cells, sizeof *work);
    to->sums = arena_take(a, e->cells, sizeof *to->sums);
    to->factor =
        arena_take(a, (size_t)1 << colset_count(set), sizeof *to->factor);
    if (!work || !to->sums || !to->factor ||
        !table_take(a, s, 0, set, e->cells, to))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    to->set = set;
    for (size_t i = 0; i < n; i++) {
        residual_add(d, &parts[i], set, work, to->y);
        to->variance += residual_variance(d, &parts[i], set);
    }
    residual_factors(d, parts, n, set, to->factor);
    e->n++;
    return CUSTOS_OK;
}

/* Where there is no such table: the model's marginal, if there is a bound on it. */
static custos_status
take_bound(arena *a, const struct synopsis *s, struct colset set,
           const double *marginal, struct cell_counts *e, custos_err *err)
{
    const size_t last = s->released->n_codings - 1;
    struct cell_counts_table *to = &e->tables[0];
    double l1;
    custos_status st = model_bound(s->model, s->released, set, 1, &l1, err);

    if (st || !isfinite(l1))
        return st;
    if (!table_take(a, s, last, set, e->cells, to))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    memcpy(to->y, marginal,
           domain_cells(&s->released->codings[last].domain, set) *
               sizeof *to->y);
    to->l1 = l1;
    e->n = 1;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------- expected -- */

/* The model's marginal, each count divided among the codes that were merged. */
static custos_status
expect_model(arena *a, const struct synopsis *s, struct colset set,
             struct cell_counts *e, custos_err *err)
{
    const struct released_coding *last = released_now(s->released);
    const size_t own = domain_cells(&last->domain, set);
    double *marginal = arena_take(a, own, sizeof *marginal);
    uint32_t *cell = arena_take(a, e->cells, sizeof *cell);
    size_t n = 1;
    custos_status st;

    if (!marginal || !cell)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = model_marginal(s->model, set, CELLS_MAX, marginal, err);
    if (st)
        return st == CUSTOS_EOVERFLOW
                   ? custos_fail(err, st,
                                 "the model needs too large a table for these "
                                 "columns together" HINT
                                 "ask about fewer columns at once")
                   : st;
    map_cells(s, s->released->n_codings - 1, set, cell);
    e->expected[0] = 1;
    COLSET_EACH(c, set)
    {
        const size_t codes = s->schema->domain.size[c];

        for (size_t i = n; i-- > 0;)
            for (size_t k = codes; k-- > 0;)
                e->expected[i * codes + k] =
                    e->expected[i] * (s->share ? s->share[c][k] : 1);
        n *= codes;
    }
    for (size_t i = 0; i < e->cells; i++)
        e->expected[i] *= marginal[cell[i]];
    return e->n > 0 ? CUSTOS_OK : take_bound(a, s, set, marginal, e, err);
}

/* The mean of the tables by the variances of a cell; merged codes are equally
   likely. */
static custos_status
expect_tables(struct cell_counts *e, custos_err *err)
{
    if (e->n == 0)
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "the synopsis has no table with all these columns "
                           "together, and no model" HINT
                           "custos synopsis info lists its tables");
    for (size_t i = 0; i < e->cells; i++) {
        double sum = 0, weights = 0;

        for (size_t t = 0; t < e->n; t++) {
            const struct cell_counts_table *of = &e->tables[t];
            const uint32_t at = of->cell[i], merged = of->merged[at];
            const double weight = (double)merged * merged / of->variance;

            sum += weight * of->y[at] / merged;
            weights += weight;
        }
        e->expected[i] = sum / weights;
    }
    return CUSTOS_OK;
}

/* A model of some of the tables that residuals make knows less of the others than
   these say themselves. */
static bool
model_knows(const struct synopsis *s, struct colset set,
            const struct cell_counts *e)
{
    return s->model && (e->n == 0 || !e->tables[e->n - 1].factor ||
                        model_measured(s->model, set));
}

custos_status
cell_counts_make(arena *a, const struct synopsis *s, struct colset set,
                 struct cell_counts *out, custos_err *err)
{
    struct cell_counts e = {.domain = &s->schema->domain,
                            .cells = domain_cells(&s->schema->domain, set)};
    custos_status st;

    if (e.cells > CELLS_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "these columns have more than %d cells together" HINT
                           "ask about fewer columns at once",
                           CELLS_MAX);
    e.expected = arena_take(a, e.cells, sizeof *e.expected);
    e.tables = arena_take(a, s->released->n_tables + 2, sizeof *e.tables);
    if (!e.expected || !e.tables)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = take_tables(a, s, set, &e, err);
    if (!st)
        st = take_residuals(a, s, set, &e, err);
    if (!st)
        st = model_knows(s, set, &e) ? expect_model(a, s, set, &e, err)
                                     : expect_tables(&e, err);
    if (!st)
        *out = e;
    return st;
}

custos_status
cell_counts_of_range(arena *a, const struct released_range *r,
                     struct cell_counts *out, custos_err *err)
{
    struct cell_counts_table *t = arena_take(a, 1, sizeof *t);
    struct cell_counts e = {.cells = r->cells, .tables = t, .n = 1};

    e.expected = arena_take(a, e.cells, sizeof *e.expected);
    if (!t || !e.expected)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    t->y = arena_take(a, e.cells, sizeof *t->y);
    t->low = arena_take(a, e.cells, sizeof *t->low);
    t->high = arena_take(a, e.cells, sizeof *t->high);
    t->terms = arena_take(a, e.cells, sizeof *t->terms);
    t->merged = arena_take(a, e.cells, sizeof *t->merged);
    t->cell = arena_take(a, e.cells, sizeof *t->cell);
    t->sums = arena_take(a, e.cells, sizeof *t->sums);
    if (!t->y || !t->low || !t->high || !t->terms || !t->merged || !t->cell ||
        !t->sums)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    sums_fit(r->sums, (uint32_t)e.cells, e.expected);
    for (size_t k = e.cells; k-- > 1;)
        e.expected[k] -= e.expected[k - 1];
    for (size_t k = 0; k < e.cells; k++) {
        t->y[k] = (double)r->sums[k] - (k > 0 ? (double)r->sums[k - 1] : 0);
        t->cell[k] = (uint32_t)k;
        t->merged[k] = 1;
    }
    t->range = r;
    *out = e;
    return CUSTOS_OK;
}

/* ----------------------------------------------------------------- steps -- */

uint64_t
cell_counts_make_steps(const struct synopsis *s, struct colset set)
{
    const struct released *r = s->released;
    const uint64_t own = domain_cells(&s->schema->domain, set);
    uint64_t cells = own + r->n_tables;

    if (own > CELLS_MAX)
        return 0; /* it is refused at once */
    for (size_t i = 0; i < r->n_tables; i++)
        if (colset_within(set, r->tables[i].set))
            cells += own + r->tables[i].cells;
    for (size_t i = 0; s->model && i < s->model->tree.n; i++)
        cells += s->model->tree.node[i].cells;
    return cells / CELLS_A_STEP;
}

/* How often neighbouring cells count differently: so many running sums have a part in
   the sum. */
static size_t
count_changes(const struct summand *terms, size_t n)
{
    size_t changes = n > 0 ? 2 : 0;

    for (size_t i = 1; i < n; i++)
        if (terms[i].cell != terms[i - 1].cell + 1 ||
            terms[i].low < terms[i - 1].low ||
            terms[i].low > terms[i - 1].low ||
            terms[i].high < terms[i - 1].high ||
            terms[i].high > terms[i - 1].high)
            changes += 2;
    return changes;
}

uint64_t
cell_counts_steps_of_table(const struct cell_counts *e, size_t k,
                           const struct summand *terms, size_t n)
{
    const struct cell_counts_table *t = &e->tables[k];
    uint64_t steps = QUANTILE_STEPS + n / 2;

    if (t->factor)
        steps += (uint64_t)n << colset_count(t->set);
    if (t->range)
        steps += (1 + count_changes(terms, n)) *
                 (t->range->cells / CELLS_A_STEP + 1);
    return steps;
}

uint64_t
cell_counts_steps(const struct cell_counts *e, const struct summand *terms,
                  size_t n)
{
    uint64_t steps = n / 2;

    for (size_t k = 0; k < e->n; k++)
        steps += cell_counts_steps_of_table(e, k, terms, n);
    return steps;
}

/* ----------------------------------------------------------------- bars -- */

/* The z that a normal variable exceeds, on both sides together, with probability
   p. */
static double
normal_quantile(double p)
{
    double low = 0, high = 40;

    for (int i = 0; i < 60; i++) {
        const double z = (low + high) / 2;

        if (erfc(z / sqrt(2)) > p)
            low = z;
        else
            high = z;
    }
    return high;
}

/* The share of beta of table k, counted from 1. */
static double
share_of_table(size_t k)
{
    return k == 1 ? 0.8 : 0.2 / ((double)k * (double)(k - 1));
}

/* Collects the terms by the table's cells. A cell where some merged codes have no
   term may add nothing. */
static void
add_terms(const struct cell_counts_table *t, const struct summand *terms,
          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = t->cell[terms[i].cell];

        if (t->terms[at]++ == 0) {
            t->low[at] = terms[i].low;
            t->high[at] = terms[i].high;
        } else {
            t->low[at] = fmin(t->low[at], terms[i].low);
            t->high[at] = fmax(t->high[at], terms[i].high);
        }
    }
}

/* The number in a table of a subset of t->set of the cell that the table has there. */
static size_t
cell_of_subset(const struct domain *d, struct colset set, size_t bits,
               size_t cell)
{
    size_t rest = domain_cells(d, set), at = 0;

    COLSET_EACH(c, set)
    {
        rest /= d->size[c];
        if (bits & 1)
            at = at * d->size[c] + cell / rest % d->size[c];
        bits >>= 1;
    }
    return at;
}

enum term_end { TERM_LOW, TERM_HIGH };

static double
term_at(const struct summand *t, enum term_end end)
{
    return end == TERM_LOW ? t->low : t->high;
}

/* The variance of the sum of one end of all terms, where the table is made of
   residuals. */
static double
residual_sum_variance(const struct domain *d, const struct cell_counts_table *t,
                      const struct summand *terms, size_t n, enum term_end end)
{
    double variance = 0;

    for (size_t bits = 0; bits >> colset_count(t->set) == 0; bits++) {
        double squares = 0;

        for (size_t i = 0; i < n; i++)
            t->sums[cell_of_subset(d, t->set, bits, terms[i].cell)] +=
                term_at(&terms[i], end);
        for (size_t i = 0; i < n; i++) {
            double *sum =
                &t->sums[cell_of_subset(d, t->set, bits, terms[i].cell)];

            squares += *sum * *sum;
            *sum = 0;
        }
        variance += t->factor[bits] * squares;
    }
    return fmax(0, variance);
}

/* What noise and rounding may do to one end of a sum, z deviations of it. */
static double
find_slack(const struct domain *d, const struct cell_counts_table *t,
           const struct summand *terms, size_t n, double z, enum term_end end)
{
    double variance, rounding;

    if (t->factor)
        return z * sqrt(residual_sum_variance(d, t, terms, n, end));
    for (size_t i = 0; i < n; i++)
        t->sums[terms[i].cell] = term_at(&terms[i], end);
    variance = fine_variance(t->range, t->sums, &rounding);
    for (size_t i = 0; i < n; i++)
        t->sums[terms[i].cell] = 0;
    return z * sqrt(variance) + rounding;
}

/* Leaves the table's terms empty. */
struct interval
cell_counts_sum_of_table(const struct cell_counts *e, size_t k,
                         const struct summand *terms, size_t n, double beta)
{
    const struct cell_counts_table *t = &e->tables[k];
    const double z = normal_quantile(beta * share_of_table(k + 1));
    double low = 0, high = 0; /* variances, in those of a cell */
    double most_low = 0, most_high = 0;
    struct interval out = {.has_bar = true};

    add_terms(t, terms, n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = t->cell[terms[i].cell];
        double least = t->low[at], most = t->high[at];

        if (t->terms[at] == 0)
            continue;
        if (t->terms[at] < t->merged[at]) {
            least = fmin(least, 0);
            most = fmax(most, 0);
        }
        t->terms[at] = 0;
        out.low += least * t->y[at];
        out.high += most * t->y[at];
        low += least * least;
        high += most * most;
        most_low = fmax(most_low, fabs(least));
        most_high = fmax(most_high, fabs(most));
    }
    low = z * sqrt(low * t->variance);
    high = z * sqrt(high * t->variance);
    if (t->factor || t->range) {
        low = find_slack(e->domain, t, terms, n, z, TERM_LOW);
        high = find_slack(e->domain, t, terms, n, z, TERM_HIGH);
    }
    out.low -= low + most_low * t->l1;
    out.high += high + most_high * t->l1;
    out.x = (out.low + out.high) / 2;
    return out;
}

size_t
cell_counts_bounds(const struct cell_counts *e, double beta)
{
    return e->n > 0 && e->tables[0].l1 > 0 && beta < RELEASED_BETA ? 0 : e->n;
}

void
interval_narrow(struct interval *to, double low, double high)
{
    if (!to->has_bar) {
        to->low = low;
        to->high = high;
        to->has_bar = true;
    } else if (fmax(to->low, low) <= fmin(to->high, high)) {
        to->low = fmax(to->low, low);
        to->high = fmin(to->high, high);
    }
}

struct interval
cell_counts_sum(const struct cell_counts *e, const struct summand *terms,
                size_t n, double beta)
{
    struct interval out = {.x = 0};

    for (size_t i = 0; i < n; i++)
        out.x += terms[i].mean * e->expected[terms[i].cell];
    for (size_t k = 0; k < cell_counts_bounds(e, beta); k++) {
        const struct interval of =
            cell_counts_sum_of_table(e, k, terms, n, beta);

        interval_narrow(&out, of.low, of.high);
    }
    if (out.has_bar)
        out.x = fmin(fmax(out.x, out.low), out.high);
    return out;
}
