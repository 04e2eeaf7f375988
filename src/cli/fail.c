/*
 * Failures: one line on standard error, whatever bytes the caller's text had.
 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

static void
say(const char *format, va_list args)
{
    char text[512];
    int n = vsnprintf(text, sizeof text, format, args);

    for (char *p = text; n > 0 && *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    fprintf(stderr, "custos: %s\n", text);
}

int(fail_usage)(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
    va_end(args);
    return CLI_USAGE;
}

int(fail_run)(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(format, args);
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
    case CUSTOS_EPOLICY: return fail_usage("%s", err->said);
    case CUSTOS_ESPENT: (void)fail_run("%s", err->said); return CLI_SPENT;
    default: return fail_run("%s", err->said);
    }
}
