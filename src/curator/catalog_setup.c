/*
 * Puts together the content of an analyst's catalog. Its relations begin without
 * rows; columns for the database's name hold the name that the session uses.
 */
#include "curator/catalog_setup.h"

#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "curator/catalog_tables.h"

/* OIDs that clients hard-code; those of other relations follow from their
   position in catalog_tables. */
static const struct {
    const char *name;
    unsigned oid;
} fixed[] = {
    {"pg_type", 1247},        {"pg_attribute", 1249}, {"pg_proc", 1255},
    {"pg_class", 1259},       {"pg_database", 1262},  {"pg_constraint", 2606},
    {"pg_description", 2609}, {"pg_index", 2610},     {"pg_namespace", 2615},
};

enum {
    FIRST_RELATION = 12000,
    OWNER = 10,
    ANALYST = 16383,
    OWN_TABLES = 7, /* catalog_setup.h lists them */
};

static unsigned
relation_number(size_t i)
{
    for (size_t k = 0; k < COUNT_OF(fixed); k++)
        if (catalog_tables[i].kind == TABLES &&
            !strcmp(catalog_tables[i].name, fixed[k].name))
            return fixed[k].oid;
    return FIRST_RELATION + (unsigned)i;
}

/* Columns that hold the name of the database. */
static bool
names_database(str column)
{
    static const char *const names[] = {
        "datname",         "table_catalog", "constraint_catalog",
        "udt_catalog",     "catalog_name",  "unique_constraint_catalog",
        "specific_catalog"};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_equal(column, str_of(names[i])))
            return true;
    return false;
}

/* Where no row sets it, a column of pg_catalog is false or 0 if it is a boolean, an
   OID or an integer of 2 or 4 bytes. */
static enum sandbox_unset
unset_of(const struct catalog_table *t, const struct sandbox_column *c)
{
    if (names_database(c->name))
        return SANDBOX_UNSET_DATABASE;
    if (t->kind == VIEWS)
        return SANDBOX_UNSET_NULL;
    return c->type == COLUMN_BOOL || c->type == COLUMN_U32 ||
                   c->type == COLUMN_I16 || c->type == COLUMN_I32
               ? SANDBOX_UNSET_ZERO
               : SANDBOX_UNSET_NULL;
}

static void
add_relations(struct catalog_content *c)
{
    for (size_t i = 0; i < catalog_n_tables; i++) {
        const struct catalog_table *from = &catalog_tables[i];
        struct sandbox_table *t = content_table(
            c, from->kind == VIEWS ? CATALOG_VIEWS : CATALOG_SCHEMA, from->name,
            from->columns);

        for (size_t k = 0; t && k < t->n_columns; k++)
            t->columns[k].unset = unset_of(from, &t->columns[k]);
    }
}

/* The relations as rows; functions that are called in FROM have none. */
static void
list_relations(struct catalog_content *c)
{
    struct sandbox_table *t =
        content_table(c, CATALOG_SCHEMA, "my_relations", "oid:o name views:b");

    for (size_t i = 0; i < catalog_n_tables; i++)
        if (catalog_tables[i].kind != CALLS)
            content_row(c, t,

                        content_whole(relation_number(i)),
                        content_word(catalog_tables[i].name),
                        content_flag(catalog_tables[i].kind == VIEWS));
}

/* Roles: the owner of all tables, and the analyst. */
static void
add_roles(const struct policy_analyst *who, struct catalog_content *c)
{
    struct sandbox_table *t =
        content_table(c, CATALOG_SCHEMA, "my_roles", "oid:o name asks:b");

    content_row(c, t, content_whole(OWNER), content_word("owner"),
                content_flag(!who));
    if (who)
        content_row(c, t, content_whole(ANALYST), content_text(who->name),
                    content_flag(true));
}

custos_status
catalog_setup(const struct policy *p, const struct policy_analyst *who,
              arena *a, struct sandbox_content *out, custos_err *err)
{
    struct catalog_content c;

    content_init(&c, a, catalog_n_tables + OWN_TABLES);
    add_relations(&c);
    list_relations(&c);
    add_roles(who, &c);
    catalog_add_types(&c);
    catalog_add_settings(&c);
    catalog_fill(p, who, &c);
    if (c.failed)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    *out = (struct sandbox_content){
        .kind = SANDBOX_CATALOG, .tables = c.tables, .n_tables = c.n_tables};
    return CUSTOS_OK;
}
