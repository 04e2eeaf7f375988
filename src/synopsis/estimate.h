/*
 * The best estimate of a table from what was measured, cell by cell.
 *
 * THEOREM  combined-estimate
 *   Let tables be measured with independent noise of mean 0, where no noise decides
 *   what else is measured, or how accurately, and let those that keep
 *   a cell's codes apart give it the estimates y_i, each the sum of m_i noisy numbers
 *   of variance v_i. The mean of the y_i by weights 1/(v_i m_i) is unbiased, has
 *   variance 1/sum 1/(v_i m_i), and no other weights have less.
 * SOURCE   Aitken 1935, On least squares and linear combination of observations
 *          (Gauss and Markov); discrete Gaussian noise has at most the variance of
 *          its parameter: Canonne, Kamath, Steinke 2020, arXiv:2004.00010.
 * NEEDS    released values as they were measured, by sets and variances that are fixed
 *          beforehand: those of method tables, and MST's single columns and, given these,
 *          its pairs. AIM and the merging of rare codes choose by earlier noise: then a
 *          mean may be biased, and its error is nominal. What was seen of AIM is in
 *          standard_errors_of_aim_cover.
 * GIVES    estimate and its standard error.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   estimates_cover_at_their_rate estimates_combine_all_that_was_measured
 *          standard_errors_of_aim_cover
 */
#ifndef SYNOPSIS_ESTIMATE_H
#define SYNOPSIS_ESTIMATE_H

#include "synopsis/synopsis.h"

/* Synthetic rows, as codes of the schema. */
struct synthetic_rows {
    size_t n;
    uint16_t *codes; /* column by column of the domain: codes[c * n + row] */
};

/*
 * Sets estimate and error of each cell of a set, by the codes of the schema.
 * error is the standard error; NAN where no measurement has the cell: the estimate
 * is then what was measured of merged codes, each with its share, or else the
 * model's. Where the model's marginal needs too much memory, `rows` stand for it.
 */
CUSTOS_MUST_USE custos_status estimate_measured(
    const struct synopsis *s, const struct synthetic_rows *rows,
    struct colset set, double *estimate, double *error, custos_err *err);

/* The model's: consistent between sets and nowhere negative. May fail:
   CUSTOS_EOVERFLOW (it would need too much memory), CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status estimate_consistent(const struct synopsis *s,
                                                  struct colset set,
                                                  double *estimate,
                                                  custos_err *err);

#endif
