/*
 * GROUP BY, also with GROUPING SETS, ROLLUP and CUBE. These become a list of
 * sets, each a set of bits over the expressions of GROUP BY, of which every one
 * is read once. As in PostgreSQL, several items multiply: GROUP BY a, ROLLUP (b)
 * groups by (a, b) and by (a).
 */
#include "sql/read.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

enum { TEXT_MAX = SQL_TEXT_MAX };

struct sets {
    uint32_t *of;
    size_t n;
};

static custos_status
fail_sets(struct sql_reader *r, int at)
{
    return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, at,
                          "GROUP BY takes at most %d grouping sets of %d "
                          "different keys",
                          (int)SQL_SETS_MAX, (int)SQL_SET_KEYS_MAX);
}

static custos_status
sets_new(struct sql_reader *r, size_t n, int at, struct sets *out)
{
    if (n > SQL_SETS_MAX)
        return fail_sets(r, at);
    out->n = n;
    out->of = arena_take(r->a, n + 1, sizeof *out->of);
    return out->of ? CUSTOS_OK : fail_memory(r->err);
}

/* Equal trees have equal texts. */
static bool
is_same(const struct expr *a, const struct expr *b)
{
    struct buf x, y;
    bool same;

    buf_init(&x, NULL, TEXT_MAX);
    buf_init(&y, NULL, TEXT_MAX);
    sql_print_expr(a, &x);
    sql_print_expr(b, &y);
    same = !x.failed && !y.failed && x.len == y.len &&
           !memcmp(x.ptr, y.ptr, x.len);
    buf_clear(&x);
    buf_clear(&y);
    return same;
}

/* The bit of one expression, which is added to GROUP BY if it is new. */
static custos_status
key_read(struct sql_reader *r, const PgQuery__SelectStmt *s,
         const pg_node *node, uint32_t *bits)
{
    struct query *q = r->query;
    struct expr *e;
    custos_status st = group_key_read(r, s, node, &e);
    size_t i = 0;

    if (st)
        return st;
    while (i < q->n_group_by && !is_same(q->group_by[i], e))
        i++;
    if (i == SQL_SET_KEYS_MAX)
        return fail_sets(r, e->at);
    if (i == q->n_group_by)
        q->group_by[q->n_group_by++] = e;
    *bits |= (uint32_t)1 << i;
    return CUSTOS_OK;
}

/* An element of ROLLUP, CUBE or GROUPING SETS: a key, or (a, b, ...). */
static custos_status
element_read(struct sql_reader *r, const PgQuery__SelectStmt *s,
             const pg_node *node, uint32_t *bits)
{
    custos_status st = CUSTOS_OK;

    *bits = 0;
    if (node->node_case != PG_QUERY__NODE__NODE_ROW_EXPR)
        return key_read(r, s, node, bits);
    for (size_t i = 0; i < node->row_expr->n_args && !st; i++)
        st = key_read(r, s, node->row_expr->args[i], bits);
    return st;
}

/* ROLLUP (a, b): (a, b), (a), (). CUBE: every subset of the elements. */
static custos_status
steps_read(struct sql_reader *r, const PgQuery__SelectStmt *s,
           const PgQuery__GroupingSet *g, struct sets *out)
{
    const bool cube = g->kind == PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_CUBE;
    uint32_t elements[SQL_SET_KEYS_MAX];
    const size_t n = g->n_content;
    custos_status st = CUSTOS_OK;

    if (n > SQL_SET_KEYS_MAX || (cube && (size_t)1 << n > SQL_SETS_MAX))
        return fail_sets(r, g->location);
    for (size_t i = 0; i < n && !st; i++)
        st = element_read(r, s, g->content[i], &elements[i]);
    if (!st)
        st = sets_new(r, cube ? (size_t)1 << n : n + 1, g->location, out);
    for (size_t k = 0; !st && k < out->n; k++) {
        out->of[k] = 0;
        for (size_t i = 0; i < n; i++)
            if (cube ? !(k >> (n - 1 - i) & 1) : i + k < n)
                out->of[k] |= elements[i];
    }
    return st;
}

