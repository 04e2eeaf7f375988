/*
 * The list of everything that a query may contain: which nodes of PostgreSQL's
 * tree, and which of their fields. A node that is not listed is refused, and so
 * is a field that is set and not listed. So anything that a later version of
 * the parser adds is refused until it is listed here.
 *
 * The walk knows nothing about the nodes; it uses their descriptors.
 */
#include "sql/read.h"

#include <string.h>

#include "base/error.h"
#include "sql/fields.h"
#include "sql/tokens.h"

/* Messages, each with the fields that the reader uses. */
static const struct shape shapes[] = {
    {"ParseResult", " version stmts "},
    {"RawStmt", " stmt stmt_location stmt_len "},
    {"ExplainStmt", " query "},
    {"SelectStmt",
     " distinct_clause target_list from_clause where_clause group_clause "
     "having_clause sort_clause limit_offset limit_count limit_option op all "
     "larg rarg with_clause "},
    {"WithClause", " ctes location "},
    /* MATERIALIZED is ignored: the rows are the same */
    {"CommonTableExpr",
     " ctename aliascolnames ctematerialized ctequery location "},
    {"ResTarget", " name val location "},
    {"RangeVar", " schemaname relname inh relpersistence alias location "},
    {"RangeSubselect", " subquery alias "},
    {"JoinExpr", " jointype larg rarg using_clause quals "},
    {"Alias", " aliasname colnames "},
    {"ColumnRef", " fields location "},
    {"String", " sval "},
    {"Integer", " ival "},
    {"Float", " fval "},
    {"Boolean", " boolval "},
    {"A_Star", " "},
    {"A_Const", " ival fval boolval sval isnull location "},
    {"ParamRef", " number location "},
    {"TypeCast", " arg type_name location "},
    {"TypeName", " names typmods typemod array_bounds location "},
    {"A_ArrayExpr", " elements location "}, /* for = ANY and <> ALL */
    {"A_Expr", " kind name lexpr rexpr location "},
    {"BoolExpr", " boolop args location "},
    {"NullTest", " arg nulltesttype location "},
    {"BooleanTest", " arg booltesttype location "},
    {"CaseExpr", " arg args defresult location "},
    {"CaseWhen", " expr result location "},
    {"CoalesceExpr", " args location "},
    {"MinMaxExpr", " op args location "},
    {"FuncCall", " funcname args agg_order agg_star agg_distinct "
                 "agg_within_group over funcformat location "},
    {"WindowDef", " partition_clause order_clause frame_options location "},
    {"NamedArgExpr", " arg name argnumber location "},
    {"RowExpr", " args row_format location "},
    {"SubLink", " sub_link_type testexpr subselect location "},
    {"List", " items "},
    {"GroupingSet", " kind content location "},
    {"GroupingFunc", " args location "},
    {"SortBy", " node sortby_dir sortby_nulls location "},
};

/*
 * Nodes, or fields of nodes, that are refused with a message of their own. An
 * error with a keyword is reported at the first occurrence of the keyword in
 * the text, any other at the node's position.
 */
