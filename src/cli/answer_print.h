/*
 * Prints an answer for people (table, bars), for spreadsheets (csv) or for
 * programs (json). Error bars are 95 % intervals.
 */
#ifndef CLI_ANSWER_PRINT_H
#define CLI_ANSWER_PRINT_H

#include "cli/out.h"
#include "curator/curator.h"

enum answer_format { FORMAT_TABLE, FORMAT_BARS, FORMAT_CSV, FORMAT_JSON };

#define FORMAT_HELP "table, bars, csv or json (table)"

/* Finds a format by its name. CLI_OK, or CLI_USAGE after printing why. */
int answer_format_read(const char *name, enum answer_format *out);

/* If `remaining` is NULL, the remaining budget is not known and not printed. */
void
answer_print(struct out *o, enum answer_format format, const struct answer *a,
             const struct ledger_remaining *remaining);

#endif
