/*
 * What each analyst uses of the server's memory and time, over all connections
 * of both protocols: bytes of requests and replies that are on their way, bytes
 * of prepared statements and cursors, requests a minute. Each has a limit that
 * is the same for all analysts, so that none of them can use up what others
 * need. Any thread may call these functions.
 *
 * Invariant: a share's bytes are the sum of what was taken and not given back.
 */
#ifndef SERVE_SHARES_H
#define SERVE_SHARES_H

#include "base/str.h"
#include "custos.h"

enum share_use {
    SHARE_MESSAGES, /* bytes of requests being read and replies not yet sent */
    SHARE_PREPARED, /* bytes of prepared statements and cursors */
    SHARE_USES
};

struct share_limits {
    size_t bytes[SHARE_USES];
    uint32_t requests; /* per minute; this many may come at once */
};

struct shares;
struct share; /* of one analyst */

struct shares *shares_new(const struct share_limits *limits); /* NULL: no
                                                                 memory */
void shares_free(struct shares *all); /* nobody may hold a share */

/* The share of a name, held until share_drop. NULL: out of memory; the
   functions below treat it as a share without limits. */
struct share *share_hold(struct shares *all, str name);
struct share *share_again(struct share *s); /* one more holder */
void share_drop(struct share *s);

/* False: that would exceed the limit, and nothing is taken. */
bool share_take(struct share *s, enum share_use use, size_t bytes);
/* Counts even beyond the limit: for what is paid for, or in memory already. */
void share_force(struct share *s, enum share_use use, size_t bytes);
void share_give(struct share *s, enum share_use use, size_t bytes);

/* Counts `now` bytes in place of *counted, whatever the limit; sets *counted. */
void
share_change(struct share *s, enum share_use use, size_t *counted, size_t now);

/* True: at or beyond the limit, so nothing more may be begun. */
bool share_is_full(struct share *s, enum share_use use);

/* Counts one more request. Returns 0 if it may go on; else it is not counted,
   and the result is how many microseconds to wait before the next try. */
int64_t share_request(struct share *s, int64_t now_us);

/* May the loop itself parse a text of this many tokens in the turn that began
   at turn_us? False: the analyst's sessions have used up their part of that
   turn. */
bool share_may_read(struct share *s, int64_t turn_us, size_t tokens);

size_t share_limit(const struct share *s, enum share_use use);

/* Report the errors. CUSTOS_ENOMEM: unread replies take too much memory;
   CUSTOS_EBUSY: too many requests, and the next may come after wait_us. */
custos_status share_fail_unread(const struct share *s, custos_err *err);
custos_status
share_fail_requests(const struct share *s, int64_t wait_us, custos_err *err);

/* The sum over all analysts, for /metrics. */
size_t shares_bytes(struct shares *all, enum share_use use);

#endif
