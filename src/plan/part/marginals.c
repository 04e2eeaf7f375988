/*
 * Plans GROUPING SETS, ROLLUP and CUBE. What gets noise is decided by the total
 * variance over all cells of all tables, each with weight 1. The candidates:
 *
 *   residuals    Gaussian noise on the residual of every subset A of a set. A
 *                cell of table B has the variance of all its subsets, so
 *                v_A = p_A n_A^2 * sum over B above A of 1/n_B  (p_A = product
 *                of (n_i - 1)/n_i) multiplies sigma_A^2, and by Lagrange's method
 *                the total is least if rho_A is proportional to D_A sqrt(v_A),
 *                D_A^2 being the sensitivity in counts.
 *   tables       noise of variance t_C on some tables C: on the one of all keys,
 *                on those that are asked for, or on those of them that no other
 *                has all keys of; Laplace noise, or Gaussian if the price is a
 *                rho, which wins under change-one only. The residual of A is then
 *                the mean of those of all C above A, with weights 1/(n_C t_C).
 *
 * Residuals need a rho, or an epsilon and a delta that are converted to one. The
 * choice is one by public facts, and the shares are exact whatever the weights
 * are, so doubles may be used for these.
 */
#include "plan/part/marginals.h"

#include <math.h>
#include <stdlib.h>

#include "account/convert.h"
#include "num/batch.h"
#include "num/rat_double.h"
#include "num/rat_round.h"

/* PLACES: digits of a rho that an epsilon and a delta are converted to. */
enum { FACES_CELLS = 1 << 22, WEIGHT_LOG2 = 24, PLACES = 20 };

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

/* ----------------------------------------------------------------- tables -- */

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

/* Adds a set to an ascending list, once. */
static void
add_set(uint32_t *list, size_t *n, uint32_t set)
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
    size_t cells = 0;

    m->faces = arena_take(w->a, PLAN_PARTS_MAX + 1, sizeof *m->faces);
    m->noisy = arena_take(w->a, PLAN_PARTS_MAX + 1, sizeof *m->noisy);
    if (!m->faces || !m->noisy)
        return work_no_memory(w);
    for (size_t s = 0; s < m->n_sets; s++) {
        if (count_keys(m->sets[s]) > MARGINALS_KEYS)
            return too_many(w, "keys in a set", MARGINALS_KEYS);
        for (uint32_t face = m->sets[s];; face = (face - 1) & m->sets[s]) {
            add_set(m->faces, &m->n_faces, face);
            if (m->n_faces > PLAN_PARTS_MAX)
                return too_many(w, "different subsets", PLAN_PARTS_MAX);
            if (face == 0)
                break;
        }
    }
    for (size_t f = 0; f < m->n_faces; f++)
        cells += marginals_cells(m, m->faces[f]); /* each below 2^20 */
    return cells > FACES_CELLS
               ? too_many(w, "groups with their subsets", FACES_CELLS)
               : CUSTOS_OK;
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

/* ------------------------------------------------------------------ errors -- */

/* Has the face a key of one value? Then its residual is 0. */
static bool
is_constant(const struct marginals *m, uint32_t face)
{
    for (size_t k = 0; k < m->n_keys; k++)
        if (face >> k & 1 && m->size[k] == 1)
            return true;
    return false;
}

static double
share_of_variance(const struct marginals *m, uint32_t face)
{
    double p = 1;

    for (size_t k = 0; k < m->n_keys; k++)
        if (face >> k & 1)
            p *= 1 - 1 / (double)m->size[k];
    return p;
}

/* D_A sqrt(v_A) for one row of a unit. */
static double
residual_weight(const struct marginals *m, uint32_t face, bool change)
{
    uint64_t l1, l2_squared;
    double above = 0;

    residual_sensitivity(m, face, change, &l1, &l2_squared);
    for (size_t s = 0; s < m->n_sets; s++)
        if ((face & ~m->sets[s]) == 0)
            above += 1 / (double)marginals_cells(m, m->sets[s]);
    return sqrt(share_of_variance(m, face) * above * (double)l2_squared);
}

