/*
 * How well times tell two arms apart, as the AUC: the probability that a time
 * of the second arm is larger than one of the first, where a tie counts one
 * half (Mann and Whitney 1947). 0.5 means that the arms cannot be told apart, 0
 * and 1 that they always can. If the arms do not differ and have n times each,
 * the standard error is sqrt((2n + 1) / (12 n^2)).
 */
#ifndef TEST_AUC_H
#define TEST_AUC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct auc_time {
    uint64_t time;
    bool second; /* arm */
};

static inline int
auc_by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct auc_time *)a)->time;
    uint64_t y = ((const struct auc_time *)b)->time;

    return (x > y) - (x < y);
}

/* Sorts times. Needs one of each arm. */
static inline double
auc_of(struct auc_time *times, size_t n)
{
    double firsts = 0, seconds = 0, pairs = 0;

    qsort(times, n, sizeof *times, auc_by_time);
    for (size_t i = 0; i < n;) {
        double tied_firsts = 0, tied_seconds = 0;
        size_t k = i;

        for (; k < n && times[k].time == times[i].time; k++)
            *(times[k].second ? &tied_seconds : &tied_firsts) += 1;
        pairs += tied_seconds * (firsts + tied_firsts / 2);
        firsts += tied_firsts;
        seconds += tied_seconds;
        i = k;
    }
    return pairs / (firsts * seconds);
}

#endif
