/*
 * EXPLAIN: what a plan does, in lines of words and numbers, all public.
 */
#include <math.h>
#include <stdlib.h>

#include "mech/running.h"
#include "mech/quantile_box.h"
#include "num/batch.h"
#include "plan/from/from.h"
#include "plan/part/range_selection.h"
#include "plan/explain/explain_selection.h"
#include "plan/part/marginals.h"
#include "plan/part/quantile.h"
#include "plan/explain/words.h"
#include "plan/work.h"

/* ----------------------------------------------------------- what it is -- */

static void
explain_protected(const struct plan *p, struct buf *out)
{
    const struct policy_table *t = p->table;
    bool change = p->policy->adjacency == CUSTOS_CHANGE_ONE;

    buf_add_text(out, "protects   ");
    buf_printf(out, "each %.*s", SHOWN(p->unit));
    if (!from_has(p->from, RELATION_UNION) &&
        (t->unit_is_row || !from_has(p->from, RELATION_JOIN)))
        buf_printf(out, " of %.*s", SHOWN(relation_shown(p->from)));
    buf_add_text(out, t->unit_is_row ? "" : ", with all its rows");
    buf_printf(out, "; neighbours differ in one that is %s\n",
               change ? "replaced (change-one)" : "there or not (add-remove)");
}

static void
explain_bounding(const struct plan *p, struct buf *out)
{
    buf_add_text(out, "bounding   ");
    if (p->space.bounding == BOUND_NONE) {
        buf_add_text(out, "none needed: a row is a unit\n");
        return;
    }
    buf_printf(out, "%llu row%s of a unit, in %llu group%s",
               (unsigned long long)p->rows, p->rows == 1 ? "" : "s",
               (unsigned long long)p->space.groups,
               p->space.groups == 1 ? "" : "s");
    if (p->space.per_group > 0)
        buf_printf(out, " of at most %llu row%s each",
                   (unsigned long long)p->space.per_group,
                   p->space.per_group == 1 ? "" : "s");
    buf_add_text(out, ", by rank");
    if (from_loses(p))
        buf_add_text(out, ", before WHERE: rows that would pass may be left "
                          "out");
    else if (p->space.bounding != BOUND_RANK && p->where)
        buf_add_text(out, ", of those that pass WHERE");
    buf_add_text(out, p->space.bounding == BOUND_RANK   ? " (a predicate)\n"
                      : p->space.bounding == BOUND_FOLD ? " (a fold)\n"
                      : p->space.per_group > 0
                          ? " (windows by unit and group)\n"
                          : " (windows by unit)\n");
}

static void
explain_groups(const struct plan *p, struct buf *out)
{
    if (p->marginals)
        words_marginals(p, out);
    if (p->marginals || p->space.n_keys == 0)
        return;
    if (p->space.selection)
        buf_printf(out, "groups     of the data, at most %zu:", p->space.cells);
    else
        buf_printf(out, "groups     %zu, all shown:", p->space.cells);
    for (size_t i = 0; i < p->space.n_keys; i++) {
        const struct key *k = &p->space.keys[i];

        buf_add_text(out, i > 0 ? ", by " : " by ");
        words_expr(k->expr, out);
        if (k->kind == KEY_PRIVATE && k->expr->type == TYPE_TEXT)
            buf_printf(out, " (not in the policy; of at most %d bytes)",
                       (int)KEY_TEXT_MAX);
        else if (k->kind == KEY_PRIVATE)
            buf_add_text(out, " (not in the policy)");
        else
            buf_printf(out, " (%zu%s)", k->n, k->null_group ? " and NULL" : "");
    }
    buf_add_text(out, "\n");
}

/* What units weigh, and how many of them it takes to show a group. */
static void
explain_weights(const struct plan *p, const struct selection *s,
                struct buf *out)
{
    const custos_keys_facts *f = custos_keys_report(s->rule);
    unsigned long long hundredths =
        (unsigned long long)((i128)f->threshold * 100 / (i128)f->steps);

