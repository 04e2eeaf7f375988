/*
 * The strategies of running sums, and their release. C x is exact and is sealed
 * again, so that the noise is that of an ordinary additive mechanism; what
 * follows it is post-processing.
 */
#include "mech/running.h"

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "mech/i128.h"
#include "mech/sealed.h"

enum { WEIGHT_LOG2 = 32 };

/* The elements of block t, 1 .. n. */
static size_t
block_size(const struct running *r, size_t t)
{
    size_t size = 1;

    for (size_t j = 1; j < r->levels && t % (size * r->base) == 0; j++)
        size *= r->base;
    return size;
}

bool
running_tree(arena *a, size_t n, size_t stride, size_t base, size_t levels,
             struct running *out)
{
    CUSTOS_REQUIRE(n >= 1 && n <= RUNNING_MAX && base >= 2 && levels >= 1);
    *out = (struct running){.kind = RUNNING_TREE,
                            .n = n,
                            .stride = stride,
                            .base = base,
                            .levels = levels};
    out->weight = arena_take(a, n, sizeof *out->weight);
    for (size_t t = 1; out->weight && t <= n; t++) {
        size_t before = t - block_size(out, t);

        out->weight[t - 1] = ((uint64_t)1 << WEIGHT_LOG2) +
                             (before ? out->weight[before - 1] : 0);
    }
    return out->weight != NULL;
}

/* B = A C^-1 has first column b = C^-1 (1, 1, ...). Two units are added to each
   entry, which is more than the error of factor_solve. */
bool
running_root(arena *a, size_t n, size_t stride, struct running *out)
{
    const unsigned m = factor_bits(n);
    i128 *b = arena_take(a, n, sizeof *b);
    uint64_t sum = 0;

    CUSTOS_REQUIRE(n >= 1 && n <= RUNNING_MAX);
    *out = (struct running){.kind = RUNNING_ROOT, .n = n, .stride = stride};
    out->root = arena_take(a, n, sizeof *out->root);
    out->weight = arena_take(a, n, sizeof *out->weight);
    if (!b || !out->root || !out->weight)
        return false;
    factor_fill(out->root, n);
    for (size_t t = 0; t < n; t++) {
        b[t] = factor_solve(out->root, m, t, (i128)1 << m, b);
        sum += (uint64_t)((b[t] + 2) * (b[t] + 2));
        out->weight[t] = sum;
    }
    return true;
}

unsigned
running_bits(const struct running *r)
{
    return r->kind == RUNNING_ROOT ? factor_bits(r->n) : 0;
}

void
running_sensitivity(const struct running *r, uint64_t *l1, u128 *l2_squared)
{
    *l1 = 0;
    if (r->kind == RUNNING_TREE) { /* an entry is 0 or 1 */
        *l1 = r->levels;
        *l2_squared = r->levels;
        return;
    }
    for (size_t k = 0; k < r->n; k++)
        *l1 += r->root[k];
    *l2_squared = factor_energy(r->root, r->n);
}

uint64_t
running_mean_weight(const struct running *r)
{
    u128 sum = 0;

    for (size_t t = 0; t < r->n; t++)
        sum += r->weight[t];
    return (uint64_t)(sum / r->n);
}

/* The first cell of sequence k. */
static size_t
first_cell(const struct running *r, size_t k)
{
    return k / r->stride * r->stride * r->n + k % r->stride;
}

/* x becomes C x, last row first: each row reads only elements up to its own. */
static void
multiply(const struct running *r, i128 *x)
{
    for (size_t t = r->n; t >= 1; t--) {
        i128 sum = 0;

        if (r->kind == RUNNING_ROOT)
            sum = factor_row(r->root, t - 1, x);
        else
            for (size_t i = t - block_size(r, t); i < t; i++)
                sum += x[i];
        x[t - 1] = sum;
    }
}

/* y, with its noise, becomes the running sums. `work` has n cells. */
static void
add_up(const struct running *r, i128 *y, i128 *work)
{
    const i128 half = (i128)1 << (FACTOR_FRACTION - 1);
    i128 sum = 0;

    for (size_t t = 1; t <= r->n; t++) {
        size_t before = t - (r->kind == RUNNING_TREE ? block_size(r, t) : t);

        if (r->kind == RUNNING_TREE) {
            y[t - 1] = sat_add_i128(y[t - 1], before ? y[before - 1] : 0);
            continue;
        }
        work[t - 1] =
            factor_solve(r->root, running_bits(r), t - 1, y[t - 1], work);
        sum += work[t - 1]; /* below 2^12 * 2^84 */
        y[t - 1] = (sum + half) >> FACTOR_FRACTION;
    }
}

void
running_multiply(const struct running *r, i128 *cells, size_t n, i128 *line)
{
    const i128 most = (i128)1 << 63; /* factor_row needs it; counts are below */

    for (size_t k = 0; k < n / r->n; k++) {
        i128 *first = cells + first_cell(r, k);

        for (size_t t = 0; t < r->n; t++)
            line[t] = clamp_i128(first[t * r->stride], -most, most);
        multiply(r, line);
        for (size_t t = 0; t < r->n; t++)
            first[t * r->stride] = line[t];
    }
}

void
running_add_up(const struct running *r, i128 *cells, size_t n, i128 *line)
{
    for (size_t k = 0; k < n / r->n; k++) {
        i128 *first = cells + first_cell(r, k);

        for (size_t t = 0; t < r->n; t++)
            line[t] = first[t * r->stride];
        add_up(r, line, line + r->n);
        for (size_t t = 0; t < r->n; t++)
            first[t * r->stride] = line[t];
    }
}

custos_status
running_release(const struct running *r, const custos_mech *mech,
                custos_rng *rng, custos_sealed *sealed, i128 *out, size_t cells,
                custos_err *err)
{
    const custos_alloc alloc = alloc_or_default(NULL);
    custos_sealed *moved = NULL;
    custos_status st;
    i128 *line, *values;

    if (cells % (r->n * r->stride) != 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the cells must be sequences of %zu", r->n);
    line = alloc_take(&alloc, 2 * r->n, sizeof *line);
    if (!line)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = sealed_open(sealed, SEALED_WIDE, cells, &values, err);
    if (!st) {
        running_multiply(r, values, cells, line);
        st = seal_i128(NULL, values, cells, &moved, err);
        sealed_wipe(sealed);
    }
    if (!st)
        st = release_i128(mech, rng, moved, out, cells, err);
    if (!st)
        running_add_up(r, out, cells, line);
    custos_sealed_free(moved);
    alloc_give(&alloc, line, 2 * r->n, sizeof *line);
    return st;
}
