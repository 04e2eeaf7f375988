/*
 * An arena: memory of one lifetime (a query's), taken piece by piece and given
 * back all at once. It has a limit, so that no query can take all there is.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"
#include "custos.h"

typedef struct arena arena;

/* NULL when there is no memory. */
arena *arena_new(const custos_alloc *alloc, size_t limit_bytes);

/* Wipes and gives back everything taken from a. */
void arena_free(arena *a);

/* Zeroed, aligned for any type; NULL past the limit or without memory. */
void *arena_take(arena *a, size_t count, size_t size);

/* A NUL-terminated copy, or NULL. */
char *arena_copy(arena *a, str text);

/* Memory that it holds, its own included. */
size_t arena_bytes(const arena *a);

#endif
