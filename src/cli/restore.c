/*
 * `custos restore`: makes a store from a backup. Its ledger lacks what was spent
 * after the backup was made. Given the newest receipt that anybody has, restore
 * rejects a backup that is older than the receipt.
 */
#include <unistd.h>

#include "base/error.h"
#include "cli/args.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/out.h"

enum { RESTORE_STORE, RESTORE_RECEIPT, RESTORE_OPTIONS };

static const struct option options[RESTORE_OPTIONS] = {
    [RESTORE_STORE] = {"store", "DIR",
                       "the folder to create (" STORE_DEFAULT ")"},
    [RESTORE_RECEIPT] = {"receipt", "RECEIPT",
                         "the newest receipt there is; a backup older than it\n"
                         "is rejected"},
};

/* Verifies that the backup's ledger is undamaged and not older than the
   receipt, then copies the backup. */
static custos_status
check_and_copy(const char *from, const char *to, const struct receipt *receipt,
               bool *missing, custos_err *err)
{
    struct ledger *l = NULL;
    struct receipt head;
    struct store s;
    custos_status st = store_open(from, &s, err);

    *missing = st == CUSTOS_ENAME;
    if (*missing)
        return custos_fail(err, CUSTOS_ENAME,
                           "there is no backup at %.100s" HINT
                           "give the folder that custos backup has created",
                           from);
    if (st)
        return st;
    st = ledger_of(&s, &l, err);
    if (!st)
        st = ledger_verify(l, receipt, &head, err);
    if (!st)
        st = store_copy(&s, l, to, err);
    ledger_close(l);
    store_close(&s);
    return st;
}

/* Records the restore as a row of the chain. */
static custos_status
note_restore(const char *path, struct receipt *receipt, custos_err *err)
{
    struct ledger *l = NULL;
    struct store s;
    custos_status st = store_and_ledger_open(path, &s, &l, err);

    if (st)
        return st;
    st = ledger_act(l, "restore", str_of("from a backup"), str_of("owner"),
                    clock_us(), receipt, err);
    ledger_close(l);
    store_close(&s);
    return st;
}

static int
run_restore(const struct verb *verb, int argc, char **argv)
{
    char text[RECEIPT_TEXT_MAX];
    struct receipt receipt;
    const char *given, *to;
    bool missing = false;
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    struct out o;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words != 1)
        return fail_usage("restore needs the folder of a backup");
    given = args.given[RESTORE_RECEIPT];
    to = store_given(args.given[RESTORE_STORE]);
    if (given && !receipt_read(str_of(given), &receipt))
        return fail_usage("--receipt must be a receipt, such as 17:9f3c...");
    err.code = check_and_copy(args.words[0], to, given ? &receipt : NULL,
                              &missing, &err);
    if (!err.code)
        err.code = note_restore(to, &receipt, &err);
    if (missing)
        return fail_usage("%s" HINT "%s", err.said, err.hint);
    if (err.code)
        return fail_run("%s" HINT "%s", err.said, err.hint);
    receipt_write(&receipt, text);
    out_init(&o, STDOUT_FILENO);
    out_printf(&o, "restored to %s\nreceipt %s\n", to, text);
    return out_end(&o);
}

const struct verb verb_restore = {
    .name = "restore",
    .summary = "create a store from a backup",
    .usage = "restore [--store DIR] [--receipt RECEIPT] BACKUP",
    .about = "Verifies the backup's ledger, copies the backup to a new folder "
             "and records the\nrestore in the ledger. What was spent after the "
             "backup was made could be spent\nagain: give the newest receipt "
             "that anybody has (--receipt), and a backup older\nthan it is "
             "rejected.",
    .examples = "custos restore hospital.backup --store hospital.store\n",
    .options = options,
    .n_options = RESTORE_OPTIONS,
    .run = run_restore,
};
