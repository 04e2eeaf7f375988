/*
 * Lists of columns, as people write them: names separated by commas, blanks around
 * them do not count. A name that begins with a double quote ends at the next one and
 * may have anything in between; two quotes there stand for one.
 */
#ifndef RELEASE_NAMES_H
#define RELEASE_NAMES_H

#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

/*
 * Takes the first name of the list, which is not empty, and drops it and its comma.
 * comment: what follows it outside of quotes is dropped as well; '\0': nothing is. The
 * name is a part of the list, or in `a`. May fail: CUSTOS_EINVAL (a quote is not
 * closed, or more than a comma follows it), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status names_take(arena *a, str *list, char comment,
                                         str *out, custos_err *err);

/* Without blanks on either side. */
str names_trim(str s);

#endif
