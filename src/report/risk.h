/*
 * What a promise means for one person: bounds from libcustos (custos_risk_*)
 * and sentences that explain them, for the terminal and the console.
 */
#ifndef REPORT_RISK_H
#define REPORT_RISK_H

#include <stdbool.h>
#include <stddef.h>

#include "custos.h"
#include "report/digits.h"

enum { RISK_CORNERS_MAX = 104 };

/* Texts are borrowed, except those that risk_report writes. */
struct risk_told {
    const char *epsilon, *delta; /* the promise, as shown */
    const char *people, *prior;  /* may be NULL: see custos_risk_report */
    enum risk_of {
        RISK_OF_PROMISE,
        RISK_OF_ANSWERS, /* the promise of all answers so far */
        RISK_OF_NOTHING, /* there is no answer yet */
    } of;
    bool own; /* one analyst's: answers to others are not counted */
    custos_adjacency adjacency; /* what an attacker tries to tell apart */

    /* set by risk_report */
    custos_risk_facts facts;
    char missed[CUSTOS_NUMBER_MAX]; /* lower bound on the false negative rate,
                                       at 5 % false positives */
    char found[CUSTOS_NUMBER_MAX];  /* 1 - missed */
    custos_risk_corner corners[RISK_CORNERS_MAX];
    size_t n_corners;
};

/* May fail: as custos_risk_report and custos_risk_corners. */
CUSTOS_MUST_USE custos_status risk_report(const custos_risk *risk,
                                          struct risk_told *t, custos_err *err);

/* Calls `say` for each sentence with its heading. Bounds are shown with few
   digits, rounded to the safe side. */
typedef void risk_say(void *ctx, const char *under, const char *sentence);
void risk_sentences(const struct risk_told *t, risk_say *say, void *ctx);

enum { RISK_TEXT_MAX = CUSTOS_NUMBER_MAX };

/*
 * The risk of a promise as the user wrote it; epsilon and delta are set to
 * decimals, rounded up. The caller owns *out. A NULL delta_given means 0. May
 * fail: as custos_risk_new.
 */
CUSTOS_MUST_USE custos_status risk_of_promise(
    const char *epsilon_given, const char *delta_given, custos_risk **out,
    char epsilon[RISK_TEXT_MAX], char delta[RISK_TEXT_MAX], custos_err *err);

/* Sums of charges, exact texts; "infinity" where a currency has no bound. */
struct risk_spent {
    const char *epsilon, *rho;
    const char *delta, *delta_rho; /* epsilon, rho hold up to this */
    const char
        *at; /* the delta at which rho is converted, if this gives the tighter
                promise */
};

/*
 * The risk of what was spent. The caller owns *out; epsilon and delta are set
 * to the promise from which the bounds on beliefs follow. May fail:
 * CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status risk_of_spent(const struct risk_spent *spent,
                                            custos_risk **out,
                                            char epsilon[RISK_TEXT_MAX],
                                            char delta[RISK_TEXT_MAX],
                                            custos_err *err);

#endif
