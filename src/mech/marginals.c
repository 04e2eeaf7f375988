/*
 * Residuals of tables, and tables from residuals.
 *
 * No sum overflows. Let a table have at most k keys of several values and 2^L cells,
 * and its exact cells be clamped to 2^T. Along one key, n x - sum grows by a factor of
 * 2n, so Q x is below 2^(k + L + T). Noisy residuals are clamped to 2^K, with K above
 * L + T, since an exact one is at most n_A |x|_1, and above all noise; so Q y is below
 * 2^(k + L + K), scaled by 2^8 and divided by n_A below 2^(k + K + 8), the sum over
 * 2^k subsets below 2^(2k + K + 8), and a sum of 2^L such cells below
 * 2^(2k + L + K + 8). Noisy tables are clamped to 2^(T + 6): times their weights,
 * added up over the other keys and over all tables, and times Q, they are below
 * 2^(k + L + T + 6 + 23), scaled by 2^8 below 2^(k + L + T + 37); divided by the sum
 * of weights and added up as above, below 2^(2k + 2L + T + 14). marginals_fit() keeps
 * all of this below 2^126.
 */
#include "mech/marginals.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "mech/i128.h"
#include "mech/sealed.h"

/* FRACTION: bits after the point of what is rounded in the end. TRUST_LOG2: of the
   sum of weights of all noisy tables. */
enum {
    FRACTION = 8,
    SLACK_LOG2 = 6,
    NOISE_LOG2 = 66,
    TRUST_LOG2 = 15 + 8,
    WIDEST_LOG2 = 126
};

static size_t
larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

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

static int
compare_sets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

size_t
marginals_face(const struct marginals *m, uint32_t set)
{
    const uint32_t *at =
        bsearch(&set, m->faces, m->n_faces, sizeof set, compare_sets);

    CUSTOS_REQUIRE(at);
    return (size_t)(at - m->faces);
}

/* The logarithms, rounded up, of the most cells of a table ... */
static int
cells_log2(const struct marginals *m)
{
    size_t cells = 1;
    int log2 = 0;

    for (size_t f = 0; f < m->n_faces; f++)
        cells = larger(cells, marginals_cells(m, m->faces[f]));
    for (size_t i = 0; i < m->n_noisy; i++)
        cells = larger(cells, marginals_cells(m, m->noisy[i]));
    while (log2 < 63 && (size_t)1 << log2 < cells)
        log2++;
    return log2;
}

/* ... and of the limit of noisy residuals: more than exact ones, or noise. */
static int
noisy_log2(const struct marginals *m)
{
    int exact = cells_log2(m) + m->log2 + 1;

    return exact > NOISE_LOG2 ? exact : NOISE_LOG2;
}

bool
marginals_fit(const struct marginals *m)
{
    const int cells = cells_log2(m), table = m->log2 + SLACK_LOG2;
    int keys = 0;

    for (size_t k = 0; k < m->n_keys; k++)
        keys += m->size[k] > 1;
    keys = keys < MARGINALS_KEYS ? keys : MARGINALS_KEYS;
    return 2 * keys + cells + noisy_log2(m) + FRACTION <= WIDEST_LOG2 &&
           2 * keys + 2 * cells + table + FRACTION <= WIDEST_LOG2 &&
           keys + cells + table + TRUST_LOG2 + FRACTION <= WIDEST_LOG2;
}

void
residual_sensitivity(const struct marginals *m, uint32_t set, bool change,
                     i128 low, i128 high, rat *l1, rat *l2_squared)
{
    const i128 span = high - low, far = high > -low ? high : -low;
    uint64_t smallest = UINT64_MAX, column = 1, squares = 1;
    rat x;

    CUSTOS_REQUIRE(low <= 0 && high >= 0);
    for (size_t k = 0; k < m->n_keys; k++)
        if (set >> k & 1) {
            uint64_t n = m->size[k];

            CUSTOS_REQUIRE(n >= 2);
            column *= 2 * (n - 1);
            squares *= n * (n - 1);
            smallest = n < smallest ? n : smallest;
        }
    rat_init(&x);
    rat_set_i128(l1, column);
    rat_set_i128(&x, !change ? far : set == 0 ? span : 2 * far);
    rat_mul(l1, l1, &x);
    rat_set_i128(&x, change && set == 0 ? span : far);
    rat_mul(l2_squared, &x, &x);
    if (change && set != 0) {
        rat_set_i128(&x, 2 * (i128)smallest);
        rat_mul(l2_squared, l2_squared, &x);
        rat_set_i128(&x, (i128)smallest - 1);
        rat_div(l2_squared, l2_squared, &x);
        rat_set_i128(&x, span);
        rat_mul(&x, &x, &x);
        if (rat_cmp(l2_squared, &x) < 0)
            rat_set(l2_squared, &x);
    }
    rat_set_i128(&x, squares);
    rat_mul(l2_squared, l2_squared, &x);
    rat_clear(&x);
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
        clamp_all(values, cells, m->log2);
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

/* P_A y in steps of 2^-8; y is a noisy residual. */
static void
project(const struct marginals *m, uint32_t set, const i128 *y, i128 *out)
{
    const size_t n = marginals_cells(m, set);

    for (size_t i = 0; i < n; i++)
        out[i] = y[i];
    clamp_all(out, n, noisy_log2(m));
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
        clamp_all(work, cells, m->log2 + SLACK_LOG2);
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
        const i128 *from = sums.of[marginals_face(m, m->sets[s])];
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
