/*
 * Subqueries in FROM, CTEs and views. Selection and projection keep the unit.
 * A bare column keeps its slot in the row, its grid and the unit it identifies.
 * A computed column gets the range that was proven for its expression, so that
 * the query above sees a table like any other.
 *
 * Over private rows, whatever chooses among rows of several units (LIMIT,
 * DISTINCT) is refused.
 */
#include "plan/from/from_query.h"

#include "plan/type/range.h"

/* ----------------------------------------------------------- expressions -- */

bool
column_end(const rat *x, bool up, struct policy_column *c)
{
    enum { REAL_DIGITS = 15 };
    int scale = c->type == TYPE_DECIMAL ? c->scale
                : c->type == TYPE_REAL  ? REAL_DIGITS
                                        : 0;
    struct datum *end = up ? &c->upper : &c->lower;
    i128 limit = (i128)1 << 118;
    bool fits;
    rat r;

    rat_init(&r);
    grid_step((struct grid){10, scale}, &r);
    rat_div(&r, x, &r);
    *end = (struct datum){.type = c->type, .scale = scale};
    fits = (up ? rat_ceil_i128(&r, &end->n) : rat_floor_i128(&r, &end->n)) &&
           end->n < limit && end->n > -limit;
    rat_clear(&r);
    return fits;
}

/*
 * Sets the range of a computed column that has a list of values but no range.
 * The engine clamps whole numbers to it, and turns decimals that are doubles
 * into exact numbers again. False: it has no range that a column can have.
 */
static bool
range_of_values(struct work *w, const struct expr *e, struct policy_column *c)
{
    struct fact *f = fact_new(w);

    if (!f)
        return false;
    f->scale = c->scale;
    range_column(f, c);
    if (c->type == TYPE_DECIMAL && expr_is_double(e))
        range_as_double(f);
    c->has_range =
        column_end(&f->lower, false, c) && column_end(&f->upper, true, c);
    return c->has_range;
}

/* Lists the values that an expression can take, if they are few. */
static custos_status
set_values(struct work *w, const struct expr *e, struct policy_column *c)
{
    enum { ROOM = 1024 };
    struct domain d = {.a = w->a,
                       .effort = w->options->effort,
                       .table = w->table,
                       .room = ROOM};
    enum domain_result found;

    if (c->type == TYPE_BOOL || from_context(w->from) == CONTEXT_PUBLIC)
        return CUSTOS_OK;
    found = domain_find(&d, e);
    if (found == DOMAIN_NO_MEMORY)
        return work_no_memory(w);
    if (found != DOMAIN_FOUND || d.n == 0)
        return CUSTOS_OK;
    c->values = d.values;
    c->n_values = d.n;
    c->nullable = c->nullable || d.null;
    if (data_type_is_number(c->type) && !c->has_range &&
        !range_of_values(w, e, c)) {
        c->values = NULL; /* values of a number need its range */
        c->n_values = 0;
    }
    return CUSTOS_OK;
}

custos_status
query_column(struct work *w, struct expr *e, struct policy_column *out)
{
    const struct fact *f;

    if (e->kind == EXPR_LITERAL && e->value.type == TYPE_NULL) {
        custos_status st = adapt_literal(w, e, TYPE_TEXT, 0);

        if (st)
            return st;
    }
    f = fact_of(e);
    *out =
        (struct policy_column){.type = e->type,
                               .scale = e->type == TYPE_DECIMAL ? f->scale : 0,
                               .nullable = f->nullable,
                               .text_max = e->text_max};
    if (e->type == TYPE_DECIMAL || e->type == TYPE_REAL)
        out->nullable = true;                           /* NaN becomes NULL */
    if (e->type == TYPE_DECIMAL && expr_is_double(e)) { /* made exact */
        struct fact *exact = fact_copy(w, e);

        if (!exact)
            return work_no_memory(w);
        range_as_double(exact);
        f = exact;
    }
    out->has_range = f->known == KNOWN_DECLARED &&
                     column_end(&f->lower, false, out) &&
                     column_end(&f->upper, true, out);
    return set_values(w, e, out);
}

/* ------------------------------------------------------------ projection -- */

