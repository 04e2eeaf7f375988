/*
 * Public domains: all values that an expression can take, found without data.
 *
 *   truth values              false, true
 *   over columns with values  the image of these values under the expression
 *   CASE, COALESCE            the values of their branches
 *   dates with a range        every day or period of the range
 *
 * Whole numbers with a range need no list (keys.c). For any other expression no
 * finite domain is known, so it cannot be a public key.
 */
#include "plan/part/domain.h"

#include <stdlib.h>
#include <string.h>

#include "base/ck.h"
#include "evaluate/date_cut.h"
#include "evaluate/evaluate.h"

#define HOUR_US ((i128)3600000000)

enum { CAPACITY_FIRST = 64 };

static int
by_value(const void *a, const void *b)
{
    return datum_cmp(a, b);
}

/* Makes room for one more value. */
static bool
make_room(struct domain *d)
{
    size_t capacity = d->capacity ? 4 * d->capacity : CAPACITY_FIRST;
    struct datum *values;

    if (d->n < d->capacity)
        return true;
    if (capacity > d->room)
        capacity = d->room;
    values = arena_take(d->a, capacity, sizeof *values);
    if (!values)
        return false;
    if (d->n > 0)
        memcpy(values, d->values, d->n * sizeof *values);
    d->values = values;
    d->capacity = capacity;
    return true;
}

/* A text is copied: the original lives only as long as the current tuple. */
static enum domain_result
add_value(struct domain *d, const struct datum *v)
{
    struct datum *to;

    if (v->type == TYPE_NULL) {
        d->null = true;
        return DOMAIN_FOUND;
    }
    if (d->n == d->room)
        return DOMAIN_LARGE;
    if (!make_room(d))
        return DOMAIN_NO_MEMORY;
    to = &d->values[d->n++];
    *to = *v;
    if (v->type == TYPE_TEXT && !(to->text.ptr = arena_copy(d->a, v->text)))
        return DOMAIN_NO_MEMORY;
    return DOMAIN_FOUND;
}

/* Steps of sorting: n log2 n. */
static uint64_t
sort_steps(const struct domain *d)
{
    uint64_t steps = d->n;

    for (size_t n = d->n; n > 1; n /= 2)
        steps += d->n;
    return steps;
}

static void
sort_values(struct domain *d)
{
    size_t kept = 0;

    if (d->n > 0)
        qsort(d->values, d->n, sizeof *d->values, by_value);
    for (size_t i = 0; i < d->n; i++)
        if (i == 0 || datum_cmp(&d->values[i], &d->values[kept - 1]) != 0)
            d->values[kept++] = d->values[i];
    d->n = kept;
}

/* ----------------------------------------------------------------- image -- */

enum { COLUMNS_MAX = 4, TUPLES_MAX = 1 << 16 };

/* Memory for the texts of one evaluation. */
enum { SCRATCH_BYTES = 1 << 24 };

/* A column of an expression, and its current value. */
struct place_of {
    const struct policy_column *column;
    int slot;
    size_t n, at; /* number of values, NULL last; index of the current one */
};

struct tuple {
    struct place_of of[COLUMNS_MAX];
    size_t n, all; /* columns, combinations */
};

static const struct datum truth[2] = {{.type = TYPE_BOOL, .n = 0},
                                      {.type = TYPE_BOOL, .n = 1}};

static size_t
count_values(const struct policy_column *c)
{
    return c->type == TYPE_BOOL ? COUNT_OF(truth) : c->n_values;
}

/* Finds the columns of e. False: a column without values, or too many columns
   or combinations. */
static bool
tuple_find(const struct domain *d, const struct expr *e, struct tuple *t)
{
    const struct policy_column *c;
    struct place_of *p;
    size_t i = 0;

    for (size_t k = 0; k < e->n_args; k++)
        if (e->args[k] && !tuple_find(d, e->args[k], t))
            return false;
    if (e->kind != EXPR_COLUMN)
        return true;
    while (i < t->n && t->of[i].slot != e->slot)
        i++;
    if (i < t->n)
        return true;
    c = &d->table->columns[e->slot];
    if (count_values(c) == 0 || t->n == COLUMNS_MAX)
        return false;
    p = &t->of[t->n++];
    *p = (struct place_of){.column = c,
                           .slot = e->slot,
                           .n = count_values(c) + (c->nullable ? 1 : 0)};
    t->all = p->n > TUPLES_MAX ? TUPLES_MAX + 1 : t->all * p->n;
    return t->all <= TUPLES_MAX;
}

static bool
tuple_leaf(void *ctx, const struct expr *e, struct value *out)
{
    const struct tuple *t = ctx;

    *out = (struct value){.datum = {.type = TYPE_NULL}};
    for (size_t i = 0; i < t->n; i++) {
        const struct place_of *p = &t->of[i];

        if (p->slot == e->slot && p->at < count_values(p->column))
            out->datum = p->column->type == TYPE_BOOL
                             ? truth[p->at]
                             : p->column->values[p->at];
    }
    return true;
}

/* May the engine compute a value other than evaluate()'s, or print it
   differently as a text? */
static bool
engine_may_differ(const struct expr *e)
{
    if (evaluate_rounds(e) ||
        (e->kind == EXPR_CAST && e->cast_to == TYPE_TEXT &&
         e->args[0]->type == TYPE_DECIMAL))
        return true;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && engine_may_differ(e->args[i]))
            return true;
    return false;
}

static size_t
count_nodes(const struct expr *e)
{
    size_t n = 1;

    for (size_t i = 0; i < e->n_args; i++)
        n += e->args[i] ? count_nodes(e->args[i]) : 0;
    return n;
}

