/*
 * The files of a release, all made from its synopsis: released values alone.
 */
#ifndef RELEASE_PUBLISH_H
#define RELEASE_PUBLISH_H

#include "synopsis/synopsis.h"

/*
 * Writes them into an existing empty folder:
 *
 *     synopsis.custos  answers later
 *     tables/          the tables that were asked for
 *     synthetic.csv    rows like those of the table
 *
 * rows: how many synthetic rows to draw; 0: as many as the noisy total says. Takes
 * memory from `a`. May fail: CUSTOS_EIO, CUSTOS_ENOMEM,
 * CUSTOS_EENTROPY.
 */
CUSTOS_MUST_USE custos_status release_publish(const struct synopsis *s,
                                              const char *folder, uint64_t rows,
                                              custos_rng *rng, arena *a,
                                              custos_err *err);

#endif
