/*
 * Reads an options struct whose first member is the size that the caller was
 * compiled with. Fields that an older caller does not have become zero.
 */
#ifndef MECH_OPTIONS_H
#define MECH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Copies the caller's struct into one of `room` bytes. False if it is NULL or
 * this library does not know its size.
 */
static inline bool
options_read(void *to, size_t room, const void *from)
{
    size_t size = 0;

    if (from)
        memcpy(&size, from, sizeof size);
    /* Options contain pointers, so their size is a multiple of a pointer's. */
    if (size < 2 * sizeof size || size > room || size % sizeof size)
        return false;
    memset(to, 0, room);
    memcpy(to, from, size);
    return true;
}

#endif
