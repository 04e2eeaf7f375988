/*
 * The sparse vector technique: algorithms 1 to 6 of Lyu, Su and Li 2017
 * (arXiv:1603.01699), of which 3 to 6 were published with faults, and kin. Each
 * query changes by at most 1.
 *
 * An answer is 1 (above the noisy threshold) or 0; a run that stopped early is
 * shorter. Where values are released, "below" is BATTERY_BELOW.
 */
#include "audit/battery/mechanism.h"

/* Algorithm 1: the threshold's noise is drawn once, the queries' scales with the
   cutoff. */
static uint32_t
answer_svt_1(const struct mechanism *m, struct coins *coins,
             const struct data *data, double *out)
{
    double epsilon_1 = m->epsilon / 2, epsilon_2 = m->epsilon - epsilon_1;
    double least = m->threshold + lattice_laplace(coins, 1 / epsilon_1);
    uint32_t count = 0, i = 0;

    while (i < data->n && count < m->cutoff) {
        double noise = lattice_laplace(coins, 2 * m->cutoff / epsilon_2);

        out[i] = data->value[i] + noise >= least;
        count += out[i] != 0;
        i++;
    }
    return i;
}

/* Algorithm 2 (Dwork and Roth 2014): new noise on the threshold after every
   positive answer. */
static uint32_t
answer_svt_2(const struct mechanism *m, struct coins *coins,
             const struct data *data, double *out)
{
    double epsilon_1 = m->epsilon / 2, epsilon_2 = m->epsilon - epsilon_1;
    double least = m->threshold + lattice_laplace(coins, m->cutoff / epsilon_1);
    uint32_t count = 0, i = 0;

    while (i < data->n && count < m->cutoff) {
        double noise = lattice_laplace(coins, 2 * m->cutoff / epsilon_1);

        out[i] = data->value[i] + noise >= least;
        if (out[i] != 0) {
            count++;
            least =
                m->threshold + lattice_laplace(coins, m->cutoff / epsilon_2);
        }
        i++;
    }
    return i;
}

/*
 * Algorithm 3 (Roth 2011, lecture notes). BROKEN: releases the noisy value that
 * was compared. A low one shows that the threshold's noise is lower still, which
 * the "below" answers before it then reveal at their full price.
 */
static uint32_t
answer_svt_3(const struct mechanism *m, struct coins *coins,
             const struct data *data, double *out)
{
    double epsilon_1 = m->epsilon / 2, epsilon_2 = m->epsilon - epsilon_1;
    double least = m->threshold + lattice_laplace(coins, 1 / epsilon_1);
    uint32_t count = 0, i = 0;

    while (i < data->n && count < m->cutoff) {
        double noisy =
            data->value[i] + lattice_laplace(coins, m->cutoff / epsilon_2);
        bool above = noisy >= least;

        out[i] = above ? noisy : BATTERY_BELOW;
        count += above;
        i++;
    }
    return i;
}

/*
 * Algorithm 4 (Lee and Clifton 2014). BROKEN: the queries' noise does not grow
 * with the cutoff c, and lacks a factor 2; the truth is (1 + 6c) epsilon/4.
 */
static uint32_t
answer_svt_4(const struct mechanism *m, struct coins *coins,
             const struct data *data, double *out)
{
    double epsilon_1 = m->epsilon / 4, epsilon_2 = m->epsilon - epsilon_1;
    double least = m->threshold + lattice_laplace(coins, 1 / epsilon_1);
    uint32_t count = 0, i = 0;

    while (i < data->n && count < m->cutoff) {
        double noise = lattice_laplace(coins, 1 / epsilon_2);

        out[i] = data->value[i] + noise >= least;
        count += out[i] != 0;
        i++;
    }
    return i;
}

/* Algorithm 5 (Stoddard et al. 2014). BROKEN: no noise on the queries, and no
   cutoff. */
static uint32_t
answer_svt_5(const struct mechanism *m, struct coins *coins,
             const struct data *data, double *out)
{
    double least = m->threshold + lattice_laplace(coins, 2 / m->epsilon);

    for (size_t i = 0; i < data->n; i++)
        out[i] = data->value[i] >= least;
    return (uint32_t)data->n;
}

