/*
 * Reads replies of the owner's socket (curator/owner.h), for the command and
 * for the owner's routes of HTTP, so that a failure has the same code in both.
 */
#ifndef SERVE_OWNER_REPLY_H
#define SERVE_OWNER_REPLY_H

#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

/*
 * *rest is what follows `{"ok":true`, borrowed. If the server reported an
 * error, fails with its status, message and hint. CUSTOS_EIO: not a reply of
 * the server.
 */
CUSTOS_MUST_USE custos_status owner_reply_read(arena *a, str reply, str *rest,
                                               custos_err *err);

#endif
