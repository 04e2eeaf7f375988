/*
 * Questions about the catalog, inside the folder.
 */
#ifndef SQL_CATALOG_H
#define SQL_CATALOG_H

#include "sql/fields.h"

/*
 * Does a tree name no table but those of pg_catalog and information_schema
 * (and names of its own WITH)? Then it is a question about the catalog; also
 * when it names none at all.
 */
bool catalog_only(const pg_message *tree);

#endif
