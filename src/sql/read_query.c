/*
 * Queries within queries: WITH, UNION ALL, and x IN (SELECT ...).
 *
 * A WITH query is read where it is defined, and again for each use after the
 * first, so that each use is a tree of its own; copies count towards the
 * limits. The names are a linked list in which each query sees exactly the
 * names after its own: the earlier names of its WITH, then those of the
 * enclosing queries.
 */
#include "sql/read.h"

#include <string.h>

#include "base/error.h"
#include "sql/tokens.h"

/* ------------------------------------------------------------ positions -- */

int
word_before(const struct sql_reader *r, int at, const char *const *words)
{
    for (size_t i = r->n_tokens; i > 0; i--) {
        const struct sql_token *t = &r->tokens[i - 1];

        if (t->at >= at)
            continue;
        for (const char *const *w = words; *w; w++)
            if (token_is(r->sql, t, *w))
                return t->at;
    }
    return at;
}

int
select_at(const struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    static const char *const words[] = {"select", NULL};

    while (!s->with_clause && s->larg)
        s = s->larg;
    if (s->with_clause)
        return s->with_clause->location;
    if (s->n_target_list == 0)
        return 0;
    return word_before(r, node_at(s->target_list[0], 0), words);
}

/* ----------------------------------------------------------------- WITH -- */

static custos_status
cte_push(struct sql_reader *r, const pg_node *node, const struct sql_cte *outer)
{
    const PgQuery__CommonTableExpr *c = node->common_table_expr;
    size_t deepest = r->deepest;
    struct query *q = NULL;
    struct sql_cte *cte;
    custos_status st;

    if (node->node_case != PG_QUERY__NODE__NODE_COMMON_TABLE_EXPR)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "not part of private SQL: this WITH");
    for (cte = r->ctes; cte != outer; cte = cte->next)
        if (!strcmp(cte->name, c->ctename))
            return custos_fail_at(r->err, CUSTOS_ESYNTAX, c->location,
                                  "WITH defines \"%.63s\" twice", c->ctename);
    r->deepest = r->levels;
    st = query_read_below(r, c->ctequery, &q);
    if (st)
        return st;
    cte = arena_take(r->a, 1, sizeof *cte);
    if (!cte)
        return fail_memory(r->err);
    *cte = (struct sql_cte){c->ctename, c, q, r->deepest - r->levels, r->ctes};
    r->ctes = cte;
    if (deepest > r->deepest)
        r->deepest = deepest;
    return CUSTOS_OK;
}

static custos_status
with_read(struct sql_reader *r, const PgQuery__WithClause *w)
{
    const struct sql_cte *outer = r->ctes;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; w && !st && i < w->n_ctes; i++)
        st = cte_push(r, w->ctes[i], outer);
    return st;
}

custos_status
cte_read(struct sql_reader *r, const char *name, const struct sql_cte **found,
         struct query **out)
{
    struct sql_cte *all = r->ctes, *c = all;
    custos_status st;

    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    *found = c;
    if (!c)
        return CUSTOS_OK;
    if (c->first) {
        *out = c->first;
        c->first = NULL;
        st = levels_down(r, c->height, c->node->location);
        r->levels -= c->height;
        return st;
    }
    r->ctes = c->next;
    st = query_read_below(r, c->node->ctequery, out);
    r->ctes = all;
    return st;
}

/* ------------------------------------------------------------ UNION ALL -- */

static custos_status
union_check(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    static const char *const words[] = {"union", "intersect", "except", NULL};
    int at = word_before(r, select_at(r, s->rarg), words);
    const char *said =
        "UNION, which drops repeated rows" HINT "write UNION ALL";

    if (s->op == PG_QUERY__SET_OPERATION__SETOP_UNION && s->all && r->below > 0)
        return CUSTOS_OK;
    if (s->op == PG_QUERY__SET_OPERATION__SETOP_INTERSECT)
        said = "INTERSECT" HINT "there is UNION ALL in a subquery of FROM";
    else if (s->op == PG_QUERY__SET_OPERATION__SETOP_EXCEPT)
        said = "EXCEPT" HINT "there is UNION ALL in a subquery of FROM";
    else if (s->op != PG_QUERY__SET_OPERATION__SETOP_UNION)
        said = "this combination of queries";
    else if (r->below == 0)
        said = "UNION of answers" HINT "run the queries one by one, or write "
               "UNION ALL in a subquery of FROM";
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                          "not part of private SQL: %.*s" HINT "%s",
                          hint_before(said), said, hint_after(said));
}

