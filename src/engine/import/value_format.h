/*
 * Guesses from a few examples, for the owner's report, the format of values that
 * could not be read or are not in the policy's list.
 */
#ifndef ENGINE_VALUE_FORMAT_H
#define ENGINE_VALUE_FORMAT_H

#include "engine/import/view.h"

/* Constant texts without a full stop; found is NULL if no format was recognised. */
struct value_format {
    const char *found;  /* after "looks like" */
    const char *remedy; /* what to change in the source or the policy */
};

/* Guesses the format of n > 0 values of column c that had this change. Cannot fail. */
struct value_format
value_format_guess(const struct policy_column *c, enum view_change change,
                   const str *values, size_t n);

#endif
