/*
 * The clock of reply times: the steady clock, less the time in which the machine
 * did not run this process. A virtual machine is held up by its host, now and
 * then for a quarter of a second; no work is done meanwhile, and by the steady
 * clock every charged question on its way would be late, and ended. So a thread
 * on each processor beats every few milliseconds, and time in which one of them
 * is overdue does not count. When a reply leaves is then as late as the machine
 * was, whatever the data is (reply-time, NEEDS).
 *
 * It never goes back, and stands still while a beat is overdue.
 */
#ifndef SERVE_REPLY_CLOCK_H
#define SERVE_REPLY_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BEAT_US = 5000,       /* between two beats */
    BEAT_LATE_US = 20000, /* after this long without one time stands still: far
                             longer than a thread that sleeps waits for a
                             processor that others keep busy */
    BEATS_MAX = 64,
};

/* As numbers; whoever has it locks it. */
struct beats {
    size_t n;
    int64_t last_us[BEATS_MAX];
    int64_t lost_us, lost_until_us, told_us;
    bool watched; /* else there are no beats, and nothing is lost */
};

void beats_begin(struct beats *b, size_t n, int64_t steady);
void beats_take(struct beats *b, size_t i, int64_t steady);
int64_t beats_clock(struct beats *b, int64_t steady);

/*
 * The clock of this process. It is the steady clock until it is started, and
 * after it was stopped. Threads beat while charged questions come: each of them
 * says so.
 */
bool reply_clock_start(void);
void reply_clock_stop(void);
void reply_clock_watch(void);
int64_t reply_clock_us(void);

/* All that was lost so far, for operators. */
int64_t reply_clock_lost_us(void);

#endif
