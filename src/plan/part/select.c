/*
 * Partition selection: keys whose values are not public come from the data.
 * Which groups are shown is one release for all keys together, by the number
 * of units in each group. All aggregates share it.
 *
 * The rule is chosen from public facts: the one that needs the fewest units to
 * show a group with probability 1/2. If the query counts units, or rows of
 * which each unit has one, a rule with noise is used. Its noisy counts are then
 * also the answer to that count, and it gets the shares of both in the price.
 * Otherwise units may get weights: those in fewer groups than they may be in
 * then weigh more. That needs far fewer units if most are in few groups, and is
 * done if it needs hardly more where all are in as many as they may be. (Sums of
 * weights are no counts, so they cannot serve as one; to choose by weights and
 * to count separately would halve the epsilon of both.)
 *
 * THEOREM  groups-chosen
 *   Let rows be bounded so that each unit is in at most g groups. Choosing
 *   groups by an (e, d)-DP rule for units of g keys, from counts of units or
 *   sums of weights that each depend on one unit's rows, then releasing parts of
 *   the chosen groups only, with (e_i, d_i)-DP noise for the sensitivity over
 *   all groups, is (e + sum e_i, d + sum d_i)-DP. A group that is not chosen
 *   looks like one that does not exist.
 * SOURCE   doc/proofs/groups-chosen.md
 * NEEDS    rank-bound or fold-bound; keys-optimal, threshold-exact,
 *          keys-gauss or keys-weighted; parts from the same snapshot as the
 *          counts of units.
 * GIVES    plan->space.selection: the rule, its epsilon and the delta that it needs;
 *          together with the parts, never more than the query's.
 * FAILS    CUSTOS_ERANGE (no rule for such an epsilon and delta),
 *          CUSTOS_EINVAL (a number in the query that cannot be used).
 * TESTED   selection_is_in_the_price selection_takes_the_delta_left
 *          lone_chance_is_the_delta lone_groups_come_out_with_delta
 *          chosen_groups_have_quantiles quantiles_are_of_the_chosen_alone
 *          neighbours_differ_as_the_plan_says weights_are_for_few_groups
 */
#include "mech/hold.h"
#include "mech/keys_held.h"
#include "num/batch.h"
#include "plan/explain/words.h"
#include "plan/part/bound_selection.h"
#include "plan/work.h"

enum {
    NUMBER_MAX = 512,
    OPTIONS_MAX = 2 * NUMBER_MAX + 80,
    WEIGHT = 64, /* the weight of a count: split.c */
    UNITS_LOG2 = 40,
    GAUSS_FROM = 4,   /* with fewer keys per unit, Laplace needs fewer units */
    WORSE = 10,       /* weights may need 1/WORSE more units in full groups */
    EFFORT_SHARE = 4, /* of a plan's steps, at most 1 part is for weights, */
    RACE_SHARE = 2,   /* and of those of all plans of a bound selection */
};

custos_status
select_start(struct work *w)
{
    struct selection *s;

    if (w->plan->space.selection)
        return CUSTOS_OK;
    s = arena_take(w->a, 1, sizeof *s);
    if (!s)
        return work_no_memory(w);
    s->serves = -1;
    rat_init(&s->epsilon);
    rat_init(&s->delta);
    w->plan->space.selection = s;
    return CUSTOS_OK;
}

void
select_clear(struct selection *s)
{
    if (!s)
        return;
    custos_keys_free(s->rule);
    s->rule = NULL;
    rat_clear(&s->epsilon);
    rat_clear(&s->delta);
}

/*
 * Does the part count units, without an epsilon of its own, and is it read only
 * as a count? The bars of means assume symmetric noise; the noise of a count is
 * not symmetric in groups that were chosen by that count.
 */
static bool
counts_units(const struct plan *p, size_t i)
{
    const struct part *part = &p->parts[i];

    for (size_t k = 0; k < p->n_aggregates; k++)
        if (p->aggregates[k].rows == (int)i && p->aggregates[k].sum >= 0)
            return false;
    return part->owner == -1 && (part->kind == PART_UNITS ||
                                 (part->kind == PART_ROWS && p->rows == 1));
}

void
select_weigh(struct plan *p)
{
    struct selection *s = p->space.selection;

    if (!s)
        return;
    s->weight = WEIGHT;
    for (size_t i = 0; i < p->n_parts; i++)
        if (s->serves < 0 && counts_units(p, i)) {
            s->serves = (int)i;
            s->weight += p->parts[i].weight;
            p->parts[i].weight = 0;
            p->parts[i].served = true;
        }
}

/* Reserves half of the delta for the selection; parts may use the rest. */
void
select_reserve(struct work *w)
{
    rat half;

    if (!w->plan->space.selection)
        return;
    rat_init(&half);
    rat_set_i64(&half, 1, 2);
    rat_mul(&w->delta, &w->delta, &half);
    rat_clear(&half);
}

