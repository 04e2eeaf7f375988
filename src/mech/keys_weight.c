/*
 * Weights of units in a partition selection: a unit that holds fewer keys than
 * it may adds more to each of them.
 *
 * THEOREM  keys-weighted
 *   A unit that holds l <= k keys adds W_l to the sum of each, the largest
 *   integer with l W_l^2 <= D^2. Add discrete Gaussian noise of variance v >= 1
 *   to all sums >= 1 and release the keys, without the sums, that reach the
 *   integer tau >= 1. Let p_l = P[W_l + Y >= tau], L_l = -ln(1 - p_l), and
 *   H_j,w(e) the divergence at e of j draws and j draws each shifted by w.
 *   Under add/remove this is (eps, delta)-DP if, for each l = 1 .. k and all
 *   a + j = l, delta is at least 1 - (1-p_l)^a (1 - H_j,W_l(eps + a L_l)) and
 *   H_j,W_l(eps - a L_l). H_j,w(e) has the bound of keys-gauss with
 *   m = floor(ev/w - jw/2) + 1 and P[Z >= m + jw] in place of P[Z >= m + j].
 *   Under change-one it is (eps, delta)-DP if, for each l and a <= l, delta is
 *   at least 1 - (1-p_l)^a and 1 - (1-p_l)^a (1 - Z), where Z is the delta at
 *   eps + a L_l + ln(1 - delta) of a release that is rho-zCDP with
 *   rho = (2 D^2 - a W_l^2) / 2v.
 * SOURCE   doc/proofs/keys-weighted.md
 * NEEDS    sums of the weights of units, each of which depends on the unit's
 *          own rows alone; the caller shows nothing of a key that is not
 *          released, as if it were absent.
 * GIVES    v and tau as keys-gauss does. A key of n units that hold no other
 *          key has the sum nD; if all its units hold l keys, n W_l.
 * FAILS    CUSTOS_ERANGE.
 * TESTED   keys_weights_are_the_largest keys_weighted_bounds_all_neighbours
 *          keys_weighted_fits_every_unit keys_weighted_law
 *          keys_weighted_lowers_the_threshold
 */
#include "mech/keys.h"

uint64_t
keys_weight(uint64_t steps, uint64_t held)
{
    u128 reach = (u128)steps * steps;
    uint64_t w = 0;

    if (steps == 1)
        return 1;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit /= 2)
        if ((u128)(w | bit) * (w | bit) * held <= reach)
            w |= bit;
    return w;
}
