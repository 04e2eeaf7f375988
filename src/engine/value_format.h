/*
 * A guess, from a few examples, at the format of values that could not be read or
 * are not in the policy's list: for the owner's report.
 */
#ifndef ENGINE_VALUE_FORMAT_H
#define ENGINE_VALUE_FORMAT_H

#include "engine/view.h"

/* Sentences without a full stop, constant; NULL where nothing was recognised. */
struct value_format {
    const char *found;  /* after "looks like" */
    const char *remedy; /* what to change in the source or the policy */
};

/* Of n values of column c that met this change, at least one. Cannot fail. */
struct value_format
value_format_guess(const struct policy_column *c, enum view_change change,
                   const str *values, size_t n);

#endif
