/*
 * See measure.h.
 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

double
measure_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t
measure_ticks(void)
{
#if defined(__x86_64__)
    unsigned core;
    uint64_t ticks = __rdtscp(&core);

    _mm_lfence();
    return ticks;
#else
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
#endif
}

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void
measure_need(bool failed)
{
    if (!failed)
        return;
    printf("bench: FAILED\n");
    exit(1);
}

double
measure_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

double
measure_most(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare);
    return x[n * 95 / 100];
}

void
measure_draw(struct bar_law law, custos_rng *rng, i128 *out, size_t n)
{
    custos_noise *noise = NULL;
    char scale[40];

    snprintf(scale, sizeof scale, "%.17g", law.scale);
    measure_need(custos_noise_new(NULL,
                                  law.kind == BAR_LAPLACE
                                      ? CUSTOS_DISCRETE_LAPLACE
                                      : CUSTOS_DISCRETE_GAUSSIAN,
                                  scale, &noise, NULL));
    measure_need(noise_draw(noise, rng, out, n));
    custos_noise_free(noise);
}

void
measure_print(const char *name, double value, const char *unit)
{
    printf("bench: %s %.4g %s\n", name, value, unit);
}

void
measure_progress(const char *what, size_t done, size_t all)
{
    static double begun;
    static int shown;
    int tenths = (int)(done * 30 / all);

    if (begun == 0)
        begun = measure_seconds();
    if (done == all && shown) {
        fputs("\r\033[K", stderr);
        shown = 0;
    } else if (done < all && measure_seconds() - begun > 2 && isatty(2)) {
        fprintf(stderr, "\r%-10s [%-30.*s] %3d %%", what, tenths,
                "##############################", (int)(done * 100 / all));
        shown = 1;
    }
}
