#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

enum {
    SHOW_AFTER_MS = 2000,
    REDRAW_MS = 100,
    BAR_COLUMNS = 40,
};

void
progress_start(struct progress *p, uint64_t total)
{
    *p = (struct progress){.total = total};
    p->watched = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
    clock_gettime(CLOCK_MONOTONIC, &p->start);
}

static int64_t
elapsed_ms(const struct progress *p)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)(now.tv_sec - p->start.tv_sec) * 1000 +
           (now.tv_nsec - p->start.tv_nsec) / 1000000;
}

void
progress_step(struct progress *p, uint64_t done)
{
    double share = (double)done / (double)p->total; /* for the bar only */
    int filled = (int)(share * BAR_COLUMNS);
    int64_t ms;

    if (!p->watched || done == 0)
        return;
    ms = elapsed_ms(p);
    if (ms < SHOW_AFTER_MS || (p->shown && ms - p->last_ms < REDRAW_MS))
        return;
    p->shown = true;
    p->last_ms = ms;
    fprintf(stderr, "\r  %3d %% ", (int)(share * 100));
    for (int i = 0; i < BAR_COLUMNS; i++)
        fputs(i < filled ? "█" : "░", stderr);
    fprintf(stderr, " %.0f s left \033[K",
            (double)ms / 1000 * (1 - share) / share);
    fflush(stderr);
}

void
progress_end(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
}