    buf_printf(out,
               " of scale %.8s: shown from %llu.%02llu\n"
               "           a unit in l groups weighs 1/sqrt(l) in each; %llu "
               "units that are in no other group are shown with 50 %%, %llu "
               "with 95 %%; units in %llu groups each: %llu and %llu",
               f->scale, hundredths / 100, hundredths % 100,
               (unsigned long long)s->half, (unsigned long long)s->most,
               (unsigned long long)p->space.groups,
               (unsigned long long)s->full_half,
               (unsigned long long)s->full_most);
}

/* The rule of partition selection, and the count that it also releases. */
static void
explain_selection(const struct plan *p, const struct selection *s,
                  struct buf *out)
{
    static const char *const NAMES[] = {
        [CUSTOS_KEYS_GEOMETRIC] = "the optimal rule",
        [CUSTOS_KEYS_LAPLACE] = "a threshold, Laplace noise",
        [CUSTOS_KEYS_GAUSSIAN] = "a threshold, Gaussian noise",
        [CUSTOS_KEYS_WEIGHTED] = "by weight, a threshold, Gaussian noise",
    };
    const custos_keys_facts *f = custos_keys_report(s->rule);

    buf_printf(out, "chosen by  distinct units, %s", NAMES[f->rule]);
    if (selection_weighs(s))
        explain_weights(p, s, out);
    else if (f->threshold)
        buf_printf(out, " of scale %.8s: shown from %lld", f->scale,
                   (long long)f->threshold);
    if (!selection_weighs(s))
        buf_printf(out, "; %llu unit%s shown with 50 %%, %llu with 95 %%",
                   (unsigned long long)s->half, s->half == 1 ? " is" : "s are",
                   (unsigned long long)s->most);
    buf_add_text(out, "\n           epsilon ");
    words_number(&s->epsilon, out);
    buf_add_text(out, ", delta ");
    words_number(&s->delta, out);
    if (s->least > 1)
        buf_printf(out, "; groups of fewer than %llu never",
                   (unsigned long long)s->least);
    if (s->serves >= 0) {
        buf_printf(out, "; the noisy number serves as %s, within ",
                   p->parts[s->serves].kind == PART_UNITS ? "distinct units"
                                                          : "rows");
        words_whole_steps(p->parts[s->serves].bar, (struct grid){10, 0}, out);
        buf_add_text(out, " at 95 %");
    }
    buf_add_text(out, "\n");
}

/* ---------------------------------------------------------------- parts -- */

static void
explain_name(const struct plan *p, const struct part *part, struct buf *out)
{
    static const char *const NAMES[] = {
        [PART_ROWS] = "rows",
        [PART_VALUES] = "values of ",
        [PART_SUM] = "sum of ",
        [PART_SQUARES] = "squares of ",
        [PART_UNITS] = "distinct units",
        [PART_DISTINCT] = "distinct values of ",
        [PART_SHARE] = "two sums, of ",
    };

    buf_printf(out, "noise on   %s", NAMES[part->kind]);
    if (part->of)
        words_expr(part->of, out);
    if (p->marginals)
        words_table(p, part, out);
    if (!part->of)
        return;
    if (part->domain > 0)
        buf_printf(out, ", of which there are %llu",
                   (unsigned long long)part->domain);
    if (part->kind == PART_VALUES || part->kind == PART_DISTINCT)
        return;
    if (part->kind == PART_SHARE) { /* its lower limit is 0 */
        buf_add_text(out, " and of ");
        words_whole_steps(part->upper, part->grid, out);
        buf_add_text(out, " less that");
    }
    if (part->centre != 0 && !p->marginals) {
        buf_add_text(out, " less ");
        words_whole_steps(part->centre, part->grid, out);
    }
    buf_add_text(out, ", each clamped to ");
    words_whole_steps(part->lower, part->grid, out);
    buf_add_text(out, " .. ");
    words_whole_steps(part->upper, part->grid, out);
    if (part->kind == PART_SHARE) {
        buf_add_text(out, "; to both together a row adds ");
        words_whole_steps(part->upper, part->grid, out);
    }
}

