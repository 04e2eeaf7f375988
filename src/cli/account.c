/*
 * `custos account VERB`: code shared by its verbs, which compute the privacy
 * cost of releases. Each verb has a file of its own.
 */
#include "cli/account.h"

#include <string.h>

#include "base/base.h"
#include "cli/help.h"

static const struct verb *const subs[] = {
    &account_compose, &account_calibrate, &account_plan,
    &account_convert, &account_group,     &account_curve,
};

/* Does the message begin with the option's name? Messages write to_delta for
   to-delta. */
static bool
begins_with(const char *said, const char *name)
{
    while (*name && (*said == *name || (*said == '_' && *name == '-'))) {
        said++;
        name++;
    }
    return !*name && *said == ' ';
}

int
account_fail(const struct verb *verb, const struct args *args,
             custos_status status, const custos_err *err)
{
    for (size_t i = 0; i < verb->n_options; i++) {
        const char *name = verb->options[i].name;

        if (args->given[i] && begins_with(err->said, name))
            return fail_usage("--%s%s" HINT "%s", name,
                              err->said + strlen(name), err->hint);
    }
    return fail_status(status, err);
}

int
account_read_adjacency(const char *text, custos_adjacency *out)
{
    *out = CUSTOS_ADD_REMOVE;
    if (!text || !strcmp(text, "add-remove"))
        return CLI_OK;
    *out = CUSTOS_CHANGE_ONE;
    if (!strcmp(text, "change-one"))
        return CLI_OK;
    return fail_usage("--adjacency must be add-remove or change-one, not %.60s",
                      text);
}

const struct verb verb_account = {
    .name = "account",
    .summary = "compute the privacy cost of releases, or their noise",
    .usage = "account VERB [options]",
    .about =
        "Mechanisms are written NAME:KEY=NUMBER:..., such as\n"
        "laplace:epsilon=0.1:count=100 or gaussian:sigma=20:sample=0.01.\n"
        "\n"
        "  laplace, geometric (discrete-laplace)  epsilon, or scale and "
        "sensitivity\n"
        "  gaussian, discrete-gaussian            sigma, sensitivity or\n"
        "                                         sensitivity-squared (1)\n"
        "  randomized-response                    epsilon, values (2)\n"
        "  exponential, permute-and-flip,\n"
        "  noisy-max, sparse-vector               epsilon\n"
        "  generic                                epsilon, delta: any "
        "mechanism with\n"
        "                                         this guarantee\n"
        "\n"
        "All of them take count (1), the number of releases, and sample (1), "
        "the rate\nof a Poisson sample. The sensitivity of a discrete law is "
        "that of one whole\nnumber; give sensitivity-squared if one person "
        "moves several numbers at once.\nParameters must be fixed before the "
        "first answer. Costs are rounded up: they\nare never below the exact "
        "cost.",
    .examples =
        "custos account compose --mechanism "
        "laplace:epsilon=0.1:count=100 \\\n"
        "    --mechanism gaussian:sigma=20:count=50 --delta 1e-6\n"
        "custos account calibrate --mechanism gaussian:sigma=1:count=50 "
        "\\\n    --epsilon 1 --delta 1e-6\n"
        "custos account group --epsilon 0.5 --delta 1e-6 --size 3",
    .subs = subs,
    .n_subs = COUNT_OF(subs),
    .run = subs_run,
};
