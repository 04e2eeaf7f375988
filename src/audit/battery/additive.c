/*
 * Mechanisms of the battery that add noise to numbers, and the sampler that all
 * mechanisms of the battery share.
 */
#include "audit/battery/mechanism.h"

#include "base/error.h"

custos_status
mechanism_sample(const struct audit_target *target, void *state,
                 const struct data *data, struct coins *coins,
                 struct batch *out, custos_err *err)
{
    const struct mechanism *mechanism = target->self;

    (void)state;
    if (data->n > mechanism->most)
        return custos_fail(err, CUSTOS_EINVAL,
                           "%s takes at most %zu numbers, not %zu",
                           target->name, mechanism->most, data->n);
    for (size_t i = 0; i < out->n; i++)
        out->length[i] = mechanism->answer(mechanism, coins, data,
                                           out->number + i * out->width);
    return CUSTOS_OK;
}

/* Dwork, McSherry, Nissim and Smith 2006: each number plus Lap(1/epsilon). */
static uint32_t
answer_laplace(const struct mechanism *m, struct coins *coins,
               const struct data *data, double *out)
{
    for (size_t i = 0; i < data->n; i++)
        out[i] = data->value[i] + lattice_laplace(coins, 1 / m->epsilon);
    return (uint32_t)data->n;
}

/* The Laplace mechanism on the same number, `releases` times at epsilon/releases
   each. */
static uint32_t
answer_parallel(const struct mechanism *m, struct coins *coins,
                const struct data *data, double *out)
{
    double x = data->n ? data->value[0] : 0;

    for (uint32_t i = 0; i < m->releases; i++)
        out[i] = x + lattice_laplace(coins, m->releases / m->epsilon);
    return m->releases;
}

/*
 * NoisyHist2 (Ding et al. 2018, alg. 10). BROKEN: the noise has the scale
 * epsilon instead of 1/epsilon, so the truth is 1/epsilon.
 */
static uint32_t
answer_inverted_scale(const struct mechanism *m, struct coins *coins,
                      const struct data *data, double *out)
{
    for (size_t i = 0; i < data->n; i++)
        out[i] = data->value[i] + lattice_laplace(coins, m->epsilon);
    return (uint32_t)data->n;
}

/*
 * PrefixSum (Wang et al. 2019): Lap(1/epsilon) on each element, then the sums of
 * the first 1, 2, ... elements. That costs epsilon if one element changes.
 * BROKEN: here every element may change by 1, so n of them cost n epsilon.
 */
static uint32_t
answer_prefix_sum(const struct mechanism *m, struct coins *coins,
                  const struct data *data, double *out)
{
    double sum = 0;

    for (size_t i = 0; i < data->n; i++) {
        sum += data->value[i] + lattice_laplace(coins, 1 / m->epsilon);
        out[i] = sum;
    }
    return (uint32_t)data->n;
}

static int64_t
power(int64_t base, int64_t exponent)
{
    int64_t out = 1;

    while (exponent-- > 0)
        out *= base;
    return out;
}

enum { GEO_K = 3, GEO_N = 5 };

/*
 * GeoSample (Balcer and Vadhan 2019, arXiv:1709.05396, alg. 4.8) with k = 3 and
 * n = 5, which is ln(1 + 2^-k)-DP: draws u in 1 ... d and inverts the integer
 * distribution function F.
 */
static uint32_t
answer_geo_sample(const struct mechanism *m, struct coins *coins,
                  const struct data *data, double *out)
{
    const int64_t two_k = 1 << GEO_K, next = two_k + 1;
    const int64_t d = (2 * two_k + 1) * power(next, GEO_N - 1);
    int64_t c = data->n ? (int64_t)data->value[0] : 0, u, z = 0;

    (void)m;
    u = 1 +
        (int64_t)(((unsigned __int128)coins_word(coins) * (uint64_t)d) >> 64);
    for (; z < GEO_N; z++) {
        int64_t f = z < c ? power(two_k, c - z) * power(next, GEO_N - (c - z))
                          : d - power(two_k, z - c + 1) *
                                    power(next, GEO_N - 1 - z + c);

        if (u <= f)
            break;
    }
    out[0] = (double)z;
    return 1;
}

MECHANISM(laplace, "laplace", 1, .epsilon = 0.1, .most = 1,
          .answer = answer_laplace);
MECHANISM(laplace_parallel, "laplace-parallel", 20, .epsilon = 0.1, .most = 1,
          .releases = 20, .answer = answer_parallel);
MECHANISM(noisy_hist_1, "noisy-hist-1", 5, .epsilon = 0.1, .most = 5,
          .answer = answer_laplace);
MECHANISM(noisy_hist_2, "noisy-hist-2", 5, .epsilon = 0.1, .most = 5,
          .answer = answer_inverted_scale);
MECHANISM(prefix_sum, "prefix-sum", 10, .epsilon = 0.1, .most = 10,
          .answer = answer_prefix_sum);
MECHANISM(geo_sample, "geo-sample", 1, .most = 1, .answer = answer_geo_sample);
