/*
 * The clock of reply times: the steady clock, less the time in which the
 * machine did not run this process. A host may stop a virtual machine for a
 * quarter of a second now and then; no work is done meanwhile, and by the
 * steady clock every charged question on its way would be late and be ended. So
 * a thread on each processor records the time every few milliseconds (a beat),
 * and time in which a beat is overdue does not count. Such a stop then delays
 * replies by its own length, whatever the data is (see NEEDS of the theorem
 * reply-time in reply_queue.h).
 *
 * The clock never goes back, and stops while a beat is overdue.
 */
#ifndef SERVE_REPLY_CLOCK_H
#define SERVE_REPLY_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BEAT_US = 5000,       /* between two beats */
    BEAT_LATE_US = 20000, /* this long after a beat the clock stops: far longer
                             than a waking thread waits for a busy processor */
    BEATS_MAX = 64,
};

/* The state of the beats, without threads; whoever uses the struct locks it. */
struct beats {
    size_t n;
    int64_t last_us[BEATS_MAX];
    int64_t lost_us, lost_until_us, told_us;
    bool watched; /* threads beat; if not, no time counts as lost */
};

void beats_begin(struct beats *b, size_t n, int64_t steady);
void beats_take(struct beats *b, size_t i, int64_t steady);
int64_t beats_clock(struct beats *b, int64_t steady);

/*
 * The clock of this process. Before its start and after its stop it runs as the
 * steady clock does. Threads beat while charged questions come: each question
 * calls reply_clock_watch.
 */
bool reply_clock_start(void);
void reply_clock_stop(void);
void reply_clock_watch(void);
int64_t reply_clock_us(void);

/* All time lost so far, for operators. */
int64_t reply_clock_lost_us(void);

#endif
