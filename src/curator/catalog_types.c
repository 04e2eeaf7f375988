/*
 * Rows of the catalog that are the same for everybody: PostgreSQL's own types with
 * their OIDs, and the settings that clients read.
 */
#include "base/base.h"
#include "curator/catalog_setup.h"

static const struct {
    unsigned oid, element, array, collation; /* OIDs; 0: none */
    int len;
    bool by_value, preferred;
    const char *name, *kind, *category, *alignment, *storage;
    const char *shown, *input; /* its name in SQL; its input function */
} types[] = {
    {16, 0, 1000, 0, 1, true, true, "bool", "b", "B", "c", "p", "boolean",
     "boolin"},
    {17, 0, 1001, 0, -1, false, false, "bytea", "b", "U", "i", "x", "bytea",
     "byteain"},
    {18, 0, 1002, 0, 1, true, false, "char", "b", "Z", "c", "p", "\"char\"",
     "charin"},
    {19, 18, 1003, 950, 64, false, false, "name", "b", "S", "c", "p", "name",
     "namein"},
    {20, 0, 1016, 0, 8, true, false, "int8", "b", "N", "d", "p", "bigint",
     "int8in"},
    {21, 0, 1005, 0, 2, true, false, "int2", "b", "N", "s", "p", "smallint",
     "int2in"},
    {22, 21, 1006, 0, -1, false, false, "int2vector", "b", "A", "i", "p",
     "int2vector", "int2vectorin"},
    {23, 0, 1007, 0, 4, true, false, "int4", "b", "N", "i", "p", "integer",
     "int4in"},
    {24, 0, 1008, 0, 4, true, false, "regproc", "b", "N", "i", "p", "regproc",
     "regprocin"},
    {25, 0, 1009, 100, -1, false, true, "text", "b", "S", "i", "x", "text",
     "textin"},
    {26, 0, 1028, 0, 4, true, true, "oid", "b", "N", "i", "p", "oid", "oidin"},
    {28, 0, 1011, 0, 4, true, false, "xid", "b", "U", "i", "p", "xid", "xidin"},
    {29, 0, 1012, 0, 4, true, false, "cid", "b", "U", "i", "p", "cid", "cidin"},
    {30, 26, 1013, 0, -1, false, false, "oidvector", "b", "A", "i", "p",
     "oidvector", "oidvectorin"},
    {114, 0, 199, 0, -1, false, false, "json", "b", "U", "i", "x", "json",
     "json_in"},
    {142, 0, 143, 0, -1, false, false, "xml", "b", "U", "i", "x", "xml",
     "xml_in"},
    {194, 0, 0, 100, -1, false, false, "pg_node_tree", "b", "Z", "i", "x",
     "pg_node_tree", "pg_node_tree_in"},
    {600, 701, 1017, 0, 16, false, false, "point", "b", "G", "d", "p", "point",
     "point_in"},
    {700, 0, 1021, 0, 4, true, false, "float4", "b", "N", "i", "p", "real",
     "float4in"},
    {701, 0, 1022, 0, 8, true, true, "float8", "b", "N", "d", "p",
     "double precision", "float8in"},
    {705, 0, 0, 0, -2, false, false, "unknown", "p", "X", "c", "p", "unknown",
     "unknownin"},
    {869, 0, 1041, 0, -1, false, true, "inet", "b", "I", "i", "m", "inet",
     "inet_in"},
    {1042, 0, 1014, 100, -1, false, false, "bpchar", "b", "S", "i", "x",
     "character", "bpcharin"},
    {1043, 0, 1015, 100, -1, false, false, "varchar", "b", "S", "i", "x",
     "character varying", "varcharin"},
    {1082, 0, 1182, 0, 4, true, false, "date", "b", "D", "i", "p", "date",
     "date_in"},
    {1083, 0, 1183, 0, 8, true, false, "time", "b", "D", "d", "p",
     "time without time zone", "time_in"},
    {1114, 0, 1115, 0, 8, true, false, "timestamp", "b", "D", "d", "p",
     "timestamp without time zone", "timestamp_in"},
    {1184, 0, 1185, 0, 8, true, true, "timestamptz", "b", "D", "d", "p",
     "timestamp with time zone", "timestamptz_in"},
    {1186, 0, 1187, 0, 16, false, true, "interval", "b", "T", "d", "p",
     "interval", "interval_in"},
    {1266, 0, 1270, 0, 12, false, false, "timetz", "b", "D", "d", "p",
     "time with time zone", "timetz_in"},
    {1560, 0, 1561, 0, -1, false, false, "bit", "b", "V", "i", "x", "bit",
     "bit_in"},
    {1562, 0, 1563, 0, -1, false, true, "varbit", "b", "V", "i", "x",
     "bit varying", "varbit_in"},
    {1700, 0, 1231, 0, -1, false, false, "numeric", "b", "N", "i", "m",
     "numeric", "numeric_in"},
    {2202, 0, 2207, 0, 4, true, false, "regprocedure", "b", "N", "i", "p",
     "regprocedure", "regprocedurein"},
    {2205, 0, 2210, 0, 4, true, false, "regclass", "b", "N", "i", "p",
     "regclass", "regclassin"},
    {2206, 0, 2211, 0, 4, true, false, "regtype", "b", "N", "i", "p", "regtype",
     "regtypein"},
    {2249, 0, 2287, 0, -1, false, false, "record", "p", "P", "d", "x", "record",
     "record_in"},
    {2275, 0, 1263, 0, -2, false, false, "cstring", "p", "P", "c", "p",
     "cstring", "cstring_in"},
    {2276, 0, 0, 0, 4, true, false, "any", "p", "P", "i", "p", "\"any\"",
     "any_in"},
    {2277, 0, 0, 0, -1, false, false, "anyarray", "p", "P", "d", "x",
     "anyarray", "anyarray_in"},
    {2278, 0, 0, 0, 4, true, false, "void", "p", "P", "i", "p", "void",
     "void_in"},
    {2283, 0, 0, 0, 4, true, false, "anyelement", "p", "P", "i", "p",
     "anyelement", "anyelement_in"},
    {2950, 0, 2951, 0, 16, false, false, "uuid", "b", "U", "c", "p", "uuid",
     "uuid_in"},
    {3802, 0, 3807, 0, -1, false, false, "jsonb", "b", "U", "i", "x", "jsonb",
     "jsonb_in"},
    {4089, 0, 4090, 0, 4, true, false, "regnamespace", "b", "N", "i", "p",
     "regnamespace", "regnamespacein"},
    {4096, 0, 4097, 0, 4, true, false, "regrole", "b", "N", "i", "p", "regrole",
     "regrolein"},
};

