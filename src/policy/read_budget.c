/*
 * Reads budgets: exact numbers, checked once here and kept as the owner wrote
 * them; and sets the defaults that follow from them.
 */
#include "account/filter.h"
#include "base/base.h"
#include "policy/amounts.h"
#include "policy/read.h"

static const char *const budget_keys[] = {"epsilon", "delta", "n",
                                          "force_delta"};
static const char *const query_keys[] = {
    "epsilon",       "max_epsilon",
    "min_epsilon",   "max_rho",
    "min_rho",       "delta",
    "max_groups",    "max_fanout",
    "max_unit_work", "max_planning_steps",
    "min_units",     "share_answers",
};

#define MAX_GROUPS ((uint64_t)1 << 20)
#define MAX_FANOUT ((uint64_t)1000)
#define MAX_UNIT_WORK ((uint64_t)1 << 27)
#define MAX_PLANNING_STEPS ((uint64_t)10 * 1000 * 1000)

enum amount_kind { POSITIVE, LEAST, DELTA };

/* How many queries of the least price a budget admits, by default. */
enum { QUERIES_MOST = 10000 };

/* A default that is a fraction of a longer amount could be too long for
   rat_read. */
enum { AMOUNT_BYTES_MAX = 40 };

/* An amount is at most 1e6 and at least the ledger's unit (1e-20, for delta
   1e-36), or 0 if its kind allows that. */
static bool
amount_in_range(const rat *x, enum amount_kind kind)
{
    bool good;
    rat least;

    if (kind != POSITIVE && rat_sign(x) == 0)
        return true;
    rat_init(&least);
    CUSTOS_REQUIRE(
        !rat_read(kind == DELTA ? "1e-36" : "1e-20", "least", &least, NULL));
    good = rat_cmp(x, &least) >= 0 && rat_cmp_i64(x, 1000000) <= 0;
    rat_clear(&least);
    return good;
}

static custos_status
read_number(const char *text, const char *key, enum amount_kind kind, rat *x)
{
    switch (kind) {
    case POSITIVE: return rat_read_positive(text, key, x, NULL);
    case DELTA: return rat_read_delta(text, key, x, NULL);
    case LEAST: break;
    }
    return rat_read(text, key, x, NULL);
}

/* Reads an exact number of this kind; if the node is NULL, *out is
   unchanged. */
static custos_status
read_amount(const struct reading *r, const struct node *n, const char *key,
            enum amount_kind kind, str *out)
{
    static const char *const wanted[] = {
        [POSITIVE] = "a number from 1e-20 to 1e6, such as 0.5 or 1/3",
        [LEAST] = "0, or a number from 1e-20 to 1e6, such as 1e-4",
        [DELTA] = "0, or a number from 1e-36 to below 1, such as 1e-6",
    };
    custos_status st;
    str text;
    rat x;

    if (!n)
        return CUSTOS_OK;
    st = node_text(r, n, key, &text);
    if (st)
        return st;
    rat_init(&x);
    st = read_number(text.ptr, key, kind, &x);
    if (!st && (text.len > AMOUNT_BYTES_MAX || !amount_in_range(&x, kind)))
        st = CUSTOS_ERANGE;
    rat_clear(&x);
    if (st)
        return reading_fail(r, n->line, "%s must be %s, not '%.*s'", key,
                            wanted[kind], SHOWN(text));
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

/* of / by, as exact text. */
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

/* A delta of 1/n or more would permit publishing one person's data outright. */
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
        return reading_fail(
            r, delta->line,
            "delta is 1/n or more: it would permit publishing somebody's data "
            "outright" HINT
            "give a smaller delta, or force_delta: true to keep it");
    return st;
}

