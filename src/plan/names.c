/*
 * Names of tables, columns and outputs. For an analyst only what the policy
 * grants exists: no message or hint reveals a table or column without a grant.
 */
#include "base/nearest.h"
#include "plan/work.h"

enum { COLUMNS_SHOWN_BYTES = 160 }; /* of the list of columns in a hint */

/* --------------------------------------------------------------- tables -- */

const char *
names_nearest_table(struct work *w, const char *name)
{
    const struct policy *p = w->policy;
    const char **names =
        arena_take(w->a, p->n_tables + p->n_views + 1, sizeof *names);
    size_t n = 0;

    for (size_t i = 0; names && i < p->n_tables; i++)
        if (policy_grants_table(p, w->options->who, &p->tables[i])) {
            names[n] = arena_copy(w->a, p->tables[i].name);
            if (!names[n++])
                return NULL;
        }
    for (size_t i = 0; names && i < p->n_views; i++)
        if (policy_grants_view(p, w->options->who, &p->views[i])) {
            names[n] = arena_copy(w->a, p->views[i].name);
            if (!names[n++])
                return NULL;
        }
    return names && name ? nearest(name, names, n) : NULL;
}

/* -------------------------------------------------------------- columns -- */

static bool
stands_for(const struct relation_name *n, const struct expr *e)
{
    return str_equal(n->name, e->name) &&
           (e->qualifier.len ? str_equal(n->table, e->qualifier) : !n->hidden);
}

const struct relation_name *
names_find(const struct relation *r, const struct expr *e, size_t *n)
{
    const struct relation_name *found = NULL;

    *n = 0;
    for (size_t i = 0; r && i < r->n_names; i++)
        if (stands_for(&r->names[i], e)) {
            found = found ? found : &r->names[i];
            (*n)++;
        }
    return found;
}

uint64_t
names_steps(const struct relation *r)
{
    enum { NAMES_OF_A_STEP = 4 };

    return 1 + (r ? r->n_names / NAMES_OF_A_STEP : 0);
}

static const char *
near_column(struct work *w, const struct expr *e)
{
    const struct relation *r = w->from;
    const char **names = arena_take(w->a, r->n_names + 1, sizeof *names);
    const char *name = arena_copy(w->a, e->name);
    size_t n = 0;

    for (size_t i = 0; names && i < r->n_names; i++) {
        if (e->qualifier.len && !str_equal(r->names[i].table, e->qualifier))
            continue;
        names[n] = arena_copy(w->a, r->names[i].name);
        if (!names[n++])
            return NULL;
    }
    return names && name ? nearest(name, names, n) : NULL;
}

/*
 * Lists the columns that a query over this FROM, or over this table of it, may
 * use. Columns that are not granted have no names here.
 */
static void
write_columns(const struct work *w, str table, struct buf *out)
{
    const struct relation *r = w->from;
    bool first = true;

    for (size_t i = 0; i < r->n_names; i++) {
        const struct relation_name *n = &r->names[i];

        if (table.len ? !str_equal(n->table, table) : n->hidden)
            continue;
        if (out->len > COLUMNS_SHOWN_BYTES) {
            buf_add_text(out, ", ...");
            return;
        }
        buf_printf(out, "%s%.*s", first ? "" : ", ", SHOWN(n->name));
        first = false;
    }
}

static bool
has_table(const struct work *w, str name)
{
    for (size_t i = 0; w->from && i < w->from->n_names; i++)
        if (str_equal(w->from->names[i].table, name))
            return true;
    return false;
}

