/*
 * The statements that make an analyst's catalog. A relation with a column for
 * the database's name is a table with a view over it, which fills in the name
 * that the session uses.
 */
#include "curator/catalog_setup.h"

#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "curator/catalog_tables.h"
#include "engine/duckdb/duck.h"
#include "sql/catalog_text.h"

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

enum { FIRST_RELATION = 12000 };

static unsigned
relation_number(size_t i)
{
    for (size_t k = 0; k < COUNT_OF(fixed); k++)
        if (catalog_tables[i].kind == TABLES &&
            !strcmp(catalog_tables[i].name, fixed[k].name))
            return fixed[k].oid;
    return FIRST_RELATION + (unsigned)i;
}

static const char *
column_type(char letter)
{
    switch (letter) {
    case 'o': return "UINTEGER";
    case 'b': return "BOOLEAN";
    case 's': return "SMALLINT";
    case 'i': return "INTEGER";
    case 'l': return "BIGINT";
    case 'f': return "DOUBLE";
    case 'T': return "TIMESTAMP";
    case 'S': return "SMALLINT[]";
    case 'O': return "UINTEGER[]";
    case 'A': return "VARCHAR[]";
    default: return "VARCHAR";
    }
}

/* The default of a column of pg_catalog: false for booleans, 0 for OIDs and
   integers of 2 or 4 bytes; other columns have none. */
static const char *
column_default(const struct catalog_table *t, char letter)
{
    if (t->kind == VIEWS)
        return "";
    return letter == 'b'                             ? " DEFAULT false"
           : letter && strchr("osi", letter) != NULL ? " DEFAULT 0"
                                                     : "";
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

/* Takes the next column from "oid:o relname ..."; false at the end. */
static bool
column_next(const char **p, str *name, char *letter)
{
    size_t len;

    while (**p == ' ')
        (*p)++;
    if (!**p)
        return false;
    len = strcspn(*p, " :");
    *name = (str){*p, len};
    *p += len;
    *letter = **p == ':' ? (*p)[1] : 0;
    *p += **p == ':' ? 2 : 0;
    return true;
}

static void
add_relation(const struct catalog_table *t, struct buf *out)
{
    const char *schema = t->kind == VIEWS ? CATALOG_VIEWS : CATALOG_SCHEMA;
    const char *p = t->columns;
    bool named = false, first = true;
    char letter;
    str name;

    while (column_next(&p, &name, &letter))
        named = named || names_database(name);
    buf_printf(out, "CREATE TABLE %s.%s%s(", schema, named ? "_" : "", t->name);
    for (p = t->columns; column_next(&p, &name, &letter); first = false) {
        buf_add_text(out, first ? "" : ", ");
        duck_quote_name(out, name);
        buf_printf(out, " %s%s", column_type(letter),
                   column_default(t, letter));
    }
    buf_add_text(out, ");\n");
    if (!named)
        return;
    buf_printf(out, "CREATE VIEW %s.%s AS SELECT * REPLACE (", schema, t->name);
    first = true;
    for (p = t->columns; column_next(&p, &name, &letter);)
        if (names_database(name)) {
            buf_printf(out,
                       "%sCAST(getvariable('database') AS VARCHAR) AS %.*s",
                       first ? "" : ", ", (int)name.len, name.ptr);
            first = false;
        }
    buf_printf(out, ") FROM %s._%s;\n", schema, t->name);
}

static void
add_relations(struct buf *out)
{
    buf_add_text(out, "CREATE SCHEMA " CATALOG_SCHEMA
                      ";\nCREATE SCHEMA " CATALOG_VIEWS ";\n");
    for (size_t i = 0; i < catalog_n_tables; i++)
        add_relation(&catalog_tables[i], out);
    buf_add_text(
        out,
        "CREATE TABLE pgc.my_tables(oid UINTEGER, name VARCHAR, kind VARCHAR, "
        "comment VARCHAR, def VARCHAR);\n"
        "CREATE TABLE pgc.my_columns(t UINTEGER, n SMALLINT, name VARCHAR, "
        "type UINTEGER, typmod INTEGER, must BOOLEAN, comment VARCHAR);\n"
        "CREATE TABLE pgc.my_keys(oid UINTEGER, key VARCHAR, kind VARCHAR, t "
        "UINTEGER, n SMALLINT, name VARCHAR, index UINTEGER, ft UINTEGER, fn "
        "SMALLINT, findex UINTEGER, def VARCHAR, indexdef VARCHAR);\n"
        "CREATE TABLE pgc.my_roles(oid UINTEGER, name VARCHAR);\n"
        "CREATE TABLE pgc.my_relations(oid UINTEGER, name VARCHAR, views "
        "BOOLEAN);\nINSERT INTO pgc.my_relations VALUES ");
    for (size_t i = 0; i < catalog_n_tables; i++)
        if (catalog_tables[i].kind != CALLS)
            buf_printf(out, "%s(%u, '%s', %s)", i ? ", " : "",
                       relation_number(i), catalog_tables[i].name,
                       catalog_tables[i].kind == VIEWS ? "true" : "false");
    buf_add_text(out, ";\n");
}

/* Roles: the owner of all tables, and the analyst. */
static void
add_roles(const struct policy_analyst *who, struct buf *out)
{
    str name = who ? who->name : str_of("owner");

    buf_add_text(out, "INSERT INTO pgc.my_roles VALUES (10, 'owner')");
    if (who) {
        buf_add_text(out, ", (16383, ");
        duck_quote_text(out, name);
        buf_add_text(out, ")");
    }
    buf_add_text(out, ";\nCREATE MACRO pgc.current_user() AS ");
    duck_quote_text(out, name);
    buf_add_text(out, ";\n");
}

custos_status
catalog_setup(const struct policy *p, const struct policy_analyst *who,
              struct buf *out, custos_err *err)
{
    custos_status st;

    buf_add_text(out, "BEGIN;\n");
    add_relations(out);
    buf_add_text(out, catalog_types);
    add_roles(who, out);
    buf_add_text(out, catalog_macros);
    st = catalog_fill(p, who, out, err);
    buf_add_text(out, catalog_derived);
    buf_add_text(out, "COMMIT");
    if (!st && out->failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return st;
}
