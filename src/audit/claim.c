/*
 * Claims by their units.
 */
#include "audit/claim.h"

enum claim_unit
claim_unit(const struct claim *claim)
{
    return claim->mu > 0    ? CLAIM_MU
           : claim->rho > 0 ? CLAIM_RHO
                            : CLAIM_EPSILON;
}

const char *
claim_unit_name(const struct claim *claim)
{
    static const char *const names[] = {
        [CLAIM_EPSILON] = "epsilon", [CLAIM_MU] = "mu", [CLAIM_RHO] = "rho"};

    return names[claim_unit(claim)];
}

static double
in_unit(enum claim_unit unit, double epsilon, double mu, double rho)
{
    return unit == CLAIM_MU ? mu : unit == CLAIM_RHO ? rho : epsilon;
}

double
claim_amount(const struct claim *c)
{
    return in_unit(claim_unit(c), c->epsilon, c->mu, c->rho);
}

double
claim_refuted(const struct claim *c, const struct bound *b)
{
    return in_unit(claim_unit(c), b->epsilon, b->mu, b->rho);
}

double
claim_found(const struct finding *f)
{
    return in_unit(claim_unit(&f->claim), f->epsilon, f->mu, f->rho);
}
