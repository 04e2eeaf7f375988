/*
 * Errors: a status, and the caller's custos_err, which has texts for two
 * readers. The function that detects the error writes it; callers pass it on;
 * success leaves it untouched.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "custos.h"

#include <stdarg.h>

/*
 * Separates the message from the hint in a format:
 *     custos_fail(e, CUSTOS_ENAME, "no table '%s'" HINT "see \\d", name)
 */
#define HINT "\n"

/*
 * Writes code, message and hint to e (which may be NULL) and returns code. Both
 * texts are for the analyst and must not depend on the data. A text that is too
 * long is cut and ends with "..."; control characters, and bytes that are not UTF-8,
 * become '?'. Cannot fail.
 */
custos_status custos_fail(custos_err *e, custos_status code, const char *said,
                          ...) CUSTOS_PRINTF(3, 4);

/* The same, with the byte offset of the mistake in the text that was read. */
custos_status custos_fail_at(custos_err *e, custos_status code, int at,
                             const char *said, ...) CUSTOS_PRINTF(4, 5);

custos_status custos_fail_v(custos_err *e, custos_status code, int at,
                            const char *said, va_list args) CUSTOS_PRINTF(4, 0);

/* The name of a status without its prefix ("EBUSY"), for programs; and the
   status of a name, CUSTOS_EINTERNAL if there is no such name. */
const char *status_name(custos_status status);
custos_status status_named(const char *name);

/* For constant texts with a hint: the length of the part before HINT, and the
   part after it ("" if there is no hint). */
int hint_before(const char *text);
const char *hint_after(const char *text);

/*
 * The same functions as macros, so that the compiler and the static analyser
 * see that they return `code`, which is not CUSTOS_OK.
 */
#define custos_fail(e, code, ...)                                              \
    __extension__({                                                            \
        custos_fail(e, code, __VA_ARGS__);                                     \
        (custos_status)(code);                                                 \
    })
#define custos_fail_at(e, code, at, ...)                                       \
    __extension__({                                                            \
        custos_fail_at(e, code, at, __VA_ARGS__);                              \
        (custos_status)(code);                                                 \
    })

/* Adds a note to an error already written. It may quote data: never log it. */
void custos_note(custos_err *e, const char *noted, ...) CUSTOS_PRINTF(2, 3);

#endif
