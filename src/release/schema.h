/*
 * The public schema of a release, from the policy and the query alone: what each code
 * of each column stands for is known before the data is read.
 */
#ifndef RELEASE_SCHEMA_H
#define RELEASE_SCHEMA_H

#include "base/arena.h"
#include "plan/from/relation.h"
#include "synth/schema.h"

/* Ranges of up to this many steps keep a code for each of them; longer ones are cut
   into runs of equal length. */
enum { SCHEMA_STEPS_MAX = 128, SCHEMA_RUNS = 64 };

/*
 * Makes the schema of a plan's relation, in `a`; it borrows texts and values of the
 * policy. chosen: by name of the relation, whether the column is wanted (NULL: all).
 * (*field)[i]: the column of plan->table that column i of the domain is.
 *
 *     booleans, declared values   a code for each value
 *     numbers, dates, timestamps  a code for each step of the range or run of steps
 *     names of units, keys        not modelled: they identify, and mean nothing else;
 *                                 but a reference with declared values is a category
 *
 * May fail: CUSTOS_EPOLICY (a column has none of these: the message says what to
 * add), CUSTOS_EOVERFLOW (too many columns or codes), CUSTOS_EINVAL (nothing to
 * model, or two names differ in case alone), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status schema_make(arena *a, const struct relation *from,
                                          const bool *chosen,
                                          struct schema **out, size_t **field,
                                          custos_err *err);

/* Gives a column with cuts as many codes as its steps, but at most SCHEMA_FINE, in `a`.
   May fail: CUSTOS_ENOMEM. */
enum { SCHEMA_FINE = 1024 };
CUSTOS_MUST_USE custos_status schema_cut_finely(arena *a,
                                                const struct policy_column *c,
                                                struct schema_column *out,
                                                custos_err *err);

/* The codes of one column; `table` is for messages. May fail: as schema_make. */
CUSTOS_MUST_USE custos_status schema_column_make(arena *a,
                                                 const struct policy_column *c,
                                                 str name, str table,
                                                 struct schema_column *out,
                                                 custos_err *err);

#endif
