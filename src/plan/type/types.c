/*
 * Types, bottom up, each node once. The planner's type of a node is the type of
 * its printed text. That nothing printed can fail is ensured by the printer
 * (total-expressions), not here. Ranges decide which whole numbers are `wide`,
 * so that these are not limited to 64 bits.
 *
 *   whole numbers   64 bits, 128 where the range needs it, never past 2^126
 *   decimals        become reals if they do not fit 37 digits; computed ones
 *                   are doubles in the engine
 *   division        of whole numbers truncates, any other is real; by 0: NULL
 *   dates           date - date is days; date + days is a date
 */
#include "num/rat_round.h"
#include "plan/type/range.h"
#include "plan/type/types.h"
#include "plan/work.h"
#include "sql/aggregates.h"

enum { SCALE_MAX = TYPES_SCALE_MAX, DIGITS_MAX = 37, WHOLE_BITS = 126 };

struct fact *
fact_new(struct work *w)
{
    struct fact *f = arena_take(w->a, 1, sizeof *f);

    if (!f)
        return NULL;
    rat_init(&f->lower);
    rat_init(&f->upper);
    f->next = w->plan->facts;
    w->plan->facts = f;
    return f;
}

void
facts_clear(struct fact *first)
{
    for (struct fact *f = first; f; f = f->next) {
        rat_clear(&f->lower);
        rat_clear(&f->upper);
    }
}

/* ---------------------------------------------------------------- width -- */

/* Does a decimal of this range and scale fit 37 digits? */
static bool
decimal_fits(const struct fact *f, int scale)
{
    struct grid limit = {10, scale - DIGITS_MAX};
    bool fits;
    rat most, x;

    if (f->known == KNOWN_NOTHING || scale > SCALE_MAX)
        return false;
    rat_init(&most);
    rat_init(&x);
    grid_step(limit, &most);
    rat_abs(&x, &f->lower);
    fits = rat_cmp(&x, &most) < 0;
    rat_abs(&x, &f->upper);
    fits = fits && rat_cmp(&x, &most) < 0;
    rat_clear(&most);
    rat_clear(&x);
    return fits;
}

bool
types_within_bits(const struct fact *f, long bits)
{
    bool fits;
    rat limit, x;

    rat_init(&limit);
    rat_init(&x);
    rat_set_pow2(&limit, bits);
    rat_sub(&x, &x, &limit);
    fits = rat_cmp(&f->lower, &x) >= 0;
    if (bits < WHOLE_BITS) { /* a type with so many bits ends at 2^bits - 1 */
        rat one;

        rat_init(&one);
        rat_set_i64(&one, 1, 1);
        rat_sub(&limit, &limit, &one);
        rat_clear(&one);
    }
    fits = fits && rat_cmp(&f->upper, &limit) <= 0;
    rat_clear(&limit);
    rat_clear(&x);
    return fits;
}

/*
 * Gives a number a type that holds its range, or refuses it. A DECIMAL of the
 * engine stays a DECIMAL here, whatever its scale: 38 digits hold every
 * literal.
 */
static custos_status
give_room(struct work *w, struct expr *e, enum context context)
{
    struct fact *f = fact_of(e);

    if (context == CONTEXT_AFTER)
        return CUSTOS_OK;
    if (e->type == TYPE_DECIMAL && !expr_is_exact(e) &&
        e->kind != EXPR_AGGREGATE && !decimal_fits(f, f->scale))
        e->type = TYPE_REAL;
    if (e->type != TYPE_INT)
        return CUSTOS_OK;
    CUSTOS_REQUIRE(f->known != KNOWN_NOTHING);
    e->wide = !types_within_bits(f, 63);
    if (!types_within_bits(f, WHOLE_BITS))
        return custos_fail_at(w->err, CUSTOS_EOVERFLOW, e->at,
                              "%s could exceed 2^126" HINT
                              "bound it by least(...), or ask the owner for a "
                              "narrower range of its columns",
                              work_text(w, e));
    CUSTOS_REQUIRE(rat_floor_i128(&f->lower, &e->whole_low) &&
                   rat_floor_i128(&f->upper, &e->whole_high));
    return CUSTOS_OK;
}

/* ------------------------------------------------------------------ all -- */

static custos_status
type_count(struct work *w, struct expr *e)
{
    (void)w;
    e->type = TYPE_INT;
    return CUSTOS_OK;
}