static uint32_t
all_keys(const struct marginals *m)
{
    uint32_t all = 0;

    for (size_t s = 0; s < m->n_sets; s++)
        all |= m->sets[s];
    return all;
}

/* The variance of a cell of table `set` if that of a cell of noisy table i is
   noise[i], and its weight in means trust[i]; *fourth: the fourth cumulant, for Laplace noise. */
static double
tables_variance(const struct marginals *m, uint32_t set, const double *noise,
                const double *trust, double *fourth);

/* The weight of a noisy table in the split of an epsilon or of a rho: the root
   that makes the sum of n_C D^2/epsilon_C^2, or of n_C D^2/rho_C, least, where
   replacing a row changes two cells, if there are so many. */
static double
table_weight(const struct marginals *m, uint32_t set, bool change, bool in_rho)
{
    double cells = (double)marginals_cells(m, set);
    double moved = change && cells > 1 ? 2 : 1;

    return in_rho ? sqrt(cells * moved) : cbrt(cells * moved * moved);
}

/* The total variance if noisy tables have Laplace noise of an epsilon, or Gaussian
   noise of a rho; of one row of a unit. */
static double
error_tables(const struct marginals *m, bool change, bool in_rho, double price)
{
    double noise[PLAN_PARTS_MAX], trust[PLAN_PARTS_MAX], all = 0, sum = 0;
    double fourth;

    for (size_t i = 0; i < m->n_noisy; i++)
        all += table_weight(m, m->noisy[i], change, in_rho);
    for (size_t i = 0; i < m->n_noisy; i++) {
        double cells = (double)marginals_cells(m, m->noisy[i]);
        double moved = change && cells > 1 ? 2 : 1;
        double share =
            price * table_weight(m, m->noisy[i], change, in_rho) / all;

        noise[i] = in_rho ? moved / (2 * share) : 2 * pow(moved / share, 2);
        trust[i] = 1 / (cells * noise[i]);
    }
    for (size_t s = 0; s < m->n_sets; s++)
        sum += (double)marginals_cells(m, m->sets[s]) *
               tables_variance(m, m->sets[s], noise, trust, &fourth);
    return sum;
}

static double
error_residual(const struct marginals *m, bool change, double rho)
{
    double sum = 0;

    for (size_t f = 0; f < m->n_faces; f++)
        if (!is_constant(m, m->faces[f]))
            sum += residual_weight(m, m->faces[f], change);
    return rho > 0 ? sum * sum / (2 * rho) : HUGE_VAL;
}

/* ------------------------------------------------------------------ choice -- */

static bool
is_change_one(const struct work *w)
{
    return w->policy->adjacency == CUSTOS_CHANGE_ONE;
}

/* The rho of the price, or that follows from its epsilon and delta; 0: none. */
static void
find_rho(const struct work *w, rat *rho)
{
    rat_set_i64(rho, 0, 1);
    if (w->plan->in_rho)
        rat_set(rho, &w->plan->rho);
    else if (rat_sign(&w->delta) > 0) {
        zcdp_budget_down(&w->plan->epsilon, &w->delta, rho);
        rat_places_down(rho, rho, PLACES);
    }
}

/* Which tables get Laplace noise. */
enum choice { CHOICE_FINEST, CHOICE_ASKED, CHOICE_LARGEST, CHOICES };

static bool
is_below_another(const struct marginals *m, uint32_t set)
{
    for (size_t s = 0; s < m->n_sets; s++)
        if (m->sets[s] != set && (set & ~m->sets[s]) == 0)
            return true;
    return false;
}

