/*
 * For smooth parts, the distance between the upper and the lower curve is about
 * n h^2 (1 + theta) / 8, where n is the sum of the counts, h the grid's step
 * and theta the tilt. For other parts, the first try shows how large it is.
 */
#include "account/pld_bounds.h"

#include <math.h>

#include "account/saddle.h"
#include "account/weights.h"
#include "base/alloc.h"

enum {
    TRIES = 8,
    SADDLE_PARTS = 32, /* with more, saddle_epsilon is tried first */
    GRID_PARTS = 4096, /* with more, a grid is used only if that fails */
    GAUSSIANS_MAX = 1 << 16,
    WORK_MAX = 1 << 20, /* limit on points times parts of a refinement */
};

#define STEP_MAX 0.25     /* of grids that are not an exact lattice */
#define DELTA_LEAST 1e-30 /* widths are relative to at least this */

/* Whether the atoms of a given array are evenly spaced by d. */
static bool
is_even(const struct loss *l, double d)
{
    for (size_t i = 2; i < l->n_atoms; i++)
        if (fabs(l->atoms[i].l0 - l->atoms[0].l0 - (double)i * d) > 1e-9 * d)
            return false;
    return true;
}

/* The spacing of a part's atoms if they are on a lattice, else 0. Those of
   mechanisms are; those of arrays may be. */
static double
lattice_of(const struct loss *l)
{
    double a, b, mass;

    if (l->base == BASE_LAPLACE || l->rate == 1 ||
        (l->n_atoms == 2 && l->only_q == 0))
        if (loss_atom(l, 0, &a, &mass) && loss_atom(l, 1, &b, &mass) &&
            (!l->both_orders || is_even(l, b - a)))
            return b - a;
    return 0;
}

/* Whether every part is on a lattice whose spacing is a multiple of d. */
static bool
is_all_lattice(const struct sketch *s, double d)
{
    for (size_t i = 0; i < s->n; i++) {
        double m = lattice_of(&s->parts[i].loss) / d;

        if (loss_is_continuous(&s->parts[i].loss) || m < 0.5 ||
            fabs(m - round(m)) > 1e-14 * m)
            return false;
    }
    return true;
}

/*
 * Among the parts whose atoms are on a lattice, takes the one with the largest
 * count, and returns the largest step up to h that fits its lattice. If all
 * parts fit this lattice and the grid is small enough, returns the lattice's
 * spacing, which makes the grid exact. Returns h if no part is on a lattice.
 */
static double
fit_to_lattice(const struct sketch *s, double h)
{
    uint64_t most = 0;
    double lattice = 0;

    for (size_t i = 0; i < s->n; i++) {
        double own = lattice_of(&s->parts[i].loss);

        if (own > 0 && s->parts[i].count > most) {
            most = s->parts[i].count;
            lattice = own;
        }
    }
    if (lattice == 0)
        return h;
    if (lattice < WEIGHTS_STEP_MAX && is_all_lattice(s, lattice) &&
        2 * s->span / lattice * s->counts < WORK_MAX)
        return lattice;
    return lattice > h ? lattice / ceil(lattice / h)
                       : lattice * floor(h / lattice);
}

double
pld_step(const struct sketch *s, double width)
{
    double h = sqrt(6.8 * width / (s->counts * (1 + s->theta)));

    return fmin(h, fmin(fmax(s->span, 1e-12) / 256, STEP_MAX));
}

static struct bounds
narrower_bounds(struct bounds a, struct bounds b)
{
    return (struct bounds){fmax(a.low, b.low), fmin(a.high, b.high)};
}

/* The width of the bounds: absolute for epsilon, relative for delta. */
static double
width_of(struct pld_aim aim, struct bounds b)
{
    double width = b.high - b.low;

    return aim.at == AIM_DELTA ? width : width / fmax(b.high, DELTA_LEAST);
}

static struct bounds
read_grid(const struct pld *p, struct pld_aim aim)
{
    return aim.at == AIM_DELTA ? pld_epsilon(p, aim.value)
                               : pld_delta(p, aim.value);
}