static bool
has_order(enum data_type t)
{
    return data_type_is_number(t) || t == TYPE_DATE || t == TYPE_TIMESTAMP;
}

/* A NULL literal is a whole number. */
static custos_status
settle_null(struct work *w, struct expr *x)
{
    return x->kind == EXPR_LITERAL && x->value.type == TYPE_NULL
               ? adapt_literal(w, x, TYPE_INT, 0)
               : CUSTOS_OK;
}

/* Gives an aggregate its type; a decimal keeps the scale of the value. */
static void
set_type(struct expr *e, enum data_type type)
{
    e->type = type;
    if (type == TYPE_DECIMAL && fact_of(e))
        fact_of(e)->scale = fact_of(e->args[0])->scale;
}

/* Only numbers are interpolated; a quantile of dates is one of the dates. */
static custos_status
type_quantile(struct work *w, struct expr *e)
{
    struct expr *x = e->args[0];
    bool between = aggregates[e->aggregate].between;
    custos_status st = settle_null(w, x);

    if (st)
        return st;
    if (!has_order(x->type) && (between || w->context != CONTEXT_PUBLIC))
        return custos_fail_at(
            w->err, CUSTOS_EUNSUPPORTED, x->at,
            "a quantile (median, percentile, min, max) takes numbers, dates or "
            "timestamps, but %s is of type %s",
            work_text(w, x), data_type_name(x->type));
    set_type(e, between && data_type_is_number(x->type) ? TYPE_REAL : x->type);
    return CUSTOS_OK;
}

static custos_status
want_number(struct work *w, struct expr *x)
{
    custos_status st = settle_null(w, x);

    if (!st && !data_type_is_number(x->type))
        st =
            custos_fail_at(w->err, CUSTOS_EINVAL, x->at,
                           "this aggregate takes numbers, but %s is of type %s",
                           work_text(w, x), data_type_name(x->type));
    return st;
}

static custos_status
type_sum(struct work *w, struct expr *e)
{
    custos_status st = want_number(w, e->args[0]);

    set_type(e, e->args[0]->type);
    return st;
}

/* The mean of a condition is the share of rows that fulfil it: its values are
   0 and 1, as CAST gives them. */
static custos_status
cast_condition(struct work *w, struct expr *e)
{
    struct expr *x = arena_take(w->a, 1, sizeof *x);

    if (!x)
        return work_no_memory(w);
    *x = (struct expr){.kind = EXPR_CAST,
                       .at = e->args[0]->at,
                       .cast_to = TYPE_INT,
                       .n_args = 1};
    x->args = arena_take(w->a, 1, sizeof(struct expr *));
    if (!x->args)
        return work_no_memory(w);
    x->args[0] = e->args[0];
    e->args[0] = x;
    return types_set(w, x, w->context);
}

static custos_status
type_mean(struct work *w, struct expr *e)
{
    e->type = TYPE_REAL;
    return want_number(w, e->args[0]);
}

static custos_status
type_pair(struct work *w, struct expr *e)
{
    custos_status st = want_number(w, e->args[0]);

    e->type = TYPE_REAL;
    return st ? st : want_number(w, e->args[1]);
}

static custos_status
type_avg(struct work *w, struct expr *e)
{
    custos_status st = CUSTOS_OK;

    if (e->args[0]->type == TYPE_BOOL)
        st = cast_condition(w, e);
    return st ? st : type_mean(w, e);
}

/* As in PostgreSQL, where the sum of counts is numeric. */
static custos_status
type_running(struct work *w, struct expr *e)
{
    e->type = TYPE_DECIMAL;
    if (w->context != CONTEXT_PUBLIC)
        return CUSTOS_OK;
    return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                          "there is no sum(count(*)) OVER of public tables" HINT
                          "ask for count(*)");
}

static const struct {
    custos_status (*type)(struct work *w, struct expr *e);
} aggregate_rules[N_AGGREGATES] = {
#define ROW(id, ...) [AGG_##id] = {__VA_ARGS__},
#define TYPES(rule) rule
#include "sql/aggregates.def"
};

custos_status
types_aggregate(struct work *w, struct expr *e)
{
    CUSTOS_REQUIRE(e->n_args > 0 || e->aggregate == AGG_COUNT_ROWS ||
                   e->aggregate == AGG_TOTAL_ROWS);
    return aggregate_rules[e->aggregate].type(w, e);
}

