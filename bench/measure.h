/*
 * What the benchmarks share: clocks, noise, medians, the lines that tools read,
 * and a progress bar.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curator/bars.h"
#include "noise/noise.h"

/* Seconds since some fixed time. */
double measure_seconds(void);

/*
 * Reads the finest clock available, in its own unit. On x86-64 all earlier
 * instructions have finished then, and no later one has begun.
 */
uint64_t measure_ticks(void);

/* Ends the program if something that it needs has failed. */
void measure_need(bool failed);

/* The median of x. Sorts x. */
double measure_median(double *x, size_t n);

/* What 95 % of x stay below. Sorts x. */
double measure_most(double *x, size_t n);

/* Draws n values of a noise. */
void measure_draw(struct bar_law law, custos_rng *rng, i128 *out, size_t n);

/* Prints `bench: NAME VALUE UNIT`. */
void measure_print(const char *name, double value, const char *unit);

/*
 * Draws a progress bar on standard error, if that is a terminal and 2 seconds
 * have passed since the first call. done == all removes it.
 */
void measure_progress(const char *what, size_t done, size_t all);

#endif
