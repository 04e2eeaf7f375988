/*
 * Expressions and numbers as people read them.
 */
#ifndef PLAN_WORDS_H
#define PLAN_WORDS_H

#include "num/rat.h"
#include "plan/plan.h"

void words_expr(const struct expr *e, struct buf *out);

/* Cut to what messages show; nothing without memory. */
void words_expr_shown(const struct expr *e, struct buf *out);

/* Exact where that is short, else six digits, rounded away from 0. */
void words_number(const rat *r, struct buf *out);

/* Steps of a grid, as the number that they represent. */
void words_steps(const rat *steps, struct grid g, struct buf *out);
void words_whole_steps(i128 steps, struct grid g, struct buf *out);

/* A line for each join, union or aggregate, with the prefix `before`: the most
   rows that a unit can have there. */
struct relation;
void words_from(const struct relation *r, const char *before, struct buf *out);

/* "at most 3 rows of each unit count" */
void words_counted(const struct plan *p, struct buf *out);

/* Can rows that pass WHERE be left out, because rows are chosen before it? */
bool from_loses(const struct plan *p);

/* A value of a part; a date is printed as a date. */
void words_value(const struct part *part, i128 steps, struct buf *out);

/* GROUPING SETS, ROLLUP, CUBE: the keys of a table; the tables; the residuals
   that get noise, or the table that one part is. */
void words_set(const struct plan *p, uint32_t set, struct buf *out);
void words_marginals(const struct plan *p, struct buf *out);
void words_residuals(const struct plan *p, struct buf *out);
void
words_table(const struct plan *p, const struct part *part, struct buf *out);

#endif
