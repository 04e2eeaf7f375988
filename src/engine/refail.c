/*
 * The layer below says what the engine said (in the note) and cannot know what
 * it means to the owner; the layer above can.
 */
#include "engine/refail.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

custos_status
refail(custos_err *err, custos_status code, const char *said, ...)
{
    custos_err old;
    char text[sizeof old.said];
    va_list args;

    va_start(args, said);
    vsnprintf(text, sizeof text, said, args);
    va_end(args);
    if (err)
        old = *err;
    custos_fail(err, code, "%s", text);
    if (err)
        custos_note(err, "%s", old.noted);
    return code;
}
