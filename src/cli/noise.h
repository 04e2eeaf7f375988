/*
 * What the two halves of `custos noise`, draws and releases, share: the laws
 * and the indices of the options.
 */
#ifndef CLI_NOISE_H
#define CLI_NOISE_H

#include "cli/args.h"
#include "custos.h"

enum noise_option {
    NOISE_SCALE,
    NOISE_SIGMA,
    NOISE_P,
    NOISE_X,
    NOISE_N,
    NOISE_DRAWS,
    NOISE_EPSILON,
    NOISE_DELTA,
    NOISE_SENSITIVITY,
    NOISE_SENSITIVITY_SQUARED,
    NOISE_CHANGES,
    NOISE_CALIBRATION,
    NOISE_REAL,
    NOISE_GRID,
    NOISE_LOWER,
    NOISE_UPPER,
    NOISE_ERROR,
    NOISE_CONFIDENCE,
    NOISE_SIMULTANEOUS,
    NOISE_FACTS,
    NOISE_JSON,
    NOISE_OPTIONS
};

struct noise_law {
    const char *name;
    custos_law law;
    enum noise_option parameter;
    custos_mech_kind kind; /* 0: has draws but no releases */
};

/* Each returns the exit code. */
int noise_draws(const struct noise_law *law, const struct args *args);
int noise_release(const struct noise_law *law, const struct args *args);

/* The name of an option. */
const char *noise_option_name(enum noise_option option);

#endif