/* The grid of the released number; for squares, the value's step squared. */
static struct grid
released_grid(const struct part *part)
{
    struct grid g = part->grid;

    if (part->kind == PART_SQUARES)
        g.digits *= 2;
    return g;
}

/* The scale of the noise, from the mechanism's text, in units of the value. */
static void
explain_scale(const custos_mech *mech, struct grid g, struct buf *out)
{
    custos_err ignored = CUSTOS_ERR_INIT;
    rat scale;

    rat_init(&scale);
    if (!rat_read(custos_mech_facts(mech)->scale, "scale", &scale, &ignored))
        words_steps(&scale, g, out);
    rat_clear(&scale);
}

/* The part's share of the price. */
static void
explain_share(const struct plan *p, const struct part *part, struct buf *out)
{
    bool rho = p->in_rho || part->joint;

    buf_add_text(out, rho ? "rho " : "epsilon ");
    words_number(rho ? &part->rho : &part->epsilon, out);
    if (part->joint)
        buf_add_text(out, " of the joint Gaussian");
    if (!rho && part->mech_kind == CUSTOS_GAUSSIAN) {
        buf_add_text(out, ", delta ");
        words_number(&part->delta, out);
    }
}

static void
explain_part(const struct plan *p, const struct part *part, struct buf *out)
{
    struct grid g = released_grid(part), squared = g;
    bool gauss = part->mech_kind == CUSTOS_GAUSSIAN;

    squared.digits *= 2;
    explain_name(p, part, out);
    buf_printf(out, "\n           %s ",
               gauss ? "Gaussian, sigma" : "Laplace, scale");
    explain_scale(part->mech, g, out);
    if (g.digits != 0) {
        buf_add_text(out, ", in steps of ");
        words_whole_steps(1, g, out);
    }
    buf_add_text(out, "; sensitivity l1 ");
    words_steps(&part->l1, g, out);
    buf_add_text(out, ", l2 squared ");
    words_steps(&part->l2_squared, squared, out);
    buf_add_text(out, "\n           ");
    explain_share(p, part, out);
    buf_add_text(out, "; within ");
    words_whole_steps(part->bar, g, out);
    buf_add_text(out, " at 95 %\n");
}

/* The deviation of one running count: its draws' coefficients and scale. */
static double
running_deviation(const struct part *part, size_t t)
{
    const struct running *r = part->running;
    double weight = ldexp((double)r->weight[t], -32);
    double scale = strtod(custos_mech_facts(part->mech)->scale, NULL);

    return ldexp(scale, -(int)running_bits(r)) *
           sqrt(part->mech_kind == CUSTOS_GAUSSIAN ? weight : 2 * weight);
}

static void
explain_running(const struct plan *p, const struct part *part, struct buf *out)
{
    const struct running *r = part->running;
    struct grid squared = {part->grid.base, 2 * part->grid.digits};

    buf_printf(out, "noise on   running counts, %zu in order", r->n);
    if (part->space->cells > r->n)
        buf_printf(out, ", %zu times", part->space->cells / r->n);
    if (r->kind == RUNNING_ROOT)
        buf_add_text(out, ": on the square root of the sums");
    else if (r->levels > 1)
        buf_printf(out, ": on a tree of %zu levels, %zu to a block", r->levels,
                   r->base);
    else
        buf_add_text(out, ": on each group");
    buf_printf(out, "\n           %s ",
               part->mech_kind == CUSTOS_GAUSSIAN ? "Gaussian, sigma"
                                                  : "Laplace, scale");
    explain_scale(part->mech, part->grid, out);
    if (part->grid.digits != 0) {
        buf_add_text(out, ", in steps of ");
        words_whole_steps(1, part->grid, out);
    }
    buf_add_text(out, "; sensitivity l1 ");
    words_steps(&part->l1, part->grid, out);
    buf_add_text(out, ", l2 squared ");
    words_steps(&part->l2_squared, squared, out);
    buf_add_text(out, "\n           ");
    explain_share(p, part, out);
    buf_printf(out, "; the first deviates by about %.4g, the last by %.4g\n",
               running_deviation(part, 0), running_deviation(part, r->n - 1));
}

