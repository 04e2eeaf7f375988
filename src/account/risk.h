/* What risk.c and risk_corners.c share: the promises of one release. */
#ifndef ACCOUNT_RISK_H
#define ACCOUNT_RISK_H

#include <stddef.h>

#include "custos.h"
#include "num/ival.h"
#include "num/rat.h"

struct promise {
    rat epsilon, delta;
    ival factor; /* e^epsilon */
};

struct custos_risk {
    custos_alloc alloc;
    struct promise *promises;
    size_t n, room;
};

#endif
