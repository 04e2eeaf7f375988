/*
 * Public domains: all values that an expression can take, found without data.
 *
 *   truth values            false, true
 *   one column with values  the image of its values under the expression
 *   CASE, COALESCE          what their results can be
 *   dates with a range      every day or period of it
 *
 * Whole numbers with a range need no list (keys.c). Where there is no finite
 * domain there is none: an expression over anything else has no public keys.
 */
#include "plan/domain.h"

#include <stdlib.h>

#include "base/ck.h"
#include "plan/evaluate.h"
#include "plan/range.h"

#define HOUR_US ((i128)3600000000)

static int
by_value(const void *a, const void *b)
{
    return datum_cmp(a, b);
}

static enum domain_found
add(struct domain *d, const struct datum *v)
{
    if (v->type == TYPE_NULL) {
        d->null = true;
        return DOMAIN_FOUND;
    }
    if (d->n == d->room)
        return DOMAIN_LARGE;
    d->values[d->n++] = *v;
    return DOMAIN_FOUND;
}

static void
sort(struct domain *d)
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

/* The one column below e: -1 none yet, -2 several. */
static int
only_column(const struct expr *e, int seen)
{
    if (e->kind == EXPR_COLUMN)
        return seen == -1 || seen == e->slot ? e->slot : -2;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i])
            seen = only_column(e->args[i], seen);
    return seen;
}

static bool
leaf(void *ctx, const struct expr *e, struct value *out)
{
    (void)e;
    *out = (struct value){.datum = *(const struct datum *)ctx};
    return true;
}

static enum domain_found
image_of(struct domain *d, const struct expr *e, const struct datum *values,
         size_t n)
{
    enum domain_found found = DOMAIN_FOUND;

    for (size_t i = 0; i < n && found == DOMAIN_FOUND; i++) {
        struct datum at = values[i];
        struct scope s = {.a = d->a, .leaf = leaf, .ctx = &at};
        struct value v;

        if (!evaluate(&s, e, &v))
            return DOMAIN_NO_MEMORY;
        found = add(d, &v.datum);
    }
    return found;
}

static enum domain_found
image(struct domain *d, const struct expr *e)
{
    const struct policy_column *c;
    struct datum null = {.type = TYPE_NULL};
    struct datum truth[2] = {{.type = TYPE_BOOL, .n = 0},
                             {.type = TYPE_BOOL, .n = 1}};
    enum domain_found found;
    int column = only_column(e, -1);

    if (!evaluate_knows(e) || column == -2)
        return DOMAIN_NONE;
    if (column == -1) /* a constant */
        return image_of(d, e, &null, 1);
    c = &d->table->columns[column];
    if (c->type == TYPE_BOOL)
        found = image_of(d, e, truth, 2);
    else if (c->n_values > 0)
        found = image_of(d, e, c->values, c->n_values);
    else
        return DOMAIN_NONE;
    if (found == DOMAIN_FOUND && c->nullable)
        found = image_of(d, e, &null, 1);
    return found;
}

/* ----------------------------------------------------------------- dates -- */

static bool
is_cut(const struct expr *e)
{
    return e->kind == EXPR_CALL && e->call >= CALL_TRUNC_YEAR &&
           e->call <= CALL_TRUNC_HOUR;
}

/* Every period of the range. Steps of a day, or an hour, meet all of them. */
static enum domain_found
calendar(struct domain *d, const struct expr *e)
{
    const struct fact *f = fact_of(e);
    enum call period = is_cut(e) ? e->call : CALL_TRUNC_DAY;
    i128 hours = period == CALL_TRUNC_HOUR ? 1 : 24;
    i128 step = e->type == TYPE_DATE ? 1 : hours * HOUR_US;
    i128 at = 0, last = 0;

    if (f->known != KNOWN_DECLARED || (e->type == TYPE_TIMESTAMP && !is_cut(e)))
        return DOMAIN_NONE;
    CUSTOS_REQUIRE(rat_floor_i128(&f->lower, &at) &&
                   rat_floor_i128(&f->upper, &last));
    d->null = f->nullable;
    for (; at <= last; at += step) {
        struct datum v = {.type = e->type, .n = date_cut(period, e->type, at)};

        if (d->n > 0 && d->values[d->n - 1].n == v.n)
            continue;
        if (add(d, &v) != DOMAIN_FOUND)
            return DOMAIN_LARGE;
    }
    return DOMAIN_FOUND;
}

/* --------------------------------------------------------------- choices -- */

static enum domain_found find(struct domain *d, const struct expr *e);

static enum domain_found
results(struct domain *d, const struct expr *e)
{
    bool is_case = e->kind == EXPR_CASE;
    enum domain_found found = DOMAIN_FOUND;

    for (size_t i = 0; i < e->n_args && found == DOMAIN_FOUND; i++)
        if (e->args[i] && (!is_case || i % 2 == 1 || i + 1 == e->n_args))
            found = find(d, e->args[i]);
    d->null = fact_of(e)->nullable;
    return found;
}

/* Adds the domain of e to d. */
static enum domain_found
find(struct domain *d, const struct expr *e)
{
    enum domain_found found = image(d, e);

    if (found != DOMAIN_NONE)
        return found;
    if (e->kind == EXPR_CASE ||
        (e->kind == EXPR_CALL && e->call == CALL_COALESCE))
        return results(d, e);
    if (e->type == TYPE_BOOL) {
        struct datum v = {.type = TYPE_BOOL, .n = 0};

        d->null = d->null || fact_of(e)->nullable;
        found = add(d, &v);
        v.n = 1;
        return found == DOMAIN_FOUND ? add(d, &v) : found;
    }
    if (e->type == TYPE_DATE || e->type == TYPE_TIMESTAMP)
        return calendar(d, e);
    return DOMAIN_NONE;
}

enum domain_found
domain_find(struct domain *d, const struct expr *e)
{
    enum domain_found found;

    if (e->type == TYPE_REAL) /* doubles are no keys: which would be equal? */
        return DOMAIN_NONE;
    found = find(d, e);
    if (found == DOMAIN_FOUND)
        sort(d);
    return found;
}
