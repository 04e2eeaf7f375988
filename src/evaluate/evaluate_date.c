/*
 * Parts of dates and timestamps, and their periods.
 */
#include "evaluate/date_cut.h"
#include "evaluate/evaluate_parts.h"

#define SECOND_US INT64_C(1000000)

static struct moment
moment_of(const struct datum *d)
{
    struct moment m = {.days = (int64_t)d->n};

    if (d->type == TYPE_TIMESTAMP) {
        m.days = (int64_t)(d->n / DAY_US);
        m.us = (int64_t)(d->n % DAY_US);
        if (m.us < 0) {
            m.us += DAY_US;
            m.days--;
        }
    }
    date_split(m.days, &m.year, &m.month, &m.day);
    return m;
}

/* 0 is Sunday; 1970-01-01 was a Thursday. */
static int
weekday(int64_t days)
{
    return (int)(((days + 4) % 7 + 7) % 7);
}

/* The week of ISO 8601: a week belongs to the year that has its Thursday. */
static int
iso_week(int64_t days)
{
    int64_t thursday = days - (weekday(days) + 6) % 7 + 3;
    int year, month, day;

    date_split(thursday, &year, &month, &day);
    return (int)((thursday - date_days(year, 1, 1)) / 7) + 1;
}

int64_t
part_year(const struct moment *m)
{
    return m->year;
}

int64_t
part_quarter(const struct moment *m)
{
    return (m->month + 2) / 3;
}

int64_t
part_month(const struct moment *m)
{
    return m->month;
}

int64_t
part_week(const struct moment *m)
{
    return iso_week(m->days);
}

int64_t
part_day(const struct moment *m)
{
    return m->day;
}

int64_t
part_dow(const struct moment *m)
{
    return weekday(m->days);
}

int64_t
part_doy(const struct moment *m)
{
    return m->days - date_days(m->year, 1, 1) + 1;
}

int64_t
part_hour(const struct moment *m)
{
    return m->us / (3600 * SECOND_US);
}

int64_t
part_minute(const struct moment *m)
{
    return m->us / (60 * SECOND_US) % 60;
}

int64_t
part_second(const struct moment *m)
{
    return m->us / SECOND_US % 60;
}

int64_t
datum_day(const struct datum *d)
{
    return moment_of(d).days;
}

bool
value_part(arena *a, const struct expr *e, const struct value *v,
           struct value *out)
{
    struct moment m;

    (void)a;
    if (v[0].datum.type == TYPE_NULL)
        return true;
    m = moment_of(&v[0].datum);
    out->datum =
        (struct datum){.type = TYPE_INT, .n = evaluators[e->call].part(&m)};
    return true;
}

bool
value_period(arena *a, const struct expr *e, const struct value *v,
             struct value *out)
{
    const struct datum *d = &v[0].datum;
    bool day = d->type == TYPE_DATE && e->type == TYPE_TIMESTAMP;

    (void)a;
    if (d->type == TYPE_NULL)
        return true;
    out->datum =
        (struct datum){.type = e->type, .n = date_cut(e->call, d->type, d->n)};
    if (day) /* of a CASE that also has timestamps */
        out->datum.n *= DAY_US;
    return true;
}
