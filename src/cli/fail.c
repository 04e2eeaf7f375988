/*
 * Failures and warnings on standard error: a line that says what is wrong, and
 * one that says what to do. Messages may quote arbitrary bytes of the input.
 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

static void
print_line(const char *before, char *text)
{
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    fprintf(stderr, "%s: %s\n", before, text);
}

static void
print_message(const char *before, const char *format, va_list args)
{
    custos_err e = CUSTOS_ERR_INIT;

    custos_fail_v(&e, CUSTOS_EINVAL, -1, format, args);
    print_line(before, e.said);
    if (*e.hint)
        print_line("hint", e.hint);
}

void
print_warning(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_message("custos: warning", format, args);
    va_end(args);
}

int(fail_usage)(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_message("custos", format, args);
    va_end(args);
    return CLI_USAGE;
}

int(fail_run)(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_message("custos", format, args);
    va_end(args);
    return CLI_FAILED;
}

int
fail_status(custos_status status, const custos_err *err)
{
    switch (status) {
    case CUSTOS_EINVAL:
    case CUSTOS_EPARSE:
    case CUSTOS_ERANGE:
    case CUSTOS_EOVERFLOW:
    case CUSTOS_ESYNTAX:
    case CUSTOS_EUNSUPPORTED:
    case CUSTOS_ENAME:
    case CUSTOS_EDENIED:
    case CUSTOS_EPOLICY:
        return fail_usage("%s" HINT "%s", err->said, err->hint);
    case CUSTOS_ESPENT:
        (void)fail_run("%s" HINT "%s", err->said, err->hint);
        return CLI_SPENT;
    default: return fail_run("%s" HINT "%s", err->said, err->hint);
    }
}
