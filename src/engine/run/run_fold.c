/*
 * The ordered scan: each thread reads a range of units of its own and folds it.
 * DuckDB keeps the order of storage for scan, filter and projection of one table;
 * the fold checks the order anyway.
 *
 * Each thread has sums of its own; they are of whole numbers, so the order in
 * which they are added up does not matter.
 */
#include <pthread.h>

#include "base/ck.h"
#include "base/error.h"
#include "engine/run/add.h"
#include "engine/statement/ask.h"
#include "engine/run/fold.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"

/* The work of one thread. */
struct lane {
    size_t number; /* of its connection */
    const struct stage *stage;
    const struct work_values *values;
    struct builder builder;
    const struct select *scan;
    struct fold fold;
    struct exact x;
    struct groups groups; /* discovered groups, to which x then points */
    struct groups_limit limit;
    pthread_t thread;
    bool started;
    custos_status status;
    custos_err err;
};

/* All keys as one cell number; the first key varies slowest. */
static const struct term *
cell_term(struct builder *b, const struct stage *stage)
{
    const struct term *cell = NULL;

    for (size_t i = 0; i < stage->space->n_keys; i++) {
        const struct key *k = &stage->space->keys[i];
        const struct term *key =
            term_cast(b, work_key(b, stage, i), STORED(I32));

        if (k->null_group)
            key = term_call(b, TERM_COALESCE, key, term_number(b, (i128)k->n),
                            NULL);
        cell = cell ? term_binary(
                          b,
                          term_binary(b, cell, TERM_TIMES,
                                      term_number(b, (i128)work_key_size(k))),
                          TERM_PLUS, key)
                    : key;
    }
    return term_cast(b, cell, STORED(I32));
}

static struct select *
scan_of(struct builder *b, const struct stage *stage,
        const struct work_values *values, int64_t from, int64_t last)
{
    struct select *s =
        select_new(b, input_as(b, relation_of_plan(b, stage->plan), "t"));
    const struct term *unit = term_name(b, "t", "unit");

    select_add_bare(b, s, unit);
    if (stage->space->n_keys > 0 && !stage->space->selection)
        select_add_bare(b, s, cell_term(b, stage));
    for (size_t i = 0; i < stage->space->n_keys && stage->space->selection; i++)
        select_add_bare(b, s, work_key(b, stage, i));
    for (size_t i = 0; i < values->n; i++)
        select_add_bare(b, s, work_value(b, stage->plan, values->of[i]));
    select_where(
        b, s,
        term_between(b, unit, term_number(b, from), term_number(b, last)));
    work_conditions(b, stage, &s->where);
    return s;
}

/* Are the first n values all not NULL? */
static bool
all_valid(const struct column *c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (column_is_null(c, i))
            return false;
    return true;
}

/* Adds up the kept rows of a chunk; values: the columns of its values. */
static void
lane_add(struct lane *l, const struct kept *kept, const struct column *values)
{
    for (size_t i = 0; i < l->stage->n_parts; i++) {
        int v = l->values->part[i];

        add_part(&l->stage->parts[i], kept, v < 0 ? NULL : &values[v],
                 l->x.groups ? l->groups.values[i] : exact_part(&l->x, i));
    }
}

/* lane_chunk for discovered groups, where each key is a column. False if out of
   memory. */
static bool
lane_groups(struct lane *l, const struct column *columns, size_t n)
{
    uint32_t row[WORK_CHUNK_MOST];
    uint8_t first[WORK_CHUNK_MOST];
    int32_t cell[WORK_CHUNK_MOST];
    struct kept kept = {.row = row, .first = first, .cell = cell};

    if (n > WORK_CHUNK_MOST || columns[0].type != COLUMN_I64 ||
        (columns[0].valid && !all_valid(&columns[0], n))) {
        l->fold.torn = true;
        return true;
    }
    kept.n = fold_rows(&l->fold, columns[0].data, NULL, n, row, first);
    if (!groups_find(&l->groups, columns + 1, row, kept.n, cell))
        return false;
    kept.n = groups_limit(&l->groups, &l->limit, columns[0].data, cell, row,
                          first, kept.n);
    lane_add(l, &kept, columns + 1 + l->stage->space->n_keys);
    return true;
}

static void
lane_chunk(struct lane *l, const struct column *columns, size_t n)
{
    const struct stage *stage = l->stage;
    uint32_t row[WORK_CHUNK_MOST];
    uint8_t first[WORK_CHUNK_MOST];
    bool keyed = stage->space->n_keys > 0;
    struct kept kept = {
        .row = row, .first = first, .cell = keyed ? columns[1].data : NULL};

    if (n > WORK_CHUNK_MOST || columns[0].type != COLUMN_I64 ||
        (keyed && columns[1].type != COLUMN_I32) ||
        (columns[0].valid && !all_valid(&columns[0], n)) ||
        (keyed && columns[1].valid && !all_valid(&columns[1], n))) {
        l->fold.torn = true;
        return;
    }
    kept.n = fold_rows(&l->fold, columns[0].data, kept.cell, n, row, first);
    lane_add(l, &kept, &columns[keyed ? 2 : 1]);
}

