/*
 * Memory through the caller's hooks. A handle copies the hooks it was made
 * with, so that it can be given back the way it was taken.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include "custos.h"

/* The hooks to use: *alloc, or malloc and free when alloc is NULL. */
custos_alloc alloc_or_default(const custos_alloc *alloc);

/* Zeroed memory for count items of size bytes, or NULL. */
void *alloc_take(const custos_alloc *alloc, size_t count, size_t size);

/* Wipes and gives back what alloc_take(alloc, count, size) returned. */
void alloc_give(const custos_alloc *alloc, void *p, size_t count, size_t size);

/*
 * For a process that lives long and does the same over and over: malloc keeps
 * what was freed, up to a few megabytes for each of its arenas, where it would
 * give the top back to the system and fetch it again with every question.
 */
void alloc_keep_freed(void);

#endif
