/*
 * A fine code goes into the run in which the middle of its rows is.
 */
#include "synth/edges.h"

#include <math.h>

#define TELLING 6 /* deviations: the rows that a run should have, at least */

/* Neighbours that are in the wrong order share their mean (pool adjacent violators). Codes
   that were pooled before have the same mean, so adding one of them at a time is enough. */
void
sums_fit(const int64_t *sums, uint32_t n, double *out)
{
    for (uint32_t k = 0; k < n; k++)
        out[k] = (double)sums[k];
    for (uint32_t k = 1; k < n; k++) {
        double sum = out[k];
        uint32_t from = k;

        while (from > 0 && out[from - 1] > sum / (k - from + 1))
            sum += out[--from];
        for (uint32_t i = from; i <= k; i++)
            out[i] = sum / (k - from + 1);
    }
    for (uint32_t k = 0; k < n; k++)
        out[k] = fmax(0, out[k]);
}

uint32_t
edges_find(const double *sums, uint32_t n, double sigma, uint16_t *map)
{
    const double rows = fmax(sums[n - 1], 1);
    const double most = fmin(EDGES_RUNS, fmin(n, rows / (TELLING * sigma)));
    const double runs = fmax(floor(most), 1);
    double last = -1;
    uint32_t run = 0;

    for (uint32_t k = 0; k < n; k++) {
        const double middle = (sums[k] + (k > 0 ? sums[k - 1] : 0)) / 2;
        const double of = fmin(runs - 1, floor(middle / rows * runs));

        run += k > 0 && of > last;
        last = of;
        map[k] = (uint16_t)run;
    }
    return run + 1;
}