static void
type_key(struct work *w, struct expr *e)
{
    const struct expr *key = w->plan->space.keys[e->slot].expr;

    e->type = key->type;
    fact_of(e)->scale = fact_of(key)->scale;
}

/* x IN (SELECT y): x and y have one type, or both are numbers. */
static custos_status
type_in(struct work *w, struct expr *e)
{
    const struct policy_column *c =
        &w->plan->queries[e->slot]->as->columns[e->column];
    custos_status st = CUSTOS_OK;

    e->type = TYPE_BOOL;
    if (e->args[0]->kind == EXPR_LITERAL)
        st = adapt_literal(w, e->args[0], c->type, c->scale);
    e->wide = data_type_is_number(c->type) &&
              (c->type != TYPE_INT || e->args[0]->type != TYPE_INT);
    if (st || e->args[0]->type == c->type ||
        (data_type_is_number(e->args[0]->type) && data_type_is_number(c->type)))
        return st;
    return custos_fail_at(
        w->err, CUSTOS_EINVAL, e->at,
        "IN compares %s, which is of type %s, with values of type %s" HINT
        "write a CAST",
        work_text(w, e->args[0]), data_type_name(e->args[0]->type),
        data_type_name(c->type));
}

static custos_status
type_node(struct work *w, struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        e->type = e->value.type;
        fact_of(e)->scale = e->value.scale;
        return CUSTOS_OK;
    case EXPR_COLUMN: {
        const struct policy_column *c = &w->table->columns[e->slot];

        e->type = c->type;
        e->cast_scale = c->scale;
        fact_of(e)->scale = c->scale;
        return CUSTOS_OK;
    }
    case EXPR_CALL: return types_call(w, e);
    case EXPR_CASE: return types_case(w, e);
    case EXPR_IN: return types_comparison(w, e);
    case EXPR_CAST: return types_cast(w, e);
    case EXPR_AGGREGATE:
        return w->context == CONTEXT_PUBLIC ? types_aggregate(w, e) : CUSTOS_OK;
    case EXPR_INTERVAL: return CUSTOS_OK; /* outputs.c has typed them */
    case EXPR_GROUPING: e->type = TYPE_INT; return CUSTOS_OK;
    case EXPR_KEY: type_key(w, e); return CUSTOS_OK;
    case EXPR_IN_QUERY: return type_in(w, e);
    }
    return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                          "expression not allowed in this position");
}

/* Sums of whole numbers have 128 bits in the engine. */
static void
widen_sum(struct expr *e)
{
    struct fact *f = fact_of(e);

    rat_set_pow2(&f->upper, WHOLE_BITS - 1);
    rat_sub(&f->lower, &f->lower, &f->lower);
    rat_sub(&f->lower, &f->lower, &f->upper);
}

struct fact *
fact_copy(struct work *w, const struct expr *x)
{
    const struct fact *a = fact_of(x);
    struct fact *f = fact_new(w);

    if (!f)
        return NULL;
    f->nullable = a->nullable;
    f->known = a->known;
    f->floor = a->floor;
    f->ceiling = a->ceiling;
    f->scale = x->type == TYPE_DECIMAL ? a->scale : 0;
    f->loose = a->loose;
    rat_set(&f->lower, &a->lower);
    rat_set(&f->upper, &a->upper);
    return f;
}

/* Does the engine convert x, to a double or timestamp, when it computes e? */
static bool
is_converted(const struct expr *e, const struct expr *x)
{
    if (!x)
        return false;
    return expr_is_double(e)
               ? data_type_is_number(x->type) && !expr_is_double(x)
               : e->type == TYPE_TIMESTAMP && x->type == TYPE_DATE;
}

/*
 * The range of a call. Where the call computes doubles, exact arguments are
 * converted to doubles; where it computes timestamps, dates are converted. The
 * ends of their ranges are converted for this computation only.
 */
static custos_status
range_operation(struct work *w, struct expr *e)
{
    void **had = arena_take(w->a, e->n_args + 1, sizeof(void *));
    custos_status st = CUSTOS_OK;

    if (!had)
        return work_no_memory(w);
    for (size_t i = 0; i < e->n_args && !st; i++) {
        struct fact *f;

        if (!is_converted(e, e->args[i]))
            continue;
        f = fact_copy(w, e->args[i]);
        if (!f) {
            st = work_no_memory(w);
        } else {
            if (expr_is_double(e))
                range_as_double(f);
            else
                range_as_timestamp(f);
            had[i] = e->args[i]->fact;
            e->args[i]->fact = f;
        }
    }
    if (!st)
        range_call(e);
    for (size_t i = 0; i < e->n_args; i++)
        if (had[i])
            e->args[i]->fact = had[i];
    return st;
}

