/*
 * Puts a loss on the grid. Two walks, from the ends towards the heaviest cell,
 * cut the line once between each grid point and the next. The pieces between
 * points and cuts then add up to the cells of `up` (from point to point) and
 * to the cells of `low` (from cut to cut).
 *
 * The gain of a piece at a grid point of loss a is P - e^a Q: it is 0 if the
 * piece's ln P/Q is a.
 */
#include "account/weights.h"

#include <math.h>

#include "account/line.h"
#include "base/alloc.h"
#include "base/base.h"

#define CUT_ERROR 2e-13 /* of a cell's P: a smaller gain counts as 0 */

/* What the passes over the grid share. */
struct pass {
    struct weights *w;
    const struct line *line;
    double offset;
};

static double
value_at(const struct pass *p, size_t i)
{
    return (double)(p->w->first + (long)i) * p->w->h + p->offset;
}

static double
place_at(const struct pass *p, size_t i)
{
    return line_place(p->line, value_at(p, i));
}

/*
 * Whether all atoms between points i and i + 1 are at point i, up to rounding.
 */
static bool
is_on_point(const struct pass *p, size_t i)
{
    size_t end;

    if (loss_is_continuous(p->line->loss))
        return false;
    end = (size_t)place_at(p, i + 1);
    return end == 0 ||
           p->line->value[end - 1] <= value_at(p, i) + 2 * p->line->error;
}

/*
 * Splits the mass between points i and i + 1 by connect-the-dots. The upper
 * point's part is raised by the error of the gain, unless all losses equal the
 * lower point up to an error that `shift` covers.
 */
static void
put_up(const struct pass *p, size_t i, struct piece s)
{
    struct weights *w = p->w;
    double gain = fmax(s.p - exp(value_at(p, i)) * s.q, 0);
    double b = (gain + 4 * p->line->error * s.p) / -expm1(-w->h);

    b = is_on_point(p, i) ? 0 : fmin(b, s.p);
    w->up[i + 1] += b;
    w->up[i] += s.p - b;
}

/* Whether the ln P/Q of a cell is at least the loss of its point. */
static bool
reaches_point(const struct pass *p, size_t i, struct piece s)
{
    return s.p - exp(value_at(p, i)) * s.q >= -CUT_ERROR * s.p;
}

/*
 * Puts a cell of `low` on its point, or on the point below if its ln P/Q is
 * less than its point's loss.
 */
static void
put_low(const struct pass *p, size_t i, struct piece s)
{
    if (!reaches_point(p, i, s))
        i -= i > 0;
    p->w->low[i] += s.p;
}

/* The gain that put_low gives away for a cell. */
static double
cost_low(const struct pass *p, size_t i, struct piece s)
{
    if (!reaches_point(p, i, s))
        i -= i > 0;
    return fmax(s.p - exp(value_at(p, i)) * s.q, 0);
}

/*
 * A walk over the grid points from one end. It cuts the line into cells with
 * no gain at their own points, so a cell's ln P/Q is its point's loss. Each
 * cut is found from the one before; the errors shrink if the density rises
 * along the walk.
 */
struct walk {
    const struct pass *p;
    int side;               /* +1 upwards, -1 downwards */
    bool fills;             /* false if this is only a trial */
    double cut;             /* the last cut */
    struct piece ahead;     /* between the last point and the cut */
    double part, last_part; /* last two cuts, as fractions of steps */
    double next;            /* position of the next point */
};

/* Begins a walk with a cut halfway between grid point `start` and the next. */
static struct walk
walk_from(const struct pass *p, int side, size_t start, bool fills)
{
    double near = place_at(p, start);
    double next = place_at(p, side > 0 ? start + 1 : start - 1);
    double cut = near + (next - near) / 2;

    return (struct walk){.p = p,
                         .side = side,
                         .fills = fills,
                         .cut = cut,
                         .ahead = line_piece(p->line, near, cut),
                         .part = 0.5,
                         .last_part = 0.5,
                         .next = next};
}

/* The piece from the last cut to the next point. */
static struct piece
walk_rest(const struct walk *k)
{
    return line_piece(k->p->line, k->cut, k->next);
}

/* Moves to the cut beyond point i; returns the cell of i. */
static struct piece
walk_on(struct walk *k, size_t i)
{
    const struct pass *p = k->p;
    const struct piece rest = walk_rest(k);
    double exp_a = exp(value_at(p, i)), near = k->next;
    double far = place_at(p, k->side > 0 ? i + 1 : i - 1);
    double guess = fmin(fmax(2 * k->part - k->last_part, 0.05), 0.95);

    if (k->fills)
        put_up(p, k->side > 0 ? i - 1 : i, piece_add(k->ahead, rest));
    k->cut = line_cut(p->line, near, far, near + (far - near) * guess, exp_a,
                      exp_a * rest.q - rest.p, rest.p, &k->ahead);
    k->last_part = k->part;
    k->part = far != near ? (k->cut - near) / (far - near) : 0.5;
    k->next = far;
    return piece_add(rest, k->ahead);
}

