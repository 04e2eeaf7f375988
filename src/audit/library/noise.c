/*
 * The noise laws themselves, added to a number: drawn in batches, which is fast
 * enough for long audits.
 */
#include <math.h>
#include <stdio.h>

#include "audit/bound.h"
#include "audit/library/part.h"
#include "base/error.h"

struct noise {
    custos_noise *noise;
};

enum { DRAWS = 1024, SIGMA_SUMMED = 64 };

/*
 * The best tests are "at least k". P[X + 1 >= k] and P[X >= k] for all k are the
 * corners of the trade-off curve; the curve of mu-GDP is convex, so it is below
 * the one as soon as it is below all corners. The law is symmetric: k >= 1
 * suffices; past 8 sigma the difference falls to 1/sigma.
 */
double
part_discrete_mu(double sigma)
{
    double most = 1.001 / sigma, all = 1, tail = 0;
    int far = (int)ceil(11 * fmin(sigma, SIGMA_SUMMED)) + 2;

    if (sigma > SIGMA_SUMMED)
        return most;
    for (int x = 1; x <= far; x++)
        all += 2 * exp(-x * x / (2 * sigma * sigma));
    for (int x = far; x >= 1; x--) {
        double before = tail; /* P[X >= x + 1], times all */

        tail += exp(-x * x / (2 * sigma * sigma));
        if (x <= 8 * sigma + 1 && before > 0)
            most = fmax(most, bound_normal_quantile(tail / all) -
                                  bound_normal_quantile(before / all));
    }
    /* k = 1: P[X >= 0] against P[X >= 1] */
    most = fmax(most, bound_normal_quantile((tail + 1) / all) -
                          bound_normal_quantile(tail / all));
    return most * (1 + 1e-6);
}

static void
clear_noise(void *handle)
{
    custos_noise_free(((struct noise *)handle)->noise);
}

static custos_status
sample_noise(const struct audit_target *target, void *state,
             const struct data *data, struct coins *coins, struct batch *out,
             custos_err *err)
{
    const struct noise *h = target->self;
    double x = data->n ? rint(data->value[0]) : 0;
    int64_t draws[DRAWS];

    (void)coins;
    for (size_t i = 0; i < out->n; i += DRAWS) {
        size_t n = out->n - i < DRAWS ? out->n - i : DRAWS;
        custos_status st =
            custos_noise_draw_i64(h->noise, state, draws, n, err);

        if (st)
            return st;
        for (size_t k = 0; k < n; k++) {
            out->number[i + k] = x + (double)draws[k];
            out->length[i + k] = 1;
        }
    }
    return CUSTOS_OK;
}

static custos_status
make_law(custos_law law, const char *scale, struct library_target *out,
         custos_err *err)
{
    custos_status st = part_begin(out, sizeof(struct noise), clear_noise, err);

    if (!st)
        st = custos_noise_new(NULL, law, scale,
                              &((struct noise *)out->handle)->noise, err);
    out->target.width = 1;
    out->target.sample = sample_noise;
    if (!st)
        st = patterns_add(&out->pairs, ADJACENT_ONE, 1, 1, err);
    return st;
}

/* 1/x of a number's text, rounded up at the 15th digit: more noise, so the claim
   holds. */
static void
write_inverse(double x, char text[CUSTOS_NUMBER_MAX])
{
    snprintf(text, CUSTOS_NUMBER_MAX, "%.15g", (1 + 1e-14) / x);
}

static custos_status
check_positive(const char *name, double x, custos_err *err)
{
    if (x > 0 && isfinite(x) && x > 1e-300)
        return CUSTOS_OK;
    return custos_fail(err, CUSTOS_ERANGE, "%s must be a number above 0", name);
}

custos_status
make_noise_laplace(const struct library_options *options,
                   struct library_target *out, custos_err *err)
{
    double epsilon = part_number(options->epsilon);
    char scale[CUSTOS_NUMBER_MAX];
    custos_status st = check_positive("epsilon", epsilon, err);

    if (st)
        return st;
    write_inverse(epsilon, scale);
    out->claim = (struct claim){.epsilon = epsilon};
    return make_law(CUSTOS_DISCRETE_LAPLACE, scale, out, err);
}

custos_status
make_noise_gaussian(const struct library_options *options,
                    struct library_target *out, custos_err *err)
{
    double rho = part_number(options->rho), mu = sqrt(2 * rho);
    char sigma[CUSTOS_NUMBER_MAX];
    custos_status st = check_positive("rho", rho, err);

    if (st)
        return st;
    write_inverse(mu, sigma);
    out->claim = (struct claim){.mu = part_discrete_mu(part_number(sigma))};
    return make_law(CUSTOS_DISCRETE_GAUSSIAN, sigma, out, err);
}
