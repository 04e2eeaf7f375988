/*
 * Histograms: counts by bin, of data whose units have a bounded number of
 * rows. Only the sensitivity is specific to histograms; the noise comes from
 * the additive mechanism.
 *
 * THEOREM  histogram-sensitivity
 *   Let a unit have at most r rows, each in one bin. Under add/remove the
 *   counts of neighbours differ by at most r in l1 and r in l2; for r = 1 only
 *   one count differs. Under change-one they differ by at most 2r in l1 and
 *   sqrt(2) r in l2.
 * SOURCE   doc/proofs/histogram-sensitivity.md; Dwork, Roth 2014, 3.3
 * NEEDS    bins that do not depend on the data.
 * GIVES    the mechanism with that sensitivity: one charge pays for all bins.
 * FAILS    CUSTOS_EINVAL, CUSTOS_ERANGE from the parameters.
 * TESTED   histogram_sensitivity_is_attained_and_never_passed
 */
#include "base/alloc.h"
#include "base/ck.h"
#include "base/error.h"
#include "custos.h"
#include "base/sized.h"

enum { ROWS_MAX_LOG2 = 60 };

custos_status
custos_histogram_new(const custos_alloc *alloc,
                     const custos_histogram_options *options, custos_mech **out,
                     custos_err *err)
{
    custos_histogram_options h;
    custos_mech_options o = {.size = sizeof o, .domain = CUSTOS_INTS};
    i128 sides, rows;
    char sensitivity[41];

    if (!options_read(&h, sizeof h, options) || h.bins == 0 ||
        (h.adjacency != CUSTOS_ADD_REMOVE && h.adjacency != CUSTOS_CHANGE_ONE))
        return custos_fail(err, CUSTOS_EINVAL,
                           "options must have their size, at least one bin "
                           "and an adjacency set");
    if (h.rows_per_unit >> ROWS_MAX_LOG2)
        return custos_fail(err, CUSTOS_ERANGE,
                           "rows per unit must lie below 2^%d",
                           (int)ROWS_MAX_LOG2);
    sides = h.adjacency == CUSTOS_CHANGE_ONE ? 2 : 1;
    rows = h.rows_per_unit ? h.rows_per_unit : 1;
    o.kind = h.kind;
    o.values = h.bins;
    o.epsilon = h.epsilon;
    o.delta = h.delta;
    o.calibration = h.calibration;
    o.changes =
        sides == 1 && rows == 1 ? CUSTOS_CHANGES_ONE : CUSTOS_CHANGES_SEVERAL;
    if (h.kind == CUSTOS_GAUSSIAN) {
        custos_int_write(sides * rows * rows, sensitivity);
        o.sensitivity_squared = sensitivity;
    } else {
        custos_int_write(sides * rows, sensitivity);
        o.sensitivity = sensitivity;
    }
    return custos_mech_new(alloc, &o, out, err);
}
