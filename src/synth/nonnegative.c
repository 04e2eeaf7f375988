/*
 * Minimises sum over A of |a_A - z_A|^2/(2 v_A), z_A = P_A y_A as released, under
 * n_B T_B >= 0 for every table B. With multipliers m_B >= 0 for the cells,
 *
 *   a_A = z_A + v_A P_A (sum over the B that contain A of the sums of m_B over B - A),
 *
 * and the dual ascends along -n_B T_B. Its second derivative falls apart by A: along the
 * range of P_A it is v_A n_B/n_A between tables B. With steps s_B = min over A within B of
 * n_A/(v_A n_B k_A), k_A the number of tables that contain A, none of its eigenvalues exceeds 1, so
 * that projected gradients converge; accelerated (Beck, Teboulle 2009) and restarted where
 * the acceleration overshoots (O'Donoghue, Candes 2015).
 *
 * v_A is the variance of the noise, times FIRM for each column that A has less than the
 * largest table. Cells near 0 are pushed up, never down; in thousands of cells that is a bias which
 * with the variances alone would move totals by many of their standard errors, because
 * all tables share them: of adult's pairs at epsilon 1 the total, by a fifth. Firm totals leave the
 * correction to the cells.
 */
#include "synth/nonnegative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "synth/walk.h"

#define SCRATCH_BYTES ((size_t)1 << 33)

/* Ends when no cell is further below 0, or moves by more, than this share of an average
   cell; mixing then costs as little. */
#define TOLERANCE 5e-4

/* Or after so many steps: fewer for larger tables, which takes at most about a minute. */
enum { STEPS_LEAST = 50, STEPS_MOST = 2000 };
#define WORK ((size_t)1 << 31) /* cells times steps */

#define FIRM (1.0 / 32)

enum { PARTS_MAX = 256 }; /* subsets of a table's columns */

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ------------------------------------------------------------------ parts -- */

static int
by_set(const void *a, const void *b)
{
    return colset_compare(((const struct nonnegative_part *)a)->set,
                          ((const struct nonnegative_part *)b)->set);
}

/* The residuals of all subsets of a set, by their numbers; returns how many. */
static size_t
find_parts(const struct nonnegative *n, struct colset set,
           size_t out[PARTS_MAX])
{
    struct colset part = {{0, 0}};
    size_t found = 0;

    CUSTOS_REQUIRE((size_t)1 << colset_count(set) <= PARTS_MAX);
    do {
        const struct nonnegative_part key = {.set = part};
        const struct nonnegative_part *at =
            bsearch(&key, n->parts, n->n_parts, sizeof key, by_set);

        if (at)
            out[found++] = (size_t)(at - n->parts);
        part = colset_next_part(set, part);
    } while (!colset_is_empty(part));
    return found;
}

static custos_status
take_parts(arena *a, const struct residual *parts, size_t n_parts,
           struct nonnegative *n, custos_err *err)
{
    size_t most = 0;

    for (size_t i = 0; i < n_parts; i++)
        most = colset_count(parts[i].set) > most ? colset_count(parts[i].set)
                                                 : most;
    n->parts = arena_take(a, n_parts + 1, sizeof *n->parts);
    if (!n->parts)
        return no_memory(err);
    for (size_t i = 0; i < n_parts; i++) {
        struct nonnegative_part *p = &n->parts[n->n_parts++];

        p->set = parts[i].set;
        p->cells = domain_cells(n->domain, p->set);
        p->variance = parts[i].variance *
                      pow(FIRM, (double)(most - colset_count(p->set)));
        p->released = arena_take(a, p->cells, sizeof *p->released);
        p->values = arena_take(a, p->cells, sizeof *p->values);
        if (!p->released || !p->values)
            return no_memory(err);
        for (size_t k = 0; k < p->cells; k++)
            p->released[k] = (double)parts[i].values[k];
        residual_project(n->domain, p->set, p->released);
        memcpy(p->values, p->released, p->cells * sizeof *p->values);
    }
    qsort(n->parts, n->n_parts, sizeof *n->parts, by_set);
    return CUSTOS_OK;
}

