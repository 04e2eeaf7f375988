/*
 * Values of the sandbox, with PostgreSQL's types and written as PostgreSQL does.
 */
#ifndef ENGINE_SANDBOX_VALUE_H
#define ENGINE_SANDBOX_VALUE_H

#include "engine/duckdb/duck.h"
#include "engine/sandbox.h"

/* The OID of PostgreSQL's type for a column; that of text if there is none. */
uint32_t sandbox_oid(const struct result *rows, size_t column);

/* May fail: CUSTOS_EENGINE (a type without a text), CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status sandbox_value(const struct column *c, size_t row,
                                            arena *a, struct sandbox_value *out,
                                            custos_err *err);

#endif
