/*
 * Chooses what gets noise in GROUPING SETS, ROLLUP and CUBE, and divides the price.
 * It goes by the total variance over all cells of all tables, each with weight 1, or,
 * with OPTIONS(table_error = largest), by the largest variance of a cell. The
 * candidates:
 *
 *   residuals    Gaussian noise on the residual of every subset A of a set. A
 *                cell of table B has the variance of all its subsets,
 *                V_B = sum over A in B of sigma_A^2 p_A/n_B^2  (p_A = product
 *                of (n_i - 1)/n_i). A sum of V_B with weights l_B multiplies
 *                sigma_A^2 by v_A = p_A * sum over B above A of l_B/n_B^2, and by
 *                Lagrange's method it is least if rho_A is proportional to
 *                D_A sqrt(v_A), D_A^2 being the sensitivity. The total has
 *                l_B = n_B; for the largest, l_B are found that make this least
 *                sum greatest (choose_importance).
 *   tables       noise of variance t_C on some tables C: on the one of all keys,
 *                on those that are asked for, or on those of them that no other
 *                has all keys of; Laplace noise, or Gaussian if the price is a
 *                rho, which wins under change-one only. The residual of A is then
 *                the mean of those of all C above A, with weights 1/(n_C t_C).
 *                The price is divided for the least total variance of this noise
 *                or, for the largest variance, equally if that is better.
 *
 * Residuals need a rho, or an epsilon and a delta that are converted to one. The
 * choice is one by public facts, and the shares are exact whatever the weights
 * are, so doubles may be used for these. Errors of a layer are those of one row of a
 * unit, in multiples of the layer's largest value.
 */
#include "plan/part/marginals_choose.h"

#include <math.h>

#include "account/convert.h"
#include "num/rat_double.h"
#include "num/rat_round.h"
#include "plan/part/marginals.h"
#include "plan/part/marginals_error.h"

/* PLACES: digits of a rho that an epsilon and a delta are converted to. ROUNDS: of
   the search for the least largest variance. */
enum { WEIGHT_LOG2 = 24, PLACES = 20, ROUNDS = 300 };

/* Which tables get noise. */
enum tables { TABLES_FINEST, TABLES_ASKED, TABLES_MAXIMAL, TABLES_CHOICES };

/* One layer, at its share of the price. */
struct layer {
    const struct marginals *m;
    bool change, in_rho; /* in_rho: what noise on tables is priced in */
    bool largest;        /* the largest variance counts, not the total */
    bool equal;          /* is noise on tables divided equally? */
    double span;         /* b - a over max(-a, b), where a value is in [a, b] */
    double share;        /* of an epsilon or rho ... */
    double share_in_rho; /* ... and of a rho */
    double *importance;  /* l_B, by set */
};

/* -------------------------------------------------------------- residuals -- */

/* D_A^2. */
static double
residual_move(const struct layer *l, uint32_t face)
{
    double squares = 1, smallest = HUGE_VAL, two;

    for (size_t k = 0; k < l->m->n_keys; k++)
        if (face >> k & 1) {
            double n = (double)l->m->size[k];

            squares *= n * (n - 1);
            smallest = fmin(smallest, n);
        }
    if (!l->change)
        return squares;
    two = face == 0 ? 1 : 2 * smallest / (smallest - 1);
    return squares * fmax(two, l->span * l->span);
}

/* D_A sqrt(v_A) */
static double
residual_weight(const struct layer *l, uint32_t face)
{
    const struct marginals *m = l->m;
    double above = 0;

    for (size_t s = 0; s < m->n_sets; s++)
        if ((face & ~m->sets[s]) == 0)
            above += l->importance[s] /
                     pow((double)marginals_cells(m, m->sets[s]), 2);
    return sqrt(residual_move(l, face) * above *
                marginals_share_of_variance(m, face));
}

