/*
 * Logistic regression on rows of codes: one weight for each code of each column and
 * one for each pair of codes of two columns, the pairs hashed into a table. It is for
 * reports: a fixed number of passes in a fixed order, so each run gives the same.
 */
#ifndef RELEASE_LOGISTIC_H
#define RELEASE_LOGISTIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "custos.h"

/* Rows whose features are all columns but `without` (SIZE_MAX: all). */
struct coded_rows_of {
    const uint16_t *const *codes; /* by column and row; borrowed */
    size_t columns, without;
};

/* One row to learn from, or to be tested on. */
struct example {
    const struct coded_rows_of *of;
    uint32_t row;
    bool label;
};

/*
 * Learns from examples, in an order that a fixed seed shuffles, and sets chance[i] for
 * each of the tested ones: the probability that its label is true. May fail:
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status logistic_learn(const struct example *learn,
                                             size_t n_learn,
                                             const struct example *tested,
                                             size_t n_tested, double *chance,
                                             custos_err *err);

/* The probability that a tested row with label true has a larger chance than one with
   label false (the area under the curve); 0.5 if all have the same label. May fail:
   CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status logistic_area(const struct example *tested,
                                            const double *chance, size_t n,
                                            double *out, custos_err *err);

#endif
