/*
 * Residuals of tables, and tables from residuals.
 *
 * No sum overflows: a table has at most 7 keys and 2^20 cells, counts are
 * clamped to 2^44 and noisy residuals to 2^72. Along one key, n x - sum grows by
 * a factor of 2n, so Q x is below 2^(7 + 20 + 44) and Q y below 2^99; scaled by
 * 2^16 and divided by n_A it is below 2^95, the sum over 2^7 subsets below 2^102,
 * and a sum of 2^20 such cells below 2^122. Noisy tables are clamped to 2^50: a
 * sum of n_B/n_A of their cells times Q_A is below 2^(7 + 20 + 50), with a weight
 * and the sum over at most 2^8 tables below 2^100, and divided by the sum of
 * weights it is below 2^93 in steps of 2^-16.
 */
#include "mech/marginals.h"

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "mech/i128.h"
#include "mech/sealed.h"

enum { COUNT_LOG2 = 44, NOISY_LOG2 = 72, TABLE_LOG2 = 50, FRACTION = 16 };

size_t
marginals_cells(const struct marginals *m, uint32_t set)
{
    uint64_t n = 1;

    for (size_t k = 0; k < m->n_keys; k++)
        if (set >> k & 1 && !ck_mul_u64(n, m->size[k], &n))
            return SIZE_MAX;
    return (size_t)n;
}

