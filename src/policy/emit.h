/*
 * Writes generated policies: texts quoted for YAML, and the head of the file.
 */
#ifndef POLICY_EMIT_H
#define POLICY_EMIT_H

#include <stdbool.h>

#include "base/datum.h"
#include "base/str.h"

/* Writes a lower-case SQL word unquoted, anything else in double quotes. */
void emit_name(struct buf *out, str name);

/* Writes a text unquoted if it begins with a letter or / and consists of
   letters, digits and _ . / -; anything else, and a text that begins with
   TODO, in double quotes. */
void emit_text(struct buf *out, str text);

/* Writes the name as one lower-case SQL word: "Visits 2024" becomes
   visits_2024. */
void emit_word(struct buf *out, str text);

/* Writes "type: decimal, scale: 2". */
void emit_type(struct buf *out, enum data_type type, int scale);

/* Writes format, adjacency and budget, with TODO for what only the owner
   knows. */
void emit_head(struct buf *out);

/* Is it a lower-case word that SQL reads without quotes? */
bool is_sql_word(str name);

#endif
