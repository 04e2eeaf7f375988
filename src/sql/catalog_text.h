/*
 * Translates queries of the catalog for the small database that holds it. The
 * tree of the client's text is checked against closed lists of nodes,
 * relations, functions, operators and types, changed where the two dialects
 * differ, and printed: the text reaches the database only through the tree.
 */
#ifndef SQL_CATALOG_TEXT_H
#define SQL_CATALOG_TEXT_H

#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

/* The schemas for pg_catalog and information_schema in that database. Our
   functions are macros in the first. */
#define CATALOG_SCHEMA "pgc"
#define CATALOG_VIEWS "infos"

struct catalog_param {
    uint32_t type; /* as declared or found; 0: not known */
    bool given, is_null;
    str text;
};

struct catalog_question {
    str text;
    /* Is there a relation of this name? */
    bool (*knows)(const char *schema, const char *name);
    struct catalog_param *params;
    size_t n_params;
};

/* How many parameters a text has. May fail as sql_params_find does. */
CUSTOS_MUST_USE custos_status catalog_params(arena *a, str text, size_t *n,
                                             custos_err *err);

/*
 * Translates the question; *out lives in a. May fail: CUSTOS_ESYNTAX,
 * CUSTOS_EUNSUPPORTED, CUSTOS_ENAME, CUSTOS_EINVAL, CUSTOS_EOVERFLOW (too
 * long), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status catalog_write(arena *a,
                                            const struct catalog_question *q,
                                            const char **out, custos_err *err);

#endif
