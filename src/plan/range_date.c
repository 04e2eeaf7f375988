/*
 * Ranges of date parts and of dates truncated to periods. Days are exact; a
 * timestamp is read as its day and its time of day.
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

static i128
cut_days(enum call call, i128 day)
{
    int y, m, d;

    if (call == CALL_TRUNC_WEEK) /* 1970-01-01 was a Thursday */
        return floor_div(day + 3, 7) * 7 - 3;
    date_split(clamp_day(day), &y, &m, &d);
    switch (call) {
    case CALL_TRUNC_YEAR: return date_days(y, 1, 1);
    case CALL_TRUNC_QUARTER: return date_days(y, (m - 1) / 3 * 3 + 1, 1);
    case CALL_TRUNC_MONTH: return date_days(y, m, 1);
    default: return day;
    }
}

i128
date_cut(enum call call, enum data_type type, i128 x)
{
    if (type == TYPE_DATE)
        return cut_days(call, x);
    if (call == CALL_TRUNC_HOUR)
        return floor_div(x, HOUR_US) * HOUR_US;
    return cut_days(call, floor_div(x, DAY_US)) * DAY_US;
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

static void
range_year(struct fact *f, const struct expr *x)
{
    const struct fact *a = fact_of(x);

    if (a->known == KNOWN_DECLARED) {
        f->known = KNOWN_DECLARED;
        rat_set_i64(&f->lower, year_of(&a->lower, x->type), 1);
        rat_set_i64(&f->upper, year_of(&a->upper, x->type), 1);
    }
}

static void
range_cut(struct fact *f, const struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    i128 at = 0;

    if (a->known != KNOWN_DECLARED)
        return;
    f->known = KNOWN_DECLARED;
    CUSTOS_REQUIRE(rat_floor_i128(&a->lower, &at));
    rat_set_i128(&f->lower, date_cut(e->call, e->args[0]->type, at));
    CUSTOS_REQUIRE(rat_floor_i128(&a->upper, &at));
    rat_set_i128(&f->upper, date_cut(e->call, e->args[0]->type, at));
}

void
range_date(struct fact *f, const struct expr *e)
{
    int64_t low = 0, high = 0;

    switch (e->call) {
    case CALL_YEAR: range_year(f, e->args[0]); return;
    case CALL_TRUNC_YEAR:
    case CALL_TRUNC_QUARTER:
    case CALL_TRUNC_MONTH:
    case CALL_TRUNC_WEEK:
    case CALL_TRUNC_DAY:
    case CALL_TRUNC_HOUR: range_cut(f, e); return;
    case CALL_QUARTER: low = 1, high = 4; break;
    case CALL_MONTH: low = 1, high = 12; break;
    case CALL_WEEK: low = 1, high = 53; break;
    case CALL_DAY: low = 1, high = 31; break;
    case CALL_DOW: low = 0, high = 6; break;
    case CALL_DOY: low = 1, high = 366; break;
    case CALL_HOUR: low = 0, high = 23; break;
    case CALL_MINUTE:
    case CALL_SECOND: low = 0, high = 59; break;
    default: return; /* truth values and texts have no range */
    }
    f->known = KNOWN_DECLARED;
    rat_set_i64(&f->lower, low, 1);
    rat_set_i64(&f->upper, high, 1);
}
