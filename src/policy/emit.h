/*
 * Writing policies: texts quoted for YAML, and the head of every generated
 * policy.
 */
#ifndef POLICY_EMIT_H
#define POLICY_EMIT_H

#include <stdbool.h>

#include "base/datum.h"
#include "base/str.h"

/* A lower-case SQL word as it is, anything else in double quotes. */
void emit_name(struct buf *out, str name);

/* Letters, digits and _ . / - as they are, anything else in double quotes. */
void emit_text(struct buf *out, str text);

/* The name as one lower-case SQL word: "Visits 2024" is visits_2024. */
void emit_word(struct buf *out, str text);

/* "type: decimal, scale: 2" */
void emit_type(struct buf *out, enum data_type type, int scale);

/* Format, adjacency and budget, with TODO for what only the owner knows. */
void emit_head(struct buf *out);

/* A word that SQL reads as it stands: lower-case, no quotes needed. */
bool is_sql_word(str name);

#endif
