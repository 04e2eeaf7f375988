/*
 * An arena: memory with one lifetime (such as a query's), taken piece by piece
 * and freed all at once. It has a limit, so that no query can exhaust memory.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"
#include "custos.h"

typedef struct arena arena;

/* NULL when there is no memory. */
arena *arena_new(const custos_alloc *alloc, size_t limit_bytes);

/* Wipes and frees a and everything taken from it. */
void arena_free(arena *a);

/* Wipes all pieces; a is empty again, but keeps a block for new pieces. */
void arena_reset(arena *a);

/*
 * From now on at most `bytes` more may be taken (SIZE_MAX: no such bound); the
 * arena's own limit still holds. Only the sizes of the pieces count, not those
 * of their blocks, so that what fits does not depend on how full a block is.
 */
void arena_allow(arena *a, size_t bytes);

/* Was a piece refused because of that bound since the last arena_allow? */
bool arena_is_denied(const arena *a);

/* Zeroed, aligned for any type; NULL past the limit or without memory. */
void *arena_take(arena *a, size_t count, size_t size);

/* A NUL-terminated copy, or NULL. */
char *arena_copy(arena *a, str text);

/* All memory that it holds, including its own struct. */
size_t arena_bytes(const arena *a);

#endif