/* The delta that the parts leave for the selection. */
static void
delta_left(const struct work *w, rat *delta)
{
    const struct plan *p = w->plan;

    rat_add(delta, &w->delta, &w->delta);
    for (size_t i = 0; i < p->n_parts; i++)
        rat_sub(delta, delta, &p->parts[i].delta);
}

/* Takes the steps of the optimal rule's table, which is long where epsilon is
   small: the same number whether the rule was made now or cached. */
static custos_status
spend_table(struct work *w, const custos_keys_options *o,
            const custos_keys *rule)
{
    enum { ENTRIES_MAX = 1 << 16 };
    uint64_t entries = rule ? custos_keys_report(rule)->certain : ENTRIES_MAX;

    if (o->rule != CUSTOS_KEYS_GEOMETRIC)
        return CUSTOS_OK;
    if (entries > ENTRIES_MAX)
        entries = ENTRIES_MAX;
    return work_spend(w, EFFORT_ENTRY * entries);
}

/* Makes a rule and spends its steps. CUSTOS_ERANGE: there is none. */
static custos_status
make_rule(struct work *w, const custos_keys_options *o, uint64_t steps,
          custos_keys **out)
{
    custos_status st = work_spend(w, steps), spent = CUSTOS_OK;

    if (!st)
        st = mechs_take_keys(w->plan->mechs, o, out, w->err);
    if (!st || st == CUSTOS_ERANGE)
        spent = spend_table(w, o, *out);
    if (!st && spent) {
        custos_keys_free(*out);
        *out = NULL;
    }
    return spent ? spent : st;
}

static const char *
options_text(struct work *w, const custos_keys_options *o)
{
    const char *text = NULL;
    struct buf b;

    buf_init(&b, NULL, OPTIONS_MAX);
    buf_printf(&b, "%d %llu %llu %s %s", (int)o->adjacency,
               (unsigned long long)o->keys_per_unit,
               (unsigned long long)o->min_units, o->epsilon, o->delta);
    if (!b.failed)
        text = arena_copy(w->a, (str){buf_text(&b), b.len});
    buf_clear(&b);
    return text;
}

static bool
is_made(const struct plan_rule_made *made, const char *options)
{
    return made->options && !strcmp(made->options, options);
}

/* As make_rule; without spending if one of the two plans before had the same rule,
   as plans of a range selection mostly have: those of [0, M] and those of [-M, M]
   can split the price in different ways. */
static custos_status
take_rule(struct work *w, const custos_keys_options *o, uint64_t steps,
          custos_keys **out)
{
    const char *options = options_text(w, o);
    struct plan_rule_made *made;
    custos_status st;

    if (!options || !w->options->keys_made)
        return work_no_memory(w);
    made = w->options->keys_made->rules[o->rule];
    for (int i = 0; i < 2; i++)
        if (is_made(&made[i], options)) {
            *out = made[i].rule ? keys_hold(made[i].rule) : NULL;
            return made[i].status;
        }
    st = make_rule(w, o, steps, out);
    if (st && st != CUSTOS_ERANGE)
        return st;
    custos_keys_free(made[1].rule);
    made[1] = made[0];
    made[0] = (struct plan_rule_made){.options = options, .status = st};
    if (!st)
        made[0].rule = keys_hold(*out);
    return st;
}

/* keys_units_held(), once for all plans that share the rule: it takes as long as
   making one. */
static custos_status
units_held(struct work *w, const custos_keys *rule, uint64_t held,
           const char *chance, uint64_t *units)
{
    struct plan_keys_made *all = w->options->keys_made;
    struct plan_rule_made *made = NULL;
    custos_status st;

    for (size_t i = 0; i < 2 * COUNT_OF(all->rules) && !made; i++)
        if (all->rules[i / 2][i % 2].rule == rule)
            made = &all->rules[i / 2][i % 2];
    for (size_t i = 0; made && i < made->n_points; i++)
        if (made->points[i].held == held &&
            !strcmp(made->points[i].chance, chance)) {
            *units = made->points[i].units;
            return CUSTOS_OK;
        }
    st = keys_units_held(rule, held, chance, units, w->err);
    if (!st && made && made->n_points < COUNT_OF(made->points))
        made->points[made->n_points++] =
            (struct plan_rule_point){held, chance, *units};
    return st;
}

void
select_forget(struct plan_keys_made *made)
{
    for (size_t i = 0; i < COUNT_OF(made->rules); i++)
        for (int k = 0; k < 2; k++)
            custos_keys_free(made->rules[i][k].rule);
}

/* Takes the rule if it shows smaller groups than the current one does. Of two
   rules that are equal in this, it takes the one named first in custos.h. */
