/*
 * Functions that queries of the catalog may call: a closed list. Any other
 * function is refused, even if the database has it.
 */
#include <string.h>

#include "base/error.h"
#include "sql/catalog.h"
#include "sql/statement_call.h"

enum becomes {
    SAME,    /* a function of the database, with this or another name */
    BRIEF,   /* the same; long arguments and long results become NULL */
    REPLACE, /* the same; a long first or third argument or result is NULL */
    LONG,    /* the same; a long result becomes NULL */
    MACRO,   /* our macro of this or another name */
    TRUTH,   /* true: everything listed is visible and usable */
    FALSITY,
    NOTHING, /* NULL of type text: no such object exists here, or the function
                is not computed */
    SIZE,    /* NULL of type int8: sizes and the like are not shown */
};

static const struct function {
    const char *name;
    enum becomes becomes;
    const char *as; /* SAME, MACRO: another name */
} functions[] = {
    {"_pg_expandarray", MACRO, NULL},
    {"abs", SAME, NULL},
    {"aclexplode", MACRO, NULL},
    {"array_agg", SAME, NULL},
    {"array_cat", MACRO, "list_cat"},
    {"array_length", SAME, NULL},
    {"array_lower", MACRO, NULL},
    {"array_position", SAME, "list_position"},
    {"array_remove", MACRO, NULL},
    {"array_to_string", LONG, NULL},
    {"array_upper", MACRO, NULL},
    {"ascii", SAME, NULL},
    {"avg", SAME, NULL},
    {"bool_and", SAME, NULL},
    {"bool_or", SAME, NULL},
    {"btrim", SAME, "trim"},
    {"cardinality", SAME, "len"},
    {"ceil", SAME, NULL},
    {"char_length", SAME, "length"},
    {"chr", SAME, NULL},
    {"col_description", MACRO, NULL},
    {"concat", BRIEF, NULL},
    {"concat_ws", BRIEF, NULL},
    {"count", SAME, NULL},
    {"current_database", MACRO, NULL},
    {"current_role", MACRO, NULL},
    {"current_schema", MACRO, NULL},
    {"current_schemas", MACRO, NULL},
    {"current_setting", MACRO, NULL},
    {"current_user", MACRO, NULL},
    {"dense_rank", SAME, NULL},
    {"first_value", SAME, NULL},
    {"floor", SAME, NULL},
    {"format", MACRO, NULL},
    {"format_type", MACRO, NULL},
    {"generate_series", SAME, NULL},
    {"generate_subscripts", SAME, NULL},
    {"getdatabaseencoding", MACRO, NULL},
    {"greatest", SAME, NULL},
    {"has_any_column_privilege", MACRO, NULL},
    {"has_column_privilege", MACRO, NULL},
    {"has_database_privilege", TRUTH, NULL},
    {"has_function_privilege", TRUTH, NULL},
    {"has_language_privilege", TRUTH, NULL},
    {"has_schema_privilege", TRUTH, NULL},
    {"has_sequence_privilege", TRUTH, NULL},
    {"has_table_privilege", MACRO, NULL},
    {"has_tablespace_privilege", TRUTH, NULL},
    {"has_type_privilege", TRUTH, NULL},
    {"inet_client_addr", NOTHING, NULL},
    {"inet_server_addr", NOTHING, NULL},
    {"inet_server_port", SIZE, NULL},
    {"initcap", NOTHING, NULL},
    {"json_build_object", NOTHING, NULL},
    {"jsonb_build_object", NOTHING, NULL},
    {"lag", SAME, NULL},
    {"lead", SAME, NULL},
    {"left", SAME, NULL},
    {"length", SAME, NULL},
    {"lower", SAME, NULL},
    {"ltrim", SAME, NULL},
    {"max", SAME, NULL},
    {"min", SAME, NULL},
    {"mod", SAME, NULL},
    {"obj_description", MACRO, NULL},
    {"octet_length", SAME, "strlen"},
    {"pg_advisory_unlock_all", NOTHING, NULL},
    {"pg_age", SIZE, NULL},
    {"pg_backend_pid", MACRO, NULL},
    {"pg_char_to_encoding", MACRO, NULL},
    {"pg_collation_is_visible", TRUTH, NULL},
    {"pg_conversion_is_visible", TRUTH, NULL},
    {"pg_database_size", SIZE, NULL},
    {"pg_encoding_max_length", MACRO, NULL},
    {"pg_encoding_to_char", MACRO, NULL},
    {"pg_function_is_visible", TRUTH, NULL},
    {"pg_get_constraintdef", MACRO, NULL},
    {"pg_get_expr", MACRO, NULL},
    {"pg_get_function_arg_default", NOTHING, NULL},
    {"pg_get_function_arguments", NOTHING, NULL},
    {"pg_get_function_identity_arguments", NOTHING, NULL},
    {"pg_get_function_result", NOTHING, NULL},
    {"pg_get_function_sqlbody", NOTHING, NULL},
    {"pg_get_functiondef", NOTHING, NULL},
    {"pg_get_indexdef", MACRO, NULL},
    {"pg_get_partition_constraintdef", NOTHING, NULL},
    {"pg_get_partkeydef", NOTHING, NULL},
    {"pg_get_ruledef", NOTHING, NULL},
    {"pg_get_serial_sequence", NOTHING, NULL},
    {"pg_get_statisticsobjdef", NOTHING, NULL},
    {"pg_get_statisticsobjdef_columns", NOTHING, NULL},
    {"pg_get_triggerdef", NOTHING, NULL},
    {"pg_get_userbyid", MACRO, NULL},
    {"pg_get_viewdef", MACRO, NULL},
    {"pg_has_role", TRUTH, NULL},
    {"pg_indexes_size", SIZE, NULL},
    {"pg_is_in_recovery", FALSITY, NULL},
    {"pg_is_other_temp_schema", FALSITY, NULL},
    {"pg_is_wal_replay_paused", FALSITY, NULL},
    {"pg_my_temp_schema", MACRO, NULL},
    {"pg_opclass_is_visible", TRUTH, NULL},
    {"pg_operator_is_visible", TRUTH, NULL},
    {"pg_opfamily_is_visible", TRUTH, NULL},
    {"pg_partition_ancestors", MACRO, "class_oid"},
    {"pg_partition_root", MACRO, "class_oid"},
    {"pg_postmaster_start_time", NOTHING, NULL},
    {"pg_relation_filenode", SIZE, NULL},
    {"pg_relation_filepath", NOTHING, NULL},
    {"pg_relation_is_publishable", FALSITY, NULL},
    {"pg_relation_size", SIZE, NULL},
    {"pg_size_pretty", NOTHING, NULL},
    {"pg_statistics_obj_is_visible", TRUTH, NULL},
    {"pg_stat_get_last_autoanalyze_time", NOTHING, NULL},
    {"pg_stat_get_live_tuples", SIZE, NULL},
    {"pg_stat_get_numscans", SIZE, NULL},
    {"pg_table_is_visible", MACRO, NULL},
    {"pg_table_size", SIZE, NULL},
    {"pg_tablespace_location", NOTHING, NULL},
    {"pg_tablespace_size", SIZE, NULL},
    {"pg_total_relation_size", SIZE, NULL},
    {"pg_ts_config_is_visible", TRUTH, NULL},
    {"pg_ts_dict_is_visible", TRUTH, NULL},
    {"pg_ts_parser_is_visible", TRUTH, NULL},
    {"pg_ts_template_is_visible", TRUTH, NULL},
    {"pg_type_is_visible", TRUTH, NULL},
    {"pg_typeof", NOTHING, NULL},
    {"position", SAME, "instr"},
    {"quote_ident", MACRO, NULL},
    {"quote_literal", MACRO, NULL},
    {"rank", SAME, NULL},
    {"regexp_replace", REPLACE, NULL},
    {"replace", REPLACE, NULL},
    {"reverse", SAME, NULL},
    {"right", SAME, NULL},
    {"round", SAME, NULL},
    {"row_number", SAME, NULL},
    {"row_to_json", NOTHING, NULL},
    {"rtrim", SAME, NULL},
    {"session_user", MACRO, NULL},
    {"set_config", MACRO, NULL},
    {"shobj_description", NOTHING, NULL},
    {"split_part", SAME, NULL},
    {"starts_with", SAME, NULL},
    {"string_agg", LONG, NULL},
    {"string_to_array", SAME, "string_split"},
    {"strpos", SAME, "instr"},
    {"substr", SAME, NULL},
    {"substring", SAME, NULL},
    {"sum", SAME, NULL},
    {"to_regclass", MACRO, "class_oid"},
    {"to_regtype", MACRO, "type_oid"},
    {"translate", BRIEF, NULL},
    {"txid_current", SIZE, NULL},
    {"unnest", SAME, NULL},
    {"upper", SAME, NULL},
    {"version", MACRO, NULL},
};

