/* Pieces of the differencing attack. */
#ifndef AUDIT_ATTACK_DIFFERENCING_H
#define AUDIT_ATTACK_DIFFERENCING_H

#include "audit/attack/attack.h"

/*
 * Asks for the count of a ward and for that of the ward without one patient,
 * `trials` times, and guesses the patient's bit from the difference. custos, if it
 * is not NULL, answers both counts; else a naive server with Laplace noise of this
 * scale does (0: none). May fail: as attack_counts_release.
 */
CUSTOS_MUST_USE custos_status difference_guess(struct attack_counts *custos,
                                               double scale, uint64_t trials,
                                               struct coins *coins,
                                               uint64_t *right,
                                               custos_err *err);

#endif
