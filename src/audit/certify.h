/*
 * The certificate: how often the finalists' events occur in fresh outputs, and
 * what these counts refute.
 */
#ifndef AUDIT_CERTIFY_H
#define AUDIT_CERTIFY_H

#include "audit/search.h"

/*
 * Draws out->n outputs of each arm of the suspicion's pair and fills in what was
 * counted and refuted, by the best finalist: event, counts, bounds, bars. Claim
 * and level are in `out` already.
 */
CUSTOS_MUST_USE custos_status certify(const struct search *search,
                                      const struct suspicion *suspicion,
                                      struct finding *out, custos_err *err);

#endif
