/*
 * What a promise means for one person: the numbers of libcustos (section: risk)
 * and the sentences that say them, for a terminal and for a page.
 */
#ifndef REPORT_RISK_H
#define REPORT_RISK_H

#include <stdbool.h>
#include <stddef.h>

#include "custos.h"
#include "report/digits.h"

enum { RISK_CORNERS_MAX = 104 };

/* Texts are borrowed, but for those that risk_report makes. */
struct risk_told {
    const char *epsilon, *delta; /* the promise, as it is to be shown */
    const char *people, *prior;  /* or NULL: see custos_risk_report */
    enum risk_of {
        RISK_OF_PROMISE,
        RISK_OF_ANSWERS, /* of all that was answered so far */
        RISK_OF_NOTHING, /* nothing was answered yet */
    } of;
    bool own; /* to one analyst: what others were told is not counted */
    custos_adjacency adjacency; /* what an attacker would tell apart */

    /* made */
    custos_risk_facts facts;
    char missed[CUSTOS_NUMBER_MAX]; /* at least, with 5 % false positives */
    char found[CUSTOS_NUMBER_MAX];  /* the rest, at most */
    custos_risk_corner corners[RISK_CORNERS_MAX];
    size_t n_corners;
};

/* May fail: as custos_risk_report and custos_risk_corners. */
CUSTOS_MUST_USE custos_status risk_report(const custos_risk *risk,
                                          struct risk_told *t, custos_err *err);

/* Each sentence with the word it stands under; bounds are shown in few digits,
   rounded to the side that does not flatter. */
typedef void risk_say(void *ctx, const char *under, const char *sentence);
void risk_sentences(const struct risk_told *t, risk_say *say, void *ctx);

enum { RISK_TEXT_MAX = CUSTOS_NUMBER_MAX };

/*
 * A promise as it was written; epsilon and delta become decimals, rounded up.
 * *out is the caller's. delta NULL is 0. May fail: as custos_risk_new.
 */
CUSTOS_MUST_USE custos_status risk_of_promise(
    const char *epsilon_given, const char *delta_given, custos_risk **out,
    char epsilon[RISK_TEXT_MAX], char delta[RISK_TEXT_MAX], custos_err *err);

/* Sums of charges, exact texts; "infinity" where a currency has no bound. */
struct risk_spent {
    const char *epsilon, *rho, *delta;
    const char *at; /* the delta at which rho is read, where that is shorter */
};

/*
 * What was spent, as promises: *out is the caller's; epsilon and delta become
 * the one that beliefs are bounded by. May fail: CUSTOS_EPARSE, CUSTOS_ERANGE,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status risk_of_spent(const struct risk_spent *spent,
                                            custos_risk **out,
                                            char epsilon[RISK_TEXT_MAX],
                                            char delta[RISK_TEXT_MAX],
                                            custos_err *err);

#endif