/* Algorithm 6 (Chen et al. 2015). BROKEN: no cutoff, so every answer costs. */
static uint32_t
answer_svt_6(const struct mechanism *m, struct coins *coins,
             const struct data *data, double *out)
{
    double epsilon_1 = m->epsilon / 2, epsilon_2 = m->epsilon - epsilon_1;
    double least = m->threshold + lattice_laplace(coins, 1 / epsilon_1);

    for (size_t i = 0; i < data->n; i++)
        out[i] =
            data->value[i] + lattice_laplace(coins, 1 / epsilon_2) >= least;
    return (uint32_t)data->n;
}

/* Algorithms 3 and 4 on the same queries (Bichsel et al. 2021). BROKEN: as
   both. SVT3 comes last and begins at half the width, whatever the length of
   SVT4's output. */
enum { HALF = 10 };

static uint32_t
answer_svt_3_4(const struct mechanism *m, struct coins *coins,
               const struct data *data, double *out)
{
    uint32_t used = answer_svt_4(m, coins, data, out);

    for (; used < HALF; used++)
        out[used] = 2 * BATTERY_BELOW; /* it had stopped */
    return HALF + answer_svt_3(m, coins, data, out + HALF);
}

/*
 * The numeric sparse vector as Wang et al. 2019 prove it (after Dwork and Roth
 * 2014, alg. 3, whose constants are epsilon-DP only as they are here): a value
 * found above is released with fresh noise.
 */
static uint32_t
answer_numeric(const struct mechanism *m, struct coins *coins,
               const struct data *data, double *out)
{
    double least = m->threshold + lattice_laplace(coins, 3 / m->epsilon);
    uint32_t count = 0, i = 0;

    while (i < data->n && count < m->cutoff) {
        double noise = lattice_laplace(coins, 6 * m->cutoff / m->epsilon);
        bool above = data->value[i] + noise >= least;

        out[i] = above ? data->value[i] +
                             lattice_laplace(coins, 3 * m->cutoff / m->epsilon)
                       : BATTERY_BELOW;
        count += above;
        i++;
    }
    return i;
}

/*
 * AboveThreshold (Dwork and Roth 2014, alg. 1), which also releases the value it
 * found, "for free". BROKEN: that value's noise is the threshold's, drawn before,
 * instead of a fresh draw that is paid for: the value tells where the threshold
 * was, and the "below" answers cost their full price.
 */
static uint32_t
answer_reused(const struct mechanism *m, struct coins *coins,
              const struct data *data, double *out)
{
    double rho = lattice_laplace(coins, 2 / m->epsilon);

    for (uint32_t i = 0; i < data->n; i++) {
        double noise = lattice_laplace(coins, 4 / m->epsilon);

        out[i] = BATTERY_BELOW;
        if (data->value[i] + noise >= m->threshold + rho) {
            out[i] = data->value[i] + rho;
            return i + 1;
        }
    }
    return (uint32_t)data->n;
}

#define SVT(object, name_, width_, cutoff_, function)                          \
    MECHANISM(object, name_, width_, .epsilon = 0.1, .threshold = 1,           \
              .cutoff = cutoff_, .most = (width_) > HALF ? HALF : (width_),    \
              .answer = function)

SVT(svt_1, "svt-1", 10, 1, answer_svt_1);
SVT(svt_2, "svt-2", 10, 1, answer_svt_2);
SVT(svt_3, "svt-3", 10, 1, answer_svt_3);
SVT(svt_4, "svt-4", 10, 1, answer_svt_4);
SVT(svt_5, "svt-5", 10, 1, answer_svt_5);
SVT(svt_6, "svt-6", 10, 1, answer_svt_6);
SVT(svt_3_4, "svt-3-4", (size_t)2 * HALF, 1, answer_svt_3_4);
SVT(numeric_svt, "numeric-svt", 10, 2, answer_numeric);
SVT(svt_reused, "svt-reused", 10, 1, answer_reused);
