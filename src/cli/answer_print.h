/*
 * An answer for a person (table, bars), for a spreadsheet (csv) or for a
 * program (json). Intervals hold at 95 %.
 */
#ifndef CLI_ANSWER_PRINT_H
#define CLI_ANSWER_PRINT_H

#include "cli/out.h"
#include "curator/curator.h"

enum answer_format { FORMAT_TABLE, FORMAT_BARS, FORMAT_CSV, FORMAT_JSON };

#define FORMAT_HELP "table, bars, csv or json (table)"

/* By its name; CLI_USAGE after a sentence when there is none such. */
int answer_format_read(const char *name, enum answer_format *out);

/* balance may be NULL: not told. */
void answer_print(struct out *o, enum answer_format format,
                  const struct answer *a, const struct ledger_balance *balance);

#endif