static custos_status
no_column(struct work *w, const struct expr *e)
{
    const char *near;
    struct buf columns;
    str in;

    if (e->qualifier.len && !has_table(w, e->qualifier))
        return custos_fail_at(w->err, CUSTOS_ENAME, e->at,
                              "there is no table %.*s in this query",
                              SHOWN(e->qualifier));
    if (!w->from)
        return custos_fail_at(w->err, CUSTOS_ENAME, e->at,
                              "there is no column %.*s without FROM",
                              SHOWN(e->name));
    in = e->qualifier.len                  ? e->qualifier
         : w->from->kind == RELATION_JOIN  ? str_of("this FROM")
         : w->from->kind == RELATION_TABLE ? relation_shown(w->from)
                                           : w->from->names[0].table;
    near = near_column(w, e);
    if (near)
        return custos_fail_at(w->err, CUSTOS_ENAME, e->at,
                              "there is no column %.*s in %.*s" HINT
                              "did you mean %.40s?",
                              SHOWN(e->name), SHOWN(in), near);
    buf_init(&columns, NULL, (size_t)2 * COLUMNS_SHOWN_BYTES);
    write_columns(w, e->qualifier, &columns);
    (void)custos_fail_at(w->err, CUSTOS_ENAME, e->at,
                         "there is no column %.*s in %.*s" HINT "%s%s",
                         SHOWN(e->name), SHOWN(in),
                         columns.failed ? "" : "columns you may use: ",
                         columns.failed ? "" : buf_text(&columns));
    buf_clear(&columns);
    return CUSTOS_ENAME;
}

bool
names_has(const struct work *w, const struct expr *e)
{
    size_t n;

    return names_find(w->from, e, &n) != NULL;
}

static custos_status
bind_column(struct work *w, struct expr *e)
{
    size_t n;
    const struct relation_name *found = names_find(w->from, e, &n);

    if (!effort_take(w->options->effort, names_steps(w->from)))
        return work_no_memory(w);
    if (!found)
        return no_column(w, e);
    if (n > 1)
        return custos_fail_at(w->err, CUSTOS_ENAME, e->at,
                              "column %.*s is ambiguous" HINT
                              "write the table before it, as in %.*s.%.*s",
                              SHOWN(e->name), SHOWN(found->table),
                              SHOWN(e->name));
    e->slot = (int)found->slot;
    return CUSTOS_OK;
}

/* DP_INTERVAL_LOW(c): binds it to the output named c. */
static custos_status
bind_interval(struct work *w, struct expr *e)
{
    str name = e->n_args == 1 ? e->args[0]->name : e->name;

    if (!effort_take(w->options->effort, w->q->n_targets))
        return work_no_memory(w);
    for (size_t i = 0; i < w->q->n_targets; i++)
        if (str_equal(w->q->targets[i].name, name)) {
            e->slot = (int)i;
            return CUSTOS_OK;
        }
    return custos_fail_at(w->err, CUSTOS_ENAME, e->at,
                          "DP_INTERVAL_LOW and DP_INTERVAL_HIGH take the name "
                          "of another column of SELECT, and %.*s is not one",
                          SHOWN(name));
}

custos_status
names_bind(struct work *w, struct expr *e)
{
    custos_status st = CUSTOS_OK;

    if (e->kind == EXPR_COLUMN)
        return bind_column(w, e);
    if (e->kind == EXPR_INTERVAL)
        return bind_interval(w, e);
    for (size_t i = 0; i < e->n_args && !st; i++)
        if (e->args[i])
            st = names_bind(w, e->args[i]);
    return st || e->kind != EXPR_IN_QUERY ? st : from_in(w, e);
}

/* -------------------------------------------------------------- outputs -- */

/* Expands * or t.* to all names that are not hidden. */
static custos_status
star_expand(struct work *w, const struct expr *star, struct target *to,
            size_t *n)
{
    const struct relation *r = w->from;
    str table = star->qualifier;

    if (!r || (table.len && !has_table(w, table)))
        return custos_fail_at(w->err, CUSTOS_ENAME, star->at,
                              r ? "there is no table %.*s in this query"
                                : "* needs FROM",
                              SHOWN(table));
    for (size_t i = 0; i < r->n_names; i++) {
        const struct relation_name *from = &r->names[i];
        struct expr *e;

        if (table.len ? !str_equal(from->table, table) : from->hidden)
            continue;
        e = arena_take(w->a, 1, sizeof *e);
        if (!e)
            return work_no_memory(w);
        *e = (struct expr){.kind = EXPR_COLUMN,
                           .at = star->at,
                           .qualifier = from->table,
                           .name = from->name};
        to[(*n)++] = (struct target){.expr = e, .name = from->name};
    }
    return CUSTOS_OK;
}

