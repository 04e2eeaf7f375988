/*
 * `custos policy migrate`: writes a policy of an older format in the current
 * one.
 */
#include "policy/migrate.h"

#include "base/base.h"
#include "cli/policy.h"

enum { MIGRATE_OUTPUT, MIGRATE_OPTIONS };

static const struct option options[MIGRATE_OPTIONS] = {
    [MIGRATE_OUTPUT] = {"output", "FILE", OUTPUT_HELP},
};

static int
migrate_file(arena *a, const struct args *args)
{
    return text_convert(a, args->words[0], args->given[MIGRATE_OUTPUT],
                        policy_migrate);
}

static int
run_migrate(const struct verb *verb, int argc, char **argv)
{
    return policy_run(verb, argc, argv, FILES_ONE, "reads one file",
                      migrate_file);
}

const struct verb policy_verb_migrate = {
    .name = "policy migrate",
    .summary = "write a policy of an older format in the current one",
    .usage = "policy migrate FILE [--output FILE]",
    .about = "The number after custos: is the format of a policy. Older "
             "formats are read,\n"
             "but lack the keys of newer ones. Migrating changes neither what "
             "the policy\n"
             "means nor its comments. A policy of the current format stays as "
             "it is; one that\n"
             "cannot be used is rejected.",
    .examples = "custos policy migrate policy.yaml --output policy2.yaml",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_migrate,
};
