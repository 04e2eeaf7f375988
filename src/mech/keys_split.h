/*
 * What a unit costs under a threshold with Gaussian noise, for a unit that
 * holds a given number of keys and adds the same weight to each.
 *
 * A unit's keys are of two kinds: those that it holds alone, whose release
 * reveals the unit, and shared ones, whose sums move by its weight. How many
 * keys are of each kind is called a split. Its cost is a hockey-stick
 * divergence. The delta of a promise is the cost of the worst split, not a sum
 * over both kinds.
 */
#ifndef MECH_KEYS_SPLIT_H
#define MECH_KEYS_SPLIT_H

#include "custos.h"
#include "mech/gauss_sums.h"

/* What all splits of one unit share. */
struct keys_scene {
    custos_adjacency adjacency;
    const rat *epsilon;
    const rat *delta; /* asked for */
    rat reach;        /* squared l2 norm that no unit's weights exceed; 0: all
                         units have the same weight, and keys are counted */
    struct gauss_sums sums;
    uint64_t keys, weight; /* of the unit */
    ival lost; /* ln(1-p) <= 0, p the chance of a key that it holds alone */
};

/* Keeps pointers to epsilon and delta. reach: see above. */
void keys_scene_init(struct keys_scene *s, custos_adjacency adjacency,
                     const rat *epsilon, const rat *delta, const rat *variance,
                     uint64_t reach, long bits);
void keys_scene_clear(struct keys_scene *s);

/* Sets the threshold, and the unit: how many keys it holds, with which weight. */
void keys_scene_at(struct keys_scene *s, int64_t threshold, uint64_t keys,
                   uint64_t weight);

/* Is 1 - (1-p)^keys certainly below delta? A quick check, made first. */
bool keys_scene_alone_fits(struct keys_scene *s);

/* Is every split certainly below delta? */
bool keys_scene_fits(struct keys_scene *s);

/* Raises `worst` to the cost of the worst split. */
void keys_scene_worst(struct keys_scene *s, ival *worst);

#endif
