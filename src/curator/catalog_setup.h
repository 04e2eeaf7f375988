/*
 * The content of an analyst's catalog, as tables with rows. Besides the relations of
 * catalog_tables, which begin empty, the small database gets
 *
 *   my_tables     granted tables and views
 *   my_columns    their granted columns, by number of the table (t) and their own (n)
 *   my_keys       keys between them: primary (p), unique (u), foreign (f; ft, fn and
 *                 findex are what it refers to)
 *   my_roles      the owner and the analyst; one of them asks
 *   my_relations  the relations of the catalog itself
 *   my_types, my_settings   PostgreSQL's own
 *
 * and derives all others from these (SANDBOX_CATALOG).
 */
#ifndef CURATOR_CATALOG_SETUP_H
#define CURATOR_CATALOG_SETUP_H

#include "curator/catalog_content.h"
#include "curator/curator.h"
#include "sql/catalog_text.h"

/*
 * The content for an analyst (NULL: the owner), who sees what is granted and no
 * trace of the rest. *out lives in a, and borrows from p. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status catalog_setup(const struct policy *p,
                                            const struct policy_analyst *who,
                                            arena *a,
                                            struct sandbox_content *out,
                                            custos_err *err);

/* Its parts: my_tables, my_columns and my_keys; my_types; my_settings. */
void catalog_fill(const struct policy *p, const struct policy_analyst *who,
                  struct catalog_content *c);
void catalog_add_types(struct catalog_content *c);
void catalog_add_settings(struct catalog_content *c);

#endif
