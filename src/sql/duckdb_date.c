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

void
duck_date_part(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    buf_printf(d->out, "%s(", f->word);
    as_timestamp(d, e->args[0]);
    buf_add_text(d->out, ")");
}

void
duck_date_trunc(struct duck *d, const struct expr *e, const struct duck_form *f)
{
    buf_printf(d->out, "TRY_CAST(date_trunc('%s', ", f->word);
    as_timestamp(d, e->args[0]);
    buf_printf(d->out, ") AS %s)", duck_type(e->type, false));
}
