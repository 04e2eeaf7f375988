/*
 * The loops over tables, compiled twice: by walk.c for every processor and by
 * walk_avx2.c for those with AVX2. Both give the same bits: sums are taken in four
 * parts, whatever the width of a vector, and nothing is fused.
 *
 * exp is computed here, because the loop is then one that compilers turn into
 * vector instructions: x = k ln 2 + r, |r| <= ln 2 / 2, the Taylor polynomial of
 * degree 10 in r (its error is below 3e-13 of the value), and k added to the
 * exponent.
 */
#ifndef SYNTH_WALK_LOOPS_H
#define SYNTH_WALK_LOOPS_H

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "synth/walk.h"

/* ------------------------------------------------------------- along a row -- */

static double
row_sum(const double *x, size_t n)
{
    double s[4] = {0, 0, 0, 0};
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            s[k] += x[i + k];
    for (; i < n; i++)
        s[0] += x[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static double
row_most(const double *x, size_t n, double most)
{
    double m[4] = {most, most, most, most};
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            m[k] = x[i + k] > m[k] ? x[i + k] : m[k];
    for (; i < n; i++)
        m[0] = x[i] > m[0] ? x[i] : m[0];
    for (size_t k = 1; k < 4; k++)
        m[0] = m[k] > m[0] ? m[k] : m[0];
    return m[0];
}

static void
row_add(double *restrict to, const double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += x[i];
}

static void
row_add_one(double *to, double x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += x;
}

static void
row_multiply(double *restrict to, const double *restrict x, double by, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] *= x[i] * by;
}

static void
row_multiply_one(double *to, double by, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] *= by;
}

/* Adding it to |y| < 2^51 leaves the nearest integer in the lowest bits. */
#define ROUNDER 0x1.8p52

static void
row_exp(double *x, double most, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double y = x[i] - most, z = y > -700 ? y : -700, k, r, p;
        uint64_t bits, value, mask = (uint64_t)0 - (uint64_t)(y > -700);

        k = z * 0x1.71547652b82fep0 + ROUNDER; /* 1 / ln 2 */
        memcpy(&bits, &k, sizeof bits);
        k -= ROUNDER;
        r = z - k * 0x1.62e42fee00000p-1; /* ln 2 in two parts */
        r -= k * 0x1.a39ef35793c76p-33;
        p = 1.0 / 3628800;
        p = p * r + 1.0 / 362880;
        p = p * r + 1.0 / 40320;
        p = p * r + 1.0 / 5040;
        p = p * r + 1.0 / 720;
        p = p * r + 1.0 / 120;
        p = p * r + 1.0 / 24;
        p = p * r + 1.0 / 6;
        p = p * r + 1.0 / 2;
        p = p * r + 1;
        p = p * r + 1;
        memcpy(&value, &p, sizeof value);
        value = (value + (bits << 52)) & mask; /* k to where the exponent is */
        memcpy(&x[i], &value, sizeof value);
    }
}

/* -------------------------------------------------------------- the walks -- */

/* Where the walk is: the codes of the axes, and the cell of each table. */
struct place {
    size_t code[WALK_AXES];
    size_t cell[WALK_TABLES];
};

static inline void
place_next(const struct walk *w, const struct smaller *tables, size_t n,
           struct place *p)
{
    for (size_t a = w->n; a-- > 0;) {
        for (size_t t = 0; t < n; t++)
            p->cell[t] += tables[t].at->step[a];
        if (++p->code[a] < w->size[a])
            return;
        p->code[a] = 0;
        for (size_t t = 0; t < n; t++)
            p->cell[t] -= w->size[a] * tables[t].at->step[a];
    }
}

static void
place_start(const struct walk *w, const struct smaller *tables, size_t n,
            struct place *p)
{
    size_t left = w->from;

    CUSTOS_REQUIRE(n <= WALK_TABLES);
    memset(p->cell, 0, n * sizeof *p->cell);
    for (size_t a = w->n; a-- > 0; left /= w->size[a]) {
        p->code[a] = left % w->size[a];
        for (size_t t = 0; t < n; t++)
            p->cell[t] += p->code[a] * tables[t].at->step[a];
    }
}

static double
loop_sum(const struct walk *w, const struct smaller *tables, size_t n,
         bool more, double *out)
{
    double most = -INFINITY;
    struct place p;

    place_start(w, tables, n, &p);
    for (size_t r = w->from; r < w->rows; r++) {
        double *x = out + r * w->row;

        if (!more)
            memset(x, 0, w->row * sizeof *x);
        for (size_t t = 0; t < n; t++) {
            const double *from = tables[t].cells + p.cell[t];

            if (tables[t].at->along)
                row_add(x, from, w->row);
            else
                row_add_one(x, *from, w->row);
        }
        most = row_most(x, w->row, most);
        place_next(w, tables, n, &p);
    }
    return most;
}

static inline void
collapse_row(const struct walk *w, const struct smaller *to, size_t cell,
             const double *x)
{
    if (to->at->along)
        row_add(to->cells + cell, x, w->row);
    else
        to->cells[cell] += row_sum(x, w->row);
}

static double
loop_exp(const struct walk *w, double most, double *x,
         const struct smaller *sums)
{
    const size_t n = sums != NULL;
    double all = 0;
    struct place p;

    place_start(w, sums, n, &p);
    for (size_t r = w->from; r < w->rows; r++) {
        double *row = x + r * w->row;

        row_exp(row, most, w->row);
        if (sums)
            collapse_row(w, sums, p.cell[0], row);
        else
            all += row_sum(row, w->row);
        place_next(w, sums, n, &p);
    }
    return all;
}

static void
loop_scale(const struct walk *w, double by, const struct smaller *factor,
           double *x, const struct smaller *sums, size_t n)
{
    struct smaller all[WALK_TABLES];
    struct place p;

    CUSTOS_REQUIRE(n < WALK_TABLES);
    if (n > 0)
        memcpy(all, sums, n * sizeof *all);
    if (factor)
        all[n] = *factor;
    place_start(w, all, n + (factor != NULL), &p);
    for (size_t r = w->from; r < w->rows; r++) {
        double *row = x + r * w->row;

        if (factor && factor->at->along)
            row_multiply(row, factor->cells + p.cell[n], by, w->row);
        else
            row_multiply_one(row, factor ? by * factor->cells[p.cell[n]] : by,
                             w->row);
        for (size_t t = 0; t < n; t++)
            collapse_row(w, &all[t], p.cell[t], row);
        place_next(w, all, n + (factor != NULL), &p);
    }
}

static void
loop_collapse(const struct walk *w, const double *x, const struct smaller *to)
{
    struct place p;

    place_start(w, to, 1, &p);
    for (size_t r = w->from; r < w->rows; r++) {
        collapse_row(w, to, p.cell[0], x + r * w->row);
        place_next(w, to, 1, &p);
    }
}

static void
loop_raise(const struct walk *w, const double *x, const struct smaller *most)
{
    struct place p;

    place_start(w, most, 1, &p);
    for (size_t r = w->from; r < w->rows; r++) {
        const double *row = x + r * w->row;
        double *to = most->cells + p.cell[0];

        if (!most->at->along)
            *to = row_most(row, w->row, *to);
        for (size_t i = 0; most->at->along && i < w->row; i++)
            to[i] = row[i] > to[i] ? row[i] : to[i];
        place_next(w, most, 1, &p);
    }
}

static double
loop_total(const struct walk *w, const double *x)
{
    return row_sum(x, w->rows * w->row);
}

#endif
