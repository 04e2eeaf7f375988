/*
 * Limits attempts to log in. Failures are counted for each address, and for each
 * name at an address; after a few of them the client has to wait, longer each
 * time. Clients that have not logged in before have a limited number of attempts
 * per minute. Both listeners use it, from any thread. IPv6 addresses with the same
 * first 64 bits count as one (peer.h).
 *
 * The table is bounded: if all places for a new entry are taken, the least
 * recently used entry there is evicted; names that have logged in before go last.
 */
#ifndef SERVE_THROTTLE_H
#define SERVE_THROTTLE_H

#include "base/str.h"
#include "custos.h"

struct throttle;

/* Attempts per minute by clients that have not logged in before, from one
   address and from all; this many may come at once. */
struct throttle_limits {
    uint32_t per_address, all;
};

/* Without `limits` (NULL) attempts per minute are not limited. Returns NULL if
   out of memory. */
struct throttle *throttle_new(const struct throttle_limits *limits);
void throttle_free(struct throttle *g);

/*
 * How long this address and name still have to wait, in microseconds; 0: they
 * may try. The result does not depend on whether the name exists. After six
 * failures the wait is a second; each further failure doubles it, up to a
 * minute. After two dozen failures from one address, under any names, all names
 * there have to wait, except those that have logged in from there before: so
 * others at an analyst's address cannot lock the analyst out.
 */
int64_t
throttle_wait(struct throttle *g, str address, str name, int64_t now_us);

/*
 * An attempt to log in begins. Returns 0 if it may go on, and counts it; else the
 * microseconds to wait. Attempts under a name that has logged in from this address
 * before are not counted, so that strangers cannot lock an analyst out.
 */
int64_t throttle_try(struct throttle *g, str address, str name, int64_t now_us);

void throttle_failed(struct throttle *g, str address, str name, int64_t now_us);

/* Forgets the failures of the name from this address, not those of the address,
   and remembers that the name has logged in from there. */
void throttle_passed(struct throttle *g, str address, str name, int64_t now_us);

/*
 * Cancel requests with a wrong short key (32 bits) are counted by address: after
 * GATE_CANCELS of them in a minute, further requests with short keys from there
 * are ignored until the minute is over. They do not count as failed logins,
 * because a client may cancel a question that has just ended.
 */
enum { GATE_CANCELS = 10 };
bool throttle_cancels_end(struct throttle *g, str address, int64_t now_us);
void throttle_cancel_failed(struct throttle *g, str address, int64_t now_us);

#endif
