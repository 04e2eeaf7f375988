/* Aggregates as functions of the counts of cells. */
#include "synopsis/aggregate.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "sql/aggregates.h"

enum {
    BISECTIONS = 50,
    QUANTILE_WORK_MAX =
        1 << 25,       /* pieces looked at for the bar of a quantile */
    SORT_STEPS = 4,    /* of each value that is sorted */
    PIECES_A_STEP = 2, /* pieces that are read in one step */
    DIGITS_MOST = 36,
};

/* What the rows of a piece add to a sum, for one row. */
struct of_piece {
    enum {
        PIECE_IS_VALUE, /* 1 if the value is not NULL */
        PIECE_SUM,      /* the value */
        PIECE_LESS,     /* the value minus `at` */
        PIECE_UP_TO,    /* whether the value is at most `at`, minus `rank` */
        PIECE_BELOW,    /* whether it is below `at`, minus `rank` */
    } kind;
    double at, rank;
};

static double
piece_adds(const struct of_piece *f, double v)
{
    if (isnan(v))
        return 0;
    switch (f->kind) {
    case PIECE_IS_VALUE: return 1;
    case PIECE_SUM: return v;
    case PIECE_LESS: return v - f->at;
    case PIECE_UP_TO: return (v <= f->at) - f->rank;
    case PIECE_BELOW: return (v < f->at) - f->rank;
    }
    return 0; /* UNREACHABLE: every kind has its case */
}

/* The terms of a group's sum, one for each cell; returns how many. Rows of the cell
   that are not the group's add 0. */
static size_t
terms_of(const struct reading *r, const struct group *g, size_t aggregate,
         const struct of_piece *f, struct summand *out)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n;) {
        const double cell = g->pieces[i * r->width + PIECE_CELL];
        struct summand t = {
            .cell = (size_t)cell, .low = INFINITY, .high = -INFINITY};
        double share = 0;

        for (; i < g->n && g->pieces[i * r->width + PIECE_CELL] == cell; i++) {
            const double *piece = &g->pieces[i * r->width];
            const double x = piece_adds(f, piece[PIECE_VALUES + aggregate]);

            share += piece[PIECE_SHARE];
            t.mean += piece[PIECE_SHARE] * x;
            t.low = fmin(t.low, x);
            t.high = fmax(t.high, x);
        }
        if (share < 1 - 1e-9) {
            t.low = fmin(t.low, 0);
            t.high = fmax(t.high, 0);
        }
        out[n++] = t;
    }
    return n;
}

struct asking {
    arena *a;
    struct effort *effort; /* once it has ended, values are of no use */
    const struct reading *r;
    const struct cell_counts *e;
    const struct group *g;
    size_t aggregate;
    double beta;
    struct summand *terms; /* room for all */
};

/* Takes the steps of reading all pieces, and `more`. */
static bool
take_steps(const struct asking *a, uint64_t more)
{
    return effort_take(a->effort, 1 + a->g->n / PIECES_A_STEP + more);
}

static struct interval
sum_of(const struct asking *a, const struct of_piece *f)
{
    const size_t n = terms_of(a->r, a->g, a->aggregate, f, a->terms);

    if (!take_steps(a, cell_counts_steps(a->e, a->terms, n)))
        return (struct interval){.x = NAN};
    return cell_counts_sum(a->e, a->terms, n, a->beta);
}

static struct interval
sum_of_table(const struct asking *a, size_t table, const struct of_piece *f)
{
    const size_t n = terms_of(a->r, a->g, a->aggregate, f, a->terms);

    if (!take_steps(a, cell_counts_steps_of_table(a->e, table, a->terms, n)))
        return (struct interval){.x = NAN};
    return cell_counts_sum_of_table(a->e, table, a->terms, n, a->beta);
}

/* The expected sum, without a bar. */
static double
expected(const struct asking *a, const struct of_piece *f)
{
    double x = 0;
    size_t n;

    if (!take_steps(a, 0))
        return NAN;
    n = terms_of(a->r, a->g, a->aggregate, f, a->terms);
    for (size_t i = 0; i < n; i++)
        x += a->terms[i].mean * a->e->expected[a->terms[i].cell];
    return x;
}

/* ----------------------------------------------------------------- means -- */

/* The least and the largest value; false if all are NULL. */
static bool
find_range(const struct asking *a, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < a->g->n; i++) {
        const double v =
            a->g->pieces[i * a->r->width + PIECE_VALUES + a->aggregate];

        *least = fmin(*least, v); /* which ignores NAN */
        *most = fmax(*most, v);
    }
    return *least <= *most;
}

