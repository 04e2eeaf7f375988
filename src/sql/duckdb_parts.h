/*
 * What the files of the DuckDB printer share.
 */
#ifndef SQL_DUCKDB_PARTS_H
#define SQL_DUCKDB_PARTS_H

#include "base/str.h"
#include "sql/tree.h"

/* The type that operands are converted to before they are combined. */
struct shape {
    enum data_type type;
    bool wide;
    int exact;  /* compared as DECIMAL(18, exact - 1), if not 0 */
    bool steps; /* compared by the whole steps of these decimals */
};

struct duck {
    const char *alias;
    const bool *stepped; /* by column: is there steps_<i>? NULL: none */
    bool aggregates;     /* an aggregate was printed: only for public rows */
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

/* Prints ", low, high)": the range of a whole number, in its own type. */
void duck_whole_limits(struct duck *d, const struct expr *e);

/* How a call is printed: its columns DUCKDB of functions.def. */
struct duck_form {
    void (*print)(struct duck *d, const struct expr *e,
                  const struct duck_form *f);
    const char *word; /* the engine's function or operator */
    const char *own;  /* our function for the same; NULL: none */
};

/* Print a part of a date, and date_trunc. */
void
duck_date_part(struct duck *d, const struct expr *e, const struct duck_form *f);
void duck_date_trunc(struct duck *d, const struct expr *e,
                     const struct duck_form *f);

/* The engine's name of a type. */
const char *duck_type(enum data_type type, bool wide);

/* The type of e; for a literal, that of its value. */
enum data_type duck_type_of(const struct expr *e);
bool duck_is_wide(const struct expr *e);

/* The type that all of args can be converted to. */
struct shape duck_common(struct expr *const *args, size_t n);

/* As duck_common, for a comparison, which may use stored decimals or steps. */
struct shape
duck_compared(const struct duck *d, struct expr *const *args, size_t n);

/* Prints e converted to a shape; numbers that are not whole become DOUBLE. */
void duck_as(struct duck *d, const struct expr *e, struct shape shape);
void duck_list(struct duck *d, struct expr *const *args, size_t n,
               struct shape shape);

#endif
