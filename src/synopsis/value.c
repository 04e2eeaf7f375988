/*
 * Steps become values again. A real is written with as few digits as make it that
 * step, so 0.1 of a binary grid is "0.1".
 */
#include "synopsis/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

/* A double has at most this many digits that matter. */
enum { REAL_DIGITS = 17 };

bool
column_is_single(const struct schema_column *c)
{
    if (c->coding != SCHEMA_CUTS)
        return true;
    for (uint32_t k = 0; k < c->n; k++)
        if (c->cuts[k + 1] - c->cuts[k] != 1)
            return false;
    return true;
}

/* The shortest decimal that rounds to this step of 2^-digits. */
static struct datum
real_of(int base, int digits, i128 step)
{
    const double size = pow(base, -digits), x = (double)step * size;
    struct datum d = {.type = TYPE_REAL};
    char text[64];

    for (int n = 1; n <= REAL_DIGITS; n++) {
        snprintf(text, sizeof text, "%.*g", n, x);
        if ((i128)nearbyint(strtod(text, NULL) / size) == step)
            break;
    }
    CUSTOS_REQUIRE(datum_read(TYPE_REAL, str_of(text), &d));
    return d;
}

/* The same number with another scale; digits that it cuts off are 0. */
static struct datum
with_scale(struct datum d, int scale)
{
    if (d.scale > scale)
        CUSTOS_REQUIRE(datum_round(&d, 38, scale));
    for (; d.scale < scale; d.scale++)
        CUSTOS_REQUIRE(!__builtin_mul_overflow(d.n, 10, &d.n));
    return d;
}

struct datum
step_value(const struct schema_column *c, i128 step)
{
    switch (c->type) {
    case TYPE_REAL: return real_of(c->base, c->digits, step);
    case TYPE_DECIMAL:
        return with_scale(
            (struct datum){.type = TYPE_DECIMAL, .scale = c->digits, .n = step},
            c->scale);
    default: return (struct datum){.type = c->type, .n = step};
    }
}

/* A declared value, as the column has it: 1.5 of two digits is 1.50. */
static struct datum
declared_value(const struct schema_column *c, uint32_t code)
{
    struct datum d = c->values[code];

    if (!data_type_is_number(c->type))
        return d;
    d.type = c->type;
    return c->type == TYPE_REAL
               ? d
               : with_scale(d, c->type == TYPE_INT ? 0 : c->scale);
}

struct datum
code_value(const struct schema_column *c, uint32_t code, enum code_end end)
{
    CUSTOS_REQUIRE(c->coding != SCHEMA_NUMBER && code < schema_codes(c));
    if (code == c->n)
        return (struct datum){.type = TYPE_NULL};
    if (c->coding == SCHEMA_VALUES)
        return declared_value(c, code);
    return step_value(c, end == CODE_FIRST ? c->cuts[code]
                                           : c->cuts[code + 1] - 1);
}

/* ----------------------------------------------------------- within a run -- */

/* The k with cuts[k] <= step < cuts[k + 1]; the last one at the end. */
static uint32_t
find_cut(const struct schema_spread *s, i128 step)
{
    uint32_t low = 0, high = s->n;

    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;

        if (s->cuts[middle] <= step)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The rows before a step. */
static double
rows_before(const struct schema_spread *s, i128 step)
{
    const uint32_t k = find_cut(s, step);
    const double part =
        (double)(step - s->cuts[k]) / (double)(s->cuts[k + 1] - s->cuts[k]);

    return s->rows[k] + part * (s->rows[k + 1] - s->rows[k]);
}

/* The rows of a run that has a spread; 0: none are known of. */
static double
rows_of_run(const struct schema_column *c, uint32_t code)
{
    return c->spread ? rows_before(c->spread, c->cuts[code + 1]) -
                           rows_before(c->spread, c->cuts[code])
                     : 0;
}

double
run_share(const struct schema_column *c, uint32_t code, i128 from, i128 to)
{
    const double rows = rows_of_run(c, code);

    if (rows > 0)
        return (rows_before(c->spread, to) - rows_before(c->spread, from)) /
               rows;
    return (double)(to - from) / (double)(c->cuts[code + 1] - c->cuts[code]);
}

i128
run_quantile(const struct schema_column *c, uint32_t code, double share)
{
    const struct schema_spread *s = c->spread;
    const i128 first = c->cuts[code], end = c->cuts[code + 1];
    const double rows = rows_of_run(c, code);
    double want;
    uint32_t low, high;
    i128 step;

    if (!(rows > 0)) {
        step = first + (i128)(share * (double)(end - first));
    } else {
        want = rows_before(s, first) + share * rows;
        low = find_cut(s, first);
        high = find_cut(s, end - 1) + 1;
        while (high - low > 1) {
            const uint32_t middle = (low + high) / 2;

            if (s->rows[middle] <= want)
                low = middle;
            else
                high = middle;
        }
        want = (want - s->rows[low]) / (s->rows[low + 1] - s->rows[low]);
        step = s->cuts[low];
        if (want > 0) /* and not NAN, of codes without rows */
            step += (i128)(want * (double)(s->cuts[low + 1] - step));
    }
    step = step < end ? step : end - 1;
    return step > first ? step : first;
}

struct datum
code_drawn(const struct schema_column *c, uint32_t code, uint64_t word)
{
    u128 steps;

    if (c->coding == SCHEMA_VALUES || code == c->n)
        return code_value(c, code, CODE_FIRST);
    if (rows_of_run(c, code) > 0)
        return step_value(c, run_quantile(c, code, ldexp((double)word, -64)));
    steps = (u128)(c->cuts[code + 1] - c->cuts[code]);
    CUSTOS_REQUIRE(steps <= UINT64_MAX);
    return step_value(c, c->cuts[code] + (i128)((steps * word) >> 64));
}

struct datum
numbered_value(const struct schema_column *c, uint64_t number)
{
    switch (c->type) {
    case TYPE_BOOL: return (struct datum){.type = TYPE_BOOL, .n = number % 2};
    case TYPE_DECIMAL:
        return (struct datum){
            .type = TYPE_DECIMAL, .scale = c->scale, .n = (i128)number};
    case TYPE_DATE:
        return (struct datum){.type = TYPE_DATE, .n = number % (DATE_LAST + 1)};
    case TYPE_TIMESTAMP:
        return (struct datum){.type = TYPE_TIMESTAMP,
                              .n = (i128)number * 1000000};
    default: return (struct datum){.type = TYPE_INT, .n = (i128)number};
    }
}
