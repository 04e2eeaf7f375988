/*
 * Sentences for the answer: what bounding and clamping may have left out, from
 * public facts; and the ids of all theorems that the price rests on.
 */
#include "plan/from/from.h"
#include "plan/part/marginals.h"
#include "plan/part/parts.h"
#include "plan/explain/words.h"

enum { REMARK_MAX = 400, THEOREMS_FIXED = 32 };

static custos_status
add_remark(struct work *w, struct buf *b)
{
    struct plan *p = w->plan;
    const char *text =
        b->failed ? NULL : arena_copy(w->a, (str){buf_text(b), b->len});

    buf_clear(b);
    if (!text)
        return work_no_memory(w);
    for (size_t i = 0; i < p->n_remarks; i++)
        if (str_equal(str_of(p->remarks[i]), str_of(text)))
            return CUSTOS_OK;
    p->remarks[p->n_remarks++] = text;
    return CUSTOS_OK;
}

static custos_status
remark_bounding(struct work *w)
{
    const struct plan *p = w->plan;
    struct buf b;

    if (p->space.bounding == BOUND_NONE)
        return CUSTOS_OK;
    buf_init(&b, NULL, REMARK_MAX);
    words_counted(p, &b);
    if (p->space.groups < p->rows && p->space.groups < p->space.cells)
        buf_printf(&b, ", in at most %llu group%s",
                   (unsigned long long)p->space.groups,
                   p->space.groups == 1 ? "" : "s");
    if (p->space.per_group > 0)
        buf_printf(&b, ", at most %llu in each group",
                   (unsigned long long)p->space.per_group);
    if (from_loses(p))
        buf_add_text(&b, ", chosen before WHERE");
    return add_remark(w, &b);
}

/* Says that small groups are not shown: in the answer they look like groups
   that do not exist. */
static custos_status
remark_selection(struct work *w)
{
    const struct selection *s = w->plan->space.selection;
    struct buf b;

    if (!s)
        return CUSTOS_OK;
    buf_init(&b, NULL, REMARK_MAX);
    buf_printf(&b,
               "small groups are not shown: a group of %llu units is shown "
               "with a probability of 50 %%, one of %llu with 95 %%",
               (unsigned long long)s->half, (unsigned long long)s->most);
    if (selection_weighs(s))
        buf_printf(&b,
                   ", if they are in no other group; of units in %llu groups "
                   "each, it takes %llu and %llu",
                   (unsigned long long)w->plan->space.groups,
                   (unsigned long long)s->full_half,
                   (unsigned long long)s->full_most);
    return add_remark(w, &b);
}

static custos_status
remark_clamping(struct work *w, const struct part *part)
{
    struct buf b;

    buf_init(&b, NULL, REMARK_MAX);
    buf_printf(&b, "values of %s below ", work_text(w, part->of));
    words_value(part, part->lower, &b);
    buf_add_text(&b, " or above ");
    words_value(part, part->upper, &b);
    buf_add_text(&b, " count as ");
    words_value(part, part->lower, &b);
    buf_add_text(&b, " and ");
    words_value(part, part->upper, &b);
    return add_remark(w, &b);
}

/* Is part i a sum of products, whose limits follow from those of both values? */
static bool
is_product(const struct plan *p, size_t i)
{
    for (size_t k = 0; k < p->n_aggregates; k++)
        if (p->aggregates[k].product == (int)i)
            return true;
    return false;
}

/* Can a share have other values than its two, so that clamping changes some? */
static bool
share_clamps(const struct part *part)
{
    i128 upper;

    return part->kind == PART_SHARE &&
           (part->of->kind == EXPR_COLUMN ||
            !range_steps(&fact_of(part->of)->upper, part->grid, &upper) ||
            upper != part->upper);
}

/* Says that values are rounded, where the grid is coarser than their own. */
static custos_status
remark_rounding(struct work *w, const struct part *part)
{
    enum data_type type = part->of->type;
    struct buf b;

    if (type == TYPE_REAL ||
        part->grid.digits >=
            (type == TYPE_DECIMAL ? fact_of(part->of)->scale : 0))
        return CUSTOS_OK;
    buf_init(&b, NULL, REMARK_MAX);
    buf_printf(&b, "values of %s count as multiples of ",
               work_text(w, part->of));
    words_whole_steps(1, part->grid, &b);
    return add_remark(w, &b);
}

