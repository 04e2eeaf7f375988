/*
 * Sends and receives complete messages on a socket between the server and a worker,
 * within a time limit. The caller provides the clock.
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
    CHANNEL_LATE,   /* the time limit has passed */
    CHANNEL_CLOSED, /* the other side is gone */
    CHANNEL_BROKEN, /* it sent something malformed, or out of memory */
};

/* Begins an empty message, with room for its head. */
void message_begin(struct buf *b, size_t most);

/* Sends a message made by message_begin and one of message_*_pack. until_us 0: no
   limit; a worker waits as long as its server lives. */
enum channel_end channel_send(const struct channel *c, enum message_kind kind,
                              struct buf *b, int64_t until_us);

/* Sends a message to an idle worker without waiting. False: not sent, because it
   is too long or the other side is gone. */
bool channel_send_at_once(const struct channel *c, enum message_kind kind,
                          struct buf *b);

/* Waits until there is something to read. */
enum channel_end channel_wait(const struct channel *c, int64_t until_us);

/* Receives the next message: its kind, and its bytes (at most `most`) in `a`. */
enum channel_end
channel_receive(const struct channel *c, int64_t until_us, size_t most,
                arena *a, enum message_kind *kind, str *bytes);

/* True if there is nothing to read and the other side has not hung up. If this is
   false for an idle worker, the worker has failed. */
bool channel_is_quiet(const struct channel *c);

#endif
