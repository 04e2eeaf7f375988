/*
 * Selection: the index of a large score.
 */
#include "audit/library/part.h"

struct selection {
    custos_select_options options;
    char epsilon[PART_TEXT_MAX]; /* options.epsilon */
};

static custos_status
sample_selection(const struct audit_target *target, void *state,
                 const struct data *data, struct coins *coins,
                 struct batch *out, custos_err *err)
{
    const struct selection *h = target->self;
    size_t n = data->n < 1 ? 1 : data->n;
    custos_status st = CUSTOS_OK;

    (void)coins;
    for (size_t i = 0; i < out->n && !st; i++) {
        custos_sealed *sealed = NULL;
        size_t winner = 0;

        st = part_seal_ints(data, n, &sealed, err);
        if (!st)
            st = custos_select(NULL, &h->options, state, sealed, n, &winner,
                               err);
        custos_sealed_free(sealed);
        out->number[i] = (double)winner;
        out->length[i] = 1;
    }
    return st;
}

/* Scores that all rise or stay. */
static custos_status
add_monotone(struct pairs *pairs, custos_err *err)
{
    const double a[] = {1, 1, 1, 1, 1}, b[] = {2, 1, 1, 1, 1},
                 c[] = {1, 2, 2, 2, 2};
    custos_status st = pairs_add(pairs, "one rises", (struct data){a, 5},
                                 (struct data){b, 5}, err);

    if (!st)
        st = pairs_add(pairs, "all but one rise", (struct data){a, 5},
                       (struct data){c, 5}, err);
    return st;
}

static custos_status
make_selection(custos_select_rule rule, custos_scores scores,
               const struct library_options *options,
               struct library_target *out, custos_err *err)
{
    static const size_t dimensions[] = {2, 5, 0};
    custos_select_facts facts = CUSTOS_SELECT_FACTS_INIT;
    custos_select_options o = {.size = sizeof o,
                               .rule = rule,
                               .scores = scores,
                               .epsilon = options->epsilon};
    struct selection *h;
    custos_status st = custos_select_report(&o, &facts, err);

    if (!st)
        st = part_begin(out, sizeof *h, NULL, err);
    if (st)
        return st;
    h = out->handle;
    st = part_keep(h->epsilon, "epsilon", options->epsilon, err);
    if (st)
        return st;
    h->options = o;
    h->options.epsilon = h->epsilon;
    out->target.width = 1;
    out->target.sample = sample_selection;
    out->claim = part_claim(facts.epsilon, "0");
    return scores == CUSTOS_SCORES_MONOTONE
               ? add_monotone(&out->pairs, err)
               : patterns_sweep(&out->pairs, ADJACENT_EACH, dimensions, 1, err);
}

custos_status
make_exponential(const struct library_options *options,
                 struct library_target *out, custos_err *err)
{
    return make_selection(CUSTOS_EXPONENTIAL, CUSTOS_SCORES_GENERAL, options,
                          out, err);
}

custos_status
make_permute_and_flip(const struct library_options *options,
                      struct library_target *out, custos_err *err)
{
    return make_selection(CUSTOS_PERMUTE_AND_FLIP, CUSTOS_SCORES_GENERAL,
                          options, out, err);
}

custos_status
make_permute_monotone(const struct library_options *options,
                      struct library_target *out, custos_err *err)
{
    return make_selection(CUSTOS_PERMUTE_AND_FLIP, CUSTOS_SCORES_MONOTONE,
                          options, out, err);
}

custos_status
make_noisy_max(const struct library_options *options,
               struct library_target *out, custos_err *err)
{
    return make_selection(CUSTOS_NOISY_MAX, CUSTOS_SCORES_GENERAL, options, out,
                          err);
}
