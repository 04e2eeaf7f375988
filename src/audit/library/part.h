/*
 * What the files of library/ share: how a mechanism is made, and how numbers of a
 * data set become what libcustos takes.
 */
#ifndef AUDIT_LIBRARY_PART_H
#define AUDIT_LIBRARY_PART_H

#include "audit/library/library.h"

/* Rounds to the nearest whole number, and saturates. */
int64_t part_int(double x);

/* Seals the first n numbers; missing ones are 0. n is 1 to AUDIT_WIDTH_MAX. */
CUSTOS_MUST_USE custos_status part_seal_ints(const struct data *data, size_t n,
                                             custos_sealed **out,
                                             custos_err *err);

/* `open` and `close` of every target here: the thread's own custos_rng. */
custos_status
part_open(const struct audit_target *target, void **state, custos_err *err);
void part_close(void *state);

/*
 * Begins a target: a handle of `size` zeroed bytes, freed by `clear` and free().
 * Fails with CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status part_begin(struct library_target *out,
                                         size_t size,
                                         void (*clear)(void *handle),
                                         custos_err *err);

/* The facts' epsilon and delta ("0.5", "1/3", "infinity") as a claim. */
struct claim part_claim(const char *epsilon, const char *delta);

/* "0.1", "1e-6" or "1/8" as a double, rounded up if it is not exact. */
double part_number(const char *text);

/*
 * The least mu at which discrete Gaussian noise on whole numbers that differ by 1
 * is mu-GDP: 1/sigma and a little, and more where sigma is small.
 */
double part_discrete_mu(double sigma);

enum { PART_TEXT_MAX = 256 };

/* Keeps an option's text, which the caller may free. Fails with CUSTOS_ERANGE if
   it is too long. */
CUSTOS_MUST_USE custos_status part_keep(char to[PART_TEXT_MAX],
                                        const char *name, const char *text,
                                        custos_err *err);

#define MAKE(name)                                                             \
    custos_status make_##name(const struct library_options *options,           \
                              struct library_target *out, custos_err *err)

/* additive.c */
MAKE(laplace);
MAKE(laplace_reals);
MAKE(laplace_wide);
MAKE(gaussian);
MAKE(gaussian_reals);
MAKE(gaussian_rho);
MAKE(histogram);
MAKE(histogram_change);
MAKE(histogram_gaussian);

/* noise.c */
MAKE(noise_laplace);
MAKE(noise_gaussian);

/* select.c */
MAKE(exponential);
MAKE(permute_and_flip);
MAKE(noisy_max);
MAKE(permute_monotone);

/* sparse.c */
MAKE(sparse_vector);
MAKE(sparse_values);

/* sums.c */
MAKE(sums_prefixes);
MAKE(sums_elements);
MAKE(sums_tree);
MAKE(sums_root);
MAKE(stream_tree);
MAKE(stream_root);

/* keys.c */
MAKE(threshold);
MAKE(keys_geometric);
MAKE(keys_laplace);
MAKE(keys_gaussian);

/* quantile.c */
MAKE(quantile);

/* response.c */
MAKE(two_coins);
MAKE(response_gamma);
MAKE(response_kary);

#endif
