/*
 * Memory through the caller's hooks. A handle keeps a copy of the hooks it was
 * made with, and is freed through them.
 */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include "custos.h"

/* The hooks to use: *alloc, or malloc and free when alloc is NULL. */
custos_alloc alloc_or_default(const custos_alloc *alloc);

/* Zeroed memory for count items of size bytes, or NULL. */
void *alloc_take(const custos_alloc *alloc, size_t count, size_t size);

/* Wipes and frees what alloc_take(alloc, count, size) returned. */
void alloc_give(const custos_alloc *alloc, void *p, size_t count, size_t size);

/*
 * For long-lived processes: makes malloc keep freed memory, up to a few
 * megabytes in each of its arenas, instead of returning it to the system and
 * requesting it again for every question.
 */
void alloc_keep_freed(void);

#endif