/* The sets of one item of GROUP BY or of GROUPING SETS. */
static custos_status
item_read(struct sql_reader *r, const PgQuery__SelectStmt *s,
          const pg_node *node, struct sets *out)
{
    const PgQuery__GroupingSet *g = node->grouping_set;
    custos_status st;

    if (node->node_case != PG_QUERY__NODE__NODE_GROUPING_SET) {
        st = sets_new(r, 1, node_at(node, 0), out);
        return st ? st : element_read(r, s, node, &out->of[0]);
    }
    if (g->kind == PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_EMPTY) {
        st = sets_new(r, 1, g->location, out);
        if (!st)
            out->of[0] = 0;
        return st;
    }
    if (g->kind != PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS)
        return steps_read(r, s, g, out);
    *out = (struct sets){.n = 0};
    st = levels_down(r, 1, g->location); /* GROUPING SETS nest */
    for (size_t i = 0; i < g->n_content && !st; i++) {
        struct sets one = {.n = 0}, all = {.n = 0};

        st = item_read(r, s, g->content[i], &one);
        if (!st)
            st = sets_new(r, out->n + one.n, g->location, &all);
        for (size_t k = 0; !st && k < all.n; k++)
            all.of[k] = k < out->n ? out->of[k] : one.of[k - out->n];
        *out = all;
    }
    r->levels--;
    return st;
}

static custos_status
multiply(struct sql_reader *r, const struct sets *by, int at, struct sets *sets)
{
    struct sets all = {.n = 0};
    custos_status st = sets_new(r, sets->n * by->n, at, &all);

    for (size_t k = 0; !st && k < all.n; k++)
        all.of[k] = sets->of[k / by->n] | by->of[k % by->n];
    *sets = all;
    return st;
}

/* With one set it is a GROUP BY like any other. */
static void
settle_sets(struct query *q, const struct sets *sets)
{
    size_t n = 0;

    if (sets->n > 1) {
        q->sets = sets->of;
        q->n_sets = sets->n;
        return;
    }
    for (size_t i = 0; i < q->n_group_by; i++)
        if (sets->of[0] >> i & 1)
            q->group_by[n++] = q->group_by[i];
    q->n_group_by = n;
}

static custos_status
sets_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    struct query *q = r->query;
    struct sets sets = {.n = 0}, one = {.n = 0};
    custos_status st = sets_new(r, 1, 0, &sets);

    if (!st)
        sets.of[0] = 0;
    q->group_by = arena_take(r->a, SQL_SET_KEYS_MAX, sizeof(struct expr *));
    if (!q->group_by)
        return fail_memory(r->err);
    for (size_t i = 0; i < s->n_group_clause && !st; i++) {
        st = item_read(r, s, s->group_clause[i], &one);
        if (!st)
            st = multiply(r, &one, node_at(s->group_clause[i], 0), &sets);
    }
    if (!st)
        settle_sets(q, &sets);
    return st;
}

custos_status
groups_read(struct sql_reader *r, const PgQuery__SelectStmt *s)
{
    struct query *q = r->query;
    custos_status st = CUSTOS_OK;

    r->clause = CLAUSE_GROUP_BY;
    for (size_t i = 0; i < s->n_group_clause; i++) {
        const pg_node *node = s->group_clause[i];

        if (node->node_case != PG_QUERY__NODE__NODE_GROUPING_SET)
            continue;
        if (r->below > 0 || r->subquery)
            return custos_fail_at(
                r->err, CUSTOS_EUNSUPPORTED, node->grouping_set->location,
                "not part of private SQL: GROUPING SETS, ROLLUP or CUBE in a "
                "subquery" HINT "they belong in the outermost SELECT");
        return sets_read(r, s);
    }
    q->group_by = s->n_group_clause ? arena_take(r->a, s->n_group_clause,
                                                 sizeof(struct expr *))
                                    : NULL;
    if (s->n_group_clause && !q->group_by)
        return fail_memory(r->err);
    for (size_t i = 0; !st && i < s->n_group_clause; i++)
        st = group_key_read(r, s, s->group_clause[i],
                            &q->group_by[q->n_group_by++]);
    return st;
}

custos_status
grouping_read(struct sql_reader *r, const PgQuery__GroupingFunc *f,
              struct expr **out)
{
    const enum clause clause = r->clause;
    custos_status st;

    if (r->below > 0 || r->subquery ||
        (clause != CLAUSE_TARGET && clause != CLAUSE_HAVING &&
         clause != CLAUSE_ORDER_BY))
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                              "not part of private SQL: GROUPING in this "
                              "place" HINT
                              "it belongs in SELECT, HAVING or ORDER BY");
    static_assert(SQL_SET_KEYS_MAX < 32, "GROUPING is a number of 31 bits");
    if (f->n_args > SQL_SET_KEYS_MAX)
        return custos_fail_at(r->err, CUSTOS_EUNSUPPORTED, f->location,
                              "GROUPING takes at most %d keys",
                              (int)SQL_SET_KEYS_MAX);
    st = expr_new(r, EXPR_GROUPING, f->location, f->n_args, out);
    for (size_t i = 0; i < f->n_args && !st; i++)
        st = expr_read(r, f->args[i], &(*out)->args[i]);
    return st;
}
