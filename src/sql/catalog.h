/*
 * Queries of the catalog: what the files for them share.
 */
#ifndef SQL_CATALOG_H
#define SQL_CATALOG_H

#include "sql/catalog_text.h"
#include "sql/fields.h"
#include "sql/read.h"

/*
 * The names that WITH defines anywhere in a tree, sorted, and for each the
 * number of scopes that are open for it at the current point of a walk. Names
 * have no schema.
 */
struct cte_names {
    const char **list;
    size_t *scopes;
    size_t n;
    const struct cte_own *own; /* the query of WITH being walked; or NULL */
};
CUSTOS_MUST_USE custos_status cte_names_take(arena *a, const pg_message *tree,
                                             struct cte_names *out,
                                             custos_err *err);

/* Is the name one that WITH defines and that is in scope here? */
bool cte_names_have(const struct cte_names *names, const char *name);

/*
 * Visits the children of a message, each with the right names of WITH in scope;
 * the queries of WITH come before the rest. The visitor calls this again to
 * descend. Stops at the first failure.
 */
typedef custos_status cte_visit(void *ctx, pg_message *m);
CUSTOS_MUST_USE custos_status cte_walk(struct cte_names *names,
                                       const pg_message *m, cte_visit *visit,
                                       void *ctx);

/*
 * Does a tree name no tables but those of pg_catalog and information_schema
 * (and names of its own WITH)? Then it is a query of the catalog. So is a tree
 * that names no table at all. A name without a schema counts as one of
 * pg_catalog if it begins with pg_.
 */
bool catalog_only(pg_message *tree, struct cte_names *ctes);

struct catalog_change {
    struct sql_reader *r;
    const pg_message *tree;
    bool has_columns; /* a name may be a column's, here or in a subquery */
    struct cte_names ctes;
    const struct catalog_question *q;
};

CUSTOS_MUST_USE custos_status catalog_change_call(struct catalog_change *c,
                                                  pg_node *node);
CUSTOS_MUST_USE custos_status catalog_change_cast(struct catalog_change *c,
                                                  pg_node *node);
CUSTOS_MUST_USE custos_status catalog_change_operator(struct catalog_change *c,
                                                      pg_node *node);

/* Refuses a changed tree that would grow too much in the database:
   CUSTOS_EOVERFLOW. */
CUSTOS_MUST_USE custos_status catalog_check_size(arena *a,
                                                 const pg_message *tree,
                                                 custos_err *err);

/* Called before the node's leaves are changed. Takes the type of a parameter
   from the node, where the node shows it. */
void catalog_see_param(struct catalog_change *c, const pg_node *node);

/* These turn a node into another: a text, a whole number, NULL, a truth value;
   a call of a macro or, where schema is NULL, of a function of the database. */
CUSTOS_MUST_USE custos_status node_be_text(struct catalog_change *c,
                                           pg_node *node, const char *text);
CUSTOS_MUST_USE custos_status node_be_whole(struct catalog_change *c,
                                            pg_node *node, int n);
CUSTOS_MUST_USE custos_status node_be_null(struct catalog_change *c,
                                           pg_node *node, const char *type);
CUSTOS_MUST_USE custos_status node_be_truth(struct catalog_change *c,
                                            pg_node *node, bool truth);
CUSTOS_MUST_USE custos_status node_be_call(struct catalog_change *c,
                                           pg_node *node, const char *schema,
                                           const char *name, pg_node *first,
                                           pg_node *second);

/* Turns a node into an array: the text '{a,b}' into ARRAY['a', 'b']. */
CUSTOS_MUST_USE custos_status node_be_array(struct catalog_change *c,
                                            pg_node *node, const char *text);

/* A shallow copy. NULL: no memory. */
pg_node *node_copy(struct catalog_change *c, const pg_node *node);

/* Is it a call of this macro of ours? */
bool node_is_macro(const pg_node *node, const char *name);

#endif
