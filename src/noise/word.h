/*
 * The machine word of the samplers: 64 bits in the product. The same sources
 * built with 16 bits can be tested on every possible word.
 */
#ifndef NOISE_WORD_H
#define NOISE_WORD_H

#include <stdint.h>

#ifndef NOISE_WORD_BITS
#define NOISE_WORD_BITS 64
#endif

#if NOISE_WORD_BITS == 64
typedef uint64_t word;
typedef unsigned __int128 word_pair;
#elif NOISE_WORD_BITS == 16
typedef uint16_t word;
typedef uint32_t word_pair;
#else
#error "NOISE_WORD_BITS is 64, or 16 for the exhaustive tests"
#endif

/*
 * The constant-time check runs the samplers under valgrind with all random
 * words marked undefined, so valgrind reports any branch or address that
 * depends on them. ct_open marks the few bits that may be revealed (was there
 * a tie? was the proposal accepted?). In the product it costs nothing.
 */
#ifdef CUSTOS_CT_CHECK
#include <valgrind/memcheck.h>
#define ct_open(p, bytes) VALGRIND_MAKE_MEM_DEFINED(p, bytes)
#else
/* Hides the value from the compiler, which might otherwise branch on it. */
#define ct_open(p, bytes) __asm__ volatile("" : : "r"(p) : "memory")
#endif

#endif
