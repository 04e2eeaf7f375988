/*
 * Keys that come from the data: which are shown, and with which counts. A key
 * keeps its place in the output, as its name would say which one it is; a key
 * that is not shown is 0, like one that nobody holds.
 */
#include "audit/library/part.h"

enum { KEYS = 2 };

struct keys {
    custos_threshold *threshold;
    custos_keys *keys;
    bool counts;
};

static void
clear_keys(void *handle)
{
    struct keys *h = handle;

    custos_threshold_free(h->threshold);
    custos_keys_free(h->keys);
}

/* Only keys that someone holds are in the data. */
static size_t
seal_keys(const struct data *data, size_t place[KEYS], int64_t value[KEYS])
{
    size_t n = 0;

    for (size_t i = 0; i < data->n && i < KEYS; i++)
        if (part_int(data->value[i]) > 0) {
            place[n] = i;
            value[n++] = part_int(data->value[i]);
        }
    return n;
}

static custos_status
release_keys(const struct keys *h, custos_rng *rng, const struct data *data,
             double *out, custos_err *err)
{
    size_t place[KEYS];
    int64_t value[KEYS], counts[KEYS] = {0};
    uint8_t kept[KEYS] = {0};
    custos_sealed *sealed = NULL;
    size_t n = seal_keys(data, place, value);
    custos_status st;

    if (!n)
        return CUSTOS_OK;
    st = custos_seal_ints(NULL, value, n, &sealed, err);
    if (!st && h->threshold)
        st = custos_threshold_release(h->threshold, rng, sealed, counts, kept,
                                      n, err);
    else if (!st)
        st = custos_keys_release(h->keys, rng, sealed,
                                 h->counts ? counts : NULL, kept, n, err);
    for (size_t i = 0; i < n && !st; i++)
        if (kept[i])
            out[place[i]] = h->counts ? (double)counts[i] : 1;
    custos_sealed_free(sealed);
    return st;
}

static custos_status
sample_keys(const struct audit_target *target, void *state,
            const struct data *data, struct coins *coins, struct batch *out,
            custos_err *err)
{
    custos_status st = CUSTOS_OK;

    (void)coins;
    for (size_t i = 0; i < out->n && !st; i++) {
        st = release_keys(target->self, state, data,
                          out->number + i * out->width, err);
        out->length[i] = KEYS;
    }
    return st;
}

/* Nobody and one; and counts about `half`, where a key is shown half the time. */
static custos_status
add_pairs(struct pairs *pairs, double half, custos_err *err)
{
    const double none[] = {0, 0}, one[] = {0, 1}, many[] = {half, half},
                 more[] = {half, half + 1};
    custos_status st =
        pairs_add(pairs, "no key or a key of one person",
                  (struct data){none, KEYS}, (struct data){one, KEYS}, err);

    if (!st)
        st = pairs_add(pairs, "empty or a key of one person", (struct data){0},
                       (struct data){one, KEYS}, err);
    if (!st)
        st = pairs_add(pairs, "a key near the threshold",
                       (struct data){many, KEYS}, (struct data){more, KEYS},
                       err);
    return st;
}

custos_status
make_threshold(const struct library_options *options,
               struct library_target *out, custos_err *err)
{
    const custos_threshold_options o = {.size = sizeof o,
                                        .adjacency = CUSTOS_ADD_REMOVE,
                                        .epsilon = options->epsilon,
                                        .delta = options->delta};
    const custos_threshold_facts *facts;
    struct keys *h;
    custos_status st = part_begin(out, sizeof *h, clear_keys, err);

    h = out->handle;
    if (!st)
        st = custos_threshold_new(NULL, &o, &h->threshold, err);
    if (st)
        return st;
    facts = custos_threshold_report(h->threshold);
    h->counts = true;
    out->target.width = KEYS;
    out->target.sample = sample_keys;
    out->claim = part_claim(facts->epsilon, facts->delta);
    return add_pairs(&out->pairs, (double)facts->threshold, err);
}

static custos_status
make_rule(custos_keys_rule rule, const struct library_options *options,
          struct library_target *out, custos_err *err)
{
    const custos_keys_options o = {.size = sizeof o,
                                   .rule = rule,
                                   .adjacency = CUSTOS_ADD_REMOVE,
                                   .epsilon = options->epsilon,
                                   .delta = options->delta};
    const custos_keys_facts *facts;
    struct keys *h;
    custos_status st = part_begin(out, sizeof *h, clear_keys, err);

    h = out->handle;
    if (!st)
        st = custos_keys_new(NULL, &o, &h->keys, err);
    if (st)
        return st;
    facts = custos_keys_report(h->keys);
    h->counts = rule != CUSTOS_KEYS_GEOMETRIC;
    out->target.width = KEYS;
    out->target.sample = sample_keys;
    out->claim = part_claim(facts->epsilon, facts->delta);
    return add_pairs(&out->pairs, (double)facts->half, err);
}

custos_status
make_keys_geometric(const struct library_options *options,
                    struct library_target *out, custos_err *err)
{
    return make_rule(CUSTOS_KEYS_GEOMETRIC, options, out, err);
}

custos_status
make_keys_laplace(const struct library_options *options,
                  struct library_target *out, custos_err *err)
{
    return make_rule(CUSTOS_KEYS_LAPLACE, options, out, err);
}

custos_status
make_keys_gaussian(const struct library_options *options,
                   struct library_target *out, custos_err *err)
{
    return make_rule(CUSTOS_KEYS_GAUSSIAN, options, out, err);
}
