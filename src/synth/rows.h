/*
 * Synthetic rows: draws rows whose marginals are those of a fitted model as
 * nearly as whole numbers can be.
 */
#ifndef SYNTH_ROWS_H
#define SYNTH_ROWS_H

#include "synth/model.h"

/*
 * n rows, column by column: out[c * n + i] is the code of row i in column c.
 *
 * The tree is walked from its root. A column of a node is drawn given all columns
 * of the node that are there already: rows with the same codes there are a group,
 * and get the whole parts of the numbers expected of each code, the rest by
 * systematic sampling (each fraction is the expectation of what is added), in an
 * order that is shuffled inside the group. Without the shuffle, codes would depend
 * on the order in which earlier columns, which are none of the node's, were dealt
 * out; given fewer columns than all of the node, their dependence would be lost.
 *
 * May fail: CUSTOS_ENOMEM, CUSTOS_EENTROPY, CUSTOS_EOVERFLOW (n above 2^31).
 */
CUSTOS_MUST_USE custos_status model_rows(const struct model *m, custos_rng *rng,
                                         size_t n, uint16_t *out,
                                         custos_err *err);

#endif
