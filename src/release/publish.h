/*
 * The files of a release, all made from its synopsis: released values alone.
 */
#ifndef RELEASE_PUBLISH_H
#define RELEASE_PUBLISH_H

#include "release/products.h"
#include "synopsis/synopsis.h"

/* Writes synopsis.custos and the files of products.h into an existing empty folder.
   rows: how many synthetic rows to draw; 0: as many as the noisy total says, but no
   more than `most`, which is public: with much noise the total may be anything. The
   caller frees *drawn, which has them. May fail: as products_write. */
CUSTOS_MUST_USE custos_status release_publish(const struct synopsis *s,
                                              const char *folder, uint64_t rows,
                                              uint64_t most, custos_rng *rng,
                                              const struct products_options *o,
                                              struct synthetic_rows *drawn,
                                              custos_err *err);

/* Adds consistent/ to a folder that has the files of a release, from its synopsis. May
   fail: as synopsis_read and products_write_consistent. */
CUSTOS_MUST_USE custos_status release_publish_consistent(
    const char *folder, const struct products_options *o, custos_err *err);

#endif
