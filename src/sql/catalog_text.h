/*
 * Questions about the catalog as text for the small database that holds it.
 * The tree of the client's text passes a closed list of nodes, relations,
 * functions, operators and types, is changed where the two dialects differ,
 * and is written anew: nothing of the text reaches the database but through
 * the tree.
 */
#ifndef SQL_CATALOG_TEXT_H
#define SQL_CATALOG_TEXT_H

#include <stdint.h>

#include "base/arena.h"
#include "custos.h"

/* The schemas of that database: what pg_catalog and information_schema are
   there. Functions of ours are macros of the first. */
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

/* How many parameters a text has. May fail as sql_params_find. */
CUSTOS_MUST_USE custos_status catalog_params(arena *a, str text, size_t *n,
                                             custos_err *err);

/*
 * May fail: CUSTOS_ESYNTAX, CUSTOS_EUNSUPPORTED, CUSTOS_ENAME, CUSTOS_EINVAL,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status catalog_write(arena *a,
                                            const struct catalog_question *q,
                                            const char **out, custos_err *err);

#endif
