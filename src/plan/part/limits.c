/*
 * Limits of a summed value: the public range of the expression, cut to the
 * bounds that the query states, or a range that is found from the data. If
 * there is neither, there is no sensitivity, and the query is refused with a
 * hint.
 */
#include "plan/part/parts.h"
#include "plan/part/range_selection.h"
#include "sql/aggregates.h"

static custos_status
read_bound(struct work *w, const struct expr *e, rat *r)
{
    const struct fact *f = fact_of(e);

    if (!data_type_is_number(e->type) || f->nullable ||
        f->known != KNOWN_DECLARED || rat_cmp(&f->lower, &f->upper) != 0)
        return custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                              "contribution bounds are two numbers, as in "
                              "(0, 100)");
    rat_set(r, &f->lower);
    return CUSTOS_OK;
}

static const char *
aggregate_name(enum aggregate a)
{
    return aggregates[a].family == FAMILY_VARIANCE ? "variance"
                                                   : aggregates[a].names[0];
}

static custos_status
no_range(struct work *w, const struct expr *aggregate)
{
    const struct expr *x = aggregate->args[0];
    const struct expr *loose = fact_of(x)->loose ? fact_of(x)->loose : x;

    if (loose->type == TYPE_TEXT) /* no range can be declared */
        loose = x;
    if (!data_type_is_number(x->type) || /* stated limits are numbers */
        aggregate_is_pair(aggregate->aggregate))
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, aggregate->at,
                              "%s has no public range" HINT
                              "ask the owner to declare one",
                              work_text(w, x));
    if (loose->kind == EXPR_COLUMN)
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, aggregate->at,
            "%.*s has no public range" HINT
            "ask the owner to declare one, or state limits: %s(..., "
            "contribution_bounds_per_row => (low, high))",
            SHOWN(loose->name), aggregate_name(aggregate->aggregate));
    return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, loose->at,
                          "%s has no finite range" HINT
                          "state limits in the aggregate: "
                          "contribution_bounds_per_row => (low, high)",
                          work_text(w, loose));
}

static custos_status
limits_cut(struct work *w, const struct expr *e, rat *lower, rat *upper)
{
    const struct fact *f = fact_of(e->args[0]);
    custos_status st;
    rat low, high;

    rat_init(&low);
    rat_init(&high);
    st = read_bound(w, e->lower, &low);
    if (!st)
        st = read_bound(w, e->upper, &high);
    if (!st && rat_cmp(&low, &high) > 0)
        st = custos_fail_at(w->err, CUSTOS_EINVAL, e->lower->at,
                            "the lower contribution bound is above the upper");
    if (!st) {
        rat_set(lower, f->known == KNOWN_DECLARED ? &f->lower : &low);
        rat_set(upper, f->known == KNOWN_DECLARED ? &f->upper : &high);
        rat_clamp(lower, &low, &high);
        rat_clamp(upper, &low, &high);
    }
    rat_clear(&low);
    rat_clear(&high);
    return st;
}

custos_status
limits_find(struct work *w, const struct expr *aggregate, rat *lower,
            rat *upper)
{
    const struct fact *f = fact_of(aggregate->args[0]);

    if (aggregate->lower && aggregate->upper)
        return limits_cut(w, aggregate, lower, upper);
    if (range_is_found(w, aggregate)) {
        rat_set(lower, &w->range_lower);
        rat_set(upper, &w->range_upper);
        return CUSTOS_OK;
    }
    if (f->known != KNOWN_DECLARED)
        return no_range(w, aggregate);
    rat_set(lower, &f->lower);
    rat_set(upper, &f->upper);
    return CUSTOS_OK;
}