/*
 * One end of the means r that a table allows: where the sum of (value - r) is
 * surely positive, r is too small, and where it is surely negative, too large. From
 * `in`, which is allowed, to `out`, the end of the range.
 */
static double
mean_end(const struct asking *a, size_t table, double in, double out)
{
    const bool up = out > in;

    for (int i = 0; i < BISECTIONS; i++) {
        const double r = i == 0 ? out : (in + out) / 2;
        const struct of_piece f = {.kind = PIECE_LESS, .at = r};
        const struct interval s = sum_of_table(a, table, &f);

        if (up ? s.high >= 0 : s.low <= 0)
            in = r;
        else
            out = r;
        if (i == 0 && in == out)
            return out;
    }
    return out;
}

static struct interval
mean_of(const struct asking *a)
{
    const struct of_piece is_value = {.kind = PIECE_IS_VALUE};
    const struct of_piece sum = {.kind = PIECE_SUM};
    const double rows = expected(a, &is_value);
    struct interval out = {.x = NAN};
    double least, most;

    if (!find_range(a, &least, &most) || !(rows > 0))
        return out;
    out.x = fmin(fmax(expected(a, &sum) / rows, least), most);
    for (size_t k = 0; k < cell_counts_bounds(a->e, a->beta); k++) {
        const struct of_piece f = {.kind = PIECE_LESS, .at = out.x};
        const struct interval at = sum_of_table(a, k, &f);
        double low = least, high = most;

        /* The mean to expect is not allowed: the ends lie on one side of it. */
        if (at.low <= 0)
            low = mean_end(a, k, out.x, least);
        if (at.high >= 0)
            high = mean_end(a, k, out.x, most);
        if (at.low > 0)
            low = out.x;
        if (at.high < 0)
            high = out.x;
        interval_narrow(&out, low, high);
    }
    if (out.has_bar)
        out.x = fmin(fmax(out.x, out.low), out.high);
    return out;
}

/* ------------------------------------------------------------- quantiles -- */

