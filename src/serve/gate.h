/*
 * Who may try to come in: failed attempts are counted by address and by name,
 * and after a few of them one has to wait, longer each time. For both
 * listeners, from any thread.
 *
 * Addresses of IPv6 count by their first 64 bits, for whoever has one has all of
 * those. A bounded table: when it is full, the entry that was quiet longest is
 * forgotten.
 */
#ifndef SERVE_GATE_H
#define SERVE_GATE_H

#include "base/str.h"
#include "custos.h"

struct gate;

struct gate *gate_new(void); /* NULL: out of memory */
void gate_free(struct gate *g);

/*
 * How long this address and name have to wait still, in microseconds; 0: they
 * may try. The answer does not tell whether the name exists. The first six
 * failures are free; each after that doubles a second, up to a minute. Failures
 * of other names from the same address count too, after two dozen, but not
 * against who has come in from there before: nobody is shut out by neighbours.
 */
int64_t gate_wait(struct gate *g, str address, str name, int64_t now_us);

void gate_failed(struct gate *g, str address, str name, int64_t now_us);

/* Forgets the failures of the name from this address, not the address's own,
   and knows the name there from now on. */
void gate_passed(struct gate *g, str address, str name, int64_t now_us);

/*
 * Wrong keys of cancel requests, by address: after GATE_CANCELS of them in a
 * minute further requests from there are ignored until the minute is over.
 * They do not count as failed logins, for a client may cancel a question that
 * has just ended.
 */
enum { GATE_CANCELS = 10 };
bool gate_cancels_end(struct gate *g, str address, int64_t now_us);
void gate_cancel_failed(struct gate *g, str address, int64_t now_us);

#endif
