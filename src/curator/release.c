/*
 * Below the charge: exact values in, released values out. Exact values pass
 * through here only in sealed handles, which only mech/ opens.
 */
#include "curator/release.h"

#include <stdio.h>

#include "base/error.h"
#include "curator/answer.h"
#include "curator/bound_selection.h"
#include "curator/range_selection.h"
#include "mech/i128.h"
#include "mech/marginals.h"
#include "mech/quantile_box.h"
#include "mech/running.h"
#include "plan/part/marginals.h"

/* What take_quantiles needs: mechanism, generator, and where results go. */
struct quantiles {
    const struct part_quantiles *of;
    custos_rng *rng;
    i128 *values;
    size_t width;  /* numbers of one group */
    int64_t *room; /* scratch for one release */
};

static custos_status
take_quantiles(void *ctx, size_t cell, custos_sealed *sealed, size_t cells,
               custos_err *err)
{
    struct quantiles *q = ctx;
    i128 *to = q->values + cell * q->width;
    custos_status st;

    if (q->of->counts)
        return box_release(q->of->draws, q->of->counts, q->rng, sealed, cells,
                           to, err);
    st = custos_quantile_release(q->of->draws, q->rng, sealed, cells, q->room,
                                 err);
    for (size_t i = 0; i < q->of->n && !st; i++)
        to[i] = q->room[i];
    return st;
}

/* A plan whose stages are being released. Of the earlier stages a stage sees what
   they released, and no more: exact numbers of shown groups leave `groups` only
   sealed. */
struct releases {
    const struct releaser *by;
    arena *a;
    const struct plan *plan;
    size_t range; /* the candidate that a STAGE_RANGE has selected */
    struct engine_groups
        *groups; /* those that the last STAGE_GROUPS has shown */
    struct released out;
};

/* Releases the quantiles of one part, for all cells or the shown groups. */
static custos_status
release_quantiles(struct releases *x, const struct stage *s, size_t part,
                  custos_err *err)
{
    struct engine *e = x->by->engine;
    struct quantiles q = {.of = s->parts[part].quantiles,
                          .rng = x->by->rng,
                          .values = x->out.values[s->first + part],
                          .width = part_width(&s->parts[part])};

    q.room = arena_take(x->a, q.of->n, sizeof *q.room);
    if (!q.room)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (s->space->selection)
        return engine_groups_quantiles(e, x->groups, part, take_quantiles, &q,
                                       err);
    return engine_quantiles(e, s, part, take_quantiles, &q, err);
}

/* Releases one part of a shown group. */
static custos_status
release_part(struct releases *x, const struct stage *s, size_t group,
             size_t part, custos_err *err)
{
    size_t n = part_numbers(&s->parts[part]);
    i128 *out = &x->out.values[s->first + part][group * n];
    custos_sealed *sealed = NULL;
    custos_status st;

    if (s->parts[part].served) {
        *out = engine_groups_units(x->groups, group);
        return CUSTOS_OK;
    }
    st = engine_groups_part(x->groups, group, part, &sealed, err);
    if (!st)
        st = release_i128(s->parts[part].mech, x->by->rng, sealed, out, n, err);
    custos_sealed_free(sealed);
    return st;
}

/* Releases the numbers of the shown groups, group by group. */
static custos_status
release_shown(struct releases *x, const struct stage *s, custos_err *err)
{
    size_t n = engine_groups_count(x->groups);
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < n && !st; i++)
        for (size_t part = 0; part < s->n_parts && !st; part++)
            if (s->parts[part].kind != PART_QUANTILES)
                st = release_part(x, s, i, part, err);
    return st;
}

static custos_status
release_residual(struct releases *x, const struct stage *s, size_t i,
                 custos_sealed *sealed, custos_err *err)
{
    const struct marginals *m = marginals_of(s->plan, s->first + i);

    return residual_release(m, m->noisy[marginals_table(s->plan, s->first + i)],
                            s->parts[i].mech, x->by->rng, sealed,
                            x->out.values[s->first + i], err);
}

/* Releases the numbers of all cells, part by part. */
static custos_status
release_cells(struct releases *x, const struct stage *s, custos_err *err)
{
    custos_sealed **sealed =
        arena_take(x->a, s->n_parts + 1, sizeof(custos_sealed *));
    custos_status st;

    if (!sealed)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = engine_run(x->by->engine, s, sealed, err);
    for (size_t i = 0; i < s->n_parts && !st; i++)
        if (s->parts[i].residual)
            st = release_residual(x, s, i, sealed[i], err);
        else if (s->parts[i].running)
            st = running_release(
                s->parts[i].running, s->parts[i].mech, x->by->rng, sealed[i],
                x->out.values[s->first + i], s->space->cells, err);
        else if (s->parts[i].kind != PART_QUANTILES)
            st =
                release_i128(s->parts[i].mech, x->by->rng, sealed[i],
                             x->out.values[s->first + i],
                             s->space->cells * part_numbers(&s->parts[i]), err);
    for (size_t i = 0; i < s->n_parts; i++)
        custos_sealed_free(sealed[i]);
    return st;
}

/* Makes room for what a stage releases. */
static bool
take_room(struct releases *x, const struct stage *s)
{
    size_t cells =
        s->space->selection ? engine_groups_count(x->groups) : s->space->cells;

    if (s->space == &x->plan->space)
        x->out.cells = cells;
    return released_take(x->a, s, cells, &x->out);
}

