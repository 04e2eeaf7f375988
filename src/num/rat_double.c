/* Conversion by GMP, which rounds towards 0. */
#include "num/rat_double.h"

double
rat_double(const rat *a)
{
    return mpq_get_d(a->q);
}