/* n_B times the table of a set B. */
static void
make_table(const struct nonnegative *n, struct colset set, double *out)
{
    struct smaller beside[WALK_TABLES];
    struct beside at[WALK_TABLES];
    size_t part[PARTS_MAX], found = find_parts(n, set, part), group;
    struct walk w;

    walk_init(&w, n->domain, set);
    if (found == 0)
        walk_sum(&w, beside, 0, false, out);
    for (size_t i = 0; i < found; i += group) {
        group = found - i < WALK_TABLES ? found - i : WALK_TABLES;
        for (size_t k = 0; k < group; k++) {
            const struct nonnegative_part *p = &n->parts[part[i + k]];

            walk_beside(&w, n->domain, p->set, &at[k]);
            beside[k] = (struct smaller){&at[k], p->values};
        }
        walk_sum(&w, beside, group, i > 0, out);
    }
}

/* ---------------------------------------------------------------- solving -- */

struct constraint {
    struct colset set;
    size_t cells;
    double step;
    double *m;      /* multipliers of the last step ... */
    double *beyond; /* ... and beyond it, along the step before it */
};

struct solving {
    struct nonnegative *n;
    struct constraint *of;
    size_t n_of, cells;
    double *table; /* room for the largest */
    double total;  /* rows, as released; at least 1 */
    double speed;  /* of the acceleration */
};

/* A set that is there twice is taken twice: harmless. */
static custos_status
take_constraints(arena *a, struct solving *s, const struct colset *sets,
                 size_t n_sets, custos_err *err)
{
    struct nonnegative *n = s->n;
    size_t *tables = arena_take(a, n->n_parts + 1, sizeof *tables);
    size_t part[PARTS_MAX], largest = 1;

    s->of = arena_take(a, n_sets + 1, sizeof *s->of);
    if (!s->of || !tables)
        return no_memory(err);
    for (size_t i = 0; i < n_sets; i++) {
        struct constraint *c = &s->of[s->n_of++];
        const size_t found = find_parts(n, sets[i], part);

        *c = (struct constraint){.set = sets[i],
                                 .cells = domain_cells(n->domain, sets[i]),
                                 .step = INFINITY};
        s->cells += c->cells;
        largest = c->cells > largest ? c->cells : largest;
        c->m = arena_take(a, c->cells, sizeof *c->m);
        c->beyond = arena_take(a, c->cells, sizeof *c->beyond);
        if (!c->m || !c->beyond)
            return no_memory(err);
        for (size_t k = 0; k < found; k++)
            tables[part[k]]++;
    }
    for (size_t i = 0; i < n_sets; i++) {
        struct constraint *c = &s->of[i];
        const size_t found = find_parts(n, c->set, part);

        for (size_t k = 0; k < found; k++) {
            const struct nonnegative_part *p = &n->parts[part[k]];

            c->step = fmin(c->step,
                           (double)p->cells / (p->variance * (double)c->cells *
                                               (double)tables[part[k]]));
        }
        if (found == 0)
            c->step = 0;
    }
    s->table = arena_take(a, largest, sizeof *s->table);
    return s->table ? CUSTOS_OK : no_memory(err);
}

/* The a_A that belong to the multipliers. */
static void
set_values(struct solving *s)
{
    struct nonnegative *n = s->n;
    size_t part[PARTS_MAX];

    for (size_t i = 0; i < n->n_parts; i++)
        memset(n->parts[i].values, 0, n->parts[i].cells * sizeof(double));
    for (size_t i = 0; i < s->n_of; i++) {
        const struct constraint *c = &s->of[i];
        const size_t found = find_parts(n, c->set, part);
        struct walk w;

        walk_init(&w, n->domain, c->set);
        for (size_t k = 0; k < found; k++) {
            struct nonnegative_part *p = &n->parts[part[k]];
            struct beside at;

            walk_beside(&w, n->domain, p->set, &at);
            walk_collapse(&w, c->beyond, &(struct smaller){&at, p->values});
        }
    }
    for (size_t i = 0; i < n->n_parts; i++) {
        struct nonnegative_part *p = &n->parts[i];

        residual_project(n->domain, p->set, p->values);
        for (size_t k = 0; k < p->cells; k++)
            p->values[k] = p->released[k] + p->variance * p->values[k];
    }
}

