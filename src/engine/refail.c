/*
 * The layer below knows what the engine said (the note), but only the layer above
 * knows what that means to the owner.
 */
#include "engine/refail.h"

#include <stdarg.h>

#include "base/error.h"

custos_status
refail(custos_err *err, custos_status code, const char *said, ...)
{
    custos_err old = CUSTOS_ERR_INIT;
    va_list args;

    if (err)
        old = *err;
    va_start(args, said);
    custos_fail_v(err, code, -1, said, args);
    va_end(args);
    if (err)
        custos_note(err, "%s", old.noted);
    return code;
}
