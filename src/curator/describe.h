/*
 * What an answer will look like: names and types of its columns, and types of
 * the query's parameters; from query, policy and plan alone. Nothing is
 * charged, no data is read, nothing runs.
 */
#ifndef CURATOR_DESCRIBE_H
#define CURATOR_DESCRIBE_H

#include "curator/curator.h"

struct description_column {
    str name;
    struct array_place array;
    enum data_type type;
    bool is_key;
    struct datum within;   /* half width of its 95 % error bars; TYPE_NULL:
                            depends on the released values */
    struct datum relative; /* the error to expect at best, as a fraction
                              (plan/explain/useful.h); TYPE_NULL: not known */
};

struct description {
    struct description_column *columns;
    size_t n_columns;
    enum data_type *params; /* types of $1 ... $n: as declared, else inferred
                               from their position, else text */
    bool *lists;            /* is it a list of that type? */
    size_t n_params;
};

/*
 * Reads from ask: who, sql, price, and param_types (declared by the client;
 * TYPE_NULL: not declared). Parameters need no values. A value given to
 * curator_answer later must have the described type, be NULL, or be text that
 * can be read as that type. A text that cannot be parsed or planned is refused
 * here, as by curator_answer. All of *out is allocated in `a`.
 */
CUSTOS_MUST_USE custos_status curator_describe(struct curator *c,
                                               const struct ask *ask, arena *a,
                                               struct description *out,
                                               custos_err *err);

#endif
