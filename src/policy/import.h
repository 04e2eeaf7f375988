/*
 * Converts SmartNoise metadata to a policy. The metadata is nested maps of
 * database, schema and table; a table's map holds both its options and its
 * columns. What the metadata lacks (budget, files) becomes TODO, what has
 * another meaning here becomes a comment, and what is not part of the format is
 * an error with its line.
 */
#ifndef POLICY_IMPORT_H
#define POLICY_IMPORT_H

#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

/* May fail: CUSTOS_EPOLICY, CUSTOS_ENOMEM; also check out->failed. */
CUSTOS_MUST_USE custos_status policy_import(arena *a, str text,
                                            const char *path, struct buf *out,
                                            custos_err *err);

#endif
