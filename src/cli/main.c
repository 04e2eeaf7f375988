/*
 * The custos command: finds the verb in the table below and runs it. Each verb
 * has a file of its own.
 */
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/out.h"

static const struct verb *const verbs[] = {
    &verb_policy,  &verb_init,     &verb_query,  &verb_explain, &verb_shell,
    &verb_release, &verb_synopsis, &verb_serve,  &verb_analyst, &verb_owner,
    &verb_budget,  &verb_ledger,   &verb_backup, &verb_restore, &verb_store,
    &verb_noise,   &verb_account,  &verb_risk,   &verb_audit,   &verb_demo,
};

static const struct verb *
verb_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        if (!strcmp(verbs[i]->name, name))
            return verbs[i];
    return NULL;
}

static int
fail_verb(const char *name)
{
    const char *names[COUNT_OF(verbs) + 1], *guess;

    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        names[i] = verbs[i]->name;
    names[COUNT_OF(verbs)] = "help";
    guess = nearest(name, names, COUNT_OF(names));
    if (guess)
        return fail_usage("there is no verb %.60s" HINT "did you mean %s?",
                          name, guess);
    return fail_usage("there is no verb %.60s" HINT "see custos --help", name);
}

static int
print_version(void)
{
    struct out o;

    out_init(&o, STDOUT_FILENO);
    out_printf(&o, "custos %s\n", custos_version());
    return out_end(&o);
}

static int
print_help(int argc, char **argv)
{
    const struct verb *verb;

    if (argc < 3)
        return help_of_all(verbs, COUNT_OF(verbs));
    verb = verb_find(argv[2]);
    if (verb && verb->n_subs && argc > 3) {
        char *words[] = {argv[2], argv[3], "--help"};

        return verb->run(verb, 3, words);
    }
    return verb ? help_of_verb(verb) : fail_verb(argv[2]);
}

int
main(int argc, char **argv)
{
    const struct verb *verb;
    const char *name = argc > 1 ? argv[1] : "";

    if (!*name)
        return fail_usage("no verb given" HINT "see custos --help");
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
        return print_help(argc, argv);
    if (!strcmp(name, "--version"))
        return print_version();
    if (!strcmp(name, "worker"))
        return run_worker();
    if (*name == '-')
        return fail_usage("unknown option %.60s" HINT "see custos --help",
                          name);
    verb = verb_find(name);
    return verb ? verb->run(verb, argc - 1, argv + 1) : fail_verb(name);
}
