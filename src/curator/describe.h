/*
 * What an answer will look like: names and types of its columns, types of its
 * parameters; from query, policy and plan alone. Nothing is charged, no data is
 * opened, nothing runs.
 */
#ifndef CURATOR_DESCRIBE_H
#define CURATOR_DESCRIBE_H

#include "curator/curator.h"

struct description_column {
    str name;
    enum data_type type;
    bool is_key;
    struct datum within; /* the half width of its error bars, at 95 %;
                            TYPE_NULL: depends on what is released */
};

struct description {
    struct description_column *columns;
    size_t n_columns;
    enum data_type *params; /* $1 ... $n: as declared, else by what stands
                               beside them, else text */
    bool *lists;            /* is it a list of these? */
    size_t n_params;
};

/*
 * Of ask: who, sql, price, and param_types (the client's; TYPE_NULL: not
 * given). Params need no values. Values for curator_answer are then of these
 * types (or NULL, or text that reads as one). What curator_answer would refuse
 * for its text is refused here. All of *out lives in a.
 */
CUSTOS_MUST_USE custos_status curator_describe(struct curator *c,
                                               const struct ask *ask, arena *a,
                                               struct description *out,
                                               custos_err *err);

#endif
