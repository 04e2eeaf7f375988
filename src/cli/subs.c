/*
 * Finds and runs a subcommand: `custos account VERB`, `custos policy VERB`.
 */
#include <string.h>

#include "base/base.h"
#include "cli/args.h"
#include "cli/help.h"

enum { SUBS_MAX = 16 };

const struct verb *
subs_find(const struct verb *verb, const char *name)
{
    for (size_t i = 0; i < verb->n_subs; i++)
        if (!strcmp(strchr(verb->subs[i]->name, ' ') + 1, name))
            return verb->subs[i];
    return NULL;
}

int
subs_run(const struct verb *verb, int argc, char **argv)
{
    const char *names[SUBS_MAX], *guess;
    const char *name = argc > 1 ? argv[1] : "";
    const struct verb *sub = subs_find(verb, name);

    CUSTOS_REQUIRE(verb->n_subs <= SUBS_MAX);
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        return help_of_verb(verb);
    if (!*name)
        return fail_usage("%s needs a verb" HINT "see custos %s --help",
                          verb->name, verb->name);
    if (sub)
        return sub->run(sub, argc - 1, argv + 1);
    for (size_t i = 0; i < verb->n_subs; i++)
        names[i] = strchr(verb->subs[i]->name, ' ') + 1;
    guess = nearest(name, names, verb->n_subs);
    if (guess)
        return fail_usage("there is no custos %s %.60s" HINT "did you mean %s?",
                          verb->name, name, guess);
    return fail_usage("there is no custos %s %.60s" HINT "see custos %s --help",
                      verb->name, name, verb->name);
}
