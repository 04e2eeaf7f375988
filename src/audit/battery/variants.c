/*
 * Mistakes that people make with correct noise: in sensitivities, in counting
 * releases, in thresholds, with seeds, with machine integers.
 */
#include "audit/battery/mechanism.h"

#include <math.h>

/* BROKEN: the scale is 1/(sensitivity epsilon) instead of sensitivity/epsilon;
   the truth is sensitivity^2 epsilon. */
static uint32_t
answer_swapped(const struct mechanism *m, struct coins *coins,
               const struct data *data, double *out)
{
    double scale = 1 / (m->sensitivity * m->epsilon);

    for (size_t i = 0; i < data->n; i++)
        out[i] = data->value[i] + lattice_laplace(coins, scale);
    return (uint32_t)data->n;
}

/*
 * A mean of each of k columns: a noisy sum and a noisy count each. BROKEN: the
 * budget is split over k releases, but there are 2k; the truth is 2 epsilon.
 */
static uint32_t
answer_half(const struct mechanism *m, struct coins *coins,
            const struct data *data, double *out)
{
    size_t columns = data->n / 2;

    for (size_t i = 0; i < data->n; i++)
        out[i] = data->value[i] +
                 lattice_laplace(coins, (double)columns / m->epsilon);
    return (uint32_t)data->n;
}

/* BROKEN: every query starts the generator with the same seed, so that all get
   the same noise. */
static uint32_t
answer_same_seed(const struct mechanism *m, struct coins *coins,
                 const struct data *data, double *out)
{
    const uint64_t seed = coins_word(coins);

    for (size_t i = 0; i < data->n; i++) {
        struct coins own;

        coins_seed(&own, seed, 0);
        out[i] = data->value[i] + lattice_laplace(&own, 1 / m->epsilon);
    }
    return (uint32_t)data->n;
}

/*
 * Counts of keys that come from the data (Korolova et al. 2009): a key is shown
 * if its noisy count reaches a threshold, and must stay hidden with probability
 * 1 - delta if one person alone has it. `lower` is taken off the threshold. A
 * key's number stays in its place, as its name would say whose count it is.
 */
static uint32_t
show_keys(const struct mechanism *m, struct coins *coins,
          const struct data *data, double lower, double *out)
{
    double least = ceil(1 + log(1 / (2 * m->delta)) / m->epsilon) - lower;

    for (size_t i = 0; i < data->n; i++) {
        double noisy = data->value[i] + lattice_laplace(coins, 1 / m->epsilon);

        out[i] = data->value[i] >= 1 && noisy > least ? noisy : 0;
    }
    return (uint32_t)data->n;
}

static uint32_t
answer_keys(const struct mechanism *m, struct coins *coins,
            const struct data *data, double *out)
{
    return show_keys(m, coins, data, 0, out);
}

/* BROKEN: forgets the 1 that the person adds; the truth at this delta is
   infinite, as the key is never shown without them. */
static uint32_t
answer_keys_low(const struct mechanism *m, struct coins *coins,
                const struct data *data, double *out)
{
    return show_keys(m, coins, data, 1, out);
}

/*
 * A sum of 32-bit rows with noise for rows of at most 1 in size. BROKEN: the sum
 * wraps around (Casacuberta et al. 2022, arXiv:2207.10635), and moves by 2^32.
 */
static uint32_t
answer_wrapping(const struct mechanism *m, struct coins *coins,
                const struct data *data, double *out)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < data->n; i++)
        sum += (uint32_t)(int64_t)data->value[i];
    out[0] = (int32_t)sum + lattice_laplace(coins, 1 / m->epsilon);
    return 1;
}

MECHANISM(swapped_scale, "swapped-scale", 1, .epsilon = 0.1, .sensitivity = 4,
          .most = 1, .answer = answer_swapped);
MECHANISM(half_composition, "half-composition", 4, .epsilon = 0.1, .most = 4,
          .answer = answer_half);
MECHANISM(reused_seed, "reused-seed", 2, .epsilon = 0.1, .most = 2,
          .answer = answer_same_seed);
MECHANISM(key_threshold, "key-threshold", 2, .epsilon = 1, .delta = 0.00125,
          .most = 2, .answer = answer_keys);
MECHANISM(key_threshold_low, "key-threshold-low", 2, .epsilon = 1,
          .delta = 0.00125, .most = 2, .answer = answer_keys_low);
MECHANISM(wrapping_sum, "wrapping-sum", 1, .epsilon = 0.1,
          .most = AUDIT_WIDTH_MAX, .answer = answer_wrapping);
