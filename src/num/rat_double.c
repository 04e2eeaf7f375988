/*
 * Conversion by GMP, which truncates.
 */
#include "num/rat_double.h"

double
rat_double(const rat *a)
{
    return mpq_get_d(a->q);
}