enum { LOCAL = 64 }; /* cells after which a walk's start hardly matters */

/* The gain, relative to the mass, of the cell where the two walks meet. */
static double
mismatch(const struct pass *p, size_t meet, double offset)
{
    struct pass there = *p;
    struct walk up, down;
    struct piece s;
    size_t from = meet > LOCAL ? meet - LOCAL : 0;
    size_t to = meet + LOCAL < p->w->n ? meet + LOCAL : p->w->n - 1;

    there.offset = offset;
    up = walk_from(&there, 1, from, false);
    down = walk_from(&there, -1, to, false);
    for (size_t i = from + 1; i < meet; i++)
        walk_on(&up, i);
    for (size_t i = to - 1; i > meet; i--)
        walk_on(&down, i);
    s = piece_add(walk_rest(&up), walk_rest(&down));
    return s.p > 0 ? 1 - exp(value_at(&there, meet)) * s.q / s.p : 0;
}

/*
 * The gain of the cell where the walks meet depends on the grid's offset. It
 * vanishes if the density is smooth on the grid's scale. If it does not vanish
 * (as at the low end of a sampled loss), this looks for an offset at which it
 * does. Any offset is valid.
 */
static double
best_offset(const struct pass *p, size_t meet)
{
    enum { TRIES = 6, ROUNDS = 6 };
    const double h = p->w->h, small = 1e-5 * h;
    double a = 0, b, at_a = mismatch(p, meet, a), at_b;

    for (int t = 1; t <= TRIES && fabs(at_a) > small; t++) {
        b = t * h / TRIES;
        at_b = mismatch(p, meet, b);
        if ((at_a < 0) != (at_b < 0) && fabs(at_a - at_b) < h / 4) {
            for (int round = 0; round < ROUNDS && fabs(at_a) > small; round++) {
                double c = a - at_a * (b - a) / (at_b - at_a);
                double at_c = mismatch(p, meet, c);

                if ((at_c < 0) == (at_b < 0)) {
                    b = a;
                    at_b = at_a;
                }
                a = c;
                at_a = at_c;
            }
            break;
        }
        a = b;
        at_a = at_b;
    }
    return fmin(fmax(a, 0), h);
}

/* One of Laplace's flanks. */
struct flank {
    double value;
    struct piece mass;
};

/* Gets the i-th flank; 0 is the lower one. */
static bool
flank_get(const struct line *line, size_t i, struct flank *f)
{
    double value, mass;

    if (line->loss->base != BASE_LAPLACE ||
        !loss_atom(line->loss, i, &value, &mass))
        return false;
    *f = (struct flank){value, {mass, mass * exp(-value)}};
    return true;
}

/* The grid point at or below a loss. */
static size_t
point_below(const struct pass *p, double value)
{
    double steps = floor((value - p->offset) / p->w->h);

    return (size_t)((long)steps - p->w->first);
}

/* Puts a flank of `low` on the grid point at or below its loss. */
static void
put_flank_low(const struct pass *p, const struct flank *f)
{
    p->w->low[point_below(p, f->value + CUT_ERROR)] += f->mass.p;
}

/*
 * The lower flank is heavy and rarely on the grid, so it is merged with enough
 * of the line next to it to reach the next point. Sets *k to a walk that goes
 * on from there; false if there is not enough before `meet`.
 */
static bool
lift_flank(const struct pass *p, const struct flank *f, size_t meet,
           struct walk *k, size_t *start)
{
    size_t i = point_below(p, f->value - CUT_ERROR) + 1, j = i;
    double near = place_at(p, 0), far = place_at(p, meet - 1), cut;
    double exp_a = exp(value_at(p, i)), want = exp_a * f->mass.q - f->mass.p;
    struct piece all = line_piece(p->line, near, far), got;
    double gain = all.p - exp_a * all.q, guess;

    if (!(gain > 2 * fabs(want)))
        return false;
    guess = near + (far - near) * sqrt(fmax(want, 0) / gain);
    cut = line_cut(p->line, near, far, guess, exp_a, fmax(want, 0), f->mass.p,
                   &got);
    while (j < meet && fabs(place_at(p, j) - near) <= fabs(cut - near))
        j++;
    if (j + 1 >= meet)
        return false;
    put_low(p, i, piece_add(f->mass, got));
    for (size_t m = 0; m + 1 < j; m++)
        put_up(p, m, line_piece(p->line, place_at(p, m), place_at(p, m + 1)));
    *k = walk_from(p, 1, j - 1, true);
    k->cut = cut;
    k->ahead = line_piece(p->line, place_at(p, j - 1), cut);
    *start = j;
    return true;
}

/* Begins the upward walk, after the lower flank if there is one. */
static size_t
begin_up(const struct pass *p, size_t meet, struct walk *up)
{
    struct flank f;
    size_t start = 1;

    if (flank_get(p->line, 0, &f)) {
        put_up(p, point_below(p, f.value), f.mass);
        if (lift_flank(p, &f, meet, up, &start))
            return start;
        put_flank_low(p, &f);
    }
    *up = walk_from(p, 1, 0, true);
    return 1;
}