static const struct refusal {
    const char *message, *field, *keyword, *said;
} refusals[] = {
    {"ExplainStmt", "options", NULL, "options of EXPLAIN"},
    {"SelectStmt", "into_clause", "into", "SELECT INTO" HINT "leave INTO out"},
    {"SelectStmt", "group_distinct", "group", "GROUP BY DISTINCT"},
    {"SelectStmt", "window_clause", "window",
     "WINDOW" HINT "write GROUP BY, and ORDER BY for the answer"},
    {"SelectStmt", "values_lists", "values",
     "VALUES" HINT "write x IN (...), or ask the owner for a public table"},
    {"SelectStmt", "locking_clause", "for",
     "FOR UPDATE or FOR SHARE" HINT "leave it out"},
    {"WithClause", "recursive", "recursive",
     "WITH RECURSIVE" HINT "write WITH, each query over those before it"},
    {"ResTarget", "indirection", NULL, "an index or field of a column"},
    {"RangeVar", "catalogname", NULL,
     "a database before a table's name" HINT "write the name alone"},
    {"A_Const", "bsval", NULL, "a bit string"},
    {"TypeName", "setof", NULL, "SETOF"},
    {"TypeName", "pct_type", NULL, "%TYPE"},
    {"FuncCall", "agg_filter", "filter",
     "FILTER" HINT
     "write the condition as CASE WHEN ... THEN ... END inside the "
     "aggregate"},
    {"WindowDef", "name", "over", "OVER with a name" HINT "write the window"},
    {"WindowDef", NULL, "over",
     "a window that does not begin with the first group and end with the "
     "current one" HINT "leave the frame out; a range of groups is the "
     "difference of two running counts"},
    {"FuncCall", "func_variadic", NULL, "VARIADIC"},
    {"SortBy", "use_op", NULL, "ORDER BY ... USING"},
    {"JoinExpr", "is_natural", "natural",
     "NATURAL JOIN" HINT
     "write JOIN ... USING (the columns that are to be equal)"},
    {"JoinExpr", "alias", NULL, "a name for a join" HINT "name its tables"},
    {"JoinExpr", "join_using_alias", "using",
     "a name for the columns of USING" HINT "name the tables"},
    {"RangeSubselect", "lateral", "lateral",
     "LATERAL" HINT "write a join with its condition in ON"},
    {"RangeFunction", NULL, "from",
     "a function in FROM" HINT "FROM takes tables, joins and subqueries"},
    {"RangeTableSample", NULL, NULL,
     "TABLESAMPLE" HINT "leave it out, a sample makes no answer cheaper"},
    {"RangeTableFunc", NULL, NULL, "XMLTABLE"},
    {"SubLink", "oper_name", NULL,
     "ANY, SOME or ALL of a subquery" HINT "write IN (SELECT ...)"},
    {"A_Indirection", NULL, NULL, "an index or field of a value"},
    {"CollateClause", NULL, NULL, "COLLATE"},
    {"SQLValueFunction", NULL, NULL,
     "a value that changes over time (CURRENT_DATE and the like)" HINT
     "write the date"},
    {"XmlExpr", NULL, NULL, "XML"},
    {"XmlSerialize", NULL, NULL, "XML"},
    {"SetToDefault", NULL, NULL, "DEFAULT"},
    {"CurrentOfExpr", NULL, NULL, "CURRENT OF"},
};

static int
keyword_at(const struct sql_reader *r, const char *keyword, int otherwise)
{
    for (size_t i = 0; keyword && i < r->n_tokens; i++)
        if (r->tokens[i].keyword != PG_QUERY__KEYWORD_KIND__NO_KEYWORD &&
            token_is(r->sql, &r->tokens[i], keyword))
            return r->tokens[i].at;
    return otherwise;
}

static custos_status
fail_closed(struct sql_reader *r, const char *message, const char *field,
            int at)
{
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        const struct refusal *f = &refusals[i];

        if (strcmp(f->message, message) != 0 ||
            (f->field && (!field || strcmp(f->field, field) != 0)))
            continue;
        return custos_fail_at(
            r->err, CUSTOS_EUNSUPPORTED, keyword_at(r, f->keyword, at),
            "not part of private SQL: %.*s" HINT "%s", hint_before(f->said),
            f->said, hint_after(f->said));
    }
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                          "not part of private SQL: %s%s%s", message,
                          field ? "." : "", field ? field : "");
}

static bool
shape_has(const char *fields, const char *name)
{
    size_t len = strlen(name);
    const char *p = fields;

    while ((p = strstr(p, name))) {
        if (p > fields && p[-1] == ' ' && p[len] == ' ')
            return true;
        p += len;
    }
    return false;
}

/* The fields listed for a message; NULL: it is not listed. */
static const char *
shape_fields(const struct sql_reader *r, const char *message)
{
    for (size_t i = 0; i < r->n_more; i++)
        if (!strcmp(r->more[i].message, message))
            return r->more[i].fields;
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        if (!strcmp(shapes[i].message, message))
            return shapes[i].fields;
    return NULL;
}

static custos_status
check_message(struct sql_reader *r, const pg_message *m, int at)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    const struct field_span span = fields_of(m);
    bool is_node = d == &pg_query__node__descriptor;
    const char *fields = is_node ? NULL : shape_fields(r, message_name(d));

    at = message_at(m, at);
    if (!is_node && !fields)
        return fail_closed(r, message_name(d), NULL, at);
    for (unsigned i = span.first; i < span.end; i++) {
        const pg_field *f = &d->fields[i];

        if (!field_is_set(m, f))
            continue;
        if (!is_node && !shape_has(fields, f->name))
            return fail_closed(r, message_name(d), f->name, at);
        for (size_t j = 0; j < field_messages(m, f); j++) {
            custos_status st = check_message(r, field_message(m, f, j), at);

            if (st)
                return st;
        }
    }
    return CUSTOS_OK;
}

custos_status
closed_check(struct sql_reader *r, const PgQuery__ParseResult *tree)
{
    return check_message(r, &tree->base, 0);
}
