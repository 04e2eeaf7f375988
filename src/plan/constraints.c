/*
 * A constraint is read as the WHERE of a query over its table and nothing else, so
 * that it is parsed, bound and typed as all conditions are.
 */
#include "plan/constraints.h"

#include "evaluate/evaluate.h"
#include "plan/from/from.h"
#include "sql/print.h"

enum { TEXT_MAX = 1 << 16 };

/* --------------------------------------------------------------- reading -- */

/* Has the query parts beside WHERE, which the constraint smuggled in? */
static bool
has_more(const struct query *q)
{
    return q->n_targets != 1 || q->distinct || q->n_group_by > 0 ||
           q->n_sets > 0 || q->having || q->n_order_by > 0 || q->has_limit ||
           q->union_all || !q->where || !q->from || q->from->kind != FROM_TABLE;
}

/* The condition as a tree. The line break ends a comment in the text. */
static custos_status
parse(arena *a, const struct policy_table *t, str sql, struct query **out,
      custos_err *err)
{
    struct buf text;
    custos_status st;
    char *copy;

    buf_init(&text, NULL, TEXT_MAX);
    buf_add_text(&text, "SELECT 1 FROM ");
    print_name(t->name, &text);
    buf_add_text(&text, " WHERE (");
    buf_add(&text, sql.ptr, sql.len);
    buf_add_text(&text, "\n)");
    copy = text.failed ? NULL : arena_copy(a, str_of(buf_text(&text)));
    buf_clear(&text);
    if (!copy)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = sql_read_subquery(a, str_of(copy), out, err);
    if (!st && has_more(*out))
        st = custos_fail(err, CUSTOS_EUNSUPPORTED,
                         "a constraint is one condition and nothing else");
    return st;
}

/* --------------------------------------------------------------- columns -- */

static custos_status
fail_column(const struct policy_column *c, const char *why, const char *hint,
            custos_err *err)
{
    return custos_fail(err, CUSTOS_EPOLICY, "column %.*s %s" HINT "%s",
                       SHOWN(c->name), why, hint);
}

/* Are all values of the column public, and do they mean more than a row or a unit? */
static custos_status
check_column(const struct policy *p, const struct policy_table *t,
             const struct policy_column *c, custos_err *err)
{
    const bool listed = c->n_values > 0 || c->type == TYPE_BOOL;

    if ((!t->unit_is_row && c == &t->columns[t->unit_column]) ||
        policy_is_key(p, t, c) || (c->references_table.len > 0 && !listed))
        return fail_column(c, "identifies people or rows",
                           "constraints are about what is modelled: columns "
                           "with declared values or a range",
                           err);
    if (!listed && !c->has_range)
        return fail_column(c, "has no public domain",
                           c->type == TYPE_TEXT
                               ? "add values: [...] to it"
                               : "add range: [LOW, HIGH] or values: [...] to "
                                 "it",
                           err);
    return CUSTOS_OK;
}

/* Collects the columns of e. */
static custos_status
find_columns(const struct policy *p, const struct expr *e,
             struct constraint *out, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    size_t i = 0;

    for (size_t k = 0; !st && k < e->n_args; k++)
        if (e->args[k])
            st = find_columns(p, e->args[k], out, err);
    if (st || e->kind != EXPR_COLUMN)
        return st;
    while (i < out->n_columns && out->columns[i] != (size_t)e->slot)
        i++;
    if (i < out->n_columns)
        return CUSTOS_OK;
    if (i == CONSTRAINT_COLUMNS_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "a constraint has at most %d columns",
                           (int)CONSTRAINT_COLUMNS_MAX);
    out->columns[out->n_columns++] = (size_t)e->slot;
    return check_column(p, out->table, &out->table->columns[e->slot], err);
}

/* ---------------------------------------------------------------- typing -- */

/* Aggregates, what is about groups, and subqueries are about other rows. */
static bool
is_about_a_row(const struct expr *e)
{
    if (e->kind == EXPR_AGGREGATE || e->kind == EXPR_INTERVAL ||
        e->kind == EXPR_GROUPING || e->kind == EXPR_IN_QUERY)
        return false;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && !is_about_a_row(e->args[i]))
            return false;
    return true;
}

/* Binds and types the condition. What is known of its ranges is dropped. */
static custos_status
type_condition(arena *a, const struct policy *p, struct query *q,
               custos_err *err)
{
    struct effort effort = {.remaining = p->max_planning_steps};
    const struct plan_options options = {.effort = &effort};
    struct plan plan = {.policy = p};
    struct relation *from = NULL;
    struct work w = {.a = a,
                     .policy = p,
                     .options = &options,
                     .q = q,
                     .plan = &plan,
                     .err = err};
    custos_status st = from_table(&w, q->from, &from);

    if (!st) {
        from_enter(&w, from);
        st = names_bind(&w, q->where);
    }
    if (!st)
        st = types_truth(&w, q->where, CONTEXT_ROWS, "a constraint");
    facts_clear(plan.facts);
    return effort.state == EFFORT_GOES_ON ? st : effort_refuse(&effort, err);
}

custos_status
constraint_read(arena *a, const struct policy *p, const struct policy_table *t,
                const struct policy_constraint *c, struct constraint *out,
                custos_err *err)
{
    struct query *q = NULL;
    custos_status st = parse(a, t, c->sql, &q, err);

    *out = (struct constraint){.table = t, .of = c};
    if (!st && !is_about_a_row(q->where))
        st = custos_fail(err, CUSTOS_EUNSUPPORTED,
                         "a constraint is about one row: it has no aggregates "
                         "and no subqueries");
    if (!st)
        st = type_condition(a, p, q, err);
    if (!st && !evaluate_knows(q->where))
        st = custos_fail(err, CUSTOS_EUNSUPPORTED,
                         "a function in it cannot be computed for public "
                         "values" HINT
                         "use comparisons, IN, BETWEEN, arithmetic and CASE");
    if (!st)
        st = find_columns(p, q->where, out, err);
    if (!st && out->n_columns == 0)
        st = custos_fail(err, CUSTOS_EINVAL, "it names no column");
    if (!st)
        out->is = q->where;
    return st && st != CUSTOS_ENOMEM ? CUSTOS_EPOLICY : st;
}

/* -------------------------------------------------------- for the owner -- */

custos_status
constraint_fail(const char *path, const struct policy_table *t,
                const struct policy_constraint *c, const custos_err *why,
                custos_err *err)
{
    return custos_fail(err, CUSTOS_EPOLICY,
                       "%.200s, line %d: constraint of table '%.*s': %s" HINT
                       "%s",
                       path, c->line, SHOWN(t->name), why->said, why->hint);
}

custos_status
constraints_check(arena *a, const struct policy *p, const char *path,
                  custos_err *err)
{
    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];

        for (size_t k = 0; k < t->n_constraints; k++) {
            custos_err why = CUSTOS_ERR_INIT;
            struct constraint c;
            custos_status st =
                constraint_read(a, p, t, &t->constraints[k], &c, &why);

            if (st == CUSTOS_ENOMEM)
                return custos_fail(err, st, "out of memory");
            if (st)
                return constraint_fail(path, t, c.of, &why, err);
        }
    }
    return CUSTOS_OK;
}
