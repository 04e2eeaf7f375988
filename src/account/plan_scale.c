/* Copies of plans and mechanisms with scaled noise, and plans as text. */
#include "account/plan_scale.h"

#include <stdio.h>
#include <string.h>

#include "account/mechanism.h"
#include "base/alloc.h"
#include "base/error.h"
#include "num/batch.h"
#include "num/rat_round.h"

void
mechanism_scale(const struct mechanism *m, const rat *factor,
                struct mechanism *out)
{
    mechanism_init(out);
    out->kind = m->kind;
    out->adjacency = m->adjacency;
    out->values = m->values;
    out->count = m->count;
    rat_div(&out->epsilon, &m->epsilon, factor);
    rat_set(&out->delta, &m->delta);
    rat_mul(&out->sigma, &m->sigma, factor);
    rat_set(&out->sensitivity, &m->sensitivity);
    rat_set(&out->sensitivity_squared, &m->sensitivity_squared);
    rat_set(&out->sample, &m->sample);
}

custos_status
plan_scale(const struct custos_plan *plan, const rat *factor, uint64_t times,
           struct custos_plan *out)
{
    *out = (struct custos_plan){
        .alloc = plan->alloc, .adjacency = plan->adjacency, .room = plan->n};
    for (size_t i = 0; i < plan->n; i++)
        if (plan->items[i].count > ((uint64_t)1 << 63) / times)
            return CUSTOS_EOVERFLOW;
    out->items = alloc_take(&out->alloc, plan->n, sizeof *out->items);
    if (!out->items)
        return CUSTOS_ENOMEM;
    for (size_t i = 0; i < plan->n; i++) {
        mechanism_scale(&plan->items[i], factor, &out->items[i]);
        out->items[i].count *= times;
    }
    out->n = plan->n;
    return CUSTOS_OK;
}

void
plan_scale_clear(struct custos_plan *copy)
{
    for (size_t i = 0; i < copy->n; i++)
        mechanism_clear(&copy->items[i]);
    alloc_give(&copy->alloc, copy->items, copy->room, sizeof *copy->items);
    copy->items = NULL;
    copy->n = 0;
}

/* ----------------------------------------------------------------- text -- */

size_t
custos_plan_size(const custos_plan *plan)
{
    return plan ? plan->n : 0;
}

/* Appends ":key=number". */
static void
add_number(char text[CUSTOS_MECHANISM_MAX], const char *key, const rat *x,
           enum rat_direction direction)
{
    char number[RAT_DECIMAL_MAX];
    size_t len = strlen(text);

    rat_decimal(x, direction, number);
    snprintf(text + len, CUSTOS_MECHANISM_MAX - len, ":%s=%s", key, number);
}

static void
add_count(char text[CUSTOS_MECHANISM_MAX], const char *key, uint64_t n)
{
    size_t len = strlen(text);

    snprintf(text + len, CUSTOS_MECHANISM_MAX - len, ":%s=%llu", key,
             (unsigned long long)n);
}

/* Rounds x to the number that its text shows. */
static void
round_as_written(rat *x, enum rat_direction direction)
{
    char number[RAT_DECIMAL_MAX];
    custos_status st;

    rat_decimal(x, direction, number);
    st = rat_read(number, "number", x, NULL);
    CUSTOS_REQUIRE(!st);
}

void
plan_round(struct custos_plan *copy)
{
    for (size_t i = 0; i < copy->n; i++)
        if (mechanism_is_gaussian(&copy->items[i]))
            round_as_written(&copy->items[i].sigma, RAT_UP);
        else
            round_as_written(&copy->items[i].epsilon, RAT_DOWN);
}

static void
mechanism_write(const struct mechanism *m, char text[CUSTOS_MECHANISM_MAX])
{
    bool gaussian = mechanism_is_gaussian(m);

    snprintf(text, CUSTOS_MECHANISM_MAX, "%s", mechanism_name(m->kind));
    if (gaussian)
        add_number(text, "sigma", &m->sigma, RAT_UP);
    else
        add_number(text, "epsilon", &m->epsilon, RAT_DOWN);
    if (rat_sign(&m->delta) > 0)
        add_number(text, "delta", &m->delta, RAT_UP);
    if (gaussian && rat_sign(&m->sensitivity) == 0)
        add_number(text, "sensitivity-squared", &m->sensitivity_squared,
                   RAT_UP);
    else if ((gaussian || m->kind == MECHANISM_DISCRETE_LAPLACE) &&
             rat_cmp_i64(&m->sensitivity, 1) != 0)
        add_number(text, "sensitivity", &m->sensitivity, RAT_UP);
    if (m->kind == MECHANISM_RESPONSE && m->values != 2)
        add_count(text, "values", m->values);
    if (mechanism_is_sampled(m))
        add_number(text, "sample", &m->sample, RAT_UP);
    if (m->count != 1)
        add_count(text, "count", m->count);
}

custos_status
custos_plan_write(const custos_plan *plan, size_t i, const char *factor,
                  char text[CUSTOS_MECHANISM_MAX], custos_err *err)
{
    struct mechanism m;
    custos_status st;
    rat f;

    if (!plan || !text || i >= plan->n)
        return custos_fail(err, CUSTOS_EINVAL,
                           "the plan has no mechanism of this number");
    rat_init(&f);
    st = rat_read_positive(factor ? factor : "1", "factor", &f, err);
    if (!st) {
        mechanism_scale(&plan->items[i], &f, &m);
        mechanism_write(&m, text);
        mechanism_clear(&m);
    }
    rat_clear(&f);
    return st;
}
