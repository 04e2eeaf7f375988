/*
 * The number of rows of a whole table, where the policy states it.
 */
#ifndef PLAN_KNOWN_ROWS_H
#define PLAN_KNOWN_ROWS_H

#include "plan/work.h"

/*
 * If the query reads all rows of a table whose number the policy states, sets
 * w->known_rows and replaces every count of all rows by that number. Runs when
 * names are bound. True: no aggregate is left, and the query now reads no table.
 */
bool known_rows_make(struct work *w);

/* Is the number of rows in which the typed value x is not NULL known? */
bool known_rows_of(const struct work *w, const struct expr *x);

#endif