/* Makes the list of noisy tables; false where they would be too large. */
static bool
choose_tables(struct marginals *m, enum choice choice)
{
    const uint32_t all = all_keys(m);

    m->n_noisy = 0;
    for (size_t s = 0; s < m->n_sets && choice != CHOICE_FINEST; s++)
        if (choice == CHOICE_ASKED || !is_below_another(m, m->sets[s]))
            add_set(m->noisy, &m->n_noisy, m->sets[s]);
    if (choice != CHOICE_FINEST)
        return true;
    m->noisy[m->n_noisy++] = all;
    return count_keys(all) <= MARGINALS_KEYS &&
           marginals_cells(m, all) <= MARGINALS_CELLS;
}

static void
choose_residuals(struct marginals *m)
{
    m->kind = MARGINALS_RESIDUAL;
    m->n_noisy = 0;
    for (size_t f = 0; f < m->n_faces; f++)
        if (!is_constant(m, m->faces[f]))
            m->noisy[m->n_noisy++] = m->faces[f];
}

/* The steps of computing the variances of all tables, of noise on all of them. */
static uint64_t
steps_of(const struct marginals *m)
{
    uint64_t steps = 0;

    for (size_t s = 0; s < m->n_sets; s++)
        for (size_t t = 0; t < m->n_sets; t++)
            steps += (uint64_t)1 << 2 * count_keys(m->sets[s] & m->sets[t]);
    return steps;
}

/* Decides what gets noise. */
static void
choose_noisy(const struct work *w)
{
    struct marginals *m = w->plan->marginals;
    const bool in_rho = w->plan->in_rho, change = is_change_one(w);
    double price = rat_double(in_rho ? &w->plan->rho : &w->plan->epsilon);
    double least = HUGE_VAL, residual;
    enum choice best = CHOICE_ASKED;
    rat rho;

    rat_init(&rho);
    find_rho(w, &rho);
    residual = error_residual(m, change, rat_double(&rho));
    rat_clear(&rho);
    for (enum choice c = 0; c < CHOICES; c++) {
        double error = choose_tables(m, c)
                           ? error_tables(m, change, in_rho, price)
                           : HUGE_VAL;

        if (error < least) {
            least = error;
            best = c;
        }
    }
    m->kind = MARGINALS_TABLES;
    if (residual <= least)
        choose_residuals(m);
    else if (!choose_tables(m, best))
        CUSTOS_REQUIRE(false); /* UNREACHABLE: its error was finite */
}

/* ------------------------------------------------------------------- parts -- */

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

static void
make_part(const struct cell_space *space, bool residual, struct part *out)
{
    *out = (struct part){.kind = PART_ROWS,
                         .space = space,
                         .owner = -1,
                         .grid = {10, 0},
                         .upper = 1,
                         .row_most = 1,
                         .residual = residual};
    rat_init(&out->l1);
    rat_init(&out->l2_squared);
    rat_init(&out->epsilon);
    rat_init(&out->delta);
    rat_init(&out->rho);
}

