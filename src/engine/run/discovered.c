/*
 * Discovered groups. Until the selection has run, nothing can be asked about them.
 * The selection runs here, so that not even the number of groups leaves the engine.
 * Afterwards only the chosen groups exist; the others are wiped. Values for
 * quantiles are collected only then, for the chosen groups, with the same bounding.
 *
 * THEOREM  groups-sealed
 *   Nothing about the groups that a selection did not choose leaves the engine:
 *   not their keys, their numbers or how many there are. Of the chosen groups,
 *   the keys leave, and each exact part leaves once, sealed.
 * SOURCE   doc/proofs/groups-chosen.md
 * NEEDS    custos_keys_release, a mechanism, decides from sealed counts.
 * GIVES    the chosen groups in the order of their keys, NULL last: the first
 *          ones, at most the space's `cells`, whose key texts together fit in the limit
 *          of shown_of (KEY_TEXT_MEAN bytes per cell and KEY_TEXT_MAX per
 *          key); and how many more were chosen. All of it is a function of
 *          what was chosen.
 * FAILS    CUSTOS_EENGINE, CUSTOS_ENOMEM, CUSTOS_EENTROPY: one constant
 *          sentence each.
 * TESTED   nothing_leaves_before_the_choice chosen_groups_are_in_order
 *          suppressed_looks_like_absent groups_beyond_the_most_are_told
 *          quantiles_are_of_the_chosen_alone
 */
#include "base/ck.h"
#include "base/error.h"
#include "engine/run/groups.h"
#include "engine/refail.h"
#include "engine/statement/work.h"
#include "mech/i128.h"

struct engine_groups {
    struct groups found; /* all; after the choice, those shown, in order */
    bool chosen;
    int64_t *counts; /* the selection's noisy counts of the shown groups */
    bool *taken;     /* by group and part */
    size_t n, more;  /* shown; chosen but not shown. 0 before the choice */
};

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

custos_status
engine_find(struct engine *e, const struct stage *stage,
            struct engine_groups **out, custos_err *err)
{
    struct engine_groups *g = calloc(1, sizeof *g);
    struct exact x = {.groups = NULL};
    custos_status st = CUSTOS_OK;

    if (!g || !groups_init(&g->found, stage))
        st = no_memory(err);
    if (!st) {
        x.groups = &g->found;
        st = work_fill(e, stage, &x, err);
    }
    if (st) {
        engine_groups_free(g);
        return st == CUSTOS_ENOMEM ? st
                                   : refail(err, CUSTOS_EENGINE,
                                            "the query could not be completed");
    }
    *out = g;
    return CUSTOS_OK;
}

void
engine_groups_free(struct engine_groups *g)
{
    if (!g)
        return;
    if (g->found.stage)
        groups_clear(&g->found);
    free(g->counts);
    free(g->taken);
    free(g);
}

/* ----------------------------------------------------------- choosing -- */

static int
by_keys(const void *a, const void *b, void *ctx)
{
    const struct groups *g = ctx;
    size_t n = g->stage->space->n_keys;
    const struct datum *x = &g->keys[*(const size_t *)a * n];
    const struct datum *y = &g->keys[*(const size_t *)b * n];

    for (size_t i = 0; i < n; i++) {
        int order = datum_cmp(&x[i], &y[i]);

        if (order)
            return order;
    }
    return 0;
}

/* Seals the number of units of every group, or the sum of their weights, for the
   selection. */
static custos_status
seal_units(const struct groups *found, custos_sealed **out, custos_err *err)
{
    int64_t *units = calloc(found->n, sizeof *units);
    custos_status st;

    if (!units)
        return no_memory(err);
    for (size_t i = 0; i < found->n;
         i++) /* far below 2^62 / KEYS_STEPS units */
        units[i] = (int64_t)clamp_i128(found->units[i], 0, INT64_MAX);
    st = custos_seal_ints(NULL, units, found->n, out, err);
    wipe(units, found->n * sizeof *units);
    free(units);
    return st;
}

/* How many of the chosen groups are shown: a function of their keys. */
static size_t
shown_of(const struct groups *found, const size_t *at, size_t chosen)
{
    const struct stage *stage = found->stage;
    uint64_t room = (uint64_t)stage->space->cells * KEY_TEXT_MEAN +
                    (uint64_t)stage->space->n_keys * KEY_TEXT_MAX;
    size_t n = 0;

    for (; n < chosen && n < stage->space->cells; n++) {
        const struct datum *keys = &found->keys[at[n] * stage->space->n_keys];

        for (size_t k = 0; k < stage->space->n_keys; k++) {
            size_t len = keys[k].type == TYPE_TEXT ? keys[k].text.len : 0;

            if (len > room)
                return n;
            room -= len;
        }
    }
    return n;
}