/*
 * Computes one grid, which replaces the kept one, and narrows *out by it;
 * *points is its number of points times the number of parts.
 */
static custos_status
try_step(const struct sketch *s, struct pld_aim aim, double h,
         struct pld_kept *kept, struct bounds *out, double *points)
{
    struct bounds own;
    struct pld p;
    custos_status st = pld_init(&p, s, fit_to_lattice(s, h));

    if (st)
        return st;
    pld_clear(&kept->grid);
    kept->grid = p;
    kept->aim = aim;
    own = read_grid(&p, aim);
    kept->reached = width_of(aim, own);
    *out = narrower_bounds(*out, own);
    *points = (double)p.n * (double)s->n;
    return CUSTOS_OK;
}

/*
 * Reads the bounds from the kept grid. False if it is too coarse there and a
 * new one may be finer: it is not if this one was made for the same width, and
 * is as good here as it is at its own aim.
 */
static bool
read_kept(const struct pld_kept *k, struct pld_aim aim, double width,
          struct bounds *out)
{
    struct bounds b;
    double got;

    if (!k->grid.up)
        return false;
    b = narrower_bounds(*out, read_grid(&k->grid, aim));
    got = width_of(aim, b);
    if (!(got <= width || (k->aim.at == aim.at && k->asked <= width &&
                           got <= 1.05 * k->reached)))
        return false;
    *out = b;
    return true;
}

void
pld_kept_clear(struct pld_kept *k)
{
    pld_clear(&k->grid);
}

/*
 * Tries finer and finer grids, or coarser ones until a first grid can be
 * computed. If a finer grid did not help, the tilt was too steep (between
 * losses that are far apart, it makes the values to be read too small) and is
 * halved. Fails if no grid could be computed.
 */
static custos_status
refine_grid(struct sketch *s, struct pld_aim aim, double width,
            struct pld_kept *kept, struct bounds *out)
{
    double h = pld_step(s, aim.at == AIM_DELTA  ? width
                           : aim.value < s->top ? width / (1 + s->theta)
                                                : 1);
    double got, last = INFINITY, factor, points;
    custos_status st = CUSTOS_EOVERFLOW, now;

    kept->asked = width;
    for (int i = 0; i < TRIES && h <= STEP_MAX; i++) {
        now = try_step(s, aim, h, kept, out, &points);
        if (now == CUSTOS_ENOMEM)
            return now;
        if (now) { /* the grid is too fine */
            if (!st)
                break;
            h *= 4;
            continue;
        }
        st = CUSTOS_OK;
        got = width_of(aim, *out);
        if (got <= width || isinf(got))
            break;
        factor = fmin(fmax(0.9 * width / got, 0.125), 0.7);
        if (got > 0.95 * last && s->theta * s->span < 1)
            break; /* the tilt is small already: rounding limits the width */
        if (got > 0.95 * last)
            s->theta *= 0.5;
        else if (points / factor <= WORK_MAX)
            h *= factor;
        else
            break;
        last = got;
    }
    return st;
}

static custos_status
bound_order(const custos_alloc *alloc, const struct pld_part *parts, size_t n,
            struct pld_aim aim, double width, struct pld_kept *kept,
            struct bounds *out)
{
    custos_status st = CUSTOS_EINVAL;
    struct sketch s;

    *out = (struct bounds){0, aim.at == AIM_DELTA ? INFINITY : 1};
    if (aim.at == AIM_DELTA && pld_certain(parts, n) > aim.value) {
        out->low = INFINITY;
        return CUSTOS_OK;
    }
    if (read_kept(kept, aim, width, out))
        return CUSTOS_OK;
    if (aim.at == AIM_DELTA && n > SADDLE_PARTS) {
        st = saddle_epsilon(parts, n, aim.value, out);
        if (!st && (n > GRID_PARTS || width_of(aim, *out) <= width))
            return st;
    }
    st = sketch_init(&s, alloc, parts, n, aim);
    if (st)
        return st;
    st = refine_grid(&s, aim, width, kept, out);
    sketch_clear(&s);
    return st;
}

