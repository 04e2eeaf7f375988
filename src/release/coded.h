/*
 * The rows of a release as codes of its schema. What leaves here are sealed counts
 * and scores, which only mechanisms open. The one exception is coded_rows, for the
 * report that only the owner may see.
 */
#ifndef RELEASE_CODED_H
#define RELEASE_CODED_H

#include "engine/engine.h"
#include "synth/schema.h"

struct coded;

/*
 * Reads the rows of a plan; field[i] is the column of plan->table that column i of
 * the domain is. A row with a value outside the domain, or with NULL where there is
 * no code for it, does not count: this depends on the row alone. May fail: as
 * engine_fields.
 */
CUSTOS_MUST_USE custos_status coded_read(struct engine *e,
                                         const struct plan *plan,
                                         const struct schema *s,
                                         const size_t *field,
                                         struct coded **out, custos_err *err);

/* NULL: does nothing. */
void coded_free(struct coded *c);

/* From now on, code k of this column counts as map[k] < codes. Only before the first
   score. */
void coded_recode(struct coded *c, size_t column, const uint16_t *map,
                  uint32_t codes);

/* Makes the codes that count now those that were read: nothing tells them apart any
   more. */
void coded_settle(struct coded *c);

/* The marginal of a set, sealed ints. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status coded_seal(const struct coded *c,
                                         struct colset set, custos_sealed **out,
                                         custos_err *err);

/* The same, sealed wide ints. */
CUSTOS_MUST_USE custos_status coded_seal_wide(const struct coded *c,
                                              struct colset set,
                                              custos_sealed **out,
                                              custos_err *err);

/*
 * Sets score i: weight * (sum over cells of |lattice * count - model|) - penalty,
 * clamped to 64 bits, which moves two scores no further apart. It is kept until the
 * same number is scored anew, always for the same set. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status coded_score(struct coded *c, size_t i,
                                          struct colset set, uint64_t weight,
                                          int64_t lattice, const int64_t *model,
                                          int64_t penalty, custos_err *err);

/* The scores of these candidates, sealed ints. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status coded_seal_scores(const struct coded *c,
                                                const size_t *among, size_t n,
                                                custos_sealed **out,
                                                custos_err *err);

/* Not private: the rows themselves, by the codes of the schema. codes[i] has those
   of column i. Returns their number. */
size_t coded_rows(const struct coded *c, const uint16_t *const **codes);

#endif
