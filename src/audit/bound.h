/*
 * What counts of an event say about a mechanism, with a stated probability of
 * being wrong. Doubles are good enough on the attacker's side; every bound is
 * taken at a level lowered by far more than they round.
 */
#ifndef AUDIT_BOUND_H
#define AUDIT_BOUND_H

#include <stdint.h>

/* The regularised incomplete beta function I_x(a, b). */
double bound_beta(double a, double b, double x);

/*
 * Clopper-Pearson bounds on p after `hits` of n, each wrong with probability at
 * most alpha.
 */
double bound_p_low(uint64_t hits, uint64_t n, double alpha);
double bound_p_high(uint64_t hits, uint64_t n, double alpha);

/* What a mechanism with the event's two counts cannot be, for an event that was
   fixed before the outputs were drawn. */
struct bound {
    double p_low, other_high;
    double epsilon; /* at the given delta; 0 if the counts show nothing */
    double mu;      /* of Gaussian differential privacy; 0 likewise */
    double rho;     /* of zero-concentrated privacy, at delta; 0 likewise */
};

struct bound bound_of_counts(uint64_t hits, uint64_t other_hits, uint64_t n,
                             double delta, double alpha);

/* The smallest rho of zero-concentrated privacy by which an event can have
   probability p on one neighbour and q on the other; 0 if p <= q. */
double bound_rho(double p, double q);

/* The p at which the standard normal law has this probability below it. */
double bound_normal_quantile(double p);

#endif
