/*
 * A progress bar on standard error, for work of more than two seconds. Shown
 * only if standard error is a terminal and standard output is not: on a
 * terminal the output itself shows the progress.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
    uint64_t total;
    bool watched;
    bool shown;
    struct timespec start;
    int64_t last_ms; /* when the bar was last drawn */
};

void progress_start(struct progress *p, uint64_t total);
void progress_step(struct progress *p, uint64_t done);
void progress_end(struct progress *p); /* removes the bar */

#endif