/* The variances of all tables at rho = 1/2; weight has room for all faces. */
static void
residual_variances(const struct layer *l, double *weight, double *variance)
{
    const struct marginals *m = l->m;
    double all = 0;

    for (size_t f = 0; f < m->n_faces; f++)
        if (!marginals_is_constant(m, m->faces[f]))
            all += weight[f] = residual_weight(l, m->faces[f]);
    for (size_t f = 0; f < m->n_faces; f++)
        if (!marginals_is_constant(m, m->faces[f]))
            weight[f] = residual_move(l, m->faces[f]) * all / weight[f] *
                        marginals_share_of_variance(m, m->faces[f]);
    for (size_t s = 0; s < m->n_sets; s++) {
        variance[s] = 0;
        for (size_t f = 0; f < m->n_faces; f++)
            if ((m->faces[f] & ~m->sets[s]) == 0 &&
                !marginals_is_constant(m, m->faces[f]))
                variance[s] += weight[f];
        variance[s] /= pow((double)marginals_cells(m, m->sets[s]), 2);
    }
}

static double
error_of(const struct layer *l, const double *variance)
{
    double total = 0, most = 0;

    for (size_t s = 0; s < l->m->n_sets; s++) {
        total += variance[s] * (double)marginals_cells(l->m, l->m->sets[s]);
        most = fmax(most, variance[s]);
    }
    return l->largest ? most : total;
}

/*
 * The largest variance, as a function of the division of rho, is least where it is
 * the least sum with the weights l_B, of sum 1, whose least sum is greatest. That is
 * g(l)^2/(2 rho) with g(l) = sum over A of D_A sqrt(v_A), and g is concave, with the
 * derivatives V_B/g. Since sqrt is concave, g rises if each l_B becomes
 * l_B V_B^2 times a constant (Jensen's inequality); this is done ROUNDS times. The
 * best weights seen are taken; the first are those of the total, so that this is
 * never worse (residual-marginals). A weight never quite vanishes, so that no
 * residual is without price.
 */
static void
choose_importance(const struct layer *l, double *weight, double *variance,
                  double *now)
{
    const struct marginals *m = l->m;
    struct layer at = *l;
    double least = HUGE_VAL;

    at.importance = now;
    for (size_t s = 0; s < m->n_sets; s++)
        now[s] = l->importance[s] = (double)marginals_cells(m, m->sets[s]);
    for (int i = 0; i < ROUNDS && l->largest; i++) {
        double most = 0;

        residual_variances(&at, weight, variance);
        if (error_of(l, variance) < least) {
            least = error_of(l, variance);
            for (size_t s = 0; s < m->n_sets; s++)
                l->importance[s] = now[s];
        }
        for (size_t s = 0; s < m->n_sets; s++) {
            now[s] *= pow(variance[s] / least, 2);
            most = fmax(most, now[s]);
        }
        for (size_t s = 0; s < m->n_sets; s++)
            now[s] = fmax(now[s] / most, 1e-12);
    }
}

/* ----------------------------------------------------------------- tables -- */

/* The square of the sensitivity of a noisy table in l1, or in l2 for a rho. */
static double
table_move(const struct layer *l, uint32_t set)
{
    double squared = l->span * l->span;

    if (!l->change)
        return 1;
    if (marginals_cells(l->m, set) == 1)
        return squared;
    return l->in_rho ? fmax(2, squared) : 4;
}

/* The weight of a noisy table in the split of an epsilon or of a rho: the root
   that makes the sum of n_C D^2/epsilon_C^2, or of n_C D^2/rho_C, least; or that
   makes their noise equal. */
static double
table_weight(const struct layer *l, uint32_t set)
{
    double cells = l->equal ? 1 : (double)marginals_cells(l->m, set);
    double moved = table_move(l, set);

    if (l->equal)
        return l->in_rho ? moved : sqrt(moved);
    return l->in_rho ? sqrt(cells * moved) : cbrt(cells * moved);
}

/* The variances of all tables if noisy tables have Laplace noise of an epsilon, or
   Gaussian noise of a rho. */