/* Says that min and max (ranks 0 and 1) are not the extreme values themselves:
   these would be one person's. */
static custos_status
remark_extremes(struct work *w, const struct part *part)
{
    const struct part_quantiles *q = part->quantiles;
    bool low = !strcmp(q->rank[0], "0");
    bool high = !strcmp(q->rank[q->n - 1], "1");
    struct buf b;

    if (!low && !high)
        return CUSTOS_OK;
    buf_init(&b, NULL, REMARK_MAX);
    buf_printf(&b,
               "%s%s%s of %s %s extreme quantile%s: the value about %llu "
               "places from the end among those that count",
               low ? "min" : "", low && high ? " and " : "", high ? "max" : "",
               work_text(w, part->of), low && high ? "are" : "is an",
               low && high ? "s" : "", (unsigned long long)q->inside);
    return add_remark(w, &b);
}

/* Says that bounds per group, which in GoogleSQL limit a unit's sum in a group,
   limit each row here. */
static custos_status
remark_per_group(struct work *w)
{
    struct plan *p = w->plan;
    struct buf b;

    for (size_t i = 0; i < p->n_aggregates && p->rows > 1; i++)
        if (p->aggregates[i].expr->bounds == BOUNDS_PER_GROUP) {
            buf_init(&b, NULL, REMARK_MAX);
            buf_add_text(&b, "contribution bounds per group apply to each row, "
                             "and a unit may have several rows");
            return add_remark(w, &b);
        }
    return CUSTOS_OK;
}

/* Says that the bars of a column hold together. */
static custos_status
remark_bars(struct work *w)
{
    struct buf b;

    if (w->q->options.bars.len == 0)
        return CUSTOS_OK;
    buf_init(&b, NULL, REMARK_MAX);
    buf_add_text(&b, "all error bars of a column hold at once, with 95 %");
    return add_remark(w, &b);
}

/* Says whether the tables add up. */
static custos_status
remark_tables(struct work *w)
{
    const struct marginals *m = w->plan->marginals;
    struct buf b;

    if (!m)
        return CUSTOS_OK;
    buf_init(&b, NULL, REMARK_MAX);
    buf_add_text(&b, "the tables of all grouping sets add up exactly");
    return add_remark(w, &b);
}

void
plan_add_theorem(struct plan *p, const char *id)
{
    for (size_t i = 0; i < p->n_theorems; i++)
        if (str_equal(str_of(p->theorems[i]), str_of(id)))
            return;
    p->theorems[p->n_theorems++] = id;
}

/* Theorems about the unit of a row and its bounds, here and in the engine. */
static void
theorem_bounding(struct work *w)
{
    struct plan *p = w->plan;

    if (p->from->kind != RELATION_TABLE) {
        plan_add_theorem(p, "unit-local");
        plan_add_theorem(p, "join-order");
    }
    if (from_has(p->from, RELATION_UNITS))
        plan_add_theorem(p, "units-range");
    if (p->space.bounding == BOUND_NONE)
        return;
    plan_add_theorem(p, "unit-of-a-row");
    plan_add_theorem(p, "rank-of-own-rows");
    if (p->space.bounding == BOUND_RANK) {
        plan_add_theorem(p, "rank-bound");
        plan_add_theorem(p, "bounded-by-rank");
        return;
    }
    plan_add_theorem(p, "fold-bound");
    if (p->space.per_group > 0)
        plan_add_theorem(p, "group-bound");
    plan_add_theorem(p, p->space.bounding == BOUND_FOLD
                            ? "fold-bounds-units"
                            : "general-equals-fold");
    if (p->space.bounding == BOUND_FOLD && plan_has_bare_key(p, &p->space)) {
        plan_add_theorem(p, "place-of-a-value");
        plan_add_theorem(p, "place-equals-fold");
    }
}

