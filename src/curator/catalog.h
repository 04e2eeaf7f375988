/*
 * pg_catalog and information_schema: what clients ask a server about its
 * tables, answered from the policy. A small database in memory holds what one
 * analyst may know (granted tables and columns, their types, keys and public
 * domains) and nothing else: no data, no sizes, no numbers of rows. Its
 * answers cost nothing.
 */
#ifndef CURATOR_CATALOG_H
#define CURATOR_CATALOG_H

#include "curator/curator.h"

/* A value as PostgreSQL writes it: t, 42, {a,b}. */
struct catalog_value {
    bool is_null;
    str text;
};

struct catalog_column {
    str name;
    uint32_t oid; /* PostgreSQL's OID of the type: 16 bool, 20 int8, 21 int2,
                     23 int4, 25 text, 26 oid, 701 float8, 1700 numeric,
                     1082 date, 1114 timestamp, or that of an array of these
                     (engine/duckdb/sandbox_value.c) */
};

struct catalog_rows {
    struct catalog_column *columns;
    size_t n_columns;
    uint32_t *params; /* types of $1 ... $n: as declared or as cast in the
                         query, else text */
    size_t n_params;
    struct catalog_value *cells; /* row by row; none in a description */
    size_t n_rows;
};

struct catalog_ask {
    str who;      /* analyst's name; empty: the owner */
    str database; /* the name in current_database() and pg_database; empty:
                     custos */
    str sql;      /* one statement of STATEMENT_CATALOG */
    const uint32_t *param_types; /* declared by the client; 0: not declared */
    size_t n_param_types;
    const struct catalog_value *params;
    size_t n_params;
    const _Atomic int *stop; /* as in struct ask */
};

enum catalog_how {
    CATALOG_DESCRIBE, /* columns and types of parameters; nothing runs */
    CATALOG_RUN,
};

/*
 * Answers a question about the catalog. Functions, operators and relations that
 * are not on our lists are refused by name; every failure at run time gives one
 * constant sentence. May be called from any thread; each analyst's catalog
 * serves one question at a time. All of *out is allocated in `a`.
 */
CUSTOS_MUST_USE custos_status curator_catalog(struct curator *c,
                                              const struct catalog_ask *ask,
                                              arena *a,
                                              struct catalog_rows *out,
                                              custos_err *err);

/* The same with CATALOG_DESCRIBE: nothing runs. */
CUSTOS_MUST_USE custos_status
curator_catalog_describe(struct curator *c, const struct catalog_ask *ask,
                         arena *a, struct catalog_rows *out, custos_err *err);

#endif
