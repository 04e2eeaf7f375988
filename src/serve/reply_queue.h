/*
 * Fixes when a charged reply leaves: a queue with n virtual servers, fed with
 * public class times and the moments at which questions come. A question is
 * admitted after its charge and before the data is touched. This fixes the
 * moment of its reply: answer, failure, cancel and overrun all leave at that
 * moment. The real work runs as soon as a worker process is free, and is ended
 * if it still runs at that moment.
 *
 * It knows no clock, worker or analyst. The fair queue (fair_queue.h) has decided
 * whose turn it is; here it is first come, first served.
 *
 * THEOREM  reply-time
 *   Let M be the mechanism of a charged question, (eps, delta)-DP, and let its
 *   reply leave at `due`, which reply_queue_admit fixed before the data was
 *   touched. If M has not answered by then, a constant sentence leaves instead:
 *   an overrun; likewise if no worker was free for it in time. With p the
 *   largest chance of either over all data, the pair (reply, time) is
 *   (eps, delta + (1 + e^eps) p)-DP.
 *   Cost bound (an assumption, not proven): each admitted question takes at
 *   most its class_us on a worker. Under it p = 0.
 * SOURCE   doc/proofs/reply-time.md
 * NEEDS    class_us, and the order and the moments of admissions (rounded up by
 *          moment_after), are functions of public facts: no thread that admits
 *          waits for private work of unknown length. For p = 0 also: n workers
 *          that do nothing else, handed out in the order of admission, and an
 *          allowance that covers the time from the end of the work to the reply.
 *          And the times at which the machine stops this process, which
 *          reply_clock.h does not count, are no function of the data.
 * GIVES    due: a function of the arguments of these calls, not of data.
 * FAILS    cannot. Late waking, caches, memory bandwidth and disks can still
 *          reveal something: THREATS.md.
 * TESTED   moments_depend_on_arrivals_and_classes_alone
 *          a_stopped_question_gives_its_time_back
 *          work_within_its_class_never_overruns
 *          capacity_is_servers_by_class
 */
#ifndef SERVE_REPLY_QUEUE_H
#define SERVE_REPLY_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct reply_queue;

/* The default: time for planning again in the worker, messages and waking
   up. */
enum { REPLY_ALLOWANCE_US = 45000 };

/* servers: how many workers run charged questions, >= 1. NULL: no memory. */
struct reply_queue *reply_queue_new(size_t servers, int64_t allowance_us);
void reply_queue_free(struct reply_queue *q);
int64_t reply_queue_allowance(const struct reply_queue *q);

/*
 * Admits a question and returns the moment at which its reply leaves and its
 * work is ended. The question had arrived completely at asked_us, is charged by
 * now_us and has the public class_us >= 1. Any thread may call this; questions are
 * admitted in the order of the calls. Cannot fail; the result saturates at
 * INT64_MAX.
 *
 * A question occupies its virtual server for its class time whatever happens,
 * unless the time is given back: a class of hours blocks a server for hours.
 * Refuse such a question before its charge.
 */
int64_t reply_queue_admit(struct reply_queue *q, int64_t asked_us,
                          int64_t now_us, int64_t class_us);

/*
 * The question whose reply leaves at due_us was stopped at now_us, and no
 * worker works for it from then on: its server is free, unless another question
 * was admitted behind it. Its own reply still leaves at due_us. A stop depends on
 * the data only through what was released: it comes at the owner's time limit, or
 * from the analyst. Cannot fail.
 */
void
reply_queue_give_back(struct reply_queue *q, int64_t due_us, int64_t now_us);

#endif
