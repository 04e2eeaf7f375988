/*
 * The status list made functions, and the writers of custos_err.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"

static const struct status_row {
    const char *words;
    const char *sqlstate;
    int http;
} rows[] = {
#define STATUS_ROW(name, value, sqlstate, http, words)                         \
    [value] = {words, sqlstate, http},
    CUSTOS_STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

static const struct status_row *
row_of(custos_status status)
{
    size_t i = (size_t)status;

    return i < COUNT_OF(rows) ? &rows[i] : &rows[CUSTOS_EINTERNAL];
}

const char *
custos_version(void)
{
    return CUSTOS_VERSION;
}

const char *
custos_status_words(custos_status status)
{
    return row_of(status)->words;
}

const char *
custos_status_sqlstate(custos_status status)
{
    return row_of(status)->sqlstate;
}

int
custos_status_http(custos_status status)
{
    return row_of(status)->http;
}

CUSTOS_PRINTF(4, 0)
static custos_status
write_error(custos_err *e, custos_status code, int at, const char *said,
            va_list args)
{
    if (!e)
        return code;
    e->code = code;
    e->at = at;
    e->noted[0] = '\0';
    vsnprintf(e->said, sizeof e->said, said, args);
    return code;
}

custos_status(custos_fail)(custos_err *e, custos_status code, const char *said,
                           ...)
{
    va_list args;

    va_start(args, said);
    write_error(e, code, -1, said, args);
    va_end(args);
    return code;
}

custos_status(custos_fail_at)(custos_err *e, custos_status code, int at,
                              const char *said, ...)
{
    va_list args;

    va_start(args, said);
    write_error(e, code, at, said, args);
    va_end(args);
    return code;
}

void
custos_note(custos_err *e, const char *noted, ...)
{
    va_list args;

    if (!e)
        return;
    va_start(args, noted);
    vsnprintf(e->noted, sizeof e->noted, noted, args);
    va_end(args);
}
