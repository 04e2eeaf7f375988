/*
 * Solves the normal equations by conjugate gradients and guesses a bit by the
 * sign of its solution. The solution is that of the bits less one half, so an
 * answer that says nothing about a person leaves it at 0.
 */
#include "audit/attack/least_squares.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

custos_status
subsets_init(struct subsets *s, size_t people, size_t count,
             struct coins *coins, custos_err *err)
{
    uint64_t last = people % 64 ? (UINT64_C(1) << people % 64) - 1 : UINT64_MAX;

    *s = (struct subsets){
        .people = people, .count = count, .words = (people + 63) / 64};
    s->bits = calloc(count * s->words, sizeof *s->bits);
    if (!s->bits)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < count * s->words; i++) {
        s->bits[i] = coins_word(coins);
        if (i % s->words == s->words - 1)
            s->bits[i] &= last;
    }
    return CUSTOS_OK;
}

void
subsets_clear(struct subsets *s)
{
    free(s->bits);
    s->bits = NULL;
}

void
subsets_count(const struct subsets *s, size_t m, const bool *secret,
              int64_t *out)
{
    for (size_t i = 0; i < m; i++) {
        out[i] = 0;
        for (size_t k = 0; k < s->people; k++)
            out[i] += secret[k] && subsets_has(s, i, k);
    }
}

/*
 * The normal equations of the first m subsets: gram = A'A, n x n, and right =
 * A'(answers - A/2). With the subsets turned into one row of bits for each person,
 * gram is a count of common bits. May fail: CUSTOS_ENOMEM.
 */
static custos_status
normal_equations(const struct subsets *s, size_t m, const double *answers,
                 double *gram, double *right, custos_err *err)
{
    const size_t n = s->people, words = (m + 63) / 64;
    uint64_t *in = calloc(n * words, sizeof *in);

    if (!in)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < m; i++) {
        double off = answers[i];

        for (size_t k = 0; k < n; k++)
            off -= 0.5 * subsets_has(s, i, k);
        for (size_t k = 0; k < n; k++)
            if (subsets_has(s, i, k)) {
                in[k * words + i / 64] |= UINT64_C(1) << i % 64;
                right[k] += off;
            }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l <= k; l++) {
            int common = 0;

            for (size_t w = 0; w < words; w++)
                common +=
                    __builtin_popcountll(in[k * words + w] & in[l * words + w]);
            gram[k * n + l] = gram[l * n + k] = common;
        }
    free(in);
    return CUSTOS_OK;
}

static double
dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/*
 * Conjugate gradients (Hestenes and Stiefel 1952) for (gram + ridge) z = left,
 * which becomes the residual. `room` holds two vectors. The eigenvalues of random
 * subsets lie close together, save the one of the total: a few dozen steps are
 * enough.
 */
static void
solve(const double *gram, double ridge, size_t n, double *left, double *z,
      double *room)
{
    double *way = room, *image = room + n;
    double size = dot(left, left, n), first = size;

    memcpy(way, left, n * sizeof *way);
    for (size_t step = 0; step < 2 * n && size > 1e-16 * first; step++) {
        double before = size, length;

        for (size_t k = 0; k < n; k++)
            image[k] = ridge * way[k] + dot(&gram[k * n], way, n);
        length = size / dot(way, image, n);
        for (size_t k = 0; k < n; k++) {
            z[k] += length * way[k];
            left[k] -= length * image[k];
        }
        size = dot(left, left, n);
        for (size_t k = 0; k < n; k++)
            way[k] = left[k] + size / before * way[k];
    }
}

custos_status
guess_bits(const struct subsets *s, size_t m, const double *answers,
           double ridge, bool *out, custos_err *err)
{
    const size_t n = s->people;
    double *gram = calloc(n * (n + 4), sizeof *gram);
    double *left, *z;
    custos_status st;

    if (!gram)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    left = gram + n * n;
    z = left + n; /* x - 1/2 */
    st = normal_equations(s, m, answers, gram, left, err);
    if (!st)
        solve(gram, ridge, n, left, z, z + n);
    for (size_t k = 0; k < n && !st; k++)
        out[k] = z[k] > 0;
    free(gram);
    return st;
}