custos_status
names_stars(struct work *w)
{
    struct query *q = w->q;
    size_t n = 0, most = w->from ? w->from->n_names : 0;
    struct target *all;
    custos_status st = CUSTOS_OK;

    if (!q->star)
        return CUSTOS_OK;
    all = arena_take(w->a, q->n_targets * (most + 1), sizeof *all);
    if (!all)
        return work_no_memory(w);
    for (size_t i = 0; i < q->n_targets && !st; i++) {
        const struct expr *e = q->targets[i].expr;

        if (e->kind == EXPR_COLUMN && e->name.len == 0)
            st = star_expand(w, e, all, &n);
        else
            all[n++] = q->targets[i];
    }
    q->targets = all;
    q->n_targets = n;
    q->star = false;
    return st;
}

/* The output with this number or, if `named`, this name; NULL: none. */
static custos_status
target_find(struct work *w, const struct expr *e, bool named,
            const struct target **out)
{
    const struct query *q = w->q;

    *out = NULL;
    if (named && !effort_take(w->options->effort, q->n_targets))
        return work_no_memory(w);
    if (e->kind == EXPR_LITERAL && e->value.type == TYPE_INT &&
        e->value.n >= 1 && e->value.n <= (i128)q->n_targets)
        *out = &q->targets[(size_t)e->value.n - 1];
    if (!named || e->kind != EXPR_COLUMN || e->qualifier.len > 0)
        return CUSTOS_OK;
    for (size_t i = 0; i < q->n_targets; i++) {
        if (!str_equal(q->targets[i].name, e->name))
            continue;
        if (*out)
            return custos_fail_at(w->err, CUSTOS_ENAME, e->at,
                                  "two outputs are called %.*s" HINT
                                  "write the "
                                  "number of the one you mean",
                                  SHOWN(e->name));
        *out = &q->targets[i];
    }
    return CUSTOS_OK;
}

static custos_status
output_take(struct work *w, struct expr **e, bool named, const char *clause)
{
    const struct target *t;
    custos_status st = target_find(w, *e, named, &t);
    struct expr *copy;

    if (st)
        return st;
    if (!t && (*e)->kind == EXPR_LITERAL)
        return custos_fail_at(w->err, CUSTOS_EINVAL, (*e)->at,
                              "%s takes expressions and numbers of columns of "
                              "SELECT, 1 to %zu",
                              clause, w->q->n_targets);
    if (!t)
        return CUSTOS_OK;
    copy = expr_copy(w->a, t->expr);
    if (!copy)
        return work_no_memory(w);
    *e = copy;
    return CUSTOS_OK;
}

static custos_status
output_group(struct work *w, struct expr **e)
{
    int at = (*e)->at;
    custos_status st;

    if ((*e)->kind == EXPR_COLUMN && names_has(w, *e))
        return CUSTOS_OK;
    st = output_take(w, e, true, "GROUP BY");
    if (!st && (*e)->kind == EXPR_LITERAL)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, at,
                              "GROUP BY a constant does nothing" HINT
                              "leave it out");
    return st;
}

/*
 * The rules of PostgreSQL: GROUP BY looks for a column first, then for an
 * output. ORDER BY looks for an output first; the reader has already replaced
 * such names by the output's number.
 */
custos_status
names_outputs(struct work *w)
{
    struct query *q = w->q;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < q->n_group_by && !st; i++)
        st = output_group(w, &q->group_by[i]);
    for (size_t i = 0; i < q->n_order_by && !st; i++)
        st = output_take(w, &q->order_by[i].expr, false, "ORDER BY");
    return st;
}
