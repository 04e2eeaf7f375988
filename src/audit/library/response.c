/*
 * Randomized response: one person's truth against another truth.
 */
#include "audit/library/part.h"

enum { DRAWS = 1024, VALUES = 5 };

struct response {
    custos_rr *rr;
};

static void
clear_response(void *handle)
{
    custos_rr_free(((struct response *)handle)->rr);
}

/* Many people with the same truth report at once; each report is an output. */
static custos_status
sample_response(const struct audit_target *target, void *state,
                const struct data *data, struct coins *coins, struct batch *out,
                custos_err *err)
{
    const struct response *h = target->self;
    int64_t truth[DRAWS], report[DRAWS];

    (void)coins;
    for (size_t i = 0; i < DRAWS; i++)
        truth[i] = data->n ? part_int(data->value[0]) : 0;
    for (size_t i = 0; i < out->n; i += DRAWS) {
        size_t n = out->n - i < DRAWS ? out->n - i : DRAWS;
        custos_sealed *sealed = NULL;
        custos_status st = custos_seal_ints(NULL, truth, n, &sealed, err);

        if (!st)
            st = custos_rr_answer(h->rr, state, sealed, n, report, err);
        custos_sealed_free(sealed);
        if (st)
            return st;
        for (size_t k = 0; k < n; k++) {
            out->number[i + k] = (double)report[k];
            out->length[i + k] = 1;
        }
    }
    return CUSTOS_OK;
}

static custos_status
make_response(custos_rr_options *o, struct library_target *out, custos_err *err)
{
    static const double truths[] = {0, 1, 2, 4, 0x1p63, -0x1p63};
    char epsilon[1024];
    struct response *h;
    custos_status st = part_begin(out, sizeof *h, clear_response, err);

    o->size = sizeof *o;
    h = out->handle;
    if (!st)
        st = custos_rr_new(NULL, o, &h->rr, err);
    if (!st)
        st = custos_rr_epsilon(h->rr, epsilon, sizeof epsilon, err);
    if (st)
        return st;
    out->target.width = 1;
    out->target.sample = sample_response;
    out->claim = part_claim(epsilon, "0");
    return patterns_add_values(&out->pairs, truths,
                               sizeof truths / sizeof truths[0], err);
}

custos_status
make_two_coins(const struct library_options *options,
               struct library_target *out, custos_err *err)
{
    custos_rr_options o = {.kind = CUSTOS_RR_TWO_COINS};

    (void)options;
    return make_response(&o, out, err);
}

custos_status
make_response_gamma(const struct library_options *options,
                    struct library_target *out, custos_err *err)
{
    custos_rr_options o = {.kind = CUSTOS_RR_GAMMA, .gamma = "1/4"};

    (void)options;
    return make_response(&o, out, err);
}

custos_status
make_response_kary(const struct library_options *options,
                   struct library_target *out, custos_err *err)
{
    custos_rr_options o = {
        .kind = CUSTOS_RR_KARY, .values = VALUES, .epsilon = options->epsilon};

    return make_response(&o, out, err);
}