static void *
lane_run(void *ctx)
{
    struct lane *l = ctx;
    struct column columns[WORK_VALUES_MAX + PLAN_KEYS_MAX + 1];
    struct result *rows = NULL;
    size_t n = 0;
    custos_status st;

    st = ask_rows(&l->builder, l->number, l->scan, &rows, &l->err);
    while (!st && !l->fold.torn &&
           !(st = result_next(rows, &n, columns, &l->err)) && n > 0)
        if (!l->x.groups)
            lane_chunk(l, columns, n);
        else if (!lane_groups(l, columns, n))
            st = custos_fail(&l->err, CUSTOS_ENOMEM, "out of memory");
    result_free(rows);
    if (l->x.groups)
        groups_limit_end(&l->groups, &l->limit);
    if (!st && l->fold.torn) {
        st = custos_fail(&l->err, CUSTOS_EENGINE,
                         "the query could not be completed");
        custos_note(&l->err, "a scan was not in the order of units: nothing "
                             "of it was used; import the data again");
    }
    l->status = st;
    return NULL;
}

/* Is the number of groups limited, or are units counted? */
static bool
is_tracked(const struct stage *stage)
{
    for (size_t i = 0; i < stage->n_parts; i++)
        if (stage->parts[i].kind == PART_UNITS)
            return true;
    return stage->space->groups < stage->plan->rows;
}

static custos_status
lane_init(struct lane *l, struct engine *e, const struct stage *stage,
          const struct work_values *values, int64_t from, int64_t last,
          custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (!stage->space->selection)
        st = exact_init(&l->x, stage, err);
    else if (groups_init(&l->groups, stage))
        l->x.groups = &l->groups;
    else
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (st)
        return st;
    l->err = (custos_err)CUSTOS_ERR_INIT;
    groups_limit_init(&l->limit, stage->space);
    l->stage = stage;
    l->values = values;
    builder_init(&l->builder, e);
    l->scan = scan_of(&l->builder, stage, values, from, last);
    if (l->builder.failed ||
        !fold_init(&l->fold, stage->plan->rows, stage->space->groups,
                   stage->space->cells,
                   !stage->space->selection && is_tracked(stage), from, last))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return CUSTOS_OK;
}

static void
lane_clear(struct lane *l)
{
    exact_clear(&l->x);
    if (l->groups.stage)
        groups_clear(&l->groups);
    builder_clear(&l->builder);
    fold_clear(&l->fold);
}

/* Runs lane 0 on this thread and the others on threads of their own. */
static custos_status
lanes_run(struct lane *lanes, size_t n, struct exact *x, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 1; i < n; i++)
        lanes[i].started =
            !pthread_create(&lanes[i].thread, NULL, lane_run, &lanes[i]);
    lane_run(&lanes[0]);
    for (size_t i = 1; i < n; i++)
        if (lanes[i].started)
            pthread_join(lanes[i].thread, NULL);
        else
            lane_run(&lanes[i]);
    for (size_t i = 0; i < n && !st; i++) {
        st = lanes[i].status;
        if (st && err)
            *err = lanes[i].err;
        if (!st && x->groups && !groups_merge(x->groups, &lanes[i].groups))
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        for (size_t k = 0; k < x->n && !st; k++)
            x->values[k] += lanes[i].x.values[k];
    }
    return st;
}

bool
work_adds_up(const struct stage *stage)
{
    for (size_t i = 0; i < stage->n_parts; i++)
        if (stage->parts[i].kind == PART_DISTINCT ||
            stage->parts[i].kind == PART_QUANTILES)
            return false;
    return true;
}

custos_status
run_fold(struct engine *e, const struct stage *stage, struct exact *x,
         custos_err *err)
{
    const struct engine_table *t = &e->tables[stage->plan->table->number];
    size_t want = t->n_cuts < e->lanes ? t->n_cuts : e->lanes, n = 0;
    struct work_values values;
    struct lane *lanes;
    custos_status st;
    int64_t from = 1;

    if (!t->sorted || stage->space->cells > INT32_MAX ||
        stage->space->per_group > 0 || !work_adds_up(stage))
        return custos_fail(err, CUSTOS_EENGINE,
                           "the query could not be completed");
    st = work_values(stage, &values, err);
    lanes = calloc(want + 1, sizeof *lanes);
    if (!lanes && !st)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 1; i <= want && !st; i++) {
        int64_t last = i == want ? INT64_MAX : t->cuts[i * t->n_cuts / want];

        if (last < from)
            continue;
        lanes[n].number = n;
        st = lane_init(&lanes[n++], e, stage, &values, from, last, err);
        if (last < INT64_MAX)
            from = last + 1;
    }
    if (!st && n > 0)
        st = lanes_run(lanes, n, x, err);
    for (size_t i = 0; i < n; i++)
        lane_clear(&lanes[i]);
    free(lanes);
    return st;
}
