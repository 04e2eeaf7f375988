/*
 * A line that a program printed, as an output: numbers separated by blanks,
 * commas, semicolons or brackets; or any other text, which becomes a code.
 */
#ifndef AUDIT_PROGRAM_OUTPUT_LINE_H
#define AUDIT_PROGRAM_OUTPUT_LINE_H

#include <stdint.h>

#include "base/str.h"

/* Codes of texts have this bit. */
#define CODE_TEXT 0x80000000U

/* The hash of a text, with CODE_TEXT. */
uint32_t code_of_text(str text);

/*
 * Reads a line; line.ptr[line.len] must be NUL. Numbers beyond `room` are
 * counted, but not kept. Returns how many there are; or 0 with the code of the
 * text, if the line is not numbers. An empty line is 0 numbers and code 0. nan
 * and inf are numbers.
 */
size_t output_line_read(str line, double *numbers, size_t room, uint32_t *code);

#endif
