/*
 * Walks the relation for tables with constraints; each use of a table has columns of
 * its own in the relation, which begin at an offset.
 */
#include "release/zeros.h"

#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "release/schema.h"
#include "synth/fit.h"

/* A release has fewer constraints than that; more are not used. */
enum { ZEROS_MAX = 1024 };

/* Memory for the values that one constraint is tried on, and for the texts of one
   evaluation. */
#define TRIES_BYTES ((size_t)1 << 28)

/* The largest model in which the owner's constraints are checked together. */
#define CHECKED_BYTES ((size_t)1 << 28)
enum { SCRATCH_BYTES = 1 << 24 };

struct finder {
    arena *a;
    arena *one;     /* of one constraint */
    arena *scratch; /* of one evaluation */
    const struct policy *policy;
    const char *path; /* of the policy, for messages */
    const struct schema *schema;
    const size_t *field;
    struct zeros_list *out;
    custos_err *err;
};

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ------------------------------------------------------- one constraint -- */

static custos_status
fail_contradiction(custos_err *err)
{
    return custos_fail(err, CUSTOS_EPOLICY,
                       "the constraints contradict each other: no row can "
                       "satisfy them" HINT "correct them in the policy");
}

/* The zeros of a rule, by cell: what no combination of values satisfies. */
static custos_status
add_zeros(struct finder *f, const struct rule *r, uint8_t *seen, size_t cells)
{
    size_t n = 0;

    for (size_t i = 0; i < cells; i++) {
        seen[i] = !(seen[i] & CELL_HOLDS);
        n += seen[i];
    }
    if (n == cells)
        return fail_contradiction(f->err);
    if (n > 0 && f->out->n < ZEROS_MAX) {
        f->out->of[f->out->n++] = (struct forbidden){r->set, seen};
        f->out->cells += n;
    }
    return CUSTOS_OK;
}

/* Is there a cell of which some values satisfy the rule, and some do not? */
static bool
is_mixed(const uint32_t *good, size_t cells)
{
    size_t i = 0;

    while (i < cells && good[i] == 0)
        i++;
    return i < cells;
}

static custos_status
use_constraint(struct finder *f, const struct policy_table *t,
               const struct policy_constraint *c, size_t offset, bool outer)
{
    const struct domain *d = &f->schema->domain;
    struct rule *r = arena_take(f->one, 1, sizeof *r), *kept;
    uint32_t *good;
    uint8_t *seen;
    size_t cells;
    custos_status st;

    if (!r)
        return no_memory(f->err);
    st = rule_make(f->one, f->policy, t, c, f->schema, f->field, offset, r,
                   f->err);
    if (st)
        return st;
    cells = domain_cells(d, r->set);
    seen = arena_take(f->a, cells, sizeof *seen);
    good = arena_take(f->one, cells, sizeof *good);
    if (!seen || !good)
        return no_memory(f->err);
    st = rule_try(r, d, outer, f->scratch, seen, good, f->err);
    if (!st)
        st = add_zeros(f, r, seen, cells);
    if (st || !is_mixed(good, cells) || f->out->n_rules == ZEROS_MAX)
        return st;
    /* Rows will be checked: the rule is made again, to stay. */
    kept = &f->out->rules[f->out->n_rules];
    st = rule_make(f->a, f->policy, t, c, f->schema, f->field, offset, kept,
                   f->err);
    if (st)
        return st;
    kept->good = arena_take(f->a, cells, sizeof *good);
    if (!kept->good)
        return no_memory(f->err);
    memcpy(kept->good, good, cells * sizeof *good);
    f->out->n_rules++;
    return CUSTOS_OK;
}

static custos_status
add_constraint(struct finder *f, const struct policy_table *t,
               const struct policy_constraint *c, size_t offset, bool outer)
{
    custos_err why = CUSTOS_ERR_INIT, *const err = f->err;
    custos_status st;

    f->err = &why;
    st = use_constraint(f, t, c, offset, outer);
    f->err = err;
    arena_reset(f->one);
    if (st == CUSTOS_ENOMEM)
        return no_memory(err);
    return st ? constraint_fail(f->path, t, c, &why, err) : CUSTOS_OK;
}

/* ---------------------------------------------------------- all of them -- */

/* outer: a row may be without this part of the relation. */
static custos_status
walk(struct finder *f, const struct relation *r, size_t offset, bool outer)
{
    custos_status st = CUSTOS_OK;

    switch (r->kind) {
    case RELATION_TABLE:
        for (size_t i = 0; !st && i < r->as->n_constraints; i++)
            st =
                add_constraint(f, r->as, &r->as->constraints[i], offset, outer);
        return st;
    case RELATION_FILTER:
    case RELATION_EXTEND: return walk(f, r->left, offset, outer);
    case RELATION_JOIN:
        st = walk(f, r->left, offset, outer);
        return st ? st
                  : walk(f, r->right, offset + r->left->as->n_columns,
                         outer || r->outer);
    case RELATION_UNION:
    case RELATION_UNITS:
    case RELATION_PUBLIC: return CUSTOS_OK;
    }
    return CUSTOS_OK; /* UNREACHABLE: all kinds are above */
}

