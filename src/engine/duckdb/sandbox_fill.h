/*
 * Puts its content into a new sandbox.
 */
#ifndef ENGINE_SANDBOX_FILL_H
#define ENGINE_SANDBOX_FILL_H

#include "engine/duckdb/duck.h"
#include "engine/sandbox.h"

/* May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status
sandbox_fill(struct duck_connection *c, const struct sandbox_content *content,
             custos_err *err);

#endif
