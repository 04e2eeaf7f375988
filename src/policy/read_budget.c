/*
 * Budgets: exact numbers that stay the owner's text, checked once here; and
 * the defaults that follow from them.
 */
#include "base/base.h"
#include "policy/amounts.h"
#include "policy/read.h"

static const char *const budget_keys[] = {"epsilon", "delta", "n",
                                          "force_delta"};
static const char *const query_keys[] = {
    "epsilon",    "max_epsilon", "delta",         "max_groups",
    "max_fanout", "min_units",   "share_answers",
};

#define MAX_GROUPS ((uint64_t)1 << 20)
#define MAX_FANOUT ((uint64_t)1000)

enum amount_kind { POSITIVE, DELTA };

/* Longer ones have parts (a tenth, a thousandth) that rat_read refuses. */
enum { AMOUNT_BYTES_MAX = 40 };

/* The ledger counts epsilon in 1e-20 and delta in 1e-36. */
static bool
amount_in_range(const rat *x, enum amount_kind kind)
{
    bool good;
    rat least;

    if (kind == DELTA && rat_sign(x) == 0)
        return true;
    rat_init(&least);
    CUSTOS_REQUIRE(
        !rat_read(kind == POSITIVE ? "1e-20" : "1e-36", "least", &least, NULL));
    good = rat_cmp(x, &least) >= 0 && rat_cmp_i64(x, 1000000) <= 0;
    rat_clear(&least);
    return good;
}

/* An exact number of its kind; NULL leaves *out as it is. */
static custos_status
read_amount(const struct reading *r, const struct node *n, const char *key,
            enum amount_kind kind, str *out)
{
    custos_status st;
    str text;
    rat x;

    if (!n)
        return CUSTOS_OK;
    st = node_text(r, n, key, &text);
    if (st)
        return st;
    rat_init(&x);
    st = kind == POSITIVE ? rat_read_positive(text.ptr, key, &x, NULL)
                          : rat_read_delta(text.ptr, key, &x, NULL);
    if (!st && (text.len > AMOUNT_BYTES_MAX || !amount_in_range(&x, kind)))
        st = CUSTOS_ERANGE;
    rat_clear(&x);
    if (st)
        return reading_fail(r, n->line, "%s must be %s, not '%.*s'", key,
                            kind == POSITIVE
                                ? "a number from 1e-20 to 1e6, such as 0.5 or "
                                  "1/3"
                                : "0, or a number from 1e-36 to below 1, such "
                                  "as 1e-6",
                            SHOWN(text));
    *out = text;
    return CUSTOS_OK;
}

custos_status
read_amounts(const struct reading *r, const struct node *map, const char *what,
             str no_delta, struct policy_budget *out)
{
    const struct node *epsilon = node_find(map, "epsilon");
    const struct node *delta = node_find(map, "delta");
    custos_status st;

    if (!epsilon)
        return reading_fail(r, map->line, "%s has no epsilon", what);
    out->line = epsilon->line;
    out->delta = no_delta;
    st = read_amount(r, epsilon, "epsilon", POSITIVE, &out->epsilon);
    if (!st)
        st = read_amount(r, delta, "delta", DELTA, &out->delta);
    return st;
}

/* of / by, as text. */
static custos_status
amount_part(const struct reading *r, str of, uint64_t by, str *out)
{
    struct buf text;
    rat x, divisor;

    buf_init(&text, NULL, 1024);
    rat_init(&x);
    rat_init(&divisor);
    amounts_add(&x, of);
    rat_set_i64(&divisor, (int64_t)by, 1);
    rat_div(&x, &x, &divisor);
    rat_write(&x, &text);
    *out = (str){NULL, text.len};
    if (!text.failed)
        out->ptr = arena_copy(r->a, (str){buf_text(&text), text.len});
    rat_clear(&x);
    rat_clear(&divisor);
    buf_clear(&text);
    return out->ptr ? CUSTOS_OK : reading_no_memory(r);
}

