/*
 * The class time of a plan: how long its work may take, from public facts.
 * A charged reply leaves when the class times of the questions before it and
 * its own have passed (serve/reply_queue.h), so the class must not depend on
 * the data: it is a function of the plan, the policy and measured speeds alone.
 *
 * Rows are ceilings that the owner made public, never counts of private rows:
 * a table's max_rows, or where the policy has none a noisy bound that was
 * charged for. Of public tables the true count is public, and nearer than any
 * ceiling: it is used where it is known.
 *
 * Speeds are picoseconds per row, by the heaviest kind of work done on it;
 * those of the heavier kinds include reading the row. The work of a plan is the
 * larger of its scans and of the sum of its heavier operators. The class is
 * twice that, plus the most that one unit's rows may add (unit-work), rounded
 * up to the next of eight steps in every doubling, and at least 100 ms / 64.
 */
#ifndef PLAN_REPLY_CLASS_H
#define PLAN_REPLY_CLASS_H

#include "plan/plan.h"

struct reply_speeds {
    int64_t scan_ps;     /* stored keys, comparisons, sums of stored columns */
    int64_t computed_ps; /* computed keys and values */
    int64_t text_ps;     /* a look-up by hash: text keys, joins, distinct */
    int64_t sort_ps;     /* a window, a sort */
    int64_t quantile_ps; /* sorting, and the release of one quantile */
    int64_t fixed_us;    /* of any plan */
    /* By number of the policy's table, of private ones that declare no
       max_rows: a bound that was charged for; 0: not known. NULL: none is. */
    const uint64_t *rows;
    const struct plan_known *known; /* counts of public tables, or NULL */
};

/* Speeds of a machine of 2023, used until this machine's are measured. */
#define REPLY_SPEEDS_DEFAULT                                                   \
    ((struct reply_speeds){.scan_ps = 20000,                                   \
                           .computed_ps = 100000,                              \
                           .text_ps = 100000,                                  \
                           .sort_ps = 300000,                                  \
                           .quantile_ps = 850000,                              \
                           .fixed_us = 1300})

/* The class over the time that the work takes at these speeds. */
enum { REPLY_CLASS_MARGIN = 2 };

/* The least class: 100 ms / 64, rounded up. Between it and its double are eight
   steps of the same size, then eight of the double size, and so on. */
enum { REPLY_CLASS_LEAST_US = 1563, REPLY_CLASS_STEP_US = 100000 };

/* Microseconds, >= REPLY_CLASS_LEAST_US; INT64_MAX where no ceiling of rows is
   known. Cannot fail. */
int64_t plan_class_us(const struct plan *p, const struct reply_speeds *s);

/* "0.1 s", "25 ms", "1.6 ms": for people; bytes at most REPLY_CLASS_TEXT. */
enum { REPLY_CLASS_TEXT = 32 };
void reply_class_write(int64_t class_us, char out[REPLY_CLASS_TEXT]);

#endif