/* One step of all multipliers; returns whether it was so small that it is the last. */
static bool
step(struct solving *s)
{
    const double speed = (1 + sqrt(1 + 4 * s->speed * s->speed)) / 2;
    const double ahead = (s->speed - 1) / speed;
    double turn = 0, moved = 0;

    set_values(s);
    for (size_t i = 0; i < s->n_of; i++) {
        struct constraint *c = &s->of[i];

        make_table(s->n, c->set, s->table);
        for (size_t k = 0; k < c->cells; k++) {
            const double from = c->beyond[k], before = c->m[k];
            const double m = fmax(0, from - c->step * s->table[k]);

            if (c->step > 0)
                moved = fmax(moved, fabs(m - from) / c->step);
            turn += (from - m) * (m - before) / (c->step > 0 ? c->step : 1);
            c->m[k] = m;
            c->beyond[k] = m + ahead * (m - before);
        }
    }
    s->speed = speed;
    if (turn > 0) { /* back to where it came from: begin again without speed */
        s->speed = 1;
        for (size_t i = 0; i < s->n_of; i++)
            memcpy(s->of[i].beyond, s->of[i].m,
                   s->of[i].cells * sizeof(double));
    }
    return moved <= TOLERANCE * s->total;
}

/* Mixes with equal cells until no cell is negative (nonnegative-tables). */
static void
mix(struct solving *s)
{
    struct nonnegative *n = s->n;
    struct nonnegative_part *all = &n->parts[0];
    double least = 0, keep;

    for (size_t i = 0; i < s->n_of; i++) {
        make_table(n, s->of[i].set, s->table);
        for (size_t k = 0; k < s->of[i].cells; k++)
            least = fmin(least, s->table[k]);
    }
    if (n->n_parts == 0 || !colset_is_empty(all->set) || all->values[0] < 0)
        keep = 0;
    else
        keep = least < 0 ? all->values[0] / (all->values[0] - least) : 1;
    for (size_t i = 0; i < n->n_parts; i++) {
        const bool is_total = colset_is_empty(n->parts[i].set);

        for (size_t k = 0; k < n->parts[i].cells; k++)
            n->parts[i].values[k] *= is_total ? keep > 0 : keep;
    }
}

custos_status
nonnegative_make(arena *a, const struct domain *d, const struct residual *parts,
                 size_t n_parts, const struct colset *sets, size_t n_sets,
                 struct nonnegative *out, custos_err *err)
{
    struct solving s = {.n = out, .speed = 1, .total = 1};
    arena *scratch = arena_new(NULL, SCRATCH_BYTES);
    size_t steps;
    custos_status st;

    *out = (struct nonnegative){.domain = d};
    st = scratch ? take_parts(a, parts, n_parts, out, err) : no_memory(err);
    if (!st)
        st = take_constraints(scratch, &s, sets, n_sets, err);
    if (!st) {
        if (n_parts > 0 && colset_is_empty(out->parts[0].set))
            s.total = fmax(1, out->parts[0].released[0]);
        steps = WORK / (s.cells + 1);
        steps = steps > STEPS_MOST ? STEPS_MOST : steps;
        for (size_t i = 0; i < steps || i < STEPS_LEAST; i++)
            if (step(&s))
                break;
        mix(&s);
    }
    arena_free(scratch);
    return st;
}

void
nonnegative_table(const struct nonnegative *n, struct colset set, double *out)
{
    const size_t cells = domain_cells(n->domain, set);

    make_table(n, set, out);
    for (size_t k = 0; k < cells; k++)
        out[k] = fmax(0, out[k] / (double)cells);
}
