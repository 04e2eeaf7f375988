/*
 * Releases partial sums. Every method draws noise n times; they differ in the
 * draws that a sum contains:
 *
 *     every prefix    sum t: draw t
 *     every element   sum t: draws 1 .. t
 *     binary tree     sum t: one draw for each bit of t that is 1
 *     square root     draws on C x, multiplied by C^-1 and summed
 *
 * For the first three methods, the exact sum plus its draws equals the sum of
 * the noisy numbers (blocks, elements) in integers, so the code adds the draws
 * to the exact sum.
 */
#include "mech/sums.h"

#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "mech/sealed.h"

/*
 * draws[t-1] becomes the noise of sum t. Draw t belongs to the block that ends
 * at t.
 */
static void
tree_noise(i128 *draws, size_t n)
{
    i128 level[64] = {0};

    for (size_t t = 1; t <= n; t++) {
        i128 sum = 0;

        level[__builtin_ctzll(t)] = draws[t - 1];
        for (size_t ones = t; ones; ones &= ones - 1)
            sum = sat_add_i128(sum, level[__builtin_ctzll(ones)]);
        draws[t - 1] = sum;
    }
    wipe(level, sizeof level);
}

static void
element_noise(i128 *draws, size_t n)
{
    for (size_t t = 1; t < n; t++)
        draws[t] = sat_add_i128(draws[t], draws[t - 1]);
}

/* The values become noisy sums. */
static void
laplace_sums(const custos_sums *s, i128 *values, i128 *draws)
{
    i128 sum = 0; /* below 2^32 * 2^63 */

    if (s->method == CUSTOS_EVERY_ELEMENT)
        element_noise(draws, s->n);
    else if (s->method == CUSTOS_BINARY_TREE)
        tree_noise(draws, s->n);
    for (size_t t = 0; t < s->n; t++) {
        sum += values[t];
        values[t] = sat_add_i128(sum, draws[t]);
    }
}

/*
 * The values become noisy sums. Everything after adding the noise is
 * post-processing.
 */
static void
root_sums(const custos_sums *s, i128 *values, const i128 *draws)
{
    i128 sum = 0; /* below 2^16 * 2^84 */

    factor_apply(s->root, s->n, values);
    for (size_t t = 0; t < s->n; t++)
        values[t] = sat_add_i128(values[t], draws[t]);
    factor_solve(s->root, s->n, values);
    for (size_t t = 0; t < s->n; t++) {
        sum += values[t];
        values[t] = (sum + (1 << (FACTOR_FRACTION - 1))) >> FACTOR_FRACTION;
    }
}

custos_status
custos_sums_release(const custos_sums *sums, custos_rng *rng,
                    custos_sealed *elements, int64_t *out, size_t n,
                    custos_err *err)
{
    custos_status st;
    i128 *values, *draws;

    if (!sums || !rng || !elements || !out)
        return custos_fail(err, CUSTOS_EINVAL,
                           "sums, rng, elements and out must not be NULL");
    if (n != sums->n)
        return custos_fail(err, CUSTOS_EINVAL,
                           "n must be the number of elements, %zu", sums->n);
    draws = alloc_take(&sums->alloc, n, sizeof *draws);
    if (!draws)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = sealed_open(elements, SEALED_INTS, n, &values, err);
    if (st)
        goto out;
    st = noise_draw(sums->noise, rng, draws, n);
    if (st) {
        custos_fail(err, st, "%s", custos_status_words(st));
        goto wiped;
    }
    if (sums->method == CUSTOS_SQUARE_ROOT)
        root_sums(sums, values, draws);
    else
        laplace_sums(sums, values, draws);
    for (size_t t = 0; t < n; t++)
        out[t] = (int64_t)clamp_i128(values[t], INT64_MIN, INT64_MAX);
wiped:
    sealed_wipe(elements);
out:
    alloc_give(&sums->alloc, draws, n, sizeof *draws);
    return st;
}