static const struct {
    const char *name, *setting;
} settings[] = {
    {"max_index_keys", "32"},
    {"server_version", "15.0"},
    {"server_version_num", "150000"},
    {"server_encoding", "UTF8"},
    {"client_encoding", "UTF8"},
    {"DateStyle", "ISO, MDY"},
    {"TimeZone", "UTC"},
    {"standard_conforming_strings", "on"},
    {"integer_datetimes", "on"},
    {"search_path", "public"},
    {"transaction_isolation", "read committed"},
    {"default_transaction_isolation", "read committed"},
    {"transaction_read_only", "on"},
    {"default_transaction_read_only", "on"},
    {"max_identifier_length", "63"},
    {"lc_collate", "C"},
    {"lc_ctype", "C"},
    {"bytea_output", "hex"},
    {"IntervalStyle", "postgres"},
    {"extra_float_digits", "1"},
    {"application_name", ""},
    {"block_size", "8192"},
    {"escape_string_warning", "on"},
    {"jit", "off"},
    {"statement_timeout", "0"},
    {"is_superuser", "off"},
    {"in_hot_standby", "off"},
    {"wal_level", "minimal"},
};

void
catalog_add_types(struct catalog_content *c)
{
    struct sandbox_table *t = content_table(
        c, CATALOG_SCHEMA, "my_types",
        "oid:o name len:s byval:b kind category preferred:b elem:o array_oid:o "
        "alignment storage coll:o shown input");

    for (size_t i = 0; i < COUNT_OF(types); i++)
        content_row(
            c, t,

            content_whole(types[i].oid), content_word(types[i].name),
            content_whole(types[i].len), content_flag(types[i].by_value),
            content_word(types[i].kind), content_word(types[i].category),
            content_flag(types[i].preferred), content_whole(types[i].element),
            content_whole(types[i].array), content_word(types[i].alignment),
            content_word(types[i].storage), content_whole(types[i].collation),
            content_word(types[i].shown), content_word(types[i].input));
}

void
catalog_add_settings(struct catalog_content *c)
{
    struct sandbox_table *t =
        content_table(c, CATALOG_SCHEMA, "my_settings", "name setting");

    for (size_t i = 0; i < COUNT_OF(settings); i++)
        content_row(c, t, content_word(settings[i].name),
                    content_word(settings[i].setting));
}
