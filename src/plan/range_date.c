/*
 * Dates truncated to periods, and the ranges of these and of years. Days are
 * exact; a timestamp is read as its day and its time of day.
 */
#include "num/rat_round.h"
#include "plan/range.h"

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

static int64_t
year_of(const rat *x, enum data_type type)
{
    int y, m, d;
    i128 at = 0;

    CUSTOS_REQUIRE(rat_floor_i128(x, &at));
    if (type == TYPE_TIMESTAMP)
        at = floor_div(at, DAY_US);
    date_split(clamp_day(at), &y, &m, &d);
    return y;
}

void
range_year(struct expr *e)
{
    const struct expr *x = e->args[0];
    const struct fact *a = fact_of(x);
    struct fact *f = fact_of(e);

    if (a->known == KNOWN_DECLARED) {
        f->known = KNOWN_DECLARED;
        rat_set_i64(&f->lower, year_of(&a->lower, x->type), 1);
        rat_set_i64(&f->upper, year_of(&a->upper, x->type), 1);
    }
}

void
range_period(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    struct fact *f = fact_of(e);
    i128 at = 0;

    if (a->known != KNOWN_DECLARED)
        return;
    f->known = KNOWN_DECLARED;
    CUSTOS_REQUIRE(rat_floor_i128(&a->lower, &at));
    rat_set_i128(&f->lower, date_cut(e->call, e->args[0]->type, at));
    CUSTOS_REQUIRE(rat_floor_i128(&a->upper, &at));
    rat_set_i128(&f->upper, date_cut(e->call, e->args[0]->type, at));
}
