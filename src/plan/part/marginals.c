/*
 * Lays GROUPING SETS, ROLLUP and CUBE: the sets of keys, their tables, and the parts.
 *
 * What the aggregates need is first planned as for a plain GROUP BY. Each of these
 * parts becomes a *layer*: a count or a sum that all tables have. Once it is decided
 * which tables get noise (marginals_choose.c), there is a part for each of them and
 * each layer; those of a table stand side by side, so that one pass over the rows
 * computes them.
 */
#include "plan/part/marginals.h"

#include "num/batch.h"
#include "plan/part/marginals_choose.h"
#include "sql/aggregates.h"

enum { FACES_CELLS = 1 << 22, COUNT_LOG2 = 44, ROWS_LOG2 = 40 };

static size_t
count_keys(uint32_t set)
{
    return (size_t)__builtin_popcount(set);
}

custos_status
marginals_start(struct work *w, const int *slots)
{
    const struct query *q = w->q;
    struct marginals *m = arena_take(w->a, 1, sizeof *m);

    if (!m)
        return work_no_memory(w);
    m->sets = arena_take(w->a, q->n_sets, sizeof *m->sets);
    if (!m->sets)
        return work_no_memory(w);
    m->n_sets = q->n_sets;
    for (size_t s = 0; s < q->n_sets; s++)
        for (size_t i = 0; i < q->n_group_by; i++)
            if (q->sets[s] >> i & 1)
                m->sets[s] |= (uint32_t)1 << slots[i];
    w->plan->marginals = m;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------------ tables -- */

static int
at_of(const struct work *w)
{
    return w->q->n_group_by > 0 ? w->q->group_by[0]->at : -1;
}

static custos_status
check_public(struct work *w)
{
    const struct cell_space *s = &w->plan->space;

    for (size_t i = 0; i < s->n_keys && s->selection; i++)
        if (s->keys[i].kind == KEY_PRIVATE)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, s->keys[i].expr->at,
                "GROUPING SETS, ROLLUP and CUBE need keys whose values are "
                "public, and those of %s are found in the data" HINT
                "ask the owner for the values or a range of the column",
                work_text(w, s->keys[i].expr));
    return CUSTOS_OK;
}

void
marginals_add_set(uint32_t *list, size_t *n, uint32_t set)
{
    size_t at = *n;

    while (at > 0 && list[at - 1] >= set)
        at--;
    if (at < *n && list[at] == set)
        return;
    for (size_t i = (*n)++; i > at; i--)
        list[i] = list[i - 1];
    list[at] = set;
}

static custos_status
too_many(struct work *w, const char *what, size_t most)
{
    return custos_fail_at(w->err, CUSTOS_EOVERFLOW, at_of(w),
                          "these grouping sets have more than %zu %s" HINT
                          "ask for fewer sets, or group by something coarser",
                          most, what);
}

/* The faces: all subsets of all sets. */
static custos_status
find_faces(struct work *w, struct marginals *m)
{
    m->faces = arena_take(w->a, PLAN_PARTS_MAX + 1, sizeof *m->faces);
    m->noisy = arena_take(w->a, PLAN_PARTS_MAX + 1, sizeof *m->noisy);
    if (!m->faces || !m->noisy)
        return work_no_memory(w);
    for (size_t s = 0; s < m->n_sets; s++) {
        if (count_keys(m->sets[s]) > MARGINALS_KEYS)
            return too_many(w, "keys in a set", MARGINALS_KEYS);
        for (uint32_t face = m->sets[s];; face = (face - 1) & m->sets[s]) {
            marginals_add_set(m->faces, &m->n_faces, face);
            if (m->n_faces > PLAN_PARTS_MAX)
                return too_many(w, "different subsets", PLAN_PARTS_MAX);
            if (face == 0)
                break;
        }
    }
    return CUSTOS_OK;
}

