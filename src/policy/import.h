/*
 * SmartNoise's metadata as a policy: database, schema and table nested, with
 * options of tables and columns side by side. What it does not hold (budget,
 * files) becomes TODO; what has another meaning here becomes a comment; what
 * is not part of it is an error with its line.
 */
#ifndef POLICY_IMPORT_H
#define POLICY_IMPORT_H

#include "base/arena.h"
#include "base/str.h"
#include "custos.h"

/* May fail: CUSTOS_EPOLICY, CUSTOS_ENOMEM; and by out. */
CUSTOS_MUST_USE custos_status policy_import(arena *a, str text,
                                            const char *path, struct buf *out,
                                            custos_err *err);

#endif
