/*
 * Rows of a private plan, as whole numbers, for a release (release/coded.h): the
 * one way in which exact values leave the engine unsealed. They go to one caller,
 * which counts them and seals the counts.
 */
#ifndef ENGINE_FIELDS_H
#define ENGINE_FIELDS_H

#include "engine/engine.h"

/* A column of plan->table. If it has declared values or is a boolean, its number is
   the index of the value, else its steps on its grid, clamped to these limits. */
struct engine_field {
    size_t column;
    int64_t lower, upper;
};

enum { ENGINE_FIELDS_MAX = 128 };

/* What a row has for NULL. */
#define ENGINE_NO_VALUE INT64_MIN

/* Gets n rows: numbers[i * n + row] of field i. They are not kept. */
typedef custos_status (*engine_take_fields)(void *ctx, size_t n,
                                            const int64_t *numbers,
                                            custos_err *err);

/*
 * THEOREM  rows-are-bounded
 *   Of each unit at most plan->rows rows are given, and which rows these are depends
 *   on no other unit.
 * SOURCE   bounded-by-rank, general-equals-fold
 * NEEDS    a plan with a known bound on rows whose query counts every one of these
 *          columns and has no groups; made from the policy that e has open.
 * GIVES    rows in any order.
 * FAILS    CUSTOS_EENGINE, with one constant sentence; CUSTOS_ENOMEM.
 * TESTED   fields_equal_the_reference
 */
CUSTOS_MUST_USE custos_status engine_fields(struct engine *e,
                                            const struct plan *plan,
                                            const struct engine_field *fields,
                                            size_t n, engine_take_fields take,
                                            void *ctx, custos_err *err);

#endif