static custos_status
check_aggregates(struct work *w)
{
    const struct plan *p = w->plan;

    for (size_t i = 0; i < p->n_aggregates; i++) {
        const struct plan_aggregate *f = &p->aggregates[i];
        bool rows =
            f->kind == AGG_COUNT_ROWS ||
            (f->kind == AGG_COUNT && !fact_of(f->expr->args[0])->nullable);

        if (!rows)
            return custos_fail_at(
                w->err, CUSTOS_EUNSUPPORTED, f->expr->at,
                "GROUPING SETS, ROLLUP and CUBE are answered for count(*) "
                "alone" HINT "ask for %s with a plain GROUP BY",
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

custos_status
marginals_parts(struct work *w)
{
    struct plan *p = w->plan;
    struct marginals *m = p->marginals;
    custos_status st = check_aggregates(w);

    if (st)
        return st;
    st = work_spend(w, steps_of(m));
    if (st)
        return st;
    choose_noisy(w);
    m->trust = arena_take(w->a, m->n_noisy + 1, sizeof *m->trust);
    if (!m->trust)
        return work_no_memory(w);
    p->parts = arena_take(w->a, m->n_noisy, sizeof *p->parts);
    p->tables = arena_take(w->a, m->n_noisy, sizeof *p->tables);
    if (!p->parts || !p->tables)
        return work_no_memory(w);
    for (size_t i = 0; i < m->n_noisy && !st; i++) {
        st = make_space(w, m->noisy[i], &p->tables[i]);
        make_part(&p->tables[i], marginals_are_residual(p), &p->parts[i]);
        p->n_parts++;
    }
    for (size_t i = 0; i < p->n_aggregates; i++)
        p->aggregates[i].rows = 0;
    return st;
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
    for (size_t i = 0; p->marginals && i < p->n_parts; i++) {
        struct cell_space *s = &p->tables[i];

        s->groups = p->rows < s->cells ? p->rows : s->cells;
        s->bounding = p->space.bounding;
    }
}

void
marginals_move(const struct plan *p, bool change, size_t i)
{
    struct part *part = &p->parts[i];
    uint64_t l1, l2_squared;
    rat rows;

    residual_sensitivity(p->marginals, p->marginals->noisy[i], change, &l1,
                         &l2_squared);
    rat_init(&rows);
    rat_set_u64(&rows, p->rows);
    rat_set_u64(&part->l1, l1);
    rat_mul(&part->l1, &part->l1, &rows);
    rat_set_u64(&part->l2_squared, l2_squared);
    rat_mul(&part->l2_squared, &part->l2_squared, &rows);
    rat_mul(&part->l2_squared, &part->l2_squared, &rows);
    rat_clear(&rows);
}

/* ------------------------------------------------------------------- price -- */

static double
weight_of(const struct work *w, size_t i)
{
    const struct marginals *m = w->plan->marginals;

    return m->kind == MARGINALS_RESIDUAL
               ? residual_weight(m, m->noisy[i], is_change_one(w))
               : table_weight(m, m->noisy[i], is_change_one(w),
                              w->plan->in_rho);
}

void
marginals_weigh(const struct work *w)
{
    struct plan *p = w->plan;
    double most = 0;

    for (size_t i = 0; p->marginals && i < p->n_parts; i++)
        most = fmax(most, weight_of(w, i));
    for (size_t i = 0; p->marginals && i < p->n_parts; i++) {
        double weight = ldexp(weight_of(w, i) / most, WEIGHT_LOG2);

        p->parts[i].weight = p->parts[i].weight_in_rho = (unsigned)weight + 1;
    }
}

/* All parts together are (epsilon, delta)-DP; so the first has that price, and
   the others none (residual-marginals). */
custos_status
marginals_share(struct work *w)
{
    struct plan *p = w->plan;
    uint64_t all = 0;
    rat rho, share;
    bool none;

    if (!marginals_are_residual(p) || p->in_rho)
        return CUSTOS_OK;
    rat_init(&rho);
    rat_init(&share);
    find_rho(w, &rho);
    for (size_t i = 0; i < p->n_parts; i++)
        all += p->parts[i].weight_in_rho;
    for (size_t i = 0; i < p->n_parts; i++) {
        rat_set_i64(&share, p->parts[i].weight_in_rho, all);
        rat_mul(&p->parts[i].rho, &rho, &share);
        rat_set_i64(&p->parts[i].epsilon, 0, 1);
    }
    none = rat_sign(&rho) <= 0;
    rat_set(&p->parts[0].epsilon, &p->epsilon);
    rat_set(&p->parts[0].delta, &w->delta);
    rat_clear(&rho);
    rat_clear(&share);
    return none ? custos_fail(w->err, CUSTOS_ERANGE, "no rho for this price")
                : CUSTOS_OK; /* UNREACHABLE failure: choose_kind needs a rho */
}

/* ---------------------------------------------------------------- variance -- */

/* The number of a face. */
static size_t
face_number(const struct marginals *m, uint32_t face)
{
    size_t low = 0, high = m->n_faces;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (m->faces[middle] <= face)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The coefficient, in a cell of `set`, of the noise of a cell of noisy table i
   that has the same values of the keys `same`, of those that both have; trust of
   the table, and, by face, of all that have its keys. */
static double
coefficient(const struct marginals *m, uint32_t set, size_t i, uint32_t same,
            double trust, const double *all)
{
    const uint32_t both = set & m->noisy[i];
    double sum = 0;

    for (uint32_t face = both;; face = (face - 1) & both) {
        double one = trust;

        for (size_t k = 0; k < m->n_keys; k++)
            if (face >> k & 1)
                one *= same >> k & 1 ? (double)m->size[k] - 1 : -1;
        sum += one / all[face_number(m, face)];
        if (face == 0)
            break;
    }
    return sum / (double)marginals_cells(m, set);
}

static double
tables_variance(const struct marginals *m, uint32_t set, const double *noise,
                const double *trust, double *fourth)
{
    double variance = 0, all[PLAN_PARTS_MAX] = {0};

    *fourth = 0;
    for (size_t f = 0; f < m->n_faces; f++)
        for (size_t i = 0; i < m->n_noisy; i++)
            all[f] += (m->faces[f] & ~m->noisy[i]) == 0 ? trust[i] : 0;
    for (size_t i = 0; i < m->n_noisy; i++) {
        const uint32_t both = set & m->noisy[i];

        for (uint32_t same = both;; same = (same - 1) & both) {
            double one =
                pow(coefficient(m, set, i, same, trust[i], all), 2) * noise[i];
            double n = (double)marginals_cells(m, m->noisy[i] & ~set);

            for (size_t k = 0; k < m->n_keys; k++)
                if ((both & ~same) >> k & 1)
                    n *= (double)m->size[k] - 1;
            variance += n * one;
            *fourth += 3 * n * one * one;
            if (same == 0)
                break;
        }
    }
    return variance;
}

/* The variance of one draw of a part. */
static double
draw_variance(const struct part *part)
{
    double scale = strtod(custos_mech_facts(part->mech)->scale, NULL);

    return scale * (part->mech_kind == CUSTOS_GAUSSIAN ? scale : 2 * scale);
}

void
marginals_trust(struct plan *p)
{
    struct marginals *m = p->marginals;
    double trust[PLAN_PARTS_MAX], most = 0;

    if (!m || m->kind != MARGINALS_TABLES)
        return;
    for (size_t i = 0; i < p->n_parts; i++) {
        trust[i] =
            1 / (draw_variance(&p->parts[i]) * (double)p->tables[i].cells);
        most = fmax(most, trust[i]);
    }
    for (size_t i = 0; i < p->n_parts; i++)
        m->trust[i] = (uint32_t)(trust[i] / most * (MARGINALS_TRUST - 1)) + 1;
}

double
marginals_variance(const struct plan *p, size_t set, double *fourth)
{
    const struct marginals *m = p->marginals;
    const uint32_t keys = m->sets[set];
    const double cells = (double)marginals_cells(m, keys);
    double noise[PLAN_PARTS_MAX], trust[PLAN_PARTS_MAX], variance = 0;

    *fourth = 0;
    for (size_t i = 0; i < p->n_parts; i++)
        noise[i] = draw_variance(&p->parts[i]);
    if (m->kind == MARGINALS_TABLES) {
        for (size_t i = 0; i < p->n_parts; i++)
            trust[i] = m->trust[i];
        variance = tables_variance(m, keys, noise, trust, fourth);
        if (p->parts[0].mech_kind == CUSTOS_GAUSSIAN)
            *fourth = 0;
        return variance;
    }
    for (size_t i = 0; i < p->n_parts; i++)
        if ((m->noisy[i] & ~keys) == 0)
            variance +=
                noise[i] * share_of_variance(m, m->noisy[i]) / (cells * cells);
    return variance;
}
