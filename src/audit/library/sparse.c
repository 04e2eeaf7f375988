/*
 * The sparse vector: one handle for each output, asked about every number of the
 * data with the threshold 1.
 */
#include "audit/library/part.h"

enum { QUERIES = 8, ABOVE_MOST = 2, THRESHOLD = 1 };

struct sparse {
    custos_sparse_options options;
    char epsilon[PART_TEXT_MAX]; /* options.epsilon */
};

static custos_status
ask(custos_sparse *sparse, custos_rng *rng, double value, double *out,
    bool values, custos_err *err)
{
    custos_sealed *sealed = NULL;
    bool above = false;
    int64_t released = 0;
    custos_status st =
        part_seal_ints(&(struct data){&value, 1}, 1, &sealed, err);

    if (!st)
        st = custos_sparse_ask(sparse, rng, sealed, THRESHOLD, &above,
                               &released, err);
    custos_sealed_free(sealed);
    *out = above ? (values ? (double)released : 1) : (values ? -0x1p62 : 0);
    return st;
}

static custos_status
sample_sparse(const struct audit_target *target, void *state,
              const struct data *data, struct coins *coins, struct batch *out,
              custos_err *err)
{
    const struct sparse *h = target->self;
    bool values = h->options.value_epsilon;
    custos_status st = CUSTOS_OK;

    (void)coins;
    for (size_t i = 0; i < out->n && !st; i++) {
        custos_sparse *sparse = NULL;
        uint32_t k = 0;

        st = custos_sparse_new(NULL, &h->options, state, &sparse, err);
        for (; k < data->n && k < QUERIES && !st && custos_sparse_left(sparse);
             k++)
            st = ask(sparse, state, data->value[k],
                     out->number + i * out->width + k, values, err);
        out->length[i] = k;
        custos_sparse_free(sparse);
    }
    return st;
}

static custos_status
make_sparse(const char *value_epsilon, const struct library_options *options,
            struct library_target *out, custos_err *err)
{
    static const size_t dimensions[] = {1, QUERIES, 0};
    custos_sparse_options o = {.size = sizeof o,
                               .answers = ABOVE_MOST,
                               .epsilon = options->epsilon,
                               .value_epsilon = value_epsilon};
    custos_sparse *sparse = NULL;
    custos_rng *rng = NULL;
    struct sparse *h;
    custos_status st = part_begin(out, sizeof *h, NULL, err);

    if (!st)
        st = custos_rng_new(&rng, err);
    if (!st) /* for its facts */
        st = custos_sparse_new(NULL, &o, rng, &sparse, err);
    h = out->handle;
    if (!st)
        st = part_keep(h->epsilon, "epsilon", options->epsilon, err);
    if (!st) {
        h->options = o;
        h->options.epsilon = h->epsilon;
        out->target.width = QUERIES;
        out->target.sample = sample_sparse;
        out->claim = part_claim(custos_sparse_report(sparse)->epsilon, "0");
        st = patterns_sweep(&out->pairs, ADJACENT_EACH, dimensions, 1, err);
    }
    custos_sparse_free(sparse);
    custos_rng_free(rng);
    return st;
}

custos_status
make_sparse_vector(const struct library_options *options,
                   struct library_target *out, custos_err *err)
{
    return make_sparse(NULL, options, out, err);
}

/* The values cost 1/2 more. */
custos_status
make_sparse_values(const struct library_options *options,
                   struct library_target *out, custos_err *err)
{
    return make_sparse("1/2", options, out, err);
}
