/*
 * Runs the statements of a builder.
 */
#ifndef ENGINE_ASK_H
#define ENGINE_ASK_H

#include "engine/rows.h"
#include "engine/statement.h"

/*
 * Runs s on one of the handle's connections, and gives its rows. A builder that has
 * failed gives CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status ask_rows(const struct builder *b,
                                       size_t connection,
                                       const struct select *s,
                                       struct result **out, custos_err *err);

/* The result of a select that gives one whole number; NULL is 0. */
CUSTOS_MUST_USE custos_status ask_whole(const struct builder *b,
                                        const struct select *s, i128 *out,
                                        custos_err *err);

/* Computes s into a temporary table of the first connection. */
CUSTOS_MUST_USE custos_status ask_table(const struct builder *b,
                                        const char *name,
                                        const struct select *s,
                                        custos_err *err);

/* Drops it, if it exists. */
CUSTOS_MUST_USE custos_status ask_drop(struct engine *e, const char *name,
                                       custos_err *err);

#endif
