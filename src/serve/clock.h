/*
 * The system's two clocks. (reply_clock.h has the clock of reply times.) Most
 * code in the lower layers gets the time as an argument.
 */
#ifndef SERVE_CLOCK_H
#define SERVE_CLOCK_H

#include <stdint.h>

/* Microseconds of a clock that never goes back: for timeouts and limits. */
int64_t steady_us(void);

/* Microseconds since 1970, UTC: for the ledger and the log. */
int64_t wall_us(void);

#endif
