/*
 * A mechanism of the battery: a small function that computes one output, written
 * as its paper has it, faults included. All but the ones whose fault is in
 * floating-point arithmetic draw their noise on a lattice, so that an audit can
 * find the published fault alone.
 */
#ifndef AUDIT_BATTERY_MECHANISM_H
#define AUDIT_BATTERY_MECHANISM_H

#include "audit/audit.h"

/* What a sparse vector prints for "below" if it prints values for "above". */
#define BATTERY_BELOW (-1000.0)

struct mechanism {
    double epsilon; /* what it was made for */
    double delta;
    double sensitivity;
    double threshold; /* of a sparse vector */
    uint32_t cutoff;  /* after so many positive answers it stops */
    uint32_t releases;
    double flip, low, high; /* of RAPPOR: f, p and q */
    size_t most;            /* numbers that it takes */
    /* Writes one output and returns how many numbers it has. */
    uint32_t (*answer)(const struct mechanism *mechanism, struct coins *coins,
                       const struct data *data, double *out);
};

/* `sample` of all these targets, whose `self` is a struct mechanism. Fails with
   CUSTOS_EINVAL if the data has too many numbers. */
custos_status mechanism_sample(const struct audit_target *target, void *state,
                               const struct data *data, struct coins *coins,
                               struct batch *out, custos_err *err);

#define BATTERY_GRID 0x1p-10

static inline double
lattice_laplace(struct coins *coins, double scale)
{
    return coins_lattice_laplace(coins, scale, BATTERY_GRID);
}

/* additive.c */
extern const struct audit_target battery_laplace, battery_laplace_parallel,
    battery_noisy_hist_1, battery_noisy_hist_2, battery_prefix_sum,
    battery_geo_sample;

/* noisy_max.c */
extern const struct audit_target battery_noisy_max_1, battery_noisy_max_2,
    battery_noisy_max_3, battery_noisy_max_4, battery_noisy_max_factor;

/* svt.c */
extern const struct audit_target battery_svt_1, battery_svt_2, battery_svt_3,
    battery_svt_4, battery_svt_5, battery_svt_6, battery_svt_3_4,
    battery_numeric_svt, battery_svt_reused;

/* rappor.c */
extern const struct audit_target battery_rappor, battery_rappor_once;

/* The bits of the Bloom filter of a value, as the two above set them. */
uint32_t rappor_filter(double value);

/* floats.c */
extern const struct audit_target battery_float_laplace, battery_float_clamp,
    battery_float_gaussian;

/* variants.c */
extern const struct audit_target battery_swapped_scale,
    battery_half_composition, battery_reused_seed, battery_key_threshold,
    battery_key_threshold_low, battery_wrapping_sum;

/* Defines the target battery_OBJECT: a name, the most numbers of an output, and
   members of struct mechanism. */
#define MECHANISM(object, name_, width_, ...)                                  \
    const struct audit_target battery_##object = {                             \
        .name = name_,                                                         \
        .width = width_,                                                       \
        .self = &(const struct mechanism){__VA_ARGS__},                        \
        .sample = mechanism_sample,                                            \
    }

#endif
