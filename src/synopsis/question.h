/*
 * A question to a synopsis: its columns, its groups, and for each group the values
 * of its rows, as far as the schema's codes tell them.
 */
#ifndef SYNOPSIS_QUESTION_H
#define SYNOPSIS_QUESTION_H

#include "evaluate/effort.h"
#include "plan/plan.h"
#include "synopsis/question_values.h"
#include "synth/domain.h"

/* A column that the question uses. */
struct question_column {
    int slot; /* in the plan */
    const struct schema_column *is;
    struct column_use use;
    struct column_value *values;
    size_t n;
    size_t at; /* the current one */
};

/*
 * Rows of a group that have the same values in all columns of a reading: which cell
 * of the marginal they are in, which share of its rows they are, and then the value
 * of each argument; NAN for NULL.
 */
enum { PIECE_CELL, PIECE_SHARE, PIECE_VALUES };

struct group {
    struct datum *keys;
    double *pieces; /* rows of reading->width numbers, in the order of cells */
    size_t n, room;
};

/*
 * Aggregates that are computed from the same columns: those of WHERE and of the keys,
 * and their own. All readings have the same groups in the same order, since these
 * depend on the former alone.
 */
struct reading {
    struct colset set;
    size_t *aggregates; /* which of the question's */
    size_t n_aggregates, width;
    struct group *groups; /* in the order of their keys */
    size_t n_groups;
};

struct question {
    arena *a;
    const struct plan *plan;
    const struct schema *schema;
    const struct schema_column *fine; /* as fine_columns gives them */
    bool is_fine;   /* it uses one column alone, and that in its fine codes */
    arena *scratch; /* of one combination of values, or one aggregate */
    struct effort *effort; /* what it may still take, and who stops it */
    struct question_column *columns; /* by their place in the domain */
    size_t n_columns;
    struct expr **aggregates; /* different ones; the slot of an aggregate is its
                                 index here */
    size_t n_aggregates;
    size_t *reading, *place;  /* by aggregate: its reading, and where in it */
    struct reading *readings; /* at least one */
    size_t n_readings;
};

/* The most bytes of `a`, and of `scratch`. */
#define QUESTION_BYTES ((size_t)256 << 20)
#define QUESTION_SCRATCH_BYTES ((size_t)128 << 20)

static inline bool
question_is_stopped(const struct question *q)
{
    return q->effort->stop && *q->effort->stop != 0;
}

custos_status question_fail_stopped(custos_err *err);

/* From now on *scratch is empty, and has room for one thing more. */
void question_reset_scratch(const struct question *q);

/* The nodes of an expression. */
size_t question_nodes(const struct expr *e);

/*
 * Reads p, a public plan, as a question: q has its arenas, effort, plan, schema and
 * fine columns. Keys in the plan's trees become EXPR_KEY. May fail: CUSTOS_EUNSUPPORTED
 * (what a synopsis does not answer, with its position), CUSTOS_EOVERFLOW (too many values
 * or groups), CUSTOS_EENGINE (stopped), CUSTOS_ENOMEM (also where the effort has ended).
 */
CUSTOS_MUST_USE custos_status question_make(struct question *q, struct plan *p,
                                            custos_err *err);

#endif
