/*
 * `custos backup`: copies a store; `custos restore` turns the copy into a store
 * again. A receipt issued later than the copy shows that the copy is out of
 * date.
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
copy_store(const char *from, const char *to, custos_err *err)
{
    struct ledger *l = NULL;
    struct store s;
    custos_status st = store_and_ledger_open(from, &s, &l, err);

    if (st)
        return st;
    st = store_copy(&s, l, to, err);
    ledger_close(l);
    store_close(&s);
    return st;
}

static int
run_backup(const struct verb *verb, int argc, char **argv)
{
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    struct out o;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words != 1)
        return fail_usage("backup needs the folder to create, such as "
                          "hospital.backup");
    err.code =
        copy_store(store_given(args.given[BACKUP_STORE]), args.words[0], &err);
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
    .about =
        "Copies the store to a new folder while others go on asking. Use "
        "custos restore\n"
        "to make a store of the copy again; do not copy its files by hand. The "
        "copy\n"
        "lacks what is spent after it was made: give custos restore the newest "
        "receipt\n"
        "that anybody has (--receipt), and it rejects an older copy.",
    .examples = "custos backup hospital.backup\n"
                "custos restore hospital.backup --store hospital.store\n",
    .options = options,
    .n_options = BACKUP_OPTIONS,
    .run = run_backup,
};
