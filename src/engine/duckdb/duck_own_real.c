/*
 * Functions in the engine on doubles, where the engine's own raise errors: the
 * logarithm of 0, the square root of -1. Each is one of the C library, which
 * takes about as long for one number as for another, and NULL where the result
 * is not a finite number.
 */
#include <math.h>

#include "engine/duckdb/duck_own.h"

#define ONE(name, of)                                                          \
    static void run_##name(duckdb_function_info info, duckdb_data_chunk input, \
                           duckdb_vector output)                               \
    {                                                                          \
        struct own_call c = own_begin(input, output);                          \
        const double *x = c.arg[0];                                            \
                                                                               \
        (void)info;                                                            \
        for (size_t i = 0; i < c.n; i++) {                                     \
            ((double *)c.out)[i] = of(x[i]);                                   \
            if (!isfinite(x[i]) || !isfinite(((double *)c.out)[i]))            \
                own_set_null(&c, i);                                           \
        }                                                                      \
    }

ONE(sqrt, sqrt)
ONE(ln, log)
ONE(exp, exp)

static void
run_power(duckdb_function_info info, duckdb_data_chunk input,
          duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    const double *x = c.arg[0], *y = c.arg[1];

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        ((double *)c.out)[i] = pow(x[i], y[i]);
        if (!isfinite(x[i]) || !isfinite(y[i]) ||
            !isfinite(((double *)c.out)[i]))
            own_set_null(&c, i);
    }
}

#define REAL DUCKDB_TYPE_DOUBLE

const struct own_function own_real[] = {
    {"real_sqrt", REAL, {REAL}, run_sqrt},
    {"real_ln", REAL, {REAL}, run_ln},
    {"real_exp", REAL, {REAL}, run_exp},
    {"real_power", REAL, {REAL, REAL}, run_power},
    {.name = NULL},
};