static int
double_cmp(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The different values of the group, ascending; NULL without memory. */
static double *
values_sorted(const struct asking *a, size_t *n)
{
    double *values = arena_take(a->a, a->g->n + 1, sizeof *values);
    size_t all = 0;

    *n = 0;
    if (!values || !take_steps(a, SORT_STEPS * a->g->n))
        return NULL;
    for (size_t i = 0; i < a->g->n; i++) {
        const double v =
            a->g->pieces[i * a->r->width + PIECE_VALUES + a->aggregate];

        if (!isnan(v))
            values[all++] = v;
    }
    qsort(values, all, sizeof *values, double_cmp);
    for (size_t i = 0; i < all; i++)
        if (*n == 0 || values[i] != values[*n - 1])
            values[(*n)++] = values[i];
    return values;
}

/* The first value up to which there are at least `rank` of the rows to expect; of
   the extreme ranks, more than half a row on the way there. */
static double
quantile_expected(const struct asking *a, const double *values, size_t n,
                  double rank)
{
    const struct of_piece is_value = {.kind = PIECE_IS_VALUE};
    const double rows = expected(a, &is_value);
    const double want = fmin(fmax(rank * rows, 0.5), rows - 0.5);
    size_t low = 0, high = n - 1;

    while (low < high) {
        const size_t mid = (low + high) / 2;
        const struct of_piece f = {.kind = PIECE_UP_TO, .at = values[mid]};

        if (expected(a, &f) >= want)
            high = mid;
        else
            low = mid + 1;
    }
    return values[low];
}

static bool
quantile_of(const struct asking *a, double rank, bool with_bar,
            struct interval *out)
{
    struct of_piece f = {.rank = rank};
    double *values, low = NAN, high = NAN;
    size_t n;

    *out = (struct interval){.x = NAN};
    values = values_sorted(a, &n);
    if (!values)
        return false;
    if (n == 0)
        return true;
    out->x = quantile_expected(a, values, n, rank);
    if (!with_bar || cell_counts_bounds(a->e, a->beta) == 0 ||
        n > QUANTILE_WORK_MAX / (a->g->n * a->e->n + 1))
        return true;
    for (size_t i = 0; i < n && isnan(low); i++) {
        f.kind = PIECE_UP_TO;
        f.at = values[i];
        if (sum_of(a, &f).high >= 0)
            low = values[i];
    }
    for (size_t i = n; i-- > 0 && isnan(high);) {
        f.kind = PIECE_BELOW;
        f.at = values[i];
        if (sum_of(a, &f).low <= 0)
            high = values[i];
    }
    if (isnan(low) || isnan(high) || low > high)
        return true;
    interval_narrow(out, low, high);
    out->x = fmin(fmax(out->x, low), high);
    return true;
}

static double
rank_of(const struct expr *e)
{
    const struct aggregate_row *row = &aggregates[e->aggregate];

    return datum_double(row->ranked ? &e->args[1]->value : &row->rank);
}

/* ------------------------------------------------------------- variances -- */

/* NAN if too few rows are expected. Without a model, expected counts may be negative,
   but no variance is. */
static double
variance_of(const struct asking *a, const struct aggregate_row *row)
{
    const struct of_piece is_value = {.kind = PIECE_IS_VALUE};
    const struct of_piece sum = {.kind = PIECE_SUM};
    const double rows = expected(a, &is_value);
    const double mean = expected(a, &sum) / rows;
    const double divisor = row->sample ? rows - 1 : rows;
    double squares = 0, variance;

    if (!take_steps(a, 0) || !(divisor > 0))
        return NAN;

    for (size_t i = 0; i < a->g->n; i++) {
        const double *piece = &a->g->pieces[i * a->r->width];
        const double v = piece[PIECE_VALUES + a->aggregate] - mean;

        if (!isnan(v))
            squares += v * v * piece[PIECE_SHARE] *
                       a->e->expected[(size_t)piece[PIECE_CELL]];
    }
    variance = fmax(0, squares) / divisor;
    return row->root ? sqrt(variance) : variance;
}

/* ---------------------------------------------------------------- values -- */

/* A number in the type of the aggregate. */
static struct datum
datum_of(const struct expr *e, double x)
{
    struct datum d = {.type = TYPE_NULL};

    if (isnan(x))
        return d;
    if (e->type == TYPE_DATE || e->type == TYPE_TIMESTAMP ||
        e->type == TYPE_INT) {
        if (fabs(x) < 0x1p62)
            d = (struct datum){.type = e->type, .n = (i128)llround(x)};
        return d;
    }
    d = datum_of_double(x);
    if (e->type == TYPE_DECIMAL && d.type != TYPE_NULL && e->n_args > 0 &&
        e->args[0]->kind == EXPR_COLUMN &&
        datum_round(&d, DIGITS_MOST, e->args[0]->cast_scale))
        d.type = TYPE_DECIMAL;
    return d;
}

bool
aggregate_of(const struct question *q, const struct cell_counts *e,
             size_t group, size_t i, double beta, arena *scratch,
             struct value *out)
{
    const struct expr *of = q->aggregates[i];
    const struct reading *r = &q->readings[q->reading[i]];
    const struct group *g = &r->groups[group];
    struct asking a = {.a = scratch,
                       .effort = q->effort,
                       .r = r,
                       .e = &e[q->reading[i]],
                       .g = g,
                       .aggregate = q->place[i],
                       .beta = beta,
                       .terms = arena_take(scratch, g->n + 1, sizeof *a.terms)};
    struct of_piece f = {.kind = PIECE_IS_VALUE};
    struct interval s = {.x = NAN};
    bool good = a.terms != NULL;

    if (!good)
        return false;
    switch (aggregates[of->aggregate].family) {
    case FAMILY_COUNT:
        s = sum_of(&a, &f);
        s.low = fmax(0, ceil(s.low));
        s.high = fmax(s.low, floor(s.high));
        s.x = s.has_bar ? fmin(fmax(round(s.x), s.low), s.high) : round(s.x);
        break;
    case FAMILY_SUM:
        f.kind = PIECE_SUM;
        s = sum_of(&a, &f);
        break;
    case FAMILY_MEAN: s = mean_of(&a); break;
    case FAMILY_QUANTILE:
        good = quantile_of(&a, rank_of(of),
                           of->aggregate != AGG_MIN && of->aggregate != AGG_MAX,
                           &s);
        break;
    default: s.x = variance_of(&a, &aggregates[of->aggregate]); break;
    }
    *out = (struct value){.datum = datum_of(of, s.x),
                          .certainty = s.has_bar ? BARRED : UNCERTAIN,
                          .low = s.low,
                          .high = s.high};
    return good && a.effort->state == EFFORT_GOES_ON;
}
