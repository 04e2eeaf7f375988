/*
 * One question and its answer, for `query`, `shell` and `demo`.
 */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include "cli/answer_print.h"

/* Asks and prints. Returns the exit code; a refusal is one sentence on
   standard error. ask->sql must be NUL-terminated. */
int question_ask(struct curator *c, const struct ask *ask,
                 enum answer_format format, struct out *o);

/* The sentence of a refusal, with line and column where it has a place. */
int question_fail(custos_status st, const custos_err *err, const char *sql);

#endif
