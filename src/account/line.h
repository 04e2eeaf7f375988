/*
 * A privacy loss laid out on a line of places, so that it can be cut at any
 * place: x where it is continuous; for atoms, atom i lies evenly on [i, i + 1),
 * and a cut within it splits the outcome by a coin.
 *
 * THEOREM  quadrature-weights
 *   Gauss-Legendre rules of 2, 3 and 5 points, on panels of 1/256, 1/12 and
 *   all of loss_step, give P and Q of any stretch within a relative 1e-14, of
 *   which the rule's own error is below 5e-15.
 * SOURCE   doc/proofs/quadrature-weights.md
 * NEEDS    losses of at most LOSS_MAX.
 * GIVES    line_piece, within line.error, roundings included; at most `tail`
 *          of P lies outside.
 * FAILS    cannot.
 * TESTED   line_pieces_agree_with_exact_integrals,
 *          densities_that_underflow_are_refused
 */
#ifndef ACCOUNT_LINE_H
#define ACCOUNT_LINE_H

#include "account/loss.h"
#include "custos.h"

enum { LINE_ATOMS_MAX = 1 << 20 };

struct line {
    custos_alloc alloc;
    const struct loss *loss; /* borrowed */
    struct loss_range range; /* of places */
    double *value, *p, *q;   /* BASE_ATOMS: of atom i */
    size_t n, room;
    double error;       /* relative of masses, absolute of losses */
    double least, most; /* finite losses, flanks included */
};

/* The masses of P and Q on a stretch. */
struct piece {
    double p, q;
};

/*
 * CUSTOS_EOVERFLOW past LINE_ATOMS_MAX or LOSS_MAX, or where densities would
 * underflow; CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status line_init(struct line *l,
                                        const custos_alloc *alloc,
                                        const struct loss *loss, double tail);
void line_clear(struct line *l);

/* The place where losses pass from below v to v or more. */
double line_place(const struct line *l, double v);

/* The masses between two places, in either order. */
struct piece line_piece(const struct line *l, double x1, double x2);

/*
 * The cut between near and far at which P - exp_a Q of the piece from near on
 * has reached `want`, to a part of `mass` where possible; *got is that piece.
 * `guess` is where to look first.
 */
double line_cut(const struct line *l, double near, double far, double guess,
                double exp_a, double want, double mass, struct piece *got);

static inline struct piece
piece_add(struct piece a, struct piece b)
{
    return (struct piece){a.p + b.p, a.q + b.q};
}

#endif