static custos_status
range_node(struct work *w, struct expr *e, enum context context)
{
    switch (e->kind) {
    case EXPR_LITERAL: range_literal(e); break;
    case EXPR_COLUMN:
        range_column(fact_of(e), &w->table->columns[e->slot]);
        if (context == CONTEXT_PUBLIC && fact_of(e)->known == KNOWN_DECLARED)
            range_of_type(fact_of(e), e->type); /* public rows: not clamped */
        break;
    case EXPR_CAST: range_cast(e); break;
    case EXPR_CALL:
    case EXPR_CASE:
    case EXPR_IN: return range_operation(w, e);
    case EXPR_AGGREGATE:
    case EXPR_INTERVAL:
    case EXPR_IN_QUERY:
    case EXPR_GROUPING:
    case EXPR_KEY:
        fact_of(e)->nullable = true;
        range_of_type(fact_of(e), e->type);
        if (e->kind == EXPR_AGGREGATE && e->type == TYPE_INT &&
            aggregates[e->aggregate].family != FAMILY_COUNT)
            widen_sum(e);
        break;
    }
    return CUSTOS_OK;
}

/*
 * When an engine moves a condition below the step that computes a column, it
 * inlines that column. If each of many nested subqueries names a column twice,
 * the inlined expression doubles with each. Such expressions are refused.
 */
static custos_status
count_nodes(struct work *w, struct expr *e)
{
    size_t nodes = 1;

    if (e->kind == EXPR_COLUMN && w->from && w->from->columns[e->slot].nodes)
        nodes = w->from->columns[e->slot].nodes;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && e->args[i]->fact)
            nodes += fact_of(e->args[i])->nodes;
    fact_of(e)->nodes = nodes;
    if (nodes <= SQL_NODES_MAX) /* the limit for a query text */
        return CUSTOS_OK;
    return custos_fail_at(w->err, CUSTOS_EUNSUPPORTED, e->at,
                          "expression too large: over %d nodes after "
                          "subqueries are inlined",
                          (int)SQL_NODES_MAX);
}

/* Takes steps for computing the range: the range of a product has long
   numbers. */
static custos_status
spend_range(struct work *w, const struct fact *f)
{
    enum { BITS_OF_A_STEP = 4 };

    return work_spend(w, (rat_size(&f->lower) + rat_size(&f->upper)) /
                             BITS_OF_A_STEP);
}

custos_status
types_set(struct work *w, struct expr *e, enum context context)
{
    struct fact *f = NULL;
    custos_status st = CUSTOS_OK;

    if (effort_take(w->options->effort, EFFORT_NODE))
        f = fact_new(w);
    if (!f)
        return work_no_memory(w);
    w->context = context;
    e->fact = f;
    e->wide = false;
    if (e->kind != EXPR_INTERVAL &&
        (e->kind != EXPR_AGGREGATE || context == CONTEXT_PUBLIC))
        for (size_t i = 0; i < e->n_args && !st; i++)
            if (e->args[i])
                st = types_set(w, e->args[i], context);
    if (!st)
        st = type_node(w, e);
    if (st)
        return st;
    st = range_node(w, e, context);
    if (!st)
        st = spend_range(w, f);
    if (!st && context != CONTEXT_AFTER)
        st = count_nodes(w, e);
    if (!st)
        st = give_room(w, e, context);
    if (st)
        return st;
    text_limit_set(w, e);
    bare_set(e, context);
    return CUSTOS_OK;
}

custos_status
types_truth(struct work *w, struct expr *e, enum context context,
            const char *what)
{
    custos_status st = types_set(w, e, context);

    if (!st && e->kind == EXPR_LITERAL && e->value.type == TYPE_NULL)
        st = adapt_literal(w, e, TYPE_BOOL, 0);
    if (!st && e->type != TYPE_BOOL)
        st = custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                            "%s takes a condition, but %s is of type %s", what,
                            work_text(w, e), data_type_name(e->type));
    return st;
}
