/*
 * Reads a text into a tree. A text that is too long, too deep or not UTF-8 is
 * refused before the parser sees it; the parser's tree is checked against the
 * closed list; then its one statement is read.
 */
#include "sql/read.h"

#include "base/error.h"
#include "base/utf8.h"
#include "sql/tokens.h"

custos_status
text_check(str text, custos_err *err)
{
    size_t at;

    if (text.len > SQL_TEXT_MAX)
        return custos_fail_at(err, CUSTOS_EOVERFLOW, SQL_TEXT_MAX,
                              "the query is longer than %d bytes",
                              SQL_TEXT_MAX);
    at = utf8_prefix(text);
    if (at < text.len)
        return custos_fail_at(err, CUSTOS_ESYNTAX, (int)at,
                              "the query is not UTF-8 text here");
    return CUSTOS_OK;
}

/* INSERT, SET, COPY ... are refused by their first word. */
static custos_status
fail_statement(struct sql_reader *r)
{
    const struct sql_token *t =
        &r->tokens[r->query->explain && r->n_tokens > 1 ? 1 : 0];
    int len = t->end - t->at;

    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, t->at,
                          "%.*s is not part of private SQL" HINT
                          "use SELECT or EXPLAIN SELECT",
                          len > 40 ? 40 : len, r->sql + t->at);
}

/* The first token at or after `at`: the parser's positions may be at blanks. */
static int
token_after(const struct sql_reader *r, int at)
{
    for (size_t i = 0; i < r->n_tokens; i++)
        if (r->tokens[i].at >= at)
            return r->tokens[i].at;
    return at;
}

/* Reads the query of a view as a subquery, since it will be one in FROM. */
static custos_status
subquery_read(struct sql_reader *r, const pg_node *node)
{
    struct query *q = NULL;
    custos_status st;

    if (r->query->explain || r->query->options.given)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, 0,
                              "a view is a SELECT alone, without %s",
                              r->query->explain ? "EXPLAIN"
                                                : "WITH DIFFERENTIAL_PRIVACY");
    st = query_read_below(r, node, &q);
    r->query = q;
    return st;
}

static custos_status
statement_read(struct sql_reader *r, const PgQuery__ParseResult *tree)
{
    const pg_node *node;
    custos_status st;

    if (tree->n_stmts == 0 || r->n_tokens == 0)
        return custos_fail_at(r->err, CUSTOS_ESYNTAX, 0,
                              "there is no query in this text");
    if (tree->n_stmts > 1)
        return custos_fail_at(
            r->err, CUSTOS_ESYNTAX,
            token_after(r, tree->stmts[1]->stmt_location),
            "only one statement is allowed: a second one begins here");
    node = tree->stmts[0]->stmt;
    if (node->node_case == PG_QUERY__NODE__NODE_EXPLAIN_STMT) {
        r->query->explain = true;
        node = node->explain_stmt->query;
    }
    if (node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return fail_statement(r);
    st = closed_check(r, tree);
    if (st)
        return st;
    return r->subquery ? subquery_read(r, node)
                       : query_read(r, node->select_stmt);
}

static custos_status
text_read(arena *a, str text, bool subquery, struct sql_params *params,
          struct query **out, custos_err *err)
{
    struct sql_reader r = {
        .a = a, .err = err, .subquery = subquery, .params = params};
    PgQuery__ParseResult *tree = NULL;
    struct sql_token *tokens = NULL;
    char *sql;
    custos_status st = text_check(text, err);

    if (st)
        return st;
    sql = arena_copy(a, text);
    r.query = arena_take(a, 1, sizeof *r.query);
    if (!sql || !r.query)
        return fail_memory(err);
    st = pg_scan(a, sql, &tokens, &r.n_tokens, err);
    if (st)
        return st;
    st = tokens_check(tokens, r.n_tokens, err);
    if (st)
        return st;
    st = tokens_google(a, sql, tokens, r.n_tokens, &r.query->options, err);
    if (st)
        return st;
    st = pg_parse(sql, &tree, err);
    if (st)
        return st;
    r.sql = sql;
    r.tokens = tokens;
    st = statement_read(&r, tree);
    pg_parse_free(tree);
    if (!st)
        *out = r.query;
    return st;
}

custos_status
sql_read(arena *a, str text, struct query **out, custos_err *err)
{
    return text_read(a, text, false, NULL, out, err);
}

custos_status
sql_read_with(arena *a, str text, struct sql_params *params, struct query **out,
              custos_err *err)
{
    return text_read(a, text, false, params, out, err);
}

custos_status
sql_read_subquery(arena *a, str text, struct query **out, custos_err *err)
{
    return text_read(a, text, true, NULL, out, err);
}
