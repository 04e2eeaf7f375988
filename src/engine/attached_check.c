/*
 * Is the file of an attached table the one that custos init decoded in full
 * (attached-decoded)? Checked above the charge, and by a worker before it reads.
 * The check does not read the content of the file.
 */
#include <unistd.h>

#include "base/error.h"
#include "engine/file_age.h"
#include "engine/open.h"
#include "engine/refail.h"
#include "plan/relation.h"

/* Says why the engine could not open a file that exists. */
static custos_status
not_opened(const struct engine_table *is, str name, custos_err *err)
{
    char writer[FILE_WRITER_MAX];

    if (file_age(is->path, writer) == FILE_AGE_NEWER)
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' was written by a newer "
                           "DuckDB than custos reads" HINT "the owner must "
                           "export it and run custos init again",
                           SHOWN(name));
    return custos_fail(err, CUSTOS_EIO,
                       "the file of table '%.*s' could not be opened" HINT
                       "the owner must put it back and run custos init again",
                       SHOWN(name));
}

/* shown: empty, or the view through which the table is read; messages then name
   the view, since its tables stay hidden. */
static custos_status
table_check_attached(struct engine *e, const struct policy_table *t, str shown,
                     custos_err *err)
{
    const struct engine_table *is;
    struct file_mark now;
    str name = shown.len ? shown : t->name;

    if (!t->attached)
        return CUSTOS_OK;
    is = &e->data->tables[t->number];
    if (!is->path || access(is->path, R_OK) || !file_mark_read(is->path, &now))
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' does not exist or is not "
                           "readable" HINT "the owner must put it back or run "
                           "custos init again",
                           SHOWN(name));
    if (is->missing)
        return not_opened(is, name, err);
    if (!file_mark_same(&is->mark, &now))
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' has changed since custos "
                           "init" HINT "the owner must run custos init again",
                           SHOWN(name));
    return CUSTOS_OK;
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
