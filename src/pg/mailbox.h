/*
 * Finished tasks on their way back to the loop: any thread puts them in; one
 * thread takes them out, woken by a file descriptor.
 */
#ifndef PG_MAILBOX_H
#define PG_MAILBOX_H

#include "serve/workers.h"

struct mailbox;

/* NULL: no memory or no descriptor. */
struct mailbox *mailbox_new(void);
void mailbox_free(struct mailbox *m); /* it must be empty */

/* Becomes readable when something is in it. */
int mailbox_fd(const struct mailbox *m);

void mailbox_put(struct mailbox *m, struct job *j);

/* Takes all jobs out, as a list linked by `next`, oldest first; NULL: none. */
struct job *mailbox_take(struct mailbox *m);

#endif
