/* Pieces of the averaging attack. */
#ifndef AUDIT_ATTACK_AVERAGING_H
#define AUDIT_ATTACK_AVERAGING_H

#include "audit/attack/attack.h"

/* How a server treats a question that it has answered. */
enum averaging_server {
    AVERAGING_FRESH,   /* naive: fresh noise each time, nothing charged */
    AVERAGING_CACHED,  /* custos, same question: the cached answer */
    AVERAGING_CHARGED, /* custos, reworded: charged until the budget refuses */
};

enum { AVERAGING_SIZES = 14 }; /* 1, 2, 4, ... 8192 questions */

/* Of many runs: the attacker's error and success after 2^i questions. */
struct averages {
    double error[AVERAGING_SIZES];   /* mean of |average - truth| */
    uint64_t found[AVERAGING_SIZES]; /* the rounded average is the truth */
    size_t answers;                  /* of one run, paid or free */
};

/*
 * One price is a tenth of epsilon. May fail: as attack_counts_new and
 * custos_filter_new.
 */
CUSTOS_MUST_USE custos_status averages_of(enum averaging_server server,
                                          const char *epsilon, uint64_t runs,
                                          struct coins *coins,
                                          struct averages *out,
                                          custos_err *err);

#endif
