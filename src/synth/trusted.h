/*
 * What a synthesizer asks of the side that is trusted with the data. All that
 * depends on the data is behind these calls, each of which names its price: the
 * callee computes noise from the price (synth/price.h), not the other way round.
 * It must answer exactly as stated, count every price against a budget of its own,
 * and return no other failure than ones that do not depend on the data.
 */
#ifndef SYNTH_TRUSTED_H
#define SYNTH_TRUSTED_H

#include "account/amount.h"
#include "synth/domain.h"

/*
 * Marginals of a model are handed over in whole steps of 1/SYNTH_LATTICE rows, so
 * that scores are whole numbers and one unit's part in them is known exactly.
 */
enum { SYNTH_LATTICE = 16 };

struct trusted {
    void *of;

    /* The marginal of a set, with noise of variance price_variance(rho) on every
       cell. */
    custos_status (*measure)(void *of, struct colset set, amount rho,
                             int64_t *out, custos_err *err);

    /* The residual of the marginal of a set (residual.h), with noise on each of its
       numbers of the variance that this price buys (theorem residual-marginals). */
    custos_status (*residual)(void *of, struct colset set, amount rho,
                              int64_t *out, custos_err *err);

    /* From now on, code k of this column counts as map[k] < codes. Free. */
    custos_status (*recode)(void *of, size_t column, const uint16_t *map,
                            uint32_t codes, custos_err *err);

    /*
     * Says what the score of candidate number i is to be, without computing
     * anything that leaves: weight * (sum over cells of |SYNTH_LATTICE * count -
     * model|) - penalty. It holds until the same number is scored anew. Free.
     */
    custos_status (*score)(void *of, size_t i, struct colset set,
                           uint64_t weight, const int64_t *model,
                           int64_t penalty, custos_err *err);

    /*
     * Selects one of these n candidates by the exponential mechanism,
     * P ~ exp(epsilon score/(2 sensitivity)), with epsilon = price_epsilon(rho).
     * `weight` is the largest weight among them: the sensitivity is that times
     * SYNTH_LATTICE times what one unit changes in the sum of absolute values.
     */
    custos_status (*select)(void *of, const size_t *among, size_t n,
                            uint64_t weight, amount rho, size_t *winner,
                            custos_err *err);
};

#endif
