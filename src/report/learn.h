/*
 * One counting question on a small public table: the law of its answer with and
 * without one person, as an introduction. Nothing here comes from a store.
 */
#ifndef REPORT_LEARN_H
#define REPORT_LEARN_H

#include <stdbool.h>

#include "report/risk.h"

enum { LEARN_PEOPLE = 12, LEARN_HALF_MAX = 700 };

struct learn_person {
    const char *name;
    bool answer;
};

extern const char learn_question[];
extern const struct learn_person learn_people[LEARN_PEOPLE];
extern const struct learn_person *const learn_one; /* the person who is in the
                                                      table or not */

struct learn {
    char epsilon[RISK_TEXT_MAX];
    int with, without; /* exact counts */
    int within;        /* half width of the error bar at 95 % */
    int half;          /* the same at 99.9 %, but at least 4 */
    /* P[noise = k] = P[noise = -k], k = 0 ... half + 1, rounded down */
    char chance[LEARN_HALF_MAX + 2][CUSTOS_NUMBER_MAX];
    struct risk_told risk; /* of the answer's promise */
    char delta[RISK_TEXT_MAX];
};

/*
 * Fills *l for this epsilon. May fail: CUSTOS_EPARSE, CUSTOS_ERANGE (not
 * between 0.01 and 10), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status learn_make(struct learn *l, const char *epsilon,
                                         custos_err *err);

#endif
