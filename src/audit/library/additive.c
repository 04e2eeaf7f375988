/*
 * Additive mechanisms: Laplace and Gaussian noise on numbers and on histograms.
 */
#include <math.h>
#include <stdlib.h>

#include "audit/library/part.h"

struct additive {
    custos_mech *mech;
    custos_domain domain;
    size_t values;
};

static void
clear_additive(void *handle)
{
    struct additive *h = handle;

    custos_mech_free(h->mech);
}

static custos_status
release_ints(const struct additive *h, custos_rng *rng, const struct data *data,
             double *out, custos_err *err)
{
    custos_sealed *sealed = NULL;
    int64_t released[AUDIT_WIDTH_MAX];
    custos_status st = part_seal_ints(data, h->values, &sealed, err);

    if (!st)
        st =
            custos_release_ints(h->mech, rng, sealed, released, h->values, err);
    for (size_t i = 0; i < h->values && !st; i++)
        out[i] = (double)released[i];
    custos_sealed_free(sealed);
    return st;
}

static custos_status
release_reals(const struct additive *h, custos_rng *rng,
              const struct data *data, double *out, custos_err *err)
{
    custos_sealed *sealed = NULL;
    double value = data->n ? data->value[0] : 0;
    custos_status st = custos_seal_reals(NULL, &value, 1, &sealed, err);

    if (!st)
        st = custos_release_reals(h->mech, rng, sealed, out, 1, err);
    custos_sealed_free(sealed);
    return st;
}

static custos_status
release_wide(const struct additive *h, custos_rng *rng, const struct data *data,
             double *out, custos_err *err)
{
    custos_sealed *sealed = NULL;
    int64_t value = data->n ? part_int(data->value[0]) : 0;
    custos_wide wide = {(uint64_t)value, value < 0 ? -1 : 0}, released;
    custos_status st = custos_seal_wide(NULL, &wide, 1, &sealed, err);

    if (!st)
        st = custos_release_wide(h->mech, rng, sealed, &released, 1, err);
    if (!st)
        out[0] = ldexp((double)released.high, 64) + (double)released.low;
    if (!st && released.high == -1) /* exact where the sum above is not */
        out[0] = -(double)(~released.low + 1);
    custos_sealed_free(sealed);
    return st;
}

static custos_status
sample_additive(const struct audit_target *target, void *state,
                const struct data *data, struct coins *coins, struct batch *out,
                custos_err *err)
{
    const struct additive *h = target->self;
    custos_status st = CUSTOS_OK;

    (void)coins;
    for (size_t i = 0; i < out->n && !st; i++) {
        double *number = out->number + i * out->width;

        st = (h->domain == CUSTOS_INTS ? release_ints
              : h->domain == CUSTOS_REALS
                  ? release_reals
                  : release_wide)(h, state, data, number, err);
        out->length[i] = (uint32_t)h->values;
    }
    return st;
}

/* What all additive targets have in common once the mechanism is made. */
static void
finish_additive(struct library_target *out, custos_domain domain, size_t values)
{
    struct additive *h = out->handle;
    const custos_facts *facts = custos_mech_facts(h->mech);

    h->domain = domain;
    h->values = values;
    out->target.width = values;
    out->target.sample = sample_additive;
    out->claim = part_claim(facts->epsilon, facts->delta);
}

static custos_status
make_number(custos_mech_options *o, struct library_target *out, custos_err *err)
{
    custos_status st =
        part_begin(out, sizeof(struct additive), clear_additive, err);

    o->size = sizeof *o;
    o->sensitivity = "1";
    if (!st)
        st = custos_mech_new(NULL, o, &((struct additive *)out->handle)->mech,
                             err);
    if (st)
        return st;
    finish_additive(out, o->domain, 1);
    st = patterns_add(&out->pairs, ADJACENT_ONE, 1, 1, err);
    if (!st)
        st = patterns_add_extremes(&out->pairs, 1, 1, err);
    if (!st) /* empty data is 0 */
        st = pairs_add(&out->pairs, "empty or 1", (struct data){0},
                       (struct data){&(double){1}, 1}, err);
    return st;
}