static const struct function *
function_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (!strcmp(functions[i].name, name))
            return &functions[i];
    return NULL;
}

/* The function's name, if its schema is PostgreSQL's or missing; else NULL. */
static const char *
function_name(const PgQuery__FuncCall *f)
{
    const char *schema = f->n_funcname == 2 ? node_string(f->funcname[0]) : "";

    if (f->n_funcname > 2 || !schema)
        return NULL;
    if (schema[0] && strcmp(schema, "pg_catalog") != 0 &&
        strcmp(schema, "information_schema") != 0)
        return NULL;
    return node_string(f->funcname[f->n_funcname - 1]);
}

/* Gives the call the database's name for the function. */
static custos_status
rename_call(struct catalog_change *c, PgQuery__FuncCall *f, const char *schema,
            const char *name)
{
    pg_node node;
    custos_status st = node_be_call(c, &node, schema, name, NULL, NULL);

    if (st)
        return st;
    f->funcname = node.func_call->funcname;
    f->n_funcname = node.func_call->n_funcname;
    f->funcformat = node.func_call->funcformat;
    return CUSTOS_OK;
}

/* Wraps the node in a macro (engine/duckdb/catalog_macros.sql) that turns texts longer
   than its limit into NULL. */
static custos_status
bound_text(struct catalog_change *c, pg_node *node, const char *macro)
{
    pg_node *inside = node_copy(c, node);

    return inside ? node_be_call(c, node, CATALOG_SCHEMA, macro, inside, NULL)
                  : fail_memory(c->r->err);
}

