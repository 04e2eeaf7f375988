/*
 * Masses come from quadrature in x, not from differences of distribution
 * functions, so each mass is a sum of positive terms, even in the tails.
 */
#include "account/line.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* Gauss-Legendre nodes and weights on [-1, 1] for 2, 3 and 5 points. */
static const struct rule {
    int n;
    double node[5], weight[5];
} rules[] = {
    {2, {-0.57735026918962576, 0.57735026918962576}, {1, 1}},
    {3,
     {-0.77459666924148338, 0, 0.77459666924148338},
     {0.55555555555555556, 0.88888888888888889, 0.55555555555555556}},
    {5,
     {-0.90617984593866399, -0.53846931010568309, 0, 0.53846931010568309,
      0.90617984593866399},
     {0.23692688505618909, 0.47862867049936647, 0.56888888888888889,
      0.47862867049936647, 0.23692688505618909}},
};

static struct piece
smooth_piece(const struct line *l, double from, double to)
{
    struct piece s = {0, 0};

    while (from < to) {
        double step = loss_step(l->loss, fmax(fabs(from), fabs(to)));
        double end = from + step < to ? from + step : to;
        double half = (end - from) / 2, part = 2 * half / step;
        const struct rule *g = &rules[part <= 1.0 / 256  ? 0
                                      : part <= 1.0 / 12 ? 1
                                                         : 2];

        for (int i = 0; i < g->n; i++) {
            struct loss_point f =
                loss_at(l->loss, from + half + half * g->node[i]);

            s.p += half * g->weight[i] * f.p;
            s.q += half * g->weight[i] * f.q;
        }
        from = end;
    }
    return s;
}

static struct piece
atoms_piece(const struct line *l, double from, double to)
{
    struct piece s = {0, 0};

    while (from < to) {
        size_t i = (size_t)from;
        double next = (double)i + 1, end = next < to ? next : to;

        s.p += l->p[i] * (end - from);
        s.q += l->q[i] * (end - from);
        from = end;
    }
    return s;
}

struct piece
line_piece(const struct line *l, double x1, double x2)
{
    double from = x1 < x2 ? x1 : x2, to = x1 < x2 ? x2 : x1;

    return loss_is_continuous(l->loss) ? smooth_piece(l, from, to)
                                       : atoms_piece(l, from, to);
}