static custos_status
try_rule(struct work *w, const custos_keys_options *o)
{
    struct selection *s = w->plan->space.selection;
    custos_keys *rule = NULL;
    uint64_t half = 0;
    custos_status st = take_rule(w, o, EFFORT_SELECTION, &rule);

    if (!st)
        half = custos_keys_report(rule)->half;
    if (!st &&
        (!s->rule || half < s->half ||
         (half == s->half && o->rule < custos_keys_report(s->rule)->rule))) {
        custos_keys_free(s->rule);
        s->rule = rule;
        s->half = half;
        return CUSTOS_OK;
    }
    custos_keys_free(rule);
    return st == CUSTOS_ERANGE ? CUSTOS_OK : st;
}

/*
 * Could the optimal rule show groups as small as the current rule does? It
 * shows a group of n units with probability at most n (delta/g) e^(n eps/g),
 * since each further unit multiplies it by at most e^(eps/g) and adds at most
 * delta/g. If this is below 1/2 for the n at which the current rule reaches
 * 1/2, the optimal rule's long table need not be made.
 */
static bool
optimal_may_win(const struct plan *p)
{
    const struct selection *s = p->space.selection;
    long log2_chance = rat_log2_floor(&s->delta) + 1;
    bool may;
    rat x, y;

    for (uint64_t n = s->half; n > 0; n /= 2)
        log2_chance++;
    rat_init(&x);
    rat_init(&y);
    rat_set_i128(&x, (i128)s->half);
    rat_mul(&x, &x, &s->epsilon);
    rat_set_i128(&y, (i128)p->space.groups);
    rat_div(&x, &x, &y);
    rat_set_i64(&y, 1443, 1000); /* just above log2 e */
    rat_mul(&x, &x, &y);
    rat_set_i64(&y, log2_chance, 1);
    rat_add(&x, &x, &y);
    may = rat_cmp_i64(&x, -1) >= 0;
    rat_clear(&x);
    rat_clear(&y);
    return may;
}

bool
selection_weighs(const struct selection *s)
{
    const custos_keys_facts *f = s ? custos_keys_report(s->rule) : NULL;

    return f && f->steps > 1;
}

/* The most steps that weights may take: a share of the policy's limit. What
   remains of it must not matter, or a batch would make other plans. */
static uint64_t
weights_steps_most(const struct work *w)
{
    uint64_t shares =
        w->plan->raced ? RACE_SHARE * BOUND_SELECTION_MAX : EFFORT_SHARE;

    return w->policy->max_planning_steps / shares;
}

/*
 * Takes the weighted rule instead of the current one if it shows smaller groups
 * of units that are in no other group, and not much larger ones of units that
 * are in as many as they may be. It has to know how many groups a unit is in,
 * which bounding by a predicate does not.
 */
static custos_status
try_weights(struct work *w, custos_keys_options *o)
{
    struct cell_space *space = &w->plan->space;
    struct selection *s = space->selection;
    /* measured: half as much as for another rule, for each key */
    uint64_t steps = EFFORT_SELECTION * (1 + space->groups / 2);
    uint64_t full = 0, half = UINT64_MAX;
    custos_keys *rule = NULL;
    custos_status st;

    if (s->serves >= 0 || space->groups < 2 ||
        space->groups > KEYS_WEIGHTED_MAX || weights_steps_most(w) < steps)
        return CUSTOS_OK;
    o->rule = CUSTOS_KEYS_WEIGHTED;
    st = take_rule(w, o, steps, &rule);
    if (!st)
        st = units_held(w, rule, space->groups, "0.5", &full);
    if (!st)
        half = custos_keys_report(rule)->half;
    if (st || half >= s->half || full > s->half + s->half / WORSE) {
        custos_keys_free(rule);
        return st == CUSTOS_ERANGE ? CUSTOS_OK : st;
    }
    custos_keys_free(s->rule);
    s->rule = rule;
    s->half = half;
    if (space->bounding == BOUND_RANK)
        space->bounding = BOUND_GENERAL;
    return CUSTOS_OK;
}

/*
 * With one key per unit no rule is better than the optimal one. Of the rules
 * with counts, Laplace needs about ln(1/delta) g / epsilon units to show a
 * group, and Gauss about 2 ln(1/delta) sqrt(g) / epsilon. Laplace is never
 * better than the optimal rule; it is tried where the selection serves a count,
 * or where the optimal rule was tried and not taken.
 */