static void
table_variances(const struct layer *l, double price, double *variance)
{
    const struct marginals *m = l->m;
    double noise[PLAN_PARTS_MAX], trust[PLAN_PARTS_MAX], all = 0, fourth;

    for (size_t i = 0; i < m->n_noisy; i++)
        all += table_weight(l, m->noisy[i]);
    for (size_t i = 0; i < m->n_noisy; i++) {
        double share = price * table_weight(l, m->noisy[i]) / all;
        double moved = table_move(l, m->noisy[i]);

        noise[i] =
            l->in_rho ? moved / (2 * share) : 2 * moved / (share * share);
        trust[i] = 1 / ((double)marginals_cells(m, m->noisy[i]) * noise[i]);
    }
    for (size_t s = 0; s < m->n_sets; s++)
        variance[s] =
            marginals_tables_variance(m, m->sets[s], noise, trust, &fourth);
}

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
take_tables(struct marginals *m, enum tables which)
{
    uint32_t all = 0;

    m->n_noisy = 0;
    for (size_t s = 0; s < m->n_sets; s++) {
        all |= m->sets[s];
        if (which == TABLES_ASKED ||
            (which == TABLES_MAXIMAL && !is_below_another(m, m->sets[s])))
            marginals_add_set(m->noisy, &m->n_noisy, m->sets[s]);
    }
    if (which != TABLES_FINEST)
        return true;
    m->noisy[m->n_noisy++] = all;
    return __builtin_popcount(all) <= MARGINALS_KEYS &&
           marginals_cells(m, all) <= MARGINALS_CELLS;
}

static void
take_residuals(struct marginals *m)
{
    m->kind = MARGINALS_RESIDUAL;
    m->n_noisy = 0;
    for (size_t f = 0; f < m->n_faces; f++)
        if (!marginals_is_constant(m, m->faces[f]))
            m->noisy[m->n_noisy++] = m->faces[f];
}

/* ----------------------------------------------------------------- choice -- */

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

/* All layers, and room for the variances of their tables. */
struct choice {
    struct layer *layers;
    size_t n;
    double price, rho;
    double *weight, *variance, *now; /* by face; by set; by set */
};

static custos_status
start(struct work *w, struct choice *c)
{
    struct plan *p = w->plan;
    const size_t sets = p->marginals->n_sets;
    unsigned all = 0, all_in_rho = 0;
    rat rho;

    *c = (struct choice){
        .layers = arena_take(w->a, p->n_parts + 1, sizeof *c->layers),
        .n = p->n_parts,
        .price = rat_double(p->in_rho ? &p->rho : &p->epsilon),
        .weight =
            arena_take(w->a, p->marginals->n_faces + 1, sizeof *c->weight),
        .variance = arena_take(w->a, sets + 1, sizeof *c->variance),
        .now = arena_take(w->a, sets + 1, sizeof *c->now)};
    if (!c->layers || !c->weight || !c->variance || !c->now)
        return work_no_memory(w);
    rat_init(&rho);
    find_rho(w, &rho);
    c->rho = rat_double(&rho);
    rat_clear(&rho);
    for (size_t i = 0; i < p->n_parts; i++) {
        all += p->parts[i].weight;
        all_in_rho += p->parts[i].weight_in_rho;
    }
    for (size_t i = 0; i < p->n_parts; i++) {
        const struct part *part = &p->parts[i];
        struct layer *l = &c->layers[i];
        i128 low, high;

        sensitivity_row_ends(part, &low, &high);
        *l = (struct layer){
            .m = p->marginals,
            .change = w->policy->adjacency == CUSTOS_CHANGE_ONE,
            .in_rho = p->in_rho,
            .largest = w->q->options.table_error.len > 0,
            .span = (double)(high - low) / (double)(high > -low ? high : -low),
            .share_in_rho = (double)part->weight_in_rho / all_in_rho,
            .importance = arena_take(w->a, sets + 1, sizeof *l->importance)};
        l->share = p->in_rho ? l->share_in_rho : (double)part->weight / all;
        if (!l->importance)
            return work_no_memory(w);
        choose_importance(l, c->weight, c->variance, c->now);
    }
    return CUSTOS_OK;
}

