/*
 * Shared by all tests: a seeded and a taped source of random words in place of
 * the product's, memory that fails on demand, and small statistics.
 */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "custos.h"

/* How much to do: `few` if CUSTOS_QUICK is set (valgrind), otherwise `many`. */
static inline int
test_size(int few, int many)
{
    return getenv("CUSTOS_QUICK") ? few : many;
}

/* A fixed stream: the same words for the same seed, on every machine. */
custos_rng *test_rng_seeded(uint64_t seed);

/*
 * Exactly these words, which are borrowed, then CUSTOS_EENTROPY. For walking
 * all tapes, and for failing at the n-th word.
 */
custos_rng *test_rng_taped(const uint64_t *words, size_t n);

/* A seeded stream that fails from word n on. */
custos_rng *test_rng_failing(uint64_t seed, size_t n);

/* Words handed out so far. */
size_t test_rng_used(const custos_rng *rng);

void test_rng_free(custos_rng *rng);

/*
 * What custos_rng_new returns to code under test that makes its own handle: a
 * seeded stream (seed 1 by default), or words that are all 0, with which every
 * discrete Laplace and Gaussian draw is 0. This turns noise off, in tests only.
 */
void test_rng_new_seeded(uint64_t seed);
void test_rng_new_silent(void);

/* Memory that fails at the n-th allocation (counting from 1; 0: never). */
struct test_memory {
    size_t fail_at;
    size_t takes;
    size_t live; /* blocks not yet freed */
};

custos_alloc test_alloc(struct test_memory *memory);

/*
 * Chi-square test of counts against expected, with cells of expectation below
 * 10 pooled: the probability of a value at least this large under the law.
 */
double
test_chi_square_p(const uint64_t *counts, const double *expected, size_t cells);

/* The regularised upper incomplete gamma function Q(a, x). */
double test_gamma_q(double a, double x);

#endif