static custos_status
read_budget(const struct reading *r, const struct node *root, struct policy *p)
{
    const struct node *map = node_find(root, "budget"), *n;
    custos_status st;

    if (!map)
        return reading_fail(r, root->line,
                            "there is no budget" HINT
                            "add budget: {epsilon: ..., delta: ...}");
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

/*
 * Sets the default least price, in both lanes of the budget's filter. The least
 * rho is 0 if there is no lane of rho (delta is 0), or if no filter can keep
 * the budget, which the ledger then refuses.
 */
static custos_status
set_least(const struct reading *r, struct policy *p)
{
    custos_status st = CUSTOS_OK;
    char text[AMOUNT_TEXT_MAX];
    struct filter f;
    amount rho = 0;

    if (!p->min_epsilon.ptr) {
        st = amount_part(r, p->budget.epsilon, QUERIES_MOST, &p->min_epsilon);
        if (!st && amounts_cmp(p->min_epsilon, p->max_epsilon) > 0)
            p->min_epsilon = p->max_epsilon;
    }
    if (st || p->min_rho.ptr)
        return st;
    if (!filter_of_promise(p->budget.epsilon.ptr, p->budget.delta.ptr, &f,
                           NULL) &&
        f.kind == CUSTOS_FILTER_BEST)
        rho = f.limit[1] / QUERIES_MOST + (f.limit[1] % QUERIES_MOST != 0);
    p->min_rho.len = amount_write(rho, AMOUNT_LOSS, text);
    p->min_rho.ptr = arena_copy(r->a, (str){text, p->min_rho.len});
    return p->min_rho.ptr ? CUSTOS_OK : reading_no_memory(r);
}

/* Sets the defaults of keys that the file does not have. */
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
    return st ? st : set_least(r, p);
}

/* Reads the least price, which must not be above the most that a query may
   cost. */
static custos_status
read_least(const struct reading *r, const struct node *map, struct policy *p)
{
    const struct node *n = node_find(map, "min_epsilon");
    str most = p->max_epsilon.ptr ? p->max_epsilon : p->budget.epsilon;
    custos_status st = read_amount(r, n, "min_epsilon", LEAST, &p->min_epsilon);

    if (!st && n && amounts_cmp(p->min_epsilon, most) > 0)
        return reading_fail(r, n->line,
                            "min_epsilon is above what one query may cost "
                            "(max_epsilon, or the budget)");
    if (st)
        return st;
    return read_amount(r, node_find(map, "min_rho"), "min_rho", LEAST,
                       &p->min_rho);
}

/* Reads the most that a price in rho may be; without it there is no such price.
   Only a budget with a delta has a sum of rho to count it in. */
static custos_status
read_max_rho(const struct reading *r, const struct node *map, struct policy *p)
{
    const struct node *n = node_find(map, "max_rho");
    custos_status st = n ? read_key_of_2(r, p, "max_rho", n->line) : CUSTOS_OK;

    if (!st)
        st = read_amount(r, n, "max_rho", POSITIVE, &p->max_rho);
    if (st || !n)
        return st;
    if (amounts_cmp(p->budget.delta, str_of("0")) == 0)
        return reading_fail(r, n->line,
                            "max_rho needs a budget with a delta: without one, "
                            "only epsilon is counted");
    if (p->min_rho.ptr && amounts_cmp(p->min_rho, p->max_rho) > 0)
        return reading_fail(r, n->line, "max_rho is below min_rho");
    return CUSTOS_OK;
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
    if (!st)
        st = read_least(r, map, p);
    if (!st)
        st = read_max_rho(r, map, p);
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
    n = node_find(map, "max_unit_work");
    if (!st && n)
        st = node_count(r, n, "max_unit_work", (uint64_t)1 << 16,
                        (uint64_t)1 << 62, &p->max_unit_work);
    n = node_find(map, "max_planning_steps");
    if (!st && n)
        st = node_count(r, n, "max_planning_steps", 1000000, (uint64_t)1 << 40,
                        &p->max_planning_steps);
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
    p->max_unit_work = MAX_UNIT_WORK;
    p->max_planning_steps = MAX_PLANNING_STEPS;
    p->min_units = 1;
    p->query_line = p->budget.line;
    if (!st && query)
        st = read_query(r, query, p);
    return st ? st : set_defaults(r, p);
}