custos_status
marginals_lay(struct work *w)
{
    struct plan *p = w->plan;
    struct marginals *m = p->marginals;
    custos_status st = check_public(w);

    if (st)
        return st;
    m->n_keys = p->space.n_keys;
    m->size = arena_take(w->a, m->n_keys + 1, sizeof *m->size);
    m->first = arena_take(w->a, m->n_sets + 1, sizeof *m->first);
    if (!m->size || !m->first)
        return work_no_memory(w);
    for (size_t k = 0; k < m->n_keys; k++)
        m->size[k] = p->space.keys[k].n + p->space.keys[k].null_group;
    for (size_t s = 0; s < m->n_sets; s++) {
        size_t cells = marginals_cells(m, m->sets[s]);

        if (cells > MARGINALS_CELLS)
            return too_many(w, "groups in one of them", MARGINALS_CELLS);
        if (m->first[s] + cells > w->policy->max_groups)
            return too_many(w, "groups, the policy's limit",
                            (size_t)w->policy->max_groups);
        m->first[s + 1] = m->first[s] + cells;
    }
    p->space.cells = m->first[m->n_sets];
    return find_faces(w, m);
}

/* ------------------------------------------------------------------- parts -- */

custos_status
marginals_check(struct work *w)
{
    const struct plan *p = w->plan;

    for (size_t i = 0; i < p->n_aggregates; i++) {
        const struct plan_aggregate *f = &p->aggregates[i];
        enum aggregate_family family = aggregates[f->kind].family;

        if (f->kind != AGG_COUNT_ROWS && f->kind != AGG_COUNT &&
            family != FAMILY_SUM && family != FAMILY_MEAN)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, f->expr->at,
                "GROUPING SETS, ROLLUP and CUBE are answered for counts, sums "
                "and averages" HINT "ask for %s with a plain GROUP BY",
                work_text(w, f->expr));
        if (f->expr->epsilon.len > 0)
            return custos_fail_at(
                w->err, CUSTOS_EINVAL, f->expr->at,
                "with GROUPING SETS, ROLLUP or CUBE an aggregate cannot have "
                "an epsilon of its own" HINT "state that of the query");
    }
    if (w->options->within.len > 0)
        return custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                           "GROUPING SETS, ROLLUP and CUBE cannot be asked by "
                           "accuracy: each table has an error of its own" HINT
                           "state epsilon or rho");
    if (p->raced)
        return custos_fail(w->err, CUSTOS_EUNSUPPORTED,
                           "GROUPING SETS, ROLLUP and CUBE need a bound on the "
                           "rows per unit of %.*s" HINT
                           "state max_rows_contributed, or ask the owner for "
                           "rows_per_unit",
                           SHOWN(relation_shown(w->from)));
    return CUSTOS_OK;
}

static custos_status
make_space(struct work *w, uint32_t set, struct cell_space *out)
{
    const struct plan *p = w->plan;

    out->keys = arena_take(w->a, p->space.n_keys + 1, sizeof *out->keys);
    if (!out->keys)
        return work_no_memory(w);
    for (size_t k = 0; k < p->space.n_keys; k++)
        if (set >> k & 1)
            out->keys[out->n_keys++] = p->space.keys[k];
    out->cells = marginals_cells(p->marginals, set);
    return CUSTOS_OK;
}

/* The log2 of the most that all rows add up to, which is below 2^120
   (check_ceiling, parts.c). */
static int
log2_of_sum(const struct work *w, const struct part *part)
{
    u128 rows = (u128)w->table->max_rows, most;
    int log2 = 0;

    rows = rows > (u128)1 << ROWS_LOG2 ? rows : (u128)1 << ROWS_LOG2;
    most = rows * (u128)part->row_most;
    while (most >> log2 > 0)
        log2++;
    return log2 > COUNT_LOG2 ? log2 : COUNT_LOG2;
}

/* Gives each layer the tables, which are the same, and the size of its cells. */
static custos_status
make_layers(struct work *w, size_t n)
{
    struct plan *p = w->plan;
    struct marginals *all = arena_take(w->a, n, sizeof *all);

    if (!all)
        return work_no_memory(w);
    for (size_t l = 0; l < n; l++) {
        all[l] = *p->marginals;
        all[l].log2 = log2_of_sum(w, &p->parts[l]);
        all[l].trust =
            arena_take(w->a, all[l].n_noisy + 1, sizeof *all[l].trust);
        if (!all[l].trust)
            return work_no_memory(w);
        if (!marginals_fit(&all[l]))
            return custos_fail_at(
                w->err, CUSTOS_EOVERFLOW, p->parts[l].of->at,
                "a sum of %s over the largest number of rows would be too "
                "large for these grouping sets" HINT
                "state narrower contribution bounds, or ask for fewer groups",
                work_text(w, p->parts[l].of));
    }
    p->marginals = all;
    p->n_layers = n;
    return CUSTOS_OK;
}

