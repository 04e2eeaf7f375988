/*
 * Shared by the files that make nodes of statements: pieces of the builder's arena.
 */
#ifndef ENGINE_STATEMENT_INSIDE_H
#define ENGINE_STATEMENT_INSIDE_H

#include <stdarg.h>

#include "engine/statement/statement.h"

/* A new piece, zeroed, or NULL with b->failed. */
void *builder_take(struct builder *b, size_t size);

/* A copy of a text; a formatted name. "" with b->failed. */
const char *builder_copy(struct builder *b, str text);
const char *builder_name(struct builder *b, const char *format, va_list args)
    CUSTOS_PRINTF(2, 0);

#endif
