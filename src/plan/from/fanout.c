/*
 * Fan-out: how many rows of public tables one private row can meet in FROM.
 * Pairs are made before a unit's rows are cut to their bound, so this number
 * bounds the work that a private row can cause in a join. It is a function of
 * the query, the policy and public tables. For a join on equality of a column
 * it is the most public rows that share one value there; for any other join it
 * is the number of public rows.
 *
 * THEOREM  fanout-bound
 *   Let F(r), R(r) and N(r, c) be the numbers computed here. Then in a join
 *   with public data each private row meets at most F public rows; a public
 *   relation has at most R rows, and at most N of them share one value other
 *   than NULL in column c.
 * SOURCE   doc/proofs/fanout-bound.md
 * NEEDS    counts of stored public tables that are right; equalities between
 *          columns of one type that the engine compares exactly.
 * GIVES    plan->fanout; at most the policy's max_fanout for a plan that can
 *          be run.
 * FAILS    CUSTOS_EDENIED, from public facts alone.
 * TESTED   fanout_bounds_every_join the_fanout_of_a_plan_is_capped
 */
#include "plan/from/from.h"

/* A relation with its counts; its sides have their own. */
struct reach {
    const struct relation *r;
    uint64_t rows;   /* of a public relation */
    uint64_t fanout; /* of all joins in it */
    uint64_t lefts;  /* rows of left that one row of right can meet */
    uint64_t rights; /* rows of right that one row of left can meet */
    struct reach *left, *right;
    struct reach *branches;
};

struct finding {
    struct work *w;
    int at;       /* position of the first join past the cap, or -1 */
    bool unknown; /* a count was not available */
    bool no_memory;
};

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t
largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t
count_rows(struct finding *f, const struct policy_table *t, int column)
{
    const struct plan_known *known = f->w->options->known;
    uint64_t n = UINT64_MAX;

    if (!known || !known->count(known->ctx, t->number, column, &n)) {
        f->unknown = true;
        return UINT64_MAX;
    }
    return n;
}

/* ---------------------------------------------------------------- values -- */

/* Is output i of a public query different in every row? */
static bool
is_sole_key(const struct query *q, size_t i)
{
    if (q->distinct && q->n_targets == 1)
        return true;
    return q->n_group_by == 1 && expr_same(q->group_by[0], q->targets[i].expr);
}

/* The most rows of a public relation that share one value in this column. */
static uint64_t
rows_of_value(struct finding *f, const struct reach *x, size_t column)
{
    const struct relation *r = x->r;
    size_t split;
    uint64_t n = 0;

    switch (r->kind) {
    case RELATION_TABLE: return count_rows(f, r->as, (int)column);
    case RELATION_UNITS: return x->rows; /* UNREACHABLE: private */
    case RELATION_FILTER: return rows_of_value(f, x->left, column);
    case RELATION_EXTEND:
        return column < r->left->as->n_columns
                   ? rows_of_value(f, x->left, column)
                   : x->rows;
    case RELATION_PUBLIC:
        return is_sole_key(r->plan->query, column) ? 1 : x->rows;
    case RELATION_UNION:
        for (size_t b = 0; b < r->n_branches; b++)
            n = from_plus(
                n, rows_of_value(f, &x->branches[b],
                                 r->slots[b * r->as->n_columns + column]));
        return n;
    case RELATION_JOIN: break;
    }
    split = r->left->as->n_columns;
    n = column < split
            ? from_times(rows_of_value(f, x->left, column), x->rights)
            : from_times(rows_of_value(f, x->right, column - split), x->lefts);
    return least(n, x->rows);
}

/*
 * The most rows of the public side `of`, whose columns begin at `offset` in the
 * join, that one row of the other side can meet: the minimum over the
 * equalities in the condition.
 */
static uint64_t
rows_met(struct finding *f, const struct reach *of, size_t offset,
         const struct expr *on, uint64_t so_far)
{
    size_t n = of->r->as->n_columns;

    if (!on || on->kind != EXPR_CALL)
        return so_far;
    if (on->call == CALL_AND) {
        for (size_t i = 0; i < on->n_args; i++)
            so_far = rows_met(f, of, offset, on->args[i], so_far);
        return so_far;
    }
    if (on->call != CALL_EQ || on->args[0]->kind != EXPR_COLUMN ||
        on->args[1]->kind != EXPR_COLUMN ||
        on->args[0]->type != on->args[1]->type ||
        !from_is_exact(on->args[0]->type))
        return so_far;
    for (size_t i = 0; i < 2; i++) {
        size_t mine = (size_t)on->args[i]->slot;
        size_t other = (size_t)on->args[1 - i]->slot;

        if (mine >= offset && mine < offset + n &&
            (other < offset || other >= offset + n))
            so_far = least(so_far, rows_of_value(f, of, mine - offset));
    }
    return so_far;
}

/* ------------------------------------------------------------- relations -- */

static void
reach_find(struct finding *f, const struct relation *r, struct reach *out);

