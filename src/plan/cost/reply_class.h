/*
 * The class time of a plan: how long its work may take, from public facts.
 * A charged reply leaves when the class times of the questions before it and
 * its own have passed (serve/reply_queue.h). So the class must not depend on
 * the data: it is a function of the plan, the policy and measured speeds alone.
 *
 * Row counts are ceilings that the owner made public, never counts of private
 * rows: a table's max_rows or, where the policy has none, a noisy bound that
 * was charged for. The true count of a public table is public and no larger
 * than any ceiling, so it is used where it is known.
 *
 * Speeds are picoseconds per row, by the heaviest kind of work done on the row;
 * the speeds of heavier kinds include reading it. The work of a plan is the
 * larger of two sums: the time of its scans and that of its heavier operators.
 * The class is twice that, plus the most that one unit's rows may add
 * (unit-work) and a fixed time. It is rounded up to one of eight steps in every
 * doubling, and is at least 100 ms / 64.
 */
#ifndef PLAN_REPLY_CLASS_H
#define PLAN_REPLY_CLASS_H

#include "plan/plan.h"

struct reply_speeds {
    int64_t scan_ps;     /* stored keys, comparisons, sums of stored columns */
    int64_t computed_ps; /* computed keys and values */
    int64_t text_ps;     /* a look-up by hash: text keys, joins, distinct */
    int64_t sort_ps;     /* a window, a sort */
    int64_t quantile_ps; /* reading and sorting one value for quantiles */
    int64_t fixed_us;    /* fixed time of any plan */
    /* By number of the policy's table, for private ones without max_rows: a
       bound that was charged for; 0: not known. NULL: all unknown. */
    const uint64_t *rows;
    const struct plan_known *known; /* counts of public tables, or NULL */
};

/* Speeds of a machine of 2023, used until this machine's are measured. */
#define REPLY_SPEEDS_DEFAULT                                                   \
    ((struct reply_speeds){.scan_ps = 20000,                                   \
                           .computed_ps = 100000,                              \
                           .text_ps = 100000,                                  \
                           .sort_ps = 300000,                                  \
                           .quantile_ps = 150000,                              \
                           .fixed_us = 1300})

/* The class is this many times the work at these speeds. */
enum { REPLY_CLASS_MARGIN = 2 };

/* The least class: 100 ms / 64, rounded up. From it to its double there are
   eight steps of equal size, then eight twice as large, and so on.
   REPLY_CLASS_STEP_US: the size of the first eight, in units of 1/512 us. */
enum { REPLY_CLASS_LEAST_US = 1563, REPLY_CLASS_STEP_US = 100000 };

/* Microseconds, >= REPLY_CLASS_LEAST_US; INT64_MAX where no ceiling of rows is
   known. Cannot fail. */
int64_t plan_class_us(const struct plan *p, const struct reply_speeds *s);

/* "0.1 s", "25 ms", "1.6 ms": for people; at most REPLY_CLASS_TEXT bytes. */
enum { REPLY_CLASS_TEXT = 32 };
void reply_class_write(int64_t class_us, char out[REPLY_CLASS_TEXT]);

#endif
