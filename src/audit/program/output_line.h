/*
 * What a program printed, as an output: its numbers, wherever they stand; the text
 * around them, which becomes a code; and how the numbers are written.
 */
#ifndef AUDIT_PROGRAM_OUTPUT_LINE_H
#define AUDIT_PROGRAM_OUTPUT_LINE_H

#include "audit/audit.h"
#include "base/str.h"

/* Codes of texts have this bit. */
#define CODE_TEXT 0x80000000U

struct output_line {
    double *number; /* the first `room` of them */
    size_t room, n; /* n counts all */
    uint64_t text, form;
    uint32_t digits;
    bool has_text; /* anything but numbers and what separates them */
};

struct output_line output_line_new(double *number, size_t room);

/*
 * Adds a text; text.ptr[text.len] must be NUL. A number stands alone or beside
 * punctuation ("5", "count=5", "5 %"), but not in a word ("x5", "1.2.3"); nan and
 * inf are numbers. Blanks, commas, semicolons and brackets are no text.
 */
void output_line_add(struct output_line *line, str text);

/* The hash of the text with # for each number, with CODE_TEXT; 0: no text. */
uint32_t output_line_code(const struct output_line *line);

struct written output_line_written(const struct output_line *line);

#endif
