/*
 * What the benchmarks share: clocks, medians, the lines that tools read, and
 * a progress bar.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* Seconds from some fixed moment. */
double measure_seconds(void);

/*
 * The finest clock there is, in its own unit, read after everything before it
 * has been done and before anything after it begins.
 */
uint64_t measure_ticks(void);

/* Sorts x. */
double measure_median(double *x, size_t n);

/* `bench: NAME VALUE UNIT` */
void measure_print(const char *name, double value, const char *unit);

/*
 * A bar on standard error once 2 seconds have passed since the first call, on
 * a terminal only. done == all removes it.
 */
void measure_progress(const char *what, size_t done, size_t all);

#endif
