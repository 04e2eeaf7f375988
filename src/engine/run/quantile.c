/*
 * Collects the values whose quantiles are released. The engine gives the bounded rows
 * in any order; they are sorted here, by group and value, in as many passes as the
 * range of values and the number of groups need, whatever the values are. They are
 * sealed here and handed on one group after the other.
 */
#include <stdlib.h>

#include "base/ck.h"
#include "base/error.h"
#include "engine/run/radix.h"
#include "engine/statement/ask.h"
#include "engine/refail.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"
#include "mech/i128.h"

enum { ROOM_FIRST = 1 << 12, VALUES_LOG2 = 32, GROUP_BIT = 64 };

/* Collects values, each with its group in the upper 64 bits, and below it how far it
   is above the least of the range. */
struct collector {
    const struct stage *stage;
    const struct part *part;
    engine_take take;
    void *ctx;
    u128 *values;
    size_t room, n;
    const struct groups *among; /* NULL: all cells of the plan, in order */
    size_t n_groups;
};

/* Makes room for one more value. Does not use realloc, which would leave copies of
   values behind. */
static bool
collector_grow(struct collector *c)
{
    size_t twice;
    u128 *bigger;

    if (c->n < c->room)
        return true;
    if (c->n >> VALUES_LOG2 || !ck_mul_size(c->room, 2, &twice) ||
        !(bigger = calloc(twice, sizeof *bigger)))
        return false;
    memcpy(bigger, c->values, c->n * sizeof *bigger);
    wipe(c->values, c->room * sizeof *c->values);
    free(c->values);
    c->values = bigger;
    c->room = twice;
    return true;
}

static custos_status
row_take(struct collector *c, const struct column *columns, size_t row,
         custos_err *err)
{
    i128 value = column_whole(&columns[c->stage->space->n_keys], row);
    size_t cell = 0;

    if (c->among ? !groups_has(c->among, columns, row, &cell)
                 : !work_cell(c->stage, columns, row, &cell))
        return CUSTOS_OK;
    if (!collector_grow(c))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    value = clamp_i128(value, c->part->lower, c->part->upper) - c->part->lower;
    c->values[c->n++] = (u128)cell << GROUP_BIT | (u128)value;
    return CUSTOS_OK;
}

/* The values of all groups. */
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
    for (size_t i = 0; i < stage->space->n_keys; i++)
        select_add_bare(b, s, term_name(b, NULL, "key_%zu", i));
    select_add_bare(b, s, value);
    select_where(b, s, term_present(b, value));
    return s;
}

static custos_status
collect_values(struct engine *e, struct collector *c, custos_err *err)
{
    struct column columns[PLAN_KEYS_MAX + 1];
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
    return st;
}

static unsigned
bits_of(u128 most)
{
    unsigned bits = 0;

    while (bits < GROUP_BIT && most >> bits)
        bits++;
    return bits;
}

/* Sorts by value, then by group. */
static custos_status
sort_values(struct collector *c, custos_err *err)
{
    u128 *room = calloc(c->n + 1, sizeof *room);

    if (!room)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    radix_sort(c->values, c->n, 0,
               bits_of((u128)(c->part->upper - c->part->lower)), room);
    radix_sort(c->values, c->n, GROUP_BIT, bits_of(c->n_groups - 1), room);
    wipe(room, c->n * sizeof *room);
    free(room);
    return CUSTOS_OK;
}

/* Seals each group, the number of its values before them, and hands it on. */
static custos_status
hand_on(struct collector *c, custos_err *err)
{
    size_t most = 0, at = 0;
    custos_status st = CUSTOS_OK;
    i128 *cells = calloc(c->n + 1, sizeof *cells);

    if (!cells)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t group = 0; group < c->n_groups && !st; group++) {
        custos_sealed *sealed = NULL;
        size_t n = 0;

        for (; at < c->n && c->values[at] >> GROUP_BIT == group; at++)
            cells[1 + n++] =
                (i128)(uint64_t)c->values[at] + (i128)c->part->lower;
        cells[0] = (i128)n;
        most = n > most ? n : most;
        st = seal_i128(NULL, cells, 1 + n, &sealed, err);
        if (!st)
            st = c->take(c->ctx, group, sealed, 1 + n, err);
        custos_sealed_free(sealed);
    }
    wipe(cells, (1 + most) * sizeof *cells);
    free(cells);
    return st;
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
    c.room = ROOM_FIRST;
    c.values = calloc(c.room, sizeof *c.values);
    if (!c.values)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st)
        st = collect_values(e, &c, err);
    if (!st)
        st = sort_values(&c, err);
    if (!st)
        st = hand_on(&c, err);
    if (c.values)
        wipe(c.values, c.room * sizeof *c.values);
    free(c.values);
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
