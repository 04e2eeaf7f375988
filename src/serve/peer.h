/*
 * What is known of the other end of a connection: which addresses count as one,
 * and how much of what was sent has arrived there.
 */
#ifndef SERVE_PEER_H
#define SERVE_PEER_H

#include <stdint.h>

#include "base/str.h"

enum { PEER_GROUP_MAX = 64 };

/*
 * The group that limits on strangers count: an IPv4 address by itself, an IPv6
 * address by its first 64 bits, since whoever has an address there usually has
 * all of them. A text that is not an address is its own group. Cannot fail.
 */
void peer_group(str address, char out[PEER_GROUP_MAX]);

/* Bytes that the peer has acknowledged since it connected: a client that reads
   makes it grow. -1: not known, as of sockets that are not TCP. */
int64_t peer_acked(int fd);

#endif
