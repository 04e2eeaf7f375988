/*
 * A synopsis as bytes (base/pack.h), without the first line and the checksum of
 * its file. The reader trusts nothing.
 */
#ifndef SYNOPSIS_CODEC_H
#define SYNOPSIS_CODEC_H

#include "base/pack.h"
#include "synopsis/synopsis.h"

void synopsis_pack(const struct synopsis *s, struct buf *out);

/* Texts are borrowed from the bytes. May fail: CUSTOS_ECORRUPT, CUSTOS_EOVERFLOW
   (the model is too large), CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status synopsis_unpack(arena *a, str bytes,
                                              struct synopsis **out,
                                              custos_err *err);

#endif
