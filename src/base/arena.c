/*
 * Blocks in a list, newest first. Pieces are taken from the newest block; if a
 * piece does not fit, a new block is allocated.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/ck.h"

enum { BLOCK_BYTES = 4096 };

struct block {
    struct block *next;
    size_t bytes; /* size of the block, including this header */
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

struct arena {
    custos_alloc alloc;
    struct block *newest;
    size_t limit;
    size_t taken;
    size_t allowed; /* bytes that may still be taken; SIZE_MAX: no bound */
    bool denied;
};

arena *
arena_new(const custos_alloc *alloc, size_t limit_bytes)
{
    custos_alloc hooks = alloc_or_default(alloc);
    arena *a = alloc_take(&hooks, 1, sizeof *a);

    if (!a)
        return NULL;
    a->alloc = hooks;
    a->limit = limit_bytes;
    a->allowed = SIZE_MAX;
    return a;
}

void
arena_free(arena *a)
{
    custos_alloc hooks;

    if (!a)
        return;
    hooks = a->alloc;
    for (struct block *b = a->newest, *next; b; b = next) {
        next = b->next;
        alloc_give(&hooks, b, 1, b->bytes);
    }
    alloc_give(&hooks, a, 1, sizeof *a);
}

void
arena_reset(arena *a)
{
    struct block *keep = a->newest;

    if (!keep)
        return;
    for (struct block *b = keep->next, *next; b; b = next) {
        next = b->next;
        a->taken -= b->bytes;
        alloc_give(&a->alloc, b, 1, b->bytes);
    }
    memset(keep->data, 0, keep->used);
    keep->used = 0;
    keep->next = NULL;
}

void
arena_allow(arena *a, size_t bytes)
{
    a->allowed = bytes;
    a->denied = false;
}

bool
arena_is_denied(const arena *a)
{
    return a->denied;
}

/* Subtracts the bytes of one piece from what is allowed; false if there is not
   enough. */
static bool
spend_allowance(arena *a, size_t bytes)
{
    if (a->allowed == SIZE_MAX)
        return true;
    if (bytes > a->allowed) {
        a->denied = true;
        return false;
    }
    a->allowed -= bytes;
    return true;
}

static struct block *
open_block(arena *a, size_t bytes)
{
    size_t whole, taken;
    struct block *b;

    if (bytes < BLOCK_BYTES)
        bytes = BLOCK_BYTES;
    if (!ck_add_size(bytes, sizeof *b, &whole) ||
        !ck_add_size(a->taken, whole, &taken) || taken > a->limit)
        return NULL;
    b = alloc_take(&a->alloc, 1, whole);
    if (!b)
        return NULL;
    b->bytes = whole;
    b->next = a->newest;
    a->newest = b;
    a->taken = taken;
    return b;
}

void *
arena_take(arena *a, size_t count, size_t size)
{
    const size_t step = alignof(max_align_t);
    struct block *b = a->newest;
    size_t bytes;
    void *p;

    if (!ck_mul_size(count, size, &bytes) ||
        !ck_add_size(bytes, step - 1, &bytes))
        return NULL;
    bytes -= bytes % step;
    if (!spend_allowance(a, bytes))
        return NULL;
    if (!b || b->bytes - sizeof *b - b->used < bytes)
        b = open_block(a, bytes);
    if (!b)
        return NULL;
    p = b->data + b->used;
    b->used += bytes;
    return p;
}

char *
arena_copy(arena *a, str text)
{
    size_t room;
    char *p;

    if (!ck_add_size(text.len, 1, &room))
        return NULL;
    p = arena_take(a, room, 1);
    if (p && text.len)
        memcpy(p, text.ptr, text.len);
    return p;
}

size_t
arena_bytes(const arena *a)
{
    return sizeof *a + a->taken;
}
