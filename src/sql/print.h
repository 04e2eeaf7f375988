/*
 * What the printers share.
 */
#ifndef SQL_PRINT_H
#define SQL_PRINT_H

#include "base/datum.h"
#include "base/str.h"

/* Writes text in quotes of the given kind; quotes inside are doubled. */
void print_quoted(char quote, str text, struct buf *out);

/* print_name: in double quotes. print_str: the text as it is. */
void print_name(str name, struct buf *out);
void print_str(str text, struct buf *out);

/* A value as a literal. */
void print_literal(const struct datum *d, struct buf *out);

#endif
