/*
 * Is the file of an attached table the one that custos init decoded in full
 * (attached-decoded)? Checked above the charge, and by a worker before it reads.
 * The check does not read the content of the file.
 */
#include "base/error.h"
#include "engine/handle.h"
#include "plan/from/relation.h"

/* shown: empty, or the view through which the table is read; messages then name
   the view, since its tables stay hidden. */
static custos_status
table_check_attached(struct engine *e, const struct policy_table *t, str shown,
                     custos_err *err)
{
    if (!t->facts.may_change)
        return CUSTOS_OK;
    return e->ops->check(e, t, shown.len ? shown : t->name, err);
}

/* Checks all tables below r. */
static custos_status
relation_check_attached(struct engine *e, const struct relation *r, str shown,
                        custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (!r)
        return CUSTOS_OK;
    if (shown.len == 0)
        shown = r->shown;
    if (r->kind == RELATION_TABLE)
        return table_check_attached(e, r->as, shown, err);
    st = relation_check_attached(e, r->left, shown, err);
    if (!st)
        st = relation_check_attached(e, r->right, shown, err);
    for (size_t i = 0; i < r->n_branches && !st; i++)
        st = relation_check_attached(e, r->branches[i], shown, err);
    if (!st && r->plan)
        st = relation_check_attached(e, r->plan->from, shown, err);
    return st;
}

custos_status
engine_check_attached(struct engine *e, const struct plan *plan,
                      custos_err *err)
{
    str none = {NULL, 0};
    custos_status st = relation_check_attached(e, plan->from, none, err);

    for (size_t i = 0; i < plan->n_queries && !st; i++)
        st = relation_check_attached(e, plan->queries[i], none, err);
    if (!st && !plan->is_public && plan->fanout == 0)
        st =
            custos_fail(err, CUSTOS_EINVAL,
                        "could not count the rows of a public table" HINT "try "
                        "again");
    return st;
}
