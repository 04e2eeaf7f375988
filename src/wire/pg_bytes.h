/*
 * Reads and writes integers in network byte order.
 */
#ifndef WIRE_PG_BYTES_H
#define WIRE_PG_BYTES_H

#include <stdint.h>

#include "base/str.h"

static inline uint16_t
u16_at(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;

    return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t
u32_at(const char *p)
{
    return (uint32_t)u16_at(p) << 16 | u16_at(p + 2);
}

static inline uint64_t
u64_at(const char *p)
{
    return (uint64_t)u32_at(p) << 32 | u32_at(p + 4);
}

static inline void
u32_put(char *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (char)(x >> (24 - 8 * i) & 0xff);
}

static inline void
add_u8(struct buf *out, uint8_t x)
{
    buf_add(out, (const char *)&x, 1);
}

static inline void
add_u16(struct buf *out, uint16_t x)
{
    char bytes[] = {(char)(x >> 8), (char)(x & 0xff)};

    buf_add(out, bytes, sizeof bytes);
}

static inline void
add_u32(struct buf *out, uint32_t x)
{
    char bytes[4];

    u32_put(bytes, x);
    buf_add(out, bytes, sizeof bytes);
}

static inline void
add_u64(struct buf *out, uint64_t x)
{
    add_u32(out, (uint32_t)(x >> 32));
    add_u32(out, (uint32_t)x);
}

#endif
