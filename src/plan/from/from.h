/*
 * What the files that build relations share.
 */
#ifndef PLAN_FROM_H
#define PLAN_FROM_H

#include "plan/from/relation.h"
#include "plan/work.h"

/* No relation may have more rows of one unit than this. */
#define FROM_ROWS_MAX ((uint64_t)1 << 31)

/* The most columns of a relation, and levels of FROM. */
enum { FROM_COLUMNS_MAX = 4096, FROM_DEPTH_MAX = 64 };

/*
 * Conditions of WHERE that joins without ON may take: a join takes those that
 * name only its own columns. Each condition is taken once.
 */
struct loose {
    struct expr **conjuncts;
    size_t n;
};

/* Each makes the relation of an item of FROM. May fail as plan_make does. */
CUSTOS_MUST_USE custos_status from_any(struct work *w, struct from *f,
                                       struct loose *loose,
                                       struct relation **out);
CUSTOS_MUST_USE custos_status from_table(struct work *w, const struct from *f,
                                         struct relation **out);
CUSTOS_MUST_USE custos_status from_join(struct work *w, struct from *f,
                                        struct loose *loose,
                                        struct relation **out);
CUSTOS_MUST_USE custos_status from_list(struct work *w, struct from *f,
                                        struct loose *loose,
                                        struct relation **out);
CUSTOS_MUST_USE custos_status from_query(struct work *w, struct from *f,
                                         struct relation **out);

/* Is it a join without a condition of its own: a comma or CROSS JOIN? */
bool from_is_list(const struct from *f);

/* Joins two relations, the sides of f. */
CUSTOS_MUST_USE custos_status from_pair(struct work *w, const struct from *f,
                                        struct loose *loose,
                                        struct relation *left,
                                        struct relation *right,
                                        struct relation **out);

/* A new relation of this kind, with arrays of its own for n columns. */
CUSTOS_MUST_USE custos_status from_new(struct work *w, enum relation_kind kind,
                                       size_t n, struct relation **out);

/* The table r->as, writable while r is being made. */
struct policy_table *from_as(struct relation *r);

/* A relation: the rows of inner that pass e, which is bound and typed. */
CUSTOS_MUST_USE custos_status from_filter(struct work *w,
                                          struct relation *inner,
                                          struct expr *e,
                                          struct relation **out);

/* From here on, names are looked up in r. */
void from_enter(struct work *w, struct relation *r);

/* The context of expressions over r. */
enum context from_context(const struct relation *r);

/* Renames the columns by the column list of f's alias, if it has one. */
CUSTOS_MUST_USE custos_status from_rename(struct work *w, const struct from *f,
                                          struct relation *r);

/* Calls `each` for every operand of the ANDs of a condition, until it fails. */
typedef custos_status (*from_each)(struct work *w, void *ctx, struct expr *e);
CUSTOS_MUST_USE custos_status from_conjuncts(struct work *w, struct expr *e,
                                             from_each each, void *ctx);

/* a AND b, typed; either may be NULL. */
CUSTOS_MUST_USE custos_status from_and(struct work *w, struct expr *a,
                                       struct expr *b, struct expr **out);

/* Does r contain a relation of this kind? */
bool from_has(const struct relation *r, enum relation_kind kind);

/* The number of rows that a table is assumed not to exceed: the larger of the
   policy's max_rows and 2^40. */
uint64_t from_ceiling(const struct policy_table *t);

/* Does the engine compare values of this type exactly? */
bool from_is_exact(enum data_type type);

/* Saturating product and sum. */
uint64_t from_times(uint64_t a, uint64_t b);
uint64_t from_plus(uint64_t a, uint64_t b);

/* Should rows of r be bounded after the conditions in it and above it (`where`)?
   Not if the owner of the table wants the bound before them, for speed. */
bool from_is_after_where(const struct relation *r, bool where);

#endif
