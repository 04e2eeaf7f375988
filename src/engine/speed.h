/*
 * How fast this machine is, by kind of work, for the class times of replies
 * (plan/cost/reply_class.h). It is measured on made-up rows, of the types that the
 * policy's private tables have, and never on stored rows. So it is a public fact.
 * The store keeps it in the file `speed`:
 *
 *     custos speed 3
 *     engine v1.4.4
 *     processors 2
 *     scan 14000            picoseconds per row, like the next four
 *     computed 88000
 *     text 140000
 *     sort 300000
 *     quantile 60000
 *     fixed 1000            microseconds
 *
 * It is measured again if the engine or the number of processors has changed.
 */
#ifndef ENGINE_SPEED_H
#define ENGINE_SPEED_H

#include "plan/cost/reply_class.h"
#include "policy/policy.h"
#include "store/store.h"

/* Reads the stored speeds, if they are this machine's; else returns false and leaves
   *out unchanged. Sets the speeds of *out, not its rows. */
bool engine_speed_known(const struct store *s, struct reply_speeds *out);

/*
 * Measures the speeds (about two seconds of one processor), and stores them if the
 * store can be written. Sets the speeds of *out, not its rows; if measuring fails,
 * *out is unchanged. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM, CUSTOS_EENTROPY,
 * CUSTOS_EIO.
 */
CUSTOS_MUST_USE custos_status engine_speed_measure(const struct store *s,
                                                   const struct policy *p,
                                                   struct reply_speeds *out,
                                                   custos_err *err);

/* Read and write the text of the file. speed_parse returns false if the text is
   incomplete, implausible or another machine's. */
struct speed_machine {
    char engine[32];
    long processors;
};
bool speed_parse(str text, const struct speed_machine *machine,
                 struct reply_speeds *out);
void speed_print(const struct speed_machine *machine,
                 const struct reply_speeds *s, struct buf *out);

#endif