static custos_status
release_values(struct releases *x, const struct stage *s, custos_err *err)
{
    custos_status st;

    if (!take_room(x, s))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = s->space->selection ? release_shown(x, s, err)
                             : release_cells(x, s, err);
    for (size_t part = 0; part < s->n_parts && !st; part++)
        if (s->parts[part].kind == PART_QUANTILES)
            st = release_quantiles(x, s, part, err);
    return st;
}

/* Keeps the keys of the shown groups for the answer. */
static custos_status
keep_keys(struct releases *x, const struct stage *s, custos_err *err)
{
    size_t n = engine_groups_count(x->groups), width = s->space->n_keys;

    if (s->space != &x->plan->space) /* the answer does not show its groups */
        return CUSTOS_OK;
    x->out.more = engine_groups_more(x->groups);
    x->out.keys = arena_take(x->a, n * width + 1, sizeof *x->out.keys);
    if (!x->out.keys)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < width; k++) {
            struct datum *d = &x->out.keys[i * width + k];

            *d = engine_groups_key(x->groups, i, k);
            if (d->type == TYPE_TEXT &&
                !(d->text.ptr = arena_copy(x->a, d->text)))
                return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        }
    return CUSTOS_OK;
}

/* Finds the groups of a space and selects those that are shown. The stage after it
   has their values, which the engine computes in the same pass over the rows. */
static custos_status
release_groups(struct releases *x, const struct stage *s, custos_err *err)
{
    const struct stage *values = s + 1;
    custos_status st;

    CUSTOS_REQUIRE(values->kind == STAGE_VALUES && values->space == s->space);
    engine_groups_free(x->groups);
    x->groups = NULL;
    st = engine_find(x->by->engine, values, &x->groups, err);
    if (!st)
        st = engine_groups_choose(x->groups, x->by->rng, err);
    return st ? st : keep_keys(x, s, err);
}

static custos_status release_stages(struct releases *x, custos_err *err);

static custos_status
release_stage(struct releases *x, const struct stage *s, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    switch (s->kind) {
    case STAGE_GROUPS: return release_groups(x, s, err);
    case STAGE_VALUES: return release_values(x, s, err);
    case STAGE_BOUND:
        st = bound_selection_run(x->by->engine, x->by->rng, s->plan, &x->plan,
                                 err);
        break;
    case STAGE_RANGE:
        st = range_selection_run(x->by->engine, x->by->rng, s->plan, &x->range,
                                 err);
        x->plan = s->next[x->range];
        break;
    }
    return st ? st : release_stages(x, err);
}

/* Makes the tables of each layer from what the stages of a plan released. */
static custos_status
rebuild_tables(struct releases *x, custos_err *err)
{
    const struct plan *p = x->plan;
    const size_t n = p->marginals->n_noisy;
    i128 **noisy = arena_take(x->a, n + 1, sizeof *noisy);
    i128 **tables = arena_take(x->a, p->n_layers + 1, sizeof *tables);
    custos_status st = CUSTOS_OK;

    if (!noisy || !tables)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t l = 0; l < p->n_layers && !st; l++) {
        tables[l] = arena_take(x->a, p->space.cells + 1, sizeof *tables[l]);
        if (!tables[l])
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        for (size_t t = 0; t < n; t++)
            noisy[t] = x->out.values[t * p->n_layers + l];
        st = marginals_rebuild(&p->marginals[l], noisy, tables[l], err);
    }
    x->out.cells = p->space.cells;
    x->out.values = tables;
    return st;
}

static custos_status
release_stages(struct releases *x, custos_err *err)
{
    const struct plan *p = x->plan;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_stages && !st; i++)
        st = release_stage(x, &p->stages[i], err);
    return st || !p->marginals ? st : rebuild_tables(x, err);
}

/* The number of selected groups was released with them, so reporting it is
   free. */
static void
report_more(size_t more, struct answer *answer)
{
    char text[160];

    snprintf(text, sizeof text,
             "%zu more group%s chosen than %s shown; those left out come last "
             "in the order of keys: group by something coarser",
             more, more == 1 ? " was" : "s were", more == 1 ? "is" : "are");
    answer_remark(answer, text);
}

custos_status
release_answer(const struct releaser *r, const struct plan *p,
               const struct receipt *receipt, struct answer **out,
               custos_err *err)
{
    struct releases x = {.by = r, .a = arena_new(NULL, QUERY_BYTES), .plan = p};
    custos_status st;

    if (!x.a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = release_stages(&x, err);
    if (!st)
        st = answer_of_released(x.plan, &x.out, receipt, out, err);
    if (!st && plan_bound_selection(p))
        bound_selection_report(p, *out);
    if (!st && plan_range_selection(p))
        range_selection_report(p, x.range, *out);
    if (!st && x.out.more)
        report_more(x.out.more, *out);
    engine_groups_free(x.groups);
    arena_free(x.a);
    return st;
}

custos_status
release_public(struct engine *e, const struct plan *p, struct answer **out,
               custos_err *err)
{
    arena *a = arena_new(NULL, QUERY_BYTES);
    struct engine_rows rows;
    custos_status st;

    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = engine_public(e, p, a, &rows, err);
    if (!st)
        st = answer_of_rows(p, &rows, out, err);
    arena_free(a);
    return st;
}
