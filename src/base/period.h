/*
 * Hours, days, weeks ... of the calendar as numbers, counted from the first day
 * of the year 1, which was a Monday. Consecutive periods have consecutive
 * numbers.
 */
#ifndef BASE_PERIOD_H
#define BASE_PERIOD_H

#include <stdint.h>

#include "base/datum.h"

enum period {
    PERIOD_YEAR,
    PERIOD_QUARTER,
    PERIOD_MONTH,
    PERIOD_WEEK,
    PERIOD_DAY,
    PERIOD_HOUR,
};

/* The number of the period that contains the given hour of the given day. Days
   are counted from 1970-01-01 and lie between DATE_FIRST and DATE_LAST. */
static inline int64_t
period_number(enum period p, int64_t days, int hour)
{
    const int64_t day = days - DATE_FIRST;
    int year, month, of_month;

    switch (p) {
    case PERIOD_HOUR: return 24 * day + hour;
    case PERIOD_DAY: return day;
    case PERIOD_WEEK: return day / 7;
    case PERIOD_YEAR:
    case PERIOD_QUARTER:
    case PERIOD_MONTH: break;
    }
    date_split(days, &year, &month, &of_month);
    year--;
    if (p == PERIOD_YEAR)
        return year;
    return p == PERIOD_MONTH ? 12 * (int64_t)year + month - 1
                             : 4 * (int64_t)year + (month - 1) / 3;
}

/* The day of a timestamp, both counted from 1970-01-01, and the hour of day. */
static inline int64_t
period_day_of(int64_t us, int *hour)
{
    const int64_t hour_us = INT64_C(3600000000), day_us = 24 * hour_us;
    int64_t day = us / day_us, rest = us % day_us;

    if (rest < 0) {
        rest += day_us;
        day--;
    }
    *hour = (int)(rest / hour_us);
    return day;
}

#endif
