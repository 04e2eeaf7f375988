/*
 * Partial sums: of all elements at once, or as they arrive.
 */
#include "audit/library/part.h"

enum { ELEMENTS = 8 };

struct sums {
    custos_sums *sums;
    custos_sums_options options; /* of the streams; its texts are copies */
    char epsilon[PART_TEXT_MAX], delta[PART_TEXT_MAX];
};

static void
clear_sums(void *handle)
{
    custos_sums_free(((struct sums *)handle)->sums);
}

static void
put_sums(struct batch *out, size_t i, const int64_t *released)
{
    for (size_t k = 0; k < ELEMENTS; k++)
        out->number[i * out->width + k] = (double)released[k];
    out->length[i] = ELEMENTS;
}

static custos_status
sample_sums(const struct audit_target *target, void *state,
            const struct data *data, struct coins *coins, struct batch *out,
            custos_err *err)
{
    const struct sums *h = target->self;
    custos_status st = CUSTOS_OK;

    (void)coins;
    for (size_t i = 0; i < out->n && !st; i++) {
        custos_sealed *sealed = NULL;
        int64_t released[ELEMENTS] = {0};

        st = part_seal_ints(data, ELEMENTS, &sealed, err);
        if (!st)
            st = custos_sums_release(h->sums, state, sealed, released, ELEMENTS,
                                     err);
        put_sums(out, i, released);
        custos_sealed_free(sealed);
    }
    return st;
}

/* One stream, fed in two parts. */
static custos_status
run_stream(const struct sums *h, custos_rng *rng, const struct data *data,
           int64_t *released, custos_err *err)
{
    const size_t first = 3;
    custos_stream *stream = NULL;
    custos_sealed *head = NULL, *tail = NULL;
    struct data rest = {0};
    custos_status st = custos_stream_new(NULL, &h->options, &stream, err);

    if (data->n > first)
        rest = (struct data){data->value + first, data->n - first};
    if (!st)
        st = part_seal_ints(data, first, &head, err);
    if (!st)
        st = part_seal_ints(&rest, ELEMENTS - first, &tail, err);
    if (!st)
        st = custos_stream_add(stream, rng, head, released, first, err);
    if (!st)
        st = custos_stream_add(stream, rng, tail, released + first,
                               ELEMENTS - first, err);
    custos_sealed_free(head);
    custos_sealed_free(tail);
    custos_stream_free(stream);
    return st;
}

static custos_status
sample_stream(const struct audit_target *target, void *state,
              const struct data *data, struct coins *coins, struct batch *out,
              custos_err *err)
{
    const struct sums *h = target->self;
    custos_status st = CUSTOS_OK;

    (void)coins;
    for (size_t i = 0; i < out->n && !st; i++) {
        int64_t released[ELEMENTS] = {0};

        st = run_stream(h, state, data, released, err);
        put_sums(out, i, released);
    }
    return st;
}

static custos_status
make_method(custos_sums_method method, const struct library_options *options,
            struct library_target *out, custos_err *err)
{
    custos_sums_options o = {
        .size = sizeof o,
        .method = method,
        .elements = ELEMENTS,
        .epsilon = options->epsilon,
        .delta = method == CUSTOS_SQUARE_ROOT ? options->delta : NULL};
    struct sums *h;
    custos_status st = part_begin(out, sizeof *h, clear_sums, err);

    h = out->handle;
    if (!st)
        st = custos_sums_new(NULL, &o, &h->sums, err);
    if (!st)
        st = part_keep(h->epsilon, "epsilon", options->epsilon, err);
    if (!st)
        st = part_keep(h->delta, "delta", options->delta, err);
    if (st)
        return st;
    h->options = o;
    h->options.epsilon = h->epsilon;
    h->options.delta = o.delta ? h->delta : NULL;
    out->target.width = ELEMENTS;
    out->target.sample = sample_sums;
    out->claim = part_claim(custos_sums_facts(h->sums)->epsilon,
                            custos_sums_facts(h->sums)->delta);
    return patterns_add(&out->pairs, ADJACENT_ONE, ELEMENTS, 1, err);
}

static custos_status
make_stream(custos_sums_method method, const struct library_options *options,
            struct library_target *out, custos_err *err)
{
    custos_status st = make_method(method, options, out, err);

    out->target.sample = sample_stream;
    return st;
}

custos_status
make_sums_prefixes(const struct library_options *options,
                   struct library_target *out, custos_err *err)
{
    return make_method(CUSTOS_EVERY_PREFIX, options, out, err);
}

custos_status
make_sums_elements(const struct library_options *options,
                   struct library_target *out, custos_err *err)
{
    return make_method(CUSTOS_EVERY_ELEMENT, options, out, err);
}

custos_status
make_sums_tree(const struct library_options *options,
               struct library_target *out, custos_err *err)
{
    return make_method(CUSTOS_BINARY_TREE, options, out, err);
}

custos_status
make_sums_root(const struct library_options *options,
               struct library_target *out, custos_err *err)
{
    return make_method(CUSTOS_SQUARE_ROOT, options, out, err);
}

custos_status
make_stream_tree(const struct library_options *options,
                 struct library_target *out, custos_err *err)
{
    return make_stream(CUSTOS_BINARY_TREE, options, out, err);
}

custos_status
make_stream_root(const struct library_options *options,
                 struct library_target *out, custos_err *err)
{
    out->target.slow = true; /* every stream calibrates its noise */
    return make_stream(CUSTOS_SQUARE_ROOT, options, out, err);
}
