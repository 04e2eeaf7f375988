/*
 * Will the answer be useful? The error to expect, and warnings where the noise
 * will hide what is asked for, from public facts alone.
 */
#ifndef PLAN_USEFUL_H
#define PLAN_USEFUL_H

#include "plan/plan.h"

/* The most warnings that a plan has. */
enum { USEFUL_WARNINGS_MAX = 8 };

/* Relative errors are fractions with this many decimals. */
enum { USEFUL_SCALE = 4 };

/* The error of an aggregate cannot be compared with anything public. */
#define USEFUL_UNKNOWN UINT64_MAX

struct useful {
    /* By aggregate of the plan: the least error to expect of an average group, in
       hundredths of a percent, or USEFUL_UNKNOWN. Of counts and sums it is
       relative to the largest value that an average group can have, of a mean
       to its range, of a quantile to the number of values. Of several tables,
       the largest of these. */
    uint64_t *relative;
    const char *
        *expected; /* the same in words, for each of the first tables; none
                              if nothing is known */
    size_t n_expected;
    const char **warnings; /* literals that no value equals, and what is
                              hopeless */
    size_t n_warnings;
};

/*
 * THEOREM  useful-is-free
 *   What is expected of an answer, and every warning about it, is a function of
 *   plan and policy. If there are at most n units, the values of all groups sum
 *   to at most n times what one unit contributes; so at least half of the groups
 *   have at most twice the value of an average group, and in these the relative
 *   error is at least half of what is stated.
 * SOURCE   doc/proofs/useful-is-free.md
 * NEEDS    the plan is a function of public facts (plan/plan.h); `n` of the
 *          policy is public.
 * GIVES    a forecast that may be shown above the charge.
 * FAILS    cannot: where the policy has no n, it says nothing.
 * TESTED   the_error_is_a_share_of_an_average_group
 *          a_useless_answer_is_announced
 *          many_groups_over_few_people_are_noise
 *          nothing_is_said_without_a_number_of_people
 */

/* Adds a sentence to a list, unless it is there already, and clears b. False
   without memory. */
CUSTOS_MUST_USE bool
useful_add(arena *a, struct buf *b, const char **list, size_t *n);

/*
 * THEOREM  literal-warnings-are-free
 *   The warnings about literals are a function of the query and the policy: a
 *   literal is compared with the values or the range that the policy declares
 *   for a column, never with the data.
 * SOURCE   doc/proofs/useful-is-free.md
 * NEEDS    the plan is a function of public facts (plan/plan.h); whoever may use
 *          a column may see its declared values. What the owner wrote in a view
 *          is not examined: its columns may be hidden from the analyst.
 * GIVES    warnings that may be shown above the charge.
 * FAILS    false without memory.
 * TESTED   a_literal_that_no_row_has_gets_its_nearest_value
 *          numbers_and_dates_outside_their_range
 *          literals_of_the_owner_are_not_examined
 */
CUSTOS_MUST_USE bool
plan_literals(arena *a, const struct plan *p, struct useful *out);

/* Fills *out, in a; false without memory. A plan that selects its bound from the
   data is judged by its smallest bound, at which there is least noise. */
CUSTOS_MUST_USE bool
plan_useful(arena *a, const struct plan *p, struct useful *out);

#endif
