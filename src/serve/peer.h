/*
 * What is known about the other end of a connection: which addresses count as
 * one, and how much of what was sent has arrived there.
 */
#ifndef SERVE_PEER_H
#define SERVE_PEER_H

#include <stdint.h>

#include "base/str.h"

enum { PEER_GROUP_MAX = 64 };

/*
 * Limits on strangers count addresses by group. An IPv4 address is a group by
 * itself; IPv6 addresses with the same first 64 bits are one group, since
 * whoever has one of them usually has all. A text that is not an address is its
 * own group. Cannot fail.
 */
void peer_group(str address, char out[PEER_GROUP_MAX]);

/* Bytes that the peer has acknowledged since it connected; grows while the
   client reads. -1: not known, for example if the socket is not TCP. */
int64_t peer_acked(int fd);

#endif
