/*
 * Small definitions for every file: 128-bit integers, a check that stays on in
 * every build, and wiping memory.
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

/*
 * For our own bugs where continuing could leak data: aborts, in every build.
 * Never for conditions that a caller, the disk or memory can cause.
 */
#define CUSTOS_REQUIRE(fact)                                                   \
    do {                                                                       \
        if (__builtin_expect(!(fact), 0))                                      \
            abort(); /* UNREACHABLE: only a bug of ours gets here */           \
    } while (0)

/* Put before a hot loop with a constant number of iterations, at most 16:
   unrolls it. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Writes x in decimal, NUL-terminated, and returns the length. Cannot fail. */
size_t custos_int_write(i128 x, char text[41]);

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Overwrites memory in a way that the compiler cannot optimise away. Cannot
   fail. */
static inline void
wipe(void *p, size_t bytes)
{
    explicit_bzero(p, bytes);
}

#endif
