/*
 * The relations of the catalog, as a list.
 */
#ifndef CURATOR_CATALOG_TABLES_H
#define CURATOR_CATALOG_TABLES_H

#include <stdbool.h>
#include <stddef.h>

enum catalog_kind {
    TABLES, /* of pg_catalog */
    VIEWS,  /* of information_schema */
    CALLS,  /* functions of pg_catalog that are called in FROM */
};

struct catalog_table {
    enum catalog_kind kind;
    const char *name;
    const char *columns; /* "oid:o relname relkind ..." */
};

extern const struct catalog_table catalog_tables[];
extern const size_t catalog_n_tables;

/* Does pg_catalog or information_schema have a relation of this name? */
bool catalog_knows(const char *schema, const char *name);

#endif
