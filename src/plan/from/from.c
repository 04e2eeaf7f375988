/*
 * Turns FROM into relations: tables, and what all kinds of relations share.
 * Only granted columns get a name; the others exist for the engine, but no
 * query can name them.
 */
#include "plan/from/from.h"

#include "base/ck.h"
#include "plan/part/bound_selection.h"

uint64_t
from_times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return ck_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

uint64_t
from_plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t
from_ceiling(const struct policy_table *t)
{
    uint64_t least = (uint64_t)1 << 40;

    return t->max_rows > least ? t->max_rows : least;
}

custos_status
from_new(struct work *w, enum relation_kind kind, size_t n,
         struct relation **out)
{
    struct relation *r = arena_take(w->a, 1, sizeof *r);
    struct policy_table *as = arena_take(w->a, 1, sizeof *as);

    if (!r || !as)
        return work_no_memory(w);
    if (n > FROM_COLUMNS_MAX)
        return custos_fail(w->err, CUSTOS_EOVERFLOW,
                           "FROM has more than %d columns", FROM_COLUMNS_MAX);
    as->columns = arena_take(w->a, n + 1, sizeof *as->columns);
    as->n_columns = n;
    as->facts = FACTS_IMPORTED;
    r->kind = kind;
    r->as = r->own = as;
    r->columns = arena_take(w->a, n + 1, sizeof *r->columns);
    r->names = arena_take(w->a, n + 1, sizeof *r->names);
    if (!as->columns || !r->columns || !r->names)
        return work_no_memory(w);
    *out = r;
    return CUSTOS_OK;
}

struct policy_table *
from_as(struct relation *r)
{
    CUSTOS_REQUIRE(r->own && r->as == r->own);
    return r->own;
}

void
from_enter(struct work *w, struct relation *r)
{
    w->from = r;
    w->table = r ? r->as : NULL;
}

enum context
from_context(const struct relation *r)
{
    return r->as->is_public ? CONTEXT_PUBLIC : CONTEXT_ROWS;
}

custos_status
from_filter(struct work *w, struct relation *inner, struct expr *e,
            struct relation **out)
{
    struct relation *r = arena_take(w->a, 1, sizeof *r);

    if (!r)
        return work_no_memory(w);
    *r = (struct relation){.kind = RELATION_FILTER,
                           .as = inner->as,
                           .columns = inner->columns,
                           .names = inner->names,
                           .n_names = inner->n_names,
                           .shown = inner->shown,
                           .renumbered = inner->renumbered,
                           .raced = inner->raced,
                           .left = inner,
                           .on = e};
    *out = r;
    return CUSTOS_OK;
}

custos_status
from_conjuncts(struct work *w, struct expr *e, from_each each, void *ctx)
{
    custos_status st;

    if (e->kind != EXPR_CALL || e->call != CALL_AND || e->n_args != 2)
        return each(w, ctx, e);
    st = from_conjuncts(w, e->args[0], each, ctx);
    return st ? st : from_conjuncts(w, e->args[1], each, ctx);
}

custos_status
from_and(struct work *w, struct expr *a, struct expr *b, struct expr **out)
{
    struct expr *e;

    *out = a ? a : b;
    if (!a || !b)
        return CUSTOS_OK;
    e = arena_take(w->a, 1, sizeof *e);
    if (!e)
        return work_no_memory(w);
    *e = (struct expr){.kind = EXPR_CALL,
                       .call = CALL_AND,
                       .at = a->at,
                       .n_args = 2,
                       .type = TYPE_BOOL};
    e->args = arena_take(w->a, 2, sizeof(struct expr *));
    e->fact = fact_new(w);
    if (!e->args || !e->fact)
        return work_no_memory(w);
    e->args[0] = a;
    e->args[1] = b;
    fact_of(e)->nullable = true;
    *out = e;
    return CUSTOS_OK;
}

