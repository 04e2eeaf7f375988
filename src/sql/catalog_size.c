/*
 * How long the statement becomes in the small database, which copies the
 * argument of a macro to every place where the macro's text uses it. NULLIF and
 * CASE with an argument are copied in the same way. So nested calls may grow
 * exponentially, and a statement that would grow too much is refused.
 */
#include <string.h>

#include "base/error.h"
#include "sql/catalog.h"

enum {
    COPIES_MOST = 7, /* of one argument, by any macro */
    SIZE_MAX_NODES = 100000,
};

/* Macros that use each argument once (engine/duckdb/catalog_macros.sql). */
static const char *const once[] = {
    "brief",       "tiny",          "text_cat", "list_cat",
    "quote_ident", "quote_literal", "is_like",  "is_ilike",
    "is_in",       "negation",      "matches",  "matches_any_case",
    "vector_text",
};

static double
copies_of_call(const PgQuery__FuncCall *f)
{
    const char *schema = f->n_funcname == 2 ? node_string(f->funcname[0]) : "";
    const char *name = node_string(f->funcname[f->n_funcname - 1]);

    if (!schema || strcmp(schema, CATALOG_SCHEMA) != 0)
        return 1;
    for (size_t i = 0; i < COUNT_OF(once); i++)
        if (!strcmp(name, once[i]))
            return 1;
    return COPIES_MOST;
}

/* How often the database copies what is inside the message. */
static double
copies_of(const pg_message *m)
{
    const PgQuery__CaseExpr *c = (const PgQuery__CaseExpr *)m;
    const PgQuery__AExpr *e = (const PgQuery__AExpr *)m;

    if (m->descriptor == &pg_query__func_call__descriptor)
        return copies_of_call((const PgQuery__FuncCall *)m);
    if (m->descriptor == &pg_query__case_expr__descriptor)
        return c->arg && c->n_args > 1 ? (double)c->n_args : 1;
    if (m->descriptor == &pg_query__a__expr__descriptor)
        return e->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF ? 2 : 1;
    return 1;
}

static double
size_of(const pg_message *m)
{
    double inside = 0;

    for (struct insides in = insides_of(m); insides_next(&in);)
        inside += size_of(in.at);
    return 1 + copies_of(m) * inside;
}

custos_status
catalog_check_size(const pg_message *tree, custos_err *err)
{
    if (size_of(tree) <= SIZE_MAX_NODES)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "the catalog query is too long: its functions and CASE "
                       "expressions are nested too deeply" HINT
                       "nest fewer of them");
}
