/* Pays first, then asks. */
#include "synth/ask.h"

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "synth/price.h"

void
synthesis_free(struct synthesis *s)
{
    model_free(s->model);
    recoding_free(s->recoding);
    if (s->limits)
        alloc_give(&s->alloc, s->limits, s->limits_room, sizeof *s->limits);
    s->model = NULL;
    s->recoding = NULL;
    s->limits = NULL;
}

custos_status
ask_marginal(struct asker *a, struct colset set, amount rho, int64_t *out,
             custos_err *err)
{
    price_spend(&a->left, rho);
    return a->trusted->measure(a->trusted->of, set, rho, out, err);
}

custos_status
ask_residual(struct asker *a, struct colset set, amount rho, int64_t *out,
             custos_err *err)
{
    price_spend(&a->left, rho);
    return a->trusted->residual(a->trusted->of, set, rho, out, err);
}

custos_status
ask_values(struct asker *a, struct colset set, size_t cells, amount rho,
           double *values, double *variance, custos_err *err)
{
    const double sigma = price_sigma(rho, a->l2_squared);
    int64_t *counts = alloc_take(&a->alloc, cells, sizeof *counts);
    custos_status st =
        counts ? CUSTOS_OK : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st)
        st = ask_marginal(a, set, rho, counts, err);
    for (size_t i = 0; !st && i < cells; i++)
        values[i] = (double)counts[i];
    *variance = sigma * sigma;
    alloc_give(&a->alloc, counts, cells, sizeof *counts);
    return st;
}

custos_status
ask_for_model(struct asker *a, struct model *m, struct colset set, amount rho,
              custos_err *err)
{
    const size_t cells = domain_cells(&m->domain, set);
    double *values = alloc_take(&a->alloc, cells, sizeof *values);
    struct measurement x = {.set = set, .values = values};
    custos_status st =
        values ? CUSTOS_OK : custos_fail(err, CUSTOS_ENOMEM, "out of memory");

    if (!st)
        st = ask_values(a, set, cells, rho, values, &x.variance, err);
    if (!st)
        st = model_add(m, &x, err);
    alloc_give(&a->alloc, values, cells, sizeof *values);
    return st;
}

/* x rows in steps of the lattice, as a whole number of at most 2^50. Adding 3 * 2^51
   leaves no digits for a fraction. */
static int64_t
round_to_lattice(double x)
{
    const double steps = x * SYNTH_LATTICE, most = 0x1p50;
    const double within = steps < most ? steps : most;

    return (int64_t)((within > -most ? within : -most) + 0x1.8p52 - 0x1.8p52);
}

custos_status
ask_score(struct asker *a, size_t i, struct colset set, uint64_t weight,
          const double *marginal, size_t cells, double penalty, custos_err *err)
{
    const int64_t less = round_to_lattice((double)weight * penalty);
    int64_t *model = alloc_take(&a->alloc, cells, sizeof *model);
    custos_status st;

    if (!model)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t k = 0; k < cells; k++)
        model[k] = round_to_lattice(marginal[k]);
    st = a->trusted->score(a->trusted->of, i, set, weight, model, less, err);
    if (a->passed)
        limits_pass(a->passed, set, weight,
                    (double)less / (SYNTH_LATTICE * (double)weight), model,
                    cells);
    alloc_give(&a->alloc, model, cells, sizeof *model);
    return st;
}

custos_status
ask_select(struct asker *a, const size_t *among, size_t n, uint64_t weight,
           amount rho, size_t *winner, custos_err *err)
{
    custos_status st;

    price_spend(&a->left, rho);
    st = a->trusted->select(a->trusted->of, among, n, weight, rho, winner, err);
    CUSTOS_REQUIRE(st || *winner < n);
    return st;
}
