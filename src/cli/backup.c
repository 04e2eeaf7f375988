/*
 * `custos backup`: a copy of a store, of which `custos restore` makes a store
 * again. A receipt given out after the copy was made tells the two apart.
 */
#include <unistd.h>

#include "cli/args.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/out.h"

enum { BACKUP_STORE, BACKUP_OPTIONS };

static const struct option options[BACKUP_OPTIONS] = {
    [BACKUP_STORE] = {"store", "DIR", STORE_HELP},
};

static custos_status
backup(const char *from, const char *to, custos_err *err)
{
    struct ledger *l = NULL;
    struct store s;
    custos_status st = store_open(from, &s, err);

    if (st)
        return st;
    st = ledger_of(&s, &l, err);
    if (!st)
        st = store_copy(&s, l, to, err);
    ledger_close(l);
    store_close(&s);
    return st;
}

static int
run(const struct verb *verb, int argc, char **argv)
{
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    struct out o;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words != 1)
        return fail_usage("backup needs the folder to make, such as "
                          "hospital.backup");
    err.code =
        backup(store_given(args.given[BACKUP_STORE]), args.words[0], &err);
    if (err.code)
        return fail_status(err.code, &err);
    out_init(&o, STDOUT_FILENO);
    out_printf(&o, "copied to %s; custos restore makes a store of it again\n",
               args.words[0]);
    return out_end(&o);
}

const struct verb verb_backup = {
    .name = "backup",
    .summary = "copy a store: data, policy, ledger",
    .usage = "backup [--store DIR] TO",
    .about = "The copy is taken while others ask. custos restore makes a store "
             "of it again: do\nnot copy its files by hand. Budget that was "
             "spent after the copy was made is not\nin it: give custos "
             "restore --receipt the newest receipt that anybody has, and an\n"
             "older copy is refused.",
    .examples = "custos backup hospital.backup\n"
                "custos restore hospital.backup --store hospital.store\n",
    .options = options,
    .n_options = BACKUP_OPTIONS,
    .run = run,
};
