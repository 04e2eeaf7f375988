/*
 * Groups of the data on their way out. Until a selection has run, nothing can
 * be asked of them; it runs in here, so that not even their number leaves.
 * Afterwards only the chosen ones exist: the rest was wiped.
 *
 * THEOREM  groups-sealed
 *   Of groups that a selection did not choose nothing leaves the engine: not
 *   their keys, numbers or count. Of the chosen ones keys leave, and each
 *   exact part once, sealed.
 * SOURCE   doc/proofs/groups-chosen.md
 * NEEDS    custos_keys_release, a mechanism, decides from sealed counts.
 * GIVES    chosen groups in the order of their keys, NULL last: the first, at
 *          most plan->cells of them, whose texts have KEY_TEXT_MEAN bytes for
 *          each of so many; and how many were chosen besides, all of it a
 *          function of what was chosen.
 * FAILS    CUSTOS_EENGINE, CUSTOS_ENOMEM, CUSTOS_EENTROPY: one sentence each.
 * TESTED   nothing_leaves_before_the_choice chosen_groups_are_in_order
 *          suppressed_looks_like_absent groups_beyond_the_most_are_told
 */
#include "base/error.h"
#include "engine/groups.h"
#include "engine/refail.h"
#include "engine/work.h"

struct engine_groups {
    struct groups found;
    bool chosen;
    size_t *at;      /* where the chosen ones are in found, in order */
    int64_t *counts; /* the selection's noisy counts, by place in found */
    bool *taken;     /* by part and chosen group */
    size_t n, more;  /* shown; chosen besides */
};

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

custos_status
engine_find(struct engine *e, const struct plan *plan,
            struct engine_groups **out, custos_err *err)
{
    struct engine_groups *g = calloc(1, sizeof *g);
    struct exact x = {.groups = NULL};
    custos_status st = CUSTOS_OK;

    if (!g || !groups_init(&g->found, plan))
        st = no_memory(err);
    if (!st) {
        x.groups = &g->found;
        st = work_fill(e, plan, &x, err);
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
    if (g->found.plan)
        groups_clear(&g->found);
    free(g->at);
    free(g->counts);
    free(g->taken);
    free(g);
}

/* ----------------------------------------------------------- choosing -- */

static int
by_keys(const void *a, const void *b, void *ctx)
{
    const struct groups *g = ctx;
    size_t n = g->plan->n_keys;
    const struct datum *x = &g->keys[*(const size_t *)a * n];
    const struct datum *y = &g->keys[*(const size_t *)b * n];

    for (size_t i = 0; i < n; i++) {
        int order = datum_cmp(&x[i], &y[i]);

        if (order)
            return order;
    }
    return 0;
}

/* The units of every group, as the selection takes them. */
static custos_status
seal_units(const struct groups *found, custos_sealed **out, custos_err *err)
{
    int64_t *units = calloc(found->n, sizeof *units);
    custos_status st;

    if (!units)
        return no_memory(err);
    for (size_t i = 0; i < found->n; i++) /* the ceiling of rows is 2^62 */
        units[i] = (int64_t)found->units[i];
    st = custos_seal_ints(NULL, units, found->n, out, err);
    wipe(units, found->n * sizeof *units);
    free(units);
    return st;
}

/* How many of the chosen groups are shown: a function of their keys. */
static size_t
shown_of(const struct engine_groups *g)
{
    const struct plan *plan = g->found.plan;
    uint64_t room = (uint64_t)plan->cells * KEY_TEXT_MEAN +
                    (uint64_t)plan->n_keys * KEY_TEXT_MAX;
    size_t n = 0;

    for (; n < g->n && n < plan->cells; n++) {
        const struct datum *keys = &g->found.keys[g->at[n] * plan->n_keys];

        for (size_t k = 0; k < plan->n_keys; k++) {
            size_t len = keys[k].type == TYPE_TEXT ? keys[k].text.len : 0;

            if (len > room)
                return n;
            room -= len;
        }
    }
    return n;
}

static void
keep_chosen(struct engine_groups *g, const uint8_t *kept)
{
    struct groups *found = &g->found;

    for (size_t i = 0; i < found->n; i++) {
        if (kept[i]) {
            g->at[g->n++] = i;
            continue;
        }
        found->units[i] = 0;
        for (size_t p = 0; p < found->plan->n_parts; p++)
            found->values[p][i] = 0;
        for (size_t k = 0; k < found->plan->n_keys; k++)
            found->keys[i * found->plan->n_keys + k].type = TYPE_NULL;
    }
    if (g->n > 1)
        qsort_r(g->at, g->n, sizeof *g->at, by_keys, found);
    g->more = g->n;
    g->n = shown_of(g);
    g->more -= g->n;
}

custos_status
engine_groups_choose(struct engine_groups *g, custos_rng *rng, custos_err *err)
{
    const struct plan *plan = g->found.plan;
    const struct selection *s = plan->selection;
    custos_sealed *sealed = NULL;
    uint8_t *kept;
    size_t n = g->found.n;
    custos_status st;

    if (g->chosen)
        return custos_fail(err, CUSTOS_ETAKEN, "the groups were chosen before");
    g->chosen = true;
    if (n == 0)
        return CUSTOS_OK;
    kept = calloc(n, sizeof *kept);
    g->at = calloc(n, sizeof *g->at);
    g->counts = calloc(n, sizeof *g->counts);
    st = kept && g->at && g->counts ? seal_units(&g->found, &sealed, err)
                                    : no_memory(err);
    if (!st)
        st = custos_keys_release(s->rule, rng, sealed,
                                 s->serves >= 0 ? g->counts : NULL, kept, n,
                                 err);
    if (!st) {
        keep_chosen(g, kept);
        g->taken = calloc(g->n * plan->n_parts + 1, sizeof *g->taken);
        st = g->taken ? CUSTOS_OK : no_memory(err);
    }
    if (st)
        g->n = g->more = 0;
    custos_sealed_free(sealed);
    free(kept);
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
    const struct plan *plan = g->found.plan;
    const struct key *key = &plan->keys[k];
    struct datum d;

    CUSTOS_REQUIRE(group < g->n && k < plan->n_keys);
    d = g->found.keys[g->at[group] * plan->n_keys + k];
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
    return g->counts[g->at[group]];
}

custos_status
engine_groups_part(struct engine_groups *g, size_t group, size_t part,
                   custos_sealed **out, custos_err *err)
{
    size_t i = group * g->found.plan->n_parts + part;
    i128 *value;
    custos_status st;

    CUSTOS_REQUIRE(group < g->n && part < g->found.plan->n_parts);
    if (g->taken[i])
        return custos_fail(err, CUSTOS_ETAKEN, "the part was taken before");
    g->taken[i] = true;
    value = &g->found.values[part][g->at[group]];
    st = custos_seal_wide(NULL, value, 1, out, err);
    *value = 0;
    return st;
}