/* The error of all layers with the noisy tables that m has now. */
static double
error_tables(struct choice *c, bool equal)
{
    double sum = 0;

    for (size_t i = 0; i < c->n; i++) {
        c->layers[i].equal = equal;
        table_variances(&c->layers[i], c->price * c->layers[i].share,
                        c->variance);
        sum += error_of(&c->layers[i], c->variance);
    }
    return sum;
}

static double
error_residuals(struct choice *c)
{
    double sum = 0;

    for (size_t i = 0; i < c->n; i++) {
        residual_variances(&c->layers[i], c->weight, c->variance);
        sum += error_of(&c->layers[i], c->variance) /
               (2 * c->rho * c->layers[i].share_in_rho);
    }
    return c->rho > 0 ? sum : HUGE_VAL;
}

/* Decides what gets noise. */
static void
choose_noisy(struct marginals *m, struct choice *c)
{
    const int divisions = c->n > 0 && c->layers[0].largest ? 2 : 1;
    enum tables best = TABLES_ASKED;
    double least = HUGE_VAL;
    bool best_equal = false;

    for (enum tables t = 0; t < TABLES_CHOICES; t++)
        for (int equal = 0; equal < divisions; equal++) {
            double error =
                take_tables(m, t) ? error_tables(c, equal) : HUGE_VAL;

            if (error < least) {
                least = error;
                best = t;
                best_equal = equal;
            }
        }
    m->kind = MARGINALS_TABLES;
    for (size_t i = 0; i < c->n; i++)
        c->layers[i].equal = best_equal;
    if (error_residuals(c) <= least)
        take_residuals(m);
    else if (!take_tables(m, best))
        CUSTOS_REQUIRE(false); /* UNREACHABLE: its error was finite */
}

/* Steps of computing the variances of all tables, in all candidates. */
static uint64_t
steps_of(const struct work *w)
{
    const struct marginals *m = w->plan->marginals;
    uint64_t tables = 0, faces = (uint64_t)m->n_sets * m->n_faces;

    for (size_t s = 0; s < m->n_sets; s++)
        for (size_t t = 0; t < m->n_sets; t++)
            tables += (uint64_t)1
                      << 2 * __builtin_popcount(m->sets[s] & m->sets[t]);
    if (w->q->options.table_error.len > 0)
        return w->plan->n_parts * (2 * tables + (uint64_t)ROUNDS * faces);
    return w->plan->n_parts * (tables + faces);
}

/* The weight of a noisy table in the price of its layer. */
static double
weight_of(const struct layer *l, uint32_t set)
{
    return l->m->kind == MARGINALS_RESIDUAL ? residual_weight(l, set)
                                            : table_weight(l, set);
}

custos_status
marginals_choose(struct work *w, unsigned **weights)
{
    struct plan *p = w->plan;
    struct marginals *m = p->marginals;
    double *parts, most = 0;
    struct choice c;
    custos_status st = work_spend(w, steps_of(w));

    split_weigh(p); /* of the layers */
    if (!st)
        st = start(w, &c);
    if (st)
        return st;
    choose_noisy(m, &c);
    parts = arena_take(w->a, m->n_noisy * c.n + 1, sizeof *parts);
    *weights = arena_take(w->a, m->n_noisy * c.n + 1, sizeof **weights);
    if (!parts || !*weights)
        return work_no_memory(w);
    for (size_t i = 0; i < c.n; i++) {
        const struct layer *l = &c.layers[i];
        double all = 0;

        for (size_t t = 0; t < m->n_noisy; t++)
            all += weight_of(l, m->noisy[t]);
        for (size_t t = 0; t < m->n_noisy; t++) {
            double share =
                m->kind == MARGINALS_RESIDUAL ? l->share_in_rho : l->share;

            parts[t * c.n + i] = share * weight_of(l, m->noisy[t]) / all;
            most = fmax(most, parts[t * c.n + i]);
        }
    }
    for (size_t i = 0; i < m->n_noisy * c.n; i++)
        (*weights)[i] = (unsigned)ldexp(parts[i] / most, WEIGHT_LOG2) + 1;
    return CUSTOS_OK;
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
                : CUSTOS_OK; /* UNREACHABLE failure: residuals need a rho */
}
