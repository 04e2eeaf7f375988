/*
 * Messages on a socket between the server and a worker: complete ones, within a
 * time limit. The caller provides the clock.
 */
#ifndef WORKER_CHANNEL_H
#define WORKER_CHANNEL_H

#include "base/arena.h"
#include "worker/message.h"

typedef int64_t (*steady_clock)(void); /* microseconds */

struct channel {
    int fd;
    steady_clock now_us;
};

enum channel_end {
    CHANNEL_OK,
    CHANNEL_LATE,   /* the time is over */
    CHANNEL_CLOSED, /* the other side is gone */
    CHANNEL_BROKEN, /* it sent something malformed, or there is no memory */
};

/* An empty message, with room for its head. */
void message_begin(struct buf *b, size_t most);

/* Sends what message_begin and one of message_*_pack made. until_us 0: no limit;
   a worker waits for its server as long as that lives. */
enum channel_end channel_send(const struct channel *c, enum message_kind kind,
                              struct buf *b, int64_t until_us);

/* The same to an idle worker without waiting; false: it was not sent, since it is
   too long or the other side is gone. */
bool channel_send_at_once(const struct channel *c, enum message_kind kind,
                          struct buf *b);

/* Waits until there is something to read. */
enum channel_end channel_wait(const struct channel *c, int64_t until_us);

/* The next message: its kind, and its bytes in a, at most so many. */
enum channel_end
channel_receive(const struct channel *c, int64_t until_us, size_t most,
                arena *a, enum message_kind *kind, str *bytes);

/* Is there nothing to read? An idle worker sends nothing: if it does, or has hung
   up, something is wrong with it. */
bool channel_is_quiet(const struct channel *c);

#endif
