/*
 * Neighbouring inputs by pattern. Every pair has its own block of numbers, so
 * that a pair stays where it is while others are added.
 */
#include "audit/patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"

enum { ROWS_MANY = 20 };

static custos_status
pairs_grow(struct pairs *pairs, custos_err *err)
{
    size_t room = pairs->room ? 2 * pairs->room : 16;
    struct pair *pair;
    double **block;

    if (pairs->n < pairs->room)
        return CUSTOS_OK;
    pair = realloc(pairs->pair, room * sizeof *pair);
    if (pair)
        pairs->pair = pair;
    block = realloc(pairs->block, room * sizeof *block);
    if (block)
        pairs->block = block;
    if (!pair || !block)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    pairs->room = room;
    return CUSTOS_OK;
}

custos_status
pairs_add(struct pairs *pairs, const char *name, struct data a, struct data b,
          custos_err *err)
{
    custos_status st = pairs_grow(pairs, err);
    struct pair *pair;
    double *block;

    if (st)
        return st;
    block = calloc(a.n + b.n + 1, sizeof *block);
    if (!block)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (a.n)
        memcpy(block, a.value, a.n * sizeof *block);
    if (b.n)
        memcpy(block + a.n, b.value, b.n * sizeof *block);
    pair = &pairs->pair[pairs->n];
    *pair = (struct pair){
        .a = {.value = block, .n = a.n},
        .b = {.value = block + a.n, .n = b.n},
    };
    snprintf(pair->name, sizeof pair->name, "%s", name);
    pairs->block[pairs->n++] = block;
    return CUSTOS_OK;
}

void
pairs_clear(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++)
        free(pairs->block[i]);
    free(pairs->block);
    free(pairs->pair);
    *pairs = (struct pairs){0};
}

/* By how many steps numbers lie above the base: those before the cut, the rest. */
struct shift {
    double first, rest;
};

enum cut { CUT_ONE, CUT_HALF, CUT_LAST };

struct pattern {
    const char *name;
    struct shift a, b;
    enum cut cut;
};

/* In steps around the base. The first two change one number only. */
static const struct pattern patterns[] = {
    {"one above", {0, 0}, {-1, 0}, CUT_ONE},
    {"one below", {0, 0}, {1, 0}, CUT_ONE},
    {"one above, rest below", {0, 0}, {1, -1}, CUT_ONE},
    {"one below, rest above", {0, 0}, {-1, 1}, CUT_ONE},
    {"half half", {0, 0}, {1, -1}, CUT_HALF},
    {"all above", {0, 0}, {1, 1}, CUT_ONE},
    {"all below", {0, 0}, {-1, -1}, CUT_ONE},
    {"X shape", {0, -1}, {-1, 0}, CUT_HALF},
    {"rest below, last above", {0, 0}, {-1, 1}, CUT_LAST},
    {"rest above, last below", {0, 0}, {1, -1}, CUT_LAST},
};

enum { PATTERNS_OF_ONE = 2 };

static void
fill_shifted(double *out, size_t dimension, size_t cut, struct shift shift,
             double step)
{
    for (size_t i = 0; i < dimension; i++)
        out[i] = 1 + step * (i < cut ? shift.first : shift.rest);
}

static custos_status
check_dimension(size_t dimension, custos_err *err)
{
    if (dimension >= 1 && dimension <= AUDIT_WIDTH_MAX)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_EINVAL,
                       "a pattern has 1 to %d numbers, not %zu",
                       AUDIT_WIDTH_MAX, dimension);
}

custos_status
patterns_add(struct pairs *pairs, enum adjacency adjacency, size_t dimension,
             double step, custos_err *err)
{
    size_t n = adjacency == ADJACENT_ONE || dimension == 1 ? PATTERNS_OF_ONE
                                                           : COUNT_OF(patterns);
    custos_status st = check_dimension(dimension, err);

    for (size_t i = 0; i < n && !st; i++) {
        const struct pattern *p = &patterns[i];
        size_t cut = p->cut == CUT_ONE    ? 1
                     : p->cut == CUT_HALF ? dimension / 2
                                          : dimension - 1;
        double a[AUDIT_WIDTH_MAX], b[AUDIT_WIDTH_MAX];
        char name[AUDIT_NAME_MAX];

        fill_shifted(a, dimension, cut, p->a, step);
        fill_shifted(b, dimension, cut, p->b, step);
        snprintf(name, sizeof name, "%s, %zu number%s", p->name, dimension,
                 dimension == 1 ? "" : "s");
        st = pairs_add(pairs, name, (struct data){a, dimension},
                       (struct data){b, dimension}, err);
    }
    return st;
}

custos_status
patterns_sweep(struct pairs *pairs, enum adjacency adjacency,
               const size_t *dimensions, double step, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; dimensions[i] && !st; i++)
        st = patterns_add(pairs, adjacency, dimensions[i], step, err);
    return st;
}

custos_status
patterns_add_extremes(struct pairs *pairs, size_t dimension, double step,
                      custos_err *err)
{
    custos_status st = check_dimension(dimension, err);

    for (int sign = 1; sign >= -1 && !st; sign -= 2) {
        double a[AUDIT_WIDTH_MAX] = {0}, b[AUDIT_WIDTH_MAX] = {0};
        const char *name;

        for (size_t i = 0; i < dimension; i++)
            a[i] = b[i] = i == 0 ? 0 : sign * 0x1p63;
        if (dimension == 1)
            a[0] = sign * 0x1p53;
        b[0] = a[0] - sign * step;
        name = dimension == 1 ? (sign > 0 ? "at 2^53" : "at -2^53")
                              : (sign > 0 ? "beside 2^63" : "beside -2^63");
        st = pairs_add(pairs, name, (struct data){a, dimension},
                       (struct data){b, dimension}, err);
    }
    return st;
}

/* b has one row more than a: the last. */
static custos_status
add_row(struct pairs *pairs, const char *name, const double *rows, size_t n,
        custos_err *err)
{
    return pairs_add(pairs, name, (struct data){rows, n - 1},
                     (struct data){rows, n}, err);
}

custos_status
patterns_add_rows(struct pairs *pairs, double lower, double upper,
                  custos_err *err)
{
    const double ends[] = {lower, upper};
    double many[ROWS_MANY];
    custos_status st = add_row(pairs, "none and the lowest", &lower, 1, err);

    if (!st)
        st = add_row(pairs, "none and the highest", &upper, 1, err);
    if (!st)
        st = add_row(pairs, "the lowest and both", ends, 2, err);
    for (int high = 0; high <= 1 && !st; high++) {
        for (size_t i = 0; i < ROWS_MANY; i++)
            many[i] = ends[high];
        st = add_row(pairs, high ? "duplicates, highest" : "duplicates, lowest",
                     many, ROWS_MANY, err);
        many[ROWS_MANY - 1] = ends[!high];
        if (!st)
            st = add_row(pairs,
                         high ? "many high, one low" : "many low, one high",
                         many, ROWS_MANY, err);
    }
    return st;
}

custos_status
patterns_add_values(struct pairs *pairs, const double *values, size_t n,
                    custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 1; i < n && !st; i++) {
        char name[AUDIT_NAME_MAX];

        snprintf(name, sizeof name, "%.17g or %.17g", values[0], values[i]);
        st = pairs_add(pairs, name, (struct data){values, 1},
                       (struct data){values + i, 1}, err);
    }
    return st;
}
