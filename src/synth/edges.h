/*
 * Where to cut a column into few runs, given noisy numbers of rows up to each of many fine
 * codes: so that each run has about as many rows.
 */
#ifndef SYNTH_EDGES_H
#define SYNTH_EDGES_H

#include <stdint.h>

enum { EDGES_RUNS = 32 }; /* at most */

/* The sums as they could be, by least squares: none below 0 or below the one before it. */
void sums_fit(const int64_t *sums, uint32_t n, double *out);

/*
 * map[k]: the run of fine code k of n; runs are neighbouring codes, in order. sums[k]: the
 * number of rows up to code k, as sums_fit gives it. Makes no more runs than the noise, which has this
 * deviation in a sum, lets one tell apart. Returns their number, at least 1.
 */
uint32_t
edges_find(const double *sums, uint32_t n, double sigma, uint16_t *map);

#endif
