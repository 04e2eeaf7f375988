/*
 * What a plan costs a group of people: the noise is the same, but the group
 * moves values further than one person does.
 */
#include <string.h>

#include "account/group.h"
#include "account/plan_scale.h"
#include "base/alloc.h"
#include "base/error.h"
#include "num/batch.h"

enum { REACH_LOG2 = 20 }; /* the limit of mechanism_read */

/* Scales epsilon, and delta if there is one. */
static void
group_pure(struct mechanism *m, uint64_t size)
{
    if (rat_sign(&m->delta) > 0)
        group_delta_up(&m->epsilon, &m->delta, size, &m->delta);
    group_epsilon(&m->epsilon, size, &m->epsilon);
    if (m->kind == MECHANISM_RESPONSE || m->kind == MECHANISM_DISCRETE_LAPLACE)
        m->kind = MECHANISM_GENERIC;
}

/*
 * A group may move several numbers where one person moves one. The cost of
 * continuous noise does not depend on that; for the discrete Gaussian, only
 * the squared sensitivity remains valid.
 */
static void
group_gauss(struct mechanism *m, uint64_t size)
{
    if (m->kind == MECHANISM_DISCRETE_GAUSSIAN && size > 1)
        rat_set_i64(&m->sensitivity, 0, 1);
}

/*
 * THEOREM  group-plan
 *   If one unit moves a statistic by at most D, k units move it by at most
 *   k D. So additive noise protects the group as it protects one unit that
 *   moves the statistic by k D: Laplace noise gives k epsilon, Gaussian noise
 *   k D / sigma. The range of an exponential mechanism grows k-fold. Any other
 *   (epsilon, delta)-DP mechanism, discrete Laplace noise included, is covered
 *   by group-approx.
 * SOURCE   the triangle inequality; Dwork, Roth 2014, Theorem 2.2; Dong,
 *          Durfee, Rogers 2020, arXiv:1909.13830 (ranges add up from
 *          neighbour to neighbour); group-approx.
 * NEEDS    size >= 1; no sampling, because several of a group may be in one
 *          sample.
 * GIVES    a plan whose cost for one unit is the cost for the group.
 * FAILS    CUSTOS_ENOMEM; CUSTOS_EINVAL for a sampled mechanism; CUSTOS_ERANGE
 *          if a parameter leaves the range of mechanisms.
 * TESTED   group_of_a_plan_is_known, group_of_a_plan_beats_the_promise
 */
custos_status
mechanism_group(struct mechanism *m, uint64_t size, custos_err *err)
{
    long reach;
    rat x[2];

    if (mechanism_is_sampled(m))
        return custos_fail(err, CUSTOS_EINVAL,
                           "sample of %s is not priced for groups",
                           mechanism_name(m->kind));
    rats_init(x, 2);
    rat_set_u64(&x[0], size);
    rat_mul(&m->sensitivity, &m->sensitivity, &x[0]);
    rat_mul(&x[1], &x[0], &x[0]);
    rat_mul(&m->sensitivity_squared, &m->sensitivity_squared, &x[1]);
    if (mechanism_is_gaussian(m)) {
        group_gauss(m, size);
        rat_div(&x[1], &m->sensitivity_squared, &m->sigma);
        rat_div(&x[1], &x[1], &m->sigma);
    } else {
        group_pure(m, size);
        rat_set(&x[1], &m->epsilon);
    }
    reach = rat_log2_floor(&x[1]);
    rats_clear(x, 2);
    if (reach >= REACH_LOG2 || rat_cmp_i64(&m->delta, 1) >= 0)
        return custos_fail(err, CUSTOS_ERANGE,
                           "size is too large: %s does not protect the group",
                           mechanism_name(m->kind));
    return CUSTOS_OK;
}

custos_status
custos_plan_group(const custos_plan *plan, uint64_t size, custos_plan **out,
                  custos_err *err)
{
    struct custos_plan *copy;
    custos_status st;
    rat one;

    if (!plan || !out || size == 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           plan && out ? "size must be at least 1"
                                       : "an argument is missing");
    if (plan->n == 0)
        return custos_fail(err, CUSTOS_EINVAL, "the plan is empty");
    if (size > INT64_MAX)
        return custos_fail(err, CUSTOS_ERANGE, "size must be below 2^63");
    copy = alloc_take(&plan->alloc, 1, sizeof *copy);
    if (!copy)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    rat_init(&one);
    rat_set_i64(&one, 1, 1);
    st = plan_scale(plan, &one, 1, copy);
    rat_clear(&one);
    if (st)
        st = custos_fail(err, st, "out of memory");
    for (size_t i = 0; i < copy->n && !st; i++)
        st = mechanism_group(&copy->items[i], size, err);
    if (st)
        custos_plan_free(copy);
    else
        *out = copy;
    return st;
}
