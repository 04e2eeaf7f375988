/*
 * The order of planning: names, types, keys, outputs, parts, bounds,
 * sensitivities, price, mechanisms. Each step reads the results of those before
 * it, and all of it is a function of query, policy, options (analyst, price)
 * and counts of public tables.
 */
#include "plan/cost/unit_work.h"
#include "plan/plan.h"

#include "plan/from/carry.h"
#include "plan/from/from.h"
#include "plan/part/marginals.h"
#include "plan/part/quantile.h"
#include "plan/part/bound_selection.h"
#include "plan/part/known_rows.h"
#include "plan/part/range_list.h"
#include "plan/part/range_selection.h"
#include "plan/part/running.h"
#include "plan/from/views.h"

/* Rewrites SELECT DISTINCT x, y as SELECT x, y GROUP BY x, y. */
static custos_status
distinct_groups(struct work *w)
{
    struct query *q = w->q;
    bool plain = q->n_group_by == 0 && q->n_sets == 0 && !q->having;

    for (size_t i = 0; i < q->n_targets; i++)
        plain = plain && q->targets[i].expr->kind != EXPR_LITERAL &&
                !expr_aggregate(q->targets[i].expr);
    if (!plain)
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, q->from->at,
            "over private rows SELECT DISTINCT takes columns only" HINT
            "write GROUP BY instead");
    q->group_by = arena_take(w->a, q->n_targets, sizeof(struct expr *));
    if (!q->group_by)
        return work_no_memory(w);
    for (; q->n_group_by < q->n_targets; q->n_group_by++) {
        q->group_by[q->n_group_by] =
            expr_copy(w->a, q->targets[q->n_group_by].expr);
        if (!q->group_by[q->n_group_by])
            return work_no_memory(w);
    }
    return CUSTOS_OK;
}

/* Rejects queries over private rows whose form is not supported. */
static custos_status
check_private(struct work *w)
{
    const struct query *q = w->q;

    if (q->star)
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, q->from->at,
            "the rows of %.*s are private, so SELECT * is not allowed" HINT
            "ask for an aggregate, such as count(*)",
            SHOWN(relation_shown(w->from)));
    return q->distinct ? distinct_groups(w) : CUSTOS_OK;
}

custos_status
work_bind(struct work *w)
{
    struct query *q = w->q;
    custos_status st = names_outputs(w);

    for (size_t i = 0; i < q->n_targets && !st; i++)
        st = names_bind(w, q->targets[i].expr);
    if (!st && q->where)
        st = names_bind(w, q->where);
    for (size_t i = 0; i < q->n_group_by && !st; i++)
        st = names_bind(w, q->group_by[i]);
    if (!st && q->having)
        st = names_bind(w, q->having);
    for (size_t i = 0; i < q->n_order_by && !st; i++)
        st = names_bind(w, q->order_by[i].expr);
    return st;
}

custos_status
work_where(struct work *w, enum context context)
{
    struct expr *e = w->q->where;
    const struct expr *inner = e ? expr_aggregate(e) : NULL;

    w->plan->where = e;
    if (!e)
        return CUSTOS_OK;
    if (inner)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, inner->at,
                              "aggregates are not allowed in WHERE" HINT
                              "write conditions on aggregates in HAVING");
    return types_truth(w, e, context, "WHERE");
}

/* Types WHERE, and adds the conditions lifted out of subqueries in FROM. */
static custos_status
where_make(struct work *w, enum context context)
{
    custos_status st = work_where(w, context);

    return st ? st : from_and(w, w->lifted, w->plan->where, &w->plan->where);
}

/* The steps that need the price: each part's share, its noise, the charge. */
static custos_status
private_price(struct work *w)
{
    custos_status st;

    if (!w->plan->marginals)
        split_weigh(w->plan);
    select_weigh(w->plan);
    st = w->options->within.len > 0 ? within_make(w) : split_make(w);
    if (!st)
        st = marginals_share(w);
    select_reserve(w);
    if (!st)
        st = running_choose(w);
    if (!st)
        st = choose_make(w);
    if (!st)
        marginals_trust(w->plan);
    if (!st)
        st = select_make(w);
    if (!st)
        st = charge_make(w);
    if (!st)
        st = remarks_make(w);
    return st ? st : answer_size_limit(w);
}

static custos_status
private_make(struct work *w)
{
    custos_status st = check_private(w);

    if (!st)
        st = work_bind(w);
    if (!st && known_rows_make(w))
        return public_make(w);
    if (!st)
        st = where_make(w, CONTEXT_ROWS);
    if (!st)
        st = price_delta(w);
    if (!st)
        st = outputs_make(w);
    if (!st)
        st = fanout_make(w); /* after outputs, for their IN (SELECT ...) */
    if (!st && w->plan->marginals) /* whose parts depend on the price */
        st = price_make(w);
    if (!st && !w->plan->marginals)
        st = range_find(w);
    if (!st)
        st = parts_make(w);
    if (!st)
        st = bounds_make(w);
    if (!st)
        st = stages_make(w);
    if (!st)
        st = carry_make(w);
    if (!st)
        st = unit_work_check(w);
    if (!st)
        st = printable_check(w);
    if (!st)
        st = sensitivity_make(w);
    if (!st && !w->plan->marginals)
        st = price_make(w);
    if (!st && w->plan->raced)
        st = bound_selection_share(w);
    if (!st && w->plan->ranged)
        st = range_selection_share(w);
    return st ? st : private_price(w);
}

