/*
 * Dates and timestamps cut to the first day, or microsecond, of their period. Days
 * are exact; a timestamp is read as its day and its time of day.
 */
#include "evaluate/date_cut.h"

#define HOUR_US ((i128)3600000000)

static i128
floor_div(i128 a, i128 b)
{
    return a / b - (a % b < 0);
}

/* Clamps to the years 1 to 9999, which policies can declare. */
static int64_t
clamp_day(i128 day)
{
    const int64_t first = date_days(1, 1, 1), last = date_days(9999, 12, 31);

    return day < first ? first : day > last ? last : (int64_t)day;
}

/* Each gives the first day, or other unit, of the period that contains x. */

static i128
cut_none(i128 x)
{
    return x;
}

/* 1970-01-01 was a Thursday. */
static i128
cut_week(i128 day)
{
    return floor_div(day + 3, 7) * 7 - 3;
}

static i128
cut_month(i128 day)
{
    int y, m, d;

    date_split(clamp_day(day), &y, &m, &d);
    return date_days(y, m, 1);
}

static i128
cut_quarter(i128 day)
{
    int y, m, d;

    date_split(clamp_day(day), &y, &m, &d);
    return date_days(y, (m - 1) / 3 * 3 + 1, 1);
}

static i128
cut_year(i128 day)
{
    int y, m, d;

    date_split(clamp_day(day), &y, &m, &d);
    return date_days(y, 1, 1);
}

static const struct {
    i128 (*cut)(i128 x); /* NULL: not a period */
    i128 unit;           /* of cut, in microseconds */
    int hours;
} periods[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define PERIOD(...) __VA_ARGS__
#include "sql/functions.def"
};

i128
date_cut(enum call call, enum data_type type, i128 x)
{
    i128 unit = type == TYPE_DATE ? 1 : periods[call].unit;

    return periods[call].cut(floor_div(x, unit)) * unit;
}

int
date_period_hours(enum call call)
{
    return periods[call].hours;
}

int
date_year(enum data_type type, i128 x)
{
    i128 day = type == TYPE_DATE ? x : floor_div(x, DAY_US);
    int y, m, d;

    date_split(clamp_day(day), &y, &m, &d);
    return y;
}
