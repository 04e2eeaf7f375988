/*
 * Differencing: two counts that differ in one person. Each is harmless; their
 * difference is the person's secret. Suppressing small counts does not help, since
 * both counts are large.
 */
#include "audit/attack/differencing.h"

#include <math.h>
#include <stdio.h>

#include "audit/attack/guess_one.h"

enum { WARD = 40 };

static const char measure[] = "right guesses of the patient's diagnosis";
static const double weak_scale = 0.5;

custos_status
difference_guess(struct attack_counts *custos, double scale, uint64_t trials,
                 struct coins *coins, uint64_t *right, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    *right = 0;
    for (uint64_t i = 0; i < trials && !st; i++) {
        int64_t others = 0, told[2];
        bool bit = coins_flip(coins, 0.5), guess;

        for (int k = 1; k < WARD; k++)
            others += coins_flip(coins, 0.3);
        told[0] = others + bit;
        told[1] = others;
        if (custos)
            st = attack_counts_release(custos, (int64_t[]){told[0], told[1]},
                                       told, err);
        for (int k = 0; k < 2 && !custos && scale > 0; k++)
            told[k] += (int64_t)coins_lattice_laplace(coins, scale, 1);
        /* The difference is 0 or 1 plus noise; the middle is a coin. */
        guess = told[0] - told[1] >= 1;
        *right += guess == bit;
    }
    return st;
}

/* Both attackers of custos at one epsilon. */
static custos_status
attack_custos(const char *epsilon, uint64_t trials, struct coins *coins,
              uint64_t *difference, uint64_t *one, custos_err *err)
{
    struct attack_counts *counts = NULL;
    /* Without the names in the two questions, a person may be in both counts: one
       person moves two. */
    custos_status st = attack_counts_new(epsilon, 2, 2, &counts, err);

    if (!st)
        st = difference_guess(counts, 0, trials, coins, difference, err);
    attack_counts_free(counts);
    return st ? st : guess_one(epsilon, trials, coins, one, err);
}

static custos_status
write_curves(const struct attack_options *o, struct coins *coins,
             struct attack_report *r, custos_err *err)
{
    static const char *const epsilons[] = {
        "0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "4", "5", "6"};
    const size_t n = sizeof epsilons / sizeof epsilons[0];
    const uint64_t trials = o->quick ? 4000 : 40000;
    struct attack_curve *two, *one, *most;

    r->x = (struct attack_axis){.label = "epsilon", .least = 0, .most = 6};
    r->y = (struct attack_axis){
        .label = "right guesses, %", .least = 40, .most = 100};
    two = attack_add_curve(r, "custos");
    attack_add_level(r, "exact counts", 100);
    r->curves[1].faint = false;
    one = attack_add_curve(r, "knows all others");
    most = attack_add_curve(r, "most allowed");
    most->faint = true;
    attack_add_point(two, 0, 50);
    attack_add_point(one, 0, 50);
    attack_add_point(most, 0, 50);
    for (size_t i = 0; i < n; i++) {
        uint64_t right[2];
        double x = attack_number(epsilons[i]), ceiling;
        custos_status st = attack_custos(epsilons[i], trials, coins, &right[0],
                                         &right[1], err);

        if (!st)
            st = attack_ceiling(epsilons[i], NULL, &ceiling, err);
        if (st)
            return st;
        attack_add_point(two, x, 100 * (double)right[0] / (double)trials);
        attack_add_point(one, x, 100 * (double)right[1] / (double)trials);
        attack_add_point(most, x, 100 * ceiling);
        attack_step(o, 0.2 + 0.8 * ((double)i + 1) / (double)n);
    }
    return CUSTOS_OK;
}

static void
write_texts(const char *epsilon, double ceiling, struct attack_report *r)
{
    snprintf(r->title, sizeof r->title, "Differencing of two counts");
    snprintf(r->knows, sizeof r->knows,
             "The attacker asks how many patients of a ward have a diagnosis, "
             "and how many patients except the one in bed 7. Both counts are "
             "large and look harmless. Their difference is the diagnosis of "
             "bed 7. Blind guessing is right half of the time.");
    snprintf(r->picture, sizeof r->picture,
             "guesses of one patient's diagnosis from two counts");
    snprintf(r->means, sizeof r->means,
             "No rule about small counts stops this, because no count is "
             "small. With custos both answers together cost epsilon %s, and no "
             "attacker is right more often than %.1f %%. One who knows every "
             "other patient, and has one count for the whole price, just "
             "reaches that.",
             epsilon, attack_percent_up(ceiling));
}

static custos_status
run(const struct attack_options *o, struct attack_report *r, custos_err *err)
{
    const char *epsilon = attack_epsilon(o, "1");
    const uint64_t trials = o->quick ? 10000 : 100000;
    uint64_t exact, weak, two, one;
    struct attack_row *row;
    struct coins coins;
    double ceiling;
    custos_status st = attack_ceiling(epsilon, NULL, &ceiling, err);

    coins_seed(&coins, o->seed, 3);
    if (!st)
        st = difference_guess(NULL, 0, trials, &coins, &exact, err);
    if (!st)
        st = difference_guess(NULL, weak_scale, trials, &coins, &weak, err);
    if (!st)
        st = attack_custos(epsilon, trials, &coins, &two, &one, err);
    if (!st)
        st = write_curves(o, &coins, r, err);
    if (st)
        return st;
    write_texts(epsilon, ceiling, r);
    row = attack_add_share(r, SERVER_NAIVE, measure, exact, trials);
    snprintf(row->who, sizeof row->who, "exact counts");
    row = attack_add_share(r, SERVER_WEAK, measure, weak, trials);
    snprintf(row->who, sizeof row->who, "too little noise (scale %g)",
             weak_scale);
    row = attack_add_share(r, SERVER_CUSTOS, measure, two, trials);
    snprintf(row->who, sizeof row->who, "custos, epsilon %.20s", epsilon);
    row->ceiling = ceiling;
    row = attack_add_share(r, SERVER_CUSTOS, measure, one, trials);
    snprintf(row->who, sizeof row->who, "custos, attacker knows all others");
    row->ceiling = ceiling;
    return CUSTOS_OK;
}

const struct attack attack_differencing = {
    .name = "differencing",
    .summary = "two counts that differ in one person",
    .run = run,
};