/* A model of the zeros alone has them all together. */
custos_status
zeros_leave_rows(const struct zeros_list *z, const struct domain *d,
                 custos_err *err)
{
    const struct fit_options none = {.steps = 0, .window = 1};
    struct model *m = model_new(NULL, d);
    custos_status st = m ? CUSTOS_OK : no_memory(err);
    struct fit_facts facts;

    for (size_t i = 0; !st && i < z->n; i++)
        st = model_forbid(m, &z->of[i], err);
    if (!st)
        st = model_build(m, err);
    if (!st && model_fit(m, &none, &facts, NULL))
        st = fail_contradiction(err);
    model_free(m);
    return st;
}

static custos_status
find_all(struct finder *f, const struct relation *from)
{
    custos_status st;

    *f->out = (struct zeros_list){
        .of = arena_take(f->a, ZEROS_MAX, sizeof *f->out->of),
        .rules = arena_take(f->a, ZEROS_MAX, sizeof *f->out->rules)};
    f->one = arena_new(NULL, TRIES_BYTES);
    f->scratch = arena_new(NULL, SCRATCH_BYTES);
    if (!f->out->of || !f->out->rules || !f->one || !f->scratch)
        st = no_memory(f->err);
    else
        st = walk(f, from, 0, false);
    arena_free(f->scratch);
    arena_free(f->one);
    return st;
}

custos_status
zeros_make(arena *a, const struct policy *p, const struct relation *from,
           const struct schema *s, const size_t *field, struct zeros_list *out,
           custos_err *err)
{
    struct finder f = {.a = a,
                       .policy = p,
                       .path = "policy",
                       .schema = s,
                       .field = field,
                       .out = out,
                       .err = err};

    return find_all(&f, from);
}

/* -------------------------------------------------------- for the owner -- */

/* The columns that the constraints of a table are about, as a relation. */
static custos_status
find_relation(arena *a, const struct policy *p, const struct policy_table *t,
              struct relation *out, custos_err *err)
{
    bool *used = arena_take(a, t->n_columns, sizeof *used);
    custos_status st = CUSTOS_OK;
    struct constraint c;

    *out = (struct relation){.kind = RELATION_TABLE, .as = t};
    out->columns = arena_take(a, t->n_columns, sizeof *out->columns);
    out->names = arena_take(a, t->n_columns, sizeof *out->names);
    if (!used || !out->columns || !out->names)
        return no_memory(err);
    for (size_t i = 0; !st && i < t->n_constraints; i++) {
        st = constraint_read(a, p, t, &t->constraints[i], &c, err);
        for (size_t k = 0; !st && k < c.n_columns; k++)
            used[c.columns[k]] = true;
    }
    for (size_t i = 0; i < t->n_columns; i++)
        if (used[i])
            out->names[out->n_names++] =
                (struct relation_name){.name = t->columns[i].name, .slot = i};
    return st;
}

static bool
is_large(const struct zeros_list *z, const struct domain *d)
{
    struct tree_graph graph;
    struct tree tree;

    tree_graph_init(d, &graph);
    for (size_t i = 0; i < z->n; i++)
        tree_graph_join(&graph, z->of[i].set);
    tree_make(d, &graph, &tree);
    return tree_bytes(&tree) > CHECKED_BYTES;
}

static custos_status
check_table(arena *a, const struct policy *p, const struct policy_table *t,
            const char *path, custos_err *err)
{
    struct zeros_list zeros = {.n = 0};
    struct finder f = {
        .a = a, .policy = p, .path = path, .out = &zeros, .err = err};
    custos_err why = CUSTOS_ERR_INIT;
    struct schema *s = NULL;
    size_t *field = NULL;
    struct relation from;
    custos_status st = find_relation(a, p, t, &from, err);

    if (!st)
        st = schema_make(a, &from, NULL, &s, &field, err);
    f.schema = s;
    f.field = field;
    if (!st)
        st = find_all(&f, &from);
    if (st)
        return st;
    if (is_large(&zeros, &s->domain))
        return CUSTOS_OK; /* a release, of fewer columns, checks it */
    st = zeros_leave_rows(&zeros, &s->domain, &why);
    if (st != CUSTOS_EPOLICY)
        return st ? no_memory(err) : CUSTOS_OK;
    return custos_fail(err, st, "%.200s, line %d: table '%.*s': %s" HINT "%s",
                       path, t->line, (int)t->name.len, t->name.ptr, why.said,
                       why.hint);
}

custos_status
zeros_check(arena *a, const struct policy *p, const char *path, custos_err *err)
{
    custos_status st = constraints_check(a, p, path, err);

    for (size_t i = 0; !st && i < p->n_tables; i++)
        if (p->tables[i].n_constraints > 0)
            st = check_table(a, p, &p->tables[i], path, err);
    return st;
}