/* Quantiles have no additive noise: a point of the range is drawn. */
static void
explain_quantiles(const struct plan *p, const struct part *part,
                  struct buf *out)
{
    const struct part_quantiles *q = part->quantiles;

    buf_printf(out, "draws      quantile%s ", q->n > 1 ? "s" : "");
    for (size_t i = 0; i < q->n; i++)
        buf_printf(out, "%s%s", i > 0 ? ", " : "", q->rank[i]);
    buf_add_text(out, " of ");
    words_expr(part->of, out);
    buf_add_text(out, ", each value clamped to ");
    words_value(part, part->lower, out);
    buf_add_text(out, " .. ");
    words_value(part, part->upper, out);
    buf_printf(out, "\n           exponential mechanism in %u level%s",
               custos_quantile_report(q->draws)->levels,
               custos_quantile_report(q->draws)->levels > 1 ? "s" : "");
    if (part->grid.digits != 0) {
        buf_add_text(out, ", in steps of ");
        words_whole_steps(1, part->grid, out);
    }
    buf_printf(out, "; a unit has %llu value%s\n           ",
               (unsigned long long)p->rows, p->rows > 1 ? "s" : "");
    explain_share(p, part, out);
    if (!q->counts) {
        buf_add_text(out, "; no error bars\n");
        return;
    }
    buf_printf(out,
               ", %d %% for a box of about %llu places to each side, the rest "
               "for %zu counts around it:\n           ",
               quantile_box_percent(p, part),
               (unsigned long long)(part->bar / 2), box_counts(q->n));
    buf_add_text(out, p->in_rho ? "Gaussian, sigma " : "Laplace, scale ");
    explain_scale(q->counts, (struct grid){10, 0}, out);
    buf_add_text(out, "; ends that hold at 95 % whatever the values are\n");
}

/* epsilon may be NULL: nothing is said of it. */
static void
explain_amounts(const rat *epsilon, const rat *rho, struct buf *out)
{
    if (epsilon) {
        buf_add_text(out, "epsilon ");
        words_number(epsilon, out);
    }
    buf_add_text(out, epsilon ? ", rho " : "rho ");
    words_number(rho, out);
}

/* The amounts of the charge: those of the price, or the policy's minimum. */
static void
explain_charge(const struct plan *p, struct buf *out)
{
    rat epsilon, rho;

    rat_init(&epsilon);
    rat_init(&rho);
    if (!p->in_rho)
        amount_to_rat(p->charge.epsilon, AMOUNT_LOSS, &epsilon);
    amount_to_rat(p->charge.rho, AMOUNT_LOSS, &rho);
    explain_amounts(p->in_rho ? NULL : &epsilon, &rho, out);
    rat_clear(&epsilon);
    rat_clear(&rho);
}

/* The charge; where it was raised to the least price, also the price asked. */
static void
explain_price(const struct plan *p, struct buf *out)
{
    const rat *epsilon = p->in_rho ? NULL : &p->epsilon;

    buf_add_text(out, "price      ");
    if (p->raised)
        explain_charge(p, out);
    else
        explain_amounts(epsilon, &p->rho, out);
    buf_add_text(out, ", delta ");
    words_number(&p->delta, out);
    if (rat_cmp(&p->delta_rho, &p->delta) != 0) {
        buf_add_text(out, " for epsilon, ");
        words_number(&p->delta_rho, out);
        buf_add_text(out, " for rho");
    }
    if (p->raised) {
        buf_add_text(out, "\n           raised to the policy's minimum; noise "
                          "as for ");
        explain_amounts(epsilon, &p->rho, out);
    }
    if (p->in_rho)
        buf_add_text(out, "\n           no epsilon bounds it: the budget's sum "
                          "of epsilon becomes infinite, and from then on only "
                          "its sum of rho counts");
    buf_add_text(out, "\nrests on  ");
    for (size_t i = 0; i < p->n_theorems; i++)
        buf_printf(out, " %s", p->theorems[i]);
    buf_add_text(out, "\n");
}