/* delta >= 1/n lets through the release that publishes somebody outright. */
static custos_status
check_delta(const struct reading *r, const struct node *map, struct policy *p)
{
    const struct node *delta = node_find(map, "delta");
    str least = {NULL, 0};
    custos_status st;

    if (!p->has_people || p->delta_forced || !delta)
        return CUSTOS_OK;
    st = amount_part(r, str_of("1"), p->people, &least);
    if (!st && amounts_cmp(p->budget.delta, least) >= 0)
        return reading_fail(r, delta->line,
                            "delta is 1/n or more: it would permit publishing "
                            "somebody's data outright (force_delta: true keeps "
                            "it all the same)");
    return st;
}

static custos_status
read_budget(const struct reading *r, const struct node *root, struct policy *p)
{
    const struct node *map = node_find(root, "budget"), *n;
    custos_status st;

    if (!map)
        return reading_fail(r, root->line,
                            "there is no budget: say budget: {epsilon: ..., "
                            "delta: ...}");
    st = node_is_map(r, map, "budget", budget_keys, COUNT_OF(budget_keys));
    if (!st)
        st = read_amounts(r, map, "budget", str_of("0"), &p->budget);
    n = node_find(map, "n");
    p->has_people = n != NULL;
    if (!st && n)
        st = node_count(r, n, "n", 1, (uint64_t)1 << 40, &p->people);
    n = node_find(map, "force_delta");
    if (!st && n)
        st = node_flag(r, n, "force_delta", &p->delta_forced);
    return st ? st : check_delta(r, map, p);
}

/* What the file left out. */
static custos_status
set_defaults(const struct reading *r, struct policy *p)
{
    custos_status st = CUSTOS_OK;

    if (!p->max_epsilon.ptr)
        p->max_epsilon = p->budget.epsilon;
    if (!p->default_epsilon.ptr) {
        st = amount_part(r, p->budget.epsilon, 10, &p->default_epsilon);
        if (!st && amounts_cmp(p->default_epsilon, p->max_epsilon) > 0)
            p->default_epsilon = p->max_epsilon;
    }
    if (!st && !p->query_delta.ptr)
        st = amount_part(r, p->budget.delta, 1000, &p->query_delta);
    return st;
}

static custos_status
read_query(const struct reading *r, const struct node *map, struct policy *p)
{
    const struct node *n;
    custos_status st =
        node_is_map(r, map, "query", query_keys, COUNT_OF(query_keys));

    p->query_line = map->key_line;
    if (!st)
        st = read_amount(r, node_find(map, "epsilon"), "epsilon", POSITIVE,
                         &p->default_epsilon);
    if (!st)
        st = read_amount(r, node_find(map, "max_epsilon"), "max_epsilon",
                         POSITIVE, &p->max_epsilon);
    n = node_find(map, "delta");
    if (!st)
        st = read_amount(r, n, "delta", DELTA, &p->query_delta);
    if (!st && n && amounts_cmp(p->query_delta, p->budget.delta) > 0)
        return reading_fail(r, n->line,
                            "the delta of a query is above the budget's");
    n = node_find(map, "max_groups");
    if (!st && n)
        st = node_count(r, n, "max_groups", 1, (uint64_t)1 << 26,
                        &p->max_groups);
    n = node_find(map, "max_fanout");
    if (!st && n)
        st = node_count(r, n, "max_fanout", 1, (uint64_t)1 << 40,
                        &p->max_fanout);
    n = node_find(map, "min_units");
    if (!st && n)
        st = node_count(r, n, "min_units", 1, (uint64_t)1 << 40, &p->min_units);
    n = node_find(map, "share_answers");
    if (!st && n)
        st = node_flag(r, n, "share_answers", &p->share_answers);
    return st;
}

custos_status
read_budgets(const struct reading *r, const struct node *root, struct policy *p)
{
    const struct node *query = node_find(root, "query");
    custos_status st = read_budget(r, root, p);

    p->max_groups = MAX_GROUPS;
    p->max_fanout = MAX_FANOUT;
    p->min_units = 1;
    p->query_line = p->budget.line;
    if (!st && query)
        st = read_query(r, query, p);
    return st ? st : set_defaults(r, p);
}
