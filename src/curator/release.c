/*
 * Below the charge: exact values in, released values out. Exact values pass
 * through here only in sealed handles, which only mech/ opens.
 */
#include "curator/release.h"

#include <stdio.h>

#include "base/error.h"
#include "curator/answer.h"
#include "curator/bound_selection.h"
#include "mech/i128.h"

/* What take_quantiles needs: mechanism, generator, and where results go. */
struct quantiles {
    const struct part_quantiles *of;
    custos_rng *rng;
    i128 *values;
    int64_t *room; /* scratch for one release */
};

static custos_status
take_quantiles(void *ctx, size_t cell, enum engine_quantile place,
               custos_sealed *sealed, size_t cells, custos_err *err)
{
    struct quantiles *q = ctx;
    const custos_quantile *by = place == QUANTILE_AT    ? q->of->at
                                : place == QUANTILE_LOW ? q->of->low
                                                        : q->of->high;
    i128 *to = q->values + (3 * cell + (size_t)place) * q->of->n;
    custos_status st =
        custos_quantile_release(by, q->rng, sealed, cells, q->room, err);

    for (size_t i = 0; i < q->of->n && !st; i++)
        to[i] = q->room[i];
    return st;
}

/* Releases the quantiles of part i for the selected groups g, or for all cells
   if g is NULL. */
static custos_status
release_quantiles(const struct releaser *r, arena *a, const struct plan *p,
                  struct engine_groups *g, size_t i, i128 *values,
                  custos_err *err)
{
    struct quantiles q = {
        .of = p->parts[i].quantiles, .rng = r->rng, .values = values};

    q.room = arena_take(a, q.of->n, sizeof *q.room);
    if (!q.room)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return g ? engine_groups_quantiles(r->engine, g, i, take_quantiles, &q, err)
             : engine_quantiles(r->engine, p, i, take_quantiles, &q, err);
}

/* Releases one part of a selected group. */
static custos_status
release_part(const struct releaser *r, const struct plan *p,
             struct engine_groups *g, size_t group, size_t part, i128 *out,
             custos_err *err)
{
    custos_sealed *sealed = NULL;
    custos_status st;

    if (p->parts[part].served) {
        *out = engine_groups_units(g, group);
        return CUSTOS_OK;
    }
    st = engine_groups_part(g, group, part, &sealed, err);
    if (!st)
        st = release_i128(p->parts[part].mech, r->rng, sealed, out, 1, err);
    custos_sealed_free(sealed);
    return st;
}

static custos_status
release_chosen(const struct releaser *r, arena *a, const struct plan *p,
               struct engine_groups *g, struct released *out, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (!released_take(a, p, engine_groups_count(g), out))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < out->cells && !st; i++) {
        for (size_t k = 0; k < p->n_keys && !st; k++) {
            struct datum *d = &out->keys[i * p->n_keys + k];

            *d = engine_groups_key(g, i, k);
            if (d->type == TYPE_TEXT && !(d->text.ptr = arena_copy(a, d->text)))
                st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        }
        for (size_t part = 0; part < p->n_parts && !st; part++)
            if (p->parts[part].kind != PART_QUANTILES)
                st = release_part(r, p, g, i, part, &out->values[part][i], err);
    }
    for (size_t part = 0; part < p->n_parts && !st; part++)
        if (p->parts[part].kind == PART_QUANTILES)
            st = release_quantiles(r, a, p, g, part, out->values[part], err);
    return st;
}

/* Discovered groups: selects groups first, then releases the parts of the
   selected ones. */
static custos_status
release_groups(const struct releaser *r, arena *a, const struct plan *p,
               struct released *out, custos_err *err)
{
    struct engine_groups *g = NULL;
    custos_status st = engine_find(r->engine, p, &g, err);

    if (!st)
        st = engine_groups_choose(g, r->rng, err);
    if (!st)
        st = release_chosen(r, a, p, g, out, err);
    if (!st)
        out->more = engine_groups_more(g);
    engine_groups_free(g);
    return st;
}

/* Runs the plan in the engine and releases all its parts. */
static custos_status
release_parts(const struct releaser *r, arena *a, const struct plan *p,
              struct released *released, custos_err *err)
{
    custos_sealed **sealed;
    custos_status st;

    if (p->selection)
        return release_groups(r, a, p, released, err);
    sealed = arena_take(a, p->n_parts, sizeof(custos_sealed *));
    if (!sealed || !released_take(a, p, p->cells, released))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = engine_run(r->engine, p, sealed, err);
    for (size_t i = 0; i < p->n_parts && !st; i++)
        st = p->parts[i].kind == PART_QUANTILES
                 ? release_quantiles(r, a, p, NULL, i, released->values[i], err)
                 : release_i128(p->parts[i].mech, r->rng, sealed[i],
                                released->values[i], p->cells, err);
    for (size_t i = 0; i < p->n_parts; i++)
        custos_sealed_free(sealed[i]);
    return st;
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
    arena *a = arena_new(NULL, QUERY_BYTES);
    const struct plan *run = p;
    struct released released;
    custos_status st;

    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = bound_selection_run(r->engine, r->rng, p, &run, err);
    if (!st)
        st = release_parts(r, a, run, &released, err);
    if (!st)
        st = answer_of_released(run, &released, receipt, out, err);
    if (!st && p->bound_selection)
        bound_selection_report(p, *out);
    if (!st && released.more)
        report_more(released.more, *out);
    arena_free(a);
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
