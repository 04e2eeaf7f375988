/*
 * The exact numbers of a bound selection (plan/bound_selection.h): for each bound,
 * how many units need a larger one. What a unit needs is rows_needed, the least
 * bound that loses none of its rows. A path is a relation that is cut by the bound
 * (bound_selection_walk). On a path that is bounded by rank, rows_needed is the
 * largest rank of a row that passes the conditions; on other paths it is the number
 * of such rows. Of several paths, the largest rows_needed of the unit counts. It
 * depends on the unit's own rows alone, since relations are unit-local.
 */
#include "plan/bound_selection.h"

#include "base/error.h"
#include "engine/import.h"
#include "engine/refail.h"
#include "engine/relation.h"
#include "engine/work.h"

struct printing {
    struct engine *e;
    const struct plan *plan; /* at the largest bound */
    const struct buf *conditions;
    struct buf *out;
    bool more; /* a path was printed before */
};

/* Prints unit and rows_needed of one path. If the path is all of FROM, rows are
   bounded after WHERE and the conditions on keys, so these are printed too. */
static void
print_path(void *ctx, const struct relation *r)
{
    struct printing *p = ctx;
    bool whole = r == p->plan->from;
    bool rank = !whole || p->plan->bounding == BOUND_RANK;

    buf_printf(p->out, "%sSELECT t.unit AS unit, %s AS rows_needed FROM ",
               p->more ? " UNION ALL " : "", rank ? "max(t.rank)" : "count(*)");
    relation_print(p->e, r, p->out);
    buf_printf(p->out, " AS t WHERE true%s GROUP BY 1",
               whole ? buf_text(p->conditions) : "");
    p->more = true;
}

/* For a sorted table without conditions, ranks are enough: a unit needs more than k
   rows if it has a row of rank k + 1. */
static void
print_ranks(struct engine *e, const struct plan *plan, size_t n,
            struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s count(*) FILTER (WHERE t.rank = %llu)",
                   i ? "," : "", (1ULL << i) + 1);
    buf_add_text(out, " FROM ");
    relation_of_plan(e, plan, out);
    buf_add_text(out, " AS t WHERE t.rank IN (");
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%s%llu", i ? ", " : "", (1ULL << i) + 1);
    buf_add_text(out, ")");
}

static void
print_bound_selection(struct engine *e, const struct plan *plan, size_t n,
                      struct buf *out)
{
    const struct engine_table *t = plan->from->kind == RELATION_TABLE
                                       ? &e->data->tables[plan->table->number]
                                       : NULL;
    struct buf conditions;
    struct printing p = {
        .e = e, .plan = plan, .conditions = &conditions, .out = out};

    buf_init(&conditions, NULL, SQL_MOST);
    work_conditions(plan, &conditions);
    relation_queries(e, plan, plan->n_queries, out);
    buf_add_text(out, "SELECT");
    if (t && t->sorted && conditions.len == 0) {
        print_ranks(e, plan, n, out);
    } else {
        for (size_t i = 0; i < n; i++)
            buf_printf(out, "%s count(*) FILTER (WHERE rows_needed > %llu)",
                       i ? "," : "", 1ULL << i);
        buf_add_text(out, " FROM (SELECT unit, max(rows_needed) AS rows_needed "
                          "FROM (");
        bound_selection_walk(plan->from, print_path, &p);
        buf_add_text(out, ") GROUP BY unit)");
    }
    out->failed |= conditions.failed;
    buf_clear(&conditions);
}

/* Reads the one row and seals each of its numbers, negated. */
static custos_status
seal_row(struct duck_rows *rows, size_t n, custos_sealed **out, custos_err *err)
{
    struct duck_column columns[BOUND_SELECTION_MAX];
    size_t found = 0;
    custos_status st = duck_next(rows, &found, columns, err);

    if (!st && found != 1)
        st = custos_fail(err, CUSTOS_EENGINE, "a bound selection has one row");
    for (size_t i = 0; i < n && !st; i++) {
        int64_t few = -(int64_t)duck_whole(&columns[i], 0);

        st = custos_seal_ints(NULL, &few, 1, &out[i], err);
        wipe(&few, sizeof few);
    }
    return st;
}

custos_status
engine_bound_counts(struct engine *e, const struct plan *plan,
                    custos_sealed **out, custos_err *err)
{
    const struct bound_selection *r = plan->bound_selection;
    struct duck_rows *rows = NULL;
    custos_status st = CUSTOS_OK;
    struct buf b;

    if (r->n == 1)
        return CUSTOS_OK;
    buf_init(&b, NULL, SQL_MOST);
    print_bound_selection(e, r->plans[r->n - 1], r->n - 1, &b);
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : duck_ask(e->connections[0], buf_text(&b), &rows, err);
    buf_clear(&b);
    if (!st)
        st = seal_row(rows, r->n - 1, out, err);
    duck_rows_free(rows);
    if (!st)
        return CUSTOS_OK;
    for (size_t i = 0; i + 1 < r->n; i++) {
        custos_sealed_free(out[i]);
        out[i] = NULL;
    }
    if (st != CUSTOS_ENOMEM)
        st = refail(err, CUSTOS_EENGINE, "the query could not be completed");
    return st;
}
