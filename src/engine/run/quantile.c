/*
 * Collects the values whose quantiles are released. The engine sorts them, group by
 * group, and gives each value once with its number of occurrences. They are sealed
 * here and handed on one group after the other, so that memory holds one group at a
 * time.
 */
#include <stdlib.h>

#include "base/ck.h"
#include "base/error.h"
#include "engine/statement/ask.h"
#include "engine/refail.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"
#include "mech/i128.h"

enum { ROOM_FIRST = 1 << 12, VALUES_LOG2 = 32 };

/* Collects one group after the other in cells: the number of values, then the
   values. */
struct collector {
    const struct stage *stage;
    const struct part *part;
    engine_take take;
    void *ctx;
    i128 *cells;
    size_t room, n;
    const struct groups *among; /* NULL: all cells of the plan, in order */
    size_t n_groups, next;      /* groups before next are done */
    size_t cell;                /* the group that is being collected */
    bool open;                  /* is a group being collected? */
    bool *done;                 /* by group: was it handed on? */
};

/* Seals a complete group and hands it on. */
static custos_status
group_end(struct collector *c, custos_err *err)
{
    custos_sealed *sealed = NULL;
    custos_status st;

    c->cells[0] = (i128)c->n;
    st = seal_i128(NULL, c->cells, 1 + c->n, &sealed, err);
    if (!st)
        st = c->take(c->ctx, c->cell, sealed, 1 + c->n, err);
    custos_sealed_free(sealed);
    c->n = 0;
    c->open = false;
    c->done[c->cell] = true;
    return st;
}

/* Ends the open group and all groups before `cell`. */
static custos_status
groups_until(struct collector *c, size_t cell, custos_err *err)
{
    custos_status st = c->open ? group_end(c, err) : CUSTOS_OK;

    for (; c->next < cell && !st; c->next++)
        if (!c->done[c->next]) {
            c->cell = c->next;
            st = group_end(c, err);
        }
    return st;
}

/* Called before a value of this group. All values of a group come together. */
static custos_status
group_begin(struct collector *c, size_t cell, custos_err *err)
{
    custos_status st;

    if (c->open && c->cell == cell)
        return CUSTOS_OK;
    st = groups_until(c, c->among ? 0 : cell, err);
    if (!st && c->done[cell])
        st = custos_fail(err, CUSTOS_EENGINE, "groups out of order");
    c->cell = cell;
    c->open = true;
    return st;
}

/* Makes room for n more values. Does not use realloc, which would
   leave copies of values behind. */
static bool
collector_grow(struct collector *c, size_t n)
{
    size_t want, twice;
    i128 *bigger;

    if (!ck_add_size(1 + c->n, n, &want) || want >> VALUES_LOG2)
        return false;
    if (want <= c->room)
        return true;
    if (!ck_mul_size(want, 2, &twice) ||
        !(bigger = calloc(twice, sizeof *bigger)))
        return false;
    memcpy(bigger, c->cells, (1 + c->n) * sizeof *bigger);
    wipe(c->cells, c->room * sizeof *c->cells);
    free(c->cells);
    c->cells = bigger;
    c->room = twice;
    return true;
}

static custos_status
row_take(struct collector *c, const struct column *columns, size_t row,
         custos_err *err)
{
    size_t keys = c->stage->space->n_keys, cell = 0;
    i128 value = column_whole(&columns[keys], row);
    i128 times = column_whole(&columns[keys + 1], row);
    custos_status st;

    if (c->among ? !groups_has(c->among, columns, row, &cell)
                 : !work_cell(c->stage, columns, row, &cell))
        return CUSTOS_OK;
    if (times < 0 || times >> VALUES_LOG2)
        return custos_fail(err, CUSTOS_EENGINE, "no number of values");
    st = group_begin(c, cell, err);
    if (st)
        return st;
    if (!collector_grow(c, (size_t)times))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (i128 i = 0; i < times; i++)
        c->cells[1 + c->n++] = value;
    return CUSTOS_OK;
}

/* The values of all groups, each with its number of occurrences, in order. */
static struct select *
values_of_groups(struct builder *b, const struct stage *stage,
                 const struct part *part)
{
    struct work_values values = {.of = {part}, .n = 1};
    const struct term *value = term_name(b, NULL, "value_0");
    struct select *s =
        select_new(b, input_select(b, stage->space->bounding == BOUND_GENERAL
                                          ? general_bounded(b, stage, &values)
                                          : sql_bounded(b, stage, &values)));

    relation_queries(b, stage->plan, stage->plan->n_queries, s);
    for (size_t i = 0; i < stage->space->n_keys; i++) {
        struct sort by = {.term = term_name(b, NULL, "key_%zu", i),
                          .nulls = SORT_NULLS_LAST}; /* the null group */

        select_add_bare(b, s, by.term);
        select_order(b, s, &by);
    }
    select_add_bare(b, s, value);
    select_add_bare(b, s, term_aggregate(b, TERM_COUNT, NULL));
    select_where(b, s, term_present(b, value));
    select_order(b, s, &(struct sort){.term = value});
    s->group_by_all = true;
    return s;
}

static custos_status
collect_values(struct engine *e, struct collector *c, custos_err *err)
{
    struct column columns[PLAN_KEYS_MAX + 2];
    struct result *rows = NULL;
    size_t n = 0;
    custos_status st;
    struct builder b;

    builder_init(&b, e);
    st = ask_rows(&b, 0, values_of_groups(&b, c->stage, c->part), &rows, err);
    builder_clear(&b);
    while (!st && !(st = result_next(rows, &n, columns, err)) && n > 0)
        for (size_t row = 0; row < n && !st; row++)
            st = row_take(c, columns, row, err);
    result_free(rows);
    return st ? st : groups_until(c, c->n_groups, err);
}

custos_status
quantiles_collect(struct engine *e, const struct stage *stage, size_t part,
                  const struct groups *among, engine_take take, void *ctx,
                  custos_err *err)
{
    struct collector c = {.stage = stage,
                          .part = &stage->parts[part],
                          .take = take,
                          .ctx = ctx,
                          .among = among,
                          .n_groups = among ? among->n : stage->space->cells};
    custos_status st = CUSTOS_OK;

    if (stage->space->bounding ==
        BOUND_FOLD) /* the fold adds up and keeps no values */
        return custos_fail(err, CUSTOS_EENGINE,
                           "the query could not be completed");
    c.room = 1 + ROOM_FIRST;
    c.cells = calloc(c.room, sizeof *c.cells);
    c.done = calloc(c.n_groups + 1, sizeof *c.done);
    if (!c.cells || !c.done)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = collect_values(e, &c, err);
    if (c.cells)
        wipe(c.cells, c.room * sizeof *c.cells);
    free(c.cells);
    free(c.done);
    if (st && st != CUSTOS_ENOMEM && st != CUSTOS_EENTROPY)
        st = refail(err, CUSTOS_EENGINE, "the query could not be completed");
    return st;
}

custos_status
engine_quantiles(struct engine *e, const struct stage *stage, size_t part,
                 engine_take take, void *ctx, custos_err *err)
{
    if (stage->space
            ->selection) /* UNREACHABLE: engine_groups_quantiles does it */
        return custos_fail(err, CUSTOS_EINTERNAL, "groups are to be chosen");
    return quantiles_collect(e, stage, part, NULL, take, ctx, err);
}
