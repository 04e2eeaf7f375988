/*
 * `custos store vacuum`: removes old data versions, leftover files and answers
 * that the policy no longer keeps.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/args.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/help.h"
#include "contract/contract.h"

enum { STORE_STORE, STORE_JSON, STORE_OPTIONS };
enum { POLICY_BYTES = 1 << 26, WORDS_MAX = 160 };

static const struct option options[STORE_OPTIONS] = {
    [STORE_STORE] = {"store", "DIR", STORE_HELP},
    [STORE_JSON] = {"json", NULL, "print JSON"},
};

struct freed {
    struct store_freed store;
    struct ledger_freed ledger;
    struct receipt receipt;
};

/* Reads from the store's policy which cached answers to keep. */
static custos_status
retention_read(const struct store *s, struct ledger_retention *out,
               custos_err *err)
{
    arena *a = arena_new(NULL, POLICY_BYTES);
    struct policy *p = NULL;
    custos_status st;
    str text;

    if (!a)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = store_policy(s, a, &text, err);
    if (!st)
        st = policy_read(a, text, "the store's policy", &p, err);
    if (!st)
        *out = retention_of(p);
    arena_free(a);
    return st;
}

static custos_status
vacuum_store(const char *path, struct freed *f, custos_err *err)
{
    struct ledger_retention keep;
    struct ledger *l = NULL;
    char words[WORDS_MAX];
    struct store s;
    custos_status st = store_open(path, &s, err);

    if (st)
        return st;
    st = retention_read(&s, &keep, err);
    if (!st)
        st = ledger_of(&s, &l, err);
    if (!st)
        st = store_vacuum(&s, &f->store, err);
    if (!st)
        st = ledger_vacuum(l, &keep, clock_us(), &f->ledger, err);
    if (!st) {
        snprintf(words, sizeof words, "%" PRIu64 " stored answers dropped",
                 f->ledger.answers);
        st = ledger_act(l, "vacuum", str_of(words), str_of("owner"), clock_us(),
                        &f->receipt, err);
    }
    ledger_close(l);
    store_close(&s);
    return st;
}

static void
print_json(struct out *o, const struct freed *f)
{
    struct document d;

    document_begin(&d, o);
    json_add_count(&d.json, "data_bytes", f->store.data_bytes);
    json_add_count(&d.json, "tmp_bytes", f->store.tmp_bytes);
    json_add_count(&d.json, "answers", f->ledger.answers);
    json_add_count(&d.json, "answer_bytes", f->ledger.answer_bytes);
    json_add_count(&d.json, "ledger_bytes", f->ledger.file_bytes);
    contract_receipt(&d.json, "receipt", &f->receipt);
    document_end(&d);
}

static void
print_text(struct out *o, const struct freed *f)
{
    char receipt[RECEIPT_TEXT_MAX];

    receipt_write(&f->receipt, receipt);
    out_printf(o,
               "old data versions   %" PRIu64 " bytes\n"
               "left-over files     %" PRIu64 " bytes\n"
               "stored answers      %" PRIu64 " dropped, %" PRIu64
               " bytes: asking for them again costs again\n"
               "ledger's file       %" PRIu64 " bytes smaller\n"
               "Receipt %s\n",
               f->store.data_bytes, f->store.tmp_bytes, f->ledger.answers,
               f->ledger.answer_bytes, f->ledger.file_bytes, receipt);
}

static int
run_store(const struct verb *verb, int argc, char **argv)
{
    static struct out o;
    struct freed f = {0};
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words != 1 || strcmp(args.words[0], "vacuum") != 0)
        return fail_usage("store needs the verb vacuum" HINT
                          "see custos store --help");
    st = vacuum_store(store_given(args.given[STORE_STORE]), &f, &err);
    if (st)
        return fail_status(st, &err);
    out_init(&o, STDOUT_FILENO);
    (args.given[STORE_JSON] ? print_json : print_text)(&o, &f);
    return out_end(&o);
}

const struct verb verb_store = {
    .name = "store",
    .summary = "free disk space that is no longer needed",
    .usage = "store vacuum [--json] [--store DIR]",
    .about = "Removes data versions that are not in force, files left behind "
             "by processes\n"
             "that have ended, and stored answers beyond what the policy keeps "
             "(storage in\n"
             "custos-policy(5)); then compacts the ledger's file. Charges wait "
             "meanwhile. No\n"
             "row of the ledger is removed. Asking again for an answer that "
             "was dropped costs\n"
             "again.",
    .examples = "custos store vacuum\n"
                "custos store vacuum --json --store hospital",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_store,
};