custos_status
make_laplace(const struct library_options *options, struct library_target *out,
             custos_err *err)
{
    custos_mech_options o = {.kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_INTS,
                             .epsilon = options->epsilon};

    return make_number(&o, out, err);
}

custos_status
make_laplace_reals(const struct library_options *options,
                   struct library_target *out, custos_err *err)
{
    custos_mech_options o = {.kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_REALS,
                             .epsilon = options->epsilon};

    return make_number(&o, out, err);
}

custos_status
make_laplace_wide(const struct library_options *options,
                  struct library_target *out, custos_err *err)
{
    custos_mech_options o = {.kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_WIDE,
                             .epsilon = options->epsilon};

    return make_number(&o, out, err);
}

custos_status
make_gaussian(const struct library_options *options, struct library_target *out,
              custos_err *err)
{
    custos_mech_options o = {.kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_INTS,
                             .epsilon = options->epsilon,
                             .delta = options->delta};

    return make_number(&o, out, err);
}

custos_status
make_gaussian_reals(const struct library_options *options,
                    struct library_target *out, custos_err *err)
{
    custos_mech_options o = {.kind = CUSTOS_GAUSSIAN,
                             .domain = CUSTOS_REALS,
                             .epsilon = options->epsilon,
                             .delta = options->delta};

    return make_number(&o, out, err);
}

/* No epsilon bounds a release that was given a rho: what is audited is the mu of
   the noise that the facts state. */
custos_status
make_gaussian_rho(const struct library_options *options,
                  struct library_target *out, custos_err *err)
{
    custos_mech_options o = {
        .kind = CUSTOS_GAUSSIAN, .domain = CUSTOS_INTS, .rho = options->rho};
    custos_status st = make_number(&o, out, err);
    const struct additive *h = out->handle;

    if (!st)
        out->claim =
            (struct claim){.mu = part_discrete_mu(strtod(
                               custos_mech_facts(h->mech)->scale, NULL))};
    return st;
}

enum { BINS = 4 };

static custos_status
make_counts(custos_histogram_options *o, struct library_target *out,
            custos_err *err)
{
    const double before[BINS] = {0, 1, 5, 0}, after[BINS] = {1, 0, 5, 0};
    custos_status st =
        part_begin(out, sizeof(struct additive), clear_additive, err);

    o->size = sizeof *o;
    o->bins = BINS;
    if (!st)
        st = custos_histogram_new(NULL, o,
                                  &((struct additive *)out->handle)->mech, err);
    if (st)
        return st;
    finish_additive(out, CUSTOS_INTS, BINS);
    if (o->adjacency == CUSTOS_CHANGE_ONE)
        return pairs_add(&out->pairs, "one moves to another bin",
                         (struct data){before, BINS},
                         (struct data){after, BINS}, err);
    st = patterns_add(&out->pairs, ADJACENT_ONE, BINS, 1, err);
    if (!st)
        st = patterns_add_extremes(&out->pairs, BINS, 1, err);
    return st;
}

custos_status
make_histogram(const struct library_options *options,
               struct library_target *out, custos_err *err)
{
    custos_histogram_options o = {.kind = CUSTOS_LAPLACE,
                                  .adjacency = CUSTOS_ADD_REMOVE,
                                  .epsilon = options->epsilon};

    return make_counts(&o, out, err);
}

custos_status
make_histogram_change(const struct library_options *options,
                      struct library_target *out, custos_err *err)
{
    custos_histogram_options o = {.kind = CUSTOS_LAPLACE,
                                  .adjacency = CUSTOS_CHANGE_ONE,
                                  .epsilon = options->epsilon};

    return make_counts(&o, out, err);
}

custos_status
make_histogram_gaussian(const struct library_options *options,
                        struct library_target *out, custos_err *err)
{
    custos_histogram_options o = {.kind = CUSTOS_GAUSSIAN,
                                  .adjacency = CUSTOS_ADD_REMOVE,
                                  .epsilon = options->epsilon,
                                  .delta = options->delta};

    return make_counts(&o, out, err);
}
