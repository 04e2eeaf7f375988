/*
 * Shares: averages of a value that is either 0 or one other number, as in avg(b),
 * avg(CASE WHEN p THEN 1 ELSE 0 END) and ratios of counts that plan/ratio.c has
 * turned into these.
 */
#ifndef PLAN_SHARE_H
#define PLAN_SHARE_H

#include "plan/part/parts.h"

/* Is the typed expression, where it is not NULL, 0 or one other number above 0,
   from its literals and ranges? Only accuracy rests on that. */
bool share_is_of(const struct expr *e);

/* Sets the share of every aggregate that is read from one, and adds their parts. */
CUSTOS_MUST_USE custos_status share_parts(struct work *w);

/* The sensitivity of a PART_SHARE; change: neighbours differ by a changed unit. */
void share_move(const struct plan *p, bool change, struct part *part);

#endif
