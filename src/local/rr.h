/*
 * The contents of a randomized-response handle; all kinds follow the same law.
 */
#ifndef LOCAL_RR_H
#define LOCAL_RR_H

#include <stdint.h>

#include "custos.h"
#include "num/rat.h"

struct custos_rr {
    custos_alloc alloc;
    uint64_t k;     /* possible values, 2 .. 2^32 */
    rat keep;       /* p, for the true value: 1/k < p < 1 */
    rat other;      /* q = (1 - p) / (k - 1), for each other value */
    rat ratio;      /* p / q = e^epsilon, exactly */
    rat epsilon_up; /* >= ln(ratio) */
};

#endif
