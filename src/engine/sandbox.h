/*
 * A small database in memory for public facts. It is filled once, when it is
 * made, and then sealed off from files, extensions and settings, with little
 * memory, one thread and little time for a question.
 */
#ifndef ENGINE_SANDBOX_H
#define ENGINE_SANDBOX_H

#include <stdint.h>

#include "base/arena.h"
#include "base/datum.h"
#include "custos.h"
#include "engine/statement/rows.h"

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

/* ---------------------------------------------------------------- content -- */

/* What a column holds where no row sets it. */
enum sandbox_unset {
    SANDBOX_UNSET_NULL,
    SANDBOX_UNSET_ZERO,     /* 0 or false */
    SANDBOX_UNSET_DATABASE, /* in every row, the `database` of the question */
};

struct sandbox_column {
    str name;
    enum column_type type, item; /* item: of a COLUMN_LIST */
    enum sandbox_unset unset;
};

/* A table that a sandbox begins with. All pointers are borrowed. */
struct sandbox_table {
    const char *schema, *name; /* letters, digits and _ */
    struct sandbox_column *columns;
    size_t n_columns;
    struct datum *cells; /* row by row: NULL, boolean, whole number or text;
                            of a list column only NULL */
    size_t n_rows;
};

enum sandbox_kind {
    SANDBOX_TABLES,  /* has the given tables alone */
    SANDBOX_CATALOG, /* also has the rows and functions of pg_catalog and
                        information_schema, which the engine derives from the
                        tables that curator/catalog_setup.h describes */
};

struct sandbox_content {
    enum sandbox_kind kind;
    const struct sandbox_table *tables;
    size_t n_tables;
};

/* Makes a sandbox with this content and seals it; a question may take limit_ms. The
   caller closes *out. May fail: CUSTOS_EIO, CUSTOS_EENGINE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status
sandbox_open(const struct sandbox_content *content, unsigned limit_ms,
             struct sandbox **out, custos_err *err);
void sandbox_close(struct sandbox *s);

/* -------------------------------------------------------------- questions -- */

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
