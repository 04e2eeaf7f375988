/*
 * The contents of a randomized-response handle: one law for all kinds.
 */
#ifndef LOCAL_RR_H
#define LOCAL_RR_H

#include <stdint.h>

#include "custos.h"
#include "num/rat.h"

struct custos_rr {
    custos_alloc alloc;
    uint64_t k;     /* possible values, 2 .. 2^32 */
    rat keep;       /* p: the true value is reported, 1/k < p < 1 */
    rat other;      /* q = (1 - p) / (k - 1): any one of the others */
    rat ratio;      /* p / q = e^epsilon, exactly */
    rat epsilon_up; /* >= ln(ratio) */
};

#endif
