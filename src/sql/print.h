/*
 * What both printers of expressions use.
 */
#ifndef SQL_PRINT_H
#define SQL_PRINT_H

#include "base/str.h"

/* In quotes of the given kind, those inside doubled. */
void print_quoted(char quote, str text, struct buf *out);

#endif
