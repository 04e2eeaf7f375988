/*
 * The auditor's one hash, FNV-1a in 64 bits: it gives what is not a number a
 * name, so that outputs can be counted by it. It defends against nothing; two
 * texts that meet by chance only hide a difference.
 */
#ifndef AUDIT_HASH_H
#define AUDIT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

static inline uint64_t
hash_byte(uint64_t h, unsigned char byte)
{
    return (h ^ byte) * UINT64_C(0x100000001b3);
}

static inline uint64_t
hash_bytes(uint64_t h, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = hash_byte(h, (unsigned char)bytes[i]);
    return h;
}

/* With the NUL at the end, so that texts do not run together. */
static inline uint64_t
hash_text(uint64_t h, const char *text)
{
    return hash_bytes(h, text, strlen(text) + 1);
}

static inline uint64_t
hash_number(uint64_t h, uint64_t n)
{
    for (int i = 0; i < 8; i++)
        h = hash_byte(h, (unsigned char)(n >> (8 * i)));
    return h;
}

static inline uint32_t
hash_fold(uint64_t h)
{
    return (uint32_t)(h ^ h >> 32);
}

#endif
