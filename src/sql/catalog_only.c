/*
 * Which questions are for the catalog: told by the tables they name, wherever
 * these stand. A name of WITH is no table; where it hides one of the policy's,
 * the catalog does not know that either.
 */
#include "sql/catalog.h"

#include <string.h>

bool
catalog_has_cte(const pg_message *m, const char *name)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;

    if (d == &pg_query__common_table_expr__descriptor &&
        !strcmp(((const PgQuery__CommonTableExpr *)m)->ctename, name))
        return true;
    for (unsigned i = 0; i < d->n_fields; i++)
        for (size_t j = 0; j < field_messages(m, &d->fields[i]); j++)
            if (catalog_has_cte(field_message(m, &d->fields[i], j), name))
                return true;
    return false;
}

static bool
is_catalog(const pg_message *tree, const PgQuery__RangeVar *v)
{
    if (v->schemaname[0])
        return !strcmp(v->schemaname, "pg_catalog") ||
               !strcmp(v->schemaname, "information_schema");
    return !strncmp(v->relname, "pg_", 3) || catalog_has_cte(tree, v->relname);
}

static bool
walk(const pg_message *tree, const pg_message *m)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;

    if (d == &pg_query__range_var__descriptor)
        return is_catalog(tree, (const PgQuery__RangeVar *)m);
    for (unsigned i = 0; i < d->n_fields; i++)
        for (size_t j = 0; j < field_messages(m, &d->fields[i]); j++)
            if (!walk(tree, field_message(m, &d->fields[i], j)))
                return false;
    return true;
}

bool
catalog_only(const pg_message *tree)
{
    return walk(tree, tree);
}
