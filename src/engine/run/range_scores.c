/*
 * The exact scores of a range selection (plan/part/range_selection.h). The ends of
 * all candidates cut the line into places. A row's place is the number of cuts
 * below its value, in steps; of each unit the lowest and the highest place say
 * which candidates hold all of its values. The engine counts units by these two,
 * and the counts are added up here. A value that is NULL or NaN is in every range.
 */
#include "plan/part/range_selection.h"

#include <stdlib.h>

#include "engine/refail.h"
#include "engine/statement/ask.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"

enum { CUTS_MAX = 2 * RANGES_MAX };

/* Cuts in ascending order, each once: x is above a cut c if x > c. A candidate
   ends below its lower limit, and at its upper. */
struct cuts {
    i128 at[CUTS_MAX];
    size_t n;
    size_t low[RANGES_MAX], high[RANGES_MAX]; /* of each candidate */
};

static int
compare_cuts(const void *a, const void *b)
{
    const i128 *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static size_t
place_of(const struct cuts *c, i128 at)
{
    size_t i = 0;

    while (c->at[i] < at)
        i++;
    return i;
}

static void
cuts_make(const struct range_selection *r, struct cuts *c)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        c->at[2 * i] = r->lower[i] - 1;
        c->at[2 * i + 1] = r->upper[i];
    }
    qsort(c->at, 2 * r->n, sizeof *c->at, compare_cuts);
    for (size_t i = 0; i < 2 * r->n; i++)
        if (i == 0 || c->at[i] != c->at[n - 1])
            c->at[n++] = c->at[i];
    c->n = n;
    for (size_t i = 0; i < r->n; i++) {
        c->low[i] = place_of(c, r->lower[i] - 1);
        c->high[i] = place_of(c, r->upper[i]);
    }
}

/* How many of the cuts are below the value, where it is known to be at least
   `from` and at most `to`: by bisection. */
static const struct term *
place_term(struct builder *b, const struct cuts *c, size_t from, size_t to)
{
    size_t middle = from + (to - from) / 2;
    const struct term *above;

    if (from == to)
        return term_number(b, (i128)from);
    above = term_binary(b, term_name(b, NULL, "value_0"), TERM_MORE,
                        term_number(b, c->at[middle]));
    return term_of(b, TERM_CASE, above, place_term(b, c, middle + 1, to),
                   place_term(b, c, from, middle), NULL);
}

/* The values over the query's own groups. */
static const struct stage *
values_stage(const struct plan *plan)
{
    const struct stage *s = plan->stages;

    while (s->kind != STAGE_VALUES || s->space != &plan->space)
        s++;
    return s;
}

/* The place of each row that passes the conditions, with its unit. */
static struct select *
places_of_rows(struct builder *b, const struct range_selection *r,
               const struct cuts *c, bool units)
{
    const struct plan *plan = r->plans[r->n - 1];
    const struct input *from = plan->space.bounding == BOUND_GENERAL
                                   ? general_rows(b, plan)
                                   : relation_of_plan(b, plan);
    struct select *s = select_new(b, input_as(b, from, "t"));
    const struct term *unit;

    if (units)
        select_add(b, s, term_name(b, "t", "unit"), "unit");
    select_add(b, s, work_value(b, plan, &r->value), "value_0");
    select_where(b, s, term_true(b));
    work_conditions(b, values_stage(plan), &s->where);
    unit = term_name(b, NULL, "unit");
    s = select_new(b, input_select(b, s));
    if (units)
        select_add(b, s, unit, "unit");
    select_add(b, s, place_term(b, c, 0, c->n), "place");
    select_where(b, s, term_present(b, term_name(b, NULL, "value_0")));
    return s;
}

/* The number of units by lowest and highest place. */
static struct select *
counts_of(struct builder *b, const struct range_selection *r,
          const struct cuts *c)
{
    const struct plan *plan = r->plans[r->n - 1];
    bool units = plan->space.bounding != BOUND_NONE;
    const struct term *place = term_name(b, NULL, "place");
    const struct term *low = place, *high = place;
    struct select *s = places_of_rows(b, r, c, units);

    if (units) {
        s = select_new(b, input_select(b, s));
        select_add(b, s, term_aggregate(b, TERM_MIN, place), "lowest");
        select_add(b, s, term_aggregate(b, TERM_MAX, place), "highest");
        select_group(b, s, term_name(b, NULL, "unit"));
        low = term_name(b, NULL, "lowest");
        high = term_name(b, NULL, "highest");
    }
    s = select_new(b, input_select(b, s));
    select_add_bare(b, s, low);
    select_add_bare(b, s, high);
    select_add_bare(b, s, term_aggregate(b, TERM_COUNT, NULL));
    select_group(b, s, low);
    if (units)
        select_group(b, s, high);
    relation_queries(b, plan, plan->n_queries, s);
    return s;
}

/* Takes the units of a result row from the score of each candidate that does not
   hold all their values. */
static void
count_outside(const struct range_selection *r, const struct cuts *c,
              const struct column *columns, size_t row, int64_t *scores)
{
    i128 low = column_whole(&columns[0], row);
    i128 high = column_whole(&columns[1], row);
    int64_t n = (int64_t)column_whole(&columns[2], row);

    for (size_t i = 0; i < r->n; i++)
        if (low <= (i128)c->low[i] || high > (i128)c->high[i])
            scores[i] -= n;
}

custos_status
engine_range_scores(struct engine *e, const struct plan *plan,
                    custos_sealed **out, custos_err *err)
{
    const struct range_selection *r = plan_range_selection(plan);
    struct column columns[ROWS_COLUMNS_MAX];
    int64_t scores[RANGES_MAX];
    struct result *rows = NULL;
    struct builder b;
    struct cuts c;
    custos_status st;
    size_t n = 0;

    cuts_make(r, &c);
    for (size_t i = 0; i < r->n; i++)
        scores[i] = -r->penalty * (int64_t)i;
    builder_init(&b, e);
    st = ask_rows(&b, 0, counts_of(&b, r, &c), &rows, err);
    builder_clear(&b);
    while (!st && !(st = result_next(rows, &n, columns, err)) && n > 0)
        for (size_t row = 0; row < n; row++)
            count_outside(r, &c, columns, row, scores);
    result_free(rows);
    if (!st)
        st = custos_seal_ints(NULL, scores, r->n, out, err);
    wipe(scores, sizeof scores);
    if (st && st != CUSTOS_ENOMEM)
        st = refail(err, CUSTOS_EENGINE, "the query could not be completed");
    return st;
}
