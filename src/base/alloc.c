/*
 * Allocation hooks. Memory is wiped before it is freed: it may hold an exact
 * value or noise.
 */
#include "base/alloc.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/ck.h"

static void *
take_malloc(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes);
}

static void
give_malloc(void *ctx, void *p, size_t bytes)
{
    (void)ctx;
    (void)bytes;
    free(p);
}

custos_alloc
alloc_or_default(const custos_alloc *alloc)
{
    return alloc ? *alloc : (custos_alloc){take_malloc, give_malloc, NULL};
}

void *
alloc_take(const custos_alloc *alloc, size_t count, size_t size)
{
    size_t bytes;
    void *p;

    if (!ck_mul_size(count, size, &bytes) || bytes == 0)
        return NULL;
    p = alloc->take(alloc->ctx, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

void
alloc_give(const custos_alloc *alloc, void *p, size_t count, size_t size)
{
    if (!p)
        return;
    wipe(p, count * size); /* cannot overflow: alloc_take checked it */
    alloc->give(alloc->ctx, p, count * size);
}

void
alloc_keep_freed(void)
{
    enum { KEPT_BYTES = 4 << 20, MAPPED_BYTES = 1 << 20 };

    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
}
