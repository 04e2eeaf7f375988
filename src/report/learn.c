/*
 * THEOREM  learn-law
 *   A count with discrete Laplace noise of scale 1/eps is c + k with
 *   probability tanh(eps/2) exp(-eps |k|); with and without one person the
 *   count differs by at most 1, and the two laws by a factor of at most e^eps.
 * SOURCE   Ghosh, Roughgarden, Sundararajan 2012, arXiv:0811.2841 (the
 *          geometric mechanism).
 * NEEDS    0.01 <= eps <= 10.
 * GIVES    these probabilities in 17 digits, rounded down. The answers that are
 *          shown reach from the smaller exact count minus h to the larger plus
 *          h, where h is the half width at 99.9 %, but at least 4; at most 0.001
 *          of either law lies outside them.
 * FAILS    if epsilon is not such a number.
 * TESTED   learn_is_the_law_that_is_drawn learn_grid_misses_little
 *          learn_refuses_what_is_no_epsilon
 */
#include "report/learn.h"

#include <stdio.h>

#include "base/base.h"
#include "base/error.h"
#include "mech/interval.h"
#include "num/batch.h"
#include "num/rat_round.h"

const char learn_question[] = "How many of them smoke?";

const struct learn_person learn_people[LEARN_PEOPLE] = {
    {"Ada", true},  {"Boris", false},  {"Chen", true},  {"Dalia", false},
    {"Emil", true}, {"Fatima", false}, {"Goran", true}, {"Hana", false},
    {"Ivo", false}, {"Jamila", true},  {"Kofi", true},  {"Lena", false},
};

const struct learn_person *const learn_one = &learn_people[0];

enum { HALF_LEAST = 4 };

static custos_status
epsilon_read(const char *text, rat *out, custos_err *err)
{
    custos_status st = rat_read(text, "epsilon", out, err);
    rat least;

    if (st)
        return st;
    rat_init(&least);
    rat_set_i64(&least, 1, 100);
    if (rat_cmp(out, &least) < 0 || rat_cmp_i64(out, 10) > 0)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "epsilon must lie between 0.01 and 10 here, not %.40s",
                         text);
    rat_clear(&least);
    return st;
}

/* The half width that the noise exceeds with probability at most `beta`. */
static custos_status
half_width(const custos_noise *noise, const char *beta, int *out,
           custos_err *err)
{
    int64_t half = 0;
    custos_status st = custos_noise_error_i64(noise, beta, 1, &half, err);

    if (!st)
        *out = (int)half;
    return st;
}

static custos_status
compute_widths(struct learn *l, const rat *epsilon, custos_err *err)
{
    char scale[RAT_DECIMAL_MAX];
    custos_noise *noise = NULL;
    custos_status st;
    rat r;

    rat_init(&r);
    rat_set_i64(&r, 1, 1);
    rat_div(&r, &r, epsilon);
    rat_decimal(&r, RAT_UP, scale); /* the rounding is too small to change
                                       the half widths */
    rat_clear(&r);
    st = custos_noise_new(NULL, CUSTOS_DISCRETE_LAPLACE, scale, &noise, err);
    if (!st)
        st = half_width(noise, "0.05", &l->within, err);
    if (!st)
        st = half_width(noise, "0.001", &l->half, err);
    custos_noise_free(noise);
    if (!st && l->half < HALF_LEAST)
        l->half = HALF_LEAST;
    CUSTOS_REQUIRE(st || l->half <= LEARN_HALF_MAX);
    return st;
}

static void
compute_law(struct learn *l, const rat *epsilon)
{
    struct laplace_law noise;
    rat r;

    rat_init(&r);
    laplace_law_init(&noise, epsilon);
    for (int k = 0; k < l->half + 2; k++) {
        ival_down(&noise.chance, &r);
        rat_decimal(&r, RAT_DOWN, l->chance[k]);
        laplace_law_next(&noise);
    }
    laplace_law_clear(&noise);
    rat_clear(&r);
}

static custos_status
compute_risk(struct learn *l, custos_err *err)
{
    custos_risk *risk = NULL;
    custos_status st =
        risk_of_promise(l->epsilon, NULL, &risk, l->epsilon, l->delta, err);

    l->risk = (struct risk_told){.epsilon = l->epsilon, .delta = l->delta};
    if (!st)
        st = risk_report(risk, &l->risk, err);
    custos_risk_free(risk);
    return st;
}

custos_status
learn_make(struct learn *l, const char *epsilon, custos_err *err)
{
    custos_status st;
    rat e;

    rat_init(&e);
    l->with = 0;
    for (size_t i = 0; i < LEARN_PEOPLE; i++)
        l->with += learn_people[i].answer;
    l->without = l->with - learn_one->answer;
    st = epsilon_read(epsilon, &e, err);
    if (!st) {
        /* Use epsilon exactly as it is shown, after rounding. */
        rat_decimal(&e, RAT_UP, l->epsilon);
        CUSTOS_REQUIRE(!rat_read(l->epsilon, "epsilon", &e, NULL));
        st = compute_widths(l, &e, err);
    }
    if (!st) {
        compute_law(l, &e);
        st = compute_risk(l, err);
    }
    rat_clear(&e);
    return st;
}
