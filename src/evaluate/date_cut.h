/*
 * The periods of date_trunc: where the one that contains a day begins. Days outside
 * the years 1 to 9999, which policies cannot declare, count as the nearest inside.
 */
#ifndef EVALUATE_DATE_CUT_H
#define EVALUATE_DATE_CUT_H

#include "base/datum.h"
#include "sql/tree.h"

/* The first day, or microsecond, of the period that contains x. `call` is one
   of date_trunc's. */
i128 date_cut(enum call call, enum data_type type, i128 x);

/* The hours of the shortest period of this kind; 0: not a call of date_trunc */
int date_period_hours(enum call call);

/* The year of a date or timestamp. */
int date_year(enum data_type type, i128 x);

#endif
