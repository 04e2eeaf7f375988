/*
 * The value inside an aggregate: its limits and its grid.
 */
#ifndef PLAN_PARTS_H
#define PLAN_PARTS_H

#include "plan/work.h"

struct part_value {
    struct grid grid;
    bool centred; /* an average or variance uses it */
    bool squared; /* a variance uses it */
    i128 lower, upper, centre, most;
};

/* The natural grid of a value. */
struct grid grid_of_value(const struct work *w, const struct expr *e,
                          const rat *lower, const rat *upper);

/*
 * Sets limits and centre, in steps of v->grid. Makes that grid coarser where
 * `rows` rows would change the sum by more steps than noise can hide. False
 * when no grid fits.
 */
bool grid_lay(struct part_value *v, const rat *lower, const rat *upper,
              uint64_t rows);

/* The range of an aggregate's value: as declared, cut to the bounds that the
   aggregate states. */
CUSTOS_MUST_USE custos_status limits_find(struct work *w,
                                          const struct expr *aggregate,
                                          rat *lower, rat *upper);

/* Sets limits, centre and grid of the value in an aggregate. The caller has set
   v->centred and v->squared. */
CUSTOS_MUST_USE custos_status parts_value(struct work *w, const struct expr *e,
                                          struct part_value *v);

/* i if aggregate i states an epsilon and so pays for its parts; else -1. */
int parts_owner(const struct plan *p, size_t i);

/* Do two aggregates read one value with the same limits, and is it paid from
   the same epsilon? */
bool parts_is_family(const struct plan *p, size_t i, size_t j);

/* The index of the part like this one; adds it if there is none. */
int parts_take(struct plan *p, const struct part *like);

#endif
