/*
 * The exact numbers of a bound selection (plan/part/bound_selection.h): for each bound,
 * how many units need a larger one. What a unit needs is rows_needed, the least
 * bound that loses none of its rows. A path is a relation that is cut by the bound
 * (bound_selection_walk). On a path that is bounded by rank, rows_needed is the
 * largest rank of a row that passes the conditions; on other paths it is the number
 * of such rows. Of several paths, the largest rows_needed of the unit counts. It
 * depends on the unit's own rows alone, since relations are unit-local.
 */
#include "plan/part/bound_selection.h"

#include "base/error.h"
#include "engine/statement/ask.h"
#include "engine/refail.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"

struct paths {
    struct builder *b;
    const struct stage *stage; /* the values, at the largest bound */
    struct select *first, *last;
};

/* Adds unit and rows_needed of one path. If the path is all of FROM, rows are
   bounded after WHERE and the conditions on keys, so these count too. */
static void
add_path(void *ctx, const struct relation *r)
{
    struct paths *p = ctx;
    struct builder *b = p->b;
    bool whole = r == p->stage->plan->from;
    bool rank = !whole || p->stage->space->bounding == BOUND_RANK;
    struct select *s = select_new(b, input_as(b, relation_input(b, r), "t"));

    select_add(b, s, term_name(b, "t", "unit"), "unit");
    select_add(b, s,
               rank ? term_aggregate(b, TERM_MAX, term_name(b, "t", "rank"))
                    : term_aggregate(b, TERM_COUNT, NULL),
               "rows_needed");
    select_where(b, s, term_true(b));
    if (whole)
        work_conditions(b, p->stage, &s->where);
    select_group(b, s, term_number(b, 1));
    if (p->last)
        p->last->and_all = s;
    else
        p->first = s;
    p->last = s;
}

/* For a sorted table without conditions, ranks are enough: a unit needs more than k
   rows if it has a row of rank k + 1. */
static struct select *
counts_of_ranks(struct builder *b, const struct plan *plan, size_t n)
{
    struct select *s =
        select_new(b, input_as(b, relation_of_plan(b, plan), "t"));
    const struct term *rank = term_name(b, "t", "rank");
    struct terms among = {.n = 0};

    terms_add(b, &among, rank);
    for (size_t i = 0; i < n; i++) {
        const struct term *next = term_number(b, (1 << i) + 1);

        select_add_bare(b, s,
                        term_filtered(b, TERM_COUNT, NULL,
                                      term_binary(b, rank, TERM_EQUAL, next)));
        terms_add(b, &among, next);
    }
    select_where(b, s, term_of_list(b, TERM_AMONG, &among));
    return s;
}

/* What each unit needs, on the path where it needs most. */
static struct select *
rows_needed(struct builder *b, const struct stage *stage)
{
    struct paths p = {.b = b, .stage = stage};
    const struct term *unit = term_name(b, NULL, "unit");
    const struct term *needed = term_name(b, NULL, "rows_needed");
    struct select *s;

    bound_selection_walk(stage->plan->from, add_path, &p);
    s = select_new(b, input_select(b, p.first));
    select_add_bare(b, s, unit);
    select_add(b, s, term_aggregate(b, TERM_MAX, needed), "rows_needed");
    select_group(b, s, unit);
    return s;
}

static struct select *
counts_of(struct builder *b, const struct stage *stage, size_t n)
{
    const struct plan *plan = stage->plan;
    const struct engine_table *t = plan->from->kind == RELATION_TABLE
                                       ? &b->engine->tables[plan->table->number]
                                       : NULL;
    const struct term *needed = term_name(b, NULL, "rows_needed");
    struct terms conditions = {.n = 0};
    struct select *s;

    work_conditions(b, stage, &conditions);
    if (t && t->sorted && conditions.n == 0) {
        s = counts_of_ranks(b, plan, n);
    } else {
        s = select_new(b, input_select(b, rows_needed(b, stage)));
        for (size_t i = 0; i < n; i++)
            select_add_bare(b, s,
                            term_filtered(b, TERM_COUNT, NULL,
                                          term_binary(b, needed, TERM_MORE,
                                                      term_number(b, 1 << i))));
    }
    relation_queries(b, plan, plan->n_queries, s);
    return s;
}

/* Reads the one row and seals each of its numbers, negated. */
static custos_status
seal_row(struct result *rows, size_t n, custos_sealed **out, custos_err *err)
{
    struct column columns[BOUND_SELECTION_MAX];
    size_t found = 0;
    custos_status st = result_next(rows, &found, columns, err);

    if (!st && found != 1)
        st = custos_fail(err, CUSTOS_EENGINE, "a bound selection has one row");
    for (size_t i = 0; i < n && !st; i++) {
        int64_t few = -(int64_t)column_whole(&columns[i], 0);

        st = custos_seal_ints(NULL, &few, 1, &out[i], err);
        wipe(&few, sizeof few);
    }
    return st;
}

/* The values over the query's own groups, at the largest bound. */
static const struct stage *
last_values(const struct bound_selection *r)
{
    const struct plan *plan = r->plans[r->n - 1];
    const struct stage *s = plan->stages;

    while (s->kind != STAGE_VALUES || s->space != &plan->space)
        s++;
    return s;
}

custos_status
engine_bound_counts(struct engine *e, const struct plan *plan,
                    custos_sealed **out, custos_err *err)
{
    const struct bound_selection *r = plan_bound_selection(plan);
    struct result *rows = NULL;
    custos_status st = CUSTOS_OK;
    struct builder b;

    if (r->n == 1)
        return CUSTOS_OK;
    builder_init(&b, e);
    st = ask_rows(&b, 0, counts_of(&b, last_values(r), r->n - 1), &rows, err);
    builder_clear(&b);
    if (!st)
        st = seal_row(rows, r->n - 1, out, err);
    result_free(rows);
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