custos_status
from_rename(struct work *w, const struct from *f, struct relation *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_names; i++) {
        r->names[i].table = f->alias.len ? f->alias : f->name;
        if (r->names[i].hidden)
            continue;
        if (n < f->n_columns)
            r->names[i].name = f->columns[n];
        n++;
    }
    if (n < f->n_columns)
        return custos_fail_at(w->err, CUSTOS_EINVAL, f->at,
                              "%.*s has %zu columns, but %zu names are given",
                              SHOWN(f->alias), n, f->n_columns);
    return CUSTOS_OK;
}

/* ---------------------------------------------------------------- tables -- */

bool
from_is_exact(enum data_type type)
{
    return type == TYPE_INT || type == TYPE_TEXT || type == TYPE_DATE ||
           type == TYPE_TIMESTAMP || type == TYPE_BOOL;
}

/* Is the column unique in every query, and compared exactly by the engine? Attached
   files do not qualify: they may change after the import's check. */
static bool
is_unique(const struct policy *p, const struct policy_table *t,
          const struct policy_column *c)
{
    return t->facts.keys_enforced && policy_is_key(p, t, c) &&
           from_is_exact(c->type);
}

/* The key by which a column identifies the unit of its row; see relation.h. */
static const void *
key_names(const struct policy *p, const struct policy_table *t,
          const struct policy_column *c)
{
    const struct policy_column *key = NULL;
    const struct policy_table *parent;

    if (t->is_public || t->unit_is_row)
        return NULL;
    for (size_t depth = 0; depth <= p->n_tables; depth++) {
        if (c != &t->columns[t->unit_column])
            return policy_is_key(p, t, c) ? c : NULL;
        parent = policy_unit_parent(p, t, &key);
        if (!parent)
            return p;
        t = parent;
        c = key;
    }
    return NULL; /* UNREACHABLE: policy/resolve.c has checked that paths end */
}

static custos_status
no_table(struct work *w, const struct from *f)
{
    const char *near = names_nearest_table(w, arena_copy(w->a, f->name));

    return custos_fail_at(w->err, CUSTOS_ENAME, f->at,
                          "there is no table %.*s" HINT "%s%.40s%s",
                          SHOWN(f->name), near ? "did you mean " : "",
                          near ? near : "", near ? "?" : "");
}

/* Sets the bound being tried, where the table declares none. */
static custos_status
assume_rows(struct work *w, struct relation *r)
{
    struct policy_table *as;

    if (policy_rows_known(w->policy, r->as))
        return CUSTOS_OK;
    as = arena_take(w->a, 1, sizeof *as);
    if (!as)
        return work_no_memory(w);
    *as = *r->as;
    as->rows_per_unit = w->assumed;
    if (!as->groups_given || as->groups_per_unit > w->assumed)
        as->groups_per_unit = w->assumed;
    if (!as->rows_per_group_given || as->rows_per_group > w->assumed)
        as->rows_per_group = w->assumed;
    r->as = as;
    r->raced = true;
    return CUSTOS_OK;
}

custos_status
from_table(struct work *w, const struct from *f, struct relation **out)
{
    const struct policy_table *t = policy_table_find(w->policy, f->name);
    struct relation *r = NULL;
    custos_status st;

    if (!t || !policy_grants_table(w->policy, w->options->who, t))
        return no_table(w, f);
    st = from_new(w, RELATION_TABLE, t->n_columns, &r);
    if (st)
        return st;
    r->as = t;
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct policy_column *c = &t->columns[i];

        r->columns[i] = (struct relation_column){
            .is = c,
            .stored = true,
            .unique = is_unique(w->policy, t, c),
            .names = key_names(w->policy, t, c),
        };
        if (policy_grants(w->policy, w->options->who, t, c))
            r->names[r->n_names++] =
                (struct relation_name){.name = c->name, .slot = i};
    }
    *out = r;
    st = assume_rows(w, r);
    return st ? st : from_rename(w, f, r);
}

custos_status
from_any(struct work *w, struct from *f, struct loose *loose,
         struct relation **out)
{
    custos_status st = work_spend(w, EFFORT_FROM);

