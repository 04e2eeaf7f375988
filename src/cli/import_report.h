/*
 * What `custos init` says to the owner of what it read, kept, changed and lost:
 * exact numbers and values of private data, printed and kept nowhere.
 */
#ifndef CLI_IMPORT_REPORT_H
#define CLI_IMPORT_REPORT_H

#include "cli/out.h"
#include "engine/engine.h"

/* A line for the table and one for each change of a column, indented. */
void import_report_print(struct out *o, const struct engine_import_table *t);

/*
 * To standard error, why n tables were refused: which column or table loses too
 * much, what its values look like and what to change. Returns CLI_USAGE.
 */
int import_refusal_print(const struct engine_import_table *tables, size_t n,
                         uint64_t max_loss_ppm);

#endif
