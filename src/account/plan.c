/*
 * The plan's list, and the table of theorems behind custos_plan_epsilon.
 */
#include "account/plan.h"

#include <string.h>

#include "account/compose.h"
#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "base/sized.h"
#include "num/rat_round.h"

enum { ROOM_FIRST = 8 };

custos_status
custos_plan_new(const custos_alloc *alloc, custos_adjacency adjacency,
                custos_plan **out, custos_err *err)
{
    custos_alloc hooks = alloc_or_default(alloc);
    custos_plan *plan;

    if (!out)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    if (adjacency != CUSTOS_ADD_REMOVE && adjacency != CUSTOS_CHANGE_ONE)
        return custos_fail(err, CUSTOS_EINVAL,
                           "adjacency must be add/remove or change-one");
    plan = alloc_take(&hooks, 1, sizeof *plan);
    if (!plan)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    plan->alloc = hooks;
    plan->adjacency = adjacency;
    *out = plan;
    return CUSTOS_OK;
}

void
custos_plan_free(custos_plan *plan)
{
    custos_alloc hooks;

    if (!plan)
        return;
    hooks = plan->alloc;
    for (size_t i = 0; i < plan->n; i++)
        mechanism_clear(&plan->items[i]);
    alloc_give(&hooks, plan->items, plan->room, sizeof *plan->items);
    alloc_give(&hooks, plan, 1, sizeof *plan);
}

/*
 * Makes room for one more item. Items may be moved as bytes: they hold no
 * pointers into themselves.
 */
static bool
plan_grow(custos_plan *plan)
{
    size_t room = ROOM_FIRST;
    struct mechanism *more;

    if (plan->n < plan->room)
        return true;
    if (plan->room > 0 && !ck_mul_size(plan->room, 2, &room))
        return false; /* UNREACHABLE: memory runs out first */
    more = alloc_take(&plan->alloc, room, sizeof *more);
    if (!more)
        return false;
    if (plan->n > 0)
        memcpy(more, plan->items, plan->n * sizeof *more);
    alloc_give(&plan->alloc, plan->items, plan->room, sizeof *more);
    plan->items = more;
    plan->room = room;
    return true;
}

custos_status
custos_plan_add(custos_plan *plan, const char *mechanism, custos_err *err)
{
    struct mechanism m;
    custos_status st;

    if (!plan)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    mechanism_init(&m);
    st = mechanism_read(mechanism, plan->adjacency, &m, err);
    if (!st && !plan_grow(plan))
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (st)
        mechanism_clear(&m);
    else
        plan->items[plan->n++] = m;
    return st;
}

static const struct {
    compose_theorem *apply;
    const char *theorem, *source;
} THEOREMS[] = {
    [CUSTOS_BY_BASIC] = {compose_basic, "compose-basic",
                         "Dwork, Roth 2014, theorem 3.16"},
    [CUSTOS_BY_PARALLEL] = {compose_parallel, "compose-parallel",
                            "McSherry 2009, theorem 4"},
    [CUSTOS_BY_ADVANCED] = {compose_advanced, "compose-advanced",
                            "Dwork, Rothblum, Vadhan 2010, theorem III.3"},
    [CUSTOS_BY_OPTIMAL] = {compose_optimal, "compose-optimal",
                           "Kairouz, Oh, Viswanath 2015, theorem 3.3"},
    [CUSTOS_BY_ZCDP] = {compose_zcdp, "compose-zcdp",
                        "Bun, Steinke 2016; Canonne, Kamath, Steinke 2020"},
    [CUSTOS_BY_RDP] = {compose_rdp, "compose-rdp",
                       "Mironov 2017; Canonne, Kamath, Steinke 2020"},
    [CUSTOS_BY_GDP] = {compose_gdp, "compose-gdp",
                       "Dong, Roth, Su 2019, corollary 3.3"},
    [CUSTOS_BY_PARALLEL_CHANGE] = {compose_parallel_change,
                                   "compose-parallel-change",
                                   "after McSherry 2009, theorem 4"},
};

custos_status
custos_plan_epsilon(const custos_plan *plan, custos_theorem theorem,
                    const char *delta, custos_bound *out, custos_err *err)
{
    custos_bound made = CUSTOS_BOUND_INIT;
    custos_status st = result_check(out, err);
    rat d, epsilon;

    if (st)
        return st;
    if (!plan)
        return custos_fail(err, CUSTOS_EINVAL, "an argument is missing");
    if (theorem < CUSTOS_BY_BASIC || theorem > CUSTOS_BY_PARALLEL_CHANGE)
        return custos_fail(err, CUSTOS_EINVAL, "unknown theorem");
    if (plan->n == 0)
        return custos_fail(err, CUSTOS_EINVAL, "the plan has no mechanism");
    rat_init(&d);
    rat_init(&epsilon);
    st = rat_read_delta(delta, "delta", &d, err);
    if (!st) {
        made.reason = THEOREMS[theorem].apply(plan, &d, &epsilon);
        made.theorem = THEOREMS[theorem].theorem;
        made.source = THEOREMS[theorem].source;
        if (!made.reason)
            rat_decimal(&epsilon, RAT_UP, made.value);
        result_write(out, &made, sizeof made);
    }
    rat_clear(&d);
    rat_clear(&epsilon);
    return st;
}
