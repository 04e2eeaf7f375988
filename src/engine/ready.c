/*
 * Is the file of an attached table there, with the columns it had? Asked above
 * the charge, for a query that must fail should not cost. The answer is of the
 * schema, which is public: of a CSV the first line alone is read, and of other
 * files what the engine must know to read any query at all.
 */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/file_age.h"
#include "engine/import.h"
#include "engine/open.h"
#include "engine/refail.h"
#include "engine/source.h"
#include "plan/relation.h"

/* The engine unpacks these; their first bytes are no line. */
static bool
is_packed(const char *path)
{
    const char *end = strrchr(path, '.');

    return end && (!strcmp(end, ".gz") || !strcmp(end, ".zst"));
}

static bool
columns_are(struct engine *e, const struct policy_table *t,
            const struct engine_table *is, arena *a)
{
    struct duck_rows *shape = NULL;
    custos_err quiet;
    struct buf b;
    bool same;

    if (t->source_kind == SOURCE_CSV)
        return is_packed(is->path) || source_csv_is(is->path, a, is->from);
    buf_init(&b, NULL, SQL_MOST);
    buf_printf(&b, "SELECT * FROM %s", is->from);
    same = !b.failed &&
           !duck_describe(e->connections[0], buf_text(&b), &shape, &quiet);
    duck_rows_free(shape);
    buf_clear(&b);
    return same;
}

/* Why the engine could not open the file, which is there. */
static custos_status
not_opened(const struct engine_table *is, str name, custos_err *err)
{
    char writer[FILE_WRITER_MAX];

    if (file_age(is->path, writer) == FILE_AGE_NEWER)
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' was written by a newer "
                           "DuckDB than custos reads: the owner must export "
                           "it and run custos init again",
                           SHOWN(name));
    return custos_fail(err, CUSTOS_EIO,
                       "the file of table '%.*s' could not be opened: the "
                       "owner must put it back and run custos init again",
                       SHOWN(name));
}

/* shown: a view that stands for it, whose tables are not told; or empty. */
static custos_status
table_ready(struct engine *e, const struct policy_table *t, str shown, arena *a,
            custos_err *err)
{
    const struct engine_table *is;
    str name = shown.len ? shown : t->name;

    if (!t->attached)
        return CUSTOS_OK;
    is = &e->data->tables[t->number];
    if (!is->path || access(is->path, R_OK))
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' is not there: the owner "
                           "must put it back or run custos init again",
                           SHOWN(name));
    if (is->missing)
        return not_opened(is, name, err);
    if (!columns_are(e, t, is, a))
        return custos_fail(err, CUSTOS_EIO,
                           "the file of table '%.*s' has other columns than "
                           "when it was attached: the owner must run custos "
                           "init again",
                           SHOWN(name));
    return CUSTOS_OK;
}

/* All tables below r. */
static custos_status
relation_ready(struct engine *e, const struct relation *r, str shown, arena *a,
               custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (!r)
        return CUSTOS_OK;
    if (shown.len == 0)
        shown = r->shown;
    if (r->kind == RELATION_TABLE)
        return table_ready(e, r->as, shown, a, err);
    st = relation_ready(e, r->left, shown, a, err);
    if (!st)
        st = relation_ready(e, r->right, shown, a, err);
    for (size_t i = 0; i < r->n_branches && !st; i++)
        st = relation_ready(e, r->branches[i], shown, a, err);
    if (!st && r->plan)
        st = relation_ready(e, r->plan->from, shown, a, err);
    return st;
}

custos_status
engine_ready(struct engine *e, const struct plan *plan, arena *a,
             custos_err *err)
{
    str none = {NULL, 0};
    custos_status st = relation_ready(e, plan->from, none, a, err);

    for (size_t i = 0; i < plan->n_queries && !st; i++)
        st = relation_ready(e, plan->queries[i], none, a, err);
    if (!st && !plan->is_public && plan->fanout == 0)
        st = custos_fail(err, CUSTOS_EINVAL,
                         "could not count the rows of a public table; try "
                         "again");
    return st;
}
