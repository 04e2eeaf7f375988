/*
 * Says what is wrong with a CSV file, and where; never quotes its content.
 */
#ifndef ENGINE_CSV_FAULT_H
#define ENGINE_CSV_FAULT_H

#include <stdbool.h>
#include <stddef.h>

#define CSV_FAULT_MARK "CSV: "

/*
 * If the engine's message is about a line of a CSV file, writes the mark, the file,
 * the line number and the cause to out, and returns true. The line itself, which
 * the engine quotes, is left out.
 */
bool csv_fault_write(const char *engine, char *out, size_t size);

/* The text after the mark, if csv_fault_write wrote the note; else NULL. */
const char *csv_fault_of(const char *note);

#endif
