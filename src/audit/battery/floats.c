/*
 * Noise added in floating point, as textbooks have it. BROKEN: which doubles can
 * come out, and how many low bits they have, depends on the exact value (Mironov
 * 2012; Haney et al. 2022, arXiv:2207.13793; for Gaussian noise Jin et al. 2022,
 * arXiv:2112.05307).
 */
#include "audit/battery/mechanism.h"

#include <math.h>

static double
float_laplace(struct coins *coins, double scale)
{
    double size = -scale * log(coins_uniform(coins));

    return coins_word(coins) & 1 ? size : -size;
}

static uint32_t
answer_laplace(const struct mechanism *m, struct coins *coins,
               const struct data *data, double *out)
{
    for (size_t i = 0; i < data->n; i++)
        out[i] = data->value[i] + float_laplace(coins, 1 / m->epsilon);
    return (uint32_t)data->n;
}

/* Clamping afterwards hides none of the low bits; the snapping mechanism also
   rounds. */
static uint32_t
answer_clamped(const struct mechanism *m, struct coins *coins,
               const struct data *data, double *out)
{
    for (size_t i = 0; i < data->n; i++) {
        double noisy = data->value[i] + float_laplace(coins, 1 / m->epsilon);

        out[i] = fmin(fmax(noisy, -100), 100);
    }
    return (uint32_t)data->n;
}

/* Box and Muller 1958, with the classical sigma. */
static uint32_t
answer_gaussian(const struct mechanism *m, struct coins *coins,
                const struct data *data, double *out)
{
    double sigma = sqrt(2 * log(1.25 / m->delta)) / m->epsilon;

    for (size_t i = 0; i < data->n; i++) {
        double radius = sqrt(-2 * log(coins_uniform(coins)));
        double angle = 2 * M_PI * coins_uniform(coins);

        out[i] = data->value[i] + sigma * radius * cos(angle);
    }
    return (uint32_t)data->n;
}

const struct audit_target battery_float_laplace = {
    .name = "float-laplace",
    .width = 1,
    .self = &(const struct mechanism){.epsilon = 0.1,
                                      .most = 1,
                                      .answer = answer_laplace},
    .sample = mechanism_sample,
};

const struct audit_target battery_float_clamp = {
    .name = "float-clamp",
    .width = 1,
    .self = &(const struct mechanism){.epsilon = 0.1,
                                      .most = 1,
                                      .answer = answer_clamped},
    .sample = mechanism_sample,
};

const struct audit_target battery_float_gaussian = {
    .name = "float-gaussian",
    .width = 1,
    .self = &(const struct mechanism){.epsilon = 0.5,
                                      .delta = 1e-5,
                                      .most = 1,
                                      .answer = answer_gaussian},
    .sample = mechanism_sample,
};