static void
explain_stage(const struct plan *p, const struct stage *s, struct buf *out)
{
    if (s->kind == STAGE_GROUPS)
        explain_selection(p, s->space->selection, out);
    for (size_t i = 0; i < s->n_parts; i++)
        if (s->parts[i].kind == PART_QUANTILES)
            explain_quantiles(p, &s->parts[i], out);
        else if (s->parts[i].running)
            explain_running(p, &s->parts[i], out);
        else if (!s->parts[i].served && !s->parts[i].residual)
            explain_part(p, &s->parts[i], out);
}

/* Parts that share one Gaussian: what they cost together. */
static void
explain_joint(const struct plan *p, int owner, struct buf *out)
{
    size_t n = 0;
    rat x[3];

    rats_init(x, 3);
    for (size_t i = 0; i < p->n_parts; i++) {
        const struct part *part = &p->parts[i];

        if (!part->joint || part->owner != owner)
            continue;
        n++;
        rat_add(&x[0], &x[0], &part->epsilon);
        rat_add(&x[1], &x[1], &part->delta);
        rat_add(&x[2], &x[2], &part->rho);
    }
    if (n > 0) {
        buf_printf(out,
                   "joint      one Gaussian for %zu parts, whose noise is "
                   "less than with an epsilon for each\n"
                   "           epsilon ",
                   n);
        words_number(&x[0], out);
        buf_add_text(out, ", delta ");
        words_number(&x[1], out);
        buf_add_text(out, ", rho ");
        words_number(&x[2], out);
        buf_add_text(out, "\n");
    }
    rats_clear(x, 3);
}

/* How many rows count, and what is released about them. */
static void
explain_releases(const struct plan *p, struct buf *out)
{
    words_from(p->from, "from       ", out);
    explain_bounding(p, out);
    if (p->known_rows > 0)
        buf_printf(out,
                   "rows       %llu, as the policy states: a public number, "
                   "exact and free\n",
                   (unsigned long long)p->known_rows);
    explain_groups(p, out);
    if (marginals_are_residual(p))
        words_residuals(p, out);
    for (size_t i = 0; i < p->n_stages; i++)
        explain_stage(p, &p->stages[i], out);
    for (int owner = -1; owner < (int)p->n_aggregates; owner++)
        explain_joint(p, owner, out);
}

static void
explain_notes(const struct plan *p, struct buf *out)
{
    for (size_t i = 0; i < p->n_remarks; i++)
        buf_printf(out, "note       %s\n", p->remarks[i]);
}

/* A plan that selects one of those that may follow: the first and the last. */
static void
explain_selecting(const struct plan *p, struct buf *out)
{
    const struct range_selection *r = plan_range_selection(p);
    size_t n;
    struct plan *const *next = plan_next(p, &n);

    if (r)
        explain_range_selection(r, out);
    else
        explain_bound_selection(plan_bound_selection(p), out);
    for (size_t i = 0; i < n; i = i + 1 < n ? n - 1 : n) {
        if (r) {
            buf_add_text(out, "range ");
            range_selection_words(r, i, out);
        } else {
            buf_printf(out, "bound %-4llu", 1ULL << i);
        }
        buf_add_text(out, " if it is taken:\n");
        explain_releases(next[i], out);
        explain_notes(next[i], out);
    }
    explain_price(p, out);
}

bool
plan_is_released(const struct plan *p)
{
    return p->is_public && p->table && p->table->is_released;
}

void
plan_explain(const struct plan *p, struct buf *out)
{
    size_t n;

    if (plan_is_released(p)) {
        buf_add_text(out, "released   computed from noisy values released "
                          "earlier: free, with error bars\n");
        return;
    }
    if (p->is_public) {
        buf_add_text(out, "public     no private row is read: the answer is "
                          "exact and free\n");
        if (p->known_rows > 0)
            buf_printf(out, "rows       %llu, as the policy states\n",
                       (unsigned long long)p->known_rows);
        return;
    }
    explain_protected(p, out);
    plan_next(p, &n);
    if (n > 0) {
        explain_selecting(p, out);
        return;
    }
    explain_releases(p, out);
    explain_price(p, out);
    rho_offer(p, out);
    explain_notes(p, out);
}
