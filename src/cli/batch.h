/*
 * `custos query -f FILE` and `custos explain -f FILE`: a batch of queries.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "cli/answer_print.h"

enum batch_verb { BATCH_QUERY, BATCH_EXPLAIN };

/*
 * Asks or explains the queries of a file ("-": standard input), which are
 * separated by semicolons; each has the price of `ask`. Returns the exit code;
 * errors go to standard error, with the number of the query and its line.
 */
int batch_ask(struct curator *c, const struct ask *ask, enum batch_verb verb,
              const char *path, enum answer_format format, struct out *o);

#endif