/* Whether a part is a Gaussian that can be merged with others. */
static bool
is_plain_gaussian(const struct pld_part *part)
{
    return part->loss.base == BASE_GAUSSIAN && part->loss.rate == 1;
}

/*
 * Copies the parts for one order. The unsampled Gaussians are merged into a
 * single Gaussian of size sqrt(sum count size^2), if there are several or if a
 * count is so high that rounding errors would add up. Returns the number of
 * parts that remain.
 */
static size_t
arrange_parts(const struct pld_part *parts, size_t n, enum loss_order order,
              struct pld_part *out)
{
    double sum = 0, rest = 0;
    size_t m = 0, gaussians = 0;
    bool many = false;

    for (size_t i = 0; i < n; i++) {
        gaussians += is_plain_gaussian(&parts[i]);
        many = many || parts[i].count > GAUSSIANS_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        const double size = parts[i].loss.size, k = (double)parts[i].count;

        if (parts[i].count == 0)
            continue;
        if ((gaussians > 1 || many) && is_plain_gaussian(&parts[i])) {
            double term = k * size * size - rest;
            double now = sum + term; /* Kahan: the error does not grow */

            rest = (now - sum) - term;
            sum = now;
            continue;
        }
        out[m] = parts[i];
        if (!parts[i].loss.both_orders)
            out[m].loss.order = order;
        m++;
    }
    if (sum > 0)
        out[m++] = (struct pld_part){.loss = {.base = BASE_GAUSSIAN,
                                              .order = order,
                                              .rate = 1,
                                              .size = sqrt(sum)},
                                     .count = 1};
    return m;
}

static bool
is_valid(struct pld_aim aim, double width)
{
    return width > 0 &&
           (aim.at == AIM_DELTA ? aim.value > 1e-200 && aim.value < 1
                                : aim.value >= 0 && aim.value <= LOSS_MAX);
}

custos_status
pld_bounds(const custos_alloc *alloc, const struct pld_part *parts, size_t n,
           struct pld_aim aim, double width, struct pld_kept kept[2],
           struct bounds out[2])
{
    custos_alloc hooks = alloc_or_default(alloc);
    struct bounds both[2] = {{0, 0}, {0, 0}};
    struct pld_part *copy;
    bool symmetric = true;
    custos_status st = CUSTOS_OK;

    if (!is_valid(aim, width) || n == 0)
        return CUSTOS_EINVAL;
    copy = alloc_take(&hooks, n, sizeof *copy);
    if (!copy)
        return CUSTOS_ENOMEM;
    for (size_t i = 0; i < n; i++)
        symmetric = symmetric && loss_is_symmetric(&parts[i].loss);
    for (int order = 0; order < (symmetric ? 1 : 2) && !st; order++) {
        size_t m = arrange_parts(parts, n, (enum loss_order)order, copy);

        if (m > 0)
            st = bound_order(&hooks, copy, m, aim, width, &kept[order],
                             &both[order]);
    }
    alloc_give(&hooks, copy, n, sizeof *copy);
    if (st)
        return st;
    out[ORDER_REMOVE] = both[0];
    out[ORDER_ADD] = symmetric ? both[0] : both[1];
    return CUSTOS_OK;
}

/* The least (K(t) - ln delta) / t over powers of two: Chernoff's bound, if the
   sketch were exact. */
custos_status
pld_rough_epsilon(const custos_alloc *alloc, const struct pld_part *parts,
                  size_t n, double delta, double *out)
{
    const struct pld_aim aim = {AIM_DELTA, delta};
    struct sketch s;
    custos_status st = sketch_init(&s, alloc, parts, n, aim);

    if (st)
        return st;
    *out = INFINITY;
    for (int i = -6; i <= 20; i++) {
        double t = ldexp(1, i);
        double e = (sketch_cumulant(&s, t).k0 - log(delta)) / t;

        if (e < *out)
            *out = e;
    }
    sketch_clear(&s);
    return CUSTOS_OK;
}