static custos_status
make_plan(struct work *w)
{
    custos_status st = from_top(w);

    if (st)
        return st;
    if (!w->plan->is_public)
        return private_make(w);
    st = names_stars(w);
    if (!st)
        st = work_bind(w);
    if (!st)
        st = where_make(w, CONTEXT_PUBLIC);
    return st ? st : public_make(w);
}

static void
work_clear(struct work *w)
{
    for (size_t i = 0; i < w->n_shares; i++)
        rat_clear(&w->shares[i]);
    rat_clear(&w->delta);
    rat_clear(&w->own);
    rat_clear(&w->range_lower);
    rat_clear(&w->range_upper);
}

custos_status
plan_assuming(arena *a, struct query *q, const struct policy *p,
              const struct plan_options *options, uint64_t rows, size_t range,
              struct plan **out, custos_err *err)
{
    struct work w = {.a = a,
                     .policy = p,
                     .options = options,
                     .assumed = rows,
                     .range = range,
                     .err = err};
    custos_status st;

    w.q = query_copy(a, q);
    w.plan = arena_take(a, 1, sizeof *w.plan);
    if (!w.q || !w.plan)
        return work_no_memory(&w);
    rat_init(&w.delta);
    rat_init(&w.own);
    rat_init(&w.range_lower);
    rat_init(&w.range_upper);
    rat_init(&w.plan->epsilon);
    rat_init(&w.plan->rho);
    rat_init(&w.plan->delta_rho);
    rat_init(&w.plan->delta);
    w.plan->query = w.q;
    w.plan->policy = p;
    w.plan->mechs = w.options->mechs;
    w.plan->space.cells = 1;
    st = make_plan(&w);
    work_clear(&w);
    if (st)
        plan_free(w.plan);
    else
        *out = w.plan;
    return st;
}

/* Copies the query and expands its views, once for all plans of the query. */
static custos_status
expand_views(arena *a, const struct query *q, const struct policy *p,
             const struct plan_options *options, struct query **out,
             custos_err *err)
{
    *out = query_copy(a, q);
    if (!*out)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return views_expand(a, p, options->who, options->effort, *out, err);
}

/*
 * The plan with the first candidates. If there are to be so many plans like it that
 * they would take more than half of the policy's steps, it is made again, as all
 * others will be, without trying Gaussian noise. What remains of the steps does not
 * matter, or a batch would make other plans.
 */
static custos_status
first_plan(arena *a, struct query *q, const struct policy *p,
           struct plan_options *own, struct plan **out, custos_err *err)
{
    uint64_t rows = bounds_asked(q), before = own->effort->remaining, n;
    custos_status st = plan_assuming(a, q, p, own, rows, 0, out, err);

    if (st || !(*out)->ranged || (*out)->in_rho)
        return st;
    n = range_count((*out)->ranged);
    if (before - own->effort->remaining <= p->max_planning_steps / (2 * n))
        return CUSTOS_OK;
    own->frugal = true;
    plan_free(*out);
    *out = NULL;
    return plan_assuming(a, q, p, own, rows, 0, out, err);
}

custos_status
plan_make(arena *a, struct query *q, const struct policy *p,
          const struct plan_options *options, struct plan **out,
          custos_err *err)
{
    uint64_t *left = options ? options->steps : NULL;
    uint64_t most =
        left && *left < p->max_planning_steps ? *left : p->max_planning_steps;
    struct effort effort = {.remaining = most,
                            .stop = options ? options->stop : NULL};
    struct plan_keys_made *keys_made = arena_take(a, 1, sizeof *keys_made);
    struct plan_options own = {.who = NULL};
    struct plan *first = NULL;
    custos_status st;

    if (options)
        own = *options;
    own.effort = &effort;
    own.keys_made = keys_made;
    arena_allow(a, EFFORT_BYTES);
    st = expand_views(a, q, p, &own, &q, err);
    if (!st)
        st = first_plan(a, q, p, &own, &first, err);
    if (!st && first->raced)
        st = bound_selection_make(a, q, p, &own, first, &first, err);
    else if (!st && first->ranged)
        st = range_selection_make(a, q, p, &own, first, &first, err);
    if (keys_made)
        select_forget(keys_made);
    if (arena_is_denied(a))
        effort_end(&effort, EFFORT_OUT_OF_BYTES);
    arena_allow(a, SIZE_MAX);
    if (left)
        *left -= most - effort.remaining;
    if (effort.state != EFFORT_GOES_ON) {
        plan_free(st ? NULL : first);
        return effort_refuse(&effort, err);
    }
    if (st)
        return st;
    least_make(first);
    first->planning_steps = most - effort.remaining;
    *out = first;
    return CUSTOS_OK;
}

void
plan_free(struct plan *p)
{
    if (!p)
        return;
    bound_selection_clear(plan_bound_selection(p));
    range_selection_clear(plan_range_selection(p));
    for (size_t i = 0; i < p->n_parts; i++) {
        custos_mech_free(p->parts[i].mech);
        p->parts[i].mech = NULL;
        quantile_clear(&p->parts[i]);
        rat_clear(&p->parts[i].l1);
        rat_clear(&p->parts[i].l2_squared);
        rat_clear(&p->parts[i].epsilon);
        rat_clear(&p->parts[i].delta);
        rat_clear(&p->parts[i].rho);
    }
    select_clear(p->space.selection);
    facts_clear(p->facts);
    rat_clear(&p->epsilon);
    rat_clear(&p->rho);
    rat_clear(&p->delta);
    rat_clear(&p->delta_rho);
}
