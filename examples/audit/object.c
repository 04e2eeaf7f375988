/*
 * A mechanism as a shared object, for `custos audit --object`: a noisy count
 * with two-sided geometric noise on whole numbers, epsilon 1/2.
 *
 *     cc -shared -fPIC -O2 -I../../include -o object.so object.c -lm
 *     custos audit --object ./object.so --claim 0.5 --ignore-time   # nothing refuted
 *     custos audit --object ./object.so --claim 0.2 --ignore-time   # refuted
 *
 * Without --ignore-time the first claim is refuted too, and rightly: how long
 * log() takes depends on its argument, so the run time tells about the noise.
 *
 * With -DBROKEN the noise is drawn once and used again: refuted at any claim.
 */
#include "custos_audit.h"

#include <math.h>
#include <stdint.h>
#include <sys/random.h>

/* A generator for a demonstration (splitmix64), with a seed of the system; a
   real release needs a better one. */
static double
uniform(void)
{
    static uint64_t state;
    uint64_t z;

    while (!state)
        if (getrandom(&state, sizeof state, 0) < 0)
            state = 0;
    z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return (double)((z >> 11) + 1) / 9007199254740992.0;
}

/* P[k] = (1 - a) a^k with a = exp(-epsilon). */
static double
geometric(double epsilon)
{
    return floor(log(uniform()) / -epsilon);
}

int
custos_audit_run(const double *data, size_t n, double *out, size_t room,
                 size_t *length)
{
    const double epsilon = 0.5;
    double noise = geometric(epsilon) - geometric(epsilon);
#ifdef BROKEN
    static double first = NAN;

    if (isnan(first))
        first = noise;
    noise = first;
#endif

    (void)data; /* a count looks at no value */
    if (room < 1)
        return 1;
    out[0] = (double)n + noise;
    *length = 1;
    return 0;
}
