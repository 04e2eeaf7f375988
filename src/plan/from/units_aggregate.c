/*
 * The ranges of aggregates per unit (units-range, from_units.c).
 */
#include "base/ck.h"
#include "num/batch.h"
#include "plan/from/from_units.h"
#include "plan/part/parts.h"
#include "plan/type/range.h"

enum { SUM_LOG2 = 118 };

/* A count per unit, from `least` on. */
static custos_status
count_column(const struct work *w, int least, struct policy_column *c)
{
    *c = (struct policy_column){
        .type = TYPE_INT,
        .has_range = true,
        .lower = {.type = TYPE_INT, .n = least},
        .upper = {.type = TYPE_INT, .n = (i128)w->table->rows_per_unit},
    };
    return CUSTOS_OK;
}

/* Sets the grid on which the values are added as whole numbers. */
static custos_status
set_value(struct work *w, const struct expr *e, const rat *lower,
          const rat *upper, struct part *value)
{
    i128 m = (i128)w->table->rows_per_unit, most;
    struct expr *x = e->args[0];

    *value = (struct part){
        .kind = PART_SUM, .of = x, .grid = grid_of_value(w, x, lower, upper)};
    if (!range_steps(lower, value->grid, &value->lower) ||
        !range_steps(upper, value->grid, &value->upper) ||
        !ck_mul_i128(value->lower, m, &most) || most < -((i128)1 << SUM_LOG2) ||
        !ck_mul_i128(value->upper, m, &most) || most > (i128)1 << SUM_LOG2)
        return custos_fail_at(w->err, CUSTOS_EOVERFLOW, e->at,
                              "the range of %s is too wide to be summed",
                              work_text(w, x));
    return CUSTOS_OK;
}

/*
 * The range of a sum of at most `rows` of these values, or of one value: its
 * ends in steps, and then as the doubles that the engine makes of them.
 */
static void
value_range(const struct expr *e, const struct part *value, uint64_t rows,
            struct fact *f)
{
    rat step, many;

    rat_init(&step);
    rat_init(&many);
    grid_step(value->grid, &step);
    rat_set_u64(&many, e->aggregate == AGG_SUM ? rows : 1);
    rat_set_i128(&f->lower, value->lower);
    rat_mul(&f->lower, &f->lower, &step);
    rat_set_i128(&f->upper, value->upper);
    rat_mul(&f->upper, &f->upper, &step);
    if (rat_sign(&f->lower) < 0)
        rat_mul(&f->lower, &f->lower, &many);
    if (rat_sign(&f->upper) > 0)
        rat_mul(&f->upper, &f->upper, &many);
    f->known = KNOWN_DECLARED;
    if (e->type == TYPE_REAL) /* a division rounds once more */
        range_slack(f);
    if (e->type != TYPE_INT)
        range_as_double(f);
    rat_clear(&step);
    rat_clear(&many);
}

/* A unit in the result has at least one row, but perhaps no value. */
static custos_status
units_rows(struct work *w, struct expr *e, struct part *value,
           struct policy_column *c)
{
    (void)e, (void)value;
    return count_column(w, 1, c);
}

static custos_status
units_values(struct work *w, struct expr *e, struct part *value,
             struct policy_column *c)
{
    (void)e, (void)value;
    return count_column(w, 0, c);
}

static custos_status
units_value(struct work *w, struct expr *e, struct part *value,
            struct policy_column *c)
{
    struct expr *x = e->args[0];
    struct fact *f = fact_new(w);
    custos_status st;

    if (!f)
        return work_no_memory(w);
    *c = (struct policy_column){.type = e->type, .nullable = true};
    if (e->type == TYPE_DECIMAL)
        f->scale = c->scale = fact_of(x)->scale;
    st = limits_find(w, e, &f->lower, &f->upper);
    if (!st)
        st = set_value(w, e, &f->lower, &f->upper, value);
    if (!st && data_type_is_number(x->type)) /* dates keep their range */
        value_range(e, value, w->table->rows_per_unit, f);
    c->has_range = !st && column_end(&f->lower, false, c) &&
                   column_end(&f->upper, true, c);
    return st;
}

static const struct {
    custos_status (*column)(struct work *w, struct expr *e, struct part *value,
                            struct policy_column *c); /* NULL: rejected */
} rules[N_AGGREGATES] = {
#define ROW(id, ...) [AGG_##id] = {__VA_ARGS__},
#define PER_UNIT(rule) rule
#include "sql/aggregates.def"
};

custos_status
units_aggregate(struct work *w, struct expr *e, struct part *value,
                struct policy_column *out)
{
    struct expr *x = e->n_args > 0 ? e->args[0] : NULL;
    const struct expr *inner = x ? expr_aggregate(x) : NULL;
    custos_status st = CUSTOS_OK;

    if (inner)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, inner->at,
                              "aggregates cannot be nested");
    if (e->epsilon.len > 0)
        return custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                              "an aggregate in a subquery has no noise and no "
                              "epsilon of its own");
    if (!rules[e->aggregate].column)
        return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                              "only count, sum, avg, min and max are supported "
                              "per unit in a subquery");
    if (x)
        st = types_set(w, x, CONTEXT_ROWS);
    if (!st && e->lower)
        st = types_set(w, e->lower, CONTEXT_ROWS);
    if (!st && e->upper)
        st = types_set(w, e->upper, CONTEXT_ROWS);
    if (!st)
        st = types_aggregate(w, e);
    return st ? st : rules[e->aggregate].column(w, e, value, out);
}