/* Laplace noise of one step has the rho of every epsilon-DP release. */
static bool
rests_on_laplace_rho(const struct plan *p, const struct part *part)
{
    return !p->in_rho && !part->served && part->kind != PART_QUANTILES &&
           part->mech_kind == CUSTOS_LAPLACE && rat_cmp_i64(&part->l1, 1) != 0;
}

static custos_status
theorems_make(struct work *w)
{
    struct plan *p = w->plan;

    p->theorems =
        arena_take(w->a, 2 * p->n_parts + THEOREMS_FIXED, sizeof *p->theorems);
    if (!p->theorems)
        return work_no_memory(w);
    theorem_bounding(w);
    if (p->space.n_keys > 0)
        plan_add_theorem(p, "group-parallel");
    if (p->space.selection) {
        plan_add_theorem(p, "groups-chosen");
        plan_add_theorem(p,
                         custos_keys_report(p->space.selection->rule)->theorem);
        if (p->space.selection->least > 1)
            plan_add_theorem(p, "keys-floor");
    }
    for (size_t i = 0; i < p->n_parts; i++) {
        if (p->space.per_group > 0 && p->parts[i].kind != PART_QUANTILES &&
            p->parts[i].kind != PART_UNITS && !p->parts[i].running)
            plan_add_theorem(p, "part-rows-per-group");
        if (p->parts[i].kind == PART_SHARE)
            plan_add_theorem(p, "part-share");
        else if (p->parts[i].kind != PART_QUANTILES)
            plan_add_theorem(p, w->policy->adjacency == CUSTOS_CHANGE_ONE
                                    ? "part-change-one"
                                    : "part-add-remove");
        if (p->parts[i].kind == PART_SUM || p->parts[i].kind == PART_SHARE ||
            p->parts[i].kind == PART_QUANTILES)
            plan_add_theorem(p, "part-clamp");
        if (p->parts[i].kind == PART_DISTINCT)
            plan_add_theorem(p, "part-distinct");
        if (p->parts[i].kind == PART_QUANTILES)
            plan_add_theorem(p, "quantile-groups");
        if (p->parts[i].running)
            plan_add_theorem(p, "running-sums");
        if (p->parts[i].residual)
            plan_add_theorem(p, "residual-marginals");
        if (!p->parts[i].served)
            plan_add_theorem(p, p->parts[i].theorem);
        if (p->parts[i].kind == PART_QUANTILES && p->parts[i].quantiles->counts)
            plan_add_theorem(
                p, custos_mech_facts(p->parts[i].quantiles->counts)->theorem);
        if (p->parts[i].joint)
            plan_add_theorem(p, "plan-joint");
        if (rests_on_laplace_rho(p, &p->parts[i]))
            plan_add_theorem(p, "laplace-rho");
    }
    if (p->known_rows > 0)
        plan_add_theorem(p, "known-rows");
    if (marginals_are_residual(p) && !p->in_rho)
        plan_add_theorem(p, "rdp-to-approx");
    plan_add_theorem(p, "plan-charge");
    if (p->in_rho)
        plan_add_theorem(p, "price-in-rho");
    return CUSTOS_OK;
}

custos_status
remarks_make(struct work *w)
{
    struct plan *p = w->plan;
    custos_status st;

    p->remarks = arena_take(w->a, 3 * p->n_parts + 5, sizeof *p->remarks);
    if (!p->remarks)
        return work_no_memory(w);
    st = remark_bounding(w);
    if (!st)
        st = remark_selection(w);
    for (size_t i = 0; i < p->n_parts && !st; i++) {
        const struct part *part = &p->parts[i];

        if ((part->kind != PART_SUM && part->kind != PART_QUANTILES &&
             !share_clamps(part)) ||
            is_product(p, i))
            continue;
        st = remark_clamping(w, part);
        if (!st)
            st = remark_rounding(w, part);
        if (!st && part->kind == PART_QUANTILES)
            st = remark_extremes(w, part);
    }
    if (!st)
        st = remark_per_group(w);
    if (!st)
        st = remark_bars(w);
    if (!st)
        st = remark_tables(w);
    return st ? st : theorems_make(w);
}
