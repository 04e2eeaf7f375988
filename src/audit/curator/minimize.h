/*
 * Shrinks a query that shows a fault: drops items, clauses and operands,
 * replaces calls by their arguments or by literals and shortens literals, as
 * long as the fault stays. It works on the text's tokens and brackets alone, so
 * most of what it tries is no SQL; a server rejects that at no cost.
 */
#ifndef AUDIT_CURATOR_MINIMIZE_H
#define AUDIT_CURATOR_MINIMIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "custos.h"

/* Does this query still show the fault? */
typedef bool (*minimize_still)(void *context, const char *sql);

/*
 * `sql` is replaced by a shorter query that still shows the fault; `room` is
 * its size. Asks at most `tries` times. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status minimize(char *sql, size_t room, size_t tries,
                                       minimize_still still, void *context,
                                       size_t *asked);

#endif