/* The first atom whose loss is v or more. */
static size_t
atom_from(const struct line *l, double v)
{
    size_t lo = 0, hi = l->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (l->value[mid] < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

double
line_place(const struct line *l, double v)
{
    return loss_is_continuous(l->loss) ? loss_place(l->loss, &l->range, v)
                                       : (double)atom_from(l, v);
}

#define CUT_ROUGH 1e-13 /* error allowed for a cut, relative to a cell's P */

/* Newton's method; each step integrates only what it adds. */
static double
smooth_cut(const struct line *l, double near, double far, double x,
           double exp_a, double want, double mass, struct piece *got)
{
    double most;

    *got = line_piece(l, near, x);
    most = got->p;
    for (int round = 0; round < 8; round++) {
        double miss = want - (got->p - exp_a * got->q), to;
        struct loss_point here;
        struct piece more;

        if (fabs(miss) <= CUT_ROUGH * (got->p + mass))
            break;
        here = loss_at(l->loss, x);
        /* Moves outwards if |gain| is below |want|. */
        to = x + (far > near ? 1 : -1) * miss / (here.p - exp_a * here.q);
        to = fmin(fmax(to, fmin(near, far)), fmax(near, far));
        if (to == x)
            break;
        more = line_piece(l, x, to);
        if (fabs(to - near) < fabs(x - near))
            more = (struct piece){-more.p, -more.q};
        *got = piece_add(*got, more);
        most = fmax(most, got->p);
        x = to;
    }
    /* A small difference of large pieces is not accurate. */
    if (!(got->p > most / 4))
        *got = line_piece(l, near, x);
    return x;
}

/*
 * Takes one atom after another and splits the last one. Atoms whose loss is
 * ln exp_a, up to rounding, are never split, whichever side they are on.
 */
static double
atoms_cut(const struct line *l, double near, double far, double exp_a,
          double want, struct piece *got)
{
    const int side = far > near ? 1 : -1;
    double x = near;

    while (x != far) {
        size_t i = side > 0 ? (size_t)x : (size_t)ceil(x) - 1;
        double end = side > 0 ? fmin((double)i + 1, far) : fmax((double)i, far);
        double each = l->p[i] - exp_a * l->q[i];
        double gain = each * fabs(end - x);

        if (fabs(each) > CUT_ROUGH * l->p[i] && gain * side > want * side) {
            x += (end - x) * fmax(want / gain, 0);
            break;
        }
        want -= gain;
        x = end;
    }
    *got = line_piece(l, near, x);
    return x;
}

double
line_cut(const struct line *l, double near, double far, double guess,
         double exp_a, double want, double mass, struct piece *got)
{
    return loss_is_continuous(l->loss)
               ? smooth_cut(l, near, far, guess, exp_a, want, mass, got)
               : atoms_cut(l, near, far, exp_a, want, got);
}

/*
 * Whether no density of a Gaussian is below e^-701 where the other density
 * matters: doubles lose digits below e^-708. The exponents are half the
 * squares of positions, of which `to` is the largest.
 */
static bool
has_digits(const struct line *l)
{
    return l->loss->base != BASE_GAUSSIAN ||
           l->range.to * l->range.to / 2 <= 700;
}

/* Sets the least and the largest loss; fails if they are too large. */
static custos_status
find_ends(struct line *l)
{
    double a = 0, b = 0, value, mass;

    if (!has_digits(l))
        return CUSTOS_EOVERFLOW;
    if (loss_is_continuous(l->loss)) {
        a = loss_value(l->loss, l->range.from);
        b = loss_value(l->loss, l->range.to);
    } else if (l->n > 0) {
        a = l->value[0];
        b = l->value[l->n - 1];
    }
    l->least = fmin(a, b);
    l->most = fmax(a, b);
    for (size_t i = 0;
         loss_is_continuous(l->loss) && loss_atom(l->loss, i, &value, &mass);
         i++) {
        l->least = fmin(l->least, value);
        l->most = fmax(l->most, value);
    }
    return l->least >= -LOSS_MAX && l->most <= LOSS_MAX ? CUSTOS_OK
                                                        : CUSTOS_EOVERFLOW;
}

/* Drops the outermost atoms, up to a total mass of `tail` under P. */
static void
trim_atoms(struct line *l, double tail)
{
    size_t from = 0, to = l->n;
    double left = 0;

    while (from < to && left + l->p[from] <= tail / 2)
        left += l->p[from++];
    while (from < to && left + l->p[to - 1] <= tail)
        left += l->p[--to];
    l->n = to - from;
    memmove(l->value, l->value + from, l->n * sizeof *l->value);
    memmove(l->p, l->p + from, l->n * sizeof *l->p);
    memmove(l->q, l->q + from, l->n * sizeof *l->q);
    l->range = (struct loss_range){0, (double)l->n, left * (1 + 1e-9)};
}

static custos_status
take_atoms(struct line *l, double tail)
{
    double value, mass;

    l->room = l->loss->n_atoms + 1;
    if (l->room > LINE_ATOMS_MAX)
        return CUSTOS_EOVERFLOW;
    l->value = alloc_take(&l->alloc, l->room, sizeof *l->value);
    l->p = alloc_take(&l->alloc, l->room, sizeof *l->p);
    l->q = alloc_take(&l->alloc, l->room, sizeof *l->q);
    if (!l->value || !l->p || !l->q)
        return CUSTOS_ENOMEM;
    for (size_t i = 0; loss_atom(l->loss, i, &value, &mass); i++) {
        if (!(fabs(value) <= LOSS_MAX) && mass > tail / 4)
            return CUSTOS_EOVERFLOW;
        l->value[i] = value;
        l->p[i] = mass;
        l->q[i] = mass * exp(-value);
        l->n = i + 1;
    }
    trim_atoms(l, tail);
    return CUSTOS_OK;
}

custos_status
line_init(struct line *l, const custos_alloc *alloc, const struct loss *loss,
          double tail)
{
    struct loss_range range = loss_range(loss, tail);
    custos_status st = CUSTOS_OK;

    *l = (struct line){.alloc = alloc_or_default(alloc),
                       .loss = loss,
                       .range = range,
                       .error = loss_error(loss, &range)};
    if (!loss_is_continuous(loss))
        st = take_atoms(l, tail);
    if (!st)
        st = find_ends(l);
    if (st)
        line_clear(l);
    return st;
}

void
line_clear(struct line *l)
{
    alloc_give(&l->alloc, l->value, l->room, sizeof *l->value);
    alloc_give(&l->alloc, l->p, l->room, sizeof *l->p);
    alloc_give(&l->alloc, l->q, l->room, sizeof *l->q);
    l->value = l->p = l->q = NULL;
}
