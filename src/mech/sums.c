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

/* The noise of sum t, of which draw t is the newest. */
static i128
laplace_noise(const custos_sums *s, struct sums_run *r, i128 draw)
{
    i128 sum = 0;

    if (s->method == CUSTOS_EVERY_PREFIX)
        return draw;
    if (s->method == CUSTOS_EVERY_ELEMENT)
        return r->level[0] = sat_add_i128(r->level[0], draw);
    /* Draw t belongs to the block that ends at t. */
    r->level[__builtin_ctzll(r->t)] = draw;
    for (size_t ones = r->t; ones; ones &= ones - 1)
        sum = sat_add_i128(sum, r->level[__builtin_ctzll(ones)]);
    return sum;
}

/* Everything after adding the noise is post-processing. */
static i128
root_sum(const custos_sums *s, struct sums_run *r, i128 x, i128 draw)
{
    const size_t t = r->t - 1;
    i128 y;

    r->elements[t] = x;
    y = sat_add_i128(factor_row(s->root, t, r->elements), draw);
    r->solved[t] = factor_solve(s->root, factor_bits(s->n), t, y, r->solved);
    r->sum += r->solved[t]; /* below 2^16 * 2^84 */
    return (r->sum + (1 << (FACTOR_FRACTION - 1))) >> FACTOR_FRACTION;
}

/* The noisy sum that ends with element x; no branch on x or the draw. */
static i128
next_sum(const custos_sums *s, struct sums_run *r, i128 x, i128 draw)
{
    r->t++;
    if (s->method == CUSTOS_SQUARE_ROOT)
        return root_sum(s, r, x, draw);
    r->sum += x; /* below 2^32 * 2^63 */
    return sat_add_i128(r->sum, laplace_noise(s, r, draw));
}

void
sums_next(const custos_sums *s, struct sums_run *r, const i128 *values,
          const i128 *draws, int64_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (int64_t)clamp_i128(next_sum(s, r, values[i], draws[i]),
                                     INT64_MIN, INT64_MAX);
}

custos_status
custos_sums_release(const custos_sums *sums, custos_rng *rng,
                    custos_sealed *elements, int64_t *out, size_t n,
                    custos_err *err)
{
    struct sums_run run = {.t = 0};
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
    run.elements = values;
    run.solved = draws;
    sums_next(sums, &run, values, draws, out, n);
    wipe(&run, sizeof run);
wiped:
    sealed_wipe(elements);
out:
    alloc_give(&sums->alloc, draws, n, sizeof *draws);
    return st;
}
