/*
 * See textbook.h. Written to be read: every function follows an algorithm of
 * the paper step by step and has its own temporary numbers. (Reusing these, and
 * not reducing fractions, would make it about six times faster, but it would
 * differ from the paper.)
 */
#include "textbook.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "random/rng.h"

enum { WORDS_MAX = 64 };

/* Draws u uniformly from 0 .. n-1: draws as many bits as n - 1 has, and repeats
   while u is too large. */
static void
uniform_below(custos_rng *rng, const mpz_t n, mpz_t u)
{
    uint64_t w[WORDS_MAX];
    size_t bits, words;

    mpz_sub_ui(u, n, 1);
    bits = mpz_sgn(u) ? mpz_sizeinbase(u, 2) : 0;
    words = (bits + 63) / 64;
    do {
        if (words > WORDS_MAX || rng_words(rng, w, words)) {
            fputs("bench: no randomness for the textbook sampler\n", stderr);
            exit(1);
        }
        mpz_import(u, words, -1, sizeof w[0], 0, 0, w);
        mpz_fdiv_r_2exp(u, u, bits);
    } while (mpz_cmp(u, n) >= 0);
}

static bool
bernoulli(custos_rng *rng, const mpq_t p)
{
    bool heads;
    mpz_t u;

    mpz_init(u);
    uniform_below(rng, mpq_denref(p), u);
    heads = mpz_cmp(u, mpq_numref(p)) < 0;
    mpz_clear(u);
    return heads;
}

/* Algorithm 1 for gamma in [0, 1]. */
static bool
bernoulli_exp_unit(custos_rng *rng, const mpq_t gamma)
{
    unsigned long count = 0;
    mpq_t k, p;
    bool more;

    mpq_inits(k, p, NULL);
    do {
        mpq_set_ui(k, ++count, 1);
        mpq_div(p, gamma, k);
        more = bernoulli(rng, p);
    } while (more);
    mpq_clears(k, p, NULL);
    return count % 2 == 1;
}

/* Algorithm 1 for gamma >= 0. */
static bool
bernoulli_exp(custos_rng *rng, const mpq_t gamma)
{
    bool heads = true;
    mpq_t one, rest;
    mpz_t k, whole;

    mpq_inits(one, rest, NULL);
    mpz_inits(k, whole, NULL);
    mpq_set_ui(one, 1, 1);
    mpz_fdiv_q(whole, mpq_numref(gamma), mpq_denref(gamma));
    for (mpz_set_ui(k, 1); heads && mpz_cmp(k, whole) <= 0; mpz_add_ui(k, k, 1))
        heads = bernoulli_exp_unit(rng, one);
    if (heads) {
        mpq_set_z(rest, whole);
        mpq_sub(rest, gamma, rest);
        heads = bernoulli_exp_unit(rng, rest);
    }
    mpq_clears(one, rest, NULL);
    mpz_clears(k, whole, NULL);
    return heads;
}

/* Algorithm 2. */
void
textbook_laplace(custos_rng *rng, const mpz_t t, const mpz_t s, mpz_t out)
{
    bool minus, again;
    mpq_t gamma, one, half;
    mpz_t u, v;

    mpq_inits(gamma, one, half, NULL);
    mpz_inits(u, v, NULL);
    mpq_set_ui(one, 1, 1);
    mpq_set_ui(half, 1, 2);
    do {
        do {
            uniform_below(rng, t, u);
            mpq_set_num(gamma, u);
            mpq_set_den(gamma, t);
            mpq_canonicalize(gamma);
        } while (!bernoulli_exp(rng, gamma));
        mpz_set_ui(v, 0);
        while (bernoulli_exp(rng, one))
            mpz_add_ui(v, v, 1);
        mpz_addmul(u, t, v);
        mpz_fdiv_q(out, u, s);
        minus = bernoulli(rng, half);
        again = minus && mpz_sgn(out) == 0;
    } while (again);
    if (minus)
        mpz_neg(out, out);
    mpq_clears(gamma, one, half, NULL);
    mpz_clears(u, v, NULL);
}

/* Algorithm 3. */
void
textbook_gauss(custos_rng *rng, const mpq_t variance, mpz_t out)
{
    mpz_t t, one, y;
    mpq_t center, gamma;

    mpz_inits(t, one, y, NULL);
    mpq_inits(center, gamma, NULL);
    mpz_set_ui(one, 1);
    mpz_fdiv_q(t, mpq_numref(variance), mpq_denref(variance));
    mpz_sqrt(t, t);
    mpz_add_ui(t, t, 1);
    mpq_set_z(center, t);
    mpq_div(center, variance, center);
    do {
        textbook_laplace(rng, t, one, out);
        mpz_abs(y, out);
        mpq_set_z(gamma, y);
        mpq_sub(gamma, gamma, center);
        mpq_mul(gamma, gamma, gamma);
        mpq_div(gamma, gamma, variance);
        mpq_div_2exp(gamma, gamma, 1);
    } while (!bernoulli_exp(rng, gamma));
    mpz_clears(t, one, y, NULL);
    mpq_clears(center, gamma, NULL);
}