static size_t
count_computed(const struct query *q)
{
    size_t n = 0;

    for (size_t i = 0; i < q->n_targets; i++)
        n += q->targets[i].expr->kind != EXPR_COLUMN;
    return n;
}

/* A relation: inner, with room for n more columns. */
static custos_status
extend_relation(struct work *w, struct relation *inner, size_t n,
                struct relation **out)
{
    struct relation *r = NULL;
    size_t had = inner->as->n_columns;
    struct policy_table *as;
    struct policy_column *columns;
    custos_status st = from_new(w, RELATION_EXTEND, had + n, &r);

    if (st)
        return st;
    as = from_as(r);
    columns = as->columns;
    *as = *inner->as;
    as->columns = columns;
    as->name = relation_shown(inner);
    as->n_columns = had;
    for (size_t i = 0; i < had; i++) {
        as->columns[i] = inner->as->columns[i];
        r->columns[i] = inner->columns[i];
    }
    r->left = inner;
    r->renumbered = inner->renumbered;
    r->raced = inner->raced;
    r->exprs = arena_take(w->a, n + 1, sizeof(struct expr *));
    *out = r;
    return r->exprs ? CUSTOS_OK : work_no_memory(w);
}

static custos_status
add_target(struct work *w, struct relation *r, const struct target *t)
{
    struct policy_table *as = from_as(r);
    struct expr *e = t->expr;
    custos_status st = types_set(w, e, from_context(r));

    if (!st)
        st = query_column(w, e, &as->columns[as->n_columns]);
    if (st)
        return st;
    as->columns[as->n_columns].name = t->name;
    r->columns[as->n_columns].nodes = fact_of(e)->nodes;
    r->exprs[r->n_exprs++] = e;
    as->n_columns++;
    return CUSTOS_OK;
}

custos_status
query_project(struct work *w, const struct query *q, struct relation *inner,
              struct relation **out)
{
    struct relation_name *names =
        arena_take(w->a, q->n_targets + 1, sizeof *names);
    struct relation *r = NULL;
    size_t computed = count_computed(q);
    custos_status st = CUSTOS_OK;

    if (!names)
        return work_no_memory(w);
    if (computed > 0) {
        st = extend_relation(w, inner, computed, &r);
    } else {
        r = arena_take(w->a, 1, sizeof *r);
        if (!r)
            return work_no_memory(w);
        *r = *inner;
    }
    for (size_t i = 0; i < q->n_targets && !st; i++) {
        const struct target *t = &q->targets[i];

        names[i] = (struct relation_name){.name = t->name};
        if (t->expr->kind == EXPR_COLUMN) {
            names[i].slot = (size_t)t->expr->slot;
        } else {
            names[i].slot = r->as->n_columns;
            st = add_target(w, r, t);
        }
    }
    if (st)
        return st;
    r->names = names;
    r->n_names = q->n_targets;
    *out = r;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------------- all -- */

static custos_status
check_rows(struct work *w, const struct query *q)
{
    const char *what = q->distinct                     ? "DISTINCT"
                       : q->has_limit || q->offset > 0 ? "LIMIT"
                                                       : NULL;

    if (!what)
        return CUSTOS_OK;
    return custos_fail_at(
        w->err, CUSTOS_EUNSUPPORTED, q->from->at,
        "%s is not allowed in a subquery over private rows: which rows of one "
        "person it keeps would depend on others" HINT
        "write count(DISTINCT ...), or GROUP BY the unit",
        what);
}

static bool
is_grouped(const struct query *q)
{
    bool found = q->n_group_by > 0 || q->having;

    for (size_t i = 0; i < q->n_targets && !found; i++)
        found = expr_aggregate(q->targets[i].expr) != NULL;
    return found;
}

static custos_status
where_filter(struct work *w, const struct query *q, struct relation **r)
{
    const struct expr *inner = q->where ? expr_aggregate(q->where) : NULL;
    custos_status st;

    if (!q->where)
        return CUSTOS_OK;
    if (inner)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, inner->at,
                              "aggregates are not allowed in WHERE" HINT
                              "write conditions on aggregates in HAVING");
    st = names_bind(w, q->where);
    if (!st)
        st = types_truth(w, q->where, from_context(*r), "WHERE");
    return st ? st : from_filter(w, *r, q->where, r);
}