/* A call of a function of the database that could give a long text. */
static custos_status
change_long(struct catalog_change *c, pg_node *node,
            const struct function *known)
{
    enum { REPLACEMENT = 2 };
    PgQuery__FuncCall *f = node->func_call;
    custos_status st = rename_call(c, f, NULL, known->name);

    for (size_t i = 0; i < f->n_args && !st; i++) {
        bool replace = known->becomes == REPLACE;

        if (known->becomes == BRIEF || (replace && i == 0))
            st = bound_text(c, f->args[i], "brief");
        else if (replace && i == REPLACEMENT)
            st = bound_text(c, f->args[i], "tiny");
    }
    return st ? st : bound_text(c, node, "brief");
}

custos_status
catalog_change_call(struct catalog_change *c, pg_node *node)
{
    PgQuery__FuncCall *f = node->func_call;
    const char *name = function_name(f);
    const struct function *known = name ? function_find(name) : NULL;

    if (name && !strcmp(name, "like_escape"))
        return CUSTOS_OK; /* made by the parser for LIKE ... ESCAPE */
    if (!known)
        return custos_fail_at(
            c->r->err, CUSTOS_EUNSUPPORTED, f->location,
            "function %.63s is not supported in catalog queries",
            name ? name : "");
    if ((!strcmp(name, "set_config") || !strcmp(name, "current_setting")) &&
        f->n_args > 0 && setting_is_ours(node_quoted(f->args[0])))
        return custos_fail_at(
            c->r->err, CUSTOS_EUNSUPPORTED, f->location,
            "%s of %.40s must be the only output of its SELECT, with literals "
            "as arguments" HINT
            "write SELECT set_config('custos.epsilon', '0.5', false)",
            name, node_quoted(f->args[0]));
    switch (known->becomes) {
    case SAME:
        return rename_call(c, f, NULL, known->as ? known->as : known->name);
    case BRIEF:
    case REPLACE:
    case LONG: return change_long(c, node, known);
    case MACRO:
        return rename_call(c, f, CATALOG_SCHEMA,
                           known->as ? known->as : known->name);
    case TRUTH: return node_be_truth(c, node, true);
    case FALSITY: return node_be_truth(c, node, false);
    case NOTHING: return node_be_null(c, node, "varchar");
    case SIZE: return node_be_null(c, node, "int8");
    }
    return CUSTOS_OK;
}
