/*
 * Structs of the public interface whose first member is the size that the
 * caller was compiled with: options, which are read, and results, which are
 * written. A caller may be older than the library and know fewer members.
 */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

/* The size of a caller's struct; 0 if it is NULL or this cannot be a size.
   Every such struct is larger than its size_t, and a multiple of it. */
static inline size_t
sized_bytes(const void *of)
{
    size_t size = 0;

    if (of)
        memcpy(&size, of, sizeof size);
    return size < 2 * sizeof size || size % sizeof size ? 0 : size;
}

/*
 * Copies the caller's options into a struct of `room` bytes; members that the
 * caller does not know become zero. False if they are NULL or this library does
 * not know their size.
 */
static inline bool
options_read(void *to, size_t room, const void *from)
{
    size_t size = sized_bytes(from);

    if (size == 0 || size > room)
        return false;
    memset(to, 0, room);
    memcpy(to, from, size);
    return true;
}

/* Whether the caller's result has its size. */
CUSTOS_MUST_USE static inline custos_status
result_check(const void *out, custos_err *err)
{
    if (sized_bytes(out) > 0)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL,
                       "the result must not be NULL and must have its size "
                       "set" HINT "initialise it with the _INIT macro of its "
                       "type");
}

/*
 * Copies a result of `bytes` bytes into the caller's struct, which has its
 * size, as far as both know its members. The caller's size stays.
 */
static inline void
result_write(void *out, const void *made, size_t bytes)
{
    size_t size = sized_bytes(out);
    size_t least = size < bytes ? size : bytes;

    if (least > sizeof size)
        memcpy((char *)out + sizeof size, (const char *)made + sizeof size,
               least - sizeof size);
}

#endif