/* The FROM, WHERE and outputs of q as one relation; w->q is q. */
static custos_status
query_rows(struct work *w, struct query *q, struct relation **out)
{
    struct relation *r = NULL;
    custos_status st = from_make(w, q, &r);

    if (st)
        return st;
    if (!r)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED,
                              q->n_targets ? q->targets[0].expr->at : 0,
                              "a subquery in FROM needs a FROM of its own");
    from_enter(w, r);
    st = names_stars(w);
    if (st)
        return st;
    if (r->as->is_public &&
        (is_grouped(q) || q->distinct || q->has_limit || q->offset > 0))
        return query_public(w, q, r, out);
    if (!r->as->is_public)
        st = check_rows(w, q);
    if (!st)
        st = where_filter(w, q, &r);
    if (st)
        return st;
    from_enter(w, r);
    if (is_grouped(q))
        return query_units(w, q, r, out);
    for (size_t i = 0; i < q->n_targets && !st; i++)
        st = names_bind(w, q->targets[i].expr);
    return st ? st : query_project(w, q, r, out);
}

custos_status
query_relation(struct work *w, struct query *q, struct relation **out)
{
    struct query *outer = w->q;
    struct relation *from = w->from;
    custos_status st;

    if (q->options.given)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED,
                              q->options.epsilon_at,
                              "WITH DIFFERENTIAL_PRIVACY belongs to the "
                              "outermost SELECT");
    w->q = q;
    st = query_rows(w, q, out);
    w->q = outer;
    from_enter(w, from);
    return st;
}

static custos_status
query_any(struct work *w, struct query *q, struct relation **out)
{
    return q->union_all ? query_union(w, q, out) : query_relation(w, q, out);
}

/* A view: the owner's grants apply in it, and errors do not reveal its text. */
static custos_status
query_view(struct work *w, const struct from *f, struct relation **out)
{
    const struct plan_options *options = w->options;
    struct plan_options owner = *options;
    struct relation *r = NULL;
    custos_status st;

    owner.who = NULL;
    w->options = &owner;
    st = query_any(w, f->query, &r);
    w->options = options;
    if (st && st != CUSTOS_ENOMEM && options->who)
        return custos_fail_at(
            w->err, CUSTOS_EPOLICY, f->at,
            "view %.*s cannot be used" HINT
            "ask the owner to run custos policy check, which says why",
            SHOWN(f->alias));
    if (st)
        return st;
    *out = arena_take(w->a, 1, sizeof **out);
    if (!*out)
        return work_no_memory(w);
    **out = *r;
    (*out)->shown = f->alias;
    return CUSTOS_OK;
}

custos_status
from_query(struct work *w, struct from *f, struct relation **out)
{
    custos_status st =
        f->trusted ? query_view(w, f, out) : query_any(w, f->query, out);

    return st ? st : from_rename(w, f, *out);
}

/* -------------------------------------------------------------------- in -- */

custos_status
from_in(struct work *w, struct expr *e)
{
    struct plan *p = w->plan;
    struct relation *r = NULL;
    custos_status st;

    if (p->n_queries == PLAN_QUERIES_MAX)
        return custos_fail_at(w->err, CUSTOS_EOVERFLOW, e->at,
                              "a query may have at most %d IN (SELECT ...)",
                              PLAN_QUERIES_MAX);
    st = query_any(w, e->query, &r);
    if (st)
        return st;
    if (!r->as->is_public)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                              "%sIN (SELECT ...) is for public tables: one "
                              "person's rows would depend on others'" HINT
                              "join "
                              "private tables by the unit",
                              e->negated ? "NOT " : "");
    if (r->n_names != 1)
        return custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                              "IN (SELECT ...) takes one column, not %zu",
                              r->n_names);
    if (!p->queries)
        p->queries =
            arena_take(w->a, PLAN_QUERIES_MAX, sizeof(struct relation *));
    if (!p->queries)
        return work_no_memory(w);
    e->slot = (int)p->n_queries;
    e->column = (int)r->names[0].slot;
    p->queries[p->n_queries++] = r;
    return CUSTOS_OK;
}
