/*
 * Limits attempts to log in: failures are counted by address and by name, and
 * after a few of them the client has to wait, longer each time; and strangers
 * may try only so often a minute. For both listeners, from any thread. An IPv6
 * address counts by its first 64 bits (peer.h).
 *
 * A bounded table: when it is full, the least recently used entry is evicted,
 * those of names that have logged in before last of all.
 */
#ifndef SERVE_THROTTLE_H
#define SERVE_THROTTLE_H

#include "base/str.h"
#include "custos.h"

struct throttle;

/* Attempts per minute by those who have not logged in before; as many may come
   at once. */
struct throttle_limits {
    uint32_t per_address, all;
};

/* limits NULL: without these. NULL: out of memory. */
struct throttle *throttle_new(const struct throttle_limits *limits);
void throttle_free(struct throttle *g);

/*
 * How long this address and name still have to wait, in microseconds; 0: they may
 * try. The answer does not tell whether the name exists. After six failures the
 * wait is a second, doubled by each further one, up to a minute. Failures of
 * other names from the same address count too, after two
 * dozen, but not against a name that has logged in from there before: nobody is
 * kept out by neighbours.
 */
int64_t
throttle_wait(struct throttle *g, str address, str name, int64_t now_us);

/*
 * An attempt to log in begins. 0: it is counted and may go on; else how many
 * microseconds to wait. A name that has logged in from this address before is not
 * counted, so that many strangers keep no analyst out.
 */
int64_t throttle_try(struct throttle *g, str address, str name, int64_t now_us);

void throttle_failed(struct throttle *g, str address, str name, int64_t now_us);

/* Forgets the failures of the name from this address, not those of the address,
   and remembers that the name has logged in from there. */
void throttle_passed(struct throttle *g, str address, str name, int64_t now_us);

/*
 * Wrong keys of cancel requests, by address: after GATE_CANCELS of them in a
 * minute further requests from there are ignored until the minute is over.
 * They do not count as failed logins, for a client may cancel a question that
 * has just ended.
 */
enum { GATE_CANCELS = 10 };
bool throttle_cancels_end(struct throttle *g, str address, int64_t now_us);
void throttle_cancel_failed(struct throttle *g, str address, int64_t now_us);

#endif
