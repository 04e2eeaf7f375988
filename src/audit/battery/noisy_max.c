/*
 * Report noisy max, in the variants of Ding et al. 2018 (algorithms 5 to 8), for
 * queries that each change by at most 1.
 */
#include "audit/battery/mechanism.h"

enum noise { LAPLACE, EXPONENTIAL };

struct winner {
    uint32_t index;
    double value;
};

static struct winner
find_max(struct coins *coins, const struct data *data, enum noise noise,
         double scale)
{
    struct winner best = {0, 0};

    for (uint32_t i = 0; i < data->n; i++) {
        double drawn =
            noise == LAPLACE
                ? lattice_laplace(coins, scale)
                : coins_lattice_exponential(coins, scale, BATTERY_GRID);
        double noisy = data->value[i] + drawn;

        if (i == 0 || noisy > best.value)
            best = (struct winner){i, noisy};
    }
    return best;
}

/* Dwork and Roth 2014, claim 3.9: Lap(2/epsilon), the index alone. */
static uint32_t
answer_index(const struct mechanism *m, struct coins *coins,
             const struct data *data, double *out)
{
    out[0] = find_max(coins, data, LAPLACE, 2 / m->epsilon).index;
    return 1;
}

/* McKenna and Sheldon 2020: the same with one-sided noise. */
static uint32_t
answer_exponential_index(const struct mechanism *m, struct coins *coins,
                         const struct data *data, double *out)
{
    out[0] = find_max(coins, data, EXPONENTIAL, 2 / m->epsilon).index;
    return 1;
}

/*
 * BROKEN: the value of the maximum instead of its index. All n queries shape it,
 * so the truth is n epsilon/2.
 */
static uint32_t
answer_value(const struct mechanism *m, struct coins *coins,
             const struct data *data, double *out)
{
    out[0] = find_max(coins, data, LAPLACE, 2 / m->epsilon).value;
    return 1;
}

/* BROKEN: the value with one-sided noise: never below the exact maximum. */
static uint32_t
answer_exponential_value(const struct mechanism *m, struct coins *coins,
                         const struct data *data, double *out)
{
    out[0] = find_max(coins, data, EXPONENTIAL, 2 / m->epsilon).value;
    return 1;
}

/* BROKEN: forgets that one query can rise while the others fall, which takes
   twice the noise. */
static uint32_t
answer_half_noise(const struct mechanism *m, struct coins *coins,
                  const struct data *data, double *out)
{
    out[0] = find_max(coins, data, LAPLACE, 1 / m->epsilon).index;
    return 1;
}

#define NOISY_MAX(object, name_, function)                                     \
    MECHANISM(object, name_, 1, .epsilon = 0.1, .most = AUDIT_WIDTH_MAX,       \
              .answer = function)

NOISY_MAX(noisy_max_1, "noisy-max-1", answer_index);
NOISY_MAX(noisy_max_2, "noisy-max-2", answer_exponential_index);
NOISY_MAX(noisy_max_3, "noisy-max-3", answer_value);
NOISY_MAX(noisy_max_4, "noisy-max-4", answer_exponential_value);
NOISY_MAX(noisy_max_factor, "noisy-max-factor", answer_half_noise);