/* Makes a part of every layer for every table that gets noise. */
static custos_status
spread_layers(struct work *w, const unsigned *weights)
{
    struct plan *p = w->plan;
    const size_t n_layers = p->n_layers, n = p->marginals->n_noisy * n_layers;
    const struct part *layers = p->parts;
    custos_status st = CUSTOS_OK;

    p->tables = arena_take(w->a, p->marginals->n_noisy, sizeof *p->tables);
    p->parts = arena_take(w->a, n, sizeof *p->parts);
    p->n_parts = 0;
    if (!p->parts || !p->tables)
        return work_no_memory(w);
    for (size_t i = 0; i < n && !st; i++) {
        const size_t table = marginals_table(p, i);
        struct part *part = &p->parts[p->n_parts++];

        *part = layers[i % n_layers];
        rat_init(&part->l1);
        rat_init(&part->l2_squared);
        rat_init(&part->epsilon);
        rat_init(&part->delta);
        rat_init(&part->rho);
        part->space = &p->tables[table];
        part->residual = marginals_are_residual(p);
        part->weight = part->weight_in_rho = weights[i];
        if (i % n_layers == 0)
            st = make_space(w, p->marginals->noisy[table], &p->tables[table]);
    }
    return st;
}

custos_status
marginals_parts(struct work *w)
{
    struct plan *p = w->plan;
    const struct marginals *m = p->marginals;
    const size_t n_layers = p->n_parts;
    struct part *layers = p->parts;
    unsigned *weights;
    size_t cells = 0;
    custos_status st;

    for (size_t f = 0; f < m->n_faces; f++)
        cells += marginals_cells(m, m->faces[f]); /* each below 2^20 */
    if (cells * n_layers > FACES_CELLS)
        return too_many(w, "groups with their subsets", FACES_CELLS / n_layers);
    if (m->n_faces * n_layers > PLAN_PARTS_MAX)
        return too_many(w, "different subsets", PLAN_PARTS_MAX / n_layers);
    st = marginals_choose(w, &weights);
    if (!st)
        st = make_layers(w, n_layers);
    if (!st)
        st = spread_layers(w, weights);
    for (size_t l = 0; l < n_layers && p->parts != layers; l++) {
        rat_clear(&layers[l].l1);
        rat_clear(&layers[l].l2_squared);
        rat_clear(&layers[l].epsilon);
        rat_clear(&layers[l].delta);
        rat_clear(&layers[l].rho);
    }
    return st;
}

size_t
marginals_table(const struct plan *p, size_t part)
{
    return part / p->n_layers;
}

const struct marginals *
marginals_of(const struct plan *p, size_t part)
{
    return &p->marginals[part % p->n_layers];
}

bool
marginals_are_residual(const struct plan *p)
{
    return p->marginals && p->marginals->kind == MARGINALS_RESIDUAL;
}

/* No cell is left out for a unit's number of groups: the tables would count
   different rows, and would not add up. */
void
marginals_bound(struct plan *p)
{
    for (size_t i = 0; p->marginals && i < p->marginals->n_noisy; i++) {
        struct cell_space *s = &p->tables[i];

        s->groups = p->rows < s->cells ? p->rows : s->cells;
        s->bounding = p->space.bounding;
    }
}

void
marginals_move(const struct plan *p, bool change, size_t i)
{
    struct part *part = &p->parts[i];
    i128 low, high;
    rat rows;

    sensitivity_row_ends(part, &low, &high);
    residual_sensitivity(p->marginals,
                         p->marginals->noisy[marginals_table(p, i)], change,
                         low, high, &part->l1, &part->l2_squared);
    rat_init(&rows);
    rat_set_u64(&rows, p->rows);
    rat_mul(&part->l1, &part->l1, &rows);
    rat_mul(&rows, &rows, &rows);
    rat_mul(&part->l2_squared, &part->l2_squared, &rows);
    rat_clear(&rows);
}
