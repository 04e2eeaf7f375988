/*
 * What the rows of functions.def say about reading, writing and documenting a
 * function. The planner and the printers read further columns of the same rows.
 */
#ifndef SQL_FUNCTIONS_H
#define SQL_FUNCTIONS_H

#include "sql/tree.h"

/* How a call is written. */
enum form {
    FORM_INFIX,    /* (a word b) */
    FORM_PREFIX,   /* (word a) */
    FORM_SUFFIX,   /* (a word) */
    FORM_RANGED,   /* (a word b AND c) */
    FORM_FUNCTION, /* word(a, ...) */
    FORM_FIELD,    /* word('field', a) */
};

enum { FUNCTION_NAMES_MAX = 3 };

struct function {
    size_t least, most; /* number of arguments, if it is read by its name */
    const char *names[FUNCTION_NAMES_MAX + 1]; /* ended by NULL */
    enum form form;
    const char *word, *field;
    unsigned twice; /* i + 1: an engine may compute argument i twice */
    const char *example, *value; /* NULL: the example's value is NULL */
};

extern const struct function functions[N_CALLS];

/* The call that is read by this name; false: none is. */
bool function_find(const char *name, enum call *out);

/* The call of this form with this word and field (NULL: any); upper and lower
   case of the field do not matter. */
bool function_written(enum form form, const char *word, const char *field,
                      enum call *out);

#endif