static custos_status
try_rules(struct work *w, custos_keys_options *o)
{
    const struct plan *p = w->plan;
    const struct selection *s = p->space.selection;
    bool laplace = true;
    custos_status st = CUSTOS_OK;

    if (p->space.groups >= GAUSS_FROM) {
        o->rule = CUSTOS_KEYS_GAUSSIAN;
        st = try_rule(w, o);
    }
    if (!st && s->serves < 0) {
        laplace = false;
        if (!s->rule || optimal_may_win(p)) {
            o->rule = CUSTOS_KEYS_GEOMETRIC;
            st = try_rule(w, o);
            laplace = !s->rule || custos_keys_report(s->rule)->rule != o->rule;
        }
    }
    if (!st && laplace) {
        o->rule = CUSTOS_KEYS_LAPLACE;
        st = try_rule(w, o);
    }
    if (!st && !s->rule) {
        o->rule = CUSTOS_KEYS_GAUSSIAN;
        st = try_rule(w, o);
    }
    if (!st && !s->rule)
        st = custos_fail(
            w->err, CUSTOS_ERANGE,
            "at this epsilon and delta no group could be shown" HINT
            "ask for a larger epsilon or delta, or for fewer aggregates");
    return st ? st : try_weights(w, o);
}

/* The fewest units of a shown group: the larger of the owner's limit and the
   query's. */
static custos_status
read_least(struct work *w, uint64_t *least)
{
    str asked = w->q->options.min_units;
    const char *text = arena_copy(w->a, asked);
    uint64_t n = 0;
    custos_status st;
    rat r;

    *least = w->policy->min_units;
    if (asked.len == 0)
        return CUSTOS_OK;
    if (!text)
        return work_no_memory(w);
    rat_init(&r);
    st = rat_read_positive(text, "min_privacy_units_per_group", &r, w->err);
    if (!st && (!rat_is_whole(&r) || !rat_floor_u64(&r, &n) ||
                n > (uint64_t)1 << UNITS_LOG2))
        st = custos_fail(w->err, CUSTOS_EINVAL,
                         "min_privacy_units_per_group must be a whole number "
                         "up to 2^%d",
                         (int)UNITS_LOG2);
    if (!st && !w->plan->space.selection)
        st = custos_fail(w->err, CUSTOS_EINVAL,
                         "min_privacy_units_per_group is for groups of the "
                         "data: these are public, and all are shown");
    rat_clear(&r);
    if (!st && n > *least)
        *least = n;
    return st;
}

/* Half width of the counts' 95 % bar: m minus the threshold, where a group of m
   units is shown with probability 97.5 %. The noise is symmetric, so it exceeds
   this width in each direction with probability at most 2.5 %. */
static custos_status
set_bar(struct work *w)
{
    struct selection *s = w->plan->space.selection;
    const custos_keys_facts *f = custos_keys_report(s->rule);
    struct part *part;
    uint64_t units = 0;
    custos_status st;

    if (s->serves < 0)
        return CUSTOS_OK;
    st = units_held(w, s->rule, 1, "0.975", &units);
    part = &w->plan->parts[s->serves];
    part->bar = (i128)units - f->threshold;
    return st;
}

/* The numbers of units at which groups are shown with 50 and with 95 %. */
static custos_status
set_points(struct work *w)
{
    struct selection *s = w->plan->space.selection;
    uint64_t groups = w->plan->space.groups;
    custos_status st = units_held(w, s->rule, 1, "0.95", &s->most);

    s->full_half = s->half;
    s->full_most = s->most;
    if (st || !selection_weighs(s))
        return st;
    st = units_held(w, s->rule, groups, "0.5", &s->full_half);
    return st ? st : units_held(w, s->rule, groups, "0.95", &s->full_most);
}

custos_status
select_make(struct work *w)
{
    struct plan *p = w->plan;
    struct selection *s = p->space.selection;
    char epsilon[NUMBER_MAX], delta[NUMBER_MAX];
    custos_keys_options o = {.size = sizeof o,
                             .adjacency = w->policy->adjacency,
                             .epsilon = epsilon,
                             .delta = delta};
    uint64_t least = 1;
    custos_status st = read_least(w, &least);
    rat needed;

    if (st || !s)
        return st;
    s->least = least;
    o.min_units = least;
    o.keys_per_unit = p->space.groups;
    delta_left(w, &s->delta);
    if (!rat_write_into(&s->epsilon, epsilon, NUMBER_MAX) ||
        !rat_write_into(&s->delta, delta, NUMBER_MAX))
        return custos_fail(w->err, CUSTOS_EINVAL,
                           "epsilon has too many digits for this query");
    st = try_rules(w, &o);
    rat_init(&needed);
    if (!st)
        st = rat_read_delta(custos_keys_report(s->rule)->delta, "delta",
                            &needed, w->err);
    if (!st && rat_cmp(&needed, &s->delta) < 0) /* it is reported rounded up */
        rat_set(&s->delta, &needed);
    rat_clear(&needed);
    if (!st)
        st = set_points(w);
    return st ? st : set_bar(w);
}