static struct reach *
reach_side(struct finding *f, const struct relation *r)
{
    struct reach *x = arena_take(f->w->a, 1, sizeof *x);

    if (x)
        reach_find(f, r, x);
    else
        f->no_memory = true;
    return x;
}

/* The fan-out of a join, from those of its sides. Private sides meet by their
   unit; the rows of a public side are already counted in `met`. */
static uint64_t
join_fanout(const struct reach *x)
{
    const struct reach *a = x->left, *b = x->right;
    bool left = a->r->as->is_public, right = b->r->as->is_public;
    uint64_t met, sides = from_times(a->fanout, b->fanout);

    if (!left && !right)
        return sides;
    if (left && right) {
        met = x->r->outer ? x->rights : least(x->lefts, x->rights);
        return from_times(sides, largest(met, 1));
    }
    met = from_times(left ? b->fanout : a->fanout,
                     largest(left ? x->lefts : x->rights, 1));
    return largest(met, left ? a->fanout : b->fanout);
}

static void
reach_join(struct finding *f, struct reach *x)
{
    const struct relation *r = x->r;
    const struct policy_table *a = r->left->as, *b = r->right->as;

    x->lefts = x->rights = 1;
    if (a->is_public && r->meeting != MEET_RIGHT && r->meeting != MEET_EITHER)
        x->lefts = rows_met(f, x->left, 0, r->on, x->left->rows);
    if (b->is_public && r->meeting != MEET_LEFT)
        x->rights = rows_met(f, x->right, a->n_columns, r->on, x->right->rows);
    if (r->outer) /* a row of left that meets none is kept */
        x->rights = largest(x->rights, 1);
    if (a->is_public && b->is_public) {
        uint64_t by_left = from_times(x->left->rows, x->rights);
        uint64_t by_right = from_times(x->right->rows, x->lefts);

        x->rows = r->outer ? by_left : least(by_left, by_right);
    }
    x->fanout = join_fanout(x);
    if (x->fanout > f->w->policy->max_fanout && f->at < 0)
        f->at = r->on ? r->on->at : f->w->q->from->at;
}

static void
reach_union(struct finding *f, struct reach *x)
{
    const struct relation *r = x->r;

    x->rows = 0;
    x->branches = arena_take(f->w->a, r->n_branches, sizeof *x->branches);
    if (!x->branches) {
        f->no_memory = true;
        return;
    }
    for (size_t b = 0; b < r->n_branches && !f->no_memory; b++) {
        reach_find(f, r->branches[b], &x->branches[b]);
        x->rows = from_plus(x->rows, x->branches[b].rows);
        x->fanout = largest(x->fanout, x->branches[b].fanout);
    }
}

static void
reach_public(struct finding *f, struct reach *x)
{
    const struct plan *p = x->r->plan;

    x->rows = 1;
    if (p->from) {
        x->left = reach_side(f, p->from);
        if (f->no_memory)
            return;
        x->rows = x->left->rows;
        x->fanout = x->left->fanout;
    }
    if (p->query->has_limit)
        x->rows = least(x->rows, p->query->limit);
}

static void
reach_find(struct finding *f, const struct relation *r, struct reach *out)
{
    *out = (struct reach){.r = r, .rows = UINT64_MAX, .fanout = 1};
    if (r->left)
        out->left = reach_side(f, r->left);
    if (r->right)
        out->right = reach_side(f, r->right);
    if (f->no_memory)
        return;
    switch (r->kind) {
    case RELATION_TABLE:
        if (r->as->is_public)
            out->rows = count_rows(f, r->as, PLAN_ROWS_OF_TABLE);
        return;
    case RELATION_FILTER:
    case RELATION_EXTEND:
    case RELATION_UNITS:
        out->rows = out->left->rows;
        out->fanout = out->left->fanout;
        return;
    case RELATION_JOIN: reach_join(f, out); return;
    case RELATION_UNION: reach_union(f, out); return;
    case RELATION_PUBLIC: reach_public(f, out); return;
    }
}

custos_status
fanout_make(struct work *w)
{
    struct finding f = {.w = w, .at = -1};
    struct plan *p = w->plan;
    struct reach x;

    reach_find(&f, p->from, &x);
    p->fanout = x.fanout;
    for (size_t i = 0; i < p->n_queries && !f.no_memory; i++) {
        reach_find(&f, p->queries[i], &x);
        p->fanout = largest(p->fanout, x.fanout);
    }
    if (f.no_memory)
        return work_no_memory(w);
    if (f.unknown) {
        p->fanout = 0;
        return CUSTOS_OK;
    }
    if (f.at < 0)
        return CUSTOS_OK;
    return custos_fail_at(
        w->err, CUSTOS_EDENIED, f.at,
        "a private row can match more than %llu public rows (max_fanout)" HINT
        "join on equality of a key, group the public table first, or ask the "
        "owner for a higher max_fanout",
        (unsigned long long)w->policy->max_fanout);
}