/* Adds the value of e for every combination; intermediate texts live in
   scratch. */
static enum domain_result
evaluate_all(struct domain *d, const struct expr *e, struct tuple *t,
             arena *scratch)
{
    struct scope s = {
        .a = scratch, .effort = d->effort, .leaf = tuple_leaf, .ctx = t};
    enum domain_result found = DOMAIN_FOUND;

    for (size_t i = 0; i < t->all && found == DOMAIN_FOUND; i++) {
        size_t rest = i;
        struct value v;

        for (size_t k = 0; k < t->n; k++) {
            t->of[k].at = rest % t->of[k].n;
            rest /= t->of[k].n;
        }
        if (!evaluate(&s, e, &v)) {
            effort_end(d->effort, EFFORT_OUT_OF_BYTES);
            return DOMAIN_NO_MEMORY;
        }
        found = add_value(d, &v.datum);
        arena_reset(scratch);
    }
    return found;
}

/* Adds the values of e for all combinations of its columns' values; without
   columns there is one combination. */
static enum domain_result
add_image(struct domain *d, const struct expr *e)
{
    struct tuple t = {.all = 1};
    enum domain_result found;
    arena *scratch;

    if (!effort_take(d->effort, count_nodes(e)))
        return DOMAIN_NO_MEMORY;
    if (!evaluate_knows(e) || engine_may_differ(e) || !tuple_find(d, e, &t))
        return DOMAIN_NONE;
    scratch = arena_new(NULL, SCRATCH_BYTES);
    if (!scratch)
        return DOMAIN_NO_MEMORY;
    found = evaluate_all(d, e, &t, scratch);
    arena_free(scratch);
    return found;
}

/* ----------------------------------------------------------------- dates -- */

bool
domain_is_period(const struct expr *e)
{
    return e->kind == EXPR_CALL && date_period_hours(e->call) > 0;
}

/* The ratio of the longest period of a kind to the shortest, rounded up. */
enum { LONGEST_PERIOD = 2 };

/* Adds every period of the range. The loop advances by the length of the
   shortest period and ends exactly at the end of the range, so no period is
   missed. */
static enum domain_result
add_periods(struct domain *d, const struct expr *e)
{
    const struct fact *f = fact_of(e);
    enum call period = domain_is_period(e) ? e->call : CALL_TRUNC_DAY;
    i128 hours = date_period_hours(period);
    i128 step = e->type == TYPE_DATE ? (hours + 23) / 24 : hours * HOUR_US;
    i128 at = 0, last = 0;

    if (f->known != KNOWN_DECLARED ||
        (e->type == TYPE_TIMESTAMP && !domain_is_period(e)))
        return DOMAIN_NONE;
    CUSTOS_REQUIRE(rat_floor_i128(&f->lower, &at) &&
                   rat_floor_i128(&f->upper, &last));
    d->null = f->nullable;
    if (last - at >= (i128)d->room * step * LONGEST_PERIOD)
        return DOMAIN_LARGE;
    for (bool more = at <= last; more;) {
        struct datum v = {.type = e->type, .n = date_cut(period, e->type, at)};
        enum domain_result found = DOMAIN_FOUND;

        if (!effort_take(d->effort, EFFORT_PERIOD))
            return DOMAIN_NO_MEMORY;
        if (d->n == 0 || d->values[d->n - 1].n != v.n)
            found = add_value(d, &v);
        if (found != DOMAIN_FOUND)
            return found;
        more = at < last;
        at = last - at < step ? last : at + step;
    }
    return DOMAIN_FOUND;
}

/* --------------------------------------------------------------- choices -- */

static enum domain_result add_domain(struct domain *d, const struct expr *e);

static enum domain_result
add_results(struct domain *d, const struct expr *e)
{
    bool is_case = e->kind == EXPR_CASE;
    enum domain_result found = DOMAIN_FOUND;

    for (size_t i = 0; i < e->n_args && found == DOMAIN_FOUND; i++)
        if (e->args[i] && (!is_case || i % 2 == 1 || i + 1 == e->n_args))
            found = add_domain(d, e->args[i]);
    d->null = fact_of(e)->nullable;
    return found;
}

/* Adds the domain of e to d. */
static enum domain_result
add_domain(struct domain *d, const struct expr *e)
{
    enum domain_result found = add_image(d, e);

    if (found != DOMAIN_NONE)
        return found;
    if (e->kind == EXPR_CASE ||
        (e->kind == EXPR_CALL && e->call == CALL_COALESCE))
        return add_results(d, e);
    if (e->type == TYPE_BOOL) {
        struct datum v = {.type = TYPE_BOOL, .n = 0};

        d->null = d->null || fact_of(e)->nullable;
        found = add_value(d, &v);
        v.n = 1;
        return found == DOMAIN_FOUND ? add_value(d, &v) : found;
    }
    if (e->type == TYPE_DATE || e->type == TYPE_TIMESTAMP)
        return add_periods(d, e);
    return DOMAIN_NONE;
}

enum domain_result
domain_find(struct domain *d, const struct expr *e)
{
    enum domain_result found;

    if (e->type == TYPE_REAL) /* no keys of doubles: equality is not exact */
        return DOMAIN_NONE;
    found = add_domain(d, e);
    if (found != DOMAIN_FOUND)
        return found;
    if (!effort_take(d->effort, sort_steps(d)))
        return DOMAIN_NO_MEMORY;
    sort_values(d);
    return DOMAIN_FOUND;
}