/* Writes the indices of the chosen groups to `at`, in the order of their keys. */
static size_t
place_chosen(struct groups *found, const uint8_t *kept, size_t *at)
{
    size_t n = 0;

    for (size_t i = 0; i < found->n; i++)
        if (kept[i])
            at[n++] = i;
    if (n > 1)
        qsort_r(at, n, sizeof *at, by_keys, found);
    return n;
}

/* Keeps only the chosen groups that are shown, and wipes the others. */
static custos_status
keep_chosen(struct engine_groups *g, const uint8_t *kept, const int64_t *counts,
            custos_err *err)
{
    const struct stage *stage = g->found.stage;
    size_t *at = calloc(g->found.n, sizeof *at);
    size_t chosen = at ? place_chosen(&g->found, kept, at) : 0;
    size_t n = at ? shown_of(&g->found, at, chosen) : 0;
    struct groups few;
    bool good = groups_init(&few, stage) && at;

    g->taken = calloc(n * stage->n_parts + 1, sizeof *g->taken);
    g->counts = calloc(n + 1, sizeof *g->counts);
    good = good && g->taken && g->counts && groups_pick(&few, &g->found, at, n);
    for (size_t i = 0; good && i < n; i++)
        g->counts[i] = counts[at[i]];
    groups_clear(&g->found);
    g->found = few;
    if (good) {
        g->n = n;
        g->more = chosen - n;
    }
    free(at);
    return good ? CUSTOS_OK : no_memory(err);
}

custos_status
engine_groups_choose(struct engine_groups *g, custos_rng *rng, custos_err *err)
{
    const struct selection *s = g->found.stage->space->selection;
    custos_sealed *sealed = NULL;
    int64_t *counts;
    uint8_t *kept;
    size_t n = g->found.n;
    custos_status st;

    if (g->chosen)
        return custos_fail(err, CUSTOS_ETAKEN,
                           "the groups were chosen already");
    g->chosen = true;
    if (n == 0)
        return CUSTOS_OK;
    kept = calloc(n, sizeof *kept);
    counts = calloc(n, sizeof *counts);
    st = kept && counts ? seal_units(&g->found, &sealed, err) : no_memory(err);
    if (!st)
        st = custos_keys_release(s->rule, rng, sealed,
                                 s->serves >= 0 ? counts : NULL, kept, n, err);
    if (!st)
        st = keep_chosen(g, kept, counts, err);
    custos_sealed_free(sealed);
    free(kept);
    free(counts);
    return st;
}

/* ------------------------------------------------------------- chosen -- */

size_t
engine_groups_count(const struct engine_groups *g)
{
    return g->n;
}

size_t
engine_groups_more(const struct engine_groups *g)
{
    return g->more;
}

struct datum
engine_groups_key(const struct engine_groups *g, size_t group, size_t k)
{
    const struct stage *stage = g->found.stage;
    const struct key *key = &stage->space->keys[k];
    struct datum d;

    CUSTOS_REQUIRE(group < g->n && k < stage->space->n_keys);
    d = g->found.keys[group * stage->space->n_keys + k];
    if (d.type == TYPE_NULL)
        return d;
    if (key->kind != KEY_PRIVATE)
        return d.n >= 0 && d.n < (i128)key->n
                   ? key->values[d.n]
                   : (struct datum){.type = TYPE_NULL};
    d.type = key->expr->type;
    d.scale = key->scale;
    return d;
}

int64_t
engine_groups_units(const struct engine_groups *g, size_t group)
{
    CUSTOS_REQUIRE(group < g->n);
    return g->counts[group];
}

custos_status
engine_groups_part(struct engine_groups *g, size_t group, size_t part,
                   custos_sealed **out, custos_err *err)
{
    size_t i = group * g->found.stage->n_parts + part;
    size_t n;
    i128 *values;
    custos_status st;

    CUSTOS_REQUIRE(group < g->n && part < g->found.stage->n_parts);
    if (g->taken[i])
        return custos_fail(err, CUSTOS_ETAKEN, "the part was taken already");
    g->taken[i] = true;
    n = part_numbers(&g->found.stage->parts[part]);
    values = g->found.values[part] + group * n;
    st = seal_i128(NULL, values, n, out, err);
    wipe(values, n * sizeof *values);
    return st;
}

custos_status
engine_groups_quantiles(struct engine *e, struct engine_groups *g, size_t part,
                        engine_take take, void *ctx, custos_err *err)
{
    size_t n_parts = g->found.stage->n_parts;

    CUSTOS_REQUIRE(part < n_parts);
    for (size_t i = 0; i < g->n; i++) {
        if (g->taken[i * n_parts + part])
            return custos_fail(err, CUSTOS_ETAKEN,
                               "the part was taken already");
        g->taken[i * n_parts + part] = true;
    }
    if (g->n == 0) /* none chosen, or no choice yet */
        return CUSTOS_OK;
    return quantiles_collect(e, g->found.stage, part, &g->found, take, ctx,
                             err);
}
