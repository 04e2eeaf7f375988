/*
 * pld_bounds without grids of earlier questions.
 */
#ifndef TEST_FRESH_BOUNDS_H
#define TEST_FRESH_BOUNDS_H

#include "account/pld_bounds.h"

static inline custos_status
fresh_bounds(const custos_alloc *alloc, const struct pld_part *parts, size_t n,
             struct pld_aim aim, double width, struct bounds out[2])
{
    struct pld_kept kept[2] = {{.asked = 0}, {.asked = 0}};
    custos_status st = pld_bounds(alloc, parts, n, aim, width, kept, out);

    pld_kept_clear(&kept[0]);
    pld_kept_clear(&kept[1]);
    return st;
}

#endif