/* The rows of a subquery have no order, so LIMIT would have no meaning. */
static custos_status
below_check(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    const pg_node *limit = s->limit_count ? s->limit_count : s->limit_offset;

    if (!limit)
        return CUSTOS_OK;
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(limit, 0),
                          "not part of private SQL: LIMIT or OFFSET in a "
                          "subquery" HINT
                          "write WHERE, or LIMIT in the outermost "
                          "SELECT");
}

static custos_status
below_read(struct sql_reader *r, const PgQuery__SelectStmt *s,
           struct query **out);

static custos_status
one_read(struct sql_reader *r, const PgQuery__SelectStmt *s, struct query **out)
{
    struct query *outer = r->query;
    enum clause clause = r->clause;
    bool exchanged = r->exchanged;
    custos_status st = node_counts(r, select_at(r, s));

    if (st)
        return st;
    *out = arena_take(r->a, 1, sizeof **out);
    if (!*out)
        return fail_memory(r->err);
    r->query = *out;
    st = select_read(r, s);
    r->query = outer;
    r->clause = clause;
    r->exchanged = exchanged;
    return st;
}

static custos_status
union_read(struct sql_reader *r, const PgQuery__SelectStmt *s,
           struct query **out)
{
    custos_status st = union_check(r, s);
    struct query **tail = out;

    if (!st)
        st = below_read(r, s->larg, out);
    if (st)
        return st;
    while (*tail)
        tail = &(*tail)->union_all;
    return below_read(r, s->rarg, tail);
}

/* One SELECT, or several with UNION ALL. */
static custos_status
below_read(struct sql_reader *r, const PgQuery__SelectStmt *s,
           struct query **out)
{
    struct sql_cte *outer = r->ctes;
    custos_status st = levels_down(r, 1, select_at(r, s));

    if (!st)
        st = below_check(r, s);
    if (!st)
        st = with_read(r, s->with_clause);
    if (!st)
        st = s->larg ? union_read(r, s, out) : one_read(r, s, out);
    r->levels--;
    r->ctes = outer;
    return st;
}

custos_status
query_read_below(struct sql_reader *r, const pg_node *node, struct query **out)
{
    custos_status st;

    if (node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, node_at(node, 0),
                              "a subquery is a SELECT");
    r->below++;
    st = below_read(r, node->select_stmt, out);
    r->below--;
    return st;
}

custos_status
query_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    custos_status st = s->larg ? union_check(r, s) : CUSTOS_OK;

    if (!st)
        st = with_read(r, s->with_clause);
    return st ? st : select_read(r, s);
}

/* ------------------------------------------------------------------- IN -- */

custos_status
sublink_read(struct sql_reader *r, const PgQuery__SubLink *s, bool negated,
             struct expr **out)
{
    const char *said =
        "a subquery as a value" HINT "write the value, or a join";
    custos_status st;

    if (s->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK)
        said = "EXISTS" HINT
               "write a join, or x IN (SELECT ...) of a public table";
    if (s->sub_link_type != PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK ||
        !s->testexpr)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, s->location,
                              "not part of private SQL: %.*s" HINT "%s",
                              hint_before(said), said, hint_after(said));
    st = expr_new(r, EXPR_IN_QUERY, s->location, 1, out);
    if (!st)
        st = expr_read(r, s->testexpr, &(*out)->args[0]);
    if (st)
        return st;
    (*out)->negated = negated;
    return query_read_below(r, s->subselect, &(*out)->query);
}
