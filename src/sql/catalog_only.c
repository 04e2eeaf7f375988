/*
 * Which queries are for the catalog: decided by the tables they name, anywhere
 * in the tree. A name of WITH counts as a table of the query only where it is
 * in scope; elsewhere the same name could be a relation of the database outside
 * the catalog.
 *
 * A text of 64 KiB can name tens of thousands of tables. So names are sorted
 * once, and each has a count of the scopes that are open for it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sql/catalog.h"

/* Writes the names to `list` unless it is NULL; returns how many there are. */
static size_t
names_find(const pg_message *m, const char **list)
{
    size_t n = 0;

    if (m->descriptor == &pg_query__common_table_expr__descriptor) {
        if (list)
            list[n] = ((const PgQuery__CommonTableExpr *)m)->ctename;
        n++;
    }
    for (struct insides in = insides_of(m); insides_next(&in);)
        n += names_find(in.at, list ? list + n : NULL);
    return n;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

custos_status
cte_names_take(arena *a, const pg_message *tree, struct cte_names *out,
               custos_err *err)
{
    size_t n = names_find(tree, NULL), kept = 0;

    *out = (struct cte_names){0};
    out->list = arena_take(a, n + 1, sizeof(const char *));
    out->scopes = arena_take(a, n + 1, sizeof(size_t));
    if (!out->list || !out->scopes)
        return fail_memory(err);
    memset(out->scopes, 0, (n + 1) * sizeof(size_t));
    names_find(tree, out->list);
    qsort(out->list, n, sizeof(const char *), compare);
    for (size_t i = 0; i < n; i++)
        if (!kept || strcmp(out->list[kept - 1], out->list[i]) != 0)
            out->list[kept++] = out->list[i];
    out->n = kept;
    return CUSTOS_OK;
}

/* The count of open scopes of a name that cte_names_take found, or NULL. */
static size_t *
scopes_of(const struct cte_names *names, const char *name)
{
    const char **at =
        bsearch(&name, names->list, names->n, sizeof(const char *), compare);

    return at ? &names->scopes[at - names->list] : NULL;
}

bool
cte_names_have(const struct cte_names *names, const char *name)
{
    const size_t *scopes = scopes_of(names, name);

    return scopes && *scopes > 0;
}

/* ---------------------------------------------------------------- scopes -- */

/* The part of a recursive query that may name the query itself. */
struct cte_own {
    const PgQuery__SelectStmt *part;
    size_t *scopes;
};

static custos_status
fields_walk(const pg_message *m, const pg_message *but, cte_visit *visit,
            void *ctx)
{
    custos_status st = CUSTOS_OK;

    for (struct insides in = insides_of(m); !st && insides_next(&in);)
        if (in.at != but)
            st = visit(ctx, in.at);
    return st;
}

/*
 * Walks a query of WITH. Its own name is out of scope in it, even if an outer
 * WITH defines that name too, for databases differ in what the name means
 * there. Only the part after UNION of a recursive query sees it.
 */
static custos_status
query_walk(struct cte_names *names, bool recursive, pg_node *node,
           cte_visit *visit, void *ctx)
{
    const PgQuery__CommonTableExpr *q = node->common_table_expr;
    const pg_node *body = q->ctequery;
    size_t *scopes = scopes_of(names, q->ctename), outer = *scopes;
    const struct cte_own *outer_own = names->own;
    struct cte_own own = {.scopes = scopes};
    custos_status st;

    if (recursive && body &&
        body->node_case == PG_QUERY__NODE__NODE_SELECT_STMT &&
        body->select_stmt->op == PG_QUERY__SET_OPERATION__SETOP_UNION)
        own.part = body->select_stmt->rarg;
    *scopes = 0;
    names->own = &own;
    st = visit(ctx, &node->base);
    names->own = outer_own;
    *scopes = outer;
    return st;
}

/* Each query of WITH sees those before it; the rest of the SELECT sees all. */
static custos_status
with_walk(struct cte_names *names, const pg_message *m, cte_visit *visit,
          void *ctx)
{
    const PgQuery__WithClause *with =
        ((const PgQuery__SelectStmt *)m)->with_clause;
    custos_status st = CUSTOS_OK;
    size_t open = 0;

    for (; open < with->n_ctes && !st; open++) {
        st = query_walk(names, with->recursive, with->ctes[open], visit, ctx);
        ++*scopes_of(names, with->ctes[open]->common_table_expr->ctename);
    }
    if (!st)
        st = fields_walk(m, &with->base, visit, ctx);
    while (open-- > 0)
        --*scopes_of(names, with->ctes[open]->common_table_expr->ctename);
    return st;
}

custos_status
cte_walk(struct cte_names *names, const pg_message *m, cte_visit *visit,
         void *ctx)
{
    const PgQuery__SelectStmt *s = (const PgQuery__SelectStmt *)m;
    const struct cte_own *own = names->own;
    bool is_own;
    custos_status st;

    if (m->descriptor != &pg_query__select_stmt__descriptor)
        return fields_walk(m, NULL, visit, ctx);
    is_own = own && own->part == s;
    if (is_own)
        ++*own->scopes;
    st = s->with_clause ? with_walk(names, m, visit, ctx)
                        : fields_walk(m, NULL, visit, ctx);
    if (is_own)
        --*own->scopes;
    return st;
}

static bool
is_catalog(const struct cte_names *ctes, const PgQuery__RangeVar *v)
{
    if (v->schemaname[0])
        return !strcmp(v->schemaname, "pg_catalog") ||
               !strcmp(v->schemaname, "information_schema");
    return !strncmp(v->relname, "pg_", 3) || cte_names_have(ctes, v->relname);
}

/* Stops at the first table that is not in the catalog. */
static custos_status
table_visit(void *ctx, pg_message *m)
{
    struct cte_names *names = ctx;

    if (m->descriptor != &pg_query__range_var__descriptor)
        return cte_walk(names, m, table_visit, names);
    return is_catalog(names, (const PgQuery__RangeVar *)m) ? CUSTOS_OK
                                                           : CUSTOS_ENAME;
}

bool
catalog_only(pg_message *tree, struct cte_names *ctes)
{
    return !table_visit(ctes, tree);
}
