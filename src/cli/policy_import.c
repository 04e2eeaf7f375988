/*
 * `custos policy import`: SmartNoise metadata as a policy.
 */
#include "policy/import.h"

#include "base/base.h"
#include "cli/policy.h"

enum { IMPORT_OUTPUT, IMPORT_OPTIONS };
enum { IMPORT_BYTES = 1 << 24 };

static const struct option options[IMPORT_OPTIONS] = {
    [IMPORT_OUTPUT] = {"output", "FILE", OUTPUT_HELP},
};

static int
import(arena *a, const struct args *args)
{
    const char *path = args->words[0];
    struct buf out;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    str text;
    int code = file_text(a, path, &text);

    if (code)
        return code;
    buf_init(&out, NULL, IMPORT_BYTES);
    st = policy_import(a, text, path, &out, &err);
    if (st)
        code = st == CUSTOS_EPOLICY
                   ? fail_usage("%s" HINT "%s", err.said, err.hint)
                   : fail_status(st, &err);
    else if (out.failed)
        code = fail_run("out of memory");
    else
        code = text_put(args->given[IMPORT_OUTPUT], buf_text(&out), out.len);
    buf_clear(&out);
    return code;
}

static int
run(const struct verb *verb, int argc, char **argv)
{
    return policy_run(verb, argc, argv, FILES_ONE, "reads one file", import);
}

const struct verb policy_verb_import = {
    .name = "policy import",
    .summary = "SmartNoise metadata as a policy",
    .usage = "policy import FILE [--output FILE]",
    .about = "Tables, columns, types, limits and the private identifier are "
             "taken over;\n"
             "max_ids becomes rows_per_unit. The metadata has no budget and no "
             "files:\n"
             "these stay TODO, and what means something else here is said in a "
             "comment.",
    .examples = "custos policy import PUMS.yaml --output policy.yaml",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run,
};
