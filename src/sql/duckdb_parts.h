/*
 * What the files of the DuckDB printer share.
 */
#ifndef SQL_DUCKDB_PARTS_H
#define SQL_DUCKDB_PARTS_H

#include "base/str.h"
#include "sql/tree.h"

/* What an expression is brought to before it is combined. */
struct shape {
    enum data_type type;
    bool wide;
    int exact;  /* compared as DECIMAL(18, exact - 1); 0: not so */
    bool steps; /* ... of which the whole steps are compared */
};

struct duck {
    const char *alias;
    const bool *stepped; /* by column: it has steps_<i>; NULL: none */
    bool aggregates;     /* some were printed: for public rows alone */
    bool refused;        /* out failed because of the tree, not of memory */
    struct buf *out;
};

/* Marks the tree as one that no engine may see. */
static inline void
duck_refuse(struct duck *d)
{
    d->refused = true;
    d->out->failed = true;
}

void duck_expr(struct duck *d, const struct expr *e);
void duck_call(struct duck *d, const struct expr *e);
void duck_literal(struct duck *d, const struct expr *e);
void duck_aggregate(struct duck *d, const struct expr *e);

/* ", low, high)": the claimed range of a whole number, as its own type. */
void duck_whole_limits(struct duck *d, const struct expr *e);

/* A date's part or beginning; false: the call is none. */
bool duck_date(struct duck *d, const struct expr *e);

/* The engine's name of a type. */
const char *duck_type(enum data_type type, bool wide);

/* A literal's is that of its value. */
enum data_type duck_type_of(const struct expr *e);
bool duck_is_wide(const struct expr *e);

/* The type in which all of args can stand beside each other. */
struct shape duck_common(struct expr *const *args, size_t n);

/* The same for a comparison, which may go by the stored decimal or steps. */
struct shape
duck_compared(const struct duck *d, struct expr *const *args, size_t n);

/* e, brought to a shape; numbers that are not whole to DOUBLE. */
void duck_as(struct duck *d, const struct expr *e, struct shape shape);
void duck_list(struct duck *d, struct expr *const *args, size_t n,
               struct shape shape);

#endif
