/*
 * A small database in memory for public facts. It is filled once, when it is
 * made, and then sealed off from files, extensions and settings, with little
 * memory, one thread and little time for a question.
 */
#ifndef ENGINE_SANDBOX_H
#define ENGINE_SANDBOX_H

#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

struct sandbox;

struct sandbox_value {
    bool is_null;
    str text; /* as PostgreSQL writes it */
};

struct sandbox_rows {
    str *names;
    uint32_t *types; /* OIDs of PostgreSQL's types */
    size_t n_columns;
    struct sandbox_value *cells; /* row by row */
    size_t n_rows;
};

/* Makes a sandbox, runs the statements of setup in it and seals it; a question may
   take limit_ms. The caller closes *out. May fail: CUSTOS_EIO, CUSTOS_EENGINE,
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status sandbox_open(const char *setup, unsigned limit_ms,
                                           struct sandbox **out,
                                           custos_err *err);
void sandbox_close(struct sandbox *s);

enum sandbox_how { SANDBOX_DESCRIBE, SANDBOX_RUN };

/*
 * Runs or describes sql, for one caller at a time, on any thread. In sql,
 * getvariable('database') gives the argument `database`. May fail: CUSTOS_EENGINE
 * (one constant sentence), CUSTOS_EINVAL (a NUL in `database`), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status sandbox_ask(struct sandbox *s, str database,
                                          const char *sql, enum sandbox_how how,
                                          arena *a, struct sandbox_rows *out,
                                          custos_err *err);

/* Does it still answer? After an internal error the engine closes the database. */
bool sandbox_is_well(struct sandbox *s, arena *a);

#endif
