/*
 * A fine code goes into the run in which the middle of its rows is. Noisy sums may fall:
 * what counts is the largest so far.
 */
#include "synth/edges.h"

#include <math.h>

#define TELLING 6 /* deviations: the rows that a run should have, at least */

uint32_t
edges_find(const int64_t *sums, uint32_t n, double sigma, uint16_t *map)
{
    const double rows = fmax((double)sums[n - 1], 1);
    const double most = fmin(EDGES_RUNS, fmin(n, rows / (TELLING * sigma)));
    const double runs = fmax(floor(most), 1);
    double up_to = 0, last = -1;
    uint32_t run = 0;

    for (uint32_t k = 0; k < n; k++) {
        const double before = up_to;
        double of;

        up_to = fmin(rows, fmax(up_to, (double)sums[k]));
        of = fmin(runs - 1, floor((before + up_to) / 2 / rows * runs));
        run += k > 0 && of > last;
        last = of;
        map[k] = (uint16_t)run;
    }
    return run + 1;
}
