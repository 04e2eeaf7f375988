/*
 * The report of `custos init` to the owner: what was read, kept, changed and
 * lost. It has exact numbers and values of private data, and is stored nowhere.
 */
#ifndef CLI_IMPORT_REPORT_H
#define CLI_IMPORT_REPORT_H

#include "cli/out.h"
#include "engine/engine.h"

/* One line for the table and one for each kind of change in a column. */
void import_report_print(struct out *o, const struct engine_import_table *t);

/*
 * Prints to standard error why the import of n tables was refused: which column
 * or table loses too much, what its values look like and what to change.
 * Returns CLI_USAGE.
 */
int import_refusal_print(const struct engine_import_table *tables, size_t n,
                         uint64_t max_loss_ppm);

#endif
