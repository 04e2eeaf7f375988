/*
 * Which questions are for the catalog: told by the tables they name, wherever
 * these stand. A name of WITH is no table; where it hides one of the policy's,
 * the catalog does not know that either.
 *
 * A text of 64 KiB names tens of thousands: the tree is walked once for the
 * names of WITH and once for the tables.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sql/catalog.h"

/* Into `list` if there is one; how many there are. */
static size_t
names_find(const pg_message *m, const char **list)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    const struct field_span span = fields_of(m);
    size_t n = 0;

    if (d == &pg_query__common_table_expr__descriptor) {
        if (list)
            list[n] = ((const PgQuery__CommonTableExpr *)m)->ctename;
        n++;
    }
    for (unsigned i = span.first; i < span.end; i++)
        for (size_t j = 0; j < field_messages(m, &d->fields[i]); j++)
            n += names_find(field_message(m, &d->fields[i], j),
                            list ? list + n : NULL);
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
    out->n = names_find(tree, NULL);
    out->list = arena_take(a, out->n + 1, sizeof(const char *));
    if (!out->list)
        return fail_memory(err);
    names_find(tree, out->list);
    qsort(out->list, out->n, sizeof(const char *), compare);
    return CUSTOS_OK;
}

bool
cte_names_have(const struct cte_names *names, const char *name)
{
    return bsearch(&name, names->list, names->n, sizeof(const char *), compare);
}

static bool
is_catalog(const struct cte_names *ctes, const PgQuery__RangeVar *v)
{
    if (v->schemaname[0])
        return !strcmp(v->schemaname, "pg_catalog") ||
               !strcmp(v->schemaname, "information_schema");
    return !strncmp(v->relname, "pg_", 3) || cte_names_have(ctes, v->relname);
}

bool
catalog_only(const pg_message *m, const struct cte_names *ctes)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    const struct field_span span = fields_of(m);

    if (d == &pg_query__range_var__descriptor)
        return is_catalog(ctes, (const PgQuery__RangeVar *)m);
    for (unsigned i = span.first; i < span.end; i++)
        for (size_t j = 0; j < field_messages(m, &d->fields[i]); j++)
            if (!catalog_only(field_message(m, &d->fields[i], j), ctes))
                return false;
    return true;
}
