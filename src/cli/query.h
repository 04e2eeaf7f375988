/*
 * Asks one question and prints its answer, for `query` and `shell`.
 */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include "cli/answer_print.h"

#define RHO_HELP                                                               \
    "instead of --epsilon, if the policy allows it:\n"                         \
    "Gaussian noise of this price, which no epsilon bounds"

/* Returns the exit code; errors go to standard error. ask->sql must be
   NUL-terminated. */
int question_ask(struct curator *c, const struct ask *ask,
                 enum answer_format format, struct out *o);

/* Reports a failure after the charge, which is a bug, on standard error: the
   command keeps no log. */
void question_warn_of_trip(struct curator *c, const struct ask *ask);

/* Prints why a question failed, with line and column if known. Returns the exit
   code. */
int question_fail(custos_status st, const custos_err *err, const char *sql);

#endif
