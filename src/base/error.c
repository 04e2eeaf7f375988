/*
 * Functions on the list of statuses, and the functions that write custos_err.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/utf8.h"

static const struct status_row {
    const char *name;
    const char *words;
    const char *sqlstate;
} rows[] = {
#define STATUS_ROW(name, value, sqlstate, words)                               \
    [value] = {#name, words, sqlstate},
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
status_name(custos_status status)
{
    return row_of(status)->name;
}

custos_status
status_named(const char *name)
{
    size_t i = 0;

    while (i < COUNT_OF(rows) && strcmp(rows[i].name, name) != 0)
        i++;
    return i < COUNT_OF(rows) ? (custos_status)i : CUSTOS_EINTERNAL;
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

enum { ERROR_TEXT = 4096 }; /* a message and its hint, both in full */

/* If a text was cut, ends it with dots, at a character boundary. */
static void
end_cut(char *text, size_t size, size_t full)
{
    static const char dots[] = "...";
    size_t at = size - sizeof dots;

    if (full < size)
        return;
    while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    memcpy(text + at, dots, sizeof dots);
}

int
hint_before(const char *text)
{
    return (int)strcspn(text, HINT);
}

const char *
hint_after(const char *text)
{
    const char *at = strstr(text, HINT);

    return at ? at + strlen(HINT) : "";
}

/* An argument may contain HINT too, so the message is printed alone first: its
   length says where the hint begins. */
custos_status
custos_fail_v(custos_err *e, custos_status code, int at, const char *said,
              va_list args)
{
    char format[ERROR_TEXT], all[ERROR_TEXT];
    size_t before = strcspn(said, HINT), len;
    va_list again;

    if (!e || e->size < sizeof *e)
        return code;
    CUSTOS_REQUIRE(before < sizeof format);
    memcpy(format, said, before);
    format[before] = '\0';
    va_copy(again, args);
    len = (size_t)vsnprintf(e->said, sizeof e->said, format, again);
    va_end(again);
    end_cut(e->said, sizeof e->said, len);
    utf8_clean(e->said);
    e->hint[0] = '\0';
    if (said[before]) {
        size_t full = (size_t)vsnprintf(all, sizeof all, said, args);
        size_t from = len + strlen(HINT);

        if (from < sizeof all && from < full) {
            int n = snprintf(e->hint, sizeof e->hint, "%s", all + from);

            end_cut(e->hint, sizeof e->hint,
                    full < sizeof all ? (size_t)n : sizeof all);
            utf8_clean(e->hint);
        }
    }
    e->code = code;
    e->at = at;
    e->noted[0] = '\0';
    return code;
}

custos_status(custos_fail)(custos_err *e, custos_status code, const char *said,
                           ...)
{
    va_list args;

    va_start(args, said);
    custos_fail_v(e, code, -1, said, args);
    va_end(args);
    return code;
}

custos_status(custos_fail_at)(custos_err *e, custos_status code, int at,
                              const char *said, ...)
{
    va_list args;

    va_start(args, said);
    custos_fail_v(e, code, at, said, args);
    va_end(args);
    return code;
}

void
custos_note(custos_err *e, const char *noted, ...)
{
    va_list args;

    if (!e || e->size < sizeof *e)
        return;
    va_start(args, noted);
    end_cut(e->noted, sizeof e->noted,
            (size_t)vsnprintf(e->noted, sizeof e->noted, noted, args));
    va_end(args);
}
