/*
 * THEOREM  planning-is-bounded
 *   Whatever an analyst writes, planning it takes at most the policy's
 *   max_planning_steps steps and EFFORT_BYTES bytes of the arena. Whether it is
 *   refused for that reason is a function of query, policy and counts of public
 *   tables: the refusal reveals nothing about private data or other queries.
 * SOURCE   by construction: loops take their steps before each turn, and the
 *          steps of a mechanism are taken whether it is cached or made.
 * NEEDS    texts of at most SQL_TEXT_MAX bytes and SQL_NODES_MAX nodes.
 * GIVES    a refusal that names what to make smaller; a cancelled plan ends
 *          within EFFORT_WATCH steps after the piece of work under way, such as
 *          the calibration of one mechanism.
 * FAILS    CUSTOS_EOVERFLOW; CUSTOS_EENGINE after a stop.
 * TESTED   expensive_plans_are_refused ordinary_plans_are_far_from_the_limit
 *          the_verdict_does_not_depend_on_the_cache
 *          a_stop_ends_planning
 */
#include "evaluate/effort.h"

#include "base/error.h"

void
effort_end(struct effort *e, enum effort_state why)
{
    if (e && e->state == EFFORT_GOES_ON)
        e->state = why;
    if (e)
        e->remaining = 0;
}

bool
effort_look(struct effort *e, uint64_t steps)
{
    e->unwatched = 0;
    if (e->stop && atomic_load_explicit(e->stop, memory_order_relaxed) != 0)
        effort_end(e, EFFORT_STOPPED);
    if (e->state == EFFORT_GOES_ON && steps > e->remaining)
        effort_end(e, EFFORT_OUT_OF_STEPS);
    if (e->state != EFFORT_GOES_ON)
        return false;
    e->remaining -= steps;
    return true;
}

custos_status
effort_spend(struct effort *e, uint64_t steps, custos_err *err)
{
    if (effort_take(e, steps))
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

custos_status
effort_refuse(const struct effort *e, custos_err *err)
{
    if (e->state == EFFORT_STOPPED)
        return custos_fail(err, CUSTOS_EENGINE,
                           "the query was cancelled before it was planned");
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "planning this query takes too %s" HINT
                       "group by fewer or coarser keys, ask for fewer "
                       "aggregates, or write fewer expressions and conditions",
                       e->state == EFFORT_OUT_OF_BYTES ? "much memory"
                                                       : "many steps");
}
