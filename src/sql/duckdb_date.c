/*
 * Parts of dates and date_trunc for DuckDB. A date is first converted to a
 * timestamp, which holds every date of the years 1 to 9999.
 */
#include "sql/duckdb_parts.h"

static void
as_timestamp(struct duck *d, const struct expr *x)
{
    struct shape s = {.type = TYPE_TIMESTAMP};

    duck_as(d, x, s);
}

bool
duck_date(struct duck *d, const struct expr *e)
{
    static const char *const parts[] = {
        [CALL_YEAR] = "year",     [CALL_QUARTER] = "quarter",
        [CALL_MONTH] = "month",   [CALL_WEEK] = "week",
        [CALL_DAY] = "day",       [CALL_DOW] = "dayofweek",
        [CALL_DOY] = "dayofyear", [CALL_HOUR] = "hour",
        [CALL_MINUTE] = "minute", [CALL_SECOND] = "second",
    };
    static const char *const steps[] = {
        [CALL_TRUNC_YEAR] = "year",   [CALL_TRUNC_QUARTER] = "quarter",
        [CALL_TRUNC_MONTH] = "month", [CALL_TRUNC_WEEK] = "week",
        [CALL_TRUNC_DAY] = "day",     [CALL_TRUNC_HOUR] = "hour",
    };

    if ((size_t)e->call < COUNT_OF(parts) && parts[e->call]) {
        buf_printf(d->out, "%s(", parts[e->call]);
        as_timestamp(d, e->args[0]);
        buf_add_text(d->out, ")");
        return true;
    }
    if ((size_t)e->call < COUNT_OF(steps) && steps[e->call]) {
        buf_printf(d->out, "TRY_CAST(date_trunc('%s', ", steps[e->call]);
        as_timestamp(d, e->args[0]);
        buf_printf(d->out, ") AS %s)", duck_type(e->type, false));
        return true;
    }
    return false;
}
