/*
 * A privacy loss laid out on a line, so that it can be cut anywhere. If the
 * loss is continuous, a position on the line is the x of loss.h. Otherwise
 * atom i is spread evenly over [i, i + 1), and a cut within it splits the
 * outcome by a coin.
 *
 * THEOREM  quadrature-weights
 *   Gauss-Legendre rules of 2, 3 and 5 points, on panels of at most
 *   loss_step/256, loss_step/12 and loss_step, give P and Q of any interval
 *   within a relative error of 1e-14. The quadrature's own part of that error
 *   is below 5e-15.
 * SOURCE   doc/proofs/quadrature-weights.md
 * NEEDS    losses of at most LOSS_MAX.
 * GIVES    line_piece, within line.error, rounding included; at most `tail` of
 *          P is outside.
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
    struct loss_range range; /* of positions */
    double *value, *p, *q;   /* BASE_ATOMS: the loss, P and Q of atom i */
    size_t n, room;
    double error;       /* of masses (relative) and of losses (absolute) */
    double least, most; /* of the finite losses, flanks included */
};

/* The masses of P and Q on an interval of the line. */
struct piece {
    double p, q;
};

/*
 * Fails with CUSTOS_ENOMEM; with CUSTOS_EOVERFLOW for LINE_ATOMS_MAX atoms or
 * more, for losses above LOSS_MAX, and if densities would underflow.
 */
CUSTOS_MUST_USE custos_status line_init(struct line *l,
                                        const custos_alloc *alloc,
                                        const struct loss *loss, double tail);
void line_clear(struct line *l);

/* The position where losses pass from below v to v or more. */
double line_place(const struct line *l, double v);

/* The masses between two positions, in either order. */
struct piece line_piece(const struct line *l, double x1, double x2);

/*
 * Finds the cut between near and far where P - exp_a Q, counted from near,
 * reaches `want`; if possible with an error far below `mass`. *got is the
 * piece from near to the cut. The search starts at `guess`.
 */
double line_cut(const struct line *l, double near, double far, double guess,
                double exp_a, double want, double mass, struct piece *got);

static inline struct piece
piece_add(struct piece a, struct piece b)
{
    return (struct piece){a.p + b.p, a.q + b.q};
}

#endif