/*
 * Walks from both ends. The walks may meet at `meet` or at the cell above; the
 * gains that remain in these two cases have opposite signs. Chooses the cell
 * where less is given away.
 */
static void
fill_cells(const struct pass *p, size_t meet)
{
    struct walk up, up_more, down_more;
    struct walk down = walk_from(p, -1, p->w->n - 1, true);
    struct piece here, above, up_cell, down_cell;

    for (size_t i = begin_up(p, meet, &up); i < meet; i++)
        put_low(p, i, walk_on(&up, i));
    for (size_t i = p->w->n - 2; i > meet + 1; i--)
        put_low(p, i, walk_on(&down, i));
    put_up(p, meet - 1, piece_add(up.ahead, walk_rest(&up)));
    put_up(p, meet, line_piece(p->line, up.next, down.next));
    put_up(p, meet + 1, piece_add(down.ahead, walk_rest(&down)));

    up_more = up;
    down_more = down;
    up_more.fills = down_more.fills = false;
    up_cell = walk_on(&up_more, meet);
    down_cell = walk_on(&down_more, meet + 1);
    here = piece_add(walk_rest(&up), walk_rest(&down_more));
    above = piece_add(walk_rest(&up_more), walk_rest(&down));
    if (cost_low(p, meet, here) + cost_low(p, meet + 1, down_cell) <=
        cost_low(p, meet, up_cell) + cost_low(p, meet + 1, above)) {
        put_low(p, meet, here);
        put_low(p, meet + 1, down_cell);
    } else {
        put_low(p, meet, up_cell);
        put_low(p, meet + 1, above);
    }
}

/* Roughly the point at the heaviest cell; any point is valid. */
static size_t
find_heaviest(const struct pass *p)
{
    double most = 0, x, last = place_at(p, 1);
    size_t heaviest = 2;

    for (size_t i = 2; i + 2 < p->w->n; i++) {
        double mass;

        x = place_at(p, i);
        mass = loss_is_continuous(p->line->loss)
                   ? loss_at(p->line->loss, (x + last) / 2).p * fabs(x - last)
                   : line_piece(p->line, last, x).p;
        if (mass > most) {
            most = mass;
            heaviest = i;
        }
        last = x;
    }
    return heaviest;
}

/* The offset that puts the highest loss on the grid. */
static double
atom_offset(const struct weights *w)
{
    return fmin(fmax(w->most - w->h * floor(w->most / w->h), 0), w->h);
}

/*
 * Fills all weights. An offset that puts the highest loss on the grid puts the
 * upper flank on it, or all atoms if their spacing is the grid's step.
 */
static void
fill_all(struct weights *w, const struct line *line)
{
    struct pass p = {w, line, 0};
    struct flank top;
    bool flanks = flank_get(line, 1, &top);
    size_t meet;

    if (flanks || !loss_is_continuous(line->loss))
        p.offset = atom_offset(w);
    meet = find_heaviest(&p);
    if (!flanks && loss_is_continuous(line->loss))
        p.offset = best_offset(&p, meet);
    w->offset = p.offset;
    fill_cells(&p, meet);
    if (flanks) {
        put_up(&p, point_below(&p, top.value), top.mass);
        put_flank_low(&p, &top);
    }
}

custos_status
weights_init(struct weights *w, const custos_alloc *alloc, const struct loss *l,
             double h, double tail)
{
    struct line line;
    custos_status st;

    CUSTOS_REQUIRE(h > 0 && h <= WEIGHTS_STEP_MAX);
    *w = (struct weights){.alloc = alloc_or_default(alloc), .h = h};
    st = line_init(&line, &w->alloc, l, tail);
    if (st)
        return st;
    st = CUSTOS_EOVERFLOW;
    if (!((line.most - line.least) / h < WEIGHTS_MAX - 16))
        goto out;
    w->first = (long)floor(line.least / h) - 4;
    w->n = (size_t)((long)ceil(line.most / h) + 5 - w->first);
    w->most = line.most;
    w->infinite = loss_infinite_or_lost(l) + line.range.outside;
    w->error = 4 * line.error;
    w->shift = CUT_ERROR + 8 * line.error;
    st = CUSTOS_ENOMEM;
    w->up = alloc_take(&w->alloc, w->n, sizeof *w->up);
    w->low = alloc_take(&w->alloc, w->n, sizeof *w->low);
    if (!w->up || !w->low)
        goto out;
    fill_all(w, &line);
    st = CUSTOS_OK;
out:
    line_clear(&line);
    if (st)
        weights_clear(w);
    return st;
}

void
weights_clear(struct weights *w)
{
    alloc_give(&w->alloc, w->up, w->n, sizeof *w->up);
    alloc_give(&w->alloc, w->low, w->n, sizeof *w->low);
    w->up = w->low = NULL;
}
