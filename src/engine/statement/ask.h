/*
 * Runs the statements of a builder. A builder that has failed gives CUSTOS_ENOMEM.
 */
#ifndef ENGINE_ASK_H
#define ENGINE_ASK_H

#include "engine/statement/rows.h"
#include "engine/statement/statement.h"

/* Runs s in a lane of the handle. On success the caller frees *out. */
CUSTOS_MUST_USE custos_status ask_rows(const struct builder *b, size_t lane,
                                       const struct select *s,
                                       struct result **out, custos_err *err);

/* The result of a select that gives one whole number; NULL is 0. */
CUSTOS_MUST_USE custos_status ask_whole(const struct builder *b,
                                        const struct select *s, i128 *out,
                                        custos_err *err);

/* Computes s into INPUT_KEPT `number`. */
CUSTOS_MUST_USE custos_status ask_keep(const struct builder *b, size_t number,
                                       const struct select *s, custos_err *err);

#endif
