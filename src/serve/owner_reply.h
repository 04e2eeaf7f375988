/*
 * Reads replies of the owner's socket (curator/owner.h), for the command and
 * for the owner's routes of HTTP, so that a failure has the same code in both.
 */
#ifndef SERVE_OWNER_REPLY_H
#define SERVE_OWNER_REPLY_H

#include "wire/json.h"

/*
 * *out is the reply, an object whose `ok` is true; in `a`. If the server reported
 * an error, fails with its status, message and hint. CUSTOS_EIO: not a reply of the
 * server.
 */
CUSTOS_MUST_USE custos_status owner_reply_read(arena *a, str reply,
                                               struct json_value *out,
                                               custos_err *err);

#endif
