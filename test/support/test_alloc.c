/*
 * Memory that fails on demand and counts blocks that were not freed.
 */
#include <stdlib.h>

#include "support/support.h"

static void *
take(void *ctx, size_t bytes)
{
    struct test_memory *m = ctx;
    void *p;

    if (++m->takes == m->fail_at)
        return NULL;
    p = malloc(bytes);
    if (!p)
        abort();
    m->live++;
    return p;
}

static void
give(void *ctx, void *p, size_t bytes)
{
    struct test_memory *m = ctx;

    (void)bytes;
    m->live--;
    free(p);
}

custos_alloc
test_alloc(struct test_memory *memory)
{
    return (custos_alloc){take, give, memory};
}