    if (st)
        return st;
    if (++w->depth > FROM_DEPTH_MAX)
        return custos_fail_at(w->err, CUSTOS_EOVERFLOW, f->at,
                              "FROM nests deeper than %d levels",
                              FROM_DEPTH_MAX);
    switch (f->kind) {
    case FROM_TABLE: st = from_table(w, f, out); break;
    case FROM_QUERY: st = from_query(w, f, out); break;
    case FROM_JOIN:
        st = from_is_list(f) ? from_list(w, f, loose, out)
                             : from_join(w, f, loose, out);
        break;
    }
    w->depth--;
    return st;
}

/* ------------------------------------------------------------------- all -- */

/* Moves filters at the top of FROM to WHERE; what is left may be a table. */
static custos_status
lift_filters(struct work *w, struct relation **r)
{
    struct relation *below = arena_take(w->a, 1, sizeof *below), *at = *r;
    custos_status st = CUSTOS_OK;

    if (!below)
        return work_no_memory(w);
    for (; !st && at->kind == RELATION_FILTER; at = at->left)
        st = from_and(w, at->on, w->lifted, &w->lifted);
    *below = *at;
    below->names = (*r)->names;
    below->n_names = (*r)->n_names;
    below->shown = (*r)->shown;
    *r = below;
    return st;
}

static custos_status
take_loose(struct work *w, void *ctx, struct expr *e)
{
    struct loose *l = ctx;

    (void)w;
    l->conjuncts[l->n++] = e;
    return CUSTOS_OK;
}

static size_t
count_conjuncts(const struct expr *e)
{
    if (e->kind != EXPR_CALL || e->call != CALL_AND || e->n_args != 2)
        return 1;
    return count_conjuncts(e->args[0]) + count_conjuncts(e->args[1]);
}

/* Conditions that no join took go back to WHERE. */
static custos_status
put_back(struct work *w, const struct loose *l, struct expr **where)
{
    custos_status st = CUSTOS_OK;
    size_t left = 0;

    for (size_t i = 0; i < l->n; i++)
        left += l->conjuncts[i] != NULL;
    if (left == l->n)
        return CUSTOS_OK;
    *where = NULL;
    for (size_t i = 0; i < l->n && !st; i++)
        if (l->conjuncts[i])
            st = from_and(w, *where, l->conjuncts[i], where);
    return st;
}

/* A join has bound the names in e to its sides: are they unique in FROM? */
static custos_status
check_alone(struct work *w, const struct relation *r, const struct expr *e)
{
    custos_status st = CUSTOS_OK;
    size_t n = 0;

    if (e->kind == EXPR_COLUMN) {
        st = work_spend(w, names_steps(r));
        names_find(r, e, &n);
    }
    if (!st && n > 1)
        return custos_fail_at(w->err, CUSTOS_ENAME, e->at,
                              "column %.*s is ambiguous" HINT
                              "write the table before it",
                              SHOWN(e->name));
    for (size_t i = 0; i < e->n_args && !st; i++)
        if (e->args[i])
            st = check_alone(w, r, e->args[i]);
    return st;
}

custos_status
from_make(struct work *w, struct query *q, struct relation **out)
{
    struct loose loose = {.n = 0};
    custos_status st;

    *out = NULL;
    if (!q->from)
        return CUSTOS_OK;
    if (q->where) {
        loose.conjuncts =
            arena_take(w->a, count_conjuncts(q->where), sizeof(struct expr *));
        if (!loose.conjuncts)
            return work_no_memory(w);
        st = from_conjuncts(w, q->where, take_loose, &loose);
        if (st)
            return st;
    }
    st = from_any(w, q->from, &loose, out);
    if (!st && q->where)
        st = check_alone(w, *out, q->where);
    return st ? st : put_back(w, &loose, &q->where);
}

custos_status
from_top(struct work *w)
{
    struct relation *r = NULL;
    custos_status st = from_make(w, w->q, &r);

    if (!st && r)
        st = lift_filters(w, &r);
    if (st)
        return st;
    from_enter(w, r);
    w->plan->from = r;
    w->plan->table = w->table;
    w->plan->is_public = !r || r->as->is_public;
    w->plan->raced = !w->plan->is_public && bound_selection_is_open(r) &&
                     w->q->options.max_rows_contributed.len == 0;
    return CUSTOS_OK;
}
