/*
 * `custos policy draft`: a first policy from the schema of files; their values
 * are not used.
 */
#include <string.h>

#include "base/base.h"
#include "cli/policy.h"
#include "engine/engine.h"
#include "policy/draft.h"

enum { DRAFT_OUTPUT, DRAFT_OPTIONS };
enum { DRAFT_BYTES = 1 << 24, DRAFT_TABLES = 500 };

static const struct option options[DRAFT_OPTIONS] = {
    [DRAFT_OUTPUT] = {"output", "FILE", OUTPUT_HELP},
};

/* Splits "data.duckdb:visits" into file and table. No table means all tables of
   the file. */
static int
split_source(arena *a, const char *word, struct draft_table *t)
{
    const char *colon = strrchr(word, ':');
    str whole = str_of(word);
    str file = {word, colon ? (size_t)(colon - word) : 0};

    t->source = whole;
    t->source_table = str_of("");
    if (!policy_source_kind(whole, &t->kind)) {
        if (!colon || !policy_source_kind(file, &t->kind) ||
            t->kind != SOURCE_DUCKDB)
            return fail_usage("unknown file format: %.200s" HINT
                              "the name must end in .csv, .parquet or .duckdb",
                              word);
        t->source = file;
        t->source_table = str_of(colon + 1);
    }
    t->source.ptr = arena_copy(a, t->source);
    return t->source.ptr ? CLI_OK : fail_run("out of memory");
}

static int
read_schema(arena *a, struct draft_table *t)
{
    struct engine_source_column *found = NULL;
    struct draft_column *columns;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    size_t n = 0;

    st = engine_schema(t->source.ptr, t->kind, t->source_table.ptr, a, &found,
                       &n, &err);
    if (st)
        return st == CUSTOS_ENOMEM
                   ? fail_status(st, &err)
                   : fail_usage("%s" HINT "%s", err.said, err.hint);
    columns = arena_take(a, n + 1, sizeof *columns);
    if (!columns)
        return fail_run("out of memory");
    for (size_t i = 0; i < n; i++)
        columns[i] =
            (struct draft_column){found[i].name, found[i].type, found[i].scale};
    t->columns = columns;
    t->n_columns = n;
    return CLI_OK;
}

/* Reads the schema of what one argument names: one table, or all tables of a
   DuckDB file. */
static int
read_word(arena *a, const char *word, struct draft_table *tables, size_t *n)
{
    struct draft_table t = {0};
    custos_err err = CUSTOS_ERR_INIT;
    str whole = str_of(""), *names = &whole;
    size_t n_names = 1;
    int code = split_source(a, word, &t);

    if (code)
        return code;
    if (t.kind == SOURCE_DUCKDB && t.source_table.len == 0) {
        if (engine_source_tables(t.source.ptr, a, &names, &n_names, &err))
            return fail_usage("%s" HINT "%s", err.said, err.hint);
        if (n_names == 0)
            return fail_usage("%.200s has no tables", word);
    } else {
        whole = t.source_table;
    }
    for (size_t i = 0; i < n_names && !code; i++) {
        if (*n == DRAFT_TABLES)
            return fail_usage("a policy has at most %d tables",
                              (int)DRAFT_TABLES);
        t.source_table = names[i];
        code = read_schema(a, &t);
        tables[(*n)++] = t;
    }
    return code;
}

static int
draft_policy(arena *a, const struct args *args)
{
    struct draft_table *tables = arena_take(a, DRAFT_TABLES, sizeof *tables);
    struct buf out;
    size_t n = 0;
    int code = tables ? CLI_OK : fail_run("out of memory");

    for (size_t i = 0; i < args->n_words && !code; i++)
        code = read_word(a, args->words[i], tables, &n);
    if (code)
        return code;
    buf_init(&out, NULL, DRAFT_BYTES);
    policy_draft(tables, n, &out);
    code = out.failed
               ? fail_run("out of memory")
               : text_put(args->given[DRAFT_OUTPUT], buf_text(&out), out.len);
    buf_clear(&out);
    return code;
}

static int
run_draft(const struct verb *verb, int argc, char **argv)
{
    return policy_run(verb, argc, argv, FILES_SOME, "needs at least one file",
                      draft_policy);
}

const struct verb policy_verb_draft = {
    .name = "policy draft",
    .summary = "write a first policy from the columns of data files",
    .usage = "policy draft FILE ... [--output FILE]",
    .about =
        "File names end in .csv, .parquet or .duckdb. A DuckDB file stands "
        "for all its\n"
        "tables, FILE:TABLE for one of them. Only the names and types of "
        "columns are\n"
        "used, never a value; the types of a CSV file are left to you. What "
        "only the\n"
        "owner can know is a question in the draft (# ?), or TODO where an "
        "answer is\n"
        "required.",
    .examples = "custos policy draft patients.csv visits.parquet "
                "--output policy.yaml\n"
                "custos policy draft hospital.duckdb:visits",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_draft,
};
