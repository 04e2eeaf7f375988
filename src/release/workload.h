/*
 * The tables that a release is asked for, as sets of columns: all pairs, all triples,
 * or those of a file, one a line, its columns separated by commas ('#' begins a
 * comment).
 */
#ifndef RELEASE_WORKLOAD_H
#define RELEASE_WORKLOAD_H

#include "base/arena.h"
#include "synth/candidates.h"
#include "synth/schema.h"

/*
 * Makes the sets, in `a`, each once. `words` is "all-2way" (also if empty),
 * "all-3way" or the path of a file. If there are fewer columns than that, it is the
 * set of all. A file that asks for a table that would be too large is refused; "all"
 * leaves such tables out, and *skipped says of how many groups of columns. May fail:
 * CUSTOS_ENAME (no such file or column), CUSTOS_EINVAL (a set of more than
 * WORKLOAD_ORDER columns, or a column that is not modelled; a file without sets),
 * CUSTOS_EOVERFLOW (a table has too many cells), CUSTOS_EIO, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status workload_make(arena *a, const struct schema *s,
                                            str words, struct workload *out,
                                            size_t *skipped, custos_err *err);

#endif
