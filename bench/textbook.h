/*
 * The well-known sampler, for comparison: Canonne, Kamath and Steinke 2020
 * (arXiv:2004.00010), algorithms 1 to 3, line by line on GMP integers and
 * rationals, with uniform words from the same generator as ours. Its law is
 * exact, like ours, but its time grows with the value drawn.
 */
#ifndef BENCH_TEXTBOOK_H
#define BENCH_TEXTBOOK_H

#include <gmp.h>

#include "custos.h"

/* Draws discrete Laplace with scale t/s. Exits if there is no randomness. */
void textbook_laplace(custos_rng *rng, const mpz_t t, const mpz_t s, mpz_t out);

/* Draws the discrete Gaussian with this sigma^2. */
void textbook_gauss(custos_rng *rng, const mpq_t variance, mpz_t out);

#endif