size_t
marginals_set_of(const struct marginals *m, size_t cell)
{
    size_t low = 0, high = m->n_sets;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (m->first[middle] <= cell)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Cells from one value of a key to the next, in the table of a set. */
static size_t
stride_of(const struct marginals *m, uint32_t set, size_t key)
{
    return marginals_cells(m, set & ~(((uint32_t)2 << key) - 1));
}

size_t
marginals_value(const struct marginals *m, size_t set, size_t cell, size_t key)
{
    return (cell - m->first[set]) / stride_of(m, m->sets[set], key) %
           m->size[key];
}

void
residual_sensitivity(const struct marginals *m, uint32_t set, bool change,
                     uint64_t *l1, uint64_t *l2_squared)
{
    uint64_t smallest = UINT64_MAX;

    *l1 = *l2_squared = 1;
    for (size_t k = 0; k < m->n_keys; k++)
        if (set >> k & 1) {
            uint64_t n = m->size[k];

            CUSTOS_REQUIRE(n >= 2);
            *l1 *= 2 * (n - 1);
            *l2_squared *= n * (n - 1);
            smallest = n < smallest ? n : smallest;
        }
    if (!change || set == 0)
        return;
    *l1 *= 2;
    *l2_squared = *l2_squared / (smallest - 1) * smallest * 2;
}

/* ------------------------------------------------------------ along a key -- */

/* The cells of a table as sequences along one key. */
struct lines {
    size_t n, stride, count; /* of a sequence; between cells; of sequences */
};

static struct lines
lines_along(const struct marginals *m, uint32_t set, size_t key)
{
    return (struct lines){m->size[key], stride_of(m, set, key),
                          marginals_cells(m, set) / m->size[key]};
}

static i128 *
line_first(const struct lines *l, size_t i, i128 *cells)
{
    return cells + i / l->stride * l->stride * l->n + i % l->stride;
}

static void
multiply_along(const struct lines *l, i128 *cells)
{
    for (size_t i = 0; i < l->count; i++) {
        i128 *x = line_first(l, i, cells), sum = 0;

        for (size_t t = 0; t < l->n; t++)
            sum += x[t * l->stride];
        for (size_t t = 0; t < l->n; t++)
            x[t * l->stride] = (i128)l->n * x[t * l->stride] - sum;
    }
}

static void
add_along(const struct lines *l, i128 *cells)
{
    for (size_t i = 0; i < l->count; i++) {
        i128 *x = line_first(l, i, cells);

        for (size_t t = 1; t < l->n; t++)
            x[t * l->stride] += x[(t - 1) * l->stride];
    }
}

static void
subtract_along(const struct lines *l, i128 *cells)
{
    for (size_t i = 0; i < l->count; i++) {
        i128 *x = line_first(l, i, cells);

        for (size_t t = l->n; t-- > 1;)
            x[t * l->stride] -= x[(t - 1) * l->stride];
    }
}

/* Applies one of these along every key of the set. */
static void
along_all(const struct marginals *m, uint32_t set,
          void (*along)(const struct lines *l, i128 *cells), i128 *cells)
{
    for (size_t k = 0; k < m->n_keys; k++)
        if (set >> k & 1) {
            struct lines l = lines_along(m, set, k);

            along(&l, cells);
        }
}

void
residual_multiply(const struct marginals *m, uint32_t set, i128 *x)
{
    along_all(m, set, multiply_along, x);
}

/* ---------------------------------------------------------------- release -- */

static void
clamp_all(i128 *x, size_t n, int most_log2)
{
    const i128 most = (i128)1 << most_log2;

    for (size_t i = 0; i < n; i++)
        x[i] = clamp_i128(x[i], -most, most);
}

custos_status
residual_release(const struct marginals *m, uint32_t set,
                 const custos_mech *mech, custos_rng *rng,
                 custos_sealed *sealed, i128 *out, custos_err *err)
{
    const size_t cells = marginals_cells(m, set);
    custos_sealed *moved = NULL;
    custos_status st;
    i128 *values;

    st = sealed_open(sealed, SEALED_WIDE, cells, &values, err);
    if (!st) {
        clamp_all(values, cells, COUNT_LOG2);
        residual_multiply(m, set, values);
        st = seal_i128(NULL, values, cells, &moved, err);
        sealed_wipe(sealed);
    }
    if (!st)
        st = release_i128(mech, rng, moved, out, cells, err);
    custos_sealed_free(moved);
    return st;
}

/* ---------------------------------------------------------------- rebuild -- */

/* A walk over the cells of a table, and the cell of a smaller one above each. */
struct walk {
    size_t n;                    /* keys of the table */
    size_t size[MARGINALS_KEYS]; /* by key, the last varying fastest */
    size_t step[MARGINALS_KEYS]; /* in the smaller table; 0: not its key */
    size_t at[MARGINALS_KEYS],
        cell; /* the values now; the smaller one's cell */
};

static void
walk_start(const struct marginals *m, uint32_t set, uint32_t part,
           struct walk *w)
{
    *w = (struct walk){.n = 0};
    for (size_t k = 0; k < m->n_keys; k++)
        if (set >> k & 1) {
            CUSTOS_REQUIRE(w->n < MARGINALS_KEYS);
            w->size[w->n] = m->size[k];
            w->step[w->n++] = part >> k & 1 ? stride_of(m, part, k) : 0;
        }
}

static void
walk_on(struct walk *w)
{
    for (size_t i = w->n; i-- > 0;) {
        w->cell += w->step[i];
        if (++w->at[i] < w->size[i])
            return;
        w->cell -= w->size[i] * w->step[i];
        w->at[i] = 0;
    }
}

/* Adds the smaller table to every cell of the table it is below of. */
static void
spread(const struct marginals *m, uint32_t part, const i128 *from, uint32_t set,
       i128 *to)
{
    const size_t n = marginals_cells(m, set);
    struct walk w;

    walk_start(m, set, part, &w);
    for (size_t i = 0; i < n; i++, walk_on(&w))
        to[i] += from[w.cell];
}

/* Adds every cell of the table to that of the smaller one. */
static void
gather(const struct marginals *m, uint32_t set, const i128 *from, uint32_t part,
       i128 *to)
{
    const size_t n = marginals_cells(m, set);
    struct walk w;

    walk_start(m, set, part, &w);
    for (size_t i = 0; i < n; i++, walk_on(&w))
        to[w.cell] += from[i];
}

/* Where at the last value of `key`, a sum up to a cell is that of the table
   without the key: those cells are copied. */
static void
copy_last(const struct marginals *m, uint32_t set, size_t key, const i128 *from,
          i128 *to)
{
    const uint32_t rest = set & ~((uint32_t)1 << key);
    const size_t n = marginals_cells(m, set);
    size_t stride = stride_of(m, set, key);
    struct walk w;

    walk_start(m, set, rest, &w);
    for (size_t i = 0; i < n; i++, walk_on(&w))
        if (i / stride % m->size[key] == m->size[key] - 1)
            to[i] = from[w.cell];
}

static i128
divide_round(i128 x, i128 by)
{
    i128 up = x + by / 2, q = up / by;

    return q - (up % by < 0);
}

/* P_A y in steps of 2^-16; y is a noisy residual. */
static void
project(const struct marginals *m, uint32_t set, const i128 *y, i128 *out)
{
    const size_t n = marginals_cells(m, set);

    for (size_t i = 0; i < n; i++)
        out[i] = y[i];
    clamp_all(out, n, NOISY_LOG2);
    residual_multiply(m, set, out);
    for (size_t i = 0; i < n; i++)
        out[i] = divide_round(out[i] * ((i128)1 << FRACTION), (i128)n);
}

/* The same from noisy tables, by their weights; `work` has room for one. */
static void
project_mean(const struct marginals *m, uint32_t set, i128 *const *values,
             i128 *work, i128 *out)
{
    const size_t n = marginals_cells(m, set);
    i128 all = 0;

    for (size_t i = 0; i < m->n_noisy; i++) {
        const size_t cells = marginals_cells(m, m->noisy[i]);

        if (set & ~m->noisy[i])
            continue;
        for (size_t c = 0; c < cells; c++)
            work[c] = values[i][c];
        clamp_all(work, cells, TABLE_LOG2);
        for (size_t c = 0; c < cells; c++)
            work[c] *= m->trust[i];
        gather(m, m->noisy[i], work, set, out);
        all += m->trust[i];
    }
    residual_multiply(m, set, out);
    for (size_t c = 0; c < n; c++)
        out[c] = divide_round(out[c] * ((i128)1 << FRACTION), all);
}

/* The sums up to each cell of face number f, as whole numbers: from the
   projections of its subsets and the sums of its faces, which were made before. */
static void
make_sums(const struct marginals *m, size_t f, i128 *const *projected,
          i128 *const *sums)
{
    const uint32_t set = m->faces[f];
    const size_t n = marginals_cells(m, set);
    i128 *x = sums[f];

    for (size_t g = 0; g <= f; g++)
        if ((m->faces[g] & ~set) == 0)
            spread(m, m->faces[g], projected[g], set, x);
    along_all(m, set, add_along, x);
    for (size_t i = 0; i < n; i++)
        x[i] = divide_round(x[i], (i128)n << FRACTION);
    for (size_t g = 0; g < f; g++)
        for (size_t k = 0; k < m->n_keys; k++)
            if (set >> k & 1 && m->faces[g] == (set & ~((uint32_t)1 << k)))
                copy_last(m, set, k, sums[g], x);
}

/* Room for the cells of a list of tables, all 0. */
struct tables {
    i128 **of;
    size_t n, cells; /* how many tables, and cells of all */
};

static void
tables_free(const custos_alloc *a, struct tables *t)
{
    if (t->of)
        alloc_give(a, t->of[0], t->cells, sizeof(i128));
    alloc_give(a, t->of, t->n + 1, sizeof(i128 *));
}

static bool
tables_take(const custos_alloc *a, const struct marginals *m,
            const uint32_t *sets, size_t n, struct tables *out)
{
    size_t cells = 1;

    *out = (struct tables){.n = n};
    for (size_t i = 0; i < n; i++)
        cells += marginals_cells(m, sets[i]);
    out->of = alloc_take(a, n + 1, sizeof(i128 *));
    if (!out->of)
        return false;
    out->cells = cells;
    out->of[0] = alloc_take(a, cells, sizeof(i128));
    if (!out->of[0]) {
        alloc_give(a, out->of, n + 1, sizeof(i128 *));
        out->of = NULL;
        return false;
    }
    for (size_t i = 0; i < n; i++)
        out->of[i + 1] = out->of[i] + marginals_cells(m, sets[i]);
    return true;
}

static size_t
number_in(const uint32_t *sets, size_t n, uint32_t set)
{
    size_t i = 0;

    while (i < n && sets[i] != set)
        i++;
    CUSTOS_REQUIRE(i < n);
    return i;
}

/* The projections of all faces; those of faces whose residual is 0 stay so. */
static void
project_all(const struct marginals *m, i128 *const *values, i128 *work,
            i128 *const *out)
{
    for (size_t f = 0, i = 0; f < m->n_faces; f++) {
        if (m->kind == MARGINALS_TABLES)
            project_mean(m, m->faces[f], values, work, out[f]);
        else if (i < m->n_noisy && m->noisy[i] == m->faces[f])
            project(m, m->faces[f], values[i++], out[f]);
    }
}

static size_t
largest_table(const struct marginals *m)
{
    size_t most = 1;

    for (size_t i = 0; i < m->n_noisy; i++) {
        size_t cells = marginals_cells(m, m->noisy[i]);

        most = cells > most ? cells : most;
    }
    return most;
}

custos_status
marginals_rebuild(const struct marginals *m, i128 *const *values, i128 *out,
                  custos_err *err)
{
    const custos_alloc alloc = alloc_or_default(NULL);
    const size_t room = largest_table(m);
    struct tables projected = {.n = 0}, sums = {.n = 0};
    i128 *work = alloc_take(&alloc, room, sizeof *work);
    custos_status st = CUSTOS_OK;

    if (!work || !tables_take(&alloc, m, m->faces, m->n_faces, &projected) ||
        !tables_take(&alloc, m, m->faces, m->n_faces, &sums)) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    project_all(m, values, work, projected.of);
    for (size_t f = 0; f < m->n_faces; f++)
        make_sums(m, f, projected.of, sums.of);
    for (size_t s = 0; s < m->n_sets; s++) {
        const i128 *from = sums.of[number_in(m->faces, m->n_faces, m->sets[s])];
        const size_t n = marginals_cells(m, m->sets[s]);

        for (size_t i = 0; i < n; i++)
            out[m->first[s] + i] = from[i];
        along_all(m, m->sets[s], subtract_along, out + m->first[s]);
    }
out:
    alloc_give(&alloc, work, room, sizeof *work);
    tables_free(&alloc, &projected);
    tables_free(&alloc, &sums);
    return st;
}
