/*
 * `custos policy import`: converts SmartNoise metadata to a policy.
 */
#include "policy/import.h"

#include "base/base.h"
#include "cli/policy.h"

enum { IMPORT_OUTPUT, IMPORT_OPTIONS };

static const struct option options[IMPORT_OPTIONS] = {
    [IMPORT_OUTPUT] = {"output", "FILE", OUTPUT_HELP},
};

static int
import_metadata(arena *a, const struct args *args)
{
    return text_convert(a, args->words[0], args->given[IMPORT_OUTPUT],
                        policy_import);
}

static int
run_import(const struct verb *verb, int argc, char **argv)
{
    return policy_run(verb, argc, argv, FILES_ONE, "reads one file",
                      import_metadata);
}

const struct verb policy_verb_import = {
    .name = "policy import",
    .summary = "convert SmartNoise metadata to a policy",
    .usage = "policy import FILE [--output FILE]",
    .about = "Converts tables, columns, types, limits and the private "
             "identifier; max_ids\n"
             "becomes rows_per_unit. Metadata names no budget and no files: "
             "these become\n"
             "TODO. A comment marks each option that has another meaning "
             "here.",
    .examples = "custos policy import PUMS.yaml --output policy.yaml",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_import,
};
