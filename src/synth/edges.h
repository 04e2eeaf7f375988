/*
 * Where to cut a column into few runs, given noisy numbers of rows up to each of many fine
 * codes: so that each run has about as many rows.
 */
#ifndef SYNTH_EDGES_H
#define SYNTH_EDGES_H

#include <stdint.h>

enum { EDGES_RUNS = 32 }; /* at most */

/*
 * map[k]: the run of fine code k of n; runs are neighbouring codes, in order. sums[k]: the
 * noisy number of rows up to code k. Makes no more runs than the noise, which has this
 * deviation in a sum, lets one tell apart. Returns their number, at least 1.
 */
uint32_t
edges_find(const int64_t *sums, uint32_t n, double sigma, uint16_t *map);

#endif
