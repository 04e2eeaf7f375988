/*
 * Marginals: tables of counts or sums over sets of keys, answered together. A table has
 * a cell for each combination of the values of its keys; the first key varies
 * slowest. Keys are numbered, and a set of keys is a number of bits.
 *
 * What gets noise is the *residual*: for a set A of keys with
 * sizes n_i and the exact table x of A, the vector Q_A x, where Q_A is the
 * Kronecker product of the matrices n_i I - J (J: all ones). It is a vector of
 * whole numbers. Q_A / n_A, n_A the number of cells, is the projection P_A onto
 * the tables whose sums along each key are 0, so that residuals of different sets
 * have nothing in common; and the table of B is
 *
 *   x_B (c) = 1/n_B * sum over A in B of (Q_A x_A)(c_A).
 */
#ifndef MECH_MARGINALS_H
#define MECH_MARGINALS_H

#include "base/base.h"
#include "custos.h"
#include "num/rat.h"

/* Limits of one table, which the bounds on sums rest on (marginals.c). */
enum {
    MARGINALS_KEYS = 7,
    MARGINALS_CELLS = 1 << 20,
    MARGINALS_TRUST = 1 << 15
};

enum marginals_kind {
    MARGINALS_RESIDUAL, /* noise on the residual of every subset of a set */
    MARGINALS_TABLES,   /* noise on tables; the residual of A is a mean of those
                           of the noisy tables that have its keys */
};

struct marginals {
    enum marginals_kind kind;
    size_t n_keys;
    size_t *size;   /* by key: its values; at least 1 */
    uint32_t *sets; /* of the tables that are answered, in their order */
    size_t *first;  /* n_sets + 1: the first cell of each table among all */
    size_t n_sets;
    uint32_t *faces; /* all subsets of sets, ascending */
    size_t n_faces;
    uint32_t *noisy; /* of the tables that get noise, ascending */
    size_t n_noisy;
    uint32_t *trust; /* MARGINALS_TABLES: the weights of the noisy tables in
                        these means, 1 .. MARGINALS_TRUST */
    int log2;        /* exact cells are at most 2^log2 in absolute value */
};

/* The cells of the table of a set; saturates at SIZE_MAX. */
size_t marginals_cells(const struct marginals *m, uint32_t set);

/* The number of a set among m->faces, which it must be. */
size_t marginals_face(const struct marginals *m, uint32_t set);

/* Are the tables so small, for cells of this size, that no sum overflows? */
bool marginals_fit(const struct marginals *m);

/* The set whose table has cell `cell` of all tables, one after the other. */
size_t marginals_set_of(const struct marginals *m, size_t cell);

/* The value of `key`, which set number `set` must have, in that cell. */
size_t
marginals_value(const struct marginals *m, size_t set, size_t cell, size_t key);

/*
 * THEOREM  residual-marginals
 *   All entries of Q_A are whole numbers; the squares of a column add up to
 *   E = product of n_i (n_i - 1), its absolute values to product of 2 (n_i - 1).
 *   Let a unit have m rows, and a row add a whole number in [a, b] to one cell or
 *   to none; a <= 0 <= b and R = max(-a, b). Adding or removing the unit changes
 *   Q_A x by at most m^2 R^2 E in l2 squared. Replacing it: by at most m^2 E times
 *   the larger of 2 R^2 n/(n - 1), n the smallest of the n_i, and (b - a)^2; if A
 *   is empty, by m^2 (b - a)^2.
 * SOURCE   Xiao, He, Zhang, Kifer 2023, arXiv:2305.08175 (residuals and their
 *          optimal noise); doc/proofs/residual-marginals.md
 * NEEDS    every n_i at least 2; noise on whole numbers.
 * GIVES    *l1, an upper bound, and *l2_squared, the largest there is, for m = 1.
 * FAILS    cannot.
 * TESTED   residual_sensitivity_is_the_largest_change
 */
void residual_sensitivity(const struct marginals *m, uint32_t set, bool change,
                          i128 low, i128 high, rat *l1, rat *l2_squared);

/* x, the table of a set, becomes Q x. */
void residual_multiply(const struct marginals *m, uint32_t set, i128 *x);

/*
 * Releases Q x with the noise of mech. Opens `sealed` as any mechanism does; no
 * step depends on values. May fail: as release_i128; CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status residual_release(
    const struct marginals *m, uint32_t set, const custos_mech *mech,
    custos_rng *rng, custos_sealed *sealed, i128 *out, custos_err *err);

/*
 * THEOREM  marginals-add-up
 *   Let the tables be rebuilt from residuals, or from what noisy tables say about
 *   these, their sums over all cells up to c
 *   be rounded to whole numbers, where a sum over all values of a key is that of
 *   the table without it, and differences be taken again. Then each table's sums
 *   along a key are exactly the table without that key, and rounding has moved
 *   each cell of a table of k keys by at most 2^(k - 1) + 2^-9.
 * SOURCE   doc/proofs/residual-marginals.md
 * NEEDS    released values: this is after the noise.
 * GIVES    out: the cells of all tables, in the order of m->sets. values: by
 *          number of m->noisy.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   marginals_add_up marginals_without_noise_are_exact
 *          marginals_of_tables_are_means
 */
CUSTOS_MUST_USE custos_status marginals_rebuild(const struct marginals *m,
                                                i128 *const *values, i128 *out,
                                                custos_err *err);

#endif
